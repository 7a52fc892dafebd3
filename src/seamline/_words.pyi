"""The compiled words; `seamline.words`, `seamline.enrich.sketch` and `seamline.enrich.identify` mirror it."""

from collections.abc import Callable, Sequence

from typing_extensions import Buffer

class Analyzer:
    """How text becomes words, with a memory of the runs of letters that it met."""

    def __new__(
        cls, terms: Callable[[str], tuple[str, ...]], common: frozenset[str], letters: Sequence[tuple[int, int]], /
    ) -> Analyzer: ...
    def words(self, text: str, /) -> list[str]: ...
    def spaced(self, text: str, /) -> str: ...
    def sketch(self, text: str, /) -> int: ...
    def query(self, text: str, most: int, /) -> list[str]: ...
    def query_set(self, text: str, most: int, /) -> frozenset[str]: ...

def collapsed(text: str, /) -> bytes:
    """The text as UTF-8 with every run of white space as one space, and none at its ends."""

def weigh_languages(
    text: bytes, nodes: Buffer, starts: Buffer, languages: Buffer, steps: Buffer, least: Buffer, gains: Buffer, /
) -> bytes:
    """How well a text fits each language, as doubles; nothing where it does not tell."""
