"""Answers for agents: passages fenced as data, with where they stand and their keys, under a cap of tokens."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from seamline.api.search import PREAMBLE, delimiter, plain_label
from seamline.errors import BudgetError
from seamline.text.lines import LINE_END

if TYPE_CHECKING:
    from seamline.protocols import Tokenizer

CAP = 8000
"""Tokens of an answer unless the server is started with another cap: clients warn from 10,000."""
LEAST_CAP = 500
"""What says where passages stand and how to go on needs room."""
_WIDEST = 8
"""Code points of a token, on the generous side: what is longer than this many for each token is not counted whole."""
_TRIES = 12


class FencedPassage(NamedTuple):
    """A text of a document, and what is said of it."""

    text: str
    facts: Sequence[str]
    """Its source first, then its key, score and so on."""


def fence(passages: Sequence[FencedPassage]) -> str:
    """Passages between delimiters that none of them contains, below a line that says that they are data."""
    mark = delimiter(passage.text for passage in passages)
    blocks = [
        f"[{mark}{number} {'; '.join(map(plain_label, passage.facts))}]\n{passage.text}\n[/{mark}{number}]"
        for number, passage in enumerate(passages, start=1)
    ]
    return "\n\n".join([PREAMBLE, *blocks]) if blocks else ""


def paragraphs(parts: Iterable[str]) -> str:
    """The parts that say something, one below the other."""
    return "\n\n".join(part for part in parts if part)


class TokenCap:
    """Counts as most models do, near enough, and keeps texts short."""

    def __init__(self, most: int = CAP) -> None:
        if most < LEAST_CAP:
            raise BudgetError(f"expected a cap of {LEAST_CAP} tokens or more, got {most}", "$.agents.cap")
        self.most = most

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        from seamline.tokens import load

        return load("o200k_base")

    def count(self, text: str) -> int:
        return self._tokenizer.count(text)

    def cut(self, text: str, room: int) -> int:
        """Where to end a text so that it has at most `room` tokens: after a line, or inside of the first if need be."""
        window = text[: max(room, 0) * _WIDEST]
        if self.count(window) <= room:
            if len(window) == len(text):
                return len(text)
            ends = [end.end() for end in LINE_END.finditer(window)]
            return ends[-1] if ends else len(window)
        ends = [0, *(end.end() for end in LINE_END.finditer(window))]
        fitting = bisect_right(ends, room, key=lambda end: self.count(window[:end])) - 1
        return ends[fitting] or bisect_right(range(1, len(window)), room, key=lambda end: self.count(window[:end]))

    def fit(self, compose: Callable[[int], str], most: int | None = None) -> str:
        """What `compose` makes of the room it is given, asked again with less until all of it keeps the cap."""
        most = min(most or self.most, self.most)
        room = most
        for _ in range(_TRIES):
            text = compose(max(room, 0))
            over = self.count(text) - most
            if over <= 0:
                return text
            room -= max(over, most // _TRIES)  # less room does not always make it shorter
        raise BudgetError(f"expected room for an answer, got {most} tokens", "$.context.budget")
