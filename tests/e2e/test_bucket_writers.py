"""The store on object storage under rivals: two writers, a writer that comes back late, upkeep beside readers, a store
that ignores conditions. Rows are counted with LanceDB itself."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import lancedb
import pytest

from harness.object_store import fresh_place, object_store, set_environment
from seamline.errors import ConfigError, IndexBusy, StoreError
from seamline.records import Change, Settings
from seamline.remote.buckets import Bucket, ObjectTaken
from seamline.scale.replica import StateKeeper
from seamline.store.lance import LanceLimits
from seamline.store.lance.bucket_state import read_state
from seamline.store.lance.bucket_store import LanceBucketStore
from seamline.testing.entries import SETTINGS, change, entries

pytestmark = pytest.mark.slow

INDEXED = LanceLimits(count=0, exact=0, few=0)
"""Every index of a large store, in a small one."""


@pytest.fixture(scope="module", autouse=True)
def bucket() -> Iterator[None]:
    with object_store() as values, set_environment(values):
        yield


def made(limits: LanceLimits = INDEXED) -> LanceBucketStore:
    return LanceBucketStore.create(fresh_place(), SETTINGS, limits=limits)


def make_change(doc: str) -> Change:
    """A new document of two chunks."""
    return change(doc, entries(doc, f"{doc} is a doc", "and says two things"))


def key_counts(store: LanceBucketStore) -> Counter[str]:
    """How often each key stands in the table of entries, at the commit that counts."""
    state = read_state(Bucket(store.url)).state
    table = lancedb.connect(store.url).open_table(state.entries_table)
    table.checkout(state.entries)
    return Counter(table.search().select(["key"]).limit(1_000_000).to_arrow()["key"].to_pylist())


WRITER = """
import sys, time
from seamline.store.lance import LanceLimits
from seamline.store.lance.bucket_store import LanceBucketStore
from seamline.testing.entries import change, entries
from seamline.errors import SeamlineError
store = LanceBucketStore.open(sys.argv[1], limits=LanceLimits(0, 0, 0))
print("open", flush=True)
sys.stdin.readline()
for number in range(8):
    for _ in range(200):
        try:
            with store.writer() as writer:
                with store.reader() as reader:
                    head = reader.head(f"new{number}")
                if head is None:
                    writer.apply([change(f"new{number}", entries(f"new{number}", "one doc", "two"))])
            break
        except SeamlineError as error:
            time.sleep(0.02)
    else:
        raise SystemExit(f"never: {error}")
print("done", flush=True)
"""


def test_two_writers_of_the_same_new_documents_double_nothing() -> None:
    """With indexes present, where LanceDB's own merge doubles rows."""
    store = made()
    with store.writer() as writer:
        writer.apply([make_change(f"old{number}") for number in range(4)])
        writer.tidy()
    command, pipe = [sys.executable, "-c", WRITER, store.url], subprocess.PIPE
    rivals = [subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) for _ in range(2)]
    for rival in rivals:
        assert rival.stdout is not None
        assert rival.stdout.readline() == "open\n"
    for rival in rivals:
        assert rival.stdin is not None
        rival.stdin.write("\n")
        rival.stdin.flush()
    for rival in rivals:
        out, _ = rival.communicate(timeout=200)
        assert out == "done\n"
    counts = key_counts(store)
    assert set(counts.values()) == {1}
    with store.reader() as reader:
        found = {head.doc for head in reader.heads()}
    assert found == {f"old{number}" for number in range(4)} | {f"new{number}" for number in range(8)}
    assert not list(store.verify())


