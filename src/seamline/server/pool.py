"""Threads that searches run in: so many at once, so many waiting, and the rest is told to come back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

from seamline.server.problems import HttpProblem

Result = TypeVar("Result")


class BoundedPool:
    """A thread pool with a bounded queue. A place is free again when its work ends, also where nobody waits for it any
    more, so that requests that were given up cannot pile up."""

    def __init__(self, threads: int, waiting: int, name: str) -> None:
        self._executor = ThreadPoolExecutor(threads, f"seamline-{name}")
        self._most = threads + waiting
        self._taken = 0

    @property
    def taken(self) -> int:
        """Requests that are worked at or wait."""
        return self._taken

    async def run(self, work: Callable[[], Result]) -> Result:
        """The result of work in a thread; an HttpProblem where all places are taken."""
        if self._taken >= self._most:
            raise HttpProblem(
                503, "busy", "the server has as much to do as it can: come back soon", {"Retry-After": "1"}
            )
        self._taken += 1
        loop = asyncio.get_running_loop()
        future = self._executor.submit(copy_context().run, work)  # so that its spans belong to the request
        future.add_done_callback(lambda done: _tell(loop, self._release, done))
        return await asyncio.wrap_future(future)

    def _release(self) -> None:
        self._taken -= 1

    def close(self) -> None:
        """Wait for what is being done."""
        self._executor.shutdown(wait=True)


def _tell(loop: asyncio.AbstractEventLoop, release: Callable[[], None], done: Future[Result]) -> None:
    """From the thread of the work, or from whoever cancels it before it began."""
    if not loop.is_closed():
        loop.call_soon_threadsafe(release)
