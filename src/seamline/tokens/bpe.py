"""Exact counts for the vocabularies that ship with the install."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, final

import splintr

from seamline.native import CUTS

_SIZES = {"o200k_base": 199_998, "cl100k_base": 100_256}
"""Tokens of each vocabulary, special ones aside."""

_REPAID = 1 << 18
"""Characters of text after which the compiled counter has saved what its tables cost, 20 ms."""


@final
class BpeTokenizer:
    """o200k_base or cl100k_base, as tiktoken counts them."""

    additive = True
    """Proved for both vocabularies' pre-tokenizers: no rule reaches over a line end into a line that starts with
    anything but white space or, for o200k_base, a slash."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._tokenizer = splintr.Tokenizer.from_pretrained(name)
        self._ordinary = self._tokenizer.encode_ordinary
        self._flat = self._tokenizer.encode_flat
        self._counter: Any = None
        self._unpaid = _REPAID

    def count(self, text: str) -> int:
        if CUTS is not None and self._compiled(len(text)):
            return int(self._counter.count(text))
        # encode_flat hands back bytes, four a token, which spares a list of integers; but it would read
        # `<|endoftext|>` as one special token. (One character is found ten times faster than two.)
        if "<" in text and "<|" in text:
            return len(self._ordinary(text))
        return len(self._flat(text)) >> 2

    def counter(self, characters: int) -> Callable[[str], int]:
        """What the compiled cut counts a text of so many characters by: its own counter, or this one's `count`."""
        return self._counter if CUTS is not None and self._compiled(characters) else self.count

    def _compiled(self, characters: int) -> bool:
        """Whether the compiled counter is ready; it is made when enough text has come."""
        if self._counter is None:
            self._unpaid -= characters
            if self._unpaid < 0:
                self._counter = _counter(self.name, self._tokenizer)
        return self._counter is not None

    def __repr__(self) -> str:
        return f"BpeTokenizer({self.name!r})"


def _counter(name: str, tokenizer: Any) -> Any:
    """The compiled counter, from all tokens in one text: 0xFF after each, a byte that no other token holds."""
    size = _SIZES[name]
    separator = next(token for token in range(256) if tokenizer.decode_token_bytes(token) == b"\xff")
    tokens = [separator] * (2 * size)
    tokens[::2] = range(size)
    return CUTS.Counter(name, tokenizer.decode_bytes(tokens), size) if CUTS else None
