"""Texts as vectors by a table, and the segments that vectors make, in C; its sources are in native/vectors."""

from collections.abc import Callable, Sequence
from typing import Any, final

@final
class Rows:
    """Vectors of texts as sums of rows of a table, as `seamline.embed.static` makes them."""

    def __new__(cls, table: Any, take_apart: Callable[[str], tuple[int, ...]], empty: int, /) -> Rows:
        """`table`: an array of 8-bit rows; `take_apart`: the numbers of the rows of a word; `empty`: the row of a text
        without words."""

    def write(self, texts: Sequence[str], out: Any, /) -> None:
        """Write the vector of each text into its row of `out`, an array of 32-bit floats."""

def segments(
    vectors: Any, tokens: list[int], most: int, least: int, longest: int, apart: bytes, price: list[float], /
) -> list[int]:
    """The units that start one of the best segments, as `seamline.cut.scores.objective` finds them.

    `apart`: for each unit, 1 where a segment must start; `longest`: units of a segment.
    """

def spread(vectors: Any, /) -> float:
    """How much rows of 32-bit floats differ, as `seamline.cut.scores.runs` says it."""
