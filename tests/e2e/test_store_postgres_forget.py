"""Erasure from an index in PostgreSQL: afterwards no file of the server holds a word of the document."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from uuid import uuid4

import numpy as np
import pytest

from harness.postgres import Server, own_server, shared_server
from seamline.errors import StoreError
from seamline.store.postgres import erase as erasure
from seamline.store.postgres.store import PostgresStore
from seamline.testing.entries import SETTINGS, entry, erase
from seamline.testing.stores.site import put, put_entries, tidy, write

SECRET = "zanzibar"
PARTS = "mombasa!" * 400
"""Of the secret: enough of them that the server keeps them apart from their row."""
SEGMENT = 1
"""MB of a file of the log."""


@pytest.fixture
def server() -> Iterator[Server]:
    """One that leaves no segment of its log for reuse."""
    options = {"wal_recycle": "off", "min_wal_size": "2MB", "autovacuum": "off"}
    with own_server(options, segment=SEGMENT) as made:
        yield made


def files_with(server: Server, text: str) -> list[str]:
    """Files of the server that hold a text; texts of documents are not compressed there."""
    files = [path for path in (server.folder / "data").rglob("*") if path.is_file()]
    return [str(path.relative_to(server.folder)) for path in files if text.encode() in path.read_bytes()]


def test_no_file_of_the_server_holds_what_was_erased(server: Server) -> None:
    store = PostgresStore.create(server.url(), SETTINGS)
    put(store, "kept.md", "pumps and valves")
    put(store, "secret.md", f"the password is {SECRET}", "second passage")
    rows = np.frombuffer(PARTS.encode(), np.int8).reshape(-1, SETTINGS.dimensions)
    put_entries(store, "secret.md", [replace(entry("secret.md", f"the password was {SECRET}"), parts=rows)])
    put(store, "old.md", "moved away")
    with store.reader() as reader:
        moved = erase(reader, "old.md", moved_to="secret.md")
    write(store, moved)
    tidy(store)
    for secret in (SECRET, PARTS[:8]):
        assert files_with(server, secret), "or this test could not fail"
    assert store.forget(["secret.md", "unknown.md"]) == ["secret.md"]
    assert files_with(server, SECRET) == []
    assert files_with(server, PARTS[:8]) == []
    assert files_with(server, "secret.md") == []
    (notice,) = store.remarks()
    assert "backups" in notice.message
    assert "CHECKPOINT" not in notice.message
    assert list(store.verify()) == []
    with store.reader() as reader:
        assert reader.head("secret.md") is None
        assert reader.matching("password", 5) == []
        assert len(reader.matching("pumps", 5)) == 1
    put(store, "secret.md", "a new life")
    assert list(store.verify()) == []
    store.close()


def test_a_session_that_still_sees_the_rows_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(erasure, "_PATIENCE", 0.2)
    store = PostgresStore.create(shared_server().url(query=f"schema=forget_{uuid4().hex}"), SETTINGS)
    put(store, "secret.md", f"the password is {SECRET}")
    with store.reader() as reader:
        assert reader.head("secret.md") is not None
        with pytest.raises(StoreError, match="a session of the server still sees them"):
            store.forget(["secret.md"])
    assert store.forget(["secret.md"]) == []
    store.close()
