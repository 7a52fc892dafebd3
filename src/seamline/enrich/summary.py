"""Summaries made of a text's own sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from seamline.identity import collapse
from seamline.words import query_words

FIRST = 1.3
"""How much more the first sentence is worth: texts that explain say early what they are about."""
_MOST = 200
"""Sentences that are looked at; beyond that a summary of two sentences stands for nothing anyway."""


def summarize(sentences: Sequence[str], most: int, count: Callable[[str], int], wanted: int = 2) -> str:
    """Up to `wanted` sentences, in order and together at most `most` tokens, that share most words with the rest.

    A sentence's worth is the mean, over its words, of how many sentences have that word. Empty where no sentence fits.
    """
    plain = [collapse(sentence) for sentence in sentences[:_MOST]]
    words = [query_words(sentence) for sentence in plain]
    spread = Counter(word for sentence in words for word in set(sentence))
    worth = [_worth(set(sentence), spread) * (FIRST if i == 0 else 1) for i, sentence in enumerate(words)]
    chosen: list[int] = []
    for i in sorted(range(len(plain)), key=lambda i: (-worth[i], i)):
        if len(chosen) == wanted:
            break
        if worth[i] and count(" ".join(plain[j] for j in sorted((*chosen, i)))) <= most:
            chosen.append(i)
    return " ".join(plain[i] for i in sorted(chosen))


def _worth(words: set[str], spread: Counter[str]) -> float:
    # Divided by more than the number of words: a sentence of one common word says nothing.
    return sum(spread[word] for word in words) / (len(words) + 3) if words else 0.0
