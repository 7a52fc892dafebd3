"""The steps of an index run: read, compare, cut, describe, embed, write.

Which new document has the bytes of one that is gone: a source that was renamed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple, Protocol

from seamline.errors import SeamlineError
from seamline.files import out_of_memory
from seamline.index.entries import describe
from seamline.index.late import (
    NOTHING,
    Reads,
    reads_of,
    remarks,
)
from seamline.index.vectors import Model, embedded
from seamline.parse import parse_bytes
from seamline.pipeline import make
from seamline.protocols import (
    Embedder,
    Reader,
    Store,
    Writer,
)
from seamline.recipe.recipe import Recipe
from seamline.records import (
    Change,
    Entry,
    EntryPlace,
    Head,
    Version,
)
from seamline.runtime import Runtime
from seamline.store.codec import digest
from seamline.types import Document

if TYPE_CHECKING:
    from seamline.embed.late import Within
    from seamline.embed.run import Counts
    from seamline.protocols import VectorCache


ROUND = 1
"""Of this code: a document indexed by an older round is described anew even if its bytes are the same."""
TEXTS = 256
"""New texts that are embedded and written together: full batches for the model, and at most some seconds of work
that a kill would cost."""
DOCUMENTS = 200
"""Documents that are written together, however little is new in them."""


@dataclass(frozen=True, slots=True)
class Tools:
    """The live objects of a run, and the choices that shape entries."""

    recipe: Recipe
    parts: Runtime
    embedder: Embedder
    cache: VectorCache | None = None
    hierarchy: bool = True
    """Whether sections have entries too."""
    dual: bool = False
    """Whether summaries have vectors of their own."""
    late: bool = False
    """Whether chunks are read together with those around them."""
    encoding: str | None = None
    """Of sources that are not UTF-8."""


class IndexSource(NamedTuple):
    """One source that should be in the index."""

    doc: str
    """Name of the document."""
    read: Callable[[], bytes]
    """Its bytes; a SeamlineError says why there are none."""
    modified: datetime | None = None
    media_type: str | None = None


class Failure(NamedTuple):
    """A source that could not be indexed; what the index had of it before is still there."""

    doc: str
    message: str


@dataclass(slots=True)
class UpdateReport:
    """What a run did."""

    documents: int = 0
    """Sources looked at."""
    added: int = 0
    changed: int = 0
    removed: int = 0
    moved: int = 0
    """Removed documents whose text is now in another."""
    unchanged: int = 0
    written: int = 0
    """Entries that were put, of all levels."""
    dropped: int = 0
    """Entries that are gone."""
    chunks: int = 0
    """Chunks among them that need a vector: their text is new or, in a late index, what is read with it."""
    embedded: int = 0
    """Texts and chunks that the model made vectors of."""
    cached: int = 0
    """Those whose vectors were known."""
    failures: list[Failure] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)

    @property
    def touched(self) -> int:
        return self.added + self.changed + self.removed


class Watcher(Protocol):
    """Told how a run goes on."""

    def document(self, done: int, total: int, doc: str) -> None:
        """A source was looked at."""

    def embedding(self, done: int, total: int) -> None:
        """So many of the texts of the present group have vectors."""

    def written(self, docs: Sequence[str]) -> None:
        """These documents are in the index for good."""


@dataclass(slots=True)
class _Draft:
    """A document that changed, before it has vectors."""

    head: Head
    base: int
    version: Version
    put: list[Entry]
    drop: tuple[str, ...]
    added: bool
    within: Mapping[str, Within]
    """How chunks are read that are read with others, by id."""


def update(
    store: Store,
    candidates: Sequence[IndexSource],
    tools: Tools,
    *,
    covers: Callable[[str], bool],
    now: datetime,
    watcher: Watcher | None = None,
) -> UpdateReport:
    """Bring an index up to date with its sources.

    Documents that `covers` claims and that are not among the candidates are removed; one whose bytes arrive under
    another name, in one change with its arrival. A source that fails keeps what the index had of it. Whatever was
    written before an interruption stays, and the next run goes on from there.
    """
    report = UpdateReport(documents=len(candidates))
    late = remarks(tools.embedder, tools.recipe) if tools.late else []
    with store.writer() as writer:
        # Never one reader for the whole run: a store keeps what is still being read, and its log grows meanwhile.
        with store.reader() as reader:
            heads = {head.doc: head for head in reader.heads()}
        gone = _gone(heads, candidates, covers)
        renames = Renames(gone)
        arrived: dict[str, str] = {}

        def rename(group: Sequence[_Draft]) -> list[Change]:
            arrivals = [(draft.head.doc, draft.version.revision) for draft in group if draft.added]
            return _removals(store, [(gone.pop(old), new) for old, new in renames.pair(arrivals)], now)

        drafts = _drafts(store, heads, candidates, tools, now, report, watcher)
        for group in _groups(drafts):
            written = _write(writer, group, rename, tools, report, watcher)
            arrived |= {draft.version.revision: draft.head.doc for draft in written if draft.added}
        changes = _removals(store, [(head, arrived.get(head.revision, "")) for head in gone.values()], now)
        for start in range(0, len(changes), DOCUMENTS):
            writer.apply(changes[start : start + DOCUMENTS])
        _count_removals(changes, report)
        if report.touched:
            writer.tidy()
    if report.added:
        report.notices += late
    return report


def revision(data: bytes, fingerprint: str) -> str:
    """Equal for equal bytes that would become equal entries, by a recipe of this fingerprint."""
    return sha256(b"%d %s %s" % (ROUND, fingerprint.encode(), sha256(data).digest())).hexdigest()[:32]


def _drafts(
    store: Store,
    heads: Mapping[str, Head],
    candidates: Sequence[IndexSource],
    tools: Tools,
    now: datetime,
    report: UpdateReport,
    watcher: Watcher | None,
) -> Iterator[_Draft]:
    fingerprint = tools.recipe.fingerprint
    for done, candidate in enumerate(candidates):
        if watcher:
            watcher.document(done, len(candidates), candidate.doc)
        try:
            data, head = candidate.read(), heads.get(candidate.doc)
            mark = revision(data, fingerprint)
            if head is not None and not head.deleted and head.revision == mark:
                report.unchanged += 1
                continue
            with store.reader() as reader:
                draft = _draft(reader, head, candidate, data, mark, tools, now, report)
        except SeamlineError as error:
            message = str(error).removeprefix(f"{candidate.doc}: ").removeprefix(f"{candidate.doc}, ")
            report.failures.append(Failure(candidate.doc, message))
            continue
        except MemoryError:
            report.failures.append(Failure(candidate.doc, str(out_of_memory(""))))
            continue
        yield draft


def _draft(
    reader: Reader,
    head: Head | None,
    candidate: IndexSource,
    data: bytes,
    mark: str,
    tools: Tools,
    now: datetime,
    report: UpdateReport,
) -> _Draft:
    """What is new in a source, of which these are the bytes and their revision."""
    alive = head is not None and not head.deleted
    document = parse_bytes(
        data,
        uri=candidate.doc,
        media_type=candidate.media_type,
        encoding=tools.encoding,
        reading=tools.recipe.reading,
    )
    known = reader.digests(candidate.doc) if alive else {}
    born = _born(reader, known) or candidate.modified
    made = make(document, tools.recipe, tools.parts, now=now)
    chunks = [chunk for chunk in made.chunks if not chunk.level]
    entries, places = describe(
        document,
        made.chunks,
        tools.parts.tokenizer,
        hierarchy=tools.hierarchy,
        now=now,
        born=born,
        about=made.about,
    )
    told = (*document.notices, *made.notices)
    report.notices += [f"{candidate.doc}{', ' * bool(n.where)}{n.where}: {n.message}" for n in told]
    base = head.version if head else 0
    version = _version(document, base + 1, mark, places, now)
    reads = NOTHING
    if tools.late:
        reads = reads_of(tools.embedder, reader.version(candidate.doc, base) if alive else None, version)
    fresh = [e for e in entries if known.get(e.id) != digest(e) or reads.changed(e.id)] if known else entries
    return _Draft(
        Head(
            doc=candidate.doc,
            version=base + 1,
            revision=mark,
            uri=candidate.doc,
            title=document.title,
            entries=len(entries),
            chunks=len(chunks),
            tokens=sum(chunk.tokens for chunk in chunks),
            indexed_at=now,
        ),
        base,
        version,
        _carried(reader, fresh, known, reads),
        tuple(sorted(known.keys() - {entry.id for entry in entries})),
        added=not alive,
        within=reads.now,
    )


def _version(document: Document, number: int, mark: str, places: tuple[EntryPlace, ...], now: datetime) -> Version:
    return Version(
        doc=document.id,
        number=number,
        revision=mark,
        title=document.title,
        uri=document.source.uri,
        text=document.text,
        indexed_at=now,
        places=places,
    )


def _born(reader: Reader, known: Mapping[str, str]) -> datetime | None:
    """When the document was first said to be written: a later change of the file's time does not touch entries."""
    first = min(known, default=None)
    return reader.entries([first])[first].created_at if first else None


