"""The compiled core of the cut and of token counts; its sources are in native/cuts."""

import re
from collections.abc import Sequence
from typing import Protocol, TypeVar, final

from seamline.source.marks import Line
from seamline.types import Block, Chunk, Context, Document, Span

_Span = TypeVar("_Span", bound=tuple[int, ...])

class _Count(Protocol):
    def __call__(self, text: str, /) -> int: ...

@final
class Counter:
    """Exact counts by o200k_base or cl100k_base."""

    def __new__(cls, name: str, tokens: bytes, count: int) -> Counter:
        """`tokens`: all `count` tokens in the order of their ranks, the byte 0xFF after each."""

    def count(self, text: str, /) -> int: ...

@final
class Estimate:
    """Counts from characters alone, by the characters per token of prose and of code."""

    def __new__(cls, prose: float, code: float) -> Estimate: ...
    def count(self, text: str, /) -> int: ...

@final
class Measure:
    """A text whose words were counted once."""

    def __new__(cls, counter: Counter, text: str, /) -> Measure: ...
    def counts(self, spans: list[_Span], /) -> list[int]:
        """The tokens of each span: tuples of a start, an end and more."""

def cut(
    document: Document,
    count: Counter | Estimate | Measure | _Count,
    additive: bool,
    plan: tuple[int, int, int, int, float, dict[str, float], dict[str, int], bool],
    signal: tuple[list[int], list[float], list[int], list[int], float],
    rest: object,
    /,
) -> list[Chunk] | None:
    """The chunks of a document, or None where only Python can make them.

    `plan`: target, limit, tokens that borrowed headings may take, levels that paths keep, balance, scores from 0 to 1,
    up to how many tokens each block kind is kept whole, and whether each is split by its own rule. `signal`: offsets
    in ascending order, a score for each, forced gaps, kept gaps, and how much scores count. `rest` does what is rare:
    `seamline.cut.compiled.Rest`.
    """

def render(text: str, body: Span, context: tuple[Context, ...], closing: str, /) -> str:
    """The prompt view of a chunk."""

def sentence_starts(text: str, start: int, end: int, /) -> list[int]:
    """Where the sentences of a range start, the first one included; as `seamline.cut.sentences` finds them."""

def units(text: str, blocks: Sequence[Block], unit: type[_Span], opened: frozenset[str], /) -> list[_Span] | None:
    """The units of a document, as `seamline.cut.scores.units` finds them; None where only Python can."""

def read_marks(
    text: str, start: int, end: int, pattern: re.Pattern[str], parts: list[tuple[int, int]], line: type[Line], /
) -> tuple[list[int], list[int], list[Line], bool]:
    """Brackets, the partner of each, lines, and whether all brackets have partners: `Marks.scan`."""
