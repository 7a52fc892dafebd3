"""An index in PostgreSQL whose sessions are cut off, and two that want it at once: nothing is lost, and it is said."""

from __future__ import annotations

import os
import socket
import threading
from contextlib import suppress
from uuid import uuid4

import psycopg
import pytest

from harness.postgres import Running, shared_server
from seamline.errors import SeamlineError, StoreError
from seamline.store import create_store, open_store
from seamline.testing.entries import SETTINGS, change, entries
from seamline.testing.stores.site import put


@pytest.fixture(scope="module")
def server() -> Running:
    return shared_server()


@pytest.fixture
def url(server: Running) -> str:
    """An address where nothing is yet."""
    return server.url(query=f"schema=e_{uuid4().hex}")


# What is cut off


def cut_first_attempt(connection: psycopg.Connection, schema: str) -> None:
    """A function for triggers that ends the session that runs it, once, and counts how often it is run."""
    connection.execute(f"CREATE SEQUENCE {schema}.attempts")
    connection.execute(
        f"CREATE FUNCTION {schema}.cut() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        f" IF nextval('{schema}.attempts') = 1 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;"
        " RETURN NULL; END $$"
    )


def end_sessions(server: Running) -> int:
    """End every session of this process."""
    with server.connect() as connection:
        rows = connection.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            " WHERE application_name LIKE %s AND pid <> pg_backend_pid()",
            (f"seamline%{os.getpid()}@%",),
        ).fetchall()
    return len(rows)


def test_a_reader_that_is_cut_off(server: Running, url: str) -> None:
    store = create_store(url, SETTINGS)
    put(store, "a.md", "one")
    with store.reader() as reader:
        assert end_sessions(server)
        with pytest.raises(StoreError, match="connection is lost, try again"):
            reader.count()
    with store.reader() as reader:
        assert reader.count() == 1
    store.close()


def test_a_reader_that_is_cut_off_in_a_long_answer(server: Running, url: str) -> None:
    store = create_store(url, SETTINGS)
    put(store, "a.md", *(f"passage {n} " * 50 for n in range(1200)))
    with store.reader() as reader:
        found = reader.select()
        next(found)
        assert end_sessions(server)
        with pytest.raises(StoreError, match="connection is lost"):
            list(found)
    store.close()


def test_connections_that_died_while_nobody_looked(server: Running, url: str) -> None:
    store = create_store(url, SETTINGS)
    for number in range(3):
        put(store, f"{number}.md", "one")
        assert end_sessions(server)
        with store.reader() as reader:
            assert reader.count() == number + 1
    store.close()


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="only Linux can be told how long to wait")
def test_a_network_that_is_cut_is_noticed_in_seconds(url: str) -> None:
    """What is sent and not acknowledged, and a peer that is silent: the kernel gives up after ten and twenty seconds,
    for readers and writers, and not after a quarter of an hour."""
    store = create_store(url, SETTINGS)
    with store.reader() as reader, store.writer() as writer:
        for one in (reader, writer):
            with socket.fromfd(one._connection.fileno(), socket.AF_INET, socket.SOCK_STREAM) as wire:  # type: ignore[attr-defined]
                assert wire.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 10_000
                assert wire.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
                idle, between, count = (
                    wire.getsockopt(socket.IPPROTO_TCP, name)
                    for name in (socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL, socket.TCP_KEEPCNT)
                )
                assert idle + between * count <= 20
    store.close()


def test_a_writer_that_is_cut_off_between_two_changes(server: Running, url: str) -> None:
    store = create_store(url, SETTINGS)
    with store.writer() as writer:
        writer.apply([change("a.md", entries("a.md", "one"))])
        assert end_sessions(server)
        writer.apply([change("b.md", entries("b.md", "two"))])
        with pytest.raises(StoreError, match="is writing"), store.writer():
            pass
    with store.reader() as reader:
        assert [head.doc for head in reader.heads()] == ["a.md", "b.md"]
    assert list(store.verify()) == []
    store.close()


def test_a_writer_that_is_cut_off_in_a_change(server: Running, url: str) -> None:
    """A rule of the server ends the session in the middle of the first attempt; the second gets through."""
    store = create_store(url, SETTINGS)
    schema = url.rpartition("=")[2]
    with server.connect() as connection:
        cut_first_attempt(connection, schema)
        connection.execute(f"CREATE TRIGGER cut AFTER INSERT ON {schema}.versions EXECUTE FUNCTION {schema}.cut()")
        put(store, "a.md", "one", "two")
        assert connection.execute(f"SELECT last_value FROM {schema}.attempts").fetchone() == (2,)
    with store.reader() as reader:
        assert reader.count() == 2
        assert reader.versions("a.md") == [1]
    assert list(store.verify()) == []
    store.close()


