"""An index on a primary and a replica: who is asked, what is seen, and what is left when the primary is killed."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from uuid import uuid4

import pytest

from harness.postgres import Server, own_folder, own_server
from seamline.errors import ConfigError, StoreError
from seamline.protocols import Store
from seamline.records import without_vectors
from seamline.search.citations import resolve
from seamline.store import create_store, open_store
from seamline.store.postgres.connect import Address
from seamline.testing.entries import SETTINGS, entries, with_parts
from seamline.testing.stores.site import put, put_entries

READERS = "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE %s AND xact_start IS NOT NULL"


@contextmanager
def replicated() -> Iterator[tuple[Server, Server]]:
    """A primary and its replica, which every commit waits for."""
    with ExitStack() as stack:
        primary = stack.enter_context(own_server())
        replica = primary.copy_to(stack.enter_context(own_folder()), "copy")
        stack.callback(replica.stop, signal.SIGQUIT)
        replica.start()
        with primary.connect() as connection:
            connection.execute("ALTER SYSTEM SET synchronous_standby_names = 'copy'")
            connection.execute("SELECT pg_reload_conf()")
        yield primary, replica


@pytest.fixture(scope="module")
def servers() -> Iterator[tuple[Server, Server]]:
    with replicated() as both:
        yield both


def address(primary: Server, replica: Server, lag: str = "5s") -> str:
    hosts = f"127.0.0.1:{primary.port},127.0.0.1:{replica.port}"
    own = f"schema=r_{uuid4().hex}&read=127.0.0.1:{replica.port}&max_lag={lag}"
    return f"postgresql://postgres@{hosts}/postgres?{own}"


@contextmanager
def stalled(replica: Server) -> Iterator[None]:
    """The replica gets the log and does not replay it."""
    with replica.connect() as connection:
        connection.execute("SELECT pg_wal_replay_pause()")
        while connection.execute("SELECT pg_get_wal_replay_pause_state()").fetchone() != ("paused",):
            time.sleep(0.01)
        try:
            yield
        finally:
            connection.execute("SELECT pg_wal_replay_resume()")


def readers_of(server: Server) -> int:
    """Transactions of this process that are open on a server."""
    with server.connect() as connection:
        row = connection.execute(READERS, (f"seamline reader {os.getpid()}@%",)).fetchone()
        return int(row[0]) if row else 0


def catch_up(primary: Server, replica: Server) -> None:
    """Wait until the replica shows all that the primary has."""
    with primary.connect() as there, replica.connect() as here:
        row = there.execute("SELECT pg_current_wal_lsn()").fetchone()
        assert row
        while here.execute("SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn", row).fetchone() != (True,):
            time.sleep(0.01)


def test_whoever_reads_asks_the_replica(servers: tuple[Server, Server]) -> None:
    primary, replica = servers
    store = create_store(address(*servers), SETTINGS)
    put(store, "a.md", "one")
    catch_up(*servers)
    with store.reader() as reader:
        assert reader.count() == 1
        assert (readers_of(primary), readers_of(replica)) == (0, 1)
    assert store.remarks() == []
    store.close()


def test_what_this_process_wrote_it_reads(servers: tuple[Server, Server]) -> None:
    """The replica has the change and does not show it yet: the primary is asked until it does."""
    store = create_store(address(*servers, lag="1min"), SETTINGS)
    put(store, "a.md", "one")
    catch_up(*servers)
    with stalled(servers[1]):
        with store.reader() as reader:
            assert readers_of(servers[1]) == 1
        (entry,) = put(store, "b.md", "two")
        with store.reader() as reader:
            found = resolve(reader, f"{entry.id}@1")
            assert (found.status, found.cited and found.cited.quote) == ("current", "two")
            assert (readers_of(servers[0]), readers_of(servers[1])) == (1, 0)
    catch_up(*servers)
    with store.reader() as reader:
        assert reader.count() == 2
        assert readers_of(servers[1]) == 1
    store.close()


def test_a_replica_is_not_read_when_it_is_too_far_behind(servers: tuple[Server, Server]) -> None:
    """What another process wrote is seen within `max_lag`, and not necessarily before."""
    url = address(*servers, lag="1s")
    store, other = create_store(url, SETTINGS), open_store(url)
    put(other, "a.md", "one")
    catch_up(*servers)
    with stalled(servers[1]):
        with store.reader() as reader:
            assert reader.count() == 1
        put(other, "b.md", "two")
        with store.reader() as reader:
            assert readers_of(servers[1]) == 1
            assert reader.count() == 1
        time.sleep(1.05)
        with store.reader() as reader:
            assert reader.count() == 2
    other.close()
    store.close()


def test_no_older_state_follows_a_newer_one(servers: tuple[Server, Server]) -> None:
    """Two servers are read, one of which is behind."""
    url = address(*servers, lag="1min").replace("&read=", f"&read=127.0.0.1:{servers[0].port},")
    store, other = create_store(url, SETTINGS), open_store(url)
    put(other, "a.md", "one")
    catch_up(*servers)
    replicas = store._replicas  # type: ignore[attr-defined]
    with stalled(servers[1]):
        for first, count in ((1, 1), (0, 2), (1, 2)):
            replicas._first = first
            with store.reader() as reader:
                assert reader.count() == count
            if first:
                put(other, "b.md", "two")
    other.close()
    store.close()


def test_an_older_layout_is_brought_up_to_date_on_the_primary(servers: tuple[Server, Server]) -> None:
    """A replica that still has the older one is not read; alone, it says who can help."""
    primary, replica = servers
    url = address(primary, replica, lag="1min")
    store = create_store(url, SETTINGS)
    made = [with_parts(one) for one in entries("a.md", "one", "two", "three")]
    put_entries(store, "a.md", [*map(without_vectors, made)])
    store.close()
    schema = Address.read(url).schema
    with primary.connect() as connection:
        connection.execute(f"DROP TABLE {schema}.parts")
        connection.execute(f"UPDATE {schema}.settings SET layout = 5")
    catch_up(primary, replica)
    with pytest.raises(StoreError, match=r"cannot bring the index up to date.*write to the primary"):
        open_store(replica.url(query=f"schema={schema}"))
    with stalled(replica):
        store = open_store(url)
        with store.writer() as writer:
            writer.add_vectors(made)
        with store.reader() as reader:
            assert readers_of(replica) == 0
            assert reader.parts([one.id for one in made])
    catch_up(primary, replica)
    with store.reader() as reader:
        assert readers_of(replica) == 1
        assert reader.parts([one.id for one in made])
    store.close()


def test_a_replica_that_is_gone_is_done_without() -> None:
    with replicated() as (primary, replica):
        with primary.connect() as connection:
            connection.execute("ALTER SYSTEM SET synchronous_standby_names = ''")
            connection.execute("SELECT pg_reload_conf()")
        store = create_store(address(primary, replica), SETTINGS)
        put(store, "a.md", "one")
        replica.stop(signal.SIGKILL)
        with store.reader() as reader:
            assert reader.count() == 1
        put(store, "b.md", "two")
        replica.start()
        catch_up(primary, replica)
        with store.reader() as reader:
            assert reader.count() == 2
        store.close()


def counts_of(store: Store) -> dict[str, int]:
    """The documents of an index, and how many entries each has."""
    with store.reader() as reader:
        return dict(Counter(entry.doc for entry in reader.select()))


def write_until_it_fails(url: str, *, after: int, then: Callable[[], None]) -> tuple[set[str], str]:
    """Write documents, do something while they are written, and go on; which were acknowledged, and how it ended."""
    acknowledged: set[str] = set()
    failure: list[str] = []

    def write() -> None:
        with closing(open_store(url)) as store:
            try:
                for number in range(10_000):
                    put(store, f"{number}.md", f"document {number}")
                    acknowledged.add(f"{number}.md")
            except StoreError as error:
                failure.append(str(error))

    writer = threading.Thread(target=write)
    writer.start()
    while len(acknowledged) < after:
        time.sleep(0.01)
    then()
    writer.join()
    return acknowledged, "".join(failure)


@contextmanager
def reading(url: str) -> Iterator[tuple[list[float], list[str]]]:
    """Somebody who reads all the time: when each read ended, and what went wrong."""
    done: list[float] = []
    wrong: list[str] = []
    stop = threading.Event()

    def read() -> None:
        with closing(open_store(url)) as store:
            while not stop.is_set():
                try:
                    with store.reader() as reader:
                        assert reader.count() > 0
                    done.append(time.monotonic())
                except StoreError as error:
                    wrong.append(str(error))

    thread = threading.Thread(target=read)
    thread.start()
    try:
        yield done, wrong
    finally:
        stop.set()
        thread.join()


def test_the_primary_is_killed() -> None:
    """No committed document is lost, reads go on while there is no primary, and writes when there is one again."""
    with replicated() as (primary, replica):
        url = address(primary, replica, lag="500ms")
        store = create_store(url, SETTINGS)
        put(store, "0.md", "document 0")
        with reading(url) as (reads, wrong):
            acknowledged, failure = write_until_it_fails(url, after=25, then=lambda: primary.stop(signal.SIGKILL))
            killed = time.monotonic()
            time.sleep(1.5)
            assert counts_of(store).keys() >= acknowledged
            assert [notice.code for notice in store.remarks()] == ["primary-away"]
            with closing(open_store(url)) as late:
                assert counts_of(late).keys() >= acknowledged
                with pytest.raises(StoreError, match="cannot reach"), late.writer():
                    pass
            promoted = time.monotonic()
            replica.promote()
            put(store, "after.md", "written to the new primary")
            written = time.monotonic() - promoted
        now = counts_of(store)
        between = sum(killed < moment < promoted for moment in reads)
        print(
            f"{len(acknowledged)} acknowledged, {len(acknowledged - now.keys())} lost;"
            f" {between} reads while there was no primary, {len(wrong)} of {len(reads) + len(wrong)} failed in all;"
            f" a write {written:.1f} s after the promotion began"
        )
        assert now.keys() >= {*acknowledged, "after.md"}
        assert len(now) <= len(acknowledged) + 2, "at most the document that was on its way"
        assert set(now.values()) == {1}
        assert list(store.verify()) == []
        assert any(said in failure for said in ("cannot reach", "lost", "nothing was written"))
        assert store.remarks() == []
        assert between > 0
        assert len(wrong) <= 2, wrong
        store.close()


def test_a_commit_that_a_failover_cuts_off_is_told_as_unknown() -> None:
    """The new primary may have given the number of the transaction to another: it is not asked about it."""
    with replicated() as (primary, replica):
        store = create_store(address(primary, replica), SETTINGS)
        put(store, "a.md", "one")
        with primary.connect() as connection, replica.connect() as copy:
            connection.execute("ALTER SYSTEM SET synchronous_commit = 'remote_apply'")
            connection.execute("SELECT pg_reload_conf()")
            copy.execute("SELECT pg_wal_replay_pause()")
            failure: list[str] = []

            def write() -> None:
                with pytest.raises(StoreError) as refused:
                    put(store, "b.md", "two")
                failure.append(str(refused.value))

            writer = threading.Thread(target=write)
            writer.start()
            waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
            while connection.execute(waiting).fetchone() == (0,):
                time.sleep(0.01)
            primary.stop(signal.SIGKILL)
            copy.execute("SELECT pg_wal_replay_resume()")
            replica.promote()
            writer.join()
        assert "another server has become the primary" in failure[0]
        assert "it is not known whether the last documents were written" in failure[0]
        assert counts_of(store) == {"a.md": 1, "b.md": 1}
        put(store, "c.md", "three")
        assert list(store.verify()) == []
        store.close()


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("read=a:b", "expected replicas as read=HOST:PORT,HOST:PORT, got 'a:b'"),
        ("read=b&max_lag=soon", "expected a time such as max_lag=5s, 500ms or 1min, got 'soon'"),
    ],
)
def test_what_an_address_cannot_say(query: str, expected: str) -> None:
    with pytest.raises(ConfigError, match=expected):
        Address.read(f"postgresql://a/docs?{query}")


def test_the_parts_of_an_address() -> None:
    found = Address.read("postgresql://ada:secret@a,b:5433/docs?schema=x&read=c,[::1]:7&max_lag=200ms")
    assert found.parameters["host"] == "a,b"
    assert found.parameters["target_session_attrs"] == "read-write"
    assert found.max_lag == 0.2
    assert [(one.parameters["host"], one.parameters["port"]) for one in found.replicas] == [("c", "5432"), ("::1", "7")]
    assert all("target_session_attrs" not in one.parameters for one in found.replicas)
    assert found.replicas[0].shown == "postgresql://ada@c/docs?schema=x"
    assert "secret" not in found.shown
    assert found.replicas[0].parameters["password"] == "secret"
