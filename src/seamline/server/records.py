"""What the server is asked and what it answers, where that is not a record of `seamline.schema`."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

from seamline.schema.records import ChunkRecord, CitationRecord, NoticeRecord, ResolvedRecord


class _SearchChoices(TypedDict, total=False):
    where: str | dict[str, Any]
    """A filter: text such as `language = "en"`, or an object such as {"language": "en"}."""
    legs: Literal["hybrid", "dense", "bm25"]
    """By meaning and words, or by one of them."""
    mode: Literal["leaf", "parents", "summary-first", "multi-level"]
    fusion: Literal["blend", "min-max", "z-score", "share", "rrf"]
    alpha: float
    """Most weight of meaning, from 0 to 1; the rest is for words."""
    min_score: float | None
    """Leave out passages that are less likely to answer; 0 shows all."""
    show: Literal["derived", "source"]
    """Where a summary, a claim or rewritten rows match best: that text, or its chunk."""
    collapse: bool
    """Whether near-duplicates are listed under the best of them."""
    links: int
    """How many chunks that a hit leads to are shown with it."""
    reranker: Literal["seam"]
    """The bundled cross-encoder."""


class _OptionalSearch(_SearchChoices, total=False):
    fields: list[str]
    """Fields that hits are shown with, by the names of filters."""
    sort: str
    """A field that the hits are sorted by; FIELD:desc for the highest first."""
    k: int
    """Hits that are wanted; 10 unless given."""
    adaptive: bool
    """Whether the kind of question decides how many are found and how wide they are."""


class SearchRequest(_OptionalSearch):
    """A question, and how it is searched for."""

    query: str


class _OptionalContextRequest(_SearchChoices, total=False):
    budget: int
    """Tokens of the text; 4000 unless given."""
    packing: Literal["greedy", "exact"]
    sources: Literal["inline", "list", "none"]
    weak: float | None
    """Passages worth less than this share of the best are left out."""
    whole: bool
    """Whether room that is left goes to the chunks beside those that were found."""


class ContextRequest(_OptionalContextRequest):
    """A question that a text for a prompt answers."""

    query: str


class CiteRequest(TypedDict):
    """Citations to look up."""

    keys: list[str]
    """`ID` or `ID@VERSION` each."""


class CiteAnswer(TypedDict):
    """What became of each, in order."""

    citations: list[ResolvedRecord]


class _OptionalChunkRequest(TypedDict, total=False):
    filename: str
    """A name that tells the format; no file of the server is read."""
    media_type: str
    preset: str
    """A recipe by name."""
    strategy: Literal["auto", "structural", "semantic", "rechunk", "hierarchical", "code", "tabular"]
    tokenizer: Literal["o200k_base", "cl100k_base", "estimate"]
    target: int
    limit: int
    floor: int
    overlap: int | str
    """Tokens, or the name of a kind."""


class ChunkRequest(_OptionalChunkRequest):
    """A text to be cut."""

    text: str


class ChunkAnswer(TypedDict):
    """The chunks of a text, in order."""

    chunks: list[ChunkRecord]
    notices: list[NoticeRecord]


class _OptionalGiven(TypedDict, total=False):
    meta: dict[str, Any]
    """Metadata beside the text, as front matter is, which it outranks."""
    media_type: str
    """What the text is; by the name, unless given."""


class GivenDocument(_OptionalGiven):
    """A document to be put into the index, or its new text."""

    id: str
    """Its name, as in `guides/pumps.md`; never a path of the server."""
    text: str


class UpsertRequest(TypedDict):
    """Documents to be put into the index."""

    documents: list[GivenDocument]


class FailureRecord(TypedDict):
    """A document that could not be indexed; what the index had of it is still there."""

    doc: str
    message: str


class WriteAnswer(TypedDict):
    """What was written. All of it is on disk and found when this is answered."""

    documents: int
    """Looked at."""
    added: int
    changed: int
    unchanged: int
    removed: int
    chunks: int
    """That got a vector."""
    failures: list[FailureRecord]
    notices: list[str]
    generation: str
    """The state of the index afterwards, as in ETags."""


class DocumentHead(TypedDict):
    """A document of the index, as `seamline ls --json` has it."""

    doc: str
    version: int
    title: str
    chunks: int
    tokens: int
    indexed_at: str
    """ISO 8601, in UTC."""


class DocumentsAnswer(TypedDict):
    """Documents by name, a page at a time."""

    documents: list[DocumentHead]
    next: str | None
    """What `after` is for the next page; null at the end."""


class StoredChunk(TypedDict):
    """A chunk as the index keeps it."""

    id: str
    doc: str
    text: str
    title: str
    path: list[str]
    kind: str
    tokens: int
    meta: dict[str, Any]
    citation: CitationRecord


class HeadingRecord(TypedDict):
    """A heading of a document."""

    level: int
    title: str
    start: int
    end: int
    """Of the heading, in code points of the text."""
    line: int
    """From 1."""


class OutlineAnswer(TypedDict):
    """The headings of a document, in order."""

    doc: str
    version: int
    title: str
    headings: list[HeadingRecord]


class StatsAnswer(TypedDict):
    """What an index holds, and what it was made with."""

    index: str
    """Its name on this server."""
    generation: str
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
    duplicate_rate: float
    """Share of chunks that would not be missed."""
    needs_review: dict[str, int]
    """By document, how many of its chunks have a text that somebody should look at."""
    completeness: float
    """How many chunks have a title, a kind and a language, 0-1."""
    alerts: list[str]
    """What is beyond its threshold, in words."""
    embedder: str
    dimensions: int
    fingerprint: str
    size: int
    """Bytes on disk, 0 where nobody can tell."""
    indexed_at: str | None


class HealthAnswer(TypedDict):
    """Whether the server runs."""

    status: Literal["ok", "starting", "stopping"]


class IndexesAnswer(TypedDict):
    """The indexes of this server."""

    indexes: list[str]
    """Names; the first is the one that paths without a name mean."""


class ProblemRecord(TypedDict):
    """Why a request was not answered (RFC 9457)."""

    type: str
    """A stable name, for programs: urn:seamline:problem:NAME."""
    title: str
    status: int
    detail: str
    """For people: what is wrong and what to do."""
    id: str
    """Of the request; the log has it too."""
