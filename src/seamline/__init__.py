"""Seamline cuts documents along their seams into chunks that fit a token budget and can be cited exactly."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seamline.api import FileChunks, chunk, chunk_files, read, settle
    from seamline.cut.audit import RULES, Violation, audit, audit_records
    from seamline.cut.tree import Node, outline
    from seamline.errors import (
        BudgetError,
        ConfigError,
        MissingExtra,
        ParseError,
        ProviderError,
        SeamlineError,
        StoreError,
    )
    from seamline.presets import preset
    from seamline.recipe import Overlap, Recipe
    from seamline.recipe_toml import load_recipe
    from seamline.types import Block, Budget, Chunk, Context, Document, Notice, Source, Span

__version__ = "0.1.0"

_HOME = {
    "api": ("FileChunks", "chunk", "chunk_files", "read", "settle"),
    "cut.audit": ("RULES", "Violation", "audit", "audit_records"),
    "cut.tree": ("Node", "outline"),
    "errors": (
        "BudgetError",
        "ConfigError",
        "MissingExtra",
        "ParseError",
        "ProviderError",
        "SeamlineError",
        "StoreError",
    ),
    "presets": ("preset",),
    "recipe": ("Overlap", "Recipe"),
    "recipe_toml": ("load_recipe",),
    "types": ("Block", "Budget", "Chunk", "Context", "Document", "Notice", "Source", "Span"),
}
_WHERE = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "RULES",
    "Block",
    "Budget",
    "BudgetError",
    "Chunk",
    "ConfigError",
    "Context",
    "Document",
    "FileChunks",
    "MissingExtra",
    "Node",
    "Notice",
    "Overlap",
    "ParseError",
    "ProviderError",
    "Recipe",
    "SeamlineError",
    "Source",
    "Span",
    "StoreError",
    "Violation",
    "audit",
    "audit_records",
    "chunk",
    "chunk_files",
    "load_recipe",
    "outline",
    "preset",
    "read",
    "settle",
]


def __getattr__(name: str) -> Any:
    """Names load on first use, so that `import seamline` costs almost nothing."""
    if name not in _WHERE:
        raise AttributeError(f"module 'seamline' has no attribute {name!r}")
    value = getattr(import_module(f"seamline.{_WHERE[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
