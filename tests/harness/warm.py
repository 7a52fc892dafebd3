"""Commands run by one process that stays: most of a short command is loading a store and a model.

`serve` answers at a socket. A client hands over its arguments, folder, environment and standard streams, and gets the
exit code; `python warm.py SOCKET ARGUMENT...` is a client that behaves as the command itself.
"""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

_STREAMS = (0, 1, 2)


class WarmProcess:
    """The process, started when it is entered."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = dict(env)
        self._folder = tempfile.TemporaryDirectory(prefix="seamline-")
        self.address = str(Path(self._folder.name) / "socket")

    def __enter__(self) -> WarmProcess:
        command = [sys.executable, "-P", __file__, "--serve", self.address]
        self._process = subprocess.Popen(command, env=self._env, stdin=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while not os.path.exists(self.address):
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("the process that runs commands did not start")
            time.sleep(0.02)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        self._folder.cleanup()

    def run(
        self, args: Sequence[str], folder: Path, env: Mapping[str, str], stdin: bytes = b""
    ) -> tuple[int, str, str]:
        """Exit code, standard output and standard error of one command."""
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            given.write(stdin)
            given.seek(0)
            code = ask(self.address, args, folder, env, (given.fileno(), out.fileno(), err.fileno()))
            return code, _written(out.fileno()), _written(err.fileno())


def _written(number: int) -> str:
    os.lseek(number, 0, os.SEEK_SET)
    with os.fdopen(os.dup(number), "rb") as file:
        return file.read().decode()


def ask(
    address: str, args: Sequence[str], folder: Path, env: Mapping[str, str], streams: Sequence[int] = _STREAMS
) -> int:
    """Have a command run; its exit code."""
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(address)
        socket.send_fds(line, [b"!"], list(streams))
        line.sendall(json.dumps({"argv": list(args), "cwd": str(folder), "env": dict(env)}).encode())
        line.shutdown(socket.SHUT_WR)
        answer = line.recv(16)
    if not answer:
        raise RuntimeError(f"the process that runs commands ended during {' '.join(args)}")
    return int(answer)


def serve(address: str) -> None:
    """Run one command after the other, until whoever started this is gone."""
    parent = os.getppid()
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(f"{address}.new")
        door.listen(16)
        os.rename(f"{address}.new", address)
        while os.getppid() == parent:
            if not select.select([door], [], [], 1.0)[0]:
                continue
            line, _ = door.accept()
            with line:
                line.sendall(b"%d" % _answer(line))


def _answer(line: socket.socket) -> int:
    _, streams, _, _ = socket.recv_fds(line, 1, len(_STREAMS))
    wanted = json.loads(b"".join(iter(lambda: line.recv(1 << 16), b"")))
    return _run(wanted["argv"], wanted["cwd"], wanted["env"], streams)


def _run(argv: list[str], folder: str, env: Mapping[str, str], streams: Sequence[int]) -> int:
    from seamline.cli.main import main

    os.chdir(folder)
    os.environ.clear()
    os.environ.update(env)
    with _streams(streams):
        return main(argv)


@contextmanager
def _streams(numbers: Sequence[int]) -> Iterator[None]:
    """Python's standard streams as the client has them."""
    before = sys.stdin, sys.stdout, sys.stderr
    with (
        open(numbers[0], encoding="utf-8") as sys.stdin,
        open(numbers[1], "w", encoding="utf-8", errors="backslashreplace", newline="\n") as sys.stdout,
        open(numbers[2], "w", encoding="utf-8", errors="backslashreplace", newline="\n") as sys.stderr,
    ):
        yield
    sys.stdin, sys.stdout, sys.stderr = before


if __name__ == "__main__":
    if sys.argv[1] == "--serve":
        serve(sys.argv[2])
    else:
        sys.exit(ask(sys.argv[1], sys.argv[2:], Path.cwd(), os.environ))
