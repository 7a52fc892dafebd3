"""Sources whose parser gave up: their text is still cut, without the structure that the parser would have found."""

from __future__ import annotations

from seamline.errors import ParserGaveUp
from seamline.formats import Format
from seamline.parse.raw import Parsed, Raw
from seamline.types import Notice


def parse_unstructured(one: Format, raw: Raw, error: ParserGaveUp) -> Parsed:
    """The decoded source as plain text, code by its blank lines, and a notice that says what was lost and why."""
    if one.name == "code":
        from seamline.parse.code import parse_without_grammar

        return parse_without_grammar(raw, error.reason)
    from seamline.parse.plain import plain_blocks

    message = f"cut as plain text, without the structure of {one.name}: {error.reason}"
    return Parsed(raw.text, plain_blocks(raw.text), notices=(Notice("structure-lost", message, error.where),))