def test_a_writer_that_lost_its_lease_is_refused_and_leaves_nothing() -> None:
    """Paused between the engine's commit and the naming of it, longer than its lease lasts."""
    store = made(replace(INDEXED, lease=timedelta(milliseconds=1)))
    late, other = LanceBucketStore.open(store.url, limits=store._limits), store
    with late.writer() as slow:
        guard = slow._guard
        record = guard.record

        def overtake(entries: object, versions: object) -> None:
            time.sleep(0.01)
            with other.writer() as writer:
                writer.apply([make_change("doc")])
            record(entries, versions)

        guard.record = overtake  # type: ignore[method-assign]
        with pytest.raises(StoreError, match="another process changed the index"):
            slow.apply([make_change("doc")])
        guard.record = record  # type: ignore[method-assign]
        with pytest.raises(StoreError, match="worked out from version 0"):
            slow.apply([make_change("doc")])
        slow.apply([make_change("second")])
    assert set(key_counts(store).values()) == {1}
    assert not list(store.verify())


def test_a_commit_of_another_writer_during_upkeep_does_not_count() -> None:
    """What a writer without a lease appends while files are put together is not named."""
    store = made()
    with store.writer() as writer:
        writer.apply([make_change("doc")])
        guard = writer._guard
        begin_upkeep = guard.begin_upkeep

        def append(entries: object, versions: object) -> None:
            begin_upkeep(entries, versions)
            state = read_state(Bucket(store.url)).state
            table = lancedb.connect(store.url).open_table(state.entries_table)
            table.add(table.search().limit(1).to_arrow())

        guard.begin_upkeep = append  # type: ignore[method-assign]
        with pytest.raises(StoreError, match="another process changed the index"):
            writer.tidy()
        guard.begin_upkeep = begin_upkeep  # type: ignore[method-assign]
        writer.tidy()
    assert set(key_counts(store).values()) == {1}


def test_an_answer_that_was_lost_is_recognised() -> None:
    """The object store wrote the state, and the client heard nothing and wrote once more."""
    store = made()
    with store.writer() as writer:
        bucket = writer._guard._bucket
        replace_object = bucket.replace

        def twice(key: str, data: bytes, tag: str) -> str:
            replace_object(key, data, tag)
            raise ObjectTaken("the second time")

        bucket.replace = twice  # type: ignore[method-assign]
        writer.apply([make_change("doc")])
        bucket.replace = replace_object  # type: ignore[method-assign]
        writer.apply([make_change("other")])
    with store.reader() as reader:
        assert {head.doc for head in reader.heads()} == {"doc", "other"}


def test_upkeep_during_writes_and_searches(capsys: pytest.CaptureFixture[str]) -> None:
    """No error, no lost row, readers keep their state, and what nobody needs is removed."""
    store = made(replace(INDEXED, kept=timedelta(0)))
    pinned_limits = replace(INDEXED, kept=timedelta(days=1))
    kept = made(pinned_limits)
    problems: list[str] = []
    done = threading.Event()

    def search() -> None:
        reading = LanceBucketStore.open(kept.url, limits=pinned_limits)
        while not done.is_set():
            try:
                with reading.reader() as reader:
                    heads = [head.doc for head in reader.heads()]
                    found = reader.matching("doc", 100)
                    if len({one.id for one in found}) != len(found) or len(heads) != len(set(heads)):
                        problems.append("doubled")
                    [reader.version(doc, 1) for doc in heads[:3]]
            except StoreError as error:
                problems.append(str(error))

    searching = threading.Thread(target=search)
    searching.start()
    for number in range(6):
        with kept.writer() as writer:
            writer.apply([make_change(f"doc{number}")])
            writer.tidy()
    done.set()
    searching.join()
    assert problems == []
    assert set(key_counts(kept).values()) == {1}
    # Where nothing is kept for readers, old commits and the files of a writer that died go with the next upkeep.
    place = Bucket(store.url)
    place.create("entries-0123456789ab.lance/data/orphan.lance", b"of a making that was interrupted")
    state = read_state(place).state
    lancedb.connect(store.url).open_table(state.entries_table).add(_rows(store))
    for number in range(4):
        with store.writer() as writer:
            writer.apply([make_change(f"doc{number}")])
            writer.tidy()
    left = [one.key for one in place.list()]
    with capsys.disabled():
        print(f"\nobjects of an index of 4 documents after 4 writes with upkeep: {len(left)}")
    assert not [key for key in left if key.startswith("entries-0123456789ab")]
    entries_table = lancedb.connect(store.url).open_table(state.entries_table)
    files = [key for key in left if key.startswith(f"{state.entries_table}.lance/data/")]
    assert len(files) == entries_table.stats()["fragment_stats"]["num_fragments"] <= 4
    assert len([key for key in left if "/_versions/" in key]) <= 4
    assert set(key_counts(store).values()) == {1}
    assert not list(store.verify())


