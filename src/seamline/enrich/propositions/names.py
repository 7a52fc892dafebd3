"""Names, dates, sums and code in a claim, by how they are written."""

from __future__ import annotations

import re

from seamline.enrich.propositions import lexicon as lex
from seamline.facts import Entity

_FOUND = re.compile(
    r"(?P<CODE>`[^`]+`)"
    r"|(?P<MONEY>[$€£]\s?\d[\d.,]*\d?(?:\s?(?:billion|million|thousand|trillion|bn|m|k)\b)?)"
    r"|(?P<PERCENT>\d[\d.,]*\s?(?:%|percent\b))"
    r"|(?P<DATE>(?:\d{1,2} )?(?:January|February|March|April|May|June|July|August|September|October|November|December)"
    r"(?: \d{1,2},?)?(?: \d{4})?(?!\w)|\b(?:1\d{3}|20\d\d)\b)"
    r"|(?P<NAME>[^\W\d_a-z][\w’'-]*(?:(?: (?:of|de|von|van|la|du|&))? [^\W\d_a-z][\w’'-]*)*)"
)
_COMMON = lex.DETERMINERS | lex.PREPOSITIONS | lex.PRONOUNS | lex.POSSESSIVES | lex.SUBORDINATORS | lex.ADVERBS


def entities(text: str) -> tuple[Entity, ...]:
    """What a text names, each once, in order. Without a model nobody can say what kind of name it is: `NAME`."""
    found: dict[str, Entity] = {}
    for match in _FOUND.finditer(text):
        kind, name = match.lastgroup or "", match[0].strip()
        if kind == "NAME":
            name = _trimmed(name, match.start() == 0)
        if name:
            found.setdefault(name.casefold(), Entity(name, kind))
    return tuple(found.values())


def _trimmed(name: str, is_first: bool) -> str:
    """A name without what only the start of a sentence gave a capital, and without 's."""
    parts = name.split()
    while parts and parts[0].lower() in _COMMON:
        parts.pop(0)
        is_first = False
    if is_first and len(parts) == 1 and not any(map(str.isupper, parts[0][1:])):
        return ""  # one word with a capital at the start: it may be any word
    return re.sub(r"['’]s?$", "", " ".join(parts))
