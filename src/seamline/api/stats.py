"""What an index holds, in numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from seamline.protocols import Reader
from seamline.records import ABOUT
from seamline.search.duplicates import Duplicates, duplicates


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


def stats_of(reader: Reader, size: int) -> Stats:
    """The numbers of one state of an index; `size` is what it takes on disk."""
    heads = list(reader.heads())
    kinds: Counter[str] = Counter()
    languages: Counter[str] = Counter()
    levels: Counter[int] = Counter()
    for entry in reader.select():
        levels[entry.level] += 1
        if entry.level == 0:
            kinds[entry.kind] += 1
            languages[entry.language] += 1
    alive = [head for head in heads if not head.deleted]
    return Stats(
        documents=len(alive),
        removed=len(heads) - len(alive),
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
