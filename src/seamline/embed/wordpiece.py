"""Word pieces of BERT's uncased vocabulary, as numbers: the teacher's own reading of a text, at the speed of a dict.

Texts repeat their words, so what stands between two blanks is taken apart once and then looked up. White space is what
Python calls so; in all else the pieces are those of the `tokenizers` library, and marks such as `[SEP]` are plain text.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Mapping
from itertools import chain
from pathlib import Path

LONGEST_WORD = 100
"""Letters; a longer word is one unknown word, as the vocabulary's own rule says."""

_REMEMBERED = 1 << 16
"""Entries of one memory: about 10 MB of words. A full one is emptied, so that random words do not fill the machine."""
_LONGEST_REMEMBERED = 48
"""Letters; longer runs are addresses and data, which seldom come again."""
_IDEOGRAPHS = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)
"""Characters that are words by themselves; the ranges are those the vocabulary was made with."""
_DROPPED = frozenset(("Cc", "Cf", "Co", "Cs", "Mn"))
"""Categories without a letter: control and format characters, private ones, halves of pairs, accents."""
_ASCII_MARKS = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")

Pieces = tuple[int, ...]


class WordPieces:
    """A vocabulary, and the pieces of the words met so far."""

    def __init__(self, vocabulary: Mapping[str, int], unknown: int) -> None:
        self._vocabulary = vocabulary
        self._unknown = (unknown,)
        self._longest = max(map(len, vocabulary))
        self._words = _Memory(self._word)
        self._runs = _Memory(self.run)

    def __call__(self, text: str) -> list[int]:
        """The numbers of the pieces of a text, in order."""
        return list(chain.from_iterable(map(self._runs.__getitem__, text.split())))

    def run(self, run: str) -> Pieces:
        """Of what stands between two blanks: words and marks without space between them."""
        return tuple(chain.from_iterable(map(self._words.__getitem__, run.translate(_LETTERS).split())))

    def _word(self, word: str) -> Pieces:
        """The longest entry of the vocabulary that the word starts with, then that of the rest, and so on."""
        if len(word) > LONGEST_WORD:
            return self._unknown
        known = self._vocabulary
        found = []
        start = 0
        while start < len(word):
            mark = "##" if start else ""
            for end in range(min(len(word), start + self._longest), start, -1):
                piece = known.get(mark + word[start:end])
                if piece is not None:
                    found.append(piece)
                    start = end
                    break
            else:
                return self._unknown
        return tuple(found)


def read_vocabulary(path: Path) -> dict[str, int]:
    """Word pieces with their numbers, of a tokenizer.json."""
    found: dict[str, int] = json.loads(path.read_text("utf-8"))["model"]["vocab"]
    return found


class _Memory(dict[str, Pieces]):
    """What a function said before."""

    def __init__(self, function: Callable[[str], Pieces]) -> None:
        super().__init__()
        self._function = function

    def __missing__(self, key: str) -> Pieces:
        pieces = self._function(key)
        if len(key) <= _LONGEST_REMEMBERED:
            if len(self) >= _REMEMBERED:
                self.clear()
            self[key] = pieces
        return pieces


class _Letters(dict[int, str]):
    """What becomes of a character: nothing, small letters without accents, or a word by itself between blanks."""

    def __missing__(self, code: int) -> str:
        # One character at a time: sorting the accents of a long run of them would take the square of its length.
        plain = unicodedata.normalize("NFD", chr(code))
        self[code] = letters = "".join(map(_plain, plain))
        return letters


def _plain(character: str) -> str:
    category = unicodedata.category(character)
    if category in _DROPPED or character == "\ufffd":
        return ""
    alone = character in _ASCII_MARKS or category[0] == "P" or _is_ideograph(ord(character))
    return f" {character} " if alone else character.lower()


def _is_ideograph(code: int) -> bool:
    return any(first <= code <= last for first, last in _IDEOGRAPHS)


_LETTERS = _Letters()
