"""A small index in memory, made of texts, for tests of whatever searches one; and a cache of vectors in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from seamline.api.index import Index
from seamline.embed.hashing import HashEmbedder
from seamline.index.config import IndexConfig, settings_of
from seamline.index.sources import IndexSource
from seamline.index.update import Tools
from seamline.pipeline import index
from seamline.protocols import Embedder
from seamline.recipe.recipe import Overlap, Recipe
from seamline.records import Embedding
from seamline.runtime import Runtime
from seamline.store.memory import MemoryStore
from seamline.tokens import load
from seamline.types import Budget

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
RECIPE = Recipe(tokenizer="estimate", budget=Budget(target=60, limit=64), overlap=Overlap("shadows", 20))
"""Small chunks, so that short texts have several."""


class Library:
    """Texts by name, indexed as `seamline index` does, with the embedder that needs no model."""

    def __init__(
        self,
        texts: Mapping[str, str] | None = None,
        *,
        recipe: Recipe = RECIPE,
        dual: bool = False,
        embedder: Embedder | None = None,
    ) -> None:
        self.embedder = embedder or HashEmbedder()
        self.tools = Tools(recipe, Runtime(load(recipe.tokenizer)), self.embedder, dual=dual)
        self.store = MemoryStore(
            settings_of(IndexConfig(recipe=recipe, embedder=self.embedder.name, dual=dual), self.embedder)
        )
        self.texts: dict[str, str] = {}
        if texts:
            self.hold(texts)

    def index(self) -> Index:
        """The index as a program opens it, with caches of its own."""
        return Index(self.store, self.embedder, Path())

    def hold(self, texts: Mapping[str, str], now: datetime = NOW) -> None:
        """Make these the texts of the index: others are deleted, changed ones get a new version."""
        self.texts = dict(texts)
        candidates = [IndexSource(name, partial(text.encode, "utf-8")) for name, text in texts.items()]
        index(self.store, candidates, self.tools, covers=lambda doc: True, now=now)


class MemoryVectors:
    """Vectors by embedder and text."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], Embedding] = {}

    def get(self, fingerprint: str, texts: Sequence[str], dimensions: int) -> dict[str, Embedding]:
        """What is known of those texts."""
        found = {text: self._kept[fingerprint, text] for text in texts if (fingerprint, text) in self._kept}
        return {text: made for text, made in found.items() if len(made.vector) == dimensions}

    def put(self, fingerprint: str, texts: Sequence[str], made: Sequence[Embedding]) -> None:
        """Keep what was made of these texts."""
        self._kept.update({(fingerprint, text): one for text, one in zip(texts, made, strict=True)})
