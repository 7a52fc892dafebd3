"""Work done in a forked child: it may be killed, crash or hang, and its parent goes on."""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

PATIENCE = 120.0
"""Seconds after which a child hangs. The longest that was seen took 3, on a machine with other work."""


class Ended(NamedTuple):
    """How a child ended."""

    status: int
    """As `os.waitstatus_to_exitcode` says it: the negative number of a signal, or an exit code."""
    value: Any
    """What its work returned, as JSON; None where it did not come to its end."""
    complaint: str
    """Its traceback, or empty."""

    @property
    def killed(self) -> bool:
        return self.status == -signal.SIGKILL


class ForkedChild:
    """Some work in a fork of this process, which has loaded everything already."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self._pipe, theirs = os.pipe()
        sys.stdout.flush()
        with warnings.catch_warnings():
            # LanceDB and Python warn of forks: no thread is in the middle of anything here.
            warnings.simplefilter("ignore")
            self._pid = os.fork()
        if self._pid == 0:
            os.close(self._pipe)
            _work(work, theirs)
        os.close(theirs)

    def kill(self) -> None:
        os.kill(self._pid, signal.SIGKILL)

    def end(self, patience: float = PATIENCE) -> Ended:
        """Wait until it ends; one that hangs is killed."""
        said = _heard(self._pipe, time.monotonic() + patience)
        if said is None:
            self.kill()
        os.close(self._pipe)
        status = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        if said is None:
            return Ended(status, None, f"it hangs: nothing after {patience:.0f} s")
        value, complaint = json.loads(said) if said else (None, "")
        return Ended(status, value, complaint)


def in_child(work: Callable[[], Any]) -> Ended:
    """Do some work in a child of this process, and wait until it ends."""
    return ForkedChild(work).end()


def _work(work: Callable[[], Any], pipe: int) -> None:
    """Do it, hand over what came of it, and end: nothing of the parent may go on in its child."""
    answer, code = [None, ""], 1
    try:
        answer, code = [work(), ""], 0
    finally:
        if code:
            answer = [None, traceback.format_exc()]
        data = json.dumps(answer).encode()
        while data:
            data = data[os.write(pipe, data) :]
        os._exit(code)


def _heard(pipe: int, until: float) -> bytes | None:
    """All that a child says before it ends; None where it does not end in time."""
    said = b""
    while True:
        ready, _, _ = select.select([pipe], [], [], max(0.0, until - time.monotonic()))
        if not ready:
            return None
        part = os.read(pipe, 1 << 16)
        if not part:
            return said
        said += part
