"""Summaries made of a text's own sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from seamline.text.words import query_set
from seamline.types import collapse

SUMMARY = 50
"""Tokens of a chunk's summary, at most."""
FIRST = 1.3
"""How much more the first sentence is worth: texts that explain say early what they are about."""
_MOST = 200
"""Sentences that are looked at; beyond that a summary of two sentences stands for nothing anyway."""


class RankedSentence(NamedTuple):
    """A sentence as it can be quoted, and the words by which it is judged."""

    text: str
    words: frozenset[str]


def read_sentence(text: str) -> RankedSentence:
    """A sentence on one line. Sections within sections are summarized from the same ones."""
    plain = collapse(text)
    return RankedSentence(plain, query_set(plain))


def summarize(sentences: Sequence[RankedSentence], most: int, count: Callable[[str], int], wanted: int = 2) -> str:
    """Up to `wanted` sentences, in order and together at most `most` tokens, that share most words with the rest.

    A sentence's worth is the mean, over its words, of how many sentences have that word. Empty where no sentence fits.
    """
    looked = sentences[:_MOST]
    spread = Counter(chain.from_iterable(sentence.words for sentence in looked))
    worth = [_worth(sentence.words, spread) * (FIRST if i == 0 else 1) for i, sentence in enumerate(looked)]
    chosen: list[int] = []
    for i in sorted(range(len(looked)), key=lambda i: (-worth[i], i)):
        if len(chosen) == wanted:
            break
        if worth[i] and count(" ".join(looked[j].text for j in sorted((*chosen, i)))) <= most:
            chosen.append(i)
    return " ".join(looked[i].text for i in sorted(chosen))


def _worth(words: frozenset[str], spread: Mapping[str, int]) -> float:
    # Divided by more than the number of words: a sentence of one common word says nothing.
    return sum(map(spread.__getitem__, words)) / (len(words) + 3) if words else 0.0
