"""Recipes: what they refuse, how they are fingerprinted, and `seamline.toml` in both directions."""

from __future__ import annotations

import copy
import math
import os
import pickle
import subprocess
import sys
import tomllib
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seamline.errors import BudgetError, ConfigError
from seamline.recipe.presets import PRESETS, preset
from seamline.recipe.recipe import (
    KINDS,
    SCORES,
    Bias,
    FrontMatter,
    Overlap,
    OverlapKind,
    Packer,
    Recipe,
    Sections,
    budget_for,
    resize,
)
from seamline.recipe.strategies import Code, Hierarchy, Multimodal, Propositions, Rechunk, Semantic, Tabular
from seamline.recipe.toml import TABLES, find, from_mapping, load_recipe, to_toml
from seamline.types import SMALLEST_LIMIT, Budget


@st.composite
def budgets(draw: st.DrawFn) -> Budget:
    limit = draw(st.integers(SMALLEST_LIMIT, 100_000))
    target = draw(st.integers(1, limit))
    return Budget(target, limit, draw(st.integers(0, target)))


@st.composite
def any_recipe(draw: st.DrawFn) -> Recipe:
    budget = draw(budgets())
    return Recipe(
        tokenizer=draw(st.text(st.characters(exclude_categories=["Cs"]), min_size=1)),
        bias=draw(st.sampled_from(get_args(Bias))),
        budget=budget,
        packer=draw(st.sampled_from(get_args(Packer))),
        window=draw(st.integers(1, 10_000)),
        decay=draw(st.floats(0, 1)),
        balance=draw(st.floats(0, allow_infinity=False)),
        sections=draw(st.sampled_from(get_args(Sections))),
        depth=draw(st.integers(0, 6)),
        breadcrumb=draw(st.booleans()),
        breadcrumb_depth=draw(st.integers(0, 6)),
        overlap=Overlap(draw(st.sampled_from(get_args(OverlapKind))), draw(st.integers(0, budget.limit - 1))),
        front_matter=draw(st.sampled_from(get_args(FrontMatter))),
        whole=draw(st.dictionaries(st.sampled_from(KINDS), st.integers(0, 10_000))),
        split=draw(st.dictionaries(st.sampled_from(KINDS), st.booleans())),
        scores=draw(st.dictionaries(st.sampled_from(sorted(SCORES)), st.integers(0, 100))),
    )


# --- the value -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"strategy": "sematic"}, "$.cut.strategy"),
        ({"signal": ""}, "$.cut.signal"),
        ({"enrich": ("entity",)}, "$.enrich.facts"),
        ({"enrich": "entities"}, "$.enrich.facts"),
        ({"derive": ("rows", "rows")}, "$.derive.kinds"),
        ({"strategies": {"*.md": "sematic"}}, "$.strategies.*.md"),
        ({"packer": "optimla"}, "$.cut.packer"),
        ({"sections": ""}, "$.cut.sections"),
        ({"bias": None}, "$.estimate.bias"),
        ({"front_matter": "keep"}, "$.parse.front_matter"),
        ({"tokenizer": ""}, "$.tokenizer"),
        ({"tokenizer": 3}, "$.tokenizer"),
        ({"window": 0}, "$.cut.window"),
        ({"window": True}, "$.cut.window"),
        ({"window": 2**63}, "$.cut.window"),
        ({"decay": -0.1}, "$.cut.decay"),
        ({"decay": 1.1}, "$.cut.decay"),
        ({"decay": math.nan}, "$.cut.decay"),
        ({"balance": math.inf}, "$.cut.balance"),
        ({"balance": 10**400}, "$.cut.balance"),
        ({"balance": False}, "$.cut.balance"),
        ({"depth": 7}, "$.cut.depth"),
        ({"depth": -1}, "$.cut.depth"),
        ({"breadcrumb": 1}, "$.breadcrumb.enabled"),
        ({"breadcrumb_depth": 7}, "$.breadcrumb.depth"),
        ({"whole": {"lists": 1}}, "$.whole.lists"),
        ({"whole": {"list": -1}}, "$.whole.list"),
        ({"whole": {"list": True}}, "$.whole.list"),
        ({"split": {"fence": True}}, "$.split.fence"),
        ({"split": {"code": 0}}, "$.split.code"),
        ({"scores": {"h7": 1}}, "$.scores.h7"),
        ({"scores": {"h1": 101}}, "$.scores.h1"),
        ({"scores": {"h1": 0.5}}, "$.scores.h1"),
        ({"overlap": Overlap("blocks", 512)}, "$.overlap.tokens"),
        ({"budget": Budget(480.0, 512)}, "$.budget.target"),  # type: ignore[arg-type]
    ],
)
def test_a_recipe_refuses_what_cannot_work_and_names_its_place(change: dict[str, Any], path: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Recipe(**change)
    assert caught.value.path == path
    assert str(caught.value).startswith("expected ")
    assert ", got " in str(caught.value)


def test_an_overlap_refuses_an_unknown_kind_and_a_negative_size() -> None:
    with pytest.raises(ConfigError, match=r'got "block"; did you mean "blocks"\? - at `\$\.overlap\.kind`'):
        Overlap("block")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match=r"expected int >= 0, got -1 - at `\$\.overlap\.tokens`"):
        Overlap("blocks", -1)


