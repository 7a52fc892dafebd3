"""The folder of an embedded index: made at one stroke, private, proved on every read, healed from its truth."""

from __future__ import annotations

import os
import random
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from seamline.errors import IndexMissing, StoreError
from seamline.filters.tree import Test
from seamline.records import Settings
from seamline.store import bm25
from seamline.store.folders import WriterLock
from seamline.store.sqlite import SqliteStore, clusters, structures, words
from seamline.store.sqlite.database import Database
from seamline.store.sqlite.structures import SqliteLimits
from seamline.testing.entries import AXES, SETTINGS, entries, entry, erase, revise, with_parts
from seamline.testing.stores.site import put, put_entries, tidy, write

ARRANGED = SqliteLimits(few=0, many=0, burst=0)
"""Structures for the smallest index, so that they are there to be damaged."""
TEXTS = [f"passage {n} of {topic} with {'retry ' * (n % 3)}queues" for n in range(12) for topic in ("pumps", "valves")]

Answers = dict[str, object]


def test_entries_that_hold_the_words_of_a_query_apart_are_told_without_their_texts(folder: Path) -> None:
    store = SqliteStore.create(str(folder), SETTINGS, limits=ARRANGED)
    apart = [f"alpha {n} beta of gamma {n} alpha" for n in range(40)]
    put(store, "a.md", *apart, "an alpha beta gamma", "--beta gamma")
    put(store, "b.md", *(f"gamma {n} beta alpha" for n in range(40)), "Alpha\nbeta - gamma")
    with store.reader() as reader:
        bodies = {one.id: one.body for one in reader.select()}
        for query, wanted in (
            ("alpha beta gamma", {"an alpha beta gamma"}),
            ("--beta", {"--beta gamma"}),
            ("beta gamma", {"an alpha beta gamma", "--beta gamma"}),
            ("beta - gamma", {"Alpha\nbeta - gamma"}),
        ):
            assert {bodies[id] for id, _ in reader.matching(query, 99, every=True)} == wanted
            assert len(reader.matching(query, 999)) > 40
    store.close()


