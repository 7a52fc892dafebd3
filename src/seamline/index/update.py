"""The steps of an index run, as `seamline.pipeline.index` takes them: compare, read what changed, write it, remove what
is gone, and then embed what has no vector. A source that was renamed is found by its bytes.

Until it has a vector, an entry is found by words alone. What a run leaves without one, because it was interrupted, the
next run embeds, whichever documents that looks at.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from seamline.embed.run import Counts
from seamline.errors import SeamlineError
from seamline.files import out_of_memory
from seamline.index.entries import describe
from seamline.index.late import NOTHING, Reads, reads_of, remarks
from seamline.index.sources import IndexSource
from seamline.index.vectors import Model, embed_entries, recall_vectors
from seamline.parse import parse_bytes
from seamline.pipeline import chunk
from seamline.protocols import Embedder, Reader, Store, Writer
from seamline.recipe.recipe import Recipe
from seamline.records import Change, Entry, EntryPlace, Head, Version
from seamline.runtime import Runtime
from seamline.store.codec import digest
from seamline.types import Document

if TYPE_CHECKING:
    from seamline.embed.late import Within
    from seamline.parse.latex.project import LatexProject
    from seamline.protocols import VectorCache


ROUND = 2
"""Of this code: a document indexed by an older round is described anew even if its bytes are the same."""
TEXTS = 256
"""New texts that are written together, and embedded together: full batches for the model, and at most some seconds of
work that a kill would cost."""
WINDOW = 4096
"""Entries that are sorted by length before they are embedded, so that a batch has texts of about the same length; some
megabytes of text."""
DOCUMENTS = 200
"""Documents that are written together, however little is new in them."""


@dataclass(frozen=True, slots=True)
class Tools:
    """The live objects of a run, and the choices that shape entries."""

    recipe: Recipe
    runtime: Runtime
    embedder: Embedder
    cache: VectorCache | None = None
    hierarchy: bool = True
    """Whether sections have entries too."""
    dual: bool = False
    """Whether summaries have vectors of their own."""
    late: bool = False
    """Whether chunks are read together with those around them. These are embedded before they are written, a document
    at a time: where a chunk stands among others is known then, and not stored."""
    at_once: bool = False
    """Whether entries are written together with their vectors: one transaction for a group, and nothing is found by
    words alone meanwhile."""


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
    """Chunks that got a vector: their text is new or, in a late index, what is read with it; or an earlier run did not
    come to them."""
    embedded: int = 0
    """Texts and chunks that the model made vectors of."""
    cached: int = 0
    """Those whose vectors were known."""
    left_out: dict[str, int] = field(default_factory=dict)
    """Files and folders that were not wanted, by the reason: hidden, vendored, ignored, excluded, format."""
    failures: list[Failure] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)

    @property
    def touched(self) -> int:
        return self.added + self.changed + self.removed


class Watcher(Protocol):
    """Told how a run goes on."""

    def document(self, done: int, total: int, doc: str) -> None:
        """A source was looked at."""

    def written(self, docs: Sequence[str]) -> None:
        """These documents are in the index for good, and found by words."""

    def embedding(self, done: int, total: int) -> None:
        """So many of all entries that lacked a vector have one; in a late index, of the texts of the present group."""


@dataclass(slots=True)
class DocumentDraft:
    """A document that changed, before it has vectors."""

    head: Head
    base: int
    version: Version
    put: list[Entry]
    drop: tuple[str, ...]
    added: bool
    within: Mapping[str, Within]
    """How chunks are read that are read with others, by id."""


class IndexRun:
    """One run over the sources of an index: what it knows of them, and what it did."""

    def __init__(self, store: Store, tools: Tools, now: datetime, watcher: Watcher | None = None) -> None:
        self.report = UpdateReport()
        self._store = store
        self._tools = tools
        self._fingerprint = tools.recipe.fingerprint  # worked out once: it takes as long as cutting a short text
        self._now = now
        self._watcher = watcher
        self._model = Model(tools.embedder, tools.cache, tools.dual)
        self._remarks = remarks(tools.embedder, tools.recipe) if tools.late else []
        self._heads: dict[str, Head] = {}
        self._gone: dict[str, Head] = {}
        """Documents that are not among the sources any more and not yet removed."""
        self._renames = Renames({})
        self._arrived: dict[str, str] = {}
        """New documents that are written, by revision."""

    def compare(self, sources: Sequence[IndexSource], covers: Callable[[str], bool]) -> None:
        """Find out what the index has, and what of it is gone."""
        self.report.documents = len(sources)
        # Never one reader for the whole run: a store keeps what is still being read, and its log grows meanwhile.
        with self._store.reader() as reader:
            self._heads = {head.doc: head for head in reader.heads()}
        present = {source.doc for source in sources}
        self._gone = {
            doc: head for doc, head in self._heads.items() if not head.deleted and doc not in present and covers(doc)
        }
        self._renames = Renames(self._gone)

    def look_up(self, sources: Sequence[IndexSource]) -> None:
        """Find out what the index has of these sources alone; nothing is gone."""
        self.report.documents += len(sources)
        with self._store.reader() as reader:
            found = ((source.doc, reader.head(source.doc)) for source in sources)
            self._heads = {doc: head for doc, head in found if head is not None}

    def know(self, heads: Mapping[str, Head]) -> None:
        """Take what the index has of the sources from whoever looked it up."""
        self._heads = dict(heads)

    def heads_of(self, sources: Sequence[IndexSource]) -> dict[str, Head]:
        """What the index has of these sources."""
        return {source.doc: self._heads[source.doc] for source in sources if source.doc in self._heads}

    def read_changed(self, sources: Sequence[IndexSource], reader: Reader | None = None) -> Iterator[DocumentDraft]:
        """The sources that are not in the index as they are now, chunked and described. Each is compared with the
        present state, or all of them with that of a reader."""
        for done, source in enumerate(sources):
            if self._watcher:
                self._watcher.document(done, len(sources), source.doc)
            try:
                data, head = source.read(), self._heads.get(source.doc)
                project = source.gather(data) if source.gather is not None else None
                mark = revision(data + project.digest if project else data, self._fingerprint, source.meta)
                if head is not None and not head.deleted and head.revision == mark:
                    self.report.unchanged += 1
                    continue
                with nullcontext(reader) if reader else self._store.reader() as state:
                    draft = self._draft(state, head, source, data, mark, project)
            except SeamlineError as error:
                message = str(error).removeprefix(f"{source.doc}: ").removeprefix(f"{source.doc}, ")
                self.report.failures.append(Failure(source.doc, message))
                continue
            except MemoryError:
                self.report.failures.append(Failure(source.doc, str(out_of_memory(""))))
                continue
            yield draft

    def write(self, writer: Writer, group: Sequence[DocumentDraft]) -> None:
        """Write documents together, with the vectors that are known; in a late index, with all of them. Where that
        takes more memory than there is, each is tried alone. Documents that these take the place of are removed in the
        same transaction, so that a reader, and whoever comes after a kill, sees the old name or the new one."""
        try:
            puts, counts = self._embed_group(group) if self._tools.late or self._tools.at_once else self._recall(group)
        except MemoryError:
            if len(group) == 1:
                self.report.failures.append(Failure(group[0].head.doc, str(out_of_memory(""))))
                return
            for draft in group:
                self.write(writer, [draft])
            return
        by_doc: dict[str, list[Entry]] = {draft.head.doc: [] for draft in group}
        for entry in puts:
            by_doc[entry.doc].append(entry)
        writes = [Change(d.head, d.base, d.version, put=tuple(by_doc[d.head.doc]), drop=d.drop) for d in group]
        self.apply(writer, writes)
        self._count_writes(group, puts, counts)

    def apply(self, writer: Writer, writes: Sequence[Change]) -> None:
        """Write changes of documents that are among the sources, and remove those that they take the place of."""
        arrivals = [(one.head.doc, one.head.revision) for one in writes if not self._is_alive(one.head.doc)]
        renames = self._removals([(self._gone.pop(old), new) for old, new in self._renames.pair(arrivals)])
        writer.apply([*writes, *renames])
        self._arrived |= {revision: doc for doc, revision in arrivals}
        self._count_removals(renames)
        if self._watcher:
            self._watcher.written([one.head.doc for one in writes])

    def remove_gone(self, writer: Writer) -> None:
        """Remove what no source stands for any more."""
        changes = self._removals([(head, self._arrived.get(head.revision, "")) for head in self._gone.values()])
        for start in range(0, len(changes), DOCUMENTS):
            writer.apply(changes[start : start + DOCUMENTS])
        self._count_removals(changes)

    def count_missing(self) -> int:
        """How many entries of the whole index lack a vector. Never any in a late index."""
        if self._tools.late:
            return 0
        with self._store.reader() as reader:
            return reader.count_missing_vectors(levels=None)

    def embed_missing(self, writer: Writer) -> int:
        """Give vectors to all entries that lack one, of this run or of one that was interrupted: the longest first
        among some thousands, written every few hundred. An entry that takes more memory than there is stays without.
        How many got one."""
        total, done, wrote = self.count_missing(), 0, 0
        failed: set[str] = set()
        if total and self._watcher:
            self._watcher.embedding(0, total)
        while total and (window := self._longest_first(failed)):
            before = wrote + len(failed)
            for start in range(0, len(window), TEXTS):
                batch = window[start : start + TEXTS]
                wrote += self._embed_batch(writer, batch, done, total, failed)
                done = min(total, done + len(batch))
            if wrote + len(failed) == before:
                break  # somebody else changed them all: the next run sees what they are now
        return wrote

    def conclude(self) -> UpdateReport:
        """What the run did."""
        if self.report.added:
            self.report.notices += self._remarks
        return self.report

    def _draft(
        self,
        reader: Reader,
        head: Head | None,
        source: IndexSource,
        data: bytes,
        mark: str,
        project: LatexProject | None = None,
    ) -> DocumentDraft:
        """What is new in a source, of which these are the bytes, their revision and the files that it names."""
        alive = head is not None and not head.deleted
        document = parse_bytes(
            data,
            uri=source.doc,
            media_type=source.media_type,
            encoding=source.encoding,
            reading=self._tools.recipe.reading,
            project=project,
        )
        if source.meta:
            title = source.meta.get("title")
            document = replace(
                document,
                front_matter={**document.front_matter, **source.meta},
                title=title if isinstance(title, str) else document.title,
            )
        known = reader.digests(source.doc) if alive else {}
        born = _born(reader, known) or source.modified
        made = chunk(document, self._tools.recipe, self._tools.runtime, now=self._now)
        chunks = [one for one in made.chunks if not one.level]
        entries, places = describe(
            document,
            made.chunks,
            self._tools.runtime.tokenizer,
            hierarchy=self._tools.hierarchy,
            now=self._now,
            born=born,
            about=made.about,
        )
        told = (*document.notices, *made.notices)
        self.report.notices += [f"{source.doc}{', ' * bool(n.where)}{n.where}: {n.message}" for n in told]
        base = head.version if head else 0
        version = _version(document, base + 1, mark, places, self._now)
        reads = NOTHING
        if self._tools.late:
            reads = reads_of(self._tools.embedder, reader.version(source.doc, base) if alive else None, version)
        fresh = [e for e in entries if known.get(e.id) != digest(e) or reads.changed(e.id)] if known else entries
        return DocumentDraft(
            Head(
                doc=source.doc,
                version=base + 1,
                revision=mark,
                uri=source.doc,
                title=document.title,
                entries=len(entries),
                chunks=len(chunks),
                tokens=sum(one.tokens for one in chunks),
                indexed_at=self._now,
            ),
            base=base,
            version=version,
            put=_carry_all(reader, fresh, known, reads),
            drop=tuple(sorted(known.keys() - {entry.id for entry in entries})),
            added=not alive,
            within=reads.now,
        )

    def _is_alive(self, doc: str) -> bool:
        head = self._heads.get(doc)
        return head is not None and not head.deleted

    def _recall(self, group: Sequence[DocumentDraft]) -> tuple[list[Entry], Counts]:
        """The entries of documents with the vectors that are known of their texts, and of how many texts."""
        found, known = recall_vectors([entry for draft in group for entry in draft.put], self._model)
        return found, Counts(0, known)

    def _embed_group(self, group: Sequence[DocumentDraft]) -> tuple[list[Entry], Counts]:
        """The entries of documents with all their vectors, and where those came from."""
        within = {id: read for draft in group for id, read in draft.within.items()}
        drafted = [entry for draft in group for entry in draft.put]
        return embed_entries(drafted, within, self._model, self._watcher.embedding if self._watcher else None)

    def _longest_first(self, failed: Collection[str]) -> list[Entry]:
        """Some entries that lack a vector, sorted so that texts of about the same length, and equal ones, stand
        together."""
        with self._store.reader() as reader:
            ids = islice((id for id in reader.missing_vectors() if id not in failed), WINDOW)
            found = reader.entries(ids, vectors=True).values()
        return sorted(found, key=lambda entry: (len(text := entry.searched), text), reverse=True)

    def _embed_batch(self, writer: Writer, batch: Sequence[Entry], done: int, total: int, failed: set[str]) -> int:
        """Embed and write some entries, one by one where memory is short; how many were written."""

        def tell(part: int, whole: int) -> None:
            if self._watcher:
                self._watcher.embedding(min(total, done + len(batch) * part // whole), total)

        try:
            filled, counts = embed_entries(batch, {}, self._model, tell)
        except MemoryError:
            if len(batch) > 1:
                return sum(self._embed_batch(writer, [one], done + n, total, failed) for n, one in enumerate(batch))
            failed.add(batch[0].id)
            self.report.failures.append(Failure(batch[0].doc, str(out_of_memory(""))))
            return 0
        wrote = writer.add_vectors(filled)
        self.report.embedded += counts.computed
        self.report.cached += counts.cached
        self.report.chunks += sum(entry.level == 0 and entry.vector is None for entry in batch)
        return wrote

    def _removals(self, gone: Sequence[tuple[Head, str]]) -> list[Change]:
        """Changes that remove documents, each given with the name of the one that took over its text, if any."""
        if not gone:
            return []
        with self._store.reader() as reader:
            return [_removal(reader, head, moved_to, self._now) for head, moved_to in gone]

    def _count_removals(self, changes: Sequence[Change]) -> None:
        self.report.removed += len(changes)
        self.report.moved += sum(bool(change.head.moved_to) for change in changes)
        self.report.dropped += sum(len(change.drop) for change in changes)

    def _count_writes(self, group: Sequence[DocumentDraft], puts: Sequence[Entry], counts: Counts) -> None:
        self.report.added += sum(draft.added for draft in group)
        self.report.changed += sum(not draft.added for draft in group)
        self.report.written += len(puts)
        self.report.embedded += counts.computed
        self.report.cached += counts.cached
        before = [entry for draft in group for entry in draft.put]
        self.report.chunks += sum(
            old.level == 0 and old.vector is None and new.vector is not None
            for old, new in zip(before, puts, strict=True)
        )
        self.report.dropped += sum(len(draft.drop) for draft in group)


def group_drafts(drafts: Iterable[DocumentDraft]) -> Iterator[list[DocumentDraft]]:
    """Documents that are written together."""
    group: list[DocumentDraft] = []
    texts = 0
    for draft in drafts:
        group.append(draft)
        texts += len(draft.put)
        if texts >= TEXTS or len(group) >= DOCUMENTS:
            yield group
            group, texts = [], 0
    if group:
        yield group


def revision(data: bytes, fingerprint: str, meta: Mapping[str, Any] | None = None) -> str:
    """Equal for equal bytes and metadata that would become equal entries, by a recipe of this fingerprint."""
    plain = b"%d %s %s" % (ROUND, fingerprint.encode(), sha256(data).digest())
    given = json.dumps(meta, sort_keys=True, default=str).encode() if meta else b""
    return sha256(plain + given).hexdigest()[:32]


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


def _carry_all(reader: Reader, fresh: Sequence[Entry], known: Mapping[str, str], reads: Reads) -> list[Entry]:
    """Entries with what is still true of their stored form: since when they are there, and unchanged vectors."""
    old = reader.entries([entry.id for entry in fresh if entry.id in known], vectors=True)
    return [_carry(entry, old.get(entry.id), reads) for entry in fresh]


def _carry(entry: Entry, old: Entry | None, reads: Reads) -> Entry:
    if old is None:
        return entry
    same = reads.same(entry, old)
    return replace(
        entry,
        updated_at=old.updated_at if old.content_hash == entry.content_hash else entry.updated_at,
        vector=old.vector if same else None,
        summary_vector=old.summary_vector if old.summary == entry.summary else None,
        parts=old.parts if same else None,
    )


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
