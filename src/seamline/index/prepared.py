"""An index run in two places: workers read, chunk and embed batches of documents, and one process writes them.

A worker makes changes and writes none. Every change names the version that it was worked out from, and a store refuses
one of another version. So a batch may be worked out twice, on whatever machine: it is written once, and a document is
done when its head says so, in the same transaction.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple, Protocol

from seamline.errors import SeamlineError, StoreError
from seamline.index.sources import IndexSource
from seamline.index.update import Failure, IndexRun, Tools, UpdateReport, group_drafts

if TYPE_CHECKING:
    from seamline.index.update import Watcher
    from seamline.parse.latex.project import LatexProject
    from seamline.protocols import Store, Writer
    from seamline.records import Change, Entry, Head

DOCUMENTS = 16
"""Of a batch: what a lost worker costs."""
MOST_BYTES = 8_000_000
"""Of the files of a batch."""


class SourceBytes(NamedTuple):
    """One source as it travels to a worker: the bytes of a file, or the address of an object."""

    doc: str
    data: bytes | None
    url: str
    modified: datetime | None
    media_type: str | None
    encoding: str | None
    project: LatexProject | None = None
    """The files that LaTeX names."""


@dataclass(frozen=True, slots=True)
class DocumentBatch:
    """Documents that are worked out together."""

    sources: tuple[SourceBytes, ...]
    heads: Mapping[str, Head]
    """What the index has of them."""
    now: datetime

    def split(self) -> list[DocumentBatch]:
        """A batch for each document."""
        return [replace(self, sources=(source,)) for source in self.sources]


@dataclass(frozen=True, slots=True)
class PreparedBatch:
    """What is to be written of a batch, and what working it out was like."""

    docs: tuple[str, ...]
    changes: tuple[Change, ...] = ()
    report: UpdateReport = field(default_factory=UpdateReport)


class BatchPreparer(Protocol):
    """Works out batches elsewhere."""

    def prepare(self, batches: Iterator[DocumentBatch]) -> Iterator[list[PreparedBatch]]:
        """What is ready, some batches at a time, in any order and each once. Batches are taken as workers are free, so
        that no more of them are in memory. One that cannot be worked out has failures."""
        ...


class ChangeCollector:
    """Takes changes in the place of a store."""

    def __init__(self) -> None:
        self.changes: list[Change] = []

    def apply(self, changes: Sequence[Change]) -> None:
        """Keep changes."""
        self.changes += changes

    def add_vectors(self, entries: Sequence[Entry]) -> int:
        """Never asked: entries come with their vectors."""
        raise TypeError("a collector of changes has no entries")

    def tidy(self) -> None:
        """Nothing is to be done."""


def prepare_batch(store: Store, tools: Tools, sources: Sequence[IndexSource], batch: DocumentBatch) -> PreparedBatch:
    """Read, chunk and embed a batch of documents, which `sources` reads."""
    run = IndexRun(store, replace(tools, cache=None, at_once=True), batch.now)
    run.know(batch.heads)
    collector = ChangeCollector()
    with store.reader() as reader:
        for group in group_drafts(run.read_changed(sources, reader)):
            run.write(collector, group)
    return PreparedBatch(tuple(one.doc for one in sources), tuple(collector.changes), run.conclude())


def write_prepared(
    run: IndexRun,
    writer: Writer,
    sources: Sequence[IndexSource],
    preparer: BatchPreparer,
    *,
    now: datetime,
    watcher: Watcher | None,
) -> None:
    """Hand sources to workers, and write what comes back: all that is ready is one transaction."""
    done = 0
    unread: list[Failure] = []
    for ready in preparer.prepare(_batches(run, sources, now, unread)):
        changes = [change for one in ready for change in one.changes]
        if changes:
            run.apply(writer, changes)
        for one in ready:
            _add_report(run.report, one.report)
            for doc in one.docs:
                if watcher:
                    watcher.document(done, len(sources), doc)
                done += 1
    run.report.failures += unread
    if done + len(unread) != len(sources):
        raise StoreError(f"workers handed back {done} of {len(sources)} documents: run the same command again to go on")


def _batches(
    run: IndexRun, sources: Sequence[IndexSource], now: datetime, unread: list[Failure]
) -> Iterator[DocumentBatch]:
    """Sources by the hash of their names, so that large and small ones are mixed and every run makes the same batches.
    Files are read when their batch is wanted; those that cannot be go to `unread`."""
    group: list[SourceBytes] = []
    held: list[IndexSource] = []
    size = 0
    for source in sorted(sources, key=lambda one: sha256(one.doc.encode("utf-8", "surrogatepass")).digest()):
        try:
            data = None if source.url else source.read()
            project = source.gather(data) if source.gather is not None and data is not None else None
        except SeamlineError as error:
            message = str(error).removeprefix(f"{source.doc}: ").removeprefix(f"{source.doc}, ")
            unread.append(Failure(source.doc, message))
            continue
        group.append(
            SourceBytes(source.doc, data, source.url, source.modified, source.media_type, source.encoding, project)
        )
        held.append(source)
        size += len(data or b"")
        if len(group) == DOCUMENTS or size >= MOST_BYTES:
            yield DocumentBatch(tuple(group), run.heads_of(held), now)
            group, held, size = [], [], 0
    if group:
        yield DocumentBatch(tuple(group), run.heads_of(held), now)


_COUNTED = ("added", "changed", "unchanged", "written", "dropped", "chunks", "embedded", "cached")


def _add_report(report: UpdateReport, part: UpdateReport) -> None:
    """Add what a worker counted; documents and removals are counted where they are written."""
    for name in _COUNTED:
        setattr(report, name, getattr(report, name) + getattr(part, name))
    report.failures += part.failures
    report.notices += [one for one in part.notices if one not in report.notices]