def test_messages_stay_short_and_show_the_range() -> None:
    with pytest.raises(ConfigError, match=r"expected int 0\.\.6, got 9"):
        Recipe(depth=9)
    with pytest.raises(ConfigError) as caught:
        Recipe(packer="x" * 10_000)  # type: ignore[arg-type]
    assert len(str(caught.value)) < 200
    with pytest.raises(ConfigError, match="got an int of more than 64 bits"):
        Recipe(depth=16**20_000)


def test_scores_are_laid_over_the_defaults() -> None:
    recipe = Recipe(scores={"h1": 7})
    assert recipe.scores == {**SCORES, "h1": 7}
    assert Recipe(scores={}) == Recipe()


def test_a_recipe_cannot_change_after_it_is_made() -> None:
    whole = {"list": 1}
    recipe = Recipe(whole=whole)
    whole["list"] = 2
    assert recipe.whole == {"list": 1}
    with pytest.raises(TypeError):
        recipe.whole["list"] = 3  # type: ignore[index]


@given(any_recipe())
def test_a_recipe_survives_copies_and_other_processes(recipe: Recipe) -> None:
    for twin in (pickle.loads(pickle.dumps(recipe)), copy.deepcopy(recipe), copy.copy(recipe)):
        assert twin == recipe
        assert hash(twin) == hash(recipe)


# --- the fingerprint -------------------------------------------------------------------------------------

OTHER: dict[str, Any] = {
    "tokenizer": "cl100k_base",
    "bias": "code-heavy",
    "packer": "fill",
    "window": 201,
    "decay": 0.5,
    "balance": 2.0,
    "sections": "hybrid",
    "depth": 2,
    "breadcrumb": False,
    "breadcrumb_depth": 3,
    "front_matter": "strip",
    "boilerplate": "keep",
    "comments": "keep",
    "breadcrumb_title": False,
    "ocr": "off",
    "ocr_language": "deu",
    "whole": {"list": 10},
    "split": {"code": False},
    "scores": {"h1": 99},
}
CHANGES = [
    *({name: value} for name, value in OTHER.items()),
    *({"budget": b} for b in (Budget(479, 512), Budget(480, 513), Budget(480, 512, 1))),
    *({"overlap": o} for o in (Overlap("blocks"), Overlap("none", 1))),
    {"strategy": "semantic"},
    {"signal": "hash"},
    {"semantic": Semantic(alpha=2)},
    {"rechunk": Rechunk(similarity=0.5)},
    {"hierarchy": Hierarchy(limits=(1024, 4096))},
    {"code": Code(imports=False)},
    {"tabular": Tabular(key="region")},
    {"multimodal": Multimodal(pause=1)},
    {"propositions": Propositions(dedup=0.9)},
    {"strategies": {"*.md": "semantic", "*": "code"}},
    {"strategies": {"*": "code", "*.md": "semantic"}},
    {"enrich": ("entities",)},
    {"ner": "spacy"},
    {"derive": ("rows",)},
    {"llm": "openai:small"},
]


def test_every_field_counts_in_the_fingerprint() -> None:
    prints = [Recipe().fingerprint, *(replace(Recipe(), **change).fingerprint for change in CHANGES)]
    assert len(set(prints)) == len(CHANGES) + 1
    assert {f.name for f in fields(Recipe)} == {k for c in CHANGES for k in c}