def _carried(reader: Reader, fresh: Sequence[Entry], known: Mapping[str, str], reads: Reads) -> list[Entry]:
    """Entries with what is still true of their stored form: since when they are there, and unchanged vectors."""
    old = reader.entries([entry.id for entry in fresh if entry.id in known], vectors=True)
    return [_carry(entry, old.get(entry.id), reads) for entry in fresh]


def _carry(entry: Entry, old: Entry | None, reads: Reads) -> Entry:
    if old is None:
        return entry
    return replace(
        entry,
        updated_at=old.updated_at if old.content_hash == entry.content_hash else entry.updated_at,
        vector=old.vector if reads.same(entry, old) else None,
        summary_vector=old.summary_vector if old.summary == entry.summary else None,
    )


def _groups(drafts: Iterable[_Draft]) -> Iterator[list[_Draft]]:
    """Documents that are written together."""
    group: list[_Draft] = []
    texts = 0
    for draft in drafts:
        group.append(draft)
        texts += len(draft.put)
        if texts >= TEXTS or len(group) >= DOCUMENTS:
            yield group
            group, texts = [], 0
    if group:
        yield group


def _write(
    writer: Writer,
    group: Sequence[_Draft],
    rename: Callable[[Sequence[_Draft]], list[Change]],
    tools: Tools,
    report: UpdateReport,
    watcher: Watcher | None,
) -> list[_Draft]:
    """Documents get their vectors and are written together; those that are in the index then. Where that takes more
    memory than there is, each is tried alone. `rename` gives the removals of documents that these take the place of: in
    the same transaction, so that a reader, and whoever comes after a kill, sees the old name or the new one."""
    try:
        drafted, puts, counts = _with_vectors(group, tools, watcher)
    except MemoryError:
        if len(group) > 1:
            return [done for draft in group for done in _write(writer, [draft], rename, tools, report, watcher)]
        report.failures.append(Failure(group[0].head.doc, str(out_of_memory(""))))
        return []
    by_doc: dict[str, list[Entry]] = {draft.head.doc: [] for draft in group}
    for entry in puts:
        by_doc[entry.doc].append(entry)
    writes = [Change(d.head, d.base, d.version, tuple(by_doc[d.head.doc]), d.drop) for d in group]
    renames = rename(group)
    writer.apply([*writes, *renames])
    _count_removals(renames, report)
    report.added += sum(draft.added for draft in group)
    report.changed += sum(not draft.added for draft in group)
    report.written += len(puts)
    report.embedded += counts.computed
    report.cached += counts.cached
    report.chunks += sum(entry.level == 0 and entry.vector is None for entry in drafted)
    report.dropped += sum(len(draft.drop) for draft in group)
    if watcher:
        watcher.written([draft.head.doc for draft in group])
    return list(group)


