"""Which server a reader asks: a replica that shows enough, or else the primary.

Every server says how far it is: the primary how much of its log is written, a replica how much of it is replayed. What
the primary said a moment ago, every replica has to have replayed that is asked now. So nothing that is read is older
than `max_lag`, whatever the clocks of the servers say, and the primary is asked two short questions in that time and
not one for each search. What this process wrote or has read already counts in the same way: it reads its own changes,
and never an older state than before.

Where the primary does not answer, nobody can tell how old a replica is: it is read nevertheless, which is said in a
notice, as long as it has what this process wrote and saw.
"""

from __future__ import annotations

import os
import select
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple, Protocol

import psycopg
from psycopg.pq import ExecStatus

from seamline.errors import StoreError
from seamline.store.postgres.connect import Address, Connection, ConnectionPool, connect, use_schema
from seamline.types import Notice

_POSITION = (
    "SELECT (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END"
    " - '0/0'::pg_lsn)::bigint"
)
"""How far a server is, in bytes of the log since it was made."""
PRIMARY_POSITION = "SELECT (pg_current_wal_lsn() - '0/0'::pg_lsn)::bigint"
"""The same of a primary; a replica refuses it."""
_ANSWER = 2
"""Seconds that a primary may take to answer; libpq knows no less for connecting."""
_AGAIN = 1.0
"""Seconds after which a primary that did not answer is asked again."""
_CATCH_UP = 3.0
"""Seconds that replicas get to replay what this process needs, where no primary can be asked instead."""
_PAUSE = 0.02


class Need(NamedTuple):
    """What a replica must have replayed to be read."""

    position: int
    is_known: bool
    """Whether the primary said so; else it cannot be reached, and how old a replica is nobody knows."""


class Positioned(Protocol):
    """Whatever changes the primary."""

    @property
    def position(self) -> int:
        """Of the server's log, after the last change."""
        ...


class PrimaryWatch:
    """Knows how far the primary was a moment ago. Threads may share it."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._lock = threading.Lock()
        self._connection: Connection | None = None
        self._said: list[tuple[float, int]] = []
        """When the primary was asked, and how far it was; the latest last."""
        self._failed = float("-inf")
        """When it last did not answer."""
        self._least = 0
        """What this process wrote and saw."""

    def need(self) -> Need:
        """What has to be there now; asks the primary where it was not asked for half the time that it may be."""
        with self._lock:
            now = time.monotonic()
            if not self._said or now - self._said[-1][0] > self._address.max_lag / 2:
                self._ask(now)
            self._said = [one for one in self._said if now - one[0] <= self._address.max_lag]
            if not self._said:
                return Need(self._least, is_known=False)
            return Need(max(self._said[0][1], self._least), is_known=True)

    def note(self, position: int) -> None:
        """This process saw or wrote a state: it is shown no older one."""
        with self._lock:
            self._least = max(self._least, position)

    def close(self) -> None:
        with self._lock:
            self._drop()

    def _ask(self, now: float) -> None:
        if now - self._failed < _AGAIN:
            return
        for _ in range(2):  # a connection that lay idle may be dead
            fresh = self._connection is None
            try:
                position = self._position()
            except (psycopg.Error, StoreError, TimeoutError):
                self._drop()
                if fresh:
                    self._failed = time.monotonic()
                    return
                continue
            if position < self._least:
                # Another server became the primary, and lacks something that the old one had: this is the truth now.
                self._least = position
                self._said.clear()
            self._said.append((now, position))
            return

    def _position(self) -> int:
        """The answer of the primary, or an error within seconds, whatever it does."""
        if self._connection is None:
            self._connection = connect(self._address, timeout=_ANSWER)
        server = self._connection.pgconn
        server.send_query(PRIMARY_POSITION.encode())
        end = time.monotonic() + _ANSWER
        while server.is_busy():
            ready, _, _ = select.select([server.socket], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                raise TimeoutError
            server.consume_input()
        found = server.get_result()
        while server.get_result():
            pass
        if found is None or found.status != ExecStatus.TUPLES_OK:
            raise psycopg.OperationalError("the primary is none any more")
        return int(found.get_value(0, 0) or 0)

    def _drop(self) -> None:
        if self._connection is not None:
            with suppress(psycopg.Error):
                self._connection.close()
            self._connection = None


class ReplicaSet:
    """The replicas of an address, one of which a process asks as long as it answers and is up to date. Threads may
    share it."""

    def __init__(self, address: Address, adapt: Callable[[Connection], Connection]) -> None:
        self._address = address
        self._watch = PrimaryWatch(address)
        self._pools = [
            ConnectionPool(lambda one=one: adapt(connect(one, timeout=_ANSWER)))  # type: ignore[misc]
            for one in address.replicas
        ]
        self._first = os.getpid() % len(self._pools)
        """The one that is asked first: processes start at different ones."""
        self._writing: set[int] = set()
        """Threads that write: they read what they change from the primary."""
        self._lock = threading.Lock()
        self._is_away = False
        self._remarks: list[Notice] = []

    @contextmanager
    def writing(self, writer: Positioned) -> Iterator[None]:
        """This thread reads from the primary meanwhile; what was written is seen by all that this process reads
        afterwards."""
        here = threading.get_ident()
        self._writing.add(here)
        try:
            yield
        finally:
            self._writing.discard(here)
            self._watch.note(writer.position)

    def take(self) -> tuple[Connection, ConnectionPool, Address] | None:
        """A connection to a replica that shows enough, the pool that it goes back to, and where it leads; None where
        the primary is to be asked."""
        if threading.get_ident() in self._writing:
            return None
        end = time.monotonic() + _CATCH_UP
        while True:
            position, is_known = self._need()
            for step in range(len(self._pools)):
                number = (self._first + step) % len(self._pools)
                if connection := self._up_to_date(self._pools[number], position):
                    self._first = number
                    return connection, self._pools[number], self._address.replicas[number]
            if is_known:
                return None
            if time.monotonic() > end:
                raise StoreError(
                    f"the primary of {self._address.shown} cannot be reached, and no replica that can has all that was"
                    " written or read here before: try again when one of them is back"
                )
            time.sleep(_PAUSE)

    def remarks(self) -> list[Notice]:
        """What happened since the last call that a user should know."""
        with self._lock:
            found, self._remarks = self._remarks, []
        return found

    def close(self) -> None:
        self._watch.close()
        for pool in self._pools:
            pool.close()

    def _need(self) -> Need:
        found = self._watch.need()
        with self._lock:
            if not found.is_known and not self._is_away:
                self._remarks.append(
                    Notice("primary-away", "the primary cannot be reached: a replica is read, which may be behind it")
                )
            self._is_away = not found.is_known
        return found

    def _up_to_date(self, pool: ConnectionPool, position: int) -> Connection | None:
        """A connection to the server of a pool, unless that is away or behind."""
        while True:
            try:
                connection, used = pool.take()
            except StoreError:
                return None
            try:
                row = connection.execute(_POSITION).fetchone()
                use_schema(connection, self._address.schema)  # pgvector may have come after the connection
            except psycopg.Error:
                connection.close()
                if used:
                    continue
                return None
            found = int(row[0] or 0) if row else 0
            if found < position:
                pool.give(connection)
                return None
            self._watch.note(found)
            return connection
