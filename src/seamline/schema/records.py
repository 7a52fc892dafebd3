"""The JSON form of every value that leaves Seamline, as `to_dict` makes it and `from_dict` reads it. The command line
prints the same objects. A JSON Schema of each is made from these classes; their docstrings are its descriptions.

Keys may be added to a record at any time. `VERSION` grows where one is taken away or changes its meaning.
"""

from __future__ import annotations

from typing import Any, Literal, TypedDict

VERSION = 1
"""Of all records together; part of the `$id` of each schema."""


class _Place(TypedDict, total=False):
    page: int
    """The first page, from 1."""
    pages: list[int]
    """The first and the last page."""
    boxes: list[list[float]]
    """Rectangles: page, left, top, right, bottom; in points from the top left corner of the page."""
    slide: int
    slides: list[int]
    row: int
    rows: list[int]
    record: int
    records: list[int]
    sheet: str
    sheets: list[str]
    """Where there are several."""
    sheet_rows: list[list[str | int]]
    """Rows of several sheets: sheet, first row, last row."""
    time: list[float]
    """Seconds from, to."""
    sent: list[str]
    """When the first and the last message were sent: ISO 8601, a time of day where the date is not known."""
    keyframe: float
    """Second at which the first scene starts."""
    keyframes: list[float]
    speaker: str
    speakers: list[str]
    paragraph: str
    """A path in the source."""
    paragraphs: list[str]
    element: str
    """An id in the source."""
    elements: list[str]
    part: str
    """A file inside the file, or that it names."""
    parts: list[str]
    part_lines: list[list[str | int]]
    """Lines of several files: file, first line, last line."""
    source: list[int]
    """Code points of the decoded source, from and to."""


class SpanPlace(_Place, total=False):
    """Where a span of a document stands in its source; each key only where the format has it."""

    lines: list[int]
    """First and last line, from 1; of the extracted text where the source has no lines."""


class RunPlace(TypedDict, total=False):
    """Where one run of the text of a document stands in its source."""

    page: int
    box: list[float]
    """Left, top, right, bottom; in points from the top left corner of the page."""
    edges: list[float]
    """Where each character begins, from left to right, and the last ends."""
    slide: int
    sheet: str
    row: int
    record: int
    time: list[float]
    sent: list[str]
    keyframe: float
    speaker: str
    paragraph: str
    element: str
    part: str
    source: list[int]
    lines: list[int]


class AnchorRecord(RunPlace):
    """One run of the text of a document, and where it stands."""

    start: int
    end: int


class NoticeRecord(TypedDict):
    """A remark that is not an error."""

    code: str
    """Short and stable, for programs."""
    message: str
    """For people."""
    where: str
    """The place it speaks of."""


class _OptionalContext(_Place, total=False):
    lines: list[int]
    added: str
    """Text put after the span that is not in the document."""


class ContextRecord(_OptionalContext):
    """Something that a chunk repeats to be readable alone; with its place where the text is extracted."""

    role: str
    start: int
    end: int


class _OptionalEntity(TypedDict, total=False):
    start: int
    end: int


class EntityRecord(_OptionalEntity):
    """Something with a name; with the place of its first mention where one place says it."""

    text: str
    type: str


class LinkRecord(TypedDict):
    """From words of a chunk to another chunk."""

    kind: str
    text: str
    start: int
    end: int
    target: str
    """Id of the chunk that is meant."""


class CodeFactsRecord(TypedDict):
    """What a chunk of source code defines and needs."""

    name: str
    enclosing: str
    type: str
    symbols: list[str]
    uses: list[str]
    imports: list[str]
    complexity: int
    signature: str
    docstring: str
    calls: list[str]


class ImageRecord(TypedDict, total=False):
    """A picture that a chunk shows."""

    uri: str
    alt: str
    caption: str
    width: float
    height: float
    start: int
    end: int


class FactsRecord(TypedDict, total=False):
    """What enrichment found; each key only where it was asked for and is known."""

    entities: list[EntityRecord]
    summary: str
    language: str
    coherence: float
    distinct: float
    self_contained: float
    density: float
    boundary: float
    freshness: float
    authority: float
    modality: str
    links: list[LinkRecord]
    images: list[ImageRecord]
    code: CodeFactsRecord
    relative: float
    strategy: str
    recipe: str


class _OptionalChunk(TypedDict, total=False):
    meta: dict[str, Any]
    """Front matter and other metadata of the document, where it has any."""
    confidence: float
    """0-1, of text that was read by sight or hearing."""
    shadows: list[list[int] | None]
    """Spans before and after, never part of the text."""
    children: list[str]
    """Ids of the chunks of the level below that it is made of."""
    facts: dict[str, Any]
    """Empty; there where facts were asked for and none is known."""


class ChunkRecord(_Place, FactsRecord, _OptionalChunk):
    """One chunk, without the text of its document: a line of `seamline chunk --json`."""

    id: str
    """24 hexadecimal digits."""
    doc: str
    """Id of the document."""
    start: int
    end: int
    """The body, in code points of the document's text."""
    text: str
    """Context, body and closing."""
    tokens: int
    """The tokenizer's own count of the text."""
    breadcrumb: str
    path: list[str]
    """Heading texts above it, outermost first."""
    section_title: str
    title: str
    """Of the document."""
    kind: str
    lines: list[int]
    """First and last line of the body, from 1."""
    context: list[ContextRecord]
    closing: str
    """Added after the body."""
    index: int
    total: int
    block_range: list[int]
    """Half-open range of the document's blocks."""
    seam: str
    """The kind of gap it was cut at."""
    level: int
    parent: str
    previous: str
    next: str
    """Ids of its neighbours, empty at the ends."""
    content_hash: str
    """SHA-256 of the body with white space collapsed."""


