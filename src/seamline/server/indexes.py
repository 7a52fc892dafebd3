"""An index as a server has it: asked by callers who see all of it or a part, and written by one thread."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from seamline.api import serving
from seamline.api.stats import find_alerts
from seamline.errors import IndexBusy, SeamlineError
from seamline.server.events import EventStream
from seamline.server.limits import ServerLimits
from seamline.server.pool import BoundedPool
from seamline.server.problems import HttpProblem
from seamline.server.workers import AskedSearch, find

if TYPE_CHECKING:
    from collections.abc import Mapping

    from seamline.api.index import Index, Stats, UpdateReport
    from seamline.schema.records import ResolvedRecord
    from seamline.server.metrics import ServerMetrics
    from seamline.server.records import WriteAnswer
    from seamline.server.tokens import Caller
    from seamline.server.workers import SearchWorkers

_BUSY_SECONDS = 10.0
"""How long a write waits for another process that writes."""
_LAG_SECONDS = 300.0
"""How long a write is remembered: what was found long ago is not stale."""
_FEW = 100
"""Embedded texts of a write below which its speed says more about its overhead."""
_FEW_SEARCHES = 100
"""Searches below which a cache has had no time to fill."""
_STATS_SECONDS = 30.0
"""How old the numbers may be that are measured, of an index that changes all the time."""


class GivenContent(NamedTuple):
    """A document that a caller sent."""

    doc: str
    content: str | bytes
    meta: Mapping[str, object]
    media_type: str | None = None


class ServedIndex:
    """One index by its name."""

    def __init__(
        self,
        name: str,
        index: Index,
        limits: ServerLimits,
        metrics: ServerMetrics,
        workers: SearchWorkers | None = None,
    ) -> None:
        self.name = name
        self.index = index
        self._workers = workers
        self._hit_rates: Mapping[str, float] = index.hit_rates()
        self.events = EventStream(limits.streams)
        self._writes = BoundedPool(1, limits.writes, f"writer-{name}")
        self._metrics = metrics
        self._arrivals: list[float] = []
        self._last_write = (0.0, 0.0)
        """When it was done, and how long after its arrival."""
        self._speed = 0.0
        self._stats: tuple[str, float, Stats] | None = None

    def close(self) -> None:
        """Finish what is being written, then give up the index."""
        self._writes.close()
        self.index.close()

    def generation(self) -> str:
        return serving.generation(self.index)

    def find(self, kind: str, query: str, options: Mapping[str, object]) -> tuple[str, bytes]:
        """The answer to a search or a context, with the mark of the state it is about."""
        asked = AskedSearch(self.name, kind, query, options)
        try:
            found = find(self.index, asked) if self._workers is None else self._workers.find(asked)
        except HttpProblem as problem:
            raise HttpProblem(
                problem.status, problem.name, self.without_paths(problem.detail), problem.headers
            ) from None
        self._hit_rates = found.hit_rates
        return found.generation, found.body

    # --- what callers see

    def check_visible(self, doc: str, caller: Caller) -> None:
        """Refuse a document that is not there, or not for the caller: both look alike."""
        if not serving.is_visible(self.index, doc, caller.forced):
            raise missing(doc)

    def cite(self, key: str, caller: Caller) -> ResolvedRecord:
        """What became of a citation; unknown where any of its documents is not for the caller."""
        found = self.index.cite(key)
        if caller.is_limited:
            docs = {one.doc for one in (found.cited, *found.now) if one is not None}
            if not docs or not all(serving.is_visible(self.index, doc, caller.forced) for doc in docs):
                unknown = f"no document of this index has or had {key.partition('@')[0]}"
                found = replace(found, status="unknown", cited=None, now=(), explanation=unknown)
        return found.to_dict()

    def stats(self, oldest: float = 0.0) -> tuple[str, Stats]:
        """The numbers of the present state, with its mark; or of one that is at most so many seconds old."""
        mark, now = self.generation(), time.monotonic()
        known = self._stats
        if known is None or (known[0] != mark and now - known[1] >= oldest):
            known = self._stats = (mark, now, self.index.stats())
            self._metrics.set_stats(self.name, known[2])
        return known[0], known[2]

    def measure(self) -> Sequence[str]:
        """Bring the gauges up to date; the alerts that follow from them."""
        stats = self.stats(_STATS_SECONDS)[1]
        self._metrics.set_caches(self.name, self._hit_rates)
        now = time.monotonic()
        done, took = self._last_write
        lag = max(now - min(self._arrivals, default=now), took if now - done < _LAG_SECONDS else 0.0)
        self._metrics.lag.labels(self.name).set(lag)
        measures = {"index_freshness_lag": lag}
        if slowest := self._metrics.slowest(self.name):
            measures["retrieval_latency"] = slowest
        if self._metrics.answered(self.name) >= _FEW_SEARCHES:
            measures["cache_hit_rate"] = self._hit_rates["chunks"]
        if self._speed:
            measures["embedding_throughput"] = self._speed
        return [*find_alerts(measures), *stats.alerts]

    # --- what callers write

    async def put(self, given: Sequence[GivenContent], caller: Caller) -> WriteAnswer:
        """Put documents into the index. They are on disk when this returns."""
        for one in given:
            serving.check_name(one.doc)
        stamped = [one._replace(meta={**one.meta, **caller.meta}) for one in given]
        loop = asyncio.get_running_loop()

        def progress(done: int, total: int | None) -> None:
            event = {"index": self.name, "done": done, "total": total}
            loop.call_soon_threadsafe(partial(self.events.publish, "progress", event))

        return await self._write(lambda: self._put(stamped, caller, progress))

    async def remove(self, doc: str, caller: Caller) -> WriteAnswer:
        """Take a document out of the index."""

        def work() -> UpdateReport:
            self.check_visible(doc, caller)
            return self.index.remove(doc)

        return await self._write(work)

    async def _write(self, work: Callable[[], UpdateReport]) -> WriteAnswer:
        arrived = time.monotonic()
        self._arrivals.append(arrived)
        try:
            answer = await self._writes.run(lambda: self._patiently(work))
        finally:
            self._arrivals.remove(arrived)
        now = time.monotonic()
        self._last_write = (now, now - arrived)
        self.events.publish("changed", {"index": self.name, "generation": answer["generation"]})
        return answer

    def _patiently(self, work: Callable[[], UpdateReport]) -> WriteAnswer:
        """Do it; where another process writes, wait for it for a while."""
        begun = time.monotonic()
        while True:
            try:
                return self._answer(work(), time.monotonic() - begun)
            except IndexBusy:
                if time.monotonic() - begun > _BUSY_SECONDS:
                    raise HttpProblem(
                        503, "index-busy", "another process writes to this index: come back soon", {"Retry-After": "5"}
                    ) from None
                time.sleep(0.05)

    def _put(
        self, given: Sequence[GivenContent], caller: Caller, progress: Callable[[int, int | None], None]
    ) -> UpdateReport:
        if caller.is_limited:
            for doc in {one.doc for one in given}:
                head = serving.document_head(self.index, doc)
                if head is not None and not serving.is_visible(self.index, doc, caller.forced):
                    raise HttpProblem(409, "name-taken", f"{doc}: this name is taken: choose another")
        reports = []
        done = 0
        for media_type, group in groupby(given, key=lambda one: one.media_type):
            items = [(one.doc, one.content, one.meta) for one in group]
            at = done
            reports.append(
                self.index.add_many(
                    items,
                    media_type=media_type,
                    progress=lambda now, total, at=at: progress(at + now, len(given)),  # type: ignore[misc]
                )
            )
            done += len(items)
        return sum_reports(reports)

    def _answer(self, report: UpdateReport, seconds: float) -> WriteAnswer:
        if report.embedded >= _FEW:
            self._speed = report.embedded / max(seconds, 1e-6)
            self._metrics.throughput.labels(self.name).set(self._speed)
        return {
            "documents": report.documents,
            "added": report.added,
            "changed": report.changed,
            "unchanged": report.unchanged,
            "removed": report.removed,
            "chunks": report.chunks,
            "failures": [{"doc": one.doc, "message": self.without_paths(one.message)} for one in report.failures],
            "notices": [self.without_paths(notice) for notice in report.notices],
            "generation": self.generation(),
        }

    def without_paths(self, text: str) -> str:
        """A message without the places of this machine."""
        url, root = self.index.url, str(self.index.root)
        for path in sorted({url, os.path.abspath(url), root, os.path.abspath(root)}, key=len, reverse=True):
            if len(path) > 1:
                text = text.replace(path, self.name)
        return text


def sum_reports(reports: Sequence[UpdateReport]) -> UpdateReport:
    """What several runs did together."""
    total, *rest = reports
    for one in rest:
        for name in ("documents", "added", "changed", "unchanged", "removed", "chunks", "embedded"):
            setattr(total, name, getattr(total, name) + getattr(one, name))
        total.failures += one.failures
        total.notices += one.notices
    return total


def missing(doc: str) -> HttpProblem:
    return HttpProblem(404, "no-document", f"{doc}: no such document in the index: GET /documents lists them")


def warm(served: ServedIndex) -> None:
    """Load the model and open the files, so that the first search need not. A failure comes again when one searches,
    and is told then."""
    with suppress(SeamlineError, HttpProblem):
        served.find("search", "warm up", {"k": 1})
