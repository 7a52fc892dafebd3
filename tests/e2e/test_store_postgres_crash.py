"""What a crash leaves of an index in PostgreSQL: of the indexer, of one session, of the whole server.

SEAMLINE_KILLS says how often the indexer is killed.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import numpy as np
import psycopg
import pytest

from harness.crash import audit, finish, kill_often, mixtures, refusal
from harness.postgres import Server, own_server, shared_server
from harness.rounds import IndexerProcess, Scene, Told

KILLS = int(os.environ.get("SEAMLINE_KILLS", "10"))
EACH = 20
"""Kills of one index; an indexer has no more than 60 rounds to be killed in."""
PATIENCE = 20.0
"""Seconds. A server notices within one that a client is gone, on a machine that has time."""
WRITERS = "SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'seamline writer %'"


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(shared_server().url(query=f"schema=crash_{uuid4().hex}"), tmp_path, PATIENCE)


@pytest.fixture(scope="module")
def durable() -> Iterator[Server]:
    """A server that keeps what it said is written."""
    with own_server() as server:
        yield server


@pytest.mark.parametrize("seed", range(0, KILLS, EACH))
def test_an_indexer_is_killed_at_any_moment(scene: Scene, seed: int) -> None:
    kills = min(EACH, KILLS - seed)
    tally = kill_often(scene, kills, seed=seed)
    assert tally.problems == []
    assert tally.kills == kills
    assert tally.said.keys() - {"nothing"}


def kill_a_session(server: Server) -> None:
    """SIGKILL for the session that writes: the server ends all others, and recovers."""
    killed, give_up = False, time.monotonic() + PATIENCE
    while not killed and time.monotonic() < give_up:
        with server.connect() as connection:
            pids = [pid for (pid,) in connection.execute(WRITERS)]
        for pid in pids:
            with suppress(ProcessLookupError):  # it ended meanwhile: the next one is looked for
                os.kill(pid, signal.SIGKILL)
                killed = True


def pull_the_plug(server: Server) -> None:
    server.restart(signal.SIGQUIT)


@pytest.mark.parametrize("crash", [kill_a_session, pull_the_plug], ids=lambda crash: crash.__name__)
def test_a_server_crashes_while_it_is_written_to(
    durable: Server, tmp_path: Path, crash: Callable[[Server], None]
) -> None:
    scene = Scene(durable.url(query=f"schema=crash_{uuid4().hex}"), tmp_path, PATIENCE)
    rng = np.random.default_rng(7)
    told = Told()
    for _ in range(3):
        with IndexerProcess(scene, "rounds", str(told.done + 1)) as indexer:
            indexer.go()
            listen(indexer, told, int(rng.integers(2, 6)))
            time.sleep(rng.uniform(0, 0.1))
            crash(durable)
            listen(indexer, told, 3)
        wait_for(durable)
        assert audit(scene, told, rng) == []
    assert finish(scene, told) == []


def listen(indexer: IndexerProcess, told: Told, count: int) -> None:
    """Take note of what an indexer says, until it has said so much or has given up: in one clear line, then."""
    try:
        for _ in range(count):
            told.hear(indexer.hear())
    except EOFError as end:
        complaint = str(end).splitlines()[-1]
    else:
        return
    assert "StoreError: " in complaint


def wait_for(server: Server) -> None:
    """Until the server has recovered, and nobody writes."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        with suppress(psycopg.OperationalError), server.connect() as connection:
            if not connection.execute(WRITERS).fetchall():
                return
        time.sleep(0.1)
    pytest.fail("the server did not recover")


def test_a_reader_sees_the_old_or_the_new(scene: Scene) -> None:
    wrong, seen = mixtures(scene, 40)
    assert wrong == []
    assert seen > 1


def test_a_second_writer_is_told_who_writes(scene: Scene) -> None:
    pid, said = refusal(scene)
    assert f"seamline writer {pid}@" in said
    assert "wait until it is done" in said
