"""The embedder `hash`: which words and letters two texts share, and nothing of what they mean.

It needs no model. It is there for tests, and for machines that cannot run one. "car" and "automobile" are strangers to
it; a search by it finds what a search for words finds. It is used only where it is named.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from math import log
from typing import TYPE_CHECKING

import numpy as np

from seamline.embed.address import parse
from seamline.embed.run import readable, unit
from seamline.errors import ConfigError
from seamline.protocols import EmbedderRequest

if TYPE_CHECKING:
    from seamline.records import Vector

DIMENSIONS = 256
VERSION = 1
"""Of the features and their weights; another version makes other vectors."""

_WORD = re.compile(r"\w+")
_TRIGRAM_WEIGHT = 0.5
"""Of a group of three letters, against 1 for a word: a word of five letters has five of them."""


BALANCE = 0.35
"""The cosine at which blocks are as likely neighbours as distant; benchmarks/calibrate.py."""


class HashEmbedder:
    """Each word and each group of three letters adds its weight to one dimension, or takes it away."""

    def __init__(self, dimensions: int = DIMENSIONS) -> None:
        if dimensions < 8:
            raise ConfigError(f"expected 8 dimensions or more, got {dimensions}", "$.embedder")
        self.name = "hash"
        self.balance = BALANCE
        self.dimensions = dimensions
        self.fingerprint = blake2b(f"hash {VERSION} {dimensions}".encode(), digest_size=16).hexdigest()

    def __repr__(self) -> str:
        return f"HashEmbedder(dimensions={self.dimensions})"

    def embed(self, texts: Sequence[str]) -> Vector:
        """One row per text, whatever its length. A text without words has the vector of the empty text."""
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for feature, times in Counter(features(text)).items():
                at, weight = self._place(feature)
                row[at] += weight * (1 + log(times))
            if not row.any():
                row[0] = 1
        return unit(rows) if len(texts) else rows

    def _place(self, feature: str) -> tuple[int, float]:
        number = int.from_bytes(blake2b(feature.encode(), digest_size=8).digest(), "little")
        size = 1.0 if feature.startswith(" ") else _TRIGRAM_WEIGHT
        return (number >> 1) % self.dimensions, size if number & 1 else -size


def features(text: str) -> Iterator[str]:
    """Each word of a text after a space, and its groups of three letters."""
    plain = unicodedata.normalize("NFKC", readable(text)).casefold()
    for match in _WORD.finditer(plain):
        word = match.group()
        yield f" {word}"
        edged = f"<{word}>"
        yield from (edged[at : at + 3] for at in range(len(edged) - 2))


def make(request: EmbedderRequest) -> HashEmbedder:
    """As a name asks for it."""
    parse(request.name)  # refuses settings
    return HashEmbedder()