def test_structures_without_pairs_of_words_are_made_anew(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as older:
        older.setattr(structures, "LAYOUT", structures.LAYOUT - 1)
        store = SqliteStore.create(str(folder), SETTINGS, limits=ARRANGED)
        put(store, "a.md", "beta alpha", "alpha beta")
        store.close()
    store = SqliteStore.open(str(folder), limits=ARRANGED)
    with store.reader() as reader:
        assert len(reader.matching("alpha beta", 9, every=True)) == 1
    assert list(store.verify()) == []
    store.close()


def test_an_index_of_before_there_were_parts_is_read_and_goes_on(folder: Path) -> None:
    made = [
        replace(one, vector=AXES[n]) for n, one in enumerate(entries("a.md", "one", "two", "three", "four", "five"))
    ]
    store = SqliteStore.create(str(folder), SETTINGS, limits=ARRANGED)
    put_entries(store, "a.md", made)
    put_entries(store, "b.md", [replace(entry("b.md", "six"), vector=AXES[5])])
    store.close()
    truth = Database(folder / "index.db", durable=True)
    truth.run("DROP TABLE parts")
    truth.close()
    store = SqliteStore.open(str(folder), limits=ARRANGED)
    with store.reader() as reader:
        assert len(reader.near(AXES[0], 9)) == 6
        assert reader.parts([one.id for one in made]) == {}
        assert all(one.vector is not None for one in reader.select(vectors=True))
    assert list(store.verify()) == []
    assert store.forget(["b.md"]) == ["b.md"]
    other = [
        with_parts(replace(one, doc="c.md", vector=AXES[n + 6])) for n, one in enumerate(entries("c.md", *"abcde"))
    ]
    assert 0 < sum(one.parts is not None for one in other) < len(other)
    put_entries(store, "c.md", other)
    with store.reader() as reader:
        assert reader.parts([one.id for one in other]).keys() == {one.id for one in other if one.parts is not None}
    assert list(store.verify()) == []
    store.close()


def test_a_flipped_bit_in_parts_is_found(folder: Path) -> None:
    made = [with_parts(one) for one in entries("a.md", "one", "two", "three", "four", "five")]
    store = SqliteStore.create(str(folder), SETTINGS, limits=ARRANGED)
    put_entries(store, "a.md", made)
    store.close()
    truth = Database(folder / "index.db", durable=True)
    number, parts = truth.row("SELECT vector, parts FROM parts LIMIT 1") or (0, b"")
    truth.run("UPDATE parts SET parts = ? WHERE vector = ?", (parts[:-1] + bytes([parts[-1] ^ 4]), number))
    truth.close()
    store = SqliteStore.open(str(folder), limits=ARRANGED)
    with store.reader() as reader, pytest.raises(StoreError, match="parts of a vector"):
        reader.parts([one.id for one in made])
    assert len(list(store.verify())) >= 1
    store.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture
def store(folder: Path) -> Iterator[SqliteStore]:
    store = SqliteStore.create(str(folder), SETTINGS, limits=ARRANGED)
    yield store
    store.close()


def fill(store: SqliteStore) -> None:
    """Three documents, one of them edited and one removed, with structures for all but the last change."""
    for number in range(3):
        put(store, f"d{number}.md", *TEXTS[number::3])
    put(store, "d1.md", *TEXTS[1::3][:-1], "an edited passage of pumps")
    tidy(store)
    with store.reader() as reader:
        change = erase(reader, "d2.md")
    write(store, change)


def ask(store: SqliteStore) -> Answers:
    """Everything a user may ask."""
    with store.reader() as reader:
        found: Answers = {
            "words": reader.matching("retry pumps", 10),
            "near": reader.near(AXES[0], 10),
            "filtered": reader.matching("queues", 10, where=Test("doc", "=", "d1.md")),
            "heads": list(reader.heads()),
            "versions": [reader.version(head.doc, n) for head in reader.heads() for n in reader.versions(head.doc)],
        }
        ids = [entry.id for entry in reader.select()]
        found["entries"] = {id: entry.text for id, entry in reader.entries(ids).items()}
        return found


def test_a_place_without_an_index_is_missing(folder: Path) -> None:
    with pytest.raises(IndexMissing, match="seamline index"):
        SqliteStore.open(str(folder))
    folder.mkdir()
    with pytest.raises(IndexMissing, match=r"index\.db"):
        SqliteStore.open(str(folder))


def test_an_index_of_an_older_seamline_is_named_as_one(folder: Path) -> None:
    (folder / "store").mkdir(parents=True)
    (folder / "store" / "settings.json").write_text("{}")
    for use in (lambda: SqliteStore.open(str(folder)), lambda: SqliteStore.create(str(folder), SETTINGS)):
        with pytest.raises(StoreError, match=r"older Seamline.*lance:.*index again"):
            use()


def test_a_folder_of_something_else_is_left_alone(folder: Path) -> None:
    folder.mkdir()
    (folder / "thesis.tex").write_text("mine")
    with pytest.raises(StoreError, match=r"thesis\.tex.*empty folder"):
        SqliteStore.create(str(folder), SETTINGS)
    assert os.listdir(folder) == ["thesis.tex"]


def test_making_an_index_goes_on_where_it_was_interrupted(folder: Path) -> None:
    folder.mkdir()
    for name in ("index.db.new", "index.db.new-wal", "index.db.new-shm"):
        (folder / name).write_bytes(b"half of it")
    store = SqliteStore.create(str(folder), SETTINGS)
    put(store, "a.md", "text")
    assert list(store.verify()) == []
    assert not [name for name in os.listdir(folder) if ".new" in name]


@pytest.mark.skipif(os.name == "nt", reason="Windows has other rights")
def test_nobody_else_may_read_the_index(store: SqliteStore, folder: Path) -> None:
    fill(store)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE((folder / name).stat().st_mode) for name in os.listdir(folder)} == {0o600}
    folder.chmod(0o777)
    with pytest.raises(StoreError, match="chmod go-w"):
        SqliteStore.open(str(folder))