def _rows(store: LanceBucketStore) -> object:
    from seamline.store.lance.rows import entry_rows

    change = make_change("stray")
    return entry_rows(change.put, (), [change.head], SETTINGS)


def test_a_pinned_store_stays_at_its_state_until_another_is_pinned() -> None:
    store = made()
    with store.writer() as writer:
        writer.apply([make_change("first")])
    pinned = LanceBucketStore.open(store.url, limits=INDEXED)
    pinned.pin(store.present_state())
    before = pinned.generation()
    with store.writer() as writer:
        writer.apply([make_change("second")])
    assert pinned.generation() == before != store.generation()
    with pinned.reader() as reader:
        assert [head.doc for head in reader.heads()] == ["first"]
    with pytest.raises(StoreError, match="for reading"), pinned.writer():
        pass
    pinned.pin(pinned.present_state())
    with pinned.reader() as reader:
        assert sorted(head.doc for head in reader.heads()) == ["first", "second"]
    with pytest.raises(StoreError, match="damaged"):
        pinned.pin(store.present_state().replace('"commit"', '"Commit"'))


def test_replicas_keep_their_states_while_the_object_store_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    store = made()
    keeper = StateKeeper({"default": store.url})
    monkeypatch.setattr("seamline.scale.replica.SECONDS", 0.0)
    known = keeper.states()
    with store.writer() as writer:
        writer.apply([make_change("a")])
    with monkeypatch.context() as away:
        away.setattr(LanceBucketStore, "present_state", _away)
        assert keeper.states() == known
        with pytest.raises(StoreError, match="away"):
            StateKeeper({"default": store.url}).states()
    assert keeper.states() == {"default": store.present_state()} != known


def _away(store: LanceBucketStore) -> str:
    raise StoreError("the object store is away")


def test_the_second_writer_is_told_who_writes() -> None:
    store = made()
    told = r"process \d+ on .* is writing to the index at s3://"
    with store.writer(), pytest.raises(IndexBusy, match=told), store.writer():
        pass
    with store.writer():
        pass


def test_a_store_that_ignores_conditions_is_refused() -> None:
    told = "ignores If-None-Match, so two writers would overwrite each other"
    with object_store(conditional=False) as values, set_environment(values), pytest.raises(StoreError, match=told):
        made()


def test_places_that_are_refused() -> None:
    with pytest.raises(ConfigError, match="keys belong into the environment"):
        LanceBucketStore.open("s3://key:secret@bucket/index")
    with pytest.raises(ConfigError, match="expected a prefix of its own"):
        LanceBucketStore.open("s3://bucket")
    place = fresh_place()
    Bucket(place).create("report.pdf", b"of somebody")
    with pytest.raises(StoreError, match=r"holds objects of something else, such as report\.pdf"):
        LanceBucketStore.create(place, SETTINGS)


def test_a_damaged_state_is_refused() -> None:
    store = made()
    place = Bucket(store.url)
    found = place.read("current.json")
    assert found is not None
    said = json.loads(found.data)
    said["state"]["entries"] += 1
    place.replace("current.json", json.dumps(said).encode(), found.tag)
    with pytest.raises(StoreError, match=r"current\.json is damaged"):
        LanceBucketStore.open(store.url)


def test_settings_of_another_index_are_refused() -> None:
    store = made()
    other: Settings = replace(SETTINGS, embedding="another")
    with pytest.raises(StoreError):
        LanceBucketStore.create(store.url, other)