def test_a_server_that_cuts_off_every_attempt(server: Running, url: str) -> None:
    store = create_store(url, SETTINGS)
    put(store, "a.md", "old")
    schema = url.rpartition("=")[2]
    with server.connect() as connection:
        connection.execute(
            f"CREATE FUNCTION {schema}.cut() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$"
        )
        connection.execute(f"CREATE TRIGGER cut AFTER INSERT ON {schema}.versions EXECUTE FUNCTION {schema}.cut()")
        with pytest.raises(StoreError, match=r"nothing was written.*try again"):
            put(store, "a.md", "new")
        connection.execute(f"DROP TRIGGER cut ON {schema}.versions")
    with store.reader() as reader:
        assert [one.body for one in reader.select()] == ["old"]
    put(store, "a.md", "new")
    assert list(store.verify()) == []
    store.close()


class Lossy:
    """A way to the server on which the answer to one COMMIT is lost, with the connection."""

    def __init__(self, port: int) -> None:
        self._server = port
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port = self._door.getsockname()[1]
        self.losses = 0
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._door.accept()
                server = socket.create_connection(("127.0.0.1", self._server))
                for source, target, watched in ((client, server, True), (server, client, False)):
                    threading.Thread(target=self._carry, args=(source, target, watched), daemon=True).start()

    def _carry(self, source: socket.socket, target: socket.socket, watched: bool) -> None:
        with suppress(OSError):
            while data := source.recv(1 << 16):
                if watched and b"COMMIT" in data and not self.losses:
                    self.losses += 1
                    source.shutdown(socket.SHUT_RDWR)  # first, so that no answer gets through
                target.sendall(data)
            target.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._door.close()


def test_a_commit_whose_answer_is_lost_is_not_written_twice(server: Running, url: str) -> None:
    create_store(url, SETTINGS).close()
    way = Lossy(server.port)
    store = open_store(url.replace(f":{server.port}/", f":{way.port}/"))
    with store.writer() as writer:
        writer.apply([change("a.md", entries("a.md", "one"))])
        assert way.losses == 1
        writer.apply([change("b.md", entries("b.md", "two"))])
    with store.reader() as reader:
        assert [(head.doc, head.version) for head in reader.heads()] == [("a.md", 1), ("b.md", 1)]
        assert reader.generation == 2
    assert list(store.verify()) == []
    store.close()
    way.close()


def test_a_commit_that_fails_at_the_last_moment_is_done_again(server: Running, url: str) -> None:
    """A rule of the server ends the session after COMMIT was sent, and before it is done."""
    store = create_store(url, SETTINGS)
    schema = url.rpartition("=")[2]
    with server.connect() as connection:
        cut_first_attempt(connection, schema)
        connection.execute(
            f"CREATE CONSTRAINT TRIGGER cut AFTER INSERT ON {schema}.versions DEFERRABLE INITIALLY DEFERRED"
            f" FOR EACH ROW EXECUTE FUNCTION {schema}.cut()"
        )
        put(store, "a.md", "one", "two")
        assert connection.execute(f"SELECT last_value FROM {schema}.attempts").fetchone() == (2,)
    with store.reader() as reader:
        assert reader.versions("a.md") == [1]
    assert list(store.verify()) == []
    store.close()


def test_a_statement_that_takes_too_long(server: Running, url: str) -> None:
    store = create_store(url, SETTINGS)
    put(store, "a.md", "old")
    schema = url.rpartition("=")[2]
    with server.connect() as connection:
        connection.execute(
            f"CREATE FUNCTION {schema}.wait() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN PERFORM pg_sleep(30); RETURN NULL; END $$"
        )
        connection.execute(f"CREATE TRIGGER wait AFTER INSERT ON {schema}.versions EXECUTE FUNCTION {schema}.wait()")
        hasty = open_store(f"{url}&options=-c%20statement_timeout%3D400")
        with pytest.raises(StoreError, match=r"nothing was written.*raise statement_timeout"):
            put(hasty, "a.md", "new")
        connection.execute(f"DROP TRIGGER wait ON {schema}.versions")
    put(hasty, "a.md", "new")
    with hasty.reader() as reader:
        assert [one.body for one in reader.select()] == ["new"]
        assert reader.versions("a.md") == [1, 2]
    hasty.close()
    store.close()


# Two at once


def test_a_second_writer_is_told_who_the_first_is(url: str) -> None:
    one, two = create_store(url, SETTINGS), create_store(url, SETTINGS)
    with one.writer(), pytest.raises(StoreError) as caught, two.writer():
        pass
    said = str(caught.value)
    assert f"`seamline writer {os.getpid()}@{socket.gethostname()}"[:40] in said
    assert "from 127.0.0.1, since 20" in said
    assert "wait until it is done" in said
    one.close()
    two.close()


def test_an_index_can_be_opened_while_somebody_writes(url: str) -> None:
    store = create_store(url, SETTINGS)
    with store.writer():
        create_store(url, SETTINGS).close()
        open_store(url).close()
    store.close()


def test_many_indexes_are_made_at_once_in_a_new_database(server: Running) -> None:
    with server.database() as name:
        failures: list[Exception] = []

        def make(number: int) -> None:
            try:
                create_store(server.url(name, query=f"schema=s{number % 3}"), SETTINGS).close()
            except (SeamlineError, psycopg.Error) as error:
                failures.append(error)

        threads = [threading.Thread(target=make, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []
