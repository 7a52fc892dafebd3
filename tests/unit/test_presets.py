"""The named recipes: their figures, and what an unknown name is answered with."""

from __future__ import annotations

import pytest

from seamline.errors import ConfigError
from seamline.recipe.presets import OVERLAPS, PRESETS, SIZES, overlap_level, preset
from seamline.recipe.recipe import Overlap, Recipe
from seamline.types import Budget


def test_the_names() -> None:
    assert set(PRESETS) == {
        *("default", "small", "medium", "large"),
        *("packed", "window", "estimate", "knowledge-base"),
    }


def test_sizes_change_the_budget_alone() -> None:
    assert preset("default") == preset("medium") == Recipe()
    assert preset("small") == Recipe(budget=Budget(200, 256))
    assert preset("large") == Recipe(budget=Budget(960, 1024))
    assert {name: preset(name).budget for name in SIZES} == dict(SIZES)


def test_packed() -> None:
    recipe = preset("packed")
    assert recipe.budget == Budget(480, 512)
    assert (recipe.tokenizer, recipe.packer, recipe.sections) == ("o200k_base", "fill", "paragraph")
    assert recipe.overlap == Overlap("boundary", 50)
    assert not recipe.breadcrumb


def test_window_has_room_for_its_overlap() -> None:
    recipe = preset("window")
    assert recipe.budget.limit == 900
    assert recipe.overlap == Overlap("tokens", 900 * 15 // 100)
    assert recipe.budget.target + recipe.overlap.tokens == recipe.budget.limit
    assert (recipe.packer, recipe.window, recipe.decay) == ("decay", 200, 0.7)
    assert (recipe.sections, recipe.breadcrumb, recipe.whole) == ("paragraph", False, {"list": 0})


def test_estimate() -> None:
    recipe = preset("estimate")
    assert (recipe.tokenizer, recipe.bias) == ("estimate", "balanced")
    assert (recipe.sections, recipe.packer, recipe.front_matter) == ("heading", "fill", "metadata")
    assert recipe.overlap.kind == "blocks"
    assert 0 < recipe.budget.floor < recipe.budget.target


def test_knowledge_base() -> None:
    recipe = preset("knowledge-base")
    assert recipe.budget == Budget(350, 512)
    assert recipe.whole == {"list": 200, "table": 400}
    assert recipe.sections == "heading"
    assert recipe.overlap == Overlap("shadows", 60)


def test_an_unknown_preset_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ConfigError) as caught:
        preset("knowlege-base")
    assert caught.value.path == "$.preset"
    for name in PRESETS:
        assert name in str(caught.value)
    assert 'did you mean "knowledge-base"?' in str(caught.value)
    with pytest.raises(ConfigError) as caught:
        preset("zzz")
    assert "did you mean" not in str(caught.value)


def test_overlap_levels_are_shares_of_the_target() -> None:
    assert {name: overlap_level(name, Budget()).tokens for name in OVERLAPS} == {
        "low": 24,
        "medium": 48,
        "high": 72,
    }
    assert overlap_level("high", Budget(200, 256)) == Overlap("blocks", 30)


def test_an_overlap_level_is_never_zero() -> None:
    """0 would mean the default of the kind, which is more."""
    assert overlap_level("low", Budget(1, 16)) == Overlap("blocks", 1)


def test_an_unknown_overlap_level_is_refused() -> None:
    with pytest.raises(ConfigError, match=r'did you mean "medium"\? - at `\$\.overlap\.level`'):
        overlap_level("mediun", Budget())


def test_presets_differ_and_cannot_be_changed() -> None:
    prints = [recipe.fingerprint for recipe in PRESETS.values()]
    assert len(set(prints)) == len(PRESETS) - 1  # default and medium are one
    with pytest.raises(TypeError):
        PRESETS["mine"] = Recipe()  # type: ignore[index]
