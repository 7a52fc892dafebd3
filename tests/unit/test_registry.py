"""Parts of plugins: found by their entry points, used by name, never in the place of ours."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

import seamline
from seamline import registry
from seamline.embed import load as load_embedder
from seamline.errors import ConfigError, TrustError
from seamline.formats import format_of_suffix, walked_suffixes
from seamline.parse import parse_text
from seamline.plugins import report
from seamline.recipe.recipe import Recipe
from seamline.search.rerank import load_reranker
from seamline.store import open_store
from seamline.tokens import load as load_tokenizer
from seamline.trust.access import FoundModels, Trust, admit, trust_in
from seamline.trust.keys import Keys

CODE = """
from seamline.embed.hashing import HashEmbedder
from seamline.plugins import Block, Format, ParseResult, Signal

NOTES = Format("notes", "text/x-notes", (".nts",), "acme_parts:parse", is_text=True, is_proved=True)
WRONG = Format("wrong", "text/x-wrong", (".wrg",), "acme_parts:parse_wrongly", is_text=True, is_proved=True)


def parse(raw):
    return ParseResult(raw.text, [Block("paragraph", 0, len(raw.text.rstrip()))])


def parse_wrongly(raw):
    return ParseResult(raw.text, [Block("poem", 0, 1)])


def every_block(document, recipe, runtime):
    return Signal(forced=frozenset(block.start for block in document.blocks), firm=True)


def too_good(document, recipe, runtime):
    return Signal(score={0: 2.0})


class Words:
    additive = False

    def __init__(self, name, bias):
        self.name = name

    def count(self, text):
        return len(text.split())


def make_embedder(request):
    embedder = HashEmbedder()
    embedder.name = request.name
    return embedder


class Judge:
    def __init__(self, name):
        self.name = name

    def score(self, query, texts):
        return [0.5 for _ in texts]


class Nowhere:
    @staticmethod
    def open(url):
        raise RuntimeError(f"asked for {url}")
"""
ENTRY_POINTS = """
[seamline.formats]
notes = acme_parts:NOTES
wrong = acme_parts:WRONG
[seamline.strategies]
every-block = acme_parts:every_block
too-good = acme_parts:too_good
auto = acme_parts:every_block
[seamline.tokenizers]
acme-words = acme_parts:Words
[seamline.embedders]
acme = acme_parts:make_embedder
[seamline.rerankers]
acme-judge = acme_parts:Judge
[seamline.stores]
acme = acme_parts:Nowhere
[console_scripts]
acme = acme_parts:main
"""


@pytest.fixture
def acme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package that brings something of everything."""
    site = tmp_path / "site"
    install(site, "acme-parts", ENTRY_POINTS)
    (site / "acme_parts.py").write_text(textwrap.dedent(CODE))
    monkeypatch.setattr(registry, "trusted_entries", lambda: [str(site)])
    monkeypatch.syspath_prepend(str(site))
    registry._entry_points.cache_clear()
    yield
    registry._entry_points.cache_clear()
    sys.modules.pop("acme_parts", None)


def install(site: Path, name: str, entry_points: str, version: str = "1.0") -> None:
    folder = site / f"{name.replace('-', '_')}-{version}.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (folder / "entry_points.txt").write_text(entry_points)