def test_equal_recipes_have_equal_fingerprints() -> None:
    one = Recipe(whole={"list": 1, "table": 2}, scores={"h1": 1, "h2": 2}, decay=1, balance=2)
    two = Recipe(whole={"table": 2, "list": 1}, scores={"h2": 2, "h1": 1}, decay=1.0, balance=2.0)
    assert one == two
    assert one.fingerprint == two.fingerprint


def test_the_fingerprint_is_the_same_in_every_process() -> None:
    code = "from seamline.recipe.recipe import Recipe; print(Recipe(whole={'list': 1, 'table': 2}).fingerprint)"
    runs = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            check=True,
            text=True,
        ).stdout.strip()
        for seed in ("1", "2")
    ]
    assert runs == [Recipe(whole={"table": 2, "list": 1}).fingerprint] * 2


def test_the_default_fingerprint_is_known() -> None:
    """A change here tells every index in the world to rebuild: make it on purpose."""
    assert Recipe().fingerprint == "eccf8457a7ab916f"


# --- budgets ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("base", "given_", "expected"),
    [
        (Budget(), (None, None, None), Budget()),
        (Budget(), (None, 128, None), Budget(120, 128)),
        (Budget(), (None, 500, None), Budget(468, 500)),
        (Budget(), (None, 2048, None), Budget(1920, 2048)),
        (Budget(), (100, None, None), Budget(100, 512)),
        (Budget(), (512, None, None), Budget(512, 512)),
        (Budget(), (960, None, None), Budget(960, 1024)),
        (Budget(), (10, 4000, None), Budget(10, 4000)),
        (Budget(), (None, None, 60), Budget(480, 512, 60)),
        (Budget(480, 512, 64), (None, 128, None), Budget(120, 128, 16)),
        (Budget(480, 512, 64), (None, 1024, None), Budget(960, 1024, 64)),
        (Budget(480, 512, 64), (30, None, None), Budget(30, 512, 30)),
        (Budget(480, 512, 64), (120, 128, 100), Budget(120, 128, 100)),
        (Budget(1, 512), (None, 16, None), Budget(1, 16)),
    ],
)
def test_what_is_not_given_keeps_its_proportion(
    base: Budget, given_: tuple[int | None, int | None, int | None], expected: Budget
) -> None:
    assert budget_for(base, *given_) == expected


@pytest.mark.parametrize(
    ("given_", "path"),
    [
        ((None, 15, None), "$.budget.limit"),
        ((None, 0, None), "$.budget.limit"),
        ((None, -512, None), "$.budget.limit"),
        ((0, None, None), "$.budget.target"),
        ((-1, None, None), "$.budget.target"),
        ((200, 100, None), "$.budget.target"),
        ((None, None, 481), "$.budget.floor"),
        ((None, None, -1), "$.budget.floor"),
        ((None, 128, 121), "$.budget.floor"),
    ],
)
def test_a_budget_that_cannot_hold_is_refused(given_: tuple[int | None, int | None, int | None], path: str) -> None:
    with pytest.raises(BudgetError) as caught:
        budget_for(Budget(), *given_)
    assert caught.value.path == path


@given(budgets(), st.integers(SMALLEST_LIMIT, 10**6))
def test_any_limit_works_alone(base: Budget, limit: int) -> None:
    budget = budget_for(base, None, limit, None)
    assert budget.limit == limit
    assert budget.floor <= base.floor
    assert budget_for(base, None, base.limit, None) == base


@given(budgets(), st.integers(1, 10**6))
def test_any_target_works_alone(base: Budget, target: int) -> None:
    budget = budget_for(base, target, None, None)
    assert budget.target == target
    assert budget.limit >= base.limit
    assert (budget.limit == base.limit) == (target <= base.limit)


@given(st.sampled_from(sorted(PRESETS)), st.integers(SMALLEST_LIMIT, 10**6))
def test_any_limit_works_with_any_preset(name: str, limit: int) -> None:
    base = preset(name)
    recipe = resize(base, limit=limit)
    assert recipe.budget.limit == limit
    assert recipe.overlap.tokens <= base.overlap.tokens
    assert bool(recipe.overlap.tokens) == bool(base.overlap.tokens)


