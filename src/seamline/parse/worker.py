"""Parsers in a process of their own, which can be killed: no file hangs a batch, and none takes its memory along.

One worker serves all documents of a process and is replaced after it had to be stopped. It is a plain child that
speaks over pipes, not a fork or a `multiprocessing` worker: those copy threads, or run the user's script again.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from select import select
from typing import TYPE_CHECKING, Any, NamedTuple

from seamline.errors import ConfigError, MissingExtra, ParseError, ParserGaveUp, SeamlineError
from seamline.parse.frames import HEADER, answered, asked
from seamline.parse.raw import parser_named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from seamline.formats import Format
    from seamline.parse.raw import Parsed, Raw

SECONDS = 10.0
"""CPU time of one document, and a second more for each million bytes; OCR and the like ask for more as they go."""
CODE = 1.0
"""The same of source code, and two seconds more for each million bytes: grammars take 0.4 s for a million."""
MEMORY = 512_000_000
"""Bytes of memory that a parser may hold."""
MODELS = 768_000_000
"""The same once it asked for more time: what is slow by nature holds a model."""
_WALL = 6
"""How many times as long it may take by the clock: the machine may be busy with other things."""
_POLL = 0.02
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


class Allowance(NamedTuple):
    """What one document may cost."""

    seconds: float
    memory: int


def allowance(one: Format, size: int) -> Allowance:
    """What a document of a format may cost: speech recognition takes more than any parser."""
    if one.name == "code":
        return Allowance(CODE + size / 500_000, MEMORY)
    if one.name in ("audio", "video"):
        return Allowance(SECONDS + size / 20_000, 4 * MEMORY)
    return Allowance(SECONDS + size / 1_000_000, MEMORY)


def _clock(allowed: Allowance) -> float:
    """Seconds by the clock: a machine that has much else to do must not look like a parser that hangs."""
    return _WALL * max(allowed.seconds, SECONDS)


def parse_apart(one: Format, raw: Raw) -> Parsed:
    """What a parser makes of a source, in a process of its own; SEAMLINE_ISOLATE=0 parses here, for debugging."""
    if os.environ.get("SEAMLINE_ISOLATE") == "0":
        return parser_named(one.parser)(raw)
    with _LOCK:
        return _worker().parse(one, raw)


class Worker:
    """The child and the pipes to it."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "seamline.parse.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, sys.path))},
            start_new_session=True,  # Ctrl-C is the parent's to handle
        )
        self._statm = Path(f"/proc/{self._process.pid}/statm")
        self.process = os.getpid()
        """Whose child it is: after a fork, both would talk to it at once."""

    @property
    def alive(self) -> bool:
        return self._process.poll() is None and self.process == os.getpid()

    def parse(self, one: Format, raw: Raw) -> Parsed:
        allowed = allowance(one, len(raw.data) or len(raw.text))
        settled = False
        try:
            self._send(asked(one.parser, allowed.seconds, raw))
            said, beside = self._reply(allowed, raw.uri)
            settled = True
        except (BrokenPipeError, EOFError):
            raise self._died(allowed, raw.uri) from None
        finally:
            if not settled:
                self.kill()  # what it says now answers a question that nobody asks any more
        if said[0] == "parsed":
            return answered(said, beside)
        raise _error(said, raw.uri)

    def kill(self) -> None:
        if self.process == os.getpid():
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    pipe.close()

    def _send(self, message: bytes) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(message)
        self._process.stdin.flush()

    def _reply(self, allowed: Allowance, uri: str) -> tuple[list[Any], bytes]:
        """The answer; the child may ask for more time before it."""
        deadline = time.monotonic() + _clock(allowed)
        while True:
            sizes = HEADER.unpack(self._read(HEADER.size, deadline, allowed, uri))
            said, beside = (self._read(size, deadline, allowed, uri) for size in sizes)
            answer: list[Any] = json.loads(said)
            if answer[0] != "more":
                return answer, beside
            deadline += _WALL * answer[1]
            allowed = allowed._replace(memory=max(allowed.memory, MODELS))

    def _read(self, size: int, deadline: float, allowed: Allowance, uri: str) -> bytes:
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        out = bytearray()
        while len(out) < size:
            if not select([descriptor], [], [], _POLL)[0]:
                self._watch(deadline, allowed, uri)
                continue
            part = os.read(descriptor, min(1 << 20, size - len(out)))
            if not part:
                raise EOFError
            out += part
        return bytes(out)

    def _watch(self, deadline: float, allowed: Allowance, uri: str) -> None:
        if time.monotonic() > deadline:
            raise ParserGaveUp(f"reading took longer than {_clock(allowed):.0f} s and was stopped: {_REMEDY}", uri)
        try:
            resident = int(self._statm.read_text().split()[1]) * _PAGE
        except (OSError, IndexError, ValueError):  # not Linux, or just gone
            return
        if resident > allowed.memory:
            raise ParserGaveUp(f"reading took more than {allowed.memory / 1e6:.0f} MB and was stopped: {_REMEDY}", uri)

    def _died(self, allowed: Allowance, uri: str) -> ParserGaveUp:
        """Why the child is gone: its own limits, or a fault of the library that reads the format."""
        code = self._process.wait()
        if code == -_SIGXCPU:
            return ParserGaveUp(
                f"reading took more than {allowed.seconds:.0f} s of CPU time and was stopped: {_REMEDY}", uri
            )
        return ParserGaveUp(f"the parser crashed (exit code {code}): the file is damaged; {_REMEDY}", uri)


_REMEDY = "split the file, save it again, or leave it out"
_SIGXCPU = 24
_LOCK = threading.Lock()
_workers: list[Worker] = []


def _worker() -> Worker:
    if not _workers or not _workers[0].alive:
        if not _workers:
            atexit.register(_stop)
        _workers[:] = [Worker()]
    return _workers[0]


def _stop() -> None:
    for worker in _workers:
        worker.kill()


def _error(reply: Sequence[Any], uri: str) -> SeamlineError:
    kind, message = reply[0], reply[1]
    if kind == "missing":
        return MissingExtra(message, reply[2])
    if kind == "config":
        return ConfigError(message, reply[2])
    if kind == "parse":
        return ParseError(message, uri, reply[2])
    if kind == "gave-up":
        return ParserGaveUp(message, uri, reply[2])
    return ParserGaveUp(f"the parser failed ({message}): the file is damaged or of another kind; {_REMEDY}", uri)
