"""The other side of `process`: reads what to parse from its standard input, and answers on what was its output."""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from typing import Any, BinaryIO

from seamline.errors import ConfigError, MissingExtra, ParseError, ParserGaveUp
from seamline.parse.isolate import cage
from seamline.parse.isolate.start import ChildStart, IsolationLevel
from seamline.parse.isolate.wire import HEADER, read_request, write_answer, write_frame
from seamline.parse.parser_types import ParseInput, load_parser

_REFUSED = (
    "socket.connect",
    "socket.bind",
    "socket.getaddrinfo",
    "subprocess.Popen",
    "os.system",
    "os.exec",
    "os.fork",
    "os.forkpty",
    "os.posix_spawn",
)
"""What no parser may do. Libraries that ask the network or start programs find that they cannot, on any system."""


def main(start: str) -> None:
    """Serve until the parent closes the pipe."""
    told = ChildStart(*json.loads(start))
    source = sys.stdin.buffer
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # a library that prints must not speak for us
    _write(answers, write_frame(["caged", *_enter_cage(told)]))
    while header := source.read(HEADER.size):
        said, beside = (source.read(size) for size in HEADER.unpack(header))
        parser, seconds, raw = read_request(json.loads(said), beside)
        _limit_cpu_time(seconds)
        _write(answers, _outcome(parser, raw._replace(ask_time=lambda seconds: _ask_time(answers, seconds))))


def _enter_cage(told: ChildStart) -> IsolationLevel:
    """Close the cage. The first parser is imported before: what Python compiles of it can still be kept."""
    with suppress(Exception):  # told when the parser is asked for
        load_parser(told.parser)
    sys.dont_write_bytecode = True
    level = cage.close(told.memory, told.lifeline, [*sys.path, *told.readable])
    sys.addaudithook(_refuse_event)
    return level


def _refuse_event(event: str, arguments: Any) -> None:
    if event in _REFUSED:
        raise PermissionError(f"a parser tried {event}, which none may")


def _outcome(parser: str, raw: ParseInput) -> bytes:
    try:
        return write_answer(load_parser(parser)(raw))
    except ParseError as error:
        kind = "gave-up" if isinstance(error, ParserGaveUp) else "parse"
        return write_frame([kind, _without_place(str(error), error.source, error.where), error.where])
    except MissingExtra as error:
        return write_frame(["missing", error.what, error.command])
    except ConfigError as error:
        return write_frame(["config", str(error), ""])
    except MemoryError:
        return write_frame(["memory"])
    except Exception as error:  # noqa: BLE001  # a library may raise anything, and the batch must go on
        return write_frame(["failed", f"{type(error).__name__}: {str(error)[:200]}"])


def _without_place(message: str, source: str, where: str) -> str:
    """The message without the place that the parent puts before it again."""
    place = ", ".join(part for part in (source, where) if part)
    return message.removeprefix(f"{place}: ") if place else message


def _limit_cpu_time(seconds: float) -> None:
    """CPU time from now on; past it the kernel ends the process. The parent counts, too."""
    try:
        import resource
    except ImportError:  # Windows: the parent's clock has to do
        return
    used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    soft = int(used + seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))


def _ask_time(answers: BinaryIO, seconds: float) -> None:
    _limit_cpu_time(seconds)
    _write(answers, write_frame(["more", seconds]))


def _write(answers: BinaryIO, message: bytes) -> None:
    answers.write(message)
    answers.flush()