@pytest.mark.skipif(os.name == "nt", reason="Windows has other rights")
def test_a_folder_that_was_there_is_closed_to_others(tmp_path: Path) -> None:
    (tmp_path / "made").mkdir()
    (tmp_path / "made").chmod(0o755)
    SqliteStore.create(str(tmp_path / "made"), SETTINGS).close()
    assert stat.S_IMODE((tmp_path / "made").stat().st_mode) == 0o700


def test_other_settings_are_refused(store: SqliteStore, folder: Path) -> None:
    other = Settings(**{name: getattr(SETTINGS, name) for name in SETTINGS.__slots__} | {"embedder": "other"})
    with pytest.raises(StoreError, match="made with other settings"):
        SqliteStore.create(str(folder), other)


@pytest.mark.parametrize("name", ["index.db", "search-1.db"])
def test_no_flipped_bit_changes_an_answer(store: SqliteStore, folder: Path, name: str, tmp_path: Path) -> None:
    """It is healed from the truth, or refused with what to do."""
    fill(store)
    right = ask(store)
    store.close()
    rng = random.Random(5)
    refused = 0
    for number in range(60):
        copy = tmp_path / f"copy-{number}"
        shutil.copytree(folder, copy)
        damage(copy / name, rng)
        answer = answers_of(copy)
        assert answer == right or ("index again" in str(answer)), (number, answer)
        refused += isinstance(answer, str)
        shutil.rmtree(copy)
    assert (refused == 0) == (name != "index.db"), "structures are made anew, the truth is not"


def answers_of(folder: Path) -> Answers | str:
    """What is answered, or how it is refused."""
    try:
        store = SqliteStore.open(str(folder), limits=ARRANGED)
        found = ask(store)
        store.close()
    except StoreError as error:
        return str(error)
    return found


def damage(path: Path, rng: random.Random) -> None:
    """Flip a bit, zero some bytes, or cut the file."""
    data = bytearray(path.read_bytes())
    at = rng.randrange(len(data))
    match rng.randrange(4):
        case 0:
            del data[at:]
        case 1:
            data[at : at + 700] = bytes(len(data[at : at + 700]))
        case _:
            data[at] ^= 1 << rng.randrange(8)
    path.write_bytes(data)


def test_structures_that_are_gone_are_made_anew_and_told(store: SqliteStore, folder: Path) -> None:
    fill(store)
    right = ask(store)
    store.close()
    for _, path in structures.files(folder):
        structures.remove(path)
    again = SqliteStore.open(str(folder), limits=ARRANGED)
    assert ask(again) == right
    assert ["made anew" in remark.message for remark in again.remarks()] == [True]
    assert again.remarks() == []
    assert structures.files(folder)


def test_structures_of_another_history_are_not_used(store: SqliteStore, folder: Path, tmp_path: Path) -> None:
    """A truth that was restored from a copy has other rows than structures made since."""
    put(store, "a.md", "one text of pumps")
    tidy(store)
    store.close()
    shutil.copy(folder / "index.db", tmp_path / "copy.db")
    again = SqliteStore.open(str(folder), limits=ARRANGED)
    put(again, "b.md", "another text of valves")
    tidy(again)
    again.close()
    shutil.copy(tmp_path / "copy.db", folder / "index.db")
    (folder / "acknowledged").unlink()
    restored = SqliteStore.open(str(folder), limits=ARRANGED)
    put(restored, "c.md", "a third text of filters")
    with restored.reader() as reader:
        assert reader.matching("valves", 5) == []
        assert len(reader.matching("filters", 5)) == 1


def test_a_truth_that_lost_an_acknowledged_change_says_so(store: SqliteStore, folder: Path) -> None:
    """As where a careless copy leaves the log behind."""
    put(store, "a.md", "one text")
    store.close()
    old = (folder / "index.db").read_bytes()
    again = SqliteStore.open(str(folder))
    put(again, "a.md", "another text")
    again.close()
    (folder / "index.db").write_bytes(old)
    lost = SqliteStore.open(str(folder))
    with pytest.raises(StoreError, match=r"lacks changes that were acknowledged.*seamline index"), lost.reader():
        pass
    put_entries_anyway(lost)
    assert ["lacked changes" in remark.message for remark in lost.remarks()] == [True]
    with lost.reader() as reader:
        assert reader.count() == 1


