"""Many inputs, one after the other or in several processes; results always in the order of the inputs."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import TypeVar

from seamline.api.trust import named_by_user
from seamline.cli.output import WorkerDied
from seamline.errors import ConfigError

Job = TypeVar("Job")
Result = TypeVar("Result")

_AHEAD = 4
"""Jobs in flight for each worker: enough to keep it busy, few enough to bound what waits in memory."""


def results(work: Callable[[Job], Result], jobs: Sequence[Job], workers: int) -> Iterator[Result]:
    """`work(job)` for each job, in order."""
    if workers == 1 or len(jobs) == 1:
        yield from map(work, jobs)
        return
    # Spawned, not forked: the tokenizer's library has threads of its own, which do not survive a fork.
    with safe_path("--jobs"):
        pool = ProcessPoolExecutor(min(workers, len(jobs)), multiprocessing.get_context("spawn"))
        finished = False
        try:
            yield from _in_flight(pool, work, jobs, _AHEAD * workers)
            pool.shutdown()
            finished = True
        except BrokenProcessPool:
            raise WorkerDied("a worker process was killed, perhaps for want of memory; use fewer --jobs") from None
        finally:
            if not finished:
                _kill(pool)


@contextmanager
def safe_path(option: str) -> Iterator[None]:
    """Start children without the current folder on their search path: a worker begins as `python -c`, which puts it
    first, and would run a `pickle.py` that lies among the documents."""
    if sys.flags.ignore_environment and not sys.flags.safe_path:
        raise ConfigError(f"{option} needs Python without -E, or with -P as well: got -E alone; run `python -P -E`")
    safe = {"PYTHONSAFEPATH": "1", "PYTHONPATH": os.pathsep.join(named_by_user())}
    before = {name: os.environ[name] for name in safe if name in os.environ}
    os.environ.update(safe)
    try:
        yield
    finally:
        for name in safe:
            del os.environ[name]
        os.environ.update(before)


def _in_flight(
    pool: ProcessPoolExecutor, work: Callable[[Job], Result], jobs: Sequence[Job], most: int
) -> Iterator[Result]:
    waiting: deque[Future[Result]] = deque()
    for job in jobs:
        if len(waiting) >= most:
            yield waiting.popleft().result()
        with _interrupts_held():  # workers start here and inherit this: Ctrl-C is ours to handle
            waiting.append(pool.submit(work, job))
    while waiting:
        yield waiting.popleft().result()


@contextmanager
def _interrupts_held() -> Iterator[None]:
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _kill(pool: ProcessPoolExecutor) -> None:
    """End the workers first: the pool's own thread then ends too, and can be waited for instead of raced at exit."""
    for worker in multiprocessing.active_children():
        worker.terminate()
    pool.shutdown(wait=True, cancel_futures=True)
