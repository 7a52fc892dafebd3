"""Workers on Ray: one actor for each, which holds the model; a batch waits at each worker while another is worked out.

A batch of a worker that died, or whose result was lost with its machine, is given to another. One that fails twice is
taken apart, so that one document that breaks a worker costs no other. Ray restarts workers where there is room; one
that has not come back gets no batch.
"""

from __future__ import annotations

import logging
import os
import shutil
import signal
import tempfile
import threading
import warnings
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from seamline.api.index import Index
from seamline.api.ingest import DocumentBatch, Failure, PreparedBatch, UpdateReport, require_models
from seamline.api.trust import models_of, trust_in
from seamline.errors import ConfigError, StoreError, needed
from seamline.files import MAX_BYTES
from seamline.scale.worker import BatchWorker

ADDRESS = "ray"
_SCHEME = "ray://"
_WAITING = 2
"""Batches at a worker, the one it works on included."""
_TRIES = 2
_START_SECONDS = 180.0
"""For the first worker to open the index, and for a lost one to come back where none is left."""


@dataclass(frozen=True, slots=True)
class RayOptions:
    """How an index run uses Ray."""

    on: str = ADDRESS
    """`ray`: the cluster that RAY_ADDRESS names, else a new one on this machine. `ray://HOST:PORT`: a cluster."""
    workers: int | None = None
    """One for each core of the cluster, unless given."""
    max_bytes: int | None = MAX_BYTES
    """Of one source."""

    def __post_init__(self) -> None:
        check_address(self.on)
        if self.workers is not None and self.workers < 1:
            raise ConfigError(f"--workers: expected 1 or more, got {self.workers}")


def check_address(on: str) -> None:
    """Refuse, with a ConfigError, what names no cluster."""
    if on != ADDRESS and not (on.startswith(_SCHEME) and len(on) > len(_SCHEME)):
        raise ConfigError(f"--on: expected ray, or ray://HOST:PORT, got {on!r}")


