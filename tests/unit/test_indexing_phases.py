"""An index run in two phases: all documents are found by words first, and by meaning then; what an interruption left
without vectors gets them from the next run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from seamline.api.index import Index
from seamline.embed.hashing import HashEmbedder
from seamline.errors import ProviderError
from seamline.index import update
from seamline.index.config import IndexConfig, settings_of
from seamline.index.sources import IndexSource
from seamline.index.update import Tools, UpdateReport
from seamline.pipeline import index
from seamline.recipe.recipe import Overlap, Recipe
from seamline.runtime import Runtime
from seamline.search.options import SearchOptions
from seamline.store.memory import MemoryStore
from seamline.testing.entries import plain
from seamline.tokens import load
from seamline.types import Budget

if TYPE_CHECKING:
    from seamline.records import Entry, Vector

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
RECIPE = Recipe(budget=Budget(target=60, limit=64), overlap=Overlap("shadows", 20))
CONFIG = IndexConfig(recipe=RECIPE, embedder="hash")


def page(number: int, parts: int = 4) -> str:
    return f"# Page {number}\n\n" + "\n\n".join(
        f"## Part {part}\n\nWord{number}x{part} stands here. " + "It goes on for a while. " * (part * 3)
        for part in range(parts)
    )


FILES = {f"{number}.md": page(number) for number in range(6)}


class Embedding:
    """The hashing embedder: it keeps what it read, and fails when it is told to."""

    name, dimensions, fingerprint = HashEmbedder().name, HashEmbedder().dimensions, HashEmbedder().fingerprint

    def __init__(self) -> None:
        self.read: list[list[str]] = []
        self.fails_at = -1
        self.too_large = "nothing"

    def embed(self, texts: Sequence[str]) -> Vector:
        if any(self.too_large in text for text in texts):
            raise MemoryError
        if len(self.read) == self.fails_at:
            raise ProviderError("the service is away")
        self.read.append([*texts])
        return HashEmbedder().embed(texts)


@dataclass
class Heard:
    """What a watcher was told, in order."""

    said: list[str] = field(default_factory=list)

    def document(self, done: int, total: int, doc: str) -> None:
        self.said.append("document")

    def written(self, docs: Sequence[str]) -> None:
        self.said.append("written")

    def embedding(self, done: int, total: int) -> None:
        self.said.append(f"{done}/{total}")


@pytest.fixture
def tools() -> Tools:
    return Tools(RECIPE, Runtime(load("o200k_base")), Embedding())


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore(settings_of(CONFIG, HashEmbedder()))


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(update, "TEXTS", 8)
    monkeypatch.setattr(update, "WINDOW", 20)


def run(
    store: MemoryStore, tools: Tools, files: Mapping[str, str] = FILES, watcher: Heard | None = None
) -> UpdateReport:
    candidates = [IndexSource(name, lambda text=text: text.encode()) for name, text in files.items()]  # type: ignore[misc]
    return index(store, candidates, tools, covers=lambda doc: True, now=NOW, watcher=watcher)


def embedder_of(tools: Tools) -> Embedding:
    assert isinstance(tools.embedder, Embedding)
    return tools.embedder


def entries(store: MemoryStore) -> list[Entry]:
    with store.reader() as reader:
        return list(reader.select(vectors=True))


def missing(store: MemoryStore) -> int:
    with store.reader() as reader:
        return reader.count_missing_vectors(levels=None)


def test_all_documents_are_written_before_the_first_text_is_embedded(store: MemoryStore, tools: Tools) -> None:
    heard = Heard()
    report = run(store, tools, watcher=heard)
    total = len(entries(store))
    assert heard.said.index(f"0/{total}") > max(n for n, said in enumerate(heard.said) if said == "written")
    assert heard.said[-1] == f"{total}/{total}"
    assert (missing(store), report.embedded, report.cached) == (0, total, 0)
    assert report.chunks == sum(entry.level == 0 for entry in entries(store))


def test_batches_have_texts_of_about_the_same_length(store: MemoryStore, tools: Tools) -> None:
    run(store, tools)
    windows = [len(text) for batch in embedder_of(tools).read for text in batch]
    for start in range(0, len(windows), 20):
        part = windows[start : start + 20]
        assert part == sorted(part, reverse=True)
    assert all(len(batch) <= 8 for batch in embedder_of(tools).read)


def test_a_run_that_failed_between_batches_goes_on_without_a_change(store: MemoryStore, tools: Tools) -> None:
    whole = MemoryStore(store.settings)
    run(whole, tools)
    embedder_of(tools).read, embedder_of(tools).fails_at = [], 2
    with pytest.raises(ProviderError):
        run(store, tools)
    total = len(entries(store))
    assert len(entries(whole)) == total
    assert missing(store) == total - 16
    embedder_of(tools).fails_at = -1
    report = run(store, tools)
    assert (report.unchanged, report.touched, report.embedded) == (6, 0, total - 16)
    assert [plain(one) for one in entries(store)] == [plain(one) for one in entries(whole)]
    again = run(store, tools)
    assert (again.chunks, again.embedded) == (0, 0)


def test_an_edit_between_the_phases(store: MemoryStore, tools: Tools) -> None:
    embedder_of(tools).fails_at = 1
    with pytest.raises(ProviderError):
        run(store, tools)
    embedder_of(tools).fails_at = -1
    files = {**FILES, "0.md": page(0).replace("Word0x1", "Edited"), "9.md": page(9)}
    del files["1.md"]
    run(store, tools, files)
    whole = MemoryStore(store.settings)
    run(whole, tools, files)
    assert missing(store) == 0
    assert [plain(one) for one in entries(store)] == [plain(one) for one in entries(whole)]


def test_summaries_of_a_dual_index_get_their_vectors_in_the_second_phase(tools: Tools) -> None:
    store = MemoryStore(settings_of(replace(CONFIG, dual=True), HashEmbedder()))
    tools = replace(tools, dual=True)
    embedder_of(tools).fails_at = 0
    with pytest.raises(ProviderError):
        run(store, tools)
    assert all(one.vector is None and one.summary_vector is None for one in entries(store))
    embedder_of(tools).fails_at = -1
    run(store, tools)
    assert all((one.summary_vector is not None) == bool(one.summary) for one in entries(store))
    assert missing(store) == 0


def test_a_text_that_takes_too_much_memory_stays_without_a_vector(store: MemoryStore, tools: Tools) -> None:
    embedder_of(tools).too_large = "Word2x3"
    report = run(store, tools)
    assert {failure.doc for failure in report.failures} == {"2.md"}
    lacking = [one for one in entries(store) if one.vector is None]
    assert lacking
    assert all("Word2x3" in one.searched for one in lacking)
    embedder_of(tools).too_large = "nothing"
    assert run(store, tools).chunks == sum(one.level == 0 for one in lacking)
    assert missing(store) == 0


def test_a_search_says_which_share_has_vectors(store: MemoryStore, tools: Tools) -> None:
    embedder_of(tools).fails_at = 1
    with pytest.raises(ProviderError):
        run(store, tools)
    found = Index(store, HashEmbedder(), Path())
    chunks = [one for one in entries(store) if one.level == 0]
    having = sum(one.vector is not None for one in chunks)
    said = f"meaning: {100 * having // len(chunks)}% of the chunks have vectors so far; run `seamline index` to go on"
    for results in (found.search("Word5x0"), found.search("Word5x0"), found.context("Word5x0")):
        assert [(notice.code, notice.message) for notice in results.notices] == [("vectors-missing", said)]
    assert found.search("Word5x0").hits[0].entry.doc == "5.md"
    assert found.search("Word5x0", options=SearchOptions(legs="bm25")).notices == ()
    assert found.missing_vectors() == found.stats().missing_vectors == len(chunks) - having
    assert list(found.verify()) == []
    embedder_of(tools).fails_at = -1
    run(store, tools)
    assert found.search("Word5x0").notices == ()
    assert found.missing_vectors() == 0
