"""Recipes with a name: sizes, overlap levels and the reference designs."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from seamline.recipe.check import expect_choice
from seamline.recipe.recipe import Overlap, Recipe
from seamline.types import Budget

SIZES: Mapping[str, Budget] = MappingProxyType(
    {
        "small": Budget(target=200, limit=256),
        "medium": Budget(),
        "large": Budget(target=960, limit=1024),
    }
)
"""Budgets for windows of 256, 512 and 1024 tokens."""

OVERLAPS: Mapping[str, int] = MappingProxyType({"low": 5, "medium": 10, "high": 15})
"""How much of the target an overlap level repeats, in percent."""


def overlap_level(name: str, budget: Budget) -> Overlap:
    """Whole blocks up to the level's share of the target."""
    share = OVERLAPS[expect_choice(name, OVERLAPS, "$.overlap.level")]
    return Overlap("blocks", max(1, budget.target * share // 100))


def preset(name: str) -> Recipe:
    """The recipe of that name."""
    return PRESETS[expect_choice(name, PRESETS, "$.preset")]


_PACKED = Recipe(
    packer="fill",
    sections="paragraph",
    breadcrumb=False,  # the boundary overlap already carries the heading
    breadcrumb_title=False,
    overlap=Overlap("boundary", 50),
)

_WINDOW = Recipe(
    # The design's 900 tokens are a whole chunk: 135 repeated (15%) and 765 new. Cuts fall at or before the
    # target, so with the target at 765 the overlap always has its room below the limit.
    budget=Budget(target=765, limit=900),
    packer="decay",
    window=200,
    sections="paragraph",
    breadcrumb=False,
    breadcrumb_title=False,
    overlap=Overlap("tokens", 135),
    whole={"list": 0},  # an item is a gap like any other, worth 5
)

_ESTIMATE = Recipe(
    tokenizer="estimate",
    budget=Budget(floor=48),  # a tenth of the target: below it a chunk is little more than its heading
    packer="fill",
    overlap=overlap_level("medium", Budget()),
    front_matter="metadata",
    breadcrumb_title=False,  # an H1 clears the stack, as the design has it
)

_KNOWLEDGE_BASE = Recipe(
    strategy="rechunk",
    budget=Budget(target=350, limit=512),
    packer="fill",  # 350 is meant: the search for the least cost would rather fill to 512 than cut a list
    overlap=Overlap("shadows", 60),
    whole={"list": 200, "table": 400},
)

PRESETS: Mapping[str, Recipe] = MappingProxyType(
    {
        "default": Recipe(),
        **{name: Recipe(budget=budget) for name, budget in SIZES.items()},
        "packed": _PACKED,
        "window": _WINDOW,
        "estimate": _ESTIMATE,
        "knowledge-base": _KNOWLEDGE_BASE,
    }
)
"""Every named recipe; `medium` is the default by its size's name."""
