"""The compiled core of the cut and of token counts; its sources are in native/cuts."""

import re
from typing import Protocol, final

from seamline.source.marks import Line
from seamline.types import Chunk, Context, Document, Span

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

def cut(
    document: Document,
    count: Counter | Estimate | _Count,
    additive: bool,
    plan: tuple[int, int, int, int, float, dict[str, float], dict[str, int], bool],
    rest: object,
    /,
) -> list[Chunk] | None:
    """The chunks of a document, or None where only Python can make them.

    `plan`: target, limit, tokens that borrowed headings may take, levels that paths keep, balance, scores from 0 to 1,
    up to how many tokens each block kind is kept whole, and whether each is split by its own rule. `rest` does what
    is rare: `seamline.cut.compiled.Rest`.
    """

def render(text: str, body: Span, context: tuple[Context, ...], closing: str, /) -> str:
    """The prompt view of a chunk."""

def read_marks(
    text: str, start: int, end: int, pattern: re.Pattern[str], parts: list[tuple[int, int]], line: type[Line], /
) -> tuple[list[int], list[int], list[Line], bool]:
    """Brackets, the partner of each, lines, and whether all brackets have partners: `Marks.scan`."""
