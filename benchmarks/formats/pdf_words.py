"""Parts of documents for `pdf_held_out`, and who writes their words."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import NamedTuple

_TAG = re.compile(r"</?b>")
Rows = tuple[tuple[str, ...], ...]


class Part(NamedTuple):
    """A piece of a document, as its author means it."""

    kind: str
    """heading, paragraph, item, code, table, caption, quote, or leader: a line of a table of contents."""
    text: str = ""
    level: int = 0
    rows: Rows = ()
    ruled: str = ""
    """How a table is drawn: `grid`, `lines` above and below, or nothing."""

    @property
    def words(self) -> str:
        return " ".join([_TAG.sub("", self.text), *(cell for row in self.rows for cell in row)])


# --- words ----------------------------------------------------------------------------------------------------------

_ENGLISH = (
    "the {n} of the {m} was checked before any {n} left the yard",
    "every {m} has its own {n}, and the {m} decides how long it lasts",
    "in most years the {n} is moved to the {m} when the river rises",
    "nobody had measured the {n} at this {m} until last spring",
    "a careful {m} needs less {n} than one might think at first",
    "it follows that the {n} and the {m} cannot be planned apart",
)
_GERMAN = (
    "der {n} wird vor jeder {m} geprüft und schriftlich bestätigt",
    "für die {m} gilt der zuletzt vereinbarte {n} als maßgeblich",
    "eine Änderung der {m} bedarf der Zustimmung beider Vertragsparteien",
    "soweit der {n} nicht ausreicht, trägt der Auftragnehmer die Mehrkosten",
)
_NOUNS = ("water gauge", "pump house", "supply line", "timber stock", "night shift", "ledger", "valve", "survey")
_NOMEN = ("Wartungsvertrag", "Lieferschein", "Übergabezeitpunkt", "Leistungsnachweis")
_FRAUEN = ("Rechnungsprüfung", "Gewährleistungsfrist", "Übergabe", "Abnahmeerklärung")


class Author:
    """Writes paragraphs that are numbered through, so that their order can be judged."""

    def __init__(self, seed: int, *, german: bool = False) -> None:
        self._draw = random.Random(seed)
        self._templates = _GERMAN if german else _ENGLISH
        self._words = (_NOMEN, _FRAUEN) if german else (_NOUNS, _NOUNS)
        self._number = 0

    def sentence(self) -> str:
        first, second = self._words
        said = self._draw.choice(self._templates).format(n=self._draw.choice(first), m=self._draw.choice(second))
        return said[0].upper() + said[1:] + "."

    def paragraph(self, sentences: int = 4) -> Part:
        self._number += 1
        said = " ".join(self.sentence() for _ in range(sentences))
        return Part("paragraph", f"Passage {self._number} begins here. {said}")

    def paragraphs(self, count: int = 2) -> list[Part]:
        return [self.paragraph(self._draw.randint(2, 6)) for _ in range(count)]

    def items(self, count: int = 4) -> list[Part]:
        return [Part("item", self.sentence()) for _ in range(count)]

    def table(self, head: tuple[str, ...], rows: int, ruled: str) -> Part:
        body = tuple(
            (f"{self._draw.choice(_NOUNS)} {row}", *(f"{self._draw.randint(1, 9_999):,}" for _ in head[1:]))
            for row in range(1, rows)
        )
        return Part("table", rows=(head, *body), ruled=ruled)


def heading(level: int, text: str) -> Part:
    return Part("heading", text, level)


def written(seed: int, tree: Sequence[tuple[int, str]], *, german: bool = False, count: int = 2) -> list[Part]:
    """Headings, each with paragraphs under it."""
    author = Author(seed, german=german)
    return [part for level, text in tree for part in (heading(level, text), *author.paragraphs(count))]
