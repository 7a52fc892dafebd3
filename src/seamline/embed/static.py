"""The embedder `static`: one vector for each word piece, and a text is their sum. For the dips between sentences.

It reads a hundred thousand sentences a second where its teacher, the bundled model, reads hundreds, and needs
numpy only. It knows what a text is about, not what it says: the order of words is lost. Use it to find where a subject
changes, and `minilm` to search. It was fitted to English headings and prose: of tables, code and other languages it
knows less. models/PROVENANCE.md says how the table was made.

Word pieces of BERT's uncased vocabulary, as numbers: the teacher's own reading of a text, at the speed of a dict.

Texts repeat their words, so what stands between two blanks is taken apart once and then looked up. White space is what
Python calls so; in all else the pieces are those of the `tokenizers` library, and marks such as `[SEP]` are plain text.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from seamline.embed.address import parse
from seamline.embed.bundled import FOLDER, MINILM, check
from seamline.errors import command
from seamline.native import KERNELS
from seamline.protocols import EmbedderRequest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from seamline._native import Rows
    from seamline.records import Vector


VERSION = 1
"""Of the rules that make pieces of a text and one vector of pieces; another version makes other vectors."""

TABLE = "static.int8.npy"
VOCABULARY = "minilm.tokenizer.json"
FILES = {
    TABLE: "bf23a2611bd26953d356020b4603c7365c68c98af3002b9803cb8b5e0e096b14",
    VOCABULARY: MINILM.files[VOCABULARY],
}
"""SHA-256 of what is bundled; models/PROVENANCE.md says how it was made."""

EMPTY = 0
"""The row of a text without pieces."""
UNKNOWN = 100
"""The row of a word that no pieces make."""

_BLOCK = 4096
"""Pieces whose rows are copied at once: 1 MB."""
_TEXTS = 1024
"""Texts whose vectors are scaled at once: 2 MB."""
_EXACT = 2.0**22
"""Sums below it have squares that 64-bit floats add without rounding, up to 512 of them."""


BALANCE = 0.51
"""The cosine at which blocks are as likely neighbours as distant; benchmarks/calibrate.py."""


class StaticEmbedder:
    """Rows of whole numbers, added. A sum of those is the same in any order, so vectors are the same to the bit on
    every machine."""

    def __init__(self, folder: Path = FOLDER) -> None:
        """From files that are what was shipped."""
        check(folder, FILES, command("semantic"))
        self.name = "static"
        self.balance = BALANCE
        self._vocabulary = folder / VOCABULARY
        self._table: NDArray[np.int8] = np.asarray(np.load(folder / TABLE, mmap_mode="r"))
        self.dimensions = int(self._table.shape[1])
        self.fingerprint = sha256(f"static {VERSION} {FILES}".encode()).hexdigest()

    def __repr__(self) -> str:
        return f"StaticEmbedder(dimensions={self.dimensions})"

    def embed(self, texts: Sequence[str]) -> Vector:
        """One row per text, whatever its length. A text without words or marks has the vector of the empty text."""
        if self._compiled is None:
            return self.plain_embed(texts)
        rows = np.empty((len(texts), self.dimensions), np.float32)
        for start in range(0, len(texts), _TEXTS):
            batch = texts[start : start + _TEXTS]
            told: dict[str, Pieces] = {}
            while unknown := self._compiled.write(batch, rows[start : start + len(batch)], told):
                told.update((word, self._pieces.run(word)) for word in unknown)
        return rows

    def plain_embed(self, texts: Sequence[str]) -> Vector:
        """The same in Python: what the compiled core is compared with."""
        rows = np.empty((len(texts), self.dimensions), np.float32)
        for start in range(0, len(texts), _TEXTS):
            batch = texts[start : start + _TEXTS]
            rows[start : start + len(batch)] = _unit(self._sums(batch))
        return rows

    @cached_property
    def _compiled(self) -> Rows | None:
        """Adds rows, and remembers the pieces of the words it met."""
        return None if KERNELS is None else KERNELS.Rows(self._table, EMPTY)

    @cached_property
    def _pieces(self) -> WordPieces:
        """Read when the first text comes: 12 ms."""
        return WordPieces(read_vocabulary(self._vocabulary), UNKNOWN)

    def _sums(self, texts: Sequence[str]) -> NDArray[np.int64]:
        sums = np.empty((len(texts), self.dimensions), np.int64)
        pieces, table, add = self._pieces, self._table, np.add.reduce
        for row, text in zip(sums, texts, strict=True):
            numbers = pieces(text) or [EMPTY]
            if len(numbers) <= _BLOCK:
                add(table.take(numbers, axis=0), axis=0, out=row)
            else:
                row[:] = self._long_sum(numbers)
        sums[~sums.any(axis=1)] = table[EMPTY]
        return sums

    def _long_sum(self, numbers: list[int]) -> NDArray[np.int64]:
        total = np.zeros(self.dimensions, np.int64)
        for start in range(0, len(numbers), _BLOCK):
            total += self._table.take(numbers[start : start + _BLOCK], axis=0).sum(axis=0, dtype=np.int64)
        return total


def _unit(sums: NDArray[np.int64]) -> Vector:
    """Rows of length 1, by steps that IEEE 754 rounds alike everywhere: exact sums, one root, one division."""
    wide = sums.astype(np.float64)
    largest = np.abs(wide).max(axis=1, keepdims=True)
    if (largest >= _EXACT).any():
        _, power = np.frexp(largest / _EXACT)
        wide = np.trunc(np.ldexp(wide, -np.maximum(power, 0)))
    lengths = np.sqrt((wide * wide).sum(axis=1, keepdims=True))
    rows: Vector = (wide / lengths).astype(np.float32)
    return rows


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


def make(request: EmbedderRequest) -> StaticEmbedder:
    """As a name asks for it."""
    parse(request.name)  # refuses settings
    return StaticEmbedder()
