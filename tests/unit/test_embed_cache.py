"""The cache of vectors: right or a miss, for several processes, through damage."""

from __future__ import annotations

import random
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from seamline.embed.cache import VectorCache
from seamline.errors import ConfigError, StoreError

if TYPE_CHECKING:
    from seamline.records import Vector


def rows(count: int, dimensions: int = 8, seed: int = 0) -> Vector:
    return np.random.default_rng(seed).normal(size=(count, dimensions)).astype(np.float32)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "vectors.db"


def test_what_was_put_is_got_bit_by_bit_also_by_the_next_process(path: Path) -> None:
    texts = ["a", "", "\ud800", "long " * 1000, "naïve"]
    with VectorCache(path) as cache:
        cache.put("model", texts, rows(5))
        first = cache.get("model", [*texts, "unknown"], 8)
    with VectorCache(path) as cache:
        second = cache.get("model", texts, 8)
        assert cache.count() == 5
    for found in (first, second):
        assert list(found) != ["unknown"]
        assert np.array_equal(np.array([found[text] for text in texts]), rows(5))


def test_embedders_do_not_share_vectors(path: Path) -> None:
    with VectorCache(path) as cache:
        cache.put("one", ["a"], rows(1))
        assert cache.get("two", ["a"], 8) == {}
        assert cache.get("one", ["a"], 9) == {}


def test_a_vector_that_is_put_again_replaces_the_old_one(path: Path) -> None:
    with VectorCache(path) as cache:
        cache.put("model", ["a"], rows(1))
        cache.put("model", ["a"], rows(1, seed=1))
        assert np.array_equal(cache.get("model", ["a"], 8)["a"], rows(1, seed=1)[0])
        assert cache.count() == 1


def test_thousands_of_texts_are_asked_at_once(path: Path) -> None:
    texts = [f"text {number}" for number in range(3000)]
    with VectorCache(path) as cache:
        cache.put("model", texts, rows(3000))
        found = cache.get("model", texts, 8)
    assert np.array_equal(np.array([found[text] for text in texts]), rows(3000))


@pytest.mark.parametrize("column", ["key", "vector", "seal"])
def test_a_flipped_bit_is_a_miss_and_is_mended(path: Path, column: str) -> None:
    with VectorCache(path) as cache:
        cache.put("model", ["a", "b"], rows(2))
    with sqlite3.connect(path) as database:
        number, data = database.execute(f"SELECT number, {column} FROM vectors ORDER BY number").fetchone()
        flipped = bytes([data[0] ^ 4]) + data[1:]
        database.execute(f"UPDATE vectors SET {column} = ? WHERE number = ?", (flipped, number))
    with VectorCache(path) as cache:
        assert list(cache.get("model", ["a", "b"], 8)) == ["b"]
        cache.put("model", ["a"], rows(1))
        assert set(cache.get("model", ["a", "b"], 8)) == {"a", "b"}


def test_no_flipped_bit_in_the_file_makes_a_wrong_vector(path: Path) -> None:
    texts = [f"text {number}" for number in range(200)]
    with VectorCache(path) as cache:
        cache.put("model", texts, rows(200, 64))
    whole = path.read_bytes()
    chance = random.Random(1)
    right = {text: row.tobytes() for text, row in zip(texts, rows(200, 64), strict=True)}
    refused = 0
    for _ in range(120):
        data = bytearray(whole)
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        for leftover in path.parent.iterdir():
            leftover.unlink()
        path.write_bytes(data)
        try:
            with VectorCache(path) as cache:
                found = cache.get("model", texts, 64)
        except StoreError:
            refused += 1
        else:
            assert all(row.tobytes() == right[text] for text, row in found.items())
    assert refused < 60


def test_a_file_that_is_no_database_is_refused_with_what_to_do(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"not a database, but longer than its head would be " * 40)
    with pytest.raises(StoreError, match=r"vectors\.db is damaged .*delete it; nothing but time is lost"):
        VectorCache(path)


def test_a_file_cut_short_is_refused_or_empty(path: Path) -> None:
    with VectorCache(path) as cache:
        cache.put("model", [str(number) for number in range(500)], rows(500, 64))
    path.write_bytes(path.read_bytes()[:20_000])
    with pytest.raises(StoreError, match="delete it"), VectorCache(path) as cache:
        cache.get("model", [str(number) for number in range(500)], 64)


def test_a_database_of_something_else_is_not_touched(path: Path) -> None:
    path.parent.mkdir()
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE mail (text TEXT)")
    before = path.read_bytes()
    with pytest.raises(StoreError, match="a database of something else: name another file"):
        VectorCache(path)
    assert path.read_bytes() == before


def test_a_cache_of_another_layout_is_refused(path: Path) -> None:
    VectorCache(path).close()
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 99")
    with pytest.raises(StoreError, match="has layout 99"):
        VectorCache(path)


def test_a_folder_is_no_cache(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be opened"):
        VectorCache(tmp_path)


def test_a_closed_cache_says_so(path: Path) -> None:
    cache = VectorCache(path)
    cache.close()
    with pytest.raises(StoreError, match="is closed"):
        cache.get("model", ["a"], 8)


def test_nobody_else_may_read_the_file(path: Path) -> None:
    with VectorCache(path) as cache:
        cache.put("model", ["a"], rows(1))
        assert {stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()} == {0o600}


def test_a_full_cache_forgets_the_oldest_and_stays_within_its_bound(path: Path) -> None:
    most = 1 << 20
    with VectorCache(path, most_bytes=most) as cache:
        for batch in range(40):
            cache.put("model", [f"{batch} {number}" for number in range(50)], rows(50, 384, seed=batch))
        assert set(cache.get("model", ["0 0", "39 49"], 384)) == {"39 49"}
        assert 200 < cache.count() < 1000
    assert path.stat().st_size <= most


def test_a_bound_that_is_set_later_shrinks_the_file(path: Path) -> None:
    with VectorCache(path) as cache:
        cache.put("model", [str(number) for number in range(2000)], rows(2000, 384))
    assert path.stat().st_size > 3 << 20
    with VectorCache(path, most_bytes=1 << 20) as cache:
        cache.put("model", ["last"], rows(1, 384))
        assert cache.get("model", ["last"], 384)
    assert path.stat().st_size <= 1 << 20


def test_a_bound_below_anything_useful_is_refused(path: Path) -> None:
    with pytest.raises(ConfigError, match="at least 1 MiB"):
        VectorCache(path, most_bytes=1000)


WRITER = """
import sys
import numpy as np
from seamline.embed.cache import VectorCache

who = int(sys.argv[2])
for batch in range(20):
    with VectorCache(sys.argv[1]) as cache:
        numbers = range(batch * 10, batch * 10 + 20)
        cache.put("model", [str(n) for n in numbers], np.array([[n, 1] for n in numbers], np.float32))
        for text, row in cache.get("model", [str(n) for n in range(300)], 2).items():
            assert row.tolist() == [int(text), 1]
"""


def test_several_processes_make_and_fill_one_cache_together(path: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), str(who)], stderr=subprocess.PIPE)
        for who in range(4)
    ]
    said = [writer.communicate(timeout=120)[1].decode() for writer in writers]
    assert [writer.returncode for writer in writers] == [0] * 4, said
    with VectorCache(path) as cache:
        assert cache.count() == 210