def test_overlap_shrinks_with_the_limit_so_that_both_fit() -> None:
    window = resize(preset("window"), limit=450)
    assert (window.budget.target, window.overlap.tokens) == (382, 67)


# --- the file, read --------------------------------------------------------------------------------------


def test_every_key_of_the_file() -> None:
    text = """
        preset = "packed"
        tokenizer = "cl100k_base"
        [budget]
        target = 300
        limit = 400
        floor = 20
        [cut]
        strategy = "structural"
        packer = "decay"
        sections = "hybrid"
        depth = 2
        window = 100
        decay = 1
        balance = 0.5
        [breadcrumb]
        enabled = true
        depth = 3
        [overlap]
        kind = "sentences"
        tokens = 30
        [parse]
        front_matter = "include"
        [estimate]
        bias = "code-heavy"
        [whole]
        list = 200
        [split]
        code = false
        [scores]
        h1 = 99
        lead-in = 0
    """
    assert from_mapping(tomllib.loads(text)) == Recipe(
        tokenizer="cl100k_base",
        bias="code-heavy",
        budget=Budget(300, 400, 20),
        packer="decay",
        window=100,
        decay=1.0,
        balance=0.5,
        sections="hybrid",
        depth=2,
        breadcrumb=True,
        breadcrumb_depth=3,
        breadcrumb_title=False,  # of the preset
        overlap=Overlap("sentences", 30),
        front_matter="include",
        whole={"list": 200},
        split={"code": False},
        scores={**SCORES, "h1": 99, "lead-in": 0},
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Recipe()),
        ("[cut]", Recipe()),
        ('preset = "window"', preset("window")),
        ("budget.limit = 128", Recipe(budget=Budget(120, 128))),
        ('budget.size = "small"', Recipe(budget=Budget(200, 256))),
        ('budget.size = "large"\nbudget.floor = 9', Recipe(budget=Budget(960, 1024, 9))),
        ('overlap.level = "low"', Recipe(overlap=Overlap("blocks", 24))),
        (
            'budget.limit = 128\noverlap.level = "high"',
            Recipe(budget=Budget(120, 128), overlap=Overlap("blocks", 18)),
        ),
        ('overlap = {level = "low", kind = "tokens"}', Recipe(overlap=Overlap("tokens", 24))),
        ('overlap.kind = "shadows"', Recipe(overlap=Overlap("shadows"))),
        ('preset = "packed"\noverlap.tokens = 9', replace(preset("packed"), overlap=Overlap("boundary", 9))),
        (
            'preset = "packed"\noverlap.kind = "boundary"',
            preset("packed"),
        ),
        ('preset = "packed"\noverlap.kind = "none"', replace(preset("packed"), overlap=Overlap())),
        (
            'preset = "packed"\noverlap.level = "low"',
            replace(preset("packed"), overlap=Overlap("blocks", 24)),
        ),
        (
            'preset = "knowledge-base"\nwhole.list = 9',
            replace(preset("knowledge-base"), whole={"list": 9, "table": 400}),
        ),
        ("scores.h1 = 1", Recipe(scores={**SCORES, "h1": 1})),
    ],
)
def test_the_file_changes_only_what_it_names(text: str, expected: Recipe) -> None:
    assert from_mapping(tomllib.loads(text)) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('budget.limit = "big"', 'expected int, got "big" - at `$.budget.limit`'),
        ("budget.limit = true", "expected int, got true - at `$.budget.limit`"),
        ("budget.limit = 1.5", "expected int, got 1.5 - at `$.budget.limit`"),
        ("budget.target = [1]", "expected int, got an array - at `$.budget.target`"),
        ("budget.floor = {}", "expected int, got a table - at `$.budget.floor`"),
        ("budget.limit = 1979-05-27", "expected int, got 1979-05-27 - at `$.budget.limit`"),
        (
            "budget.limit = 0x" + "f" * 9000,
            "expected int, got an int of more than 64 bits - at `$.budget.limit`",
        ),
        ("budget.limit = 3", "expected limit >= 16, got 3 - at `$.budget.limit`"),
        (
            "budget = {target = 20, limit = 16}",
            "expected 0 < target <= limit, got target=20 limit=16 - at `$.budget.target`",
        ),
        (
            'budget.size = "smal"',
            'expected one of small, medium, large, got "smal"; did you mean "small"? - at `$.budget.size`',
        ),
        (
            'budget = {size = "small", limit = 100}',
            "expected size, or target and limit, got both - at `$.budget.size`",
        ),
        ("budget = 512", "expected a table, got 512 - at `$.budget`"),
        ("cut = [1]", "expected a table, got an array - at `$.cut`"),
        ("limit = 128", "expected limit in [budget], got it here - at `$.limit`"),
        ("cut.limit = 128", "expected limit in [budget], got it here - at `$.cut.limit`"),
        (
            'cut.pakcer = "fill"',
            "expected one of strategy, signal, packer, window, decay, balance, sections, depth, "
            'got "pakcer"; did you mean "packer"? - at `$.cut.pakcer`',
        ),
        (
            'cut.packer = "Fill"',
            'expected one of optimal, fill, decay, got "Fill"; did you mean "fill"? - at `$.cut.packer`',
        ),
        ("cut.packer = 3", "expected one of optimal, fill, decay, got 3 - at `$.cut.packer`"),
        ('"a b" = 1', ', got "a b" - at `$."a b"`'),
        ("[budgets]", '; did you mean "budget"? - at `$.budgets`'),
        ("tokenizer = 3", "expected a non-empty string, got 3 - at `$.tokenizer`"),
        ("preset = 3", "expected a non-empty string, got 3 - at `$.preset`"),
        ('preset = "pakced"', 'got "pakced"; did you mean "packed"? - at `$.preset`'),
        ("breadcrumb = false", "expected a table, got false - at `$.breadcrumb`"),
        ("breadcrumb.enabled = 1", "expected bool, got 1 - at `$.breadcrumb.enabled`"),
        ("whole.lists = 1", '; did you mean "list"? - at `$.whole.lists`'),
        ('whole.list = "x"', 'expected int >= 0, got "x" - at `$.whole.list`'),
        ("split.code = 0", "expected bool, got 0 - at `$.split.code`"),
        ("scores.h1 = 101", "expected int 0..100, got 101 - at `$.scores.h1`"),
        ("scores.hh1 = 1", '; did you mean "h1"? - at `$.scores.hh1`'),
        ("overlap.tokens = true", "expected a kind beside tokens"),
        ('overlap = {kind = "blocks", tokens = true}', "expected int >= 0, got true - at `$.overlap.tokens`"),
        ('overlap = {kind = "blocks", tokens = 512}', "expected overlap < limit (512), got 512"),
        ("overlap.kind = [1]", ", got an array - at `$.overlap.kind`"),
        ("overlap.tokens = 9", 'expected a kind beside tokens, such as kind = "blocks", got none'),
        (
            'overlap = {level = "low", tokens = 9}',
            "expected level or tokens, got both - at `$.overlap.level`",
        ),
        ("overlap.level = 1", "expected one of low, medium, high, got 1 - at `$.overlap.level`"),
        ('overlap = {level = "low", kind = "blocks ", tokens = 1}', "expected level or tokens"),
    ],
)
def test_errors_name_expectation_reality_file_and_place(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        from_mapping(tomllib.loads(text), "seamline.toml")
    assert str(caught.value).startswith("seamline.toml: expected ")
    assert message in str(caught.value)
    assert caught.value.path.startswith("$.")
    with pytest.raises(ConfigError, match=r"\Aexpected "):
        from_mapping(tomllib.loads(text))


def test_a_named_budget_error_stays_one() -> None:
    with pytest.raises(BudgetError) as caught:
        from_mapping({"budget": {"limit": 3}}, "x.toml")
    assert caught.value.path == "$.budget.limit"
    assert str(caught.value) == "x.toml: expected limit >= 16, got 3 - at `$.budget.limit`"


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ("[budget]\nlimit = = 3\n", "line 2, column 9"),
        ("[budget]\nlimit = ", "line 2, column 9"),
        ("a = [1,\n2", "line 2, column 2"),
        ("[cut]\n[cut]\n", "line 2, column 5"),
    ],
)
def test_syntax_errors_name_line_and_column(tmp_path: Path, content: str, place: str) -> None:
    file = tmp_path / "seamline.toml"
    file.write_text(content)
    with pytest.raises(ConfigError) as caught:
        load_recipe(file)
    assert str(caught.value).startswith(f"{file}: expected TOML, got ")
    assert place in str(caught.value)


