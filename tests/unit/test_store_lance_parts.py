"""The parts of a text lie in the body of its row: tables from before there were any go on, and damage is found."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from seamline.errors import StoreError
from seamline.records import Entry
from seamline.store import codec
from seamline.store.lance import LanceStore
from seamline.store.lance.rows import entry_rows, unpack_body, unpack_body_parts
from seamline.testing.entries import AXES, DIMENSIONS, SETTINGS, entry
from seamline.testing.stores.site import put_entries

PARTS = np.arange(-8, 16, dtype=np.int8).reshape(3, DIMENSIONS)
ONE = replace(entry("a.md", "one"), vector=AXES[3], parts=PARTS)


def body(one: Entry) -> bytes:
    (found,) = entry_rows([one], (), (), SETTINGS)["body"].to_pylist()
    assert isinstance(found, bytes)
    return found


def test_a_body_without_parts_is_what_it_was_before_there_were_any() -> None:
    bare = replace(ONE, parts=None)
    assert body(bare) == codec.pack_entry(bare)
    assert unpack_body_parts(codec.pack_entry(bare)) is None
    assert unpack_body(codec.pack_entry(bare), bare.vector) == bare


def test_parts_come_beside_a_vector_alone() -> None:
    assert unpack_body(body(ONE), ONE.vector) == ONE
    assert unpack_body(body(ONE)) == replace(ONE, vector=None, parts=None)
    found = unpack_body_parts(body(ONE))
    assert found is not None
    assert found.tolist() == PARTS.tolist()


def test_a_damaged_body_is_found() -> None:
    whole = body(ONE)
    start = whole.index(codec.pack_entry(ONE))
    flipped = (whole[:at] + bytes([whole[at] ^ 1 << bit]) + whole[at + 1 :] for at in range(start) for bit in range(8))
    for damaged in (*flipped, *(whole[:end] for end in range(len(whole)))):
        try:
            found = unpack_body(damaged, ONE.vector)
        except StoreError:
            continue
        assert codec.checksum(found) != codec.checksum(ONE)


def test_parts_are_written_into_a_table_without_any(tmp_path: Path) -> None:
    store = LanceStore.create(str(tmp_path / "index"), SETTINGS)
    bare = replace(ONE, vector=None, parts=None)
    put_entries(store, "a.md", [bare])
    with store.writer() as writer:
        assert writer.add_vectors([ONE]) == 1
    store.close()
    store = LanceStore.open(str(tmp_path / "index"))
    try:
        with store.reader() as reader:
            assert reader.parts([ONE.id])[ONE.id].tolist() == PARTS.tolist()
            assert reader.entries([ONE.id], vectors=True)[ONE.id] == ONE
            assert reader.entries([ONE.id])[ONE.id] == bare
            assert [hit.id for hit in reader.near(AXES[3], 1)] == [ONE.id]
        assert not list(store.verify())
    finally:
        store.close()


def test_parts_that_cannot_be_read_are_refused() -> None:
    whole = body(ONE)
    with pytest.raises(StoreError, match="damaged"):
        unpack_body_parts(whole[:20])
