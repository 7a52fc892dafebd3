"""What a parser is given, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from seamline.anchors import Anchors
from seamline.code_outline import CodeOutline
from seamline.recipe.recipe import ParseOptions
from seamline.types import Block, Notice, Span

if TYPE_CHECKING:
    from seamline.parse.latex.project import LatexProject


@dataclass(frozen=True, slots=True)
class ParseLimits:
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


def _grant(seconds: float) -> None:
    """Nobody counts the time of a parser that runs in this process."""


class ParseInput(NamedTuple):
    """A source as a parser gets it."""

    data: bytes
    """The bytes; empty for formats that are text."""
    text: str = ""
    """Decoded, for formats that are text; else empty."""
    uri: str = ""
    media_type: str = ""
    reading: ParseOptions = ParseOptions()
    limits: ParseLimits = ParseLimits()
    ask_time: Callable[[float], None] = _grant
    """Asks for so many seconds of CPU time from now on, before a step that is slow by nature: a page of OCR, a minute
    of speech."""
    project: LatexProject | None = None
    """The files that the source names, gathered before it is parsed; only of LaTeX."""


@dataclass(frozen=True, slots=True)
class ParseResult:
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


Parser = Callable[[ParseInput], ParseResult]


def load_parser(name: str) -> Parser:
    """The parser of a `module:function`."""
    module, function = name.split(":")
    found: Parser = getattr(import_module(module), function)
    return found
