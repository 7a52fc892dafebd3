"""What a worker does: it opens the index, holds the model, and works out the changes of batches. It writes nothing."""

from __future__ import annotations

import os

from seamline.api.index import open_index
from seamline.api.ingest import DocumentBatch, PreparedBatch, prepare_batch
from seamline.api.trust import PLAIN, Keys, Trust


class BatchWorker:
    """Holds an index and its model for as long as the process lives.

    Keys of services and of the object store come from the environment of the worker's own machine: none travels.
    """

    def __init__(self, place: str, trust: Trust, max_bytes: int | None, cores: int) -> None:
        _use_cores(cores)
        self._index = open_index(place, key=Keys(plain=os.environ.get(PLAIN, ""), personal=True), trust=trust)
        self._max_bytes = max_bytes

    def ready(self) -> int:
        """Answers when the index is open."""
        return os.getpid()

    def prepare(self, batch: DocumentBatch) -> PreparedBatch:
        """The changes of a batch, with their vectors."""
        return prepare_batch(self._index, batch, self._max_bytes)


def _use_cores(count: int) -> None:
    """Use no more cores than the cluster gave: a model takes all that it may use."""
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        first = os.getpid() % len(cores)
        os.sched_setaffinity(0, (cores + cores)[first : first + min(count, len(cores))])
