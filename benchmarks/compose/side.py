"""What is measured of everyone who takes part."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

Kind = Literal["dense", "bm25", "hybrid", "filtered"]
K = 10
"""Hits that are asked for."""


class Written(NamedTuple):
    """What an ingest did."""

    chunks: int
    """In the index after it."""
    rows: int
    """Written, new or anew."""
    removed: int


class Cited(NamedTuple):
    """A chunk as somebody wrote it down."""

    key: str
    """What it is looked up by."""
    source: str
    """Path of the file."""
    text: str


class Side(Protocol):
    """One way to index a folder of Markdown files and to search it. Everything it keeps is in a folder of its own."""

    kinds: tuple[Kind, ...]
    """What it can be asked."""

    def ingest(self, docs: Path) -> Written:
        """Bring the index up to date with the folder, so that the next process can search it."""
        ...

    def open(self) -> None:
        """Get ready to search."""
        ...

    def ask(self, kind: Kind, question: str, shelf: str) -> list[str]:
        """Texts of the best chunks, best first; of one shelf, where they are filtered."""
        ...

    def chunks(self) -> Iterator[tuple[str, str]]:
        """Text as it was embedded, and shelf, of every chunk that can be found."""
        ...

    def citations(self) -> Iterator[Cited]:
        """Every chunk that can be found, with the best key there is for it."""
        ...

    def resolve(self, keys: Iterable[str]) -> Mapping[str, str]:
        """The texts that are found under keys; what is not found is left out."""
        ...

    def upkeep(self) -> None:
        """What the documentation tells to do from time to time, as if a month had passed."""
        ...