@pytest.mark.parametrize("content", ["a = " + "[" * 100_000, "a = " + "9" * 5000])
def test_hostile_toml_is_an_error_for_people(tmp_path: Path, content: str) -> None:
    file = tmp_path / "seamline.toml"
    file.write_text(content)
    with pytest.raises(ConfigError, match="expected TOML, got "):
        load_recipe(file)


def test_a_file_that_cannot_be_read_comes_with_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such file; check the path"):
        load_recipe(tmp_path / "none.toml")
    with pytest.raises(ConfigError, match=r"got a directory; name the seamline\.toml inside it"):
        load_recipe(tmp_path)
    with pytest.raises(ConfigError, match="check the path and its permissions"):
        load_recipe(Path("a\0b"))
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(ConfigError, match=r"cannot be read .*; check the path and its permissions"):
        load_recipe(loop)


def test_the_file_is_utf_8_with_or_without_a_bom(tmp_path: Path) -> None:
    file = tmp_path / "seamline.toml"
    file.write_bytes("\ufefftokenizer = 'ü'".encode())
    assert load_recipe(file).tokenizer == "ü"
    file.write_bytes("# eins\n# für\n".encode("latin-1"))
    with pytest.raises(ConfigError, match="expected UTF-8, got other bytes in line 2; save it as UTF-8"):
        load_recipe(file)


