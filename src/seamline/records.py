"""What an index keeps: entries that are searched, versions that are cited, and the changes that write both."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from seamline.text.content import has_content
from seamline.text.headings import heading_line, with_headings
from seamline.text.stemming import ENGLISH

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]
    """One row, of length 1; many rows where a function says so."""
    Parts = NDArray[np.int8]
    """A row for each part of a text, in order, of any length: only its direction counts."""

MetaValue = str | float | bool | datetime | tuple[str, ...]
"""What a field of the front matter can hold in an index. All numbers are floats; times are in UTC."""

HEADING_WEIGHT = 3
"""How many more times than in the text a word in the line of title and headings counts. Chosen on links between pages
of documentation: see `docs/explain/how-search-works.md`."""
ABOUT = 100
"""Level of texts about chunks, above that of any section."""
ANSWERS = frozenset(("summary", "proposition", "rows", "pivot", "table-summary", "file-summary", "image-description"))
"""Kinds of texts about chunks that a search shows as they are. Others, such as questions, lead to their chunks."""
RESTATED = frozenset(("summary", "proposition", "rows"))
"""Those of them that say no more than the chunk does: one of both is shown."""


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """One searchable text of the current version of a document. Two are equal where all fields are, vectors included.

    It holds nothing that moves when another part of the document is edited, so an edit elsewhere does not touch it:
    where it stands is in the `Version`.
    """

    id: str
    """Of the chunk, or of the section for an inner level."""
    doc: str
    level: int
    """0 for a chunk; above that, a section by the height of the tree under it; `ABOUT` for a text about a chunk."""
    parent: str
    """Id of the section around it, empty at the top; of a text about a chunk, the id of that chunk."""
    kind: str
    """Kind of its blocks; `section` for an inner level; of a text about a chunk, what it is, such as `proposition`."""
    title: str
    """Of the document."""
    path: tuple[str, ...]
    """Heading texts above it, outermost first."""
    text: str
    """The prompt view of a chunk; of a section, its summary under its headings."""
    lead: int
    """How many code points of `text` stand before the body."""
    tail: int
    """How many stand after it."""
    tokens: int
    """Of `text`, by the recipe's tokenizer."""
    content_hash: str
    """SHA-256 of the body with white space collapsed."""
    sketch: int
    """64 bits that near-duplicates almost share, as a signed integer."""
    updated_at: datetime
    """When this text was first seen in this document."""
    created_at: datetime | None = None
    """When the document was written, by its front matter or else its file when it was first indexed."""
    language: str = ""
    """ISO 639-1 code; empty where it cannot be told."""
    authority: float = 0.5
    """0-1, how much the source is trusted."""
    coherence: float | None = None
    """0-1, how much the sentences of the text belong together, where it was measured."""
    summary: str = ""
    """One or two sentences of the text."""
    before: str = ""
    """Shadow: the end of the sibling before. Never embedded or searched with the text."""
    after: str = ""
    """Shadow: the start of the sibling after."""
    meta: Mapping[str, MetaValue] = field(default_factory=dict)
    """Fields of the front matter that can be filtered by."""
    vector: Vector | None = field(default=None, repr=False)
    """Embedding of what is `searched`."""
    summary_vector: Vector | None = field(default=None, repr=False)
    """Embedding of the summary, where the index keeps both."""
    parts: Parts | None = field(default=None, repr=False)
    """Embeddings of the parts of what is `searched`, where it has several and the model tells them. Of entries with
    equal vectors they are equal."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Entry):
            return NotImplemented
        return all(_equal(getattr(self, one.name), getattr(other, one.name)) for one in fields(self))

    def __hash__(self) -> int:
        return hash((self.id, self.doc, self.level, self.content_hash))

    def __reduce__(self) -> tuple[type[Entry], tuple[Any, ...]]:
        """Pickled as its fields: a store may keep metadata in a mapping that cannot be."""
        values = (getattr(self, one.name) for one in fields(self))
        return Entry, tuple(dict(value) if isinstance(value, Mapping) else value for value in values)

    @property
    def own_meta(self) -> dict[str, MetaValue]:
        """Metadata that its document was given; other names, which start with a colon, are what filters know of it."""
        return {name: value for name, value in self.meta.items() if not name.startswith(":")}

    @property
    def body(self) -> str:
        """The exact slice of the document."""
        return self.text[self.lead : len(self.text) - self.tail]

    @property
    def searched(self) -> str:
        """What is embedded and looked for, the embed view of a chunk: its text under the title and the headings. Never
        shown. Empty for a chunk without content of its own, which is not found but read with its neighbours."""
        if self.level == 0 and not has_content(self.body, self.kind, headed=bool(self.path)):
            return ""
        return with_headings(self.title, self.path, self.text)

    @property
    def counted(self) -> str:
        """What BM25 counts: what is searched, with the line of title and headings some more times. So a word of a
        heading weighs more than one of the text, and both saturate together: BM25F with one length for all fields."""
        searched = self.searched
        line = heading_line(self.title, self.path) if searched else ""
        return f"{line}\n" * HEADING_WEIGHT + searched if line else searched

    @property
    def breadcrumb(self) -> str:
        return " > ".join(self.path)


def _equal(left: object, right: object) -> bool:
    """Whether two fields are equal; of vectors, whether all their numbers are."""
    if hasattr(left, "tobytes") and hasattr(right, "tobytes"):
        return bool(left.tobytes() == right.tobytes())
    return left is right or (not hasattr(left, "tobytes") and not hasattr(right, "tobytes") and left == right)


def without_vectors(entry: Entry) -> Entry:
    """An entry as it is read where nobody asks for vectors."""
    if entry.vector is None and entry.summary_vector is None and entry.parts is None:
        return entry
    return replace(entry, vector=None, summary_vector=None, parts=None)


def lacks_vectors(entry: Entry, *, dual: bool) -> bool:
    """Whether an index has yet to embed something of an entry: what is searched or, in a dual index, its summary. An
    entry without either has nothing to embed."""
    lacks_own = entry.vector is None and bool(entry.searched)
    return lacks_own or (dual and entry.summary_vector is None and bool(entry.summary))


class SourceSpan(NamedTuple):
    """One of the places that a text about chunks was made from."""

    start: int
    end: int
    anchor: Mapping[str, Any]


class EntryPlace(NamedTuple):
    """Where an entry stands in one version of its document."""

    id: str
    level: int
    start: int
    end: int
    """Code points of `Version.text`."""
    anchor: Mapping[str, Any]
    """What people are told: `lines`, and page, boxes, sheet, time where the format has them."""
    path: tuple[str, ...] = ()
    """Heading texts above it in that version."""
    spans: tuple[SourceSpan, ...] = ()
    """Of a text about chunks: the places between `start` and `end` that it was made from, where they are several."""


@dataclass(frozen=True, slots=True)
class Version:
    """A document as it was once: its whole text, and where its entries stood. Never changed, never deleted."""

    doc: str
    number: int
    """From 1, and one more for every change."""
    revision: str
    """Hash of the source bytes and of the settings it was cut with; equal revisions need no work."""
    title: str
    uri: str
    """Path or address of the source, as a reader finds it."""
    text: str
    indexed_at: datetime
    places: tuple[EntryPlace, ...]
    """Entries of all levels in pre-order: a section before what is in it."""


@dataclass(frozen=True, slots=True)
class Head:
    """What a document is now."""

    doc: str
    version: int
    revision: str
    """Of its current version."""
    uri: str
    title: str
    entries: int
    """How many entries it has, of all levels."""
    chunks: int
    """How many of them are chunks (level 0)."""
    tokens: int
    """Sum over its chunks."""
    indexed_at: datetime
    deleted: bool = False
    """The source is gone. The versions stay, so citations of them resolve."""
    moved_to: str = ""
    """The document that took over its text, where a source was renamed."""


@dataclass(frozen=True, slots=True)
class Change:
    """Everything that turns one version of a document into the next; a store applies it wholly or not at all."""

    head: Head
    """The document after the change."""
    base: int
    """The version it was worked out from; 0 for a new document. A store refuses a change of any other version."""
    version: Version | None = None
    """None where a document is deleted."""
    put: tuple[Entry, ...] = ()
    """Entries that are new, or differ from the stored one of the same id."""
    drop: tuple[str, ...] = ()
    """Ids that the new version does not have."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What an index was made with. One that was made with other settings is refused."""

    schema: int
    """Layout of the store itself."""
    recipe: str
    """The recipe, as `seamline.toml`."""
    fingerprint: str
    """Of the recipe."""
    embedder: str
    """Name of the embedding model."""
    dimensions: int
    embedding: str
    """Fingerprint of the model, its weights and its settings."""
    analyzer: int
    """Version of the rules that make words of text."""
    dual: bool = False
    """Whether summaries have vectors of their own."""
    options: Mapping[str, str] = field(default_factory=dict)
    """Everything else that shapes entries, by name."""

    @property
    def stemming(self) -> str:
        """The language whose endings are taken off words."""
        return self.options.get("stemming", ENGLISH)


class Embedding(NamedTuple):
    """What a model makes of a text."""

    vector: Vector
    parts: Parts | None = None
    """Of a text of several parts, where the model tells them."""


class EntryVectors(NamedTuple):
    """What a store keeps of the embedding of an entry: the fields of the same names."""

    vector: Vector | None
    summary_vector: Vector | None
    parts: Parts | None


class Scored(NamedTuple):
    """An id that a search leg found."""

    id: str
    score: float
    """Cosine similarity, or BM25; higher is better."""


class Problem(NamedTuple):
    """Something that a check of the store found."""

    where: str
    """The file, row or document."""
    message: str


VectorKind = Literal["text", "summary"]
Levels = Collection[int] | None
"""Which levels of entries are asked for; None for all."""