def _with_vectors(
    group: Sequence[_Draft], tools: Tools, watcher: Watcher | None
) -> tuple[list[Entry], list[Entry], Counts]:
    """The entries of documents as they were drafted and as they are written, and where their vectors came from."""
    within = {id: read for draft in group for id, read in draft.within.items()}
    model = Model(tools.embedder, tools.cache, tools.dual)
    drafted = [entry for draft in group for entry in draft.put]
    puts, counts = embedded(drafted, within, model, watcher.embedding if watcher else None)
    return drafted, puts, counts


def _gone(
    heads: Mapping[str, Head], candidates: Sequence[IndexSource], covers: Callable[[str], bool]
) -> dict[str, Head]:
    present = {candidate.doc for candidate in candidates}
    return {doc: head for doc, head in heads.items() if not head.deleted and doc not in present and covers(doc)}


def _count_removals(changes: Sequence[Change], report: UpdateReport) -> None:
    report.removed += len(changes)
    report.moved += sum(bool(change.head.moved_to) for change in changes)
    report.dropped += sum(len(change.drop) for change in changes)


def _removals(store: Store, gone: Sequence[tuple[Head, str]], now: datetime) -> list[Change]:
    """Changes that remove documents, each given with the name of the one that took over its text, if any."""
    if not gone:
        return []
    with store.reader() as reader:
        return [_removal(reader, head, moved_to, now) for head, moved_to in gone]


def _removal(reader: Reader, head: Head, moved_to: str, now: datetime) -> Change:
    gone = replace(head, entries=0, chunks=0, tokens=0, indexed_at=now, deleted=True, moved_to=moved_to)
    return Change(gone, head.version, drop=tuple(sorted(reader.digests(head.doc))))


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
