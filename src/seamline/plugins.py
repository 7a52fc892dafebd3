"""What a package needs to add a part to Seamline: the types that its code meets, from one place that stays.

`docs/howto/write-a-plugin.md` shows how; `seamline.registry` says which entry points there are, and `report` what of
them is installed.
"""

from __future__ import annotations

from typing import NamedTuple

from seamline.anchors import Anchor, Anchors
from seamline.cut.scores import Signal
from seamline.cut.scores.strategies import MakeSignal
from seamline.errors import ConfigError, ParseError, SeamlineError
from seamline.formats import Format, plugin_formats
from seamline.parse.parser_types import ParseInput, ParseLimits, Parser, ParseResult
from seamline.protocols import (
    Embedder,
    EmbedderRequest,
    PartEmbedder,
    Reader,
    Reranker,
    Store,
    StoreBackend,
    Tokenizer,
    Writer,
)
from seamline.recipe.recipe import ParseOptions, Recipe
from seamline.records import Embedding
from seamline.registry import FAMILIES, Plugin, load_plugin, plugins
from seamline.runtime import Runtime
from seamline.types import Block, Document, Notice, Span

__all__ = [
    "Anchor",
    "Anchors",
    "Block",
    "ConfigError",
    "Document",
    "Embedder",
    "EmbedderRequest",
    "Embedding",
    "Format",
    "MakeSignal",
    "Notice",
    "ParseError",
    "ParseInput",
    "ParseLimits",
    "ParseOptions",
    "ParseResult",
    "Parser",
    "PartEmbedder",
    "PluginState",
    "Reader",
    "Recipe",
    "Reranker",
    "Runtime",
    "SeamlineError",
    "Signal",
    "Span",
    "Store",
    "StoreBackend",
    "Tokenizer",
    "Writer",
    "report",
]


class PluginState(NamedTuple):
    """A part that an installed package brings, and whether it can be used."""

    plugin: Plugin
    detail: str = ""
    """What it is, in words; empty where its name says all."""
    problem: str = ""
    """Why it cannot be used, with a remedy."""


def report() -> list[PluginState]:
    """All parts of all installed plugins. Each is loaded, and one that cannot be used does not hide the others."""
    formats = [
        PluginState(found.plugin, " ".join(found.format.suffixes) if found.format else "", found.problem)
        for found in plugin_formats()
    ]
    return [*formats, *(_state(plugin) for family in FAMILIES for plugin in plugins(family))]


def _state(plugin: Plugin) -> PluginState:
    try:
        load_plugin(plugin)
    except ConfigError as error:
        return PluginState(plugin, problem=str(error))
    return PluginState(plugin)
