"""JSON lines: one object, one line, UTF-8."""

from __future__ import annotations

import json
from collections.abc import Mapping

from seamline.cli.style import escape_json

_encode = json.JSONEncoder(ensure_ascii=False).encode


def json_line(value: Mapping[str, object]) -> str:
    """The value as one line for every reader, its end included, in which nothing can move a terminal's cursor."""
    return f"{escape_json(_encode(value))}\n"
