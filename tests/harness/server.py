"""A real server on loopback, in a thread of the test or as a process."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import uvicorn

from seamline import Index
from seamline.filters.mapping import filter_of
from seamline.server.app import ServerApp, ServerPart, make_app
from seamline.server.guard import GuardRules, RequestLog
from seamline.server.log import ServerLog
from seamline.server.run import bind
from seamline.server.tokens import Caller, Token, Tokens

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

SRC = Path(__file__).parents[2] / "src"
SECRETS = {
    "read": "read-token-0123456789",
    "write": "write-token-0123456789",
    "tenant": "tenant-token-0123456789",
    "other": "other-tenant-0123456789",
}


def tokens() -> Tokens:
    """One that reads, one that writes, and two tenants."""

    def tenant(name: str, team: str) -> Caller:
        return Caller(name, frozenset({"read", "write"}), filter_of({"meta": {"team": team}}), {"team": team})

    callers = {
        "read": Caller("read", frozenset({"read"})),
        "write": Caller("write", frozenset({"read", "write"})),
        "tenant": tenant("tenant", "red"),
        "other": tenant("other", "blue"),
    }
    return Tokens([Token(sha256(SECRETS[name].encode()).digest(), caller) for name, caller in callers.items()])


def bearer(name: str) -> dict[str, str]:
    """The header of a caller."""
    return {"Authorization": f"Bearer {SECRETS.get(name, name)}"}


class KeptLog(ServerLog):
    """Keeps what is logged."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[dict[str, object]] = []

    def _write(self, **fields: object) -> None:
        self.lines.append(fields)

    def request(self, entry: RequestLog) -> None:
        super().request(entry)


@dataclass
class RunningServer:
    """A server that answers."""

    url: str
    app: ServerApp
    log: KeptLog
    client: httpx.Client = field(repr=False)

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])


@contextmanager
def running(
    indexes: dict[str, Index],
    rules: GuardRules | None = None,
    parts: Sequence[ServerPart] = (),
    tracer: Tracer | None = None,
) -> Iterator[RunningServer]:
    """A server of these indexes in a thread; it closes them."""
    log = KeptLog()
    app = make_app(indexes, rules=rules, parts=parts, log=log, tracer=tracer)
    bound = bind("127.0.0.1", 0)
    server = uvicorn.Server(
        uvicorn.Config(app, http="h11", log_config=None, access_log=False, timeout_graceful_shutdown=10)
    )
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
    thread.start()
    url = f"http://127.0.0.1:{bound.getsockname()[1]}"
    try:
        with httpx.Client(base_url=url, timeout=30) as client:
            _wait(lambda: server.started)
            yield RunningServer(url, app, log, client)
    finally:
        app.state.stop()
        server.should_exit = True
        thread.join(30)
        bound.close()
    assert not thread.is_alive()


def _wait(condition: object, seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < end, "the server did not start"
        time.sleep(0.01)


def is_listening(address: str, port: int) -> bool:
    """Whether somebody listens there. All of 127.0.0.0/8 is this machine, so that 127.0.0.2 tells a server on 127.0.0.1
    from one on every address."""
    try:
        socket.create_connection((address, port), timeout=5).close()
    except OSError:
        return False
    return True


@dataclass
class ServerProcess:
    """`seamline serve` as a user starts it."""

    process: subprocess.Popen[str]
    url: str


@contextmanager
def process(*options: str) -> Iterator[ServerProcess]:
    """A server in a process of its own, on a free port."""
    env = {**os.environ, "PYTHONPATH": str(SRC)}
    started = subprocess.Popen(
        [sys.executable, "-m", "seamline", "serve", "--port", "0", *options],
        env=env,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert started.stderr is not None
    try:
        line = started.stderr.readline()
        found = re.search(r"http://\S+", line)
        assert found, line + started.stderr.read()
        yield ServerProcess(started, found.group())
    finally:
        if started.poll() is None:
            started.kill()
        started.stderr.close()
        started.wait(30)