def test_a_tokenizer_file_counts_from_the_folder_of_the_config(tmp_path: Path) -> None:
    file = tmp_path / "seamline.toml"
    file.write_text('tokenizer = "models/tokenizer.json"')
    assert load_recipe(file).tokenizer == str(tmp_path / "models" / "tokenizer.json")
    file.write_text('tokenizer = "/models/tokenizer.json"')
    assert load_recipe(file).tokenizer == "/models/tokenizer.json"
    file.write_text('tokenizer = "estimate"')
    assert load_recipe(file).tokenizer == "estimate"


def test_find_takes_the_nearest_file_upwards(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    top = tmp_path / "seamline.toml"
    top.touch()
    (tmp_path / "a" / "seamline.toml").mkdir()  # a folder of that name is not a config
    document = deep / "x.md"
    document.touch()
    assert find(deep) == find(document) == find(tmp_path) == top
    assert find(deep / ".." / "..") == top
    near = deep / "seamline.toml"
    near.touch()
    assert find(deep) == near


def test_find_may_find_nothing(tmp_path: Path) -> None:
    found = find(tmp_path)
    assert found is None or tmp_path not in found.parents


# --- the file, written -----------------------------------------------------------------------------------


@given(any_recipe())
def test_a_written_recipe_reads_back_equal(recipe: Recipe) -> None:
    again = from_mapping(tomllib.loads(to_toml(recipe)))
    assert again == recipe
    assert again.fingerprint == recipe.fingerprint


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_a_written_preset_loads_back_equal(tmp_path: Path, name: str) -> None:
    file = tmp_path / "seamline.toml"
    file.write_text(to_toml(preset(name)), encoding="utf-8")
    assert load_recipe(file) == preset(name)


def test_a_written_file_is_complete() -> None:
    data = tomllib.loads(to_toml(preset("knowledge-base")))
    assert set(data) == {"tokenizer", *TABLES} - {"split"}  # nothing is set there
    assert data["scores"] == dict(SCORES)
    assert data["overlap"] == {"kind": "shadows", "tokens": 60}


def test_a_path_that_utf_8_cannot_hold_is_not_written() -> None:
    with pytest.raises(ConfigError, match=r"- at `\$\.tokenizer`"):
        to_toml(Recipe(tokenizer="\udcff.json"))


def test_reading_toml_costs_nothing_until_a_file_is_read() -> None:
    code = "import sys, seamline.recipe.toml; print({'tomllib', 'difflib'} & sys.modules.keys())"
    run = subprocess.run(
        [sys.executable, "-S", "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        check=True,
        text=True,
    )
    assert run.stdout.strip() == "set()"
