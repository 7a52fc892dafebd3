"""Callers and callees across the files of an index, and the fields of code that an index keeps."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import seamline
from seamline.api.call_graph import CallStep
from seamline.api.index import Index
from seamline.errors import ConfigError
from seamline.recipe.recipe import Recipe

FILES = {
    "store.py": 'def open_store(path: str) -> dict:\n    """Open a store.\n\n    More."""\n    read_rows(path)\n',
    "rows.py": "def read_rows(path: str) -> dict:\n    return {}\n",
    "app.py": "from store import open_store\n\n\ndef start() -> None:\n    open_store('x')\n",
    "main.py": "from app import start\n\n\ndef run() -> None:\n    start()\n",
}


def config(**settings: object) -> seamline.IndexConfig:
    return seamline.IndexConfig(Recipe(**settings), embedder="hash")  # type: ignore[arg-type]


@pytest.fixture(scope="module", params=["memory:", "folder"])
def index(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder = tmp_path_factory.mktemp("code")
    for name, text in FILES.items():
        (folder / name).write_text(text)
    place = request.param if request.param == "memory:" else tmp_path_factory.mktemp("made") / "index"
    with seamline.open_index(place, config=config(strategy="code", enrich=("code",)), root=folder) as made:
        made.update([folder])
        yield made


def names(steps: list[CallStep]) -> list[tuple[str, str, int]]:
    return [(step.symbol, Path(step.doc).name, step.depth) for step in steps]


def test_callers_are_found_across_files(index: Index) -> None:
    assert names(index.callers("open_store")) == [("start", "app.py", 1)]
    assert names(index.callers("open_store", depth=2)) == [("start", "app.py", 1), ("run", "main.py", 2)]


def test_callees_are_found_across_files(index: Index) -> None:
    assert names(index.callees("start", depth=5)) == [("open_store", "store.py", 1), ("read_rows", "rows.py", 2)]


def test_steps_have_signature_and_docstring(index: Index) -> None:
    (step,) = index.callees("start")
    assert step.signature == "def open_store(path: str) -> dict"
    assert step.docstring == "Open a store."


def test_code_is_filtered_by_what_it_calls(index: Index) -> None:
    hits = index.search("store", where='calls has "open_store"').hits
    assert {Path(hit.doc).name for hit in hits} == {"app.py"}
    hits = index.search("store", where='signature contains "path: str" and docstring contains "Open"').hits
    assert {Path(hit.doc).name for hit in hits} == {"store.py"}


def test_unknown_names_and_indexes_without_facts_are_refused(index: Index) -> None:
    with pytest.raises(ConfigError, match="got 'nothing'"):
        index.callers("nothing")
    with seamline.open_index("memory:", config=config()) as plain, pytest.raises(ConfigError, match="--enrich code"):
        plain.callers("open_store")
