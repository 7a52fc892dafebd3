"""The compiled kernels, from native/: pure functions from text and arrays to arrays.

Each mirrors a reference in Python, which the tests and the fuzzer hold it against and which runs where no compiler was.
"""

from collections.abc import Sequence, Set
from typing import Any, final

from typing_extensions import Buffer

from seamline.types import Block, Detail, Enclosure

def parse_blocks(text: str, after: int, block: type[Block], fenced: Any, /) -> list[Block] | None:
    """All blocks of a text, in pre-order; None for the few texts that only the Python path reads.

    What stands before `after` counts as blank lines. `block` is the type of the values, `fenced` what all closed fences
    share. Reference: `seamline.parse.markdown.commonmark` with `extensions`.
    """

def add_elements(
    text: str,
    blocks: list[Block],
    block: type[Block],
    enclosure: type[Enclosure],
    none: Detail,
    places: tuple[int, int, int],
    /,
) -> list[Block] | None:
    """The blocks of a text with the elements of its HTML among them; None where only the Python path reads a tag.

    `none` is a detail that says nothing; `places` are those of its enclosure, name and header_end. Reference:
    `seamline.parse.markdown.elements`.
    """

def sentence_gaps(
    text: str, ranges: Sequence[tuple[int, int]], titles: frozenset[str], short: frozenset[str], /
) -> list[tuple[list[int], list[tuple[int, int]]]]:
    """For each range, where its sentences may start, and the places in that list which something is to be asked about,
    each with a code. Reference: `seamline.text.sentences.possible_starts`."""

def pack(
    sums: Sequence[int],
    lead: Sequence[int],
    tail: Sequence[int],
    score: Sequence[float],
    forbidden: Set[int],
    target: int,
    limit: int,
    balance: float,
    /,
) -> list[int]:
    """The cuts of least cost. Reference: `seamline.cut.pack.Optimal.reference`."""

def segments(
    vectors: Any,
    tokens: list[int],
    most: int,
    least: int,
    longest: int,
    apart: bytes,
    price: list[float],
    nats: float = ...,
    unit: float = ...,
    bags: list[list[int]] = ...,
    again: list[float] = ...,
    whole: list[float] = ...,
    /,
) -> list[int]:
    """The units that start one of the best segments. Reference: `seamline.cut.scores.objective.segments`, and
    `seamline.cut.scores.ensemble.plain_best` where words are given.

    `apart`: for each unit, 1 where a segment must start; `longest`: units of a segment; `nats` and `unit`: what
    coherence is worth beside words; `bags`: the distinct words of each unit, as numbers; `again` and `whole`: what they
    add to the likelihood of a segment.
    """

def spread(vectors: Any, /) -> float:
    """How much rows of 32-bit floats differ. Reference: `seamline.cut.scores.objective.plain_spread`."""

@final
class Rows:
    """Vectors of texts as sums of rows of a table. Reference: `seamline.embed.static.StaticEmbedder.plain_embed`."""

    def __new__(cls, table: Any, empty: int, /) -> Rows:
        """`table`: an array of 8-bit rows; `empty`: the row of a text without words."""

    def write(self, texts: Sequence[str], out: Any, told: dict[str, tuple[int, ...]], /) -> set[str]:
        """Write the vector of each text into its row of `out`, an array of 32-bit floats.

        `told`: the numbers of the rows of some words. The words of the answer are neither there nor were they met
        before: the rows of texts that have them are not written.
        """

@final
class Analyzer:
    """How text becomes words, with a memory of the runs of letters that it met. Reference: `seamline.text.words`.

    Runs beyond ASCII, and those of more than 64 letters, are handed back as they stand: Python takes them apart.
    """

    def __new__(cls, letters: list[tuple[int, int]], /) -> Analyzer:
        """`letters`: the first and last of ranges of code points that are letters too."""

    def words(self, text: str, /) -> tuple[list[str], list[int]]:
        """The words of a text, in order, and the places in the list of runs that are left to Python."""

    def whole(self, text: str, /) -> tuple[list[str], list[int]]:
        """The first word of each run, in order, and the places in the list of runs that are left to Python. Reference:
        `seamline.text.words.whole_words`."""

    def spaced(self, text: str, /) -> list[str]:
        """Words with spaces between them, a run that is left to Python, words, and so on."""

def collapsed(text: str, /) -> bytes:
    """The text as UTF-8 with every run of white space as one space, and none at its ends. Reference:
    `seamline.types.collapse`."""

def weigh_languages(
    text: bytes, nodes: Buffer, starts: Buffer, languages: Buffer, steps: Buffer, least: Buffer, gains: Buffer, /
) -> bytes:
    """How well a text fits each language, as doubles; nothing where it does not tell. Reference:
    `seamline.enrich.language._weighed`."""
