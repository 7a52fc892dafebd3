"""Tokens of ranges of one text: no more of it is counted than an answer needs."""

from __future__ import annotations

from seamline.protocols import Tokenizer
from seamline.text.lines import counts_apart

LONGEST_TOKEN = 64
"""Characters, on average over a text: only runs of blanks have more, and no words to lose."""
_OFTEN = 6
"""Characters of a token that most texts stay below: a range of more is counted in two steps."""


class Measure:
    """Counts ranges of one text."""

    def __init__(self, text: str, tokenizer: Tokenizer) -> None:
        self.text = text
        self.count = tokenizer.count
        self._additive = tokenizer.additive

    def size(self, start: int, end: int, room: int) -> int:
        """Tokens of a range; of one that is larger than `room`, only that it is."""
        if end - start > LONGEST_TOKEN * room:
            return room + 1
        if end - start > _OFTEN * room and self._additive:
            middle = self.text.rfind("\n", start, start + _OFTEN * room) + 1
            if middle > start and counts_apart(self.text, middle):
                first = self.count(self.text[start:middle])
                return first + self.count(self.text[middle:end]) if first <= room else first
        return self.count(self.text[start:end])

    def ending(self, start: int, stop: int, end: int, tokens: int, close: str) -> int:
        """Tokens of a range of `tokens` up to `end` that ends at `stop` with a close instead: its last line alone is
        counted again."""
        text = self.text
        line = text.rfind("\n", start, stop) + 1
        if line <= start or not self.adds_up(line):
            return self.count(text[start:stop] + close)
        return tokens - self.count(text[line:end]) + self.count(text[line:stop] + close)

    def adds_up(self, at: int) -> bool:
        """Whether the counts of the text before and after a place are those of both together."""
        return self._additive and (not at or self.text[at - 1] == "\n") and counts_apart(self.text, at)
