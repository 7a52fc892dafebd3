"""An index keeps its promises on every store: nothing done twice, no citation broken, the same answers everywhere.

The stores are the one in memory, the embedded one and a real PostgreSQL server; the embedder is `hash`, counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from shutil import copytree
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from harness.postgres import shared_server
from seamline import Citation, Index, IndexConfig, SearchOptions, UpdateReport, open_index
from seamline.embed.hashing import HashEmbedder
from seamline.errors import ConfigError, StoreError
from seamline.filters.language import LONGEST
from seamline.index.config import settings_of
from seamline.recipe.recipe import Recipe
from seamline.search.rerank import Weights
from seamline.store import create_store
from seamline.types import Budget

if TYPE_CHECKING:
    from seamline.protocols import Store
    from seamline.records import Change, Entry, Vector

HANDBOOK = Path(__file__).parents[2] / "examples" / "handbook"
SHAPE = IndexConfig(Recipe(budget=Budget(target=120, limit=128)), "hash")
NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
QUESTIONS = (
    "why did the retry after a 429 fail",
    "rotate an API key",
    "who is on call at night",
    "webhook signature",
    "sk_live_",
    "認証",
)


class Counting:
    """The embedder `hash`, and how many texts it read."""

    def __init__(self) -> None:
        self._inner = HashEmbedder()
        self.name = self._inner.name
        self.dimensions = self._inner.dimensions
        self.fingerprint = self._inner.fingerprint
        self.texts = 0

    def embed(self, texts: Sequence[str]) -> Vector:
        self.texts += len(texts)
        return self._inner.embed(texts)


class Tokens(Counting):
    """The same, with a vector for each word that depends on all that is read with it."""

    threads = 1

    def token_room(self) -> int:
        return 300

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def token_vectors(self, text: str) -> Iterator[tuple[list[tuple[int, int]], Vector]]:
        words = list(re.finditer(r"\S+", text))
        rows = self._inner.embed([word[0] for word in words]) + self._inner.embed([text])
        yield [word.span() for word in words], rows


class Desk:
    """A folder of documents, the index of it, and a clock that moves with every run."""

    def __init__(self, folder: Path, address: str, shape: IndexConfig = SHAPE) -> None:
        self.folder = folder / "handbook"
        copytree(HANDBOOK, self.folder)
        self.embedder = Tokens() if shape.late else Counting()
        self.address = address
        self.index = Index(create_store(address, settings_of(shape, self.embedder)), self.embedder, folder)
        self._now = NOW

    def run(self) -> UpdateReport:
        self._now += timedelta(hours=1)
        return self.index.update([self.folder], now=self._now)

    def edit(self, name: str, old: str, new: str) -> None:
        path = self.folder / name
        text = path.read_bytes().decode()
        assert old in text
        path.write_bytes(text.replace(old, new, 1).encode())

    def citations(self) -> dict[str, Citation]:
        """Of all that stands in the index now, chunks and sections."""
        with self.index._store.reader() as reader:  # the public way to all of them would be a search for each
            found = {}
            for head in reader.heads():
                version = reader.version(head.doc, head.version)
                if head.deleted or version is None:
                    continue
                for place in version.places:
                    resolved = self.index.cite(f"{place.id}@{version.number}")
                    assert resolved.status == "current"
                    assert resolved.cited is not None
                    assert resolved.text == version.text[place.start : place.end]
                    found[place.id] = resolved.cited
            return found


STORES = ("memory", "embedded", "postgresql")


def a_desk(store: str, folder: Path, shape: IndexConfig = SHAPE) -> Desk:
    """A desk whose index is up to date."""
    addresses = {
        "memory": lambda: "memory:",
        "embedded": lambda: str(folder / ".seamline"),
        "postgresql": lambda: shared_server().url(query=f"schema=index_{uuid4().hex}"),
    }
    desk = Desk(folder, addresses[store](), shape)
    desk.run()
    return desk


@pytest.fixture(params=STORES)
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Desk]:
    """For tests that write."""
    desk = a_desk(request.param, tmp_path)
    yield desk
    desk.index.close()


@pytest.fixture(scope="module", params=STORES)
def read(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """For tests that only read."""
    desk = a_desk(request.param, tmp_path_factory.mktemp("read"))
    yield desk
    desk.index.close()


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """What every store is compared with."""
    desk = a_desk("memory", tmp_path_factory.mktemp("expected"))
    yield desk
    desk.index.close()


# --- nothing is done twice -----------------------------------------------------------------------------------


def test_an_unchanged_folder_costs_no_embedding_and_no_write(desk: Desk) -> None:
    before, read = desk.index._store.generation(), desk.embedder.texts
    for path in desk.folder.iterdir():
        path.touch()  # a later time of a file is no change of it
    report = desk.run()
    assert (report.unchanged, report.touched, report.written, report.dropped) == (report.documents, 0, 0, 0)
    assert (report.embedded, report.cached, desk.embedder.texts) == (0, 0, read)
    assert desk.index._store.generation() == before


def test_an_edit_of_one_paragraph_touches_the_chunk_it_is_in_and_breaks_no_citation(desk: Desk) -> None:
    before, read = desk.citations(), desk.embedder.texts
    desk.edit("webhooks.md", "parcels by calling", "parcels by ringing")
    report = desk.run()
    after = desk.citations()
    assert (report.changed, report.unchanged) == (1, report.documents - 1)
    gone = before.keys() - after.keys()
    assert len(gone) == 1, "the chunk with the word"
    assert desk.embedder.texts - read == report.embedded <= 3, "it, and the sections whose summaries quote it"
    for id, citation in before.items():
        resolved = desk.index.cite(citation.key)
        same = id in after and after[id].quote == citation.quote
        assert resolved.text == citation.quote
        assert resolved.status == ("current" if same else "edited"), citation
        assert "parcels by ringing" in resolved.now[0].quote or same


@pytest.mark.parametrize("store", STORES)
def test_after_an_edit_a_late_index_is_as_if_made_anew(store: str, tmp_path: Path) -> None:
    """Chunks that say what they said are written again, as what is read with them is not the same."""
    late = replace(SHAPE, late=True)
    edited, anew = (tmp_path / name for name in ("edited", "anew"))
    desk = a_desk(store, edited, late)
    desk.edit("webhooks.md", "ten seconds", "twenty seconds")
    report = desk.run()
    assert 2 <= report.chunks <= 8
    assert (report.changed, report.dropped) == (1, 1)
    assert desk.run().written == 0
    other = a_desk("memory", anew, late)
    other.edit("webhooks.md", "ten seconds", "twenty seconds")
    other.run()
    fresh = Index(create_store("memory:", settings_of(late, other.embedder)), other.embedder, anew)
    fresh.update([other.folder])
    found, expected = (_vectors(index) for index in (desk.index, fresh))
    assert found.keys() == expected.keys()
    assert max(abs(found[id] - expected[id]).max() for id in found) < 1e-6
    assert list(desk.index.verify()) == []
    desk.index.close()


def _vectors(index: Index) -> dict[str, Vector]:
    with index._store.reader() as reader:
        return {entry.id: entry.vector for entry in reader.select(vectors=True) if entry.vector is not None}


def test_an_insertion_above_moves_what_is_below_and_nothing_else(desk: Desk) -> None:
    before = desk.citations()
    desk.edit("webhooks.md", "\n## ", "\nA paragraph that was not here before.\n\n## ")
    desk.run()
    after = desk.citations()
    assert len(before.keys() - after.keys()) <= 1
    for id in before.keys() & after.keys():
        resolved = desk.index.cite(before[id].key)
        if "not here before" in after[id].quote:
            assert resolved.status == "edited"
            continue
        assert resolved.now[0].quote == before[id].quote
        assert resolved.status == ("current" if before[id].anchor == after[id].anchor else "moved")


def test_history_survives_fifty_edits(desk: Desk) -> None:
    said: dict[str, str] = {}
    for number in range(50):
        desk.edit("rate-limits.md", "\n## ", f"\nEdit number {number} of fifty says {number * 7}.\n\n## ")
        assert desk.run().changed == 1
        hits = desk.index.search(f"edit number {number} of fifty", k=3).hits
        said |= {hit.citation.key: hit.citation.quote for hit in hits}
    name = next(head.doc for head in desk.index.documents() if head.doc.endswith("rate-limits.md"))
    with desk.index._store.reader() as reader:
        assert list(reader.versions(name)) == list(range(1, 52))
        texts = {version.text for n in range(1, 52) if (version := reader.version(name, n))}
        assert len(texts) == 51
    assert len(said) > 50
    for key, quote in said.items():
        assert desk.index.cite(key).text == quote
    assert list(desk.index.verify()) == []


def test_a_rename_is_followed_and_a_deletion_is_told(desk: Desk) -> None:
    before = desk.citations()
    (desk.folder / "webhooks.md").rename(desk.folder / "hooks.md")
    (desk.folder / "deployment.md").unlink()
    report = desk.run()
    assert (report.added, report.removed, report.moved) == (1, 2, 1)
    for citation in before.values():
        resolved = desk.index.cite(citation.key)
        assert resolved.text == citation.quote
        if citation.doc.endswith("webhooks.md"):
            assert resolved.status == "moved"
            assert resolved.now[0].uri.endswith("hooks.md")
        elif citation.doc.endswith("deployment.md"):
            assert (resolved.status, resolved.now) == ("deleted", ())
        else:
            assert resolved.status == "current"


def test_a_document_that_comes_back_has_its_old_ids_and_a_new_version(desk: Desk) -> None:
    text = (desk.folder / "webhooks.md").read_bytes()
    before = {id: one for id, one in desk.citations().items() if one.doc.endswith("webhooks.md")}
    (desk.folder / "webhooks.md").unlink()
    desk.run()
    (desk.folder / "webhooks.md").write_bytes(text)
    assert desk.run().added == 1
    after = {id: one for id, one in desk.citations().items() if one.doc.endswith("webhooks.md")}
    assert after.keys() == before.keys()
    assert {one.version for one in after.values()} == {2}
    assert {desk.index.cite(one.key).status for one in before.values()} == {"current"}


# --- the same answers ----------------------------------------------------------------------------------------


OPTIONS = {
    "plain": SearchOptions(),
    "dense": SearchOptions(legs="dense"),
    "bm25": SearchOptions(legs="bm25"),
    "rrf": SearchOptions(fusion="rrf"),
    "z-score": SearchOptions(fusion="z-score"),
    "blend": SearchOptions(fusion="blend"),
    "min-max": SearchOptions(fusion="min-max"),
    "parents": SearchOptions(mode="parents"),
    "summary-first": SearchOptions(mode="summary-first"),
    "multi-level": SearchOptions(mode="multi-level"),
}
WHERE = (
    'language = "en"',
    'not language = "en"',
    'kind in ("code", "table") or tokens < 60',
    'doc starts "handbook/webhooks" and path has "Retries"',
    "updated_at >= 2024-01-01 and updated_at < 2024-01-02",
    "exists meta.owner",
)
HOSTILE = (
    "'; DROP TABLE entries; --",
    '") OR 1=1 --',
    "%s %(x)s {0} $1 ?",
    "id = id",
    "\x00\x01\u202e\ufeff",
    "\\' \\\" \\\\",
    "a" * 100_000,
    "<|endoftext|>",
)


@pytest.mark.parametrize("options", OPTIONS)
def test_a_search_finds_the_same_passages_in_the_same_order(read: Desk, expected: Desk, options: str) -> None:
    for question in QUESTIONS:
        found = read.index.search(question, k=8, options=OPTIONS[options]).hits
        wanted = expected.index.search(question, k=8, options=OPTIONS[options]).hits
        assert [(hit.entry.id, hit.ids, hit.text) for hit in found] == [(h.entry.id, h.ids, h.text) for h in wanted]
        assert [hit.score for hit in found] == pytest.approx([hit.score for hit in wanted], abs=1e-4)
        for hit in found:
            for citation in hit.citations:
                assert read.index.cite(citation.key).text == citation.quote


@pytest.mark.parametrize("where", WHERE)
def test_a_filter_lets_the_same_passages_through(read: Desk, expected: Desk, where: str) -> None:
    for question in QUESTIONS:
        found = read.index.search(question, k=20, where=where).hits
        wanted = expected.index.search(question, k=20, where=where).hits
        assert [hit.entry.id for hit in found] == [hit.entry.id for hit in wanted]


def test_a_context_is_the_same_and_keeps_its_budget(read: Desk, expected: Desk) -> None:
    for question in QUESTIONS:
        for budget in (100, 700):
            found = read.index.context(question, budget=budget)
            assert found.text == expected.index.context(question, budget=budget).text
            assert found.tokens <= budget


def test_stats_are_the_same(read: Desk, expected: Desk) -> None:
    found, wanted = read.index.stats(), expected.index.stats()
    assert replace(found, size=0, indexed_at=None) == replace(wanted, size=0, indexed_at=None)


# --- bad input -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hostile", HOSTILE, ids=range(len(HOSTILE)))
def test_no_text_is_taken_for_a_command(desk: Desk, hostile: str) -> None:
    before = desk.index.stats()
    assert len(desk.index.search(hostile, k=3).hits) <= 3
    desk.index.context(hostile, budget=200)
    quoted = hostile.replace("\\", "\\\\").replace('"', '\\"').replace("\x00", "\\0")
    if len(quoted) > LONGEST - 10:
        with pytest.raises(ConfigError, match="at most"):
            desk.index.search("retry", where=f'title = "{quoted}"')
    else:
        assert desk.index.search("retry", where=f'title = "{quoted}"').hits == ()
    assert desk.index.cite(hostile.replace("@", " ") or "x").status == "unknown"
    assert desk.index.stats() == before
    desk.index.add(f"odd/{hostile[:50]}.md".replace("\x00", ""), f"# {hostile[:2000]}\n\n{hostile[:2000]}\n")
    assert list(desk.index.verify()) == []


def test_a_wrong_filter_says_what_is_wrong(read: Desk) -> None:
    for where in ("colour = 1", "tokens = 'x'", "language = ", "1 = 1", "language = 'en' drop"):
        with pytest.raises(ConfigError):
            read.index.search("retry", where=where)


def test_an_index_of_another_model_or_recipe_is_refused_and_nothing_is_lost(desk: Desk, tmp_path: Path) -> None:
    if desk.address == "memory:":
        pytest.skip("an index in memory cannot be opened twice")
    before = desk.index.stats()
    place = desk.address
    for shape in (
        IndexConfig(SHAPE.recipe, "minilm"),
        IndexConfig(Recipe(), "hash"),
        IndexConfig(SHAPE.recipe, "hash", hierarchy=False),
    ):
        with pytest.raises(StoreError, match="another"):
            open_index(place, config=shape)
    with open_index(place, config=SHAPE) as again:
        assert again.stats() == before
    with open_index(place, config=IndexConfig(embedder="hash")) as unnamed:
        assert unnamed.recipe.budget == Budget(target=120, limit=128)


# --- a hostile number is a number like others, or none -------------------------------------------------------

NUMBERS = (
    *("1e999", "1.0e+999", "-1.0e+999", ".inf", "-.inf", ".nan", "1" + "0" * 400, "-0.0", "1.0e-400", "5.0e-324"),
    *(str(2**53 + 1), str(2**1024 - 1), "0.5", "7", "true", '"7"'),
)


def test_hostile_numbers_filter_and_rank_as_in_memory(desk: Desk, tmp_path: Path) -> None:
    desks = (desk, a_desk("memory", tmp_path / "expected"))
    for one in desks:
        for n, number in enumerate(NUMBERS):
            page = (
                f"---\nscore: {number}\nauthority: {number}\n---\n# Page {n}\n\nA hostile number, written {number}.\n"
            )
            one.index.add(f"numbers/{n:02}.md", page)
    for where in [f"meta.score {sign} {value}" for sign in ("=", "!=", "<", ">=") for value in FILTERED]:
        ours, theirs = (found(one, "hostile", f'doc starts "numbers/" and {where}') for one in desks)
        assert ours == theirs, where
    trusted = SearchOptions(legs="bm25", weights=Weights(relevance=0.0, authority=1.0))
    for query in ("hostile", "1e999", "hostile 7"):
        ours, theirs = (found(one, query, 'doc starts "numbers/"', trusted) for one in desks)
        assert ours == theirs
        assert max(score for _, score in ours) <= 0.5, "no page has more authority than it may claim"


FILTERED = ("1e999", "-1e999", "0", "-0.0", "1e-400", "5e-324", "7", str(2**53), str(2**53 + 1), "1" + "0" * 400)


def found(desk: Desk, query: str, where: str, options: SearchOptions | None = None) -> list[tuple[str, float]]:
    hits = desk.index.search(query, k=100, where=where, options=options or SearchOptions(legs="bm25")).hits
    return [(hit.citation.uri, round(hit.score, 4)) for hit in hits]


# --- a closed index says so ----------------------------------------------------------------------------------

USES: dict[str, Callable[[Desk], object]] = {
    "update": lambda desk: desk.run(),
    "add": lambda desk: desk.index.add("a.md", "# A\n"),
    "remove": lambda desk: desk.index.remove("handbook/webhooks.md"),
    "search": lambda desk: desk.index.search("retries"),
    "context": lambda desk: desk.index.context("retries"),
    "cite": lambda desk: desk.index.cite("0" * 24),
    "stats": lambda desk: desk.index.stats(),
    "documents": lambda desk: desk.index.documents(),
    "verify": lambda desk: desk.index.verify(),
    "with": lambda desk: desk.index.__enter__(),
}


def test_a_closed_index_says_so_and_closing_it_again_does_nothing(desk: Desk) -> None:
    desk.index.search("retries")  # its answer is known, and still not given after the end
    url, settings = desk.index.url, desk.index.settings
    with desk.index:
        pass
    desk.index.close()
    for use in USES.values():
        with pytest.raises(StoreError, match="this index was closed: open it again"):
            use(desk)
    assert (desk.index.url, desk.index.settings) == (url, settings)


# --- a rename is one change ----------------------------------------------------------------------------------


class Observed:
    """A store that is looked at after every transaction, and that can be killed before any or after any."""

    def __init__(self, store: Store, *, before: int = -1, after: int = -1) -> None:
        self._store = store
        self._before, self._after = before, after
        self.seen: list[set[str]] = []
        """The documents that a reader found after each transaction."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    @contextmanager
    def writer(self) -> Iterator[Observed]:
        with self._store.writer() as self._writer:
            yield self

    def apply(self, changes: Sequence[Change]) -> None:
        if len(self.seen) == self._before:
            raise Killed
        self._writer.apply(changes)
        self.seen.append(documents(self._store))
        if len(self.seen) == self._after + 1:
            raise Killed

    def add_vectors(self, entries: Sequence[Entry]) -> int:
        return self._writer.add_vectors(entries)

    def tidy(self) -> None:
        self._writer.tidy()


