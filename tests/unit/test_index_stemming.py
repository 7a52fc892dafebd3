"""An index keeps the language of its stems and the release of its stemmer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from seamline.api.index import IndexConfig, open_index
from seamline.errors import MissingExtra, StoreError
from seamline.index import config as index_config
from seamline.text import stemming
from seamline.text.stemming import LANGUAGES, load_stemmer

snowballstemmer = pytest.importorskip("snowballstemmer", reason="the extra stemming is not installed")
GERMAN = IndexConfig(embedder="hash", stemming="german")


def test_every_language_has_a_stemmer() -> None:
    assert {*LANGUAGES} <= {*snowballstemmer.algorithms()}


def test_an_english_index_records_what_it_did_before(tmp_path: Path) -> None:
    with open_index(tmp_path / "index", config=IndexConfig(embedder="hash")) as index:
        assert index.settings.options == {"hierarchy": "yes"}
        assert index.settings.stemming == "english"


def test_a_question_finds_other_forms_of_its_words(tmp_path: Path) -> None:
    with open_index(tmp_path / "index", config=GERMAN) as index:
        index.add_many([("a", "Häuser am Fluss."), ("b", "Regen am Morgen."), ("c", "Ein Boot.")])
        found = index.search("das Haus", k=1)
        assert [hit.entry.doc for hit in found.hits] == ["a"]
        assert found.hits[0].why.bm25 is not None
    with open_index(tmp_path / "index") as again:
        assert again.settings.stemming == "german"


def test_another_language_is_refused(tmp_path: Path) -> None:
    open_index(tmp_path / "index", config=GERMAN).close()
    with pytest.raises(StoreError, match="with stems of another language: index into another place"):
        open_index(tmp_path / "index", config=replace(GERMAN, stemming="french"))
    with pytest.raises(StoreError, match="with stems of another language"):
        open_index(tmp_path / "index", config=replace(GERMAN, stemming="english"))


def test_another_release_of_the_stemmer_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_index(tmp_path / "index", config=GERMAN).close()
    monkeypatch.setattr(index_config, "stemmer_version", lambda language: "9.9")
    with pytest.raises(StoreError, match=r"and 9\.9 is installed: .* run `pip install 'snowballstemmer=="):
        open_index(tmp_path / "index")


def test_a_missing_package_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "snowballstemmer", None)
    load_stemmer.cache_clear()
    with pytest.raises(MissingExtra, match=r"seamline\[stemming\]"):
        stemming.stemmer_version("german")
    load_stemmer.cache_clear()
