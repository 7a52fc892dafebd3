"""Contract, part 5: entries that are written before their vectors are, and get them later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from seamline.errors import StoreError
from seamline.protocols import Store
from seamline.records import Entry, without_vectors
from seamline.store.memory import MemoryStore
from seamline.testing.entries import AXES, SETTINGS, entries, entry, erase, plain, revise, with_parts
from seamline.testing.stores.history import child
from seamline.testing.stores.searching import corpus, fill
from seamline.testing.stores.site import Site, StoreTests, alike, put_entries, stored, tidy, write


def bare(made: Sequence[Entry]) -> list[Entry]:
    """The entries as the first phase of an index run writes them."""
    return [*map(without_vectors, made)]


def add(store: Store, made: Sequence[Entry]) -> int:
    """Give stored entries these vectors, in one transaction."""
    with store.writer() as writer:
        return writer.add_vectors(made)


def missing(store: Store) -> list[str]:
    """The ids of all entries that lack a vector."""
    with store.reader() as reader:
        found = sorted(reader.missing_vectors())
        assert reader.count_missing_vectors(levels=None) == len(found)
        return found


class VectorsContract(StoreTests):
    """Words first, vectors later."""

    def test_an_empty_store_lacks_nothing(self, store: Store) -> None:
        assert missing(store) == []
        assert add(store, entries("a.md", "x")) == 0

    def test_what_lacks_a_vector_is_listed_and_counted_by_level(self, store: Store) -> None:
        texts = entries("a.md", "one", "two")
        section = entry("a.md", "about both", level=1)
        nothing = replace(entry("a.md", ""), title="", path=(), vector=None)
        put_entries(store, "a.md", [texts[0], *bare([texts[1], section]), nothing])
        assert missing(store) == sorted([texts[1].id, section.id])
        with store.reader() as reader:
            assert reader.count_missing_vectors() == 1
            assert reader.count_missing_vectors(levels=(1,)) == 1
            assert reader.count_missing_vectors(levels=(2, 7)) == 0
            assert reader.count_missing_vectors(levels=()) == 0
        assert list(store.verify()) == []

    def test_the_summary_of_a_dual_index_is_missed_as_well(self, store: Store) -> None:
        made = [replace(one, summary="In short.") for one in entries("a.md", "one", "two")]
        put_entries(store, "a.md", made)
        assert missing(store) == sorted(one.id for one in made)
        whole = [replace(one, summary_vector=AXES[5]) for one in made]
        assert add(store, whole) == 2
        assert missing(store) == []
        with store.reader() as reader:
            assert {id: plain(one) for id, one in stored(reader).items()} == {one.id: plain(one) for one in whole}
            assert len(reader.near(AXES[5], 5, of="summary")) == 2

    def test_the_vectors_of_an_entry_may_come_one_after_the_other(self, store: Store) -> None:
        whole = replace(entry("a.md", "one"), summary="In short.", summary_vector=AXES[4])
        put_entries(store, "a.md", bare([whole]))
        assert add(store, [replace(whole, vector=None)]) == 1
        assert missing(store) == [whole.id]
        assert add(store, [replace(whole, summary_vector=None)]) == 1
        assert missing(store) == []
        with store.reader() as reader:
            assert plain(stored(reader)[whole.id]) == plain(whole)
        assert list(store.verify()) == []

    def test_added_vectors_make_no_version(self, store: Store) -> None:
        made = entries("a.md", "one", "two")
        put_entries(store, "a.md", bare(made))
        with store.reader() as reader:
            head, version, digests = reader.head("a.md"), reader.version("a.md", 1), dict(reader.digests("a.md"))
        mark = store.generation()
        assert add(store, made) == 2
        assert store.generation() != mark
        with store.reader() as reader:
            assert reader.head("a.md") == head
            assert reader.version("a.md", 1) == version
            assert reader.versions("a.md") == [1]
            assert dict(reader.digests("a.md")) == digests
            assert [reader.owner(one.id) for one in made] == ["a.md"] * 2
        assert list(store.verify()) == []

    @pytest.mark.parametrize("tidied", [False, True])
    def test_an_index_in_two_phases_answers_as_one_in_one(self, store: Store, tidied: bool) -> None:
        made = corpus()
        fill(store, bare(made))
        if tidied:
            tidy(store)
        with store.reader() as reader:
            assert reader.near(AXES[0], 9, levels=None) == []
            assert reader.matching("webhook retries budget", 9, levels=None)
        for at in range(0, len(made), 4):
            add(store, made[at : at + 4])
        if tidied:
            tidy(store)
        whole = MemoryStore(SETTINGS)
        fill(whole, made)
        with store.reader() as ours, whole.reader() as exact:
            assert [plain(one) for one in ours.select(vectors=True)] == [
                plain(one) for one in exact.select(vectors=True)
            ]
            for axis in AXES:
                assert alike(ours.near(axis, 50, levels=None), exact.near(axis, 50, levels=None))
                assert alike(
                    ours.near(axis, 50, levels=(0,), of="summary"), exact.near(axis, 50, levels=(0,), of="summary")
                )
            if tidied:
                assert alike(ours.matching("webhook same words", 9), exact.matching("webhook same words", 9))
        assert list(store.verify()) == []

    def test_vectors_are_read_without_their_entries(self, store: Store) -> None:
        made = [*map(with_parts, corpus())]
        fill(store, made)
        put_entries(store, "bare.md", bare(lacking := entries("bare.md", "one")))
        ids = [one.id for one in (*made, *lacking)]
        with store.reader() as reader:
            whole = reader.entries(ids, vectors=True)
            found = reader.vectors([*ids, "unknown", ids[0]])
            assert found.keys() == whole.keys() == {*ids}
            assert found[lacking[0].id] == (None, None, None)
            for id, embedded in found.items():
                assert plain(replace(whole[id], **embedded._asdict())) == plain(whole[id])
            assert dict(reader.vectors([])) == {}

    def test_parts_come_with_their_vectors(self, store: Store) -> None:
        made = [*map(with_parts, corpus())]
        later = [one for one in made if one.doc > "doc 1.md"]
        fill(store, [one for one in made if one not in later])
        fill(store, bare(later))
        assert any(one.parts is not None for one in later)
        add(store, made)
        whole = {one.id: one.parts.tolist() for one in made if one.parts is not None}
        assert 0 < len(whole) < len(made)
        with store.reader() as reader:
            found = reader.parts([*(one.id for one in made), "unknown", made[0].id])
            assert {id: parts.tolist() for id, parts in found.items()} == whole
            assert all(parts.dtype == np.int8 for parts in found.values())
            assert dict(reader.parts([])) == {}
            assert [plain(one) for one in reader.select(vectors=True)] == [
                plain(one) for one in sorted(made, key=lambda one: (one.doc, one.id))
            ]
            assert all(one.parts is None for one in reader.entries([one.id for one in made]).values())
        assert list(store.verify()) == []

    def test_parts_of_another_kind_are_refused(self, store: Store) -> None:
        made = replace(entry("a.md", "one"), vector=AXES[0])
        put_entries(store, "a.md", bare([made]))
        for shape in ((2, 3), (8,), (0, 8)):
            with pytest.raises(StoreError, match=r"a\.md.*parts"):
                add(store, [replace(made, parts=np.ones(shape, np.int8))])
        with pytest.raises(StoreError, match=r"a\.md.*parts"):
            add(store, [replace(made, vector=None, parts=np.ones((2, 8), np.int8))])
        assert missing(store) == [made.id]

    def test_the_same_vectors_may_be_added_twice(self, store: Store) -> None:
        made = entries("a.md", "one", "two")
        put_entries(store, "a.md", bare(made))
        assert add(store, made) == 2
        mark = store.generation()
        assert add(store, made) == 0
        assert add(store, [replace(made[0], vector=AXES[9])]) == 0
        assert store.generation() == mark
        with store.reader() as reader:
            assert {id: plain(one) for id, one in stored(reader).items()} == {one.id: plain(one) for one in made}

    def test_an_entry_that_changed_meanwhile_is_left_alone(self, store: Store) -> None:
        made = entries("a.md", "one", "two")
        put_entries(store, "a.md", bare(made))
        edited = replace(made[0], vector=None, path=("Elsewhere",))
        put_entries(store, "a.md", [edited, *bare(made[1:])])
        assert add(store, made) == 1
        assert missing(store) == [made[0].id]
        with store.reader() as reader:
            assert plain(stored(reader)[made[0].id]) == plain(edited)
        assert list(store.verify()) == []

    def test_an_entry_that_went_meanwhile_does_not_come_back(self, store: Store) -> None:
        made, other = entries("a.md", "one", "two"), entries("b.md", "three")
        put_entries(store, "a.md", bare(made))
        put_entries(store, "b.md", bare(other))
        put_entries(store, "a.md", bare(made[1:]))
        with store.reader() as reader:
            gone = erase(reader, "b.md")
        write(store, gone)
        assert missing(store) == [made[1].id]
        assert add(store, [*made, *other]) == 1
        assert missing(store) == []
        with store.reader() as reader:
            assert [one.id for one in reader.select()] == [made[1].id]
        assert list(store.verify()) == []

    def test_an_edit_keeps_what_the_other_entries_have_and_lack(self, store: Store) -> None:
        made = entries("a.md", "one", "two", "three")
        put_entries(store, "a.md", bare(made))
        add(store, made[:1])
        with store.reader() as reader:
            edit = revise(reader, "a.md", [*made[:2], *entries("a.md", "3")])
        write(store, replace(edit, put=tuple(bare(edit.put))))
        new = entries("a.md", "3")[0]
        assert missing(store) == sorted([made[1].id, new.id])
        assert add(store, [*made, new]) == 2
        assert missing(store) == []

    def test_a_vector_that_does_not_fit_is_refused_and_nothing_written(self, store: Store) -> None:
        made = entries("a.md", "one", "two")
        put_entries(store, "a.md", bare(made))
        mark = store.generation()
        for wrong in (np.ones(3, np.float32), np.full(8, np.nan, np.float32), np.ones(8, np.float32)):
            with pytest.raises(StoreError, match=r"a\.md"):
                add(store, [made[0], replace(made[1], vector=wrong)])
        assert store.generation() == mark
        assert len(missing(store)) == 2

    def test_a_reader_does_not_see_vectors_that_come_later(self, store: Store) -> None:
        made = entries("a.md", "one", "two")
        put_entries(store, "a.md", bare(made))
        with store.reader() as reader:
            add(store, made)
            assert reader.count_missing_vectors() == 2
            assert reader.near(AXES[0], 9) == []
            assert all(one.vector is None for one in stored(reader).values())
        assert missing(store) == []

    def test_many_entries_get_their_vectors(self, site: Site, store: Store) -> None:
        made = entries("a.md", *(f"paragraph {n} of a long document" for n in range(1200)))
        put_entries(store, "a.md", bare(made))
        assert len(missing(store)) == len(made)
        assert add(store, made[:700]) == 700
        store.close()
        again = site.open(SETTINGS)
        assert missing(again) == sorted(one.id for one in made[700:])
        assert add(again, made) == 500
        assert missing(again) == []
        again.close()

    def test_a_writer_that_was_given_back_adds_nothing(self, store: Store) -> None:
        made = entries("a.md", "one")
        put_entries(store, "a.md", bare(made))
        with store.writer() as writer:
            pass
        with pytest.raises(StoreError):
            writer.add_vectors(made)
        assert len(missing(store)) == 1

    def test_a_kill_between_batches_leaves_those_before_it(self, store: Store, site: Site) -> None:
        if not site.script:
            pytest.skip("lives in one process")
        made = entries("v.md", *(f"text {n}" for n in range(6)))
        put_entries(store, "v.md", bare(made))
        with child(site) as other:
            assert other.do("vectors") == "done"
            other.kill()
        assert len(missing(store)) == 3
        assert list(store.verify()) == []
        assert add(store, made) == 3
        assert missing(store) == []