def put_entries_anyway(store: SqliteStore) -> None:
    with store.writer() as writer:
        pass
    assert writer is not None
    put_entries(store, "a.md", entries("a.md", "a third text"))


def test_structures_are_made_in_memory_where_they_cannot_be_written(store: SqliteStore, folder: Path) -> None:
    fill(store)
    right = ask(store)
    store.close()
    for _, path in structures.files(folder):
        structures.remove(path)
    lock = WriterLock(folder)
    try:
        again = SqliteStore.open(str(folder), limits=ARRANGED)
        assert ask(again) == right
        assert ask(again) == right
        assert ["this process made its own" in remark.message for remark in again.remarks()] == [True]
        assert not structures.files(folder)
    finally:
        lock.release(finished=True)


READ_ONLY = """
import os, sys
from seamline.store.sqlite import SqliteStore
from seamline.errors import StoreError
from seamline.testing.stores.site import put
SqliteStore.open(sys.argv[1]).close()  # everything is imported now, while this user may
os.setuid(65534)
store = SqliteStore.open(sys.argv[1])
with store.reader() as reader:
    print(len(reader.matching("pumps", 3)), len(list(reader.heads())))
try:
    put(store, "new.md", "text")
except StoreError as error:
    print(error)
"""


@pytest.mark.skipif(not hasattr(os, "setuid") or os.geteuid() != 0, reason="only root can become another user")
def test_an_index_that_cannot_be_written_to_can_be_read(store: SqliteStore, folder: Path, tmp_path: Path) -> None:
    fill(store)
    store.close()
    for path in (tmp_path, *tmp_path.parents):
        if os.stat(path).st_uid == 0 and path != Path("/"):
            path.chmod(path.stat().st_mode | 0o055)
    folder.chmod(0o555)
    for name in os.listdir(folder):
        (folder / name).chmod(0o444)
    ran = subprocess.run([sys.executable, "-c", READ_ONLY, str(folder)], capture_output=True, text=True)
    assert ran.stdout.splitlines()[0] == "3 3", ran.stderr
    assert "this user may not" in ran.stdout.splitlines()[1]


def test_a_folder_that_is_deleted_while_it_is_open_is_told(store: SqliteStore, folder: Path) -> None:
    fill(store)
    shutil.rmtree(folder)
    with pytest.raises(StoreError, match="No such file"), store.reader():
        pass
    with pytest.raises(StoreError, match="there is no index"), store.writer():
        pass


def test_what_is_forgotten_is_in_no_file(store: SqliteStore, folder: Path) -> None:
    put(store, "secret.md", "the password is hunter2 of zanzibar", "second passage")
    put(store, "secret.md", "the password was hunter2 of zanzibar")
    put(store, "kept.md", "a passage about pumps")
    with store.reader() as reader:
        moved = erase(reader, "secret.md", moved_to="kept.md")
    write(store, moved)
    tidy(store)
    assert holds(folder, b"zanzibar"), "or this test could not fail"
    assert store.forget(["secret.md", "unknown.md"]) == ["secret.md"]
    assert not holds(folder, b"zanzibar")
    assert not holds(folder, b"secret.md")
    assert list(store.verify()) == []
    with store.reader() as reader:
        assert reader.head("secret.md") is None
        assert reader.matching("password", 5) == []
        assert len(reader.matching("pumps", 5)) == 1
    put(store, "secret.md", "a new life")
    assert list(store.verify()) == []


def holds(folder: Path, text: bytes) -> bool:
    """Whether any file has this text, as it is or in a compressed value."""
    if any(text in (folder / name).read_bytes() for name in os.listdir(folder)):
        return True
    import zlib

    for name in os.listdir(folder):
        data = (folder / name).read_bytes()
        for at in (at for at in range(len(data) - 1) if data[at] == 0x78 and data[at + 1] in (0x01, 0x9C)):
            unpacker = zlib.decompressobj()
            try:
                if text in unpacker.decompress(data[at : at + 4096]):
                    return True
            except zlib.error:
                continue
    return False