class Killed(BaseException):
    """What no handler catches."""


def documents(store: Store) -> set[str]:
    """The documents a reader finds, of which each has its chunks."""
    with store.reader() as reader:
        alive = {head.doc for head in reader.heads() if not head.deleted}
        assert {entry.doc for entry in reader.select()} == alive
        return alive


def sightings(desk: Desk, **killed: int) -> list[set[str]]:
    """One run; what stood in the index after each of its transactions."""
    watched = Observed(desk.index._store, **killed)
    desk.index._opened = watched  # type: ignore[assignment]
    try:
        desk.run()
    except Killed:
        pass
    finally:
        desk.index._opened = watched._store
    return [{Path(doc).name for doc in docs} for docs in watched.seen]


def test_no_reader_sees_a_renamed_document_twice_or_not_at_all(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seamline.index.update.DOCUMENTS", 1)  # each document in a transaction of its own
    (desk.folder / "webhooks.md").rename(desk.folder / "hooks.md")
    (desk.folder / "deployment.md").rename(desk.folder / "zz.md")
    (desk.folder / "new.md").write_text("# New\n\nA page.\n")
    seen = sightings(desk)
    assert len(seen) == 3
    for docs in seen:
        assert len(docs & {"webhooks.md", "hooks.md"}) == 1
        assert len(docs & {"deployment.md", "zz.md"}) == 1
    assert {"hooks.md", "zz.md", "new.md"} <= seen[-1]


@pytest.mark.parametrize("killed", [{"before": 0}, {"after": 0}, {"before": 1}])
def test_a_kill_leaves_the_old_name_or_the_new_one_and_the_next_run_goes_on(desk: Desk, killed: dict[str, int]) -> None:
    before = desk.citations()
    (desk.folder / "webhooks.md").rename(desk.folder / "hooks.md")
    (desk.folder / "deployment.md").unlink()
    sightings(desk, **killed)
    left = {Path(doc).name for doc in documents(desk.index._store)}
    assert len(left & {"webhooks.md", "hooks.md"}) == 1
    for citation in before.values():
        assert desk.index.cite(citation.key).text == citation.quote
    desk.run()
    assert {Path(doc).name for doc in documents(desk.index._store)} & {"webhooks.md", "hooks.md"} == {"hooks.md"}
    moved = [one for one in before.values() if one.doc.endswith("webhooks.md")]
    assert {desk.index.cite(one.key).status for one in moved} == {"moved"}


def test_copies_are_renamed_by_name(desk: Desk) -> None:
    text = "# Copy\n\nThe same page, several times.\n"
    for name in ("c1.md", "c2.md", "c3.md"):
        (desk.folder / name).write_text(text)
    desk.run()
    for name in ("c1.md", "c2.md", "c3.md"):
        (desk.folder / name).unlink()
    for name in ("d2.md", "d1.md"):
        (desk.folder / name).write_text(text)
    report = desk.run()
    assert (report.added, report.removed, report.moved) == (2, 3, 3)
    with desk.index._store.reader() as reader:
        heads = {Path(head.doc).name: head for head in reader.heads()}
    assert [Path(heads[name].moved_to).name for name in ("c1.md", "c2.md")] == ["d1.md", "d2.md"]
    assert Path(heads["c3.md"].moved_to).name in ("d1.md", "d2.md"), "no name of its own, but the text is there"
    (desk.folder / "d1.md").unlink()
    (desk.folder / "d2.md").rename(desk.folder / "e2.md")
    (desk.folder / "e1.md").write_text(text)
    (desk.folder / "e3.md").write_text(text)
    report = desk.run()
    assert (report.added, report.removed, report.moved) == (3, 2, 2)
    with desk.index._store.reader() as reader:
        heads = {Path(head.doc).name: head for head in reader.heads()}
    assert [Path(heads[name].moved_to).name for name in ("d1.md", "d2.md")] == ["e1.md", "e2.md"]
