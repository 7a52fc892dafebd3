"""Parsers in a process of their own, which can be killed: no file hangs a batch, and none takes its memory along.

One worker serves all documents of a process and is replaced after it had to be stopped. It is a plain child that
speaks over pipes, not a fork or a `multiprocessing` worker: those copy threads, or run the user's script again.
Nothing that it says is trusted: how long it takes, what it holds and how much it answers is measured here.
"""

from __future__ import annotations

import atexit
import os
import select
import signal
import subprocess
import threading
import time
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from seamline.errors import ConfigError, MissingExtra, ParseError, ParserGaveUp, SeamlineError
from seamline.parse.isolate.start import (
    FOLDER,
    LIFETIME,
    ChildStart,
    IsolationLevel,
    command,
    environment,
    plugin_folders,
    readable,
)
from seamline.parse.isolate.watch import CostWatch
from seamline.parse.isolate.wire import HEADER, load_answer, read_answer, write_request
from seamline.parse.parser_types import load_parser

if TYPE_CHECKING:
    from collections.abc import Sequence

    from seamline.formats import Format
    from seamline.parse.parser_types import ParseInput, ParseResult

SECONDS = 10.0
"""CPU time of one document, and a second more for each million bytes; OCR and the like ask for more as they go."""
CODE = 1.0
"""The same of source code, and two seconds more for each million bytes: grammars take 0.4 s for a million."""
MEMORY = 512_000_000
"""Bytes of memory that a parser may hold."""
_WALL = 6
"""How many times as long it may take by the clock: the machine may be busy with other things."""
_START = 60.0
"""Seconds by the clock in which a child must have started."""
_PART = 1 << 20
_IS_POSIX = os.name == "posix"
_POLL = 0.02


class CostAllowance(NamedTuple):
    """What one document may cost."""

    seconds: float
    memory: int


def allowance(one: Format, size: int) -> CostAllowance:
    """What a document of a format may cost: speech recognition takes more than any parser."""
    if one.name == "code":
        return CostAllowance(CODE + size / 500_000, MEMORY)
    if one.name in ("audio", "video"):
        return CostAllowance(SECONDS + size / 20_000, 4 * MEMORY)
    return CostAllowance(SECONDS + size / 1_000_000, MEMORY)


def _wall_factor(allowed: CostAllowance) -> float:
    """How many times its CPU time a document may take by the clock: a machine that has much else to do must not look
    like a parser that hangs."""
    return _WALL * max(1.0, SECONDS / allowed.seconds)


def parse_apart(one: Format, raw: ParseInput) -> ParseResult:
    """What a parser makes of a source, in a process of its own; SEAMLINE_ISOLATE=0 parses here, for debugging."""
    if is_switched_off():
        return load_parser(one.parser)(raw)
    allowed = allowance(one, len(raw.data) or len(raw.text))
    with _LOCK:
        return _worker(one.parser, allowed.memory, raw.uri).parse(one.parser, raw, allowed)


def is_switched_off() -> bool:
    return os.environ.get("SEAMLINE_ISOLATE") == "0"


def isolation() -> IsolationLevel:
    """What holds the parsers on this system; a child is started to see."""
    with _LOCK:
        return _worker(f"{load_parser.__module__}:load_parser", MEMORY, "").level


