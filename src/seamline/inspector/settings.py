"""What the page may set of a recipe, and the choices it offers.

A request names no model, no file and no service: only what is listed here becomes part of a recipe.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypedDict, cast, get_args

from seamline.api import settle
from seamline.api.recipes import PRESETS, Overlap, OverlapKind, Packer, Recipe, Sections, strategies
from seamline.errors import ConfigError

TOKENIZERS = ("o200k_base", "cl100k_base", "estimate")
"""Those that are part of the package: the name of any other would be that of a file."""
LARGEST = 100_000
"""Tokens that a chunk may be given."""


class RecipeChoices(TypedDict):
    """What the page offers."""

    presets: list[str]
    strategies: list[str]
    tokenizers: list[str]
    packers: list[str]
    sections: list[str]
    overlaps: list[str]


class RecipeSettings(TypedDict):
    """The settings of a recipe that the page shows."""

    strategy: str
    tokenizer: str
    target: int
    limit: int
    floor: int
    overlap: str
    overlap_tokens: int
    packer: str
    sections: str
    breadcrumb: bool


def choices() -> RecipeChoices:
    """All values that `recipe_of` takes."""
    return {
        "presets": list(PRESETS),
        "strategies": list(strategies()),
        "tokenizers": list(TOKENIZERS),
        "packers": list(get_args(Packer)),
        "sections": list(get_args(Sections)),
        "overlaps": list(get_args(OverlapKind)),
    }


def settings_of_recipe(recipe: Recipe) -> RecipeSettings:
    """The part of a recipe that the page shows."""
    return {
        "strategy": recipe.strategy,
        "tokenizer": recipe.tokenizer if recipe.tokenizer in TOKENIZERS else "",
        "target": recipe.budget.target,
        "limit": recipe.budget.limit,
        "floor": recipe.budget.floor,
        "overlap": recipe.overlap.kind,
        "overlap_tokens": recipe.overlap.tokens,
        "packer": recipe.packer,
        "sections": recipe.sections,
        "breadcrumb": recipe.breadcrumb,
    }


def recipe_of(given: Mapping[str, object], base: Recipe | None = None) -> Recipe:
    """The recipe that settings make of a base, or of the preset they name; a ConfigError says what does not fit."""
    known = {"preset", *RecipeSettings.__annotations__}
    if unknown := sorted(set(given) - known):
        raise ConfigError(f"expected {', '.join(sorted(known))}, got {unknown[0]!r}", "$.recipe")
    name = _word(given, "preset", tuple(PRESETS))
    recipe = settle(name) if name else base or Recipe()
    if strategy := _word(given, "strategy", strategies()):
        recipe = replace(recipe, strategy=strategy)
    if tokenizer := _word(given, "tokenizer", TOKENIZERS):
        recipe = replace(recipe, tokenizer=tokenizer)
    if packer := _word(given, "packer", get_args(Packer)):
        recipe = replace(recipe, packer=cast(Packer, packer))
    if sections := _word(given, "sections", get_args(Sections)):
        recipe = replace(recipe, sections=cast(Sections, sections))
    if isinstance(given.get("breadcrumb"), bool):
        recipe = replace(recipe, breadcrumb=bool(given["breadcrumb"]))
    recipe = settle(
        recipe, target=_number(given, "target"), limit=_number(given, "limit"), floor=_number(given, "floor")
    )
    overlap = _word(given, "overlap", get_args(OverlapKind))
    tokens = _number(given, "overlap_tokens")
    if overlap or tokens is not None:
        kind = cast(OverlapKind, overlap or recipe.overlap.kind)
        recipe = replace(recipe, overlap=Overlap(kind, (tokens or 0) if kind != "none" else 0))
    return recipe


def _word(given: Mapping[str, object], name: str, allowed: tuple[str, ...]) -> str:
    value = given.get(name)
    if value is None or value == "":
        return ""
    if not isinstance(value, str) or value not in allowed:
        raise ConfigError(f"expected {', '.join(allowed)}, got {str(value)[:40]!r}", f"$.recipe.{name}")
    return value


def _number(given: Mapping[str, object], name: str) -> int | None:
    value = given.get(name)
    if value is None or value == "":
        return None
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= LARGEST:
        raise ConfigError(f"expected a whole number from 0 to {LARGEST}, got {str(value)[:40]!r}", f"$.recipe.{name}")
    return value
