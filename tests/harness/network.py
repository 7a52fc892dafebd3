"""A network between a client and an HTTP server on this machine that can be cut at a chosen request, and mended."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

How = Literal["before", "after", "silent"]
"""What becomes of the request at which the network is cut: it never arrives; it arrives and its answer is lost; or
nothing is heard any more, of it and of all others, while connections stay open."""
_RESET = struct.pack("ii", 1, 0)
_CONTENT_LENGTH = b"content-length:"


class Request(NamedTuple):
    """A request as it is on its way."""

    method: str
    path: str


@dataclass
class Network:
    """Carries requests to a server, one after the other on each connection."""

    server: tuple[str, int]
    port: int = 0
    seen: list[Request] = field(default_factory=list)
    """All that were carried or cut off."""
    cut: threading.Event = field(default_factory=threading.Event)
    """Set from the moment of the cut until the network is mended."""
    _wanted: Callable[[Request], bool] | None = None
    _how: How = "before"
    _times: int | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _open: set[socket.socket] = field(default_factory=set)
    _listener: socket.socket | None = None

    def cut_at(self, wanted: Callable[[Request], bool], how: How, *, times: int | None = None) -> None:
        """Cut at the next request that is wanted: until it is mended, or so many such requests and nothing else."""
        self._wanted, self._how, self._times = wanted, how, times

    def mend(self) -> None:
        """Carry all again."""
        self._wanted = None
        self.cut.clear()
        self._hang_up()
        self._listen()

    def _listen(self) -> None:
        with self._lock:
            if self._listener is None:
                self._listener = _bound(self.port)
                self._listener.listen(64)
                threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def _refuse(self) -> None:
        """No new connection: the port stays ours, and nobody listens."""
        with self._lock:
            listener, self._listener = self._listener, None
        if listener is not None:
            with suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            listener.close()

    def _hang_up(self) -> None:
        with self._lock:
            wires, self._open = self._open, set()
        for wire in wires:
            _reset(wire)

    def _accept(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                wire, _ = listener.accept()
                with self._lock:
                    self._open.add(wire)
                threading.Thread(target=self._carry, args=(wire,), daemon=True).start()

    def _carry(self, wire: socket.socket) -> None:
        """The requests of one connection."""
        with suppress(OSError, ValueError), socket.create_connection(self.server) as other:
            source, answers = wire.makefile("rb"), other.makefile("rb")
            while head := _head(source):
                method, path, _ = head.split(b"\r\n", 1)[0].decode().split(" ", 2)
                request = Request(method, path)
                body = source.read(_length(head))
                how = self._decide(request)
                if how == "silent":
                    return  # the wire stays open until the network is mended
                if how == "before":
                    break
                other.sendall(head + body)
                answer = _head(answers)
                status = int(answer.split(b" ", 2)[1])
                has_body = method != "HEAD" and status not in (204, 304)
                answer += answers.read(_length(answer)) if has_body else b""
                if how == "after":
                    break
                wire.sendall(answer)
                if b"connection: close" in answer.lower().partition(b"\r\n\r\n")[0]:
                    break
        with self._lock:
            self._open.discard(wire)
        _reset(wire) if self.cut.is_set() else wire.close()

    def _decide(self, request: Request) -> How | None:
        """Whether a request is cut off, and how; the first takes all others with it."""
        with self._lock:
            self.seen.append(request)
            if self.cut.is_set():
                return "silent" if self._how == "silent" else "before"
            if self._wanted is None or not self._wanted(request):
                return None
            how = self._how
            if self._times is not None:
                self._times -= 1
                if self._times <= 0:
                    self._wanted = None
                return how
            self.cut.set()
        if how != "silent":
            self._refuse()
            if how == "before":
                self._hang_up()
        return how


@contextmanager
def network(server: str) -> Iterator[Network]:
    """A network to the server at an address, whole at first."""
    parts = urlsplit(server)
    assert parts.hostname
    assert parts.port
    with _bound(0) as reserved:  # the port stays ours while nobody listens
        carried = Network((parts.hostname, parts.port), reserved.getsockname()[1])
        carried._listen()
        try:
            yield carried
        finally:
            carried._refuse()
            carried._hang_up()


def _bound(port: int) -> socket.socket:
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    made.bind(("127.0.0.1", port))
    return made


def _reset(wire: socket.socket) -> None:
    with suppress(OSError):
        wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        wire.shutdown(socket.SHUT_RDWR)
    wire.close()


def _head(source: Iterator[bytes]) -> bytes:
    """The lines above a body, or nothing at the end."""
    lines = b""
    for line in source:
        lines += line
        if line == b"\r\n":
            return lines
    return b""


def _length(head: bytes) -> int:
    for line in head.split(b"\r\n"):
        if line.lower().startswith(_CONTENT_LENGTH):
            return int(line.partition(b":")[2])
    if b"transfer-encoding" in head.lower():
        raise ValueError("a body without a length")
    return 0