@contextmanager
def on_ray(index: Index, options: RayOptions) -> Iterator[None]:
    """While this lasts, updates of the index are worked out by workers on Ray, and written by this process."""
    require_models(index)  # before any machine is told to trust them
    with ray_cluster(options.on) as (ray, is_own):
        place = _shared_place(index, is_own=is_own)
        cores = int(ray.cluster_resources().get("CPU", 0))
        count = options.workers or max(1, cores)
        if count > cores:
            raise ConfigError(f"--workers: expected at most {cores}, the cores of the cluster, got {count}")
        trust = trust_in(models_of(index.recipe, index.settings.embedder))
        pool = RayPool(ray, count, (place, trust, options.max_bytes, max(1, cores // count)))
        index.preparer = pool
        try:
            pool.start()
            yield
        finally:
            index.preparer = None
            pool.stop()


@contextmanager
def ray_cluster(on: str) -> Iterator[tuple[Any, bool]]:
    """Ray, connected; and whether the cluster is one of our own on this machine."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    with needed("Ray, which runs workers,", "ray"):
        import ray
    address = on if on != ADDRESS else os.environ.get("RAY_ADDRESS", "")
    folder = "" if address else tempfile.mkdtemp(prefix="seamline-ray-")
    on_signal = signal.getsignal(signal.SIGTERM)  # Ray's own aborts the process before anything is given back
    try:
        try:
            with warnings.catch_warnings():
                # LanceDB warns of forks; Ray's children run another program at once.
                warnings.filterwarnings("ignore", message="lancedb fork", category=RuntimeWarning)
                own: dict[str, Any] = {"include_dashboard": False, "_temp_dir": folder} if folder else {}
                ray.init(address or "local", log_to_driver=False, logging_level=logging.ERROR, **own)
        except (ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
            said = str(error).strip().partition("\n")[0][:200]
            raise StoreError(
                f"cannot reach Ray at {address or 'this machine'}: {said}: start it, or leave --on out"
            ) from error
        _keep_quiet(ray)
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, on_signal)
        try:
            yield ray, bool(folder)
        finally:
            ray.shutdown()
    finally:
        if folder:
            shutil.rmtree(folder, ignore_errors=True)


def _keep_quiet(ray: Any) -> None:
    """Ray writes what is said of a lost node, with the node's whole state, to standard output, where the report of the
    run belongs. The report counts the batches that were lost with it."""
    if hasattr(ray._private.worker, "print_to_stdstream"):
        ray._private.worker.print_to_stdstream = lambda *_, **__: None


def _shared_place(index: Index, *, is_own: bool) -> str:
    """The address that workers open the index by."""
    if "://" in index.url:
        return index.url
    if not is_own or index.url.startswith("memory:"):
        raise ConfigError(
            "--index: expected s3://BUCKET/PREFIX or postgresql://..., which every machine of a cluster can reach, "
            f"got {index.url}"
        )
    scheme = "lance:" if index.url.startswith("lance:") else ""
    return scheme + os.path.abspath(index.url.removeprefix(scheme))


@dataclass(frozen=True, slots=True)
class _Attempt:
    """A batch, and how often it failed."""

    batch: DocumentBatch
    failures: int = 0


class RayPool:
    """Workers, what they do, and what waits."""

    def __init__(self, ray: Any, count: int, arguments: tuple[Any, ...]) -> None:
        self._ray = ray
        actor = ray.remote(num_cpus=1, max_restarts=-1, max_task_retries=0)(BatchWorker)
        self._workers = [actor.remote(*arguments) for _ in range(count)]
        self._load = dict.fromkeys(range(count), 0)
        """Batches at each worker that is known to be there."""
        self._running: dict[Any, tuple[_Attempt, int]] = {}
        """By the promise of their results: which batch, and at which worker."""
        self._absent: dict[Any, int] = {}
        """Workers that are waited for, by the promise of a sign of life."""
        self._again: deque[_Attempt] = deque()
        self._lost = 0
        """Batches that were lost with a worker or its machine, and given out again."""

    def start(self) -> None:
        """Wait until a worker has opened the index; those that come later are used when they are there."""
        self._load = {}
        self._absent = {_sign_of_life(worker): number for number, worker in enumerate(self._workers)}
        ready, _ = self._ray.wait([*self._absent], num_returns=1, timeout=_START_SECONDS)
        if not ready:
            raise StoreError(f"no worker started in {_START_SECONDS:.0f} s: see what `ray status` says of the cluster")
        try:
            self._ray.get(ready[0])
        except self._ray.exceptions.RayError as error:
            raise StoreError(f"a worker cannot open the index: {_reason(error)}") from error

    def stop(self) -> None:
        """End the workers."""
        for worker in self._workers:
            self._ray.kill(worker)

    def prepare(self, batches: Iterator[DocumentBatch]) -> Iterator[list[PreparedBatch]]:
        """What is ready, some batches at a time."""
        while not self._give_out(batches) or self._running or self._again:
            if done := self._collect():
                yield done
        if self._lost:
            told = f"{self._lost} batches were worked out again, since a worker or its machine was lost"
            yield [PreparedBatch((), report=UpdateReport(notices=[told]))]
            self._lost = 0

    def _give_out(self, batches: Iterator[DocumentBatch]) -> bool:
        """Hand batches to workers that have room; whether there is none left to be handed out."""
        while self._load and min(self._load.values()) < _WAITING:
            attempt = self._again.popleft() if self._again else _next(batches)
            if attempt is None:
                return True
            number = min(self._load, key=self._load.__getitem__)
            self._running[self._workers[number].prepare.remote(attempt.batch)] = attempt, number
            self._load[number] += 1
        return False

    def _collect(self) -> list[PreparedBatch]:
        """Wait for something, and take all that is there."""
        waited = [*self._running, *self._absent]
        limit = None if self._running else _START_SECONDS
        first, _ = self._ray.wait(waited, num_returns=1, timeout=limit)
        if not first:
            raise StoreError(f"no worker came back in {_START_SECONDS:.0f} s: run the same command again to go on")
        ready, _ = self._ray.wait(waited, num_returns=len(waited), timeout=0)
        done: list[PreparedBatch] = []
        for promise in {*first, *ready}:
            if promise in self._absent:
                self._welcome(promise, self._absent.pop(promise))
            else:
                done += self._take(promise, *self._running.pop(promise))
        return done

    def _take(self, promise: Any, attempt: _Attempt, number: int) -> list[PreparedBatch]:
        """The result of a batch. Where there is none, it is given out again, or its failures are told."""
        if number in self._load:
            self._load[number] -= 1
        errors = self._ray.exceptions
        try:
            return [self._ray.get(promise)]
        except errors.RayTaskError as error:
            reason = _reason(error)
        except errors.RayError as error:
            reason = _reason(error)
            self._lost += 1
            if self._load.pop(number, None) is not None:
                self._absent[_sign_of_life(self._workers[number])] = number
        return self._repeat(attempt, reason)

    def _repeat(self, attempt: _Attempt, reason: str) -> list[PreparedBatch]:
        if attempt.failures + 1 < _TRIES:
            self._again.append(_Attempt(attempt.batch, attempt.failures + 1))
        elif len(attempt.batch.sources) > 1:
            self._again.extend(_Attempt(one) for one in attempt.batch.split())
        else:
            doc = attempt.batch.sources[0].doc
            message = f"{reason}: run the same command again to try it once more"
            return [PreparedBatch((doc,), report=UpdateReport(failures=[Failure(doc, message)]))]
        return []

    def _welcome(self, promise: Any, number: int) -> None:
        """A worker is there, or has failed once more and is waited for again."""
        try:
            self._ray.get(promise)
        except self._ray.exceptions.RayError as error:
            if not self._running and not self._load and not self._absent:
                raise StoreError(f"no worker is left: {_reason(error)}") from error
            return
        self._load[number] = sum(at == number for _, at in self._running.values())


def _sign_of_life(worker: Any) -> Any:
    """The promise of an answer, however often the worker has to be started again."""
    return worker.ready.options(max_task_retries=-1).remote()


def _next(batches: Iterator[DocumentBatch]) -> _Attempt | None:
    batch = next(batches, None)
    return _Attempt(batch) if batch else None


def _reason(error: Exception) -> str:
    """What went wrong, in one line."""
    cause = getattr(error, "cause", None)
    lines = [line.strip() for line in str(cause or error).strip().splitlines() if line.strip()]
    return lines[-1][:300] if lines else type(error).__name__
