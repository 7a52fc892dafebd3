"""JSON lines: one object, one line, UTF-8."""

from __future__ import annotations

import json
from collections.abc import Mapping

_encode = json.JSONEncoder(ensure_ascii=False).encode

# Legal inside JSON, but many readers end a line there.
_LINE_ENDS = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}


def json_line(value: Mapping[str, object]) -> str:
    """The value as one line, its end included."""
    line = _encode(value)
    return f"{line if line.isascii() else line.translate(_LINE_ENDS)}\n"