def test_a_dead_writer_does_not_stand_in_the_way(store: SqliteStore, folder: Path) -> None:
    script = f"""
import os
from seamline.store.sqlite import SqliteStore
from seamline.testing.entries import entries, revise
store = SqliteStore.open({str(folder)!r})
with store.reader() as reader:
    change = revise(reader, "a.md", entries("a.md", "text"))
with store.writer() as writer:
    writer.apply([change])
    os._exit(9)
"""
    subprocess.run([sys.executable, "-c", script])
    with store.reader() as reader:
        assert reader.count() == 1
    put(store, "b.md", "more")
    assert list(store.verify()) == []


# Structures


def test_segments_are_merged_and_dead_entries_dropped(store: SqliteStore, folder: Path) -> None:
    for number in range(40):
        put(store, f"d{number % 5}.md", f"text {number} of pumps", "the same passage")
    tidy(store)
    ((_, path),) = structures.files(folder)
    db = Database(path, durable=False)
    assert db.value("SELECT count(*) FROM segments") <= 4
    db.close()
    with store.reader() as reader:
        assert [scored.score for scored in reader.matching("passage", 50)] == [
            reader.matching("passage", 50)[0].score
        ] * 5
    assert list(store.verify()) == []


def test_clusters_are_made_of_few_vectors_that_cannot_be_written_to() -> None:
    """As read from the database, and fewer than two for each cluster."""
    rows = np.random.default_rng(5).normal(size=(30, 8)).astype(np.float32)
    vectors = np.frombuffer(rows.tobytes(), np.float32).reshape(rows.shape)
    centroids = clusters.train(vectors, 20)
    assert np.allclose(np.linalg.norm(centroids, axis=1), 1)
    assert np.array_equal(vectors, rows)


