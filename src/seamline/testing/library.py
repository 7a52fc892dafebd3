"""A small index in memory, made of texts: for tests of whatever searches one."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from seamline.embed.hashing import HashEmbedder
from seamline.index import Index
from seamline.indexing.run import Candidate, Tools, update
from seamline.parts import Parts
from seamline.protocols import Embedder
from seamline.recipe import Overlap, Recipe
from seamline.shape import Shape, settings_of
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
        self.tools = Tools(recipe, Parts(load(recipe.tokenizer)), self.embedder, dual=dual)
        self.store = MemoryStore(
            settings_of(Shape(recipe=recipe, embedder=self.embedder.name, dual=dual), self.embedder)
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
        candidates = [Candidate(name, partial(text.encode, "utf-8")) for name, text in texts.items()]
        update(self.store, candidates, self.tools, covers=lambda doc: True, now=now)
