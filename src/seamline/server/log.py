"""The log: one JSON object per line, without texts of documents, questions or tokens."""

from __future__ import annotations

import json
import logging
import re
import sys
import traceback
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from seamline.server.guard import RequestLog

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_LONGEST = 300


def clean(text: str) -> str:
    """A name as it is logged: on one line, without what a terminal obeys, and not too long."""
    return _CONTROL.sub("?", text[:_LONGEST])


class ServerLog:
    """Writes lines to standard error, or nothing where nobody wants them."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet

    def request(self, entry: RequestLog) -> None:
        if not self._quiet:
            self._write(
                event="request",
                id=entry.id,
                method=clean(entry.method),
                path=clean(entry.path),
                status=entry.status,
                ms=round(entry.seconds * 1000, 1),
                caller=clean(entry.caller),
                client=clean(entry.client),
            )

    def failure(self, id: str, error: BaseException) -> None:
        """A fault of ours: its kind and where it was raised. What it says may quote a document."""
        frames = traceback.extract_tb(error.__traceback__)[-4:]
        where = [f"{frame.filename.rpartition('seamline/')[2]}:{frame.lineno}" for frame in frames]
        self._write(event="failure", id=id, error=type(error).__name__, where=where)

    def say(self, event: str, message: str) -> None:
        self._write(event=event, message=clean(message))

    def _write(self, **fields: object) -> None:
        time = datetime.now(UTC).isoformat(timespec="milliseconds")
        with suppress(OSError, ValueError):  # standard error is gone, which is no reason to fail
            print(json.dumps({"time": time, **fields}), file=sys.stderr, flush=True)


class LogHandler(logging.Handler):
    """What the HTTP server logs, as lines of ours."""

    def __init__(self, log: ServerLog) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        self._log.say("server", record.getMessage())
