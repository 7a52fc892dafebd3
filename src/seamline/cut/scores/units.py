"""What is compared when a strategy asks what a document is about, piece by piece.

A unit is a sentence of a paragraph or of a turn of speech that stands at the top level; any other block is one unit.
Headings belong to what follows them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from seamline.cut.sentences import sentence_starts
from seamline.native import CUTS
from seamline.protocols import Tokenizer
from seamline.types import Document

if TYPE_CHECKING:
    from seamline._cuts import Measure

LONGEST = 500
"""Characters of a unit that are looked at: the start of a long listing says what it is about."""
SENTENCE, BLOCK, HEADING = 1, 0, -1
_OPENED = frozenset(("paragraph", "turn"))
_STEPS = 16


class Unit(NamedTuple):
    """A span of the document that is compared as a whole. A cut before it is possible."""

    start: int
    end: int
    seam: int
    """What it starts with: a heading, a block, or a sentence inside a block. The lower, the likelier a new subject."""


def units(document: Document) -> list[Unit]:
    """The units of a document, in order. Headings with nothing under them are none."""
    if CUTS is not None:
        found: list[Unit] | None = CUTS.units(document.text, document.blocks, Unit, _OPENED)
        if found is not None:
            return found
    return plain_units(document)


def plain_units(document: Document) -> list[Unit]:
    """The same in Python: what the compiled core is compared with."""
    out: list[Unit] = []
    headed = -1  # where the headings above the next block start
    for top in document.tops:
        block = document.blocks[top]
        if block.kind == "heading":
            headed = block.start if headed < 0 else headed
            continue
        seam = BLOCK if headed < 0 else HEADING
        start = block.start if headed < 0 else headed
        headed = -1
        inner = sentence_starts(document.text, block.start, block.end)[1:] if block.kind in _OPENED else []
        for at, until in pairwise((start, *inner, block.end)):
            out.append(Unit(at, until, seam))
            seam = SENTENCE
    return out


def texts(document: Document, found: Sequence[Unit]) -> list[str]:
    """What each unit says, a very long one cut short."""
    text = document.text
    return [text[start : end if end - start < LONGEST else start + LONGEST] for start, end, _ in found]


def measure(document: Document, tokenizer: Tokenizer) -> Measure | None:
    """What counts the words of a document once, for a strategy and the cut after it; None where only Python counts."""
    counter = getattr(tokenizer, "counter", None)
    if CUTS is None or not isinstance(counter, CUTS.Counter):
        return None
    try:
        found: Measure = CUTS.Measure(counter, document.text)
    except UnicodeEncodeError:  # halves of pairs
        return None
    return found


def sizes(document: Document, found: list[Unit], tokenizer: Tokenizer, measured: Measure | None) -> list[int]:
    """The tokens of each unit."""
    if measured is not None:
        return measured.counts(found)
    return [tokenizer.count(document.text[start:end]) for start, end, _ in found]


def leanings(found: Sequence[Unit]) -> list[float]:
    """For the gap before each unit but the first, how much less likely a change of subject is there than at most
    others of the document, by the seam alone: -2 to 2. All are 0 where the document has one kind of gap."""
    seams = [seam for _, _, seam in found[1:]]
    leaning = leaning_by_seam(seams)
    return [leaning[seam] for seam in seams]


def leaning_by_seam(seams: Sequence[int]) -> dict[int, float]:
    """The same for each kind of gap; `seams` are those of all units but the first."""
    usual = round(_STEPS * sum(seams) / len(seams)) / _STEPS if seams else 0.0  # in steps: an edit seldom moves it
    return {seam: seam - usual for seam in (HEADING, BLOCK, SENTENCE)}
