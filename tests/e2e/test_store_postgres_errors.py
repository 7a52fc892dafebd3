"""What an index in PostgreSQL says when it cannot go on, by a real server: what is wrong, what helps, and no secret."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from uuid import uuid4

import pytest
from psycopg import sql

from harness.postgres import GUARDED, Running, shared_server
from seamline.errors import ConfigError, IndexMissing, SeamlineError, StoreError
from seamline.store import create_store, open_store
from seamline.store.postgres import write
from seamline.store.postgres.store import PostgresStore
from seamline.testing.entries import AXES, SETTINGS, change, entries, entry, revise
from seamline.testing.stores.site import put

SECRET = "hunter2-s3cret"


@pytest.fixture(scope="module")
def server() -> Running:
    return shared_server()


@pytest.fixture
def url(server: Running) -> str:
    """An address where nothing is yet."""
    return server.url(query=f"schema=e_{uuid4().hex}")


@pytest.fixture
def role(server: Running) -> Iterator[Callable[[str], str]]:
    """Makes roles with these options, which vanish with what they own."""
    made: list[str] = []

    def make(options: str = "LOGIN") -> str:
        made.append(f"r_{uuid4().hex}")
        with server.connect() as connection:
            connection.execute(sql.SQL("CREATE ROLE {} {}").format(sql.Identifier(made[-1]), sql.SQL(options)))
        return made[-1]

    yield make
    with server.connect() as connection:
        for name in made:
            connection.execute(sql.SQL("DROP OWNED BY {} CASCADE").format(sql.Identifier(name)))
            connection.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(name)))


def refused(address: str, *said: str, kind: type[SeamlineError] = StoreError) -> str:
    """What opening and making an index are both told, which holds all of this and no secret."""
    for attempt in (lambda: open_store(address), lambda: create_store(address, SETTINGS)):
        with pytest.raises(kind) as caught:
            attempt()
        message = str(caught.value)
        assert "\n" not in message
        assert SECRET not in message
        assert all(part in message for part in said), message
    return message


def as_role(url: str, name: str) -> str:
    return url.replace("//postgres@", f"//{name}@")


def grant(server: Running, store: PostgresStore, name: str, what: str, database: str = "postgres") -> None:
    schema = sql.Identifier(store.url.rpartition("schema=")[2])
    with server.connect(database) as connection:
        connection.execute(sql.SQL("GRANT USAGE ON SCHEMA {} TO {}").format(schema, sql.Identifier(name)))
        text = "GRANT " + what + " ON ALL TABLES IN SCHEMA {} TO {}"
        connection.execute(sql.SQL(text).format(schema, sql.Identifier(name)))


# Who cannot be reached


def test_a_server_that_does_not_run() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    refused(f"postgresql://ada:{SECRET}@127.0.0.1:{port}/db", "cannot reach", f"ada@127.0.0.1:{port}/db", "is running")


def test_a_host_that_has_no_name() -> None:
    refused(f"postgresql://ada:{SECRET}@no-such-host.invalid/db", "cannot reach", "no-such-host.invalid")


def test_a_server_that_never_answers() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(8)
        port = silent.getsockname()[1]
        address = f"postgresql://ada:{SECRET}@127.0.0.1:{port}/db?connect_timeout=2"
        with pytest.raises(StoreError, match=r"cannot reach.*timeout"):
            open_store(address)


def test_a_wrong_password(server: Running) -> None:
    with server.connect() as connection:
        connection.execute(
            sql.SQL("DO $$ BEGIN CREATE ROLE {} LOGIN PASSWORD 'right'; EXCEPTION WHEN duplicate_object THEN END $$")
            .format(sql.Identifier(GUARDED))
        )  # fmt: skip
    address = server.url(user=GUARDED, password=SECRET)
    refused(address, "password authentication failed", "PGPASSWORD")
    refused(f"{server.url(user=GUARDED)}?password={SECRET}", "password authentication failed", "~/.pgpass")
    refused(server.url(user=GUARDED), "no password", "~/.pgpass")


def test_a_database_that_does_not_exist(server: Running) -> None:
    refused(server.url("nowhere"), 'database "nowhere" does not exist', "createdb")


def test_a_role_that_does_not_exist(server: Running) -> None:
    refused(server.url(user="nobody-here"), 'role "nobody-here" does not exist', "check the user")


def test_a_database_of_another_encoding(server: Running) -> None:
    with server.database("ENCODING 'SQL_ASCII' TEMPLATE template0") as name:
        refused(server.url(name), "SQL_ASCII", "ENCODING 'UTF8'")


@pytest.mark.parametrize(
    "address",
    [
        f"postgresql://ada:{SECRET}/x@127.0.0.1/db",
        f"postgresql://ada:12/{SECRET}@127.0.0.1/db",
        f"postgresql://ada:x?{SECRET}@127.0.0.1/db",
        f"postgresql://ada:{SECRET}@127.0.0.1/db?no_such_option=1",
        f"postgresql://ada:{SECRET}@[::1/db",
        f"postgresql://ada:{SECRET}%zz@127.0.0.1/db",
        f"postgresql://ada:{SECRET}@127.0.0.1/db?schema=",
        f"postgresql://ada:{SECRET}@127.0.0.1/db?schema={'x' * 64}",
        f"postgresql://ada:{SECRET}@127.0.0.1/db?schema=a%00b",
        f"postgresql://ada:{SECRET}@127.0.0.1/db?schema=%24user",
        f"postgresql://ada:{SECRET}@127.0.0.1/db?schema=pg_temp",
    ],
)
def test_an_address_that_cannot_be_read(address: str) -> None:
    refused(address, "expected a", kind=ConfigError)


def test_no_secret_in_what_an_index_calls_itself(server: Running, url: str) -> None:
    address = url.replace("postgres@", f"postgres:{SECRET}@") + f"&sslpassword={SECRET}"
    with ExitStack() as stack:
        store = create_store(address, SETTINGS)
        stack.callback(store.close)
        assert SECRET not in store.url + repr(vars(store))
        assert store.url.startswith(f"postgresql://postgres@127.0.0.1:{server.port}/")


# What is not there, or may not be done


def test_a_schema_without_an_index(url: str) -> None:
    with pytest.raises(IndexMissing, match="seamline index"):
        open_store(url)


def test_an_index_in_the_schema_of_pgvector_is_not_found_in_another(server: Running) -> None:
    with server.database() as name:
        made = create_store(server.url(name, query="schema=public"), SETTINGS)
        put(made, "a.md", "one")
        with pytest.raises(IndexMissing):
            open_store(server.url(name, query="schema=other"))
        other = create_store(server.url(name, query="schema=other"), SETTINGS)
        with other.reader() as reader:
            assert reader.count() == 0
        made.close()
        other.close()


def test_a_table_of_somebody_else_stays_as_it_is(server: Running, url: str) -> None:
    schema = url.rpartition("=")[2]
    with server.connect() as connection:
        connection.execute(f"CREATE SCHEMA {schema}")
        connection.execute(f"CREATE TABLE {schema}.entries (theirs text)")
        with pytest.raises(StoreError, match=r"`entries` of something else.*another schema"):
            create_store(url, SETTINGS)
        assert connection.execute(f"SELECT count(*) FROM {schema}.entries").fetchone() == (0,)


def test_a_server_without_pgvector(server: Running) -> None:
    with server.database() as name:
        address = server.url(name, query="options=-c%20extension_control_path%3D/nonexistent")
        with pytest.raises(StoreError, match="has no pgvector: install it there"):
            create_store(address, SETTINGS)
        with server.connect(name) as connection:
            assert connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = 'seamline'").fetchone() is None


def test_a_pgvector_that_is_too_old(server: Running) -> None:
    with server.database() as name:
        create_store(server.url(name), SETTINGS).close()
        with server.connect(name) as connection:
            connection.execute("UPDATE pg_extension SET extversion = '0.7.4' WHERE extname = 'vector'")
        refused(server.url(name), "pgvector 0.8 or later", "got 0.7.4", "ALTER EXTENSION vector UPDATE")


def test_a_role_that_may_not_switch_pgvector_on(server: Running, role: Callable[[str], str]) -> None:
    with server.database() as name:
        plain = role()
        with server.connect(name) as connection:
            connection.execute(f"CREATE SCHEMA seamline AUTHORIZATION {plain}")
        with pytest.raises(StoreError, match="CREATE EXTENSION vector"):
            create_store(as_role(server.url(name), plain), SETTINGS)
        with server.connect(name) as connection:
            connection.execute("CREATE EXTENSION vector")
        store = create_store(as_role(server.url(name), plain), SETTINGS)
        put(store, "a.md", "one")
        store.close()


def test_a_role_that_may_make_schemas_needs_nothing_else(server: Running, role: Callable[[str], str]) -> None:
    with server.database() as name:
        plain = role()
        with server.connect(name) as connection:
            connection.execute("CREATE EXTENSION vector")
            connection.execute(f"GRANT CREATE ON DATABASE {name} TO {plain}")
        store = create_store(as_role(server.url(name), plain), SETTINGS)
        put(store, "a.md", "one")
        store.close()
        with server.connect() as connection:
            connection.execute(f"REVOKE ALL ON DATABASE {name} FROM {plain}")


def test_a_role_that_may_not_make_a_schema(url: str, role: Callable[[str], str]) -> None:
    with pytest.raises(StoreError, match=r"may not make schema.*GRANT CREATE ON DATABASE"):
        create_store(as_role(url, role()), SETTINGS)


def test_a_role_that_may_not_use_the_schema(url: str, role: Callable[[str], str]) -> None:
    create_store(url, SETTINGS).close()
    refused(as_role(url, role()), "may not use schema", "GRANT USAGE")


def test_a_role_that_may_only_read(server: Running, url: str, role: Callable[[str], str]) -> None:
    owner, reading = PostgresStore.create(url, SETTINGS), role()
    made = put(owner, "a.md", "one")
    grant(server, owner, reading, "SELECT")
    store = open_store(as_role(url, reading))
    with store.reader() as reader:
        assert reader.count() == 1
        assert reader.near(AXES[0], 1)
        assert reader.matching("one", 1)
        revised = revise(reader, "a.md", [*made, entry("a.md", "two")])
    assert list(store.verify()) == []
    assert store.size() > 0
    with store.writer() as writer, pytest.raises(StoreError, match=r"nothing was written.*grant"):
        writer.apply([revised])
    with store.writer() as writer:
        with pytest.raises(StoreError, match=r"nothing was written.*grant"):
            writer.apply([revised])
        with pytest.raises(StoreError, match=r"nothing was written.*grant"):
            writer.apply([revised])
    store.close()
    owner.close()


def test_a_connection_that_ends_before_a_writer_has_begun(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    store = PostgresStore.create(url, SETTINGS)
    with monkeypatch.context() as dying:
        dying.setattr(write, "_TIMELINE", "SELECT pg_terminate_backend(pg_backend_pid())")
        with pytest.raises(StoreError, match="nothing was written: PostgreSQL at"), store.writer():
            pass
    put(store, "a.md", "the right to write was given back")
    store.close()


def test_a_server_that_only_reads(url: str) -> None:
    create_store(url, SETTINGS).close()
    store = open_store(f"{url}&options=-c%20default_transaction_read_only%3Don")
    with store.writer() as writer, pytest.raises(StoreError, match=r"nothing was written.*read-only"):
        writer.apply([change("a.md", entries("a.md", "x"))])
    store.close()


def test_settings_that_are_gone_or_tables_that_are(server: Running, url: str) -> None:
    create_store(url, SETTINGS).close()
    schema = url.rpartition("=")[2]
    with server.connect() as connection:
        connection.execute(f"ALTER TABLE {schema}.entries RENAME TO lost")
        store = open_store(url)
        with store.reader() as reader, pytest.raises(StoreError, match="damaged or was removed"):
            reader.count()
        connection.execute(f"DROP SCHEMA {schema} CASCADE")
        with pytest.raises(StoreError, match="damaged or was removed"), store.reader():
            pass
        create_store(url, SETTINGS).close()
        with pytest.raises(StoreError, match="replaced meanwhile: open it again"), store.reader():
            pass
        store.close()