class _OptionalDerived(TypedDict, total=False):
    entities: list[EntityRecord]
    topic: int
    """The group of propositions it belongs to."""


class DerivedRecord(_OptionalDerived):
    """A text about chunks: a line of `seamline chunk --json` that has the key `derived`."""

    derived: str
    """What it is, such as `proposition`."""
    id: str
    doc: str
    text: str
    tokens: int
    of: list[str]
    """Ids of the chunks it is about."""
    spans: list[list[int]]
    """The places of the document that it is from."""
    places: list[SpanPlace]
    model: str
    """What wrote it; empty where rules did."""
    confidence: float


class SourceRecord(TypedDict):
    """Where a document came from."""

    uri: str
    media_type: str
    sha256: str


class _OptionalBlock(TypedDict, total=False):
    level: int
    parent: int
    detail: dict[str, Any]
    """What its kind adds."""


class BlockRecord(_OptionalBlock):
    """A structural unit. Without `level` that is 0, without `parent` it is at the top."""

    kind: str
    start: int
    end: int


class _OptionalDocument(TypedDict, total=False):
    anchors: list[AnchorRecord]
    """Where the text stands in the source, for formats whose text is extracted."""
    code: dict[str, Any]
    """The outline of source code."""


class DocumentRecord(_OptionalDocument):
    """A whole document: all that chunks are cut from."""

    id: str
    source: SourceRecord
    text: str
    title: str
    meta: dict[str, Any]
    """Front matter and other metadata."""
    blocks: list[BlockRecord]
    removed: list[list[int]]
    """Spans that are in no chunk."""
    notices: list[NoticeRecord]
    confidence: float


class CitationRecord(TypedDict):
    """A passage of one version of a document."""

    id: str
    doc: str
    version: int
    uri: str
    label: str
    """Where a person looks."""
    path: list[str]
    anchor: SpanPlace
    start: int
    end: int
    quote: str


class LegRecord(TypedDict):
    """What one leg said about a passage."""

    rank: int
    score: float


class ShadowRecord(TypedDict):
    """Why a neighbour was taken along."""

    side: str
    score: float


class WhyRecord(TypedDict, total=False):
    """The parts of a score that played a role."""

    dense: LegRecord
    bm25: LegRecord
    weight: float
    fused: float
    wording: float
    headings: float
    rerank: float
    relevance: float
    freshness: float
    authority: float
    coherence: float
    language: float
    entities: float
    links: float
    side: str
    shadow: ShadowRecord
    query: str
    about: str
    expanded: str


class _OptionalEntry(TypedDict, total=False):
    created_at: str
    """ISO 8601, in UTC."""
    language: str
    authority: float
    coherence: float
    summary: str
    before: str
    after: str
    text: str
    """Its own text, where the hit shows another."""
    fields: dict[str, Any]
    """What filters know of it beside its metadata: `media_type`, `page`."""


class EntryRecord(_OptionalEntry):
    """What an index keeps of a passage beside its text; keys that have their usual value are left out."""

    parent: str
    lead: int
    tail: int
    tokens: int
    content_hash: str
    sketch: int
    updated_at: str
    """ISO 8601, in UTC."""


class _OfFile(TypedDict, total=False):
    file: str | None
    """The absolute path of its file; from the command line."""


class _OptionalHit(TypedDict, total=False):
    rank: int
    """From 1, in results."""
    marks: list[list[int]]
    """Spans of the text that meet the question, in results."""


class HitRecord(_OptionalHit, _OfFile):
    """A passage that answers a query."""

    id: str
    doc: str
    score: float
    relative: float
    label: str
    text: str
    title: str
    path: list[str]
    level: int
    kind: str
    derived: str
    """What the text is where it was made from what the citations hold, such as table-summary; empty for a passage."""
    meta: dict[str, Any]
    """Metadata of its document: texts, numbers, flags, lists of texts; a time is {"time": ISO 8601}."""
    facts: dict[str, Any]
    """What the index keeps of enrichment, by the names of filters, and the fields that were asked for."""
    ids: list[str]
    citations: list[CitationRecord]
    why: WhyRecord
    duplicates: list[CitationRecord]
    linked: list[CitationRecord]
    entry: EntryRecord


class PlanRecord(TypedDict):
    """How a question was searched for."""

    query: str
    kind: str
    reasons: list[str]
    queries: list[str]
    mode: str
    k: int
    over: int
    whole: int


class EvidenceRecord(TypedDict):
    """What the scores of a result follow from."""

    similarity: float | None
    coverage: float
    unsaid: float


class _Rooted(TypedDict, total=False):
    root: str
    """The folder that names of documents start from; from the command line."""


class ResultsRecord(_Rooted):
    """What a search found: the output of `seamline search --json`."""

    query: str
    plan: PlanRecord | None
    evidence: EvidenceRecord | None
    hits: list[HitRecord]
    notices: list[NoticeRecord]


class PassageRecord(_OfFile):
    """One numbered passage of a prompt."""

    number: int
    label: str
    text: str
    summary: bool
    derived: str
    """What the text is where it was made from what the citations hold, such as table-summary; empty for a passage."""
    citations: list[CitationRecord]


class ContextTextRecord(_Rooted):
    """A text for a prompt: the output of `seamline context --json`."""

    query: str
    budget: int
    tokens: int
    text: str
    passages: list[PassageRecord]
    left_out: list[CitationRecord]
    notices: list[NoticeRecord]


class ResolvedRecord(_Rooted, _OfFile):
    """A citation that was looked up: a line of `seamline cite --json`."""

    key: str
    status: Literal["current", "moved", "edited", "deleted", "unknown"]
    explanation: str
    cited: CitationRecord | None
    now: list[CitationRecord]