class ParserWorker:
    """The child and the pipes to it."""

    def __init__(self, parser: str, memory: int, uri: str = "") -> None:
        self.memory = memory
        """Bytes that its largest document may take; its hard limits were set for them."""
        self.folders = plugin_folders(parser)
        """Beyond the search path, that it may import from."""
        self.process = os.getpid()
        """Whose child it is: after a fork, both would talk to it at once."""
        self._lifeline: IO[bytes] | None = None
        """Held open as long as this process lives; the child ends when it closes."""
        self._process = self._start_child(parser, uri)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._in, self._out = self._process.stdin.fileno(), self._process.stdout.fileno()
        if _IS_POSIX:
            os.set_blocking(self._in, False)
        self.level = self._greeting(uri)
        """What holds it."""

    @property
    def alive(self) -> bool:
        """Whether it can take another document: it runs, is ours, and has CPU time left."""
        if self.process != os.getpid():
            return False
        if self._has_ended() or CostWatch.cpu_time(self._process.pid) > LIFETIME / 2:
            self.kill()
        return self._process.returncode is None

    def parse(self, parser: str, raw: ParseInput, allowed: CostAllowance) -> ParseResult:
        watch = CostWatch(self._process.pid, *allowed, _wall_factor(allowed), raw.uri)
        settled = False
        try:
            self._send(write_request(parser, allowed.seconds, raw), watch)
            said, beside = self._reply(watch)
            settled = True
        except (BrokenPipeError, EOFError):
            raise self._death_error(watch) from None
        finally:
            if not settled:
                self.kill()  # what it says now answers a question that nobody asks any more
        if said[0] == "parsed":
            try:
                return read_answer(said, beside)
            except (ValueError, TypeError, LookupError) as error:
                self.kill()
                raise _unusable_error(error, raw.uri) from None
        raise _error(said, watch)

    def kill(self) -> None:
        """End it, and whatever it started."""
        if self.process != os.getpid():
            return
        if self._process.returncode is None:
            if hasattr(os, "killpg"):
                with suppress(ProcessLookupError, PermissionError):  # macOS refuses a group of the dead
                    os.killpg(self._process.pid, signal.SIGKILL)
            self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout, self._lifeline):
            if pipe is not None:
                pipe.close()

    def _start_child(self, parser: str, uri: str) -> subprocess.Popen[bytes]:
        lifeline = -1
        if _IS_POSIX:
            lifeline, other = os.pipe()
            self._lifeline = os.fdopen(other, "wb", 0)
        try:
            return subprocess.Popen(
                command(ChildStart(parser, self.memory, lifeline, readable()), self.folders),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                cwd=FOLDER,
                env=environment(),
                start_new_session=True,  # Ctrl-C is the parent's to handle
                pass_fds=(lifeline,) if _IS_POSIX else (),
            )
        except OSError as error:
            raise ParseError(f"the process that parses could not be started ({error}): free some memory", uri) from None
        finally:
            if _IS_POSIX:
                os.close(lifeline)

    def _greeting(self, uri: str) -> IsolationLevel:
        """What the child says first: what holds it."""
        watch = CostWatch(self._process.pid, _START, self.memory, 1, uri)
        try:
            said, _ = self._frame(watch)
            if said[0] != "caged":
                raise EOFError
            return IsolationLevel(*said[1:])
        except (EOFError, SeamlineError, ValueError, TypeError, LookupError):
            raise ParseError(
                f"the process that parses could not be started (exit code {self._end()}): "
                "run `seamline doctor`, and `pip install --force-reinstall seamline` if it fails",
                uri,
            ) from None

    def _send(self, message: bytes, watch: CostWatch) -> None:
        """Write a question; a child that does not read is watched as one that does not answer."""
        view = memoryview(message)
        while view:
            watch.check()
            if _is_ready(self._in, writing=True):
                with suppress(BlockingIOError):
                    view = view[os.write(self._in, view[:_PART]) :]

    def _reply(self, watch: CostWatch) -> tuple[list[Any], bytes]:
        """The answer; the child may ask for more time before it."""
        while True:
            said, beside = self._frame(watch)
            if said[0] != "more":
                return said, beside
            watch.grant(said[1])

    def _frame(self, watch: CostWatch) -> tuple[list[Any], bytes]:
        sizes = HEADER.unpack(self._read(HEADER.size, watch))
        watch.check_size(sum(sizes))
        said, beside = (self._read(size, watch) for size in sizes)
        try:
            return load_answer(said, watch.memory), beside
        except (ValueError, RecursionError) as error:
            raise _unusable_error(error, watch.uri) from None

    def _read(self, size: int, watch: CostWatch) -> bytes:
        out = bytearray()
        while len(out) < size:
            watch.check()
            if not _is_ready(self._out):
                continue
            part = os.read(self._out, min(_PART, size - len(out)))
            if not part:
                raise EOFError
            out += part
        return bytes(out)

    def _has_ended(self) -> bool:
        """Whether the child is dead; it is not yet taken off the list of processes where that can be helped, so that
        its number still names its group."""
        if not hasattr(os, "waitid"):
            return self._process.poll() is not None
        try:
            return os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:  # somebody else in this program waits for all children
            return self._process.poll() is not None

    def _end(self) -> int | None:
        """The exit code of a child that closed its pipe; one that does not end by itself is killed."""
        patient = time.monotonic() + 1
        while not self._has_ended() and time.monotonic() < patient:
            time.sleep(_POLL / 4)
        self.kill()
        return self._process.returncode

    def _death_error(self, watch: CostWatch) -> ParserGaveUp:
        """Why the child is gone: its own limits, or a fault of the library that reads the format."""
        code = self._end()
        if code == -_SIGXCPU:
            return watch.time_error()
        return ParserGaveUp(f"the parser crashed (exit code {code}): the file is damaged; {_REMEDY}", watch.uri)


_REMEDY = "split the file, save it again, or leave it out"
_SIGXCPU = 24
_LOCK = threading.Lock()
_workers: list[ParserWorker] = []


def _worker(parser: str, memory: int, uri: str) -> ParserWorker:
    """The child that runs, or a new one; a document that may take more than its limits allow needs a new one, and so
    does the parser of a plugin in a folder that this one cannot read."""
    for worker in _workers:
        if worker.alive and worker.memory >= memory and set(plugin_folders(parser)) <= set(worker.folders):
            return worker
    if not _workers:
        atexit.register(_stop)
    _stop()
    _workers[:] = [ParserWorker(parser, memory, uri)]
    return _workers[0]


def _stop() -> None:
    for worker in _workers:
        worker.kill()


def _is_ready(descriptor: int, writing: bool = False) -> bool:
    """Whether a pipe can be read, or written to, within a moment."""
    if not hasattr(select, "poll"):
        found = select.select([] if writing else [descriptor], [descriptor] if writing else [], [], _POLL)
        return bool(found[0] or found[1])
    poll = select.poll()  # which `select` cannot do for the thousandth open file of a server
    poll.register(descriptor, select.POLLOUT if writing else select.POLLIN)
    return bool(poll.poll(_POLL * 1000))


def _unusable_error(error: Exception, uri: str) -> ParserGaveUp:
    return ParserGaveUp(f"the parser gave an answer that cannot be used ({error}): {_REMEDY}", uri)


def _error(reply: Sequence[Any], watch: CostWatch) -> SeamlineError:
    kind, message = reply[0], str(reply[1]) if len(reply) > 1 else ""
    if kind == "memory":
        return watch.memory_error()
    if kind in ("missing", "config", "parse", "gave-up") and (len(reply) != 3 or not isinstance(reply[2], str)):
        return _unusable_error(ValueError("it is no error"), watch.uri)
    if kind == "missing":
        return MissingExtra(message, reply[2])
    if kind == "config":
        return ConfigError(message, reply[2])
    if kind == "parse":
        return ParseError(message, watch.uri, reply[2])
    if kind == "gave-up":
        return ParserGaveUp(message, watch.uri, reply[2])
    return ParserGaveUp(f"the parser failed ({message}): the file is damaged or of another kind; {_REMEDY}", watch.uri)
