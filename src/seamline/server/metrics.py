"""Measures for Prometheus, under the names that the alert rules in `alerts.yml` use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

if TYPE_CHECKING:
    from seamline.api.index import Stats
    from seamline.server.guard import RequestLog

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Seconds; 0.2 is what the alert looks at."""


class ServerMetrics:
    """The measures of one server. Each server has its own, so that two in one process do not mix."""

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        index = ["index"]
        self.latency = Histogram(
            "retrieval_latency",
            "Seconds of a search or of a context in its thread",
            [*index, "kind"],
            buckets=_BUCKETS,
            registry=registry,
        )
        self.chunks = Gauge("index_size_chunks", "Chunks of the index", index, registry=registry)
        self.throughput = Gauge(
            "embedding_throughput",
            "Texts per second that the last write of 100 or more embedded",
            index,
            registry=registry,
        )
        self.hit_rate = Gauge(
            "cache_hit_rate", "Share of look-ups that a cache answered, 0-1", [*index, "cache"], registry=registry
        )
        self.lag = Gauge(
            "index_freshness_lag",
            "Seconds from the arrival of a document until it is found: of the last write, or of one that waits longer",
            index,
            registry=registry,
        )
        self.duplicates = Gauge(
            "duplicate_chunk_rate", "Share of chunks that would not be missed, 0-1", index, registry=registry
        )
        self.completeness = Gauge(
            "metadata_completeness",
            "How many chunks have a title, a kind and a language, 0-1",
            index,
            registry=registry,
        )
        self.requests = Counter(
            "http_requests", "Requests by method and status", ["method", "status"], registry=registry
        )

    def count_request(self, entry: RequestLog) -> None:
        method = entry.method if entry.method in _METHODS else "other"  # callers may send any word
        self.requests.labels(method, str(entry.status)).inc()

    def set_stats(self, index: str, stats: Stats) -> None:
        self.chunks.labels(index).set(stats.chunks)
        self.duplicates.labels(index).set(stats.duplicates.rate)
        self.completeness.labels(index).set(stats.completeness)

    def set_caches(self, index: str, rates: Mapping[str, float]) -> None:
        for cache, rate in rates.items():
            self.hit_rate.labels(index, cache).set(rate)

    def slowest(self, index: str) -> float:
        """Seconds that 99% of the searches and contexts of an index were within, as far as the buckets tell; 0 where
        there were none."""
        within: dict[float, float] = {}
        for sample in (sample for metric in self.latency.collect() for sample in metric.samples):
            if sample.name.endswith("_bucket") and sample.labels["index"] == index:
                bound = float(sample.labels["le"])
                within[bound] = within.get(bound, 0.0) + sample.value
        total = max(within.values(), default=0.0)
        return min((bound for bound, count in within.items() if count >= 0.99 * total), default=0.0) if total else 0.0

    def answered(self, index: str) -> int:
        """How many searches and contexts of an index there were."""
        samples = (sample for metric in self.latency.collect() for sample in metric.samples)
        return int(sum(one.value for one in samples if one.name.endswith("_count") and one.labels["index"] == index))

    def render(self) -> bytes:
        return generate_latest(self._registry)


_METHODS = {"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"}
