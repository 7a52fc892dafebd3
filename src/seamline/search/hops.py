"""Questions that are answered in steps: what one search finds names what the next one looks for.

`Who leads the team that looks after Ledger?` finds `Ledger is looked after by the Harbour team`; of the question,
`leads` is left, and `Harbour` is new: the next search is for both. Without a new name, or with nothing left to ask,
there is no next step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from seamline.search.expand import without_covered
from seamline.search.highlight import Sentences
from seamline.search.hits import Hit
from seamline.search.search import PART, scaled
from seamline.text.words import COMMON, located, query_words, words

MOST_STEPS = 3
"""Searches for one question, at most: the first, and two that follow what was found."""
_LOOKED_AT = 3
"""Passages of a step in which the sentence is looked for that the next one starts from."""
_NEW = 6
"""Words that a step adds to what is left of the question."""
_ASKING = frozenset(words("what which who whom whose when where why how many much long name said happened"))


class Step(NamedTuple):
    """One further search, and what it found."""

    query: str
    hits: list[Hit]


def follow(question: str, first: Sequence[Hit], search: Callable[[str], list[Hit]], sentences: Sentences) -> list[Step]:
    """The steps after the first, each with what the one before it found."""
    steps: list[Step] = []
    left, hits, known = question, first, frozenset(words(question))
    while len(steps) + 1 < MOST_STEPS and (bridge := _find_bridge(left, hits, known, sentences)):
        query, new = f"{bridge.left} {bridge.new}", frozenset(words(bridge.new))
        hits = [hit for hit in search(query) if not new.isdisjoint(words(hit.entry.searched))]
        steps.append(Step(query, hits))
        left, known = query, known | new
    return steps


class _Bridge(NamedTuple):
    """What a sentence leaves of a question, and the words it adds."""

    left: str
    new: str


def _find_bridge(question: str, hits: Sequence[Hit], known: frozenset[str], sentences: Sentences) -> _Bridge | None:
    """The sentence of the best passages that has most words of a question."""
    wanted = frozenset(query_words(question)) - _ASKING
    found = [
        (len(wanted & frozenset(words(f"{_heading(hit)} {sentence}"))), -rank, -place, hit, sentence)
        for rank, hit in enumerate(hits[:_LOOKED_AT])
        for place, sentence in enumerate(_sentences(hit.entry.body, sentences))
    ]
    if not found:
        return None
    shared, _, _, hit, sentence = max(found, key=lambda one: one[:3])
    held = frozenset(words(f"{_heading(hit)} {sentence}"))
    left = [question[start:end] for start, end, terms in located(question) if wanted.intersection(terms) - held]
    new = _new_words(sentence, _heading(hit), known)
    return _Bridge(" ".join(left), " ".join(new)) if shared and left and new else None


def _heading(hit: Hit) -> str:
    return hit.path[-1] if hit.path else ""


def _sentences(text: str, starts: Sentences) -> Iterator[str]:
    edges = [*starts(text), len(text)]
    return (text[start:end] for start, end in pairwise(edges))


def _new_words(sentence: str, heading: str, known: frozenset[str]) -> list[str]:
    """What a sentence and its heading say that was not asked: names, or else other words."""
    said = [
        text[start:end]
        for text in (sentence, heading)
        for start, end, terms in located(text)
        if terms and not known.intersection(terms) and not COMMON.intersection(terms)
    ]
    names = [word for word in said if not word.islower()]
    return list(dict.fromkeys(names or said))[:_NEW]


def merge_steps(first: Sequence[Hit], steps: Sequence[Step], k: int) -> list[Hit]:
    """The hits of all steps by their scores, but the best of each step first."""
    found = [first, *([scaled(hit, PART, step.query) for hit in step.hits] for step in steps)]
    others = sorted((hit for hits in found for hit in hits[1:]), key=lambda hit: (-hit.relative, hit.entry.id))
    least = max((hit.relative for hit in others), default=0.0)  # hits are in the order of their scores
    leading = [_raised(hit, least) for hits in found for hit in hits[:1]]
    leading.sort(key=lambda hit: -hit.relative)
    return without_covered([*leading, *others])[:k]


def _raised(hit: Hit, least: float) -> Hit:
    return hit if hit.relative >= least else replace(hit, score=least, relative=least)
