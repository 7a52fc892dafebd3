"""Seamline cuts documents along their seams into chunks that fit a token budget and can be cited exactly."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seamline.api import ChunkedFiles, FileChunks, chunk, chunk_files, derive, read, settle
    from seamline.api.contents import IndexedChunk
    from seamline.api.index import Index, Stats, find_index, open_index
    from seamline.cut.audit.audit import RULES, Violation, audit, audit_records
    from seamline.cut.sections import Node, outline
    from seamline.errors import (
        BudgetError,
        ConfigError,
        IndexMissing,
        MissingExtra,
        ParseError,
        ProviderError,
        SeamlineError,
        StoreError,
        TrustError,
    )
    from seamline.facts import Derived, Facts
    from seamline.index.config import IndexConfig
    from seamline.index.update import UpdateReport
    from seamline.recipe.presets import preset
    from seamline.recipe.recipe import Overlap, Recipe
    from seamline.recipe.toml import load_recipe
    from seamline.search.citations import Resolved
    from seamline.search.hits import Citation, ContextText, Hit, Results
    from seamline.search.options import SearchOptions
    from seamline.search.prompt.budget import ContextWindow
    from seamline.trust.access import Trust
    from seamline.types import Block, Budget, Chunk, Context, Document, Notice, Source, Span

__version__ = "0.2.0"

_HOME = {
    "api": ("ChunkedFiles", "FileChunks", "chunk", "chunk_files", "derive", "read", "settle"),
    "cut.audit.audit": ("RULES", "Violation", "audit", "audit_records"),
    "cut.sections": ("Node", "outline"),
    "errors": (
        "BudgetError",
        "ConfigError",
        "IndexMissing",
        "MissingExtra",
        "ParseError",
        "ProviderError",
        "SeamlineError",
        "StoreError",
        "TrustError",
    ),
    "facts": ("Derived", "Facts"),
    "search.hits": ("Citation", "ContextText", "Hit", "Results"),
    "api.contents": ("IndexedChunk",),
    "api.index": ("Index", "Stats", "find_index", "open_index"),
    "index.update": ("UpdateReport",),
    "recipe.presets": ("preset",),
    "recipe.recipe": ("Overlap", "Recipe"),
    "recipe.toml": ("load_recipe",),
    "search.prompt.budget": ("ContextWindow",),
    "search.citations": ("Resolved",),
    "search.options": ("SearchOptions",),
    "index.config": ("IndexConfig",),
    "trust.access": ("Trust",),
    "types": ("Block", "Budget", "Chunk", "Context", "Document", "Notice", "Source", "Span"),
}
_WHERE = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "RULES",
    "Block",
    "Budget",
    "BudgetError",
    "Chunk",
    "ChunkedFiles",
    "Citation",
    "ConfigError",
    "Context",
    "ContextText",
    "ContextWindow",
    "Derived",
    "Document",
    "Facts",
    "FileChunks",
    "Hit",
    "Index",
    "IndexConfig",
    "IndexMissing",
    "IndexedChunk",
    "MissingExtra",
    "Node",
    "Notice",
    "Overlap",
    "ParseError",
    "ProviderError",
    "Recipe",
    "Resolved",
    "Results",
    "SeamlineError",
    "SearchOptions",
    "Source",
    "Span",
    "Stats",
    "StoreError",
    "Trust",
    "TrustError",
    "UpdateReport",
    "Violation",
    "audit",
    "audit_records",
    "chunk",
    "chunk_files",
    "derive",
    "find_index",
    "load_recipe",
    "open_index",
    "outline",
    "preset",
    "read",
    "settle",
]


def __getattr__(name: str) -> Any:
    """Names load on first use, so that `import seamline` costs almost nothing."""
    if name not in _WHERE:
        raise AttributeError(f"module 'seamline' has no attribute {name!r}")
    from seamline.errors import index_imports

    with index_imports():
        value = getattr(import_module(f"seamline.{_WHERE[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
