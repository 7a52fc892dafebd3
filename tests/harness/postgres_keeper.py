"""The process that keeps the server of a test run: `python -m harness.postgres_keeper FOLDER`.

Whoever uses the server holds a lock on a file, which the kernel takes back however a process ends. The keeper stops the
server and removes the folder when nobody holds it any more; if the keeper itself is killed, the server ends with it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from fcntl import LOCK_EX, LOCK_NB, LOCK_SH, flock
from pathlib import Path
from shutil import rmtree
from typing import IO
from uuid import uuid4

from harness import environment
from harness.postgres import Server, temporary

_RUN = "PYTEST_XDIST_TESTRUNUID"
"""What processes of one test run have in common, and no other run has."""
_LOOK_SECONDS = 0.5
_HELD: list[IO[bytes]] = []
"""The locks of this process, until it ends."""


def joined() -> int:
    """The port of the server of this run, started where it is not running; it runs at least as long as this process."""
    run = os.environ.get(_RUN)
    folder = temporary() / f"seamline-pg-{run or uuid4().hex}"
    while True:
        folder.mkdir(exist_ok=True)
        folder.chmod(0o755)  # whatever the umask: the server's own folder is inside
        with suppress(FileNotFoundError), _behind(folder / "door"):
            _use(folder / "users")
            if not (folder / "port").exists():
                _start_keeper(folder)
            return int((folder / "port").read_text())


def keep(folder: Path) -> None:
    """Run a server until nobody uses it."""
    server = Server(folder / "server", durable=False)
    server.start()
    try:
        _write(folder / "port", str(server.port))
        while not _deserted(folder):
            time.sleep(_LOOK_SECONDS)
    finally:
        server.stop(signal.SIGQUIT)


@contextmanager
def _behind(door: Path) -> Iterator[None]:
    """One process at a time; a FileNotFoundError where the folder went while this one waited."""
    with door.open("ab") as file:
        flock(file, LOCK_EX)
        if not os.path.samestat(os.fstat(file.fileno()), door.stat()):
            raise FileNotFoundError(door)
        yield


def _use(users: Path) -> None:
    file = users.open("ab")
    flock(file, LOCK_SH)
    _HELD.append(file)


def _deserted(folder: Path) -> bool:
    """Whether nobody uses the server; then the folder is gone as well, so that whoever comes makes another."""
    with _behind(folder / "door"), (folder / "users").open("ab") as users:
        try:
            flock(users, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            return False
        folder.rename(folder.with_name(f"{folder.name}-left"))
        return True


def _start_keeper(folder: Path) -> None:
    with (folder / "log").open("ab") as log:
        keeper = subprocess.Popen(
            [sys.executable, "-m", __name__, str(folder)],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, env=environment(),
        )  # fmt: skip
    while not (folder / "port").exists():
        if keeper.poll() is not None:
            raise RuntimeError(f"PostgreSQL did not start: {(folder / 'log').read_text(errors='replace')[-2000:]}")
        time.sleep(0.05)


def _write(file: Path, text: str) -> None:
    """All of it at once."""
    (file.parent / "new").write_text(text)
    (file.parent / "new").rename(file)


if __name__ == "__main__":
    here = Path(sys.argv[1])
    try:
        keep(here)
    finally:
        for left in (here, here.with_name(f"{here.name}-left")):
            rmtree(left, ignore_errors=True)
