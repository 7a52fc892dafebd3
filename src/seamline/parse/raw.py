"""What a parser is given, and what it gives back.

Sources whose parser gave up: their text is still cut, without the structure that the parser would have found.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, NamedTuple

from seamline.anchors import Anchors
from seamline.code_outline import CodeOutline
from seamline.errors import ParserGaveUp
from seamline.formats import Format
from seamline.recipe.recipe import Reading
from seamline.types import Block, Notice, Span


@dataclass(frozen=True, slots=True)
class Limits:
    """What one document may cost. A parser that would pass one stops with a ParseError, or leaves the rest out with a
    Notice; the process around it enforces time and memory."""

    expanded: int = 250_000_000
    """Bytes that an archive may unpack to, all parts together."""
    part: int = 100_000_000
    """Bytes of one part of an archive."""
    parts: int = 5_000
    """Parts of an archive."""
    depth: int = 200
    """Nesting of elements, brackets, parts."""
    characters: int = 50_000_000
    """Text that is extracted."""
    pixels: int = 100_000_000
    """Of one image, unpacked."""


class Raw(NamedTuple):
    """A source as a parser gets it."""

    data: bytes
    """The bytes; empty for formats that are text."""
    text: str = ""
    """Decoded, for formats that are text; else empty."""
    uri: str = ""
    media_type: str = ""
    reading: Reading = Reading()
    limits: Limits = Limits()


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a parser found; a `Document` but for its name."""

    text: str
    """Canonical text: the decoded source, or what was extracted from it."""
    blocks: Sequence[Block] = field(repr=False)
    title: str = ""
    meta: Mapping[str, Any] = field(default_factory=dict)
    """Author, dates, language and the like; plain JSON values."""
    anchors: Anchors | None = None
    removed: tuple[Span, ...] = ()
    """Spans of the text that an option took out of the chunks."""
    notices: tuple[Notice, ...] = ()
    confidence: float = 1.0
    """How sure the text is what the source says, 0-1: below 1 where it was read by sight or hearing."""
    code: CodeOutline | None = field(default=None, repr=False)
    """Of source code: its language, statements and names."""


Parser = Callable[[Raw], Parsed]


def parser_named(name: str) -> Parser:
    """The parser of a `module:function`."""
    module, function = name.split(":")
    found: Parser = getattr(import_module(module), function)
    return found


def parse_unstructured(one: Format, raw: Raw, error: ParserGaveUp) -> Parsed:
    """The decoded source as plain text, code by its blank lines, and a notice that says what was lost and why."""
    if one.name == "code":
        from seamline.parse.code.document import parse_without_grammar

        return parse_without_grammar(raw, error.reason)
    from seamline.parse.plain import plain_blocks

    message = f"cut as plain text, without the structure of {one.name}: {error.reason}"
    return Parsed(raw.text, plain_blocks(raw.text), notices=(Notice("structure-lost", message, error.where),))
