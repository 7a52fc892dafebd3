"""What one caller may ask of a server, and how often."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

MEGABYTE = 1 << 20
_CALLERS = 10_000
"""Callers whose rates are remembered; the least recent are forgotten first."""


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """The limits of a server; each has an option of `seamline serve`."""

    body: int = 32 * MEGABYTE
    """Bytes of a request."""
    seconds: float = 30.0
    """That the head of a request may take, then its body with the work, and the caller to read each piece of the
    answer. Writes that have begun are finished, and streams of events go on."""
    threads: int = 4
    """Searches at once."""
    waiting: int = 64
    """Searches that wait for a thread."""
    writes: int = 16
    """Writes that wait, of each index."""
    requests: int = 512
    """Requests that are open at once."""
    rate: float = 100.0
    """Requests per second of a caller, twice as many at once; 0 for any number."""
    batch: int = 1000
    """Documents of a write, and citations of a look-up."""
    query: int = 10_000
    """Characters of a question."""
    streams: int = 32
    """Callers that listen to events."""


class RateLimit:
    """Requests per second of each caller: a bucket that refills, and holds two seconds' worth."""

    def __init__(self, rate: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, caller: str) -> float:
        """Seconds until the caller may ask again; 0 where it may ask now, which is counted."""
        if not self._rate:
            return 0.0
        now, most = self._clock(), max(1.0, 2 * self._rate)
        left, since = self._buckets.pop(caller, (most, now))
        left = min(most, left + (now - since) * self._rate)
        allowed = left >= 1
        self._buckets[caller] = (left - 1 if allowed else left, now)
        if len(self._buckets) > _CALLERS:
            self._buckets.popitem(last=False)
        return 0.0 if allowed else (1 - left) / self._rate