def test_clusters_find_almost_all_of_the_nearest(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    centres = rng.normal(size=(200, 64))
    vectors = (centres[rng.integers(0, 200, 30_000)] + 0.6 * rng.normal(size=(30_000, 64))).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    centroids = clusters.train(vectors[::3], clusters.centroids_for(len(vectors)))
    nearest = clusters.assign(vectors, centroids)
    found = 0
    for query in vectors[:50]:
        probed = np.argsort(-(centroids @ query))[: clusters.probes_for(len(centroids), 1.0)]
        docs = np.flatnonzero(np.isin(nearest, probed))
        codes = clusters.encode(docs, vectors[docs])
        left = clusters.undecided(
            clusters.estimate([clusters.unpack_codes(clusters.pack_codes(codes))], query, None), 10
        )
        best = set(np.argsort(-(vectors @ query))[:10].tolist())
        found += len(best & set(left.docs.tolist()))
    assert found >= 490


def test_codes_never_lose_a_nearest_vector() -> None:
    rng = np.random.default_rng(9)
    vectors = rng.normal(size=(2_000, 32)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    codes = clusters.encode(np.arange(2_000), vectors)
    for query in vectors[:40]:
        left = clusters.undecided(clusters.estimate([codes], query, None), 10)
        assert set(np.argsort(-(vectors @ query))[:10].tolist()) <= set(left.docs.tolist())
        assert len(left.docs) < 400


def test_a_large_index_is_clustered_and_finds_what_is_new(folder: Path) -> None:
    store = SqliteStore.create(str(folder), SETTINGS, limits=SqliteLimits(few=0, many=0, exact=20))
    made = [entries(f"d{n}.md", *(f"text {n} {m}" for m in range(10))) for n in range(8)]
    for n, some in enumerate(made):
        with store.reader() as reader:
            change = revise(reader, f"d{n}.md", some)
        with store.writer() as writer:
            writer.apply([change])
            writer.tidy()
    ((_, path),) = structures.files(folder)
    db = Database(path, durable=False)
    assert structures.read_centroids(db).keys() == {"vector"}
    db.close()
    with store.reader() as reader:
        everything = reader.near(AXES[0], 100)
        assert len(everything) == sum(entry.vector is not None for some in made for entry in some)
    assert list(store.verify()) == []


def test_clusters_are_made_of_what_has_vectors_while_most_wait_for_theirs(folder: Path) -> None:
    store = SqliteStore.create(str(folder), SETTINGS, limits=SqliteLimits(few=0, many=0, exact=20))
    made = entries("d.md", *(f"text {n}" for n in range(3_200)))
    put_entries(store, "d.md", [replace(one, vector=AXES[0] if n % 128 == 0 else None) for n, one in enumerate(made)])
    tidy(store)
    ((_, path),) = structures.files(folder)
    db = Database(path, durable=False)
    assert len(structures.read_centroids(db)["vector"]) == clusters.centroids_for(25)
    db.close()
    with store.reader() as reader:
        assert len(reader.near(AXES[0], 100)) == 25


@pytest.mark.parametrize("common", [0.02, 0.3, 0.9])
@pytest.mark.parametrize("filtered", [False, True])
def test_the_best_by_words_are_those_of_a_scan(common: float, filtered: bool) -> None:
    """Rare words and common ones, which go two ways."""
    rng = np.random.default_rng(int(100 * common))
    size = 3_000
    lengths = rng.integers(5, 200, size)
    norms = bm25.norms(lengths, float(lengths.mean()))
    among = words.Collection(size, norms, ((bm25.K1 + 1) / (1 + norms)).astype(np.float32))
    allowed = rng.random(size) < 0.4 if filtered else None
    for _ in range(30):
        parts = {}
        for word in "abcd":
            docs = np.flatnonzero(rng.random(size) < common * rng.random()).astype(np.int32)
            parts[word] = words.Postings(docs, rng.integers(1, 6, len(docs)))
        expected = np.zeros(size)
        for part in parts.values():
            expected[part.docs] += bm25.idf(size, len(part.docs)) * bm25.weights(part.counts, norms[part.docs])
        if allowed is not None:
            expected[~allowed] = 0
        docs, scores = words.find_best("abcd", 10, parts.__getitem__, among, allowed)
        order = np.lexsort((docs, -scores))[:10]
        right = np.lexsort((np.arange(size), -expected))[:10]
        right = right[expected[right] > 0]
        assert docs[order].tolist() == right.tolist()
        assert np.allclose(scores[order], expected[right], rtol=1e-12)


@pytest.mark.parametrize("filtered", [False, True])
def test_words_that_nearly_all_entries_hold_are_scored_as_exactly(filtered: bool) -> None:
    """They are looked up in few entries alone, once no others can be among the best."""
    rng = np.random.default_rng(5)
    size = 4_000
    norms = bm25.norms(rng.integers(1, 300, size), 150.0)
    among = words.Collection(size, norms, ((bm25.K1 + 1) / (1 + norms)).astype(np.float32))
    allowed = rng.random(size) < 0.5 if filtered else None
    for shares in ((0.01, 0.2, 1.0), (0.002, 0.1, 0.5, 0.999), (0.05, 0.06, 0.07, 1.0), (0.3, 1.0, 1.0)):
        parts = {}
        expected = np.zeros(size)
        for word, share in zip("abcd", shares, strict=False):
            docs = np.flatnonzero(rng.random(size) < share).astype(np.int32)
            parts[word] = words.Postings(docs, rng.integers(1, 6, len(docs)))
            expected[docs] += bm25.idf(size, len(docs)) * bm25.weights(parts[word].counts, norms[docs])
        if allowed is not None:
            expected[~allowed] = 0
        for k in (1, 10, 60):
            docs, scores = words.find_best("abcd"[: len(shares)], k, parts.__getitem__, among, allowed)
            order = np.lexsort((docs, -scores))[:k]
            right = np.lexsort((np.arange(size), -expected))[:k]
            assert docs[order].tolist() == right.tolist()
            assert np.allclose(scores[order], expected[right], rtol=1e-12)


def test_a_mark_that_is_read_beside_a_reader_takes_no_connection_of_readers(store: SqliteStore) -> None:
    """Those keep up to 32 MB of pages each: a server came to have more of them than threads."""
    fill(store)
    mark = store.generation()
    with store.reader():
        assert store.generation() == mark
    assert len(store._truths._idle) == 1
    store.close()
    assert not store._truths._idle
    assert not store._marks._idle
