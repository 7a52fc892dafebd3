"""What a document costs while it is parsed, measured from outside: time by the clock, CPU time, memory, the answer."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from seamline.errors import ParserGaveUp

MODELS = 768_000_000
"""Bytes that a parser may hold once it asked for more time: what is slow by nature holds a model."""
MOST = 86_400.0
"""Seconds of CPU time that a parser may ask for in one document."""
_LATE = 3.0
"""Seconds after which CPU time is cut from here: the child's own limit, in whole seconds, comes first."""
_THREADS = 512
_POLL = 0.02
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_REMEDY = "split the file, save it again, or leave it out"


class CostWatch:
    """Over one document in one child."""

    def __init__(self, process: int, seconds: float, memory: int, wall: float, uri: str) -> None:
        self.memory = memory
        self.uri = uri
        self._process = process
        self._seconds = seconds
        self._wall = wall
        self._deadline = time.monotonic() + wall * seconds
        self._end = self.cpu_time(process) + seconds
        self._granted = 0.0
        self._looked = time.monotonic()

    @staticmethod
    def cpu_time(process: int) -> float:
        """CPU time of a process so far; 0 where the system does not tell, or it is gone."""
        if sys.platform != "linux":
            return 0.0
        try:
            return time.clock_gettime((~process << 3) | 2)  # the kernel's name for the clock of a process
        except OSError:
            return 0.0

    def check(self) -> None:
        """Raise ParserGaveUp where the document costs too much; looks 50 times a second, however often it is called."""
        now = time.monotonic()
        if now - self._looked < _POLL:
            return
        self._looked = now
        if now > self._deadline:
            raise ParserGaveUp(
                f"reading took longer than {self._wall * self._seconds:.0f} s and was stopped: {_REMEDY}", self.uri
            )
        if self.cpu_time(self._process) > self._end + _LATE:
            raise self.time_error()
        self._check_memory()

    def grant(self, seconds: object) -> None:
        """More time, from now on, to a parser that asks for it."""
        if not isinstance(seconds, int | float) or not 0 <= seconds <= MOST - self._granted:
            raise ParserGaveUp(f"the parser asked for more than {MOST:.0f} s of time: {_REMEDY}", self.uri)
        self._granted += seconds
        self._deadline += self._wall * seconds
        self._end = self.cpu_time(self._process) + seconds
        self.memory = max(self.memory, MODELS)

    def check_size(self, size: int) -> None:
        """Raise ParserGaveUp where an answer is announced that is larger than what an honest child can hold."""
        if size > self.memory:
            most = self.memory / 1e6
            raise ParserGaveUp(
                f"the parser's answer is larger than {most:.0f} MB and was not read: {_REMEDY}", self.uri
            )

    def time_error(self) -> ParserGaveUp:
        return ParserGaveUp(
            f"reading took more than {self._seconds:.0f} s of CPU time and was stopped: {_REMEDY}", self.uri
        )

    def memory_error(self) -> ParserGaveUp:
        return ParserGaveUp(f"reading took more than {self.memory / 1e6:.0f} MB and was stopped: {_REMEDY}", self.uri)

    def _check_memory(self) -> None:
        folder = Path("/proc", str(self._process))
        try:
            resident = int((folder / "statm").read_text().split()[1]) * _PAGE
            threads = (folder / "task").stat().st_nlink - 2
        except (OSError, IndexError, ValueError):  # not Linux, or just gone
            return
        if resident > self.memory:
            raise self.memory_error()
        if threads > _THREADS:
            raise ParserGaveUp(f"reading started more than {_THREADS} threads and was stopped: {_REMEDY}", self.uri)
