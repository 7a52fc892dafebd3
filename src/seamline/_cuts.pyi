"""The compiled core of the cut and of token counts; its sources are in native/cuts."""

from typing import Protocol, final

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
