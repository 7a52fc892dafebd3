"""What a query asks for beyond its words: `"quoted phrases"` that a passage must hold, and `-words` it must not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from seamline.text.words import located

Phrase = tuple[frozenset[str], ...]
"""Words in order; each as the words that count for it, as `words` gives them."""

_PART = re.compile(r'(?<!\S)(?P<no>-)?(?:"(?P<quoted>[^"\n]*)"|(?P<word>(?<=-)[^\s"-][^\s"]*))')
"""A quoted part, or a word after a lone hyphen; both may only follow white space, so that `re-run` is one word."""


class Query(NamedTuple):
    """A query, read."""

    text: str
    """What is searched for: all of it but what is excluded and the quotes."""
    required: tuple[Phrase, ...] = ()
    excluded: tuple[Phrase, ...] = ()

    @property
    def is_plain(self) -> bool:
        """Whether every passage may answer it."""
        return not (self.required or self.excluded)

    def admits(self, text: str) -> bool:
        """Whether a passage holds all that is required and nothing that is excluded."""
        if self.is_plain:
            return True
        runs = [frozenset(terms) for _, _, terms in located(text)]
        return all(_holds(runs, phrase) for phrase in self.required) and not any(
            _holds(runs, phrase) for phrase in self.excluded
        )


def parse_query(text: str) -> Query:
    """The parts of a query. Quotes that are not closed are characters like others, and so is `--option`."""
    required: list[Phrase] = []
    excluded: list[Phrase] = []

    def read(part: re.Match[str]) -> str:
        words = part["quoted"] if part["quoted"] is not None else part["word"]
        phrase = _phrase(words)
        if not phrase:
            return part[0]
        (excluded if part["no"] else required).append(phrase)
        return " " if part["no"] else words

    asked = " ".join(_PART.sub(read, text).split())
    if not asked:  # only exclusions: there is nothing to look for but the words themselves
        return Query(text)
    return Query(asked, tuple(required), tuple(excluded))


def _phrase(text: str) -> Phrase:
    """A name counts whole, and of a script without spaces every pair of characters."""
    runs = [(text[start:end].isascii(), terms) for start, end, terms in located(text) if terms]
    return tuple(frozenset(terms[:1] if is_ascii else terms) for is_ascii, terms in runs)


def _holds(runs: Sequence[frozenset[str]], phrase: Phrase) -> bool:
    """Whether the words of a phrase stand one after the other; a name also counts by its parts, where it is alone."""
    size = len(phrase)
    return any(all(want <= runs[at + n] for n, want in enumerate(phrase)) for at in range(len(runs) - size + 1))
