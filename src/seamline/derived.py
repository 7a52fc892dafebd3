"""Text about chunks: summaries, propositions, questions, rows as sentences. It is found in their place, never cited."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from seamline.facts import Entity
from seamline.types import Chunk, Document, Span


@dataclass(frozen=True, slots=True)
class Derived:
    """One text that says in other words what spans of a document say. A search that finds it gives its chunks."""

    document: Document = field(repr=False)
    kind: str
    """One of `seamline.recipe.recipe.DERIVED`."""
    text: str
    spans: tuple[Span, ...]
    """The places of the document that it is from, in order; never empty."""
    of: tuple[str, ...]
    """Ids of the chunks that hold those places, in order; never empty."""
    model: str = ""
    """What wrote it; empty where rules did."""
    tokens: int = 0
    """Of `text`, by the recipe's tokenizer."""
    confidence: float = 1.0
    """0-1, how well its places support it."""
    entities: tuple[Entity, ...] = ()
    topic: int = -1
    """Which group of propositions it belongs to; -1 for none."""

    @property
    def id(self) -> str:
        """Derives from the document, the kind, the text and the chunks it is about."""
        plain = "\0".join((self.document.id, self.kind, self.text, *self.of))
        return sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()[:24]

    def to_dict(self) -> dict[str, Any]:
        """All fields as plain JSON values; the line format of `seamline chunk --json`."""
        out: dict[str, Any] = {
            "derived": self.kind,
            "id": self.id,
            "doc": self.document.id,
            "text": self.text,
            "tokens": self.tokens,
            "of": list(self.of),
            "spans": [list(span) for span in self.spans],
            "places": [self.document.place_of(span) for span in self.spans],
            "model": self.model,
            "confidence": self.confidence,
        }
        if self.entities:
            out["entities"] = [{"text": entity.text, "type": entity.type} for entity in self.entities]
        if self.topic >= 0:
            out["topic"] = self.topic
        return out


class Holders:
    """Which chunks of one level hold a place, for many places. Chunks are in order."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._chunks = chunks
        self._starts = [chunk.start for chunk in chunks]
        self._ends = [chunk.end for chunk in chunks]

    def of(self, spans: Sequence[Span]) -> tuple[str, ...]:
        """Ids of the chunks whose bodies hold any part of `spans`, in order."""
        found: set[int] = set()
        for start, end in spans:
            found.update(range(bisect_right(self._ends, start), bisect_left(self._starts, end)))
        return tuple(self._chunks[index].id for index in sorted(found))


def holders(chunks: Sequence[Chunk], spans: Sequence[Span]) -> tuple[str, ...]:
    """Ids of the chunks of one level whose bodies hold any part of `spans`, in order. `chunks` are in order."""
    return Holders(chunks).of(spans)
