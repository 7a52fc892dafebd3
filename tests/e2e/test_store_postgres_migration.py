"""An index that an older Seamline made is brought up to date when it is opened, wholly or not at all.

`fixtures/postgres/layout-1.sql` was written by the code of layout 1, from the changes in `history`. An index of layout
5 is one of today without the table of parts, which is all that came with layout 6.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

import pytest

from harness.postgres import Running, shared_server
from seamline.errors import StoreError
from seamline.filters.tree import Test
from seamline.protocols import Store
from seamline.records import Entry, without_vectors
from seamline.store import codec
from seamline.store.memory import MemoryStore
from seamline.store.postgres.schema import LAYOUT, PostgresLimits, lock_key
from seamline.store.postgres.store import PostgresStore
from seamline.testing.entries import AXES, SETTINGS, WEIRD, entries, entry, erase, plain, revise, with_parts
from seamline.testing.stores.site import alike, put_entries, tidy, write

FIXTURE = Path(__file__).parents[1] / "fixtures" / "postgres" / "layout-1.sql"
SCHEMA = "old index"
LAYOUT_1 = {"bodies": "digest", "documents": "seal", "settings": "seal"}
"""Columns that layout 1 did not have."""


def history(store: Store) -> None:
    """Edits, sections, front matter, odd texts, a renamed and a deleted document; words both packed and not."""
    _revise(store, "guide.md", entries("guide.md", "webhooks retry 3 times", "a budget of retries", "same", "same"))
    _revise(store, "weird.md", [_rich(text) for text in WEIRD])
    _revise(store, "old name.md", entries("old name.md", "this page moves"))
    _revise(store, "gone.md", entries("gone.md", "this page is deleted"))
    _revise(store, "guide.md", entries("guide.md", "webhooks retry 5 times", "a budget of retries", "same"))
    tidy(store)
    section = replace(entry("guide.md", "about retries", level=1), summary_vector=AXES[2])
    _revise(store, "guide.md", [section, *entries("guide.md", "webhooks retry 5 times", "a budget of money", "same")])
    _revise(store, "new name.md", entries("new name.md", "this page moves"))
    with store.reader() as reader:
        gone = [erase(reader, "old name.md", moved_to="new name.md"), erase(reader, "gone.md")]
    write(store, *gone)


def _revise(store: Store, doc: str, now: list[Entry] | tuple[Entry, ...]) -> None:
    with store.reader() as reader:
        change = revise(reader, doc, now)
    write(store, change)


def _rich(text: str) -> Entry:
    made = entry("weird.md", f"odd {text} body", lead="# H\n\n")
    return replace(
        made,
        parent="p" * 24,
        path=(text, "Odd"),
        language="en",
        coherence=0.25,
        created_at=datetime(2024, 2, 29, tzinfo=UTC),
        summary=f"in short {text}",
        before="... before",
        after="after ...",
        meta={"team": text, "score": 2.5, "draft": True, "tags": ("a", text), "at": datetime(2024, 2, 29, tzinfo=UTC)},
    )


@pytest.fixture
def server() -> Running:
    return shared_server()


@pytest.fixture
def old(server: Running) -> Iterator[tuple[Running, str]]:
    """A server, and a database of it with an index of layout 1."""
    with server.database() as name:
        with server.connect(name) as connection:
            connection.execute("CREATE EXTENSION vector")
            connection.execute(FIXTURE.read_bytes())
        yield server, name


@pytest.fixture
def fifth(server: Running) -> Iterator[tuple[Running, str]]:
    """The same, of layout 5."""
    with server.database() as name:
        store = PostgresStore.create(address(server, name), SETTINGS)
        history(store)
        store.close()
        with server.connect(name) as connection:
            connection.execute(f'DROP TABLE "{SCHEMA}".parts')
            connection.execute(f'UPDATE "{SCHEMA}".settings SET layout = 5')
        yield server, name


def address(server: Running, name: str) -> str:
    return server.url(name, query="schema=old%20index")


def contents(server: Running, name: str) -> list[object]:
    """Every table of the index with its columns and rows."""
    with server.connect(name) as connection:
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = %s ORDER BY 1", (SCHEMA,))
        names = [row[0] for row in tables]
        found = [
            connection.execute(f'SELECT t::text FROM "{SCHEMA}".{table} t ORDER BY 1').fetchall() for table in names
        ]
        columns = connection.execute(
            "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = %s ORDER BY 1, 2",
            (SCHEMA,),
        ).fetchall()
        return [names, found, columns]


def test_the_fixture_is_of_layout_1(old: tuple[Running, str]) -> None:
    with old[0].connect(old[1]) as connection:
        assert connection.execute(f'SELECT layout FROM "{SCHEMA}".settings').fetchone() == (1,)
        for table, column in LAYOUT_1.items():
            query = "SELECT 1 FROM information_schema.columns WHERE table_name = %s AND column_name = %s"
            assert connection.execute(query, (table, column)).fetchone() is None
        for table in ("postings", "recent", "summary_vectors"):
            assert connection.execute(f'SELECT 1 FROM "{SCHEMA}".{table}').fetchone(), table


def test_everything_is_there_after_a_migration(old: tuple[Running, str]) -> None:
    model = MemoryStore(SETTINGS)
    history(model)
    store = PostgresStore.open(address(*old))
    assert store.settings == SETTINGS
    assert list(store.verify()) == []
    with store.reader() as ours, model.reader() as exact:
        assert [plain(one) for one in ours.select(vectors=True)] == [plain(one) for one in exact.select(vectors=True)]
        assert list(ours.heads()) == list(exact.heads())
        for head in exact.heads():
            assert ours.digests(head.doc) == exact.digests(head.doc)
            assert ours.checksums(head.doc) == exact.checksums(head.doc)
            assert ours.seals(head.doc) == exact.seals(head.doc)
            for number in exact.versions(head.doc):
                assert ours.version(head.doc, number) == exact.version(head.doc, number)
        for query in ("retry", "budget retries", "odd body", "moves"):
            assert alike(ours.matching(query, 5, levels=None), exact.matching(query, 5, levels=None))
        for where in (
            None,
            Test("meta.team", "=", WEIRD[0]),
            Test("meta.score", ">", 2.0),
            Test("meta.tags", "has", "a"),
        ):
            assert alike(ours.near(AXES[1], 9, where=where), exact.near(AXES[1], 9, where=where))
        assert alike(
            ours.near(AXES[2], 3, levels=None, of="summary"), exact.near(AXES[2], 3, levels=None, of="summary")
        )
    store.close()


def test_work_goes_on_after_a_migration(old: tuple[Running, str]) -> None:
    store = PostgresStore.open(address(*old), limits=PostgresLimits(fold_at=3, worth_folding=1))
    _revise(store, "guide.md", entries("guide.md", "webhooks retry 7 times", "same"))
    _revise(store, "fresh.md", entries("fresh.md", "a fresh page"))
    tidy(store)
    with store.reader() as reader:
        assert reader.versions("guide.md") == [1, 2, 3, 4]
        assert len(reader.matching("fresh", 5)) == 1
        assert {id: codec.digest(one) for id, one in reader.entries(reader.digests("guide.md")).items()} == (
            reader.digests("guide.md")
        )
    assert list(store.verify()) == []
    store.close()


def test_an_index_of_layout_5_is_there_after_a_migration(fifth: tuple[Running, str]) -> None:
    model = MemoryStore(SETTINGS)
    history(model)
    store = PostgresStore.open(address(*fifth))
    assert list(store.verify()) == []
    with store.reader() as ours, model.reader() as exact:
        made = [plain(one) for one in exact.select(vectors=True)]
        assert [plain(one) for one in ours.select(vectors=True)] == made
        assert dict(ours.parts([str(one["id"]) for one in made])) == {}
        assert alike(ours.near(AXES[1], 9), exact.near(AXES[1], 9))
    store.close()


def test_an_index_of_layout_5_keeps_parts_after_a_migration(fifth: tuple[Running, str]) -> None:
    store = PostgresStore.open(address(*fifth))
    at_once = [with_parts(one) for one in entries("guide.md", "a fresh page", "a budget of retries", "and a third")]
    later = [with_parts(one) for one in entries("later.md", "one", "two", "three")]
    put_entries(store, "guide.md", at_once)
    put_entries(store, "later.md", [*map(without_vectors, later)])
    with store.writer() as writer:
        assert writer.add_vectors(later) == len(later)
    with store.reader() as reader:
        for made in (at_once, later):
            whole = {one.id: one.parts.tolist() for one in made if one.parts is not None}
            assert whole
            assert {id: parts.tolist() for id, parts in reader.parts([one.id for one in made]).items()} == whole
            found = reader.entries([one.id for one in made], vectors=True)
            assert [plain(found[one.id]) for one in made] == [plain(one) for one in made]
    assert list(store.verify()) == []
    assert store.forget(["later.md"]) == ["later.md"]
    with store.reader() as reader:
        assert dict(reader.parts([one.id for one in later])) == {}
        assert reader.parts([one.id for one in at_once])
    assert list(store.verify()) == []
    store.close()


def test_a_role_that_may_read_vectors_may_read_parts_after_a_migration(fifth: tuple[Running, str]) -> None:
    server, name = fifth
    role = f"r {name}"
    with server.connect(name) as connection:
        connection.execute(f'CREATE ROLE "{role}" LOGIN')
        connection.execute(f'GRANT USAGE ON SCHEMA "{SCHEMA}" TO "{role}"')
        connection.execute(f'GRANT SELECT ON ALL TABLES IN SCHEMA "{SCHEMA}" TO "{role}"')
        store = PostgresStore.open(address(server, name))
        made = [with_parts(one) for one in entries("later.md", "one", "two", "three")]
        put_entries(store, "later.md", made)
        reads = PostgresStore.open(address(server, name).replace("//postgres@", f"//{quote(role)}@"))
        with reads.reader() as reader:
            assert len(reader.parts([one.id for one in made])) == sum(one.parts is not None for one in made) > 0
        assert list(reads.verify()) == []
        with pytest.raises(StoreError, match="permission denied"):
            reads.forget(["later.md"])
        reads.close()
        store.close()
        connection.execute(f'DROP OWNED BY "{role}"')
        connection.execute(f'DROP ROLE "{role}"')


def test_parts_belong_to_the_role_that_has_the_vectors(fifth: tuple[Running, str]) -> None:
    """An administrator may open the index first."""
    server, name = fifth
    role = f"r_{name}"
    with server.connect(name) as connection:
        connection.execute(f"CREATE ROLE {role} LOGIN")
        connection.execute(f'ALTER SCHEMA "{SCHEMA}" OWNER TO {role}')
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = %s", (SCHEMA,)).fetchall()
        for (table,) in tables:
            connection.execute(f'ALTER TABLE "{SCHEMA}".{table} OWNER TO {role}')
        PostgresStore.open(address(server, name)).close()
        store = PostgresStore.open(address(server, name).replace("//postgres@", f"//{role}@"))
        put_entries(store, "later.md", [with_parts(one) for one in entries("later.md", "one", "two", "three")])
        assert store.forget(["later.md"]) == ["later.md"]
        assert list(store.verify()) == []
        store.close()
        connection.execute(f"DROP OWNED BY {role}")
        connection.execute(f"DROP ROLE {role}")


def test_an_index_of_today_and_a_migrated_one_have_the_same_tables(old: tuple[Running, str]) -> None:
    server, name = old
    PostgresStore.open(address(server, name)).close()
    PostgresStore.create(server.url(name, query="schema=today"), SETTINGS).close()
    with server.connect(name) as connection:
        shapes = [
            connection.execute(
                "SELECT table_name, column_name, data_type, is_nullable, collation_name FROM information_schema.columns"
                " WHERE table_schema = %s ORDER BY 1, 2",
                (schema,),
            ).fetchall()
            for schema in (SCHEMA, "today")
        ]
        indexes = [
            [re.sub(r'("old index"|today)\.', "", row[0]) for row in connection.execute(
                "SELECT indexdef FROM pg_indexes WHERE schemaname = %s ORDER BY indexname", (schema,)
            )]
            for schema in (SCHEMA, "today")
        ]  # fmt: skip
    assert shapes[0] == shapes[1]
    assert indexes[0] == indexes[1]


def test_a_migration_that_fails_changes_nothing(old: tuple[Running, str]) -> None:
    server, name = old
    with server.connect(name) as connection:
        row = connection.execute(f'SELECT front FROM "{SCHEMA}".bodies WHERE key = 12').fetchone()
        assert row is not None
        connection.execute(f'UPDATE "{SCHEMA}".bodies SET front = %s WHERE key = 12', ("{damaged",))
        before = contents(server, name)
        with pytest.raises(StoreError, match="front matter is damaged"):
            PostgresStore.open(address(server, name))
        assert contents(server, name) == before
        connection.execute(f'UPDATE "{SCHEMA}".bodies SET front = %s WHERE key = 12', row)
    store = PostgresStore.open(address(server, name))
    assert list(store.verify()) == []
    store.close()


def test_a_migration_does_not_wait_for_ever(old: tuple[Running, str], monkeypatch: pytest.MonkeyPatch) -> None:
    server, name = old
    monkeypatch.setattr("seamline.store.postgres.schema._PATIENCE", "300ms")
    with server.connect(name) as writer:
        writer.execute("SELECT pg_advisory_lock(%s)", (lock_key(SCHEMA),))
        before = contents(server, name)
        with pytest.raises(StoreError, match=r"cannot bring the index up to date.*try again when they are done"):
            PostgresStore.open(address(server, name))
        assert contents(server, name) == before


def _claim(server: Running, name: str, layout: int) -> None:
    """Open the index after its layout was given another number."""
    with server.connect(name) as connection:
        connection.execute(f'UPDATE "{SCHEMA}".settings SET layout = %s', (layout,))
    PostgresStore.open(address(server, name)).close()


def test_a_newer_layout_is_refused_and_left_alone(old: tuple[Running, str]) -> None:
    server, name = old
    with server.connect(name) as connection:
        connection.execute(f'UPDATE "{SCHEMA}".settings SET layout = {LAYOUT + 1}')
    before = contents(server, name)
    for attempt in (PostgresStore.open, lambda url: PostgresStore.create(url, SETTINGS)):
        told = rf"newer Seamline \(layout {LAYOUT + 1}, this one knows up to {LAYOUT}\): update Seamline"
        with pytest.raises(StoreError, match=told):
            attempt(address(server, name))
    assert contents(server, name) == before


def test_a_layout_that_never_was_is_damage(old: tuple[Running, str]) -> None:
    with pytest.raises(StoreError, match="no layout 0: drop the schema and index again"):
        _claim(*old, 0)


def test_several_that_open_at_once_migrate_once(old: tuple[Running, str]) -> None:
    failures: list[StoreError] = []

    def open_it() -> None:
        try:
            PostgresStore.open(address(*old)).close()
        except StoreError as error:
            failures.append(error)

    threads = [threading.Thread(target=open_it) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    store = PostgresStore.open(address(*old))
    assert list(store.verify()) == []
    store.close()


def test_a_role_that_may_only_read_cannot_migrate(old: tuple[Running, str]) -> None:
    server, name = old
    role = f"r_{name}"
    with server.connect(name) as connection:
        connection.execute(f"CREATE ROLE {role} LOGIN")
        connection.execute(f'GRANT USAGE ON SCHEMA "{SCHEMA}" TO {role}')
        connection.execute(f'GRANT SELECT ON ALL TABLES IN SCHEMA "{SCHEMA}" TO {role}')
        before = contents(server, name)
        with pytest.raises(StoreError, match=r"cannot bring the index up to date.*the role that made the index"):
            PostgresStore.open(address(server, name).replace("//postgres@", f"//{role}@"))
        assert contents(server, name) == before
        connection.execute(f"DROP OWNED BY {role}")
        connection.execute(f"DROP ROLE {role}")
