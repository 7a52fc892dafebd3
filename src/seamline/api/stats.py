"""What an index holds, in numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, TypedDict

from seamline.filters.tree import DERIVED_FIELDS
from seamline.protocols import Reader
from seamline.records import ABOUT
from seamline.search.duplicates import Duplicates, duplicates


class StatsCounts(TypedDict):
    """How much an index holds, as records have it."""

    documents: int
    removed: int
    versions: int
    chunks: int
    missing_vectors: int
    sections: int
    about: int
    tokens: int
    kinds: dict[str, int]
    languages: dict[str, int]


@dataclass(frozen=True, slots=True)
class Stats:
    """What an index holds."""

    documents: int
    removed: int
    """Documents that are gone, but whose citations still resolve."""
    chunks: int
    missing_vectors: int
    """Chunks that have no vector yet: they are found by words alone until the next update."""
    about: int
    """Texts about chunks."""
    sections: int
    tokens: int
    """Sum over all chunks."""
    versions: int
    """Of all documents, the removed ones included."""
    kinds: Mapping[str, int]
    """Chunks by kind, the most frequent first."""
    languages: Mapping[str, int]
    """Chunks by language; the empty name where it could not be told."""
    duplicates: Duplicates
    indexed_at: datetime | None
    """When a document was last written."""
    size: int
    """Bytes on disk."""
    needs_review: Mapping[str, int]
    """By document, how many of its chunks have a text that is so unsure that somebody should look at it."""
    completeness: float
    """How many chunks have a title, a kind and a language, 0-1; 1 where there are none."""

    @property
    def counts(self) -> StatsCounts:
        """What records of it have in common, wherever they are written."""
        return {
            "documents": self.documents,
            "removed": self.removed,
            "versions": self.versions,
            "chunks": self.chunks,
            "missing_vectors": self.missing_vectors,
            "sections": self.sections,
            "about": self.about,
            "tokens": self.tokens,
            "kinds": dict(self.kinds),
            "languages": dict(self.languages),
        }

    @property
    def alerts(self) -> list[str]:
        """What of it should be looked at, in words."""
        return find_alerts({"duplicate_chunk_rate": self.duplicates.rate, "metadata_completeness": self.completeness})


class Threshold(NamedTuple):
    """Where a measure stops being fine. A server's `alerts.yml` says the same to Prometheus."""

    measure: str
    limit: float
    is_most: bool
    """Whether more is worse."""
    message: str


THRESHOLDS = (
    Threshold("retrieval_latency", 0.2, True, "1% of searches take more than 200 ms"),
    Threshold("cache_hit_rate", 0.5, False, "less than half of the look-ups of chunks hit the cache"),
    Threshold("index_freshness_lag", 300, True, "documents wait for more than 5 minutes to be found"),
    Threshold("duplicate_chunk_rate", 0.01, True, "more than 1% of chunks say what others say"),
    Threshold("metadata_completeness", 0.95, False, "more than 5% of titles, kinds and languages are missing"),
    Threshold("embedding_throughput", 100, False, "fewer than 100 texts per second are embedded"),
)


def find_alerts(measures: Mapping[str, float]) -> list[str]:
    """The messages of the thresholds that these measures, by name, are beyond."""
    return [
        one.message
        for one in THRESHOLDS
        if (value := measures.get(one.measure)) is not None
        and (value > one.limit if one.is_most else value < one.limit)
    ]


def stats_of(reader: Reader, size: int) -> Stats:
    """The numbers of one state of an index; `size` is what it takes on disk."""
    heads = list(reader.heads())
    kinds: Counter[str] = Counter()
    languages: Counter[str] = Counter()
    levels: Counter[int] = Counter()
    unsure: Counter[str] = Counter()
    known = 0
    for entry in reader.select():
        levels[entry.level] += 1
        if entry.level == 0:
            kinds[entry.kind] += 1
            languages[entry.language] += 1
            unsure[entry.doc] += entry.meta.get(DERIVED_FIELDS["needs_review"]) is True
            known += bool(entry.title) + bool(entry.kind) + bool(entry.language)
    alive = [head for head in heads if not head.deleted]
    return Stats(
        documents=len(alive),
        removed=len(heads) - len(alive),
        needs_review={doc: count for doc, count in unsure.most_common() if count},
        completeness=known / (3 * levels[0]) if levels[0] else 1.0,
        chunks=levels.pop(0, 0),
        missing_vectors=reader.count_missing_vectors(),
        about=levels.pop(ABOUT, 0),
        sections=sum(levels.values()),
        tokens=sum(head.tokens for head in alive),
        versions=sum(len(reader.versions(head.doc)) for head in heads),
        kinds=dict(kinds.most_common()),
        languages=dict(languages.most_common()),
        duplicates=duplicates(reader),
        indexed_at=max((head.indexed_at for head in heads), default=None),
        size=size,
    )
