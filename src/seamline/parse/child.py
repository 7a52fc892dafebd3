"""The other side of `worker`: reads what to parse from its standard input, and answers on what was its output."""

from __future__ import annotations

import json
import os
import sys
from typing import Any, BinaryIO

from seamline.errors import ConfigError, MissingExtra, ParseError, ParserGaveUp
from seamline.parse import patience
from seamline.parse.frames import HEADER, answer, asked_for, frame
from seamline.parse.raw import Raw, parser_named

_REFUSED = (
    "socket.connect",
    "socket.bind",
    "socket.getaddrinfo",
    "subprocess.Popen",
    "os.system",
    "os.exec",
    "os.posix_spawn",
)
"""What no parser may do. Libraries that ask the network or start programs find that they cannot."""


def main() -> None:
    """Serve until the parent closes the pipe."""
    source = sys.stdin.buffer
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # a library that prints must not speak for us
    sys.addaudithook(_refuse)
    patience.ask = lambda seconds: _more(answers, seconds)
    while header := source.read(HEADER.size):
        said, beside = (source.read(size) for size in HEADER.unpack(header))
        parser, seconds, raw = asked_for(json.loads(said), beside)
        _limit(seconds)
        _write(answers, _outcome(parser, raw))


def _refuse(event: str, arguments: Any) -> None:
    if event in _REFUSED:
        raise PermissionError(f"a parser tried {event}, which none may")


def _outcome(parser: str, raw: Raw) -> bytes:
    try:
        return answer(parser_named(parser)(raw))
    except ParseError as error:
        kind = "gave-up" if isinstance(error, ParserGaveUp) else "parse"
        return frame([kind, _bare(str(error), error.source, error.where), error.where])
    except MissingExtra as error:
        return frame(["missing", error.what, error.command])
    except ConfigError as error:
        return frame(["config", str(error), ""])
    except MemoryError:
        return frame(["failed", "out of memory"])
    except Exception as error:  # noqa: BLE001  # a library may raise anything, and the batch must go on
        return frame(["failed", f"{type(error).__name__}: {str(error)[:200]}"])


def _bare(message: str, source: str, where: str) -> str:
    """The message without the place that the parent puts before it again."""
    place = ", ".join(part for part in (source, where) if part)
    return message.removeprefix(f"{place}: ") if place else message


def _limit(seconds: float) -> None:
    """CPU time from now on; past it the kernel ends the process."""
    try:
        import resource
    except ImportError:  # Windows: the parent's clock has to do
        return
    used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    resource.setrlimit(resource.RLIMIT_CPU, (int(used + seconds) + 1, resource.RLIM_INFINITY))


def _more(answers: BinaryIO, seconds: float) -> None:
    _limit(seconds)
    _write(answers, frame(["more", seconds]))


def _write(answers: BinaryIO, message: bytes) -> None:
    answers.write(message)
    answers.flush()


if __name__ == "__main__":
    main()