def test_our_own_parts_need_no_look_at_entry_points(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def look() -> tuple[tuple[str, str, str, str], ...]:
        raise AssertionError("entry points were read")

    monkeypatch.setattr(registry, "_entry_points", look)
    page = tmp_path / "page.md"
    page.write_text("# A\n\nOne.\n\nTwo.\n")
    for strategy in registry.STRATEGIES.ours:
        assert seamline.chunk(page, strategy=strategy)
    assert seamline.chunk("A text. With sentences.", tokenizer="estimate")
    with seamline.open_index("memory:", config=seamline.IndexConfig(embedder="hash")) as index:
        index.add("a", "One.")
        assert index.search("one").hits


def test_a_strategy(acme: None) -> None:
    assert [chunk.body for chunk in seamline.chunk("One.\n\nTwo.\n", strategy="every-block")] == [(0, 4), (6, 10)]
    assert "every-block" in registry.names(registry.STRATEGIES)
    recipe = Recipe(strategies={"*.log": "every-block"})
    assert recipe.strategies["*.log"] == "every-block"


def test_a_strategy_that_nobody_has(acme: None) -> None:
    with pytest.raises(ConfigError, match=r'every-block.*did you mean "every-block"\?'):
        Recipe(strategy="every-blok")
    with pytest.raises(ConfigError, match="if it is that of a plugin, install its package"):
        Recipe(strategy="zzzzzz")


def test_what_a_strategy_says_is_checked(acme: None) -> None:
    with pytest.raises(ConfigError, match=r"strategy 'too-good' of the package acme-parts 1.0 failed .*scores of 0..1"):
        seamline.chunk("One.", strategy="too-good")


def test_a_name_of_ours_is_not_replaced(acme: None) -> None:
    found = registry.find(registry.STRATEGIES, "auto")
    assert found is None  # as ours: what it does depends on the document
    states = {str(state.plugin): state.problem for state in report()}
    said = states["the strategy 'auto' of the package acme-parts 1.0"]
    assert "seamline's own" in said
    assert "pip uninstall acme-parts" in said


def test_two_packages_with_one_name(acme: None, tmp_path: Path) -> None:
    install(tmp_path / "site", "other-parts", "[seamline.strategies]\nevery-block = acme_parts:every_block\n")
    registry._entry_points.cache_clear()
    with pytest.raises(ConfigError, match=r"acme-parts 1.0 has the name of .* other-parts 1.0, and neither is used"):
        Recipe(strategy="every-block")


def test_a_format(acme: None, tmp_path: Path) -> None:
    one = format_of_suffix(".nts")
    assert one is not None
    assert ".nts" in walked_suffixes()
    path = tmp_path / "a.nts"
    path.write_text("A note.\n")
    assert seamline.read(path).source.media_type == "text/x-notes"
    assert seamline.read(str(path)).text == "A note.\n"
    assert parse_text("A note.", media_type="notes").blocks[0].kind == "paragraph"


def test_what_a_parser_answers_is_checked(acme: None) -> None:
    with pytest.raises(ConfigError, match=r"format 'wrong' of the package acme-parts 1.0 failed .*got 'poem'"):
        parse_text("A", media_type="wrong")


def test_a_tokenizer(acme: None) -> None:
    assert load_tokenizer("acme-words:v2").count("one two") == 2
    assert load_tokenizer("acme-words:v2").name == "acme-words:v2"
    with pytest.raises(ConfigError, match="acme-words"):
        load_tokenizer("acme-wrods")


def test_an_embedder(acme: None) -> None:
    assert load_embedder("acme:small?x=1").name == "acme:small?x=1"
    with pytest.raises(ConfigError, match=r"openai:MODEL@URL, acme"):
        load_embedder("acne")


def test_a_reranker(acme: None) -> None:
    assert load_reranker("acme-judge:v1").name == "acme-judge:v1"


def test_a_store(acme: None) -> None:
    with pytest.raises(
        ConfigError, match=r"the store 'acme' of the package acme-parts 1.0 failed .*asked for acme://host"
    ):
        open_store("acme://host")
    with pytest.raises(ConfigError, match=r"nobody://: expected .*, acme://"):
        open_store("nobody://host")


def test_a_found_file_names_a_model_of_a_plugin_only_where_it_is_trusted(acme: None, tmp_path: Path) -> None:
    found = FoundModels(str(tmp_path), "seamline.toml", ("acme:http://elsewhere", "minilm"))
    access = admit(found, Trust(), Keys())
    access.require("minilm")
    with pytest.raises(TrustError, match=r"expected a model of a plugin .*it was not loaded"):
        access.require("acme:http://elsewhere")
    admit(found, trust_in(["acme:http://elsewhere"]), Keys()).require("acme:http://elsewhere")


def test_entry_points_of_the_current_folder_do_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "planted", "[seamline.strategies]\nplanted = planted:signal\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", str(tmp_path), *sys.path])
    registry._entry_points.cache_clear()
    assert not registry.is_known(registry.STRATEGIES, "planted")
    registry._entry_points.cache_clear()
