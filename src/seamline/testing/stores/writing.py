"""Contract, part 1: what is written is there, wholly or not at all, and comes back as it was; and after any sequence of
changes, a store answers as the store in memory does."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seamline.errors import StoreError
from seamline.filters.tree import Filter
from seamline.protocols import Store
from seamline.records import Change, Entry, MetaValue, Scored
from seamline.store import codec
from seamline.store.memory import MemoryStore
from seamline.testing.entries import (
    AXES,
    DOCS,
    NOON,
    SETTINGS,
    WEIRD,
    change,
    changed,
    entries,
    entry,
    erase,
    filters,
    plain,
    revise,
    texts,
)
from seamline.testing.stores.site import (
    CLOSE,
    RELATIVE,
    ExpectedStore,
    Site,
    StoreTests,
    alike,
    put,
    put_entries,
    stored,
    tidy,
    write,
)

OTHER_SETTINGS = {
    "schema": 999,
    "fingerprint": "another",
    "embedder": "another",
    "dimensions": 16,
    "embedding": "another",
    "analyzer": 999,
    "dual": False,
    "options": {},
}
METAS: dict[str, MetaValue] = {
    "text": "infra",
    "empty": "",
    "number": 3.0,
    "fraction": -0.1,
    "huge": 1e300,
    "endless": float("inf"),
    "nan": float("nan"),
    "yes": True,
    "no": False,
    "time": datetime(1999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
    "first": datetime(1, 1, 1, tzinfo=UTC),
    "last": datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
    "list": ("a", "", "'b'"),
    "none": (),
    "": "a field without a name",
    "a.b": "dots",
}
BASE = entry("a.md", "the body")
VARIANTS: dict[str, Entry] = {
    "plain": BASE,
    "empty text": entry("a.md", ""),
    "lead and tail": entry("a.md", "x = 1", lead="# H\n\n```\n", tail="\n```"),
    "a megabyte": entry("a.md", "word ' \x00 ü " * 90_000),
    "no path": replace(BASE, path=()),
    "empty headings": replace(BASE, path=("", "")),
    "deep path": replace(BASE, path=tuple(f"level {n}" for n in range(60))),
    "no vector": replace(BASE, vector=None),
    "both vectors": replace(BASE, summary_vector=AXES[3]),
    "only a summary vector": replace(BASE, vector=None, summary_vector=AXES[-1]),
    "a vector of odd bits": replace(BASE, vector=np.array([-0.0, 1e-45, 0.6, -0.8, 0, 0, 1e-20, 0], dtype=np.float32)),
    "smallest sketch": replace(BASE, sketch=-(2**63)),
    "largest sketch": replace(BASE, sketch=2**63 - 1),
    "many tokens": replace(BASE, tokens=2**31 - 1),
    "no creation": replace(BASE, created_at=None),
    "creation long ago": replace(BASE, created_at=datetime(1, 1, 1, tzinfo=UTC)),
    "creation far ahead": replace(BASE, created_at=datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)),
    "creation before 1970": replace(BASE, created_at=datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)),
    "coherence": replace(BASE, coherence=1 / 3, authority=0.1),
    "zero coherence": replace(BASE, coherence=0.0, authority=0.0),
    "shadows": replace(BASE, before="… before", after="after …", summary="In short."),
    "a section": replace(entry("a.md", "summary of it", level=3), parent="b" * 24),
    "all kinds of front matter": replace(BASE, meta=METAS),
    "much front matter": replace(BASE, meta={f"field {n}": float(n) for n in range(200)}),
}


def weird(text: str) -> Entry:
    """An entry that holds this text wherever it can."""
    made = entry(f"doc {text}", f"body {text}", lead=text, tail=text)
    return replace(
        made,
        id=f"id {text}",
        parent=text,
        kind=text,
        title=text,
        path=(text, "", text),
        language=text,
        summary=text,
        before=text,
        after=text,
        meta={text: text, f"list {text}": (text, text)},
    )


def _invalid() -> dict[str, Callable[[Change], Change]]:
    """Ways to break the second change of `b.md`, which has the bodies `one` and `two`, and is to get `one`, `three`."""
    stranger = entry("c.md", "stranger")
    return {
        "an older base": lambda c: replace(c, base=0),
        "a newer base": lambda c: replace(c, base=2),
        "another number": lambda c: replace(c, version=c.version and replace(c.version, number=3)),
        "a head of another number": lambda c: replace(c, head=replace(c.head, version=5)),
        "a version of another document": lambda c: replace(c, version=c.version and replace(c.version, doc="c.md")),
        "an entry of another document": lambda c: replace(c, put=(*c.put, stranger)),
        "an entry without a place": lambda c: replace(c, put=(*c.put, entry("b.md", "four"))),
        "a place without an entry": lambda c: replace(c, put=()),
        "an entry twice": lambda c: replace(c, put=c.put * 2),
        "nothing dropped": lambda c: replace(c, drop=()),
        "too much dropped": lambda c: replace(c, drop=(*c.drop, entry("b.md", "one").id)),
        "a drop of nothing": lambda c: replace(c, drop=(*c.drop, "nobody")),
        "a wrong count": lambda c: replace(c, head=replace(c.head, entries=7)),
        "a wrong count of chunks": lambda c: replace(c, head=replace(c.head, chunks=1)),
        "a short vector": lambda c: replace(c, put=tuple(replace(e, vector=e.vector[:3]) for e in c.put)),
        "a vector that is not of length 1": lambda c: replace(
            c, put=tuple(replace(e, vector=np.full(8, np.nan, dtype=np.float32)) for e in c.put)
        ),
        "an authority above all": lambda c: replace(c, put=tuple(replace(e, authority=float("inf")) for e in c.put)),
        "an authority that is no number": lambda c: replace(
            c, put=tuple(replace(e, authority=float("nan")) for e in c.put)
        ),
        "a coherence below 0": lambda c: replace(c, put=tuple(replace(e, coherence=-0.1) for e in c.put)),
        "a number that no float holds": lambda c: replace(
            c, put=tuple(replace(e, meta={"score": 10**400}) for e in c.put)
        ),
        "a living head without a version": lambda c: replace(c, version=None),
        "a deletion that leaves entries": lambda c: replace(
            c, version=None, put=(), head=replace(c.head, version=1, deleted=True, entries=0, chunks=0, tokens=0)
        ),
    }


INVALID = _invalid()


class WritingContract(StoreTests):
    """Settings, entries, transactions."""

    def test_settings_are_kept(self, site: Site) -> None:
        site.open(SETTINGS).close()
        again = site.open(SETTINGS)
        assert again.settings == SETTINGS
        again.close()

    @pytest.mark.parametrize("name", OTHER_SETTINGS)
    def test_a_store_made_with_other_settings_is_refused(self, site: Site, name: str) -> None:
        site.open(SETTINGS).close()
        other = replace(SETTINGS, **{name: OTHER_SETTINGS[name]})  # type: ignore[arg-type]
        with pytest.raises(StoreError, match=name):
            site.open(other)
        site.open(SETTINGS).close()

    def test_an_empty_store_answers_everything(self, store: Store) -> None:
        with store.reader() as reader:
            assert reader.near(AXES[0], 5) == []
            assert reader.near(AXES[0], 5, of="summary", levels=None) == []
            assert reader.matching("anything", 5) == []
            assert reader.entries(["nobody"]) == {}
            assert list(reader.select()) == []
            assert (reader.count(), reader.count(levels=None)) == (0, 0)
            assert (reader.head("a.md"), reader.version("a.md", 1), reader.owner("nobody")) == (None, None, None)
            assert (list(reader.heads()), reader.versions("a.md")) == ([], [])
            assert (dict(reader.digests("a.md")), dict(reader.checksums("a.md")), dict(reader.seals("a.md"))) == (
                {},
            ) * 3
        assert list(store.verify()) == []
        assert store.size() >= 0
        assert store.url

    @pytest.mark.parametrize("name", VARIANTS)
    def test_an_entry_comes_back_as_it_was(self, store: Store, name: str) -> None:
        made = VARIANTS[name]
        put_entries(store, made.doc, [made])
        self._returns(store, made)

    @pytest.mark.parametrize("text", WEIRD, ids=ascii)
    def test_any_text_comes_back_as_it_was(self, store: Store, text: str) -> None:
        made = weird(text)
        put_entries(store, made.doc, [made])
        self._returns(store, made)
        with store.reader() as reader:
            head = reader.head(made.doc)
            assert head is not None
            assert head.doc == made.doc
            assert reader.owner(made.id) == made.doc

    def _returns(self, store: Store, made: Entry) -> None:
        with store.reader() as reader:
            assert plain(reader.entries([made.id], vectors=True)[made.id]) == plain(made)
            bare = replace(made, vector=None, summary_vector=None)
            assert plain(reader.entries([made.id])[made.id]) == plain(bare)
            assert [plain(one) for one in reader.select()] == [plain(bare)]
            assert [plain(one) for one in reader.select(vectors=True)] == [plain(made)]
            assert dict(reader.digests(made.doc)) == {made.id: codec.digest(made)}
            assert dict(reader.checksums(made.doc)) == {made.id: codec.checksum(made)}
        assert list(store.verify()) == []

    def test_only_what_a_change_names_is_touched(self, store: Store) -> None:
        first = put(store, "a.md", "one", "two", "three")
        with store.reader() as reader:
            edit = revise(reader, "a.md", entries("a.md", "one", "2", "three"))
        assert (len(edit.put), len(edit.drop)) == (1, 1)
        write(store, edit)
        with store.reader() as reader:
            found = stored(reader)
            assert {one.body for one in found.values()} == {"one", "2", "three"}
            assert plain(found[first[0].id]) == plain(first[0])

    def test_an_entry_is_replaced_under_its_id(self, store: Store) -> None:
        (old,) = put(store, "a.md", "same body")
        new = replace(old, path=("Elsewhere",), vector=AXES[7], meta={"k": "v"}, updated_at=NOON + timedelta(days=1))
        put_entries(store, "a.md", [new])
        with store.reader() as reader:
            assert [plain(one) for one in reader.select(vectors=True)] == [plain(new)]

    def test_entries_of_other_documents_stay(self, store: Store) -> None:
        put(store, "a.md", "one")
        (other,) = put(store, "b.md", "one")
        put(store, "a.md", "changed")
        with store.reader() as reader:
            assert plain(reader.entries([other.id], vectors=True)[other.id]) == plain(other)
            assert reader.count() == 2

    def test_a_document_without_entries_is_one(self, store: Store) -> None:
        put(store, "a.md")
        with store.reader() as reader:
            head = reader.head("a.md")
            assert head is not None
            assert (head.version, head.entries, head.deleted) == (1, 0, False)
        assert list(store.verify()) == []

    def test_heads_are_by_name_and_as_written(self, store: Store) -> None:
        docs = ["b.md", "a.md", "Z.md", "ä.md", "\U0001f600.md", "\uffee.md", "a.md/b"]
        written = [change(doc, entries(doc, "x", "y")) for doc in docs]
        write(store, *written)
        with store.reader() as reader:
            assert list(reader.heads()) == [one.head for one in sorted(written, key=lambda one: one.head.doc)]
            assert [reader.head(doc) for doc in docs] == [one.head for one in written]

    def test_changes_of_several_documents_come_together(self, store: Store) -> None:
        put(store, "old.md", "x")
        with store.reader() as reader:
            gone = erase(reader, "old.md", moved_to="new.md")
        write(store, gone, change("new.md", entries("new.md", "x")), change("more.md", entries("more.md", "y")))
        with store.reader() as reader:
            assert reader.head("old.md") == gone.head
            assert {one.doc for one in reader.select()} == {"new.md", "more.md"}
        assert list(store.verify()) == []

    @pytest.mark.parametrize("place", ["first", "between", "last"])
    @pytest.mark.parametrize("name", INVALID)
    def test_a_change_that_does_not_fit_is_refused_and_nothing_written(
        self, store: Store, name: str, place: str
    ) -> None:
        put(store, "b.md", "one", "two")
        with store.reader() as reader:
            broken = INVALID[name](revise(reader, "b.md", entries("b.md", "one", "three")))
            before = {id: plain(one) for id, one in stored(reader).items()}
        good = [change(doc, entries(doc, "good")) for doc in ("a.md", "x.md")]
        at = {"first": 0, "between": 1, "last": 2}[place]
        mark = store.generation()
        with store.writer() as writer, pytest.raises(StoreError, match=r"b\.md"):
            writer.apply([*good[:at], broken, *good[at:]])
        with store.reader() as reader:
            assert {id: plain(one) for id, one in stored(reader).items()} == before
            assert [head.doc for head in reader.heads()] == ["b.md"]
            assert reader.versions("b.md") == [1]
        assert store.generation() == mark
        assert list(store.verify()) == []

    def test_two_changes_of_one_document_are_refused(self, store: Store) -> None:
        with store.writer() as writer, pytest.raises(StoreError, match=r"a\.md"):
            writer.apply([change("a.md", entries("a.md", "1")), change("a.md", entries("a.md", "2"))])
        with store.reader() as reader:
            assert list(reader.heads()) == []

    def test_a_document_that_was_never_indexed_cannot_be_deleted(self, store: Store) -> None:
        head = replace(change("a.md", ()).head, version=0, deleted=True)
        with store.writer() as writer, pytest.raises(StoreError, match=r"a\.md"):
            writer.apply([Change(head, 0)])

    def test_a_writer_goes_on_after_a_refusal(self, store: Store) -> None:
        with store.writer() as writer:
            with pytest.raises(StoreError):
                writer.apply([replace(change("a.md", entries("a.md", "1")), base=4)])
            writer.apply([change("a.md", entries("a.md", "1"))])
        with store.reader() as reader:
            assert reader.count() == 1

    def test_no_changes_are_no_change(self, store: Store) -> None:
        put(store, "a.md", "x")
        mark = store.generation()
        write(store)
        assert store.generation() == mark

    def test_a_large_document_is_one_change(self, store: Store) -> None:
        made = put(store, "a.md", *(f"paragraph {n} of a long document" for n in range(1500)))
        with store.reader() as reader:
            assert reader.count() == len(made)
            assert {one.id for one in reader.select()} == {one.id for one in made}
            assert len(reader.entries([one.id for one in made])) == len(made)
        put(store, "a.md", "short now")
        with store.reader() as reader:
            assert reader.count(levels=None) == 1

    def test_everything_is_there_when_the_store_is_opened_again(self, site: Site) -> None:
        store = site.open(SETTINGS)
        for n, made in enumerate([weird(text) for text in WEIRD]):
            put_entries(store, made.doc, [replace(made, vector=AXES[n])])
        put(store, "gone.md", "x")
        with store.reader() as reader:
            gone = erase(reader, "gone.md")
        write(store, gone)
        with store.reader() as reader:
            before = {id: plain(one) for id, one in stored(reader).items()}
            heads, near, matching = list(reader.heads()), reader.near(AXES[1], 9), reader.matching("body", 9)
        store.close()
        again = site.open(SETTINGS)
        with again.reader() as reader:
            assert {id: plain(one) for id, one in stored(reader).items()} == before
            assert list(reader.heads()) == heads
            assert alike(reader.near(AXES[1], 9), near)
            assert alike(reader.matching("body", 9), matching)
        assert list(again.verify()) == []
        again.close()


EXAMPLES = max(1, int(os.environ.get("SEAMLINE_EXAMPLES", "120")) // 6)
law = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)
LEVELS = ((0,), None, (1, 2))
ALL = 1_000_000


class StorePair:
    """The store under test and its model, led through the same changes."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self.store = site.open(SETTINGS)
        self.model: Store = MemoryStore(SETTINGS)

    def step(self, data: st.DataObject) -> None:
        """One random change, on both."""
        kind = data.draw(st.sampled_from(("edit",) * 3 + ("several", "delete", "rename", "vectors", "tidy", "reopen")))
        if kind == "tidy":
            tidy(self.store)
        elif kind == "vectors":
            self._add_vectors(data)
        elif kind == "reopen":
            self.store.close()
            self.store = self._site.open(SETTINGS)
        else:
            self._write(*getattr(self, f"_{kind}")(data))

    def _write(self, *changes: Change) -> None:
        if changes:
            write(self.store, *changes)
            write(self.model, *changes)

    def _add_vectors(self, data: st.DataObject) -> None:
        """Some of what lacks vectors gets them, in both."""
        with self.model.reader() as reader:
            lacking = sorted(reader.missing_vectors())
            chosen = [id for id in lacking if data.draw(st.booleans())]
            given = [replace(one, vector=AXES[2], summary_vector=AXES[3]) for one in reader.entries(chosen).values()]
        for store in (self.store, self.model):
            with store.writer() as writer:
                assert writer.add_vectors(given) == len(given)

    def _edit(self, data: st.DataObject, doc: str = "") -> list[Change]:
        doc = doc or data.draw(st.sampled_from(DOCS))
        numbers = data.draw(st.lists(st.integers(0, 5), max_size=4, unique=True))
        with self.model.reader() as reader:
            kept = {one.id: one for one in reader.select(vectors=True) if one.doc == doc}
            now = [kept.get(f"{doc}#{n}") if data.draw(st.booleans()) else data.draw(changed(doc, n)) for n in numbers]
            return [revise(reader, doc, [one for one in now if one is not None])]

    def _several(self, data: st.DataObject) -> list[Change]:
        return [change for doc in DOCS[:3] for change in self._edit(data, doc)]

    def _delete(self, data: st.DataObject) -> list[Change]:
        with self.model.reader() as reader:
            living = [head.doc for head in reader.heads() if not head.deleted]
            return [erase(reader, data.draw(st.sampled_from(living)))] if living else []

    def _rename(self, data: st.DataObject) -> list[Change]:
        with self.model.reader() as reader:
            living = [head.doc for head in reader.heads() if not head.deleted]
            if not living:
                return []
            old = data.draw(st.sampled_from(living))
            new = data.draw(st.sampled_from([doc for doc in DOCS if doc != old]))
            return [erase(reader, old, moved_to=new), *self._edit(data, new)]

    def compare(self, where: Filter | None, query: str, row: int, k: int) -> None:
        """Every answer of the two, side by side."""
        with self.store.reader() as ours, self.model.reader() as exact:
            assert list(ours.heads()) == list(exact.heads())
            assert sorted(ours.missing_vectors()) == sorted(exact.missing_vectors())
            assert [plain(e) for e in ours.select(where, vectors=True)] == [
                plain(e) for e in exact.select(where, vectors=True)
            ]
            for levels in LEVELS:
                assert ours.count(where, levels=levels) == exact.count(where, levels=levels)
                for of in ("text", "summary"):
                    options: dict[str, Any] = {"where": where, "levels": levels, "of": of}
                    hits = exact.near(AXES[row], ALL, **options)
                    ExpectedStore(hits, k, CLOSE).check(ours.near(AXES[row], k, **options))
            for doc in DOCS:
                assert dict(ours.digests(doc)) == dict(exact.digests(doc))
                assert ours.versions(doc) == exact.versions(doc)
                assert [ours.version(doc, n) for n in ours.versions(doc)] == [
                    exact.version(doc, n) for n in exact.versions(doc)
                ]
                assert [ours.owner(f"{doc}#{n}") for n in range(6)] == [exact.owner(f"{doc}#{n}") for n in range(6)]
        tidy(self.store)
        with self.store.reader() as ours, self.model.reader() as exact:
            for levels in LEVELS:
                words: list[Scored] = exact.matching(query, ALL, where=where, levels=levels)
                ExpectedStore(words, k, RELATIVE).check(ours.matching(query, k, where=where, levels=levels))
                every: list[Scored] = exact.matching(query, ALL, where=where, levels=levels, every=True)
                found = dict(ours.matching(query, ALL, where=where, levels=levels, every=True))
                # A store may find more: entries that hold the words, and not in a row.
                ExpectedStore(every, ALL, RELATIVE).check([one for one in every if one.id in found])
                assert all(found[id] == pytest.approx(score, rel=RELATIVE) for id, score in every)
        assert list(self.store.verify()) == []


class SequenceContract(StoreTests):
    """Random changes and queries against the model."""

    @law
    @given(data=st.data())
    def test_a_store_answers_as_its_model_does(self, sites: Callable[[], Site], data: st.DataObject) -> None:
        pair = StorePair(sites())
        for _ in range(data.draw(st.integers(1, 5))):
            for _ in range(data.draw(st.integers(1, 3))):
                pair.step(data)
            where = data.draw(st.one_of(st.none(), filters()))
            pair.compare(
                where, data.draw(texts()), data.draw(st.integers(0, len(AXES) - 1)), data.draw(st.integers(1, 9))
            )
        pair.store.close()
