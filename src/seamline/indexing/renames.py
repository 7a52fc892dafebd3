"""Which new document has the bytes of one that is gone: a source that was renamed."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping

from seamline.records import Head


class Renames:
    """Documents that are gone, until one arrives with their bytes."""

    def __init__(self, gone: Mapping[str, Head]) -> None:
        self._waiting: dict[str, deque[str]] = {}
        for doc, head in sorted(gone.items()):
            self._waiting.setdefault(head.revision, deque()).append(doc)

    def pair(self, arrivals: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
        """The old and the new name of each renamed document among arrivals, given as name and revision; the old ones
        wait no longer. Where several have the same bytes, the first old name goes with the first new one."""
        return [(self._waiting[mark].popleft(), doc) for doc, mark in sorted(arrivals) if self._waiting.get(mark)]
