"""JSON lines: one object, one line, UTF-8."""

from __future__ import annotations

import json
from collections.abc import Mapping

_encode = json.JSONEncoder(ensure_ascii=False).encode

_LINE_ENDS = {"\x85": "\\u0085", "\u2028": "\\u2028", "\u2029": "\\u2029"}
"""Legal inside JSON, but many readers end a line there."""


def json_line(value: Mapping[str, object]) -> str:
    """The value as one line, its end included."""
    line = _encode(value)
    if not line.isascii():
        for char, escape in _LINE_ENDS.items():
            line = line.replace(char, escape)
    return f"{line}\n"
