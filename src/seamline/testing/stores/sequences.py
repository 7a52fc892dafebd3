"""Contract, part 5: after any sequence of changes, a store answers as the store in memory does."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seamline.filters.tree import Filter
from seamline.protocols import Store
from seamline.records import Change, Scored
from seamline.store.memory import MemoryStore
from seamline.testing.entries import AXES, DOCS, SETTINGS, changed, erase, filters, plain, revise, texts
from seamline.testing.stores.site import CLOSE, RELATIVE, ExpectedStore, Site, StoreTests, tidy, write

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
        kind = data.draw(st.sampled_from(("edit", "edit", "edit", "several", "delete", "rename", "tidy", "reopen")))
        if kind == "tidy":
            tidy(self.store)
        elif kind == "reopen":
            self.store.close()
            self.store = self._site.open(SETTINGS)
        else:
            self._write(*getattr(self, f"_{kind}")(data))

    def _write(self, *changes: Change) -> None:
        if changes:
            write(self.store, *changes)
            write(self.model, *changes)

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
