"""Recipes: what they can say, where they stand, and which strategy a document gets."""

from __future__ import annotations

from seamline.recipe.choose import Classified, StrategyChoice, classify
from seamline.recipe.presets import PRESETS
from seamline.recipe.recipe import (
    DERIVED,
    FACTS,
    PLACES,
    Bias,
    FrontMatter,
    Overlap,
    OverlapKind,
    Packer,
    Recipe,
    Sections,
)
from seamline.recipe.toml import FILE_NAME, adjust, find, load_choice, load_recipe, load_weights
from seamline.registry import STRATEGIES, is_known, names

__all__ = [
    "DERIVED",
    "FACTS",
    "FILE_NAME",
    "OUR_STRATEGIES",
    "PLACES",
    "PRESETS",
    "Bias",
    "Classified",
    "FrontMatter",
    "Overlap",
    "OverlapKind",
    "Packer",
    "Recipe",
    "Sections",
    "StrategyChoice",
    "adjust",
    "classify",
    "find",
    "is_strategy",
    "load_choice",
    "load_recipe",
    "load_weights",
    "strategies",
]

OUR_STRATEGIES = tuple(STRATEGIES.ours)
"""Those that need no plugin."""


def is_strategy(name: str) -> bool:
    """Whether there is a strategy of this name, of ours or of a plugin."""
    return is_known(STRATEGIES, name)


def strategies() -> tuple[str, ...]:
    """The names of all strategies, ours first."""
    return names(STRATEGIES)
