"""The values everything else speaks in: documents, blocks, chunks. All are immutable; offsets count code points of
`Document.text`. Ids of chunks derive from content, so that they survive edits elsewhere in the document.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from seamline.errors import BudgetError
from seamline.native import KERNELS
from seamline.text.headings import with_headings
from seamline.text.lines import line_starts

if TYPE_CHECKING:
    from seamline.anchors import Anchors
    from seamline.code_outline import CodeOutline
    from seamline.facts import Facts
    from seamline.schema.records import ChunkRecord, DocumentRecord, SpanPlace


SMALLEST_LIMIT = 16
"""Below this a chunk has no room for one emoji cluster between a reopened fence and its close."""


class Span(NamedTuple):
    """A half-open range of code points."""

    start: int
    end: int


class Notice(NamedTuple):
    """A remark that is not an error: the result stands, but something about it is worth knowing."""

    code: str
    """Short and stable, for programs, such as `front-matter-broken`."""
    message: str
    """For people."""
    where: str = ""
    """The place it speaks of, such as `line 3`."""


class Enclosure(NamedTuple):
    """What every part of a block that is cut is put between: the text of a span of the document, and a close."""

    start: int
    end: int
    close: str = ""


class Dialect(NamedTuple):
    """How the cells of separated values are parted and quoted."""

    delimiter: str = ","
    quote: str = '"'
    escape: str = ""
    """A backslash where quotes inside quoted cells follow one; usually they are doubled."""


class Column(NamedTuple):
    """One column of a table."""

    name: str
    type: str
    """integer, number, date, boolean, text; array or object in JSON."""


class Detail(NamedTuple):
    """What a kind adds to a block; each field only where its kind has it."""

    enclosure: Enclosure | None = None
    """What parts of the block are put between."""
    name: str | None = None
    """Of a scope, an environment, a directive; of the picture of a figure."""
    type: str = ""
    """Of a scope: function, method, class, object, ...; of a paragraph that names what is beside it: caption."""
    fenced: bool = False
    """Code between fences."""
    unclosed: str = ""
    """The fence that would close code whose fence nothing closes."""
    language: str = ""
    """Of code, where its parser knows it; in Markdown its fence says it."""
    imports: bool = False
    """Code that is nothing but imports."""
    header: bool = False
    """The comment or docstring at the top of a source file."""
    comment: bool = False
    """Text that the format does not show."""
    doctest: bool = False
    """Code that is an interactive session."""
    line_block: bool = False
    """A paragraph whose line ends count."""
    is_flat: bool = False
    """A paragraph that stands for blocks nested too deep to be told apart."""
    first: int | None = None
    """The number of the first item of a numbered list."""
    title: str | None = None
    """Of a heading that its text does not say plainly."""
    header_end: int | None = None
    """Where the header of a table ends that is no line of Markdown; its start where it has none."""
    columns: tuple[Column, ...] | None = None
    """Of a table of values or records."""
    dialect: Dialect | None = None
    """Of separated values, and of the row that names their columns."""
    speaker: str = ""
    """Of a turn."""
    pause: float | None = None
    """Seconds of silence before a turn."""
    scene: bool = False
    """Whether the picture changes before a turn."""
    caption: str = ""
    """Of a figure."""
    image: str = ""
    """The part of the source that holds the picture of a figure."""
    alt: str = ""
    """What stands for the picture of a figure where it cannot be seen."""
    size: tuple[float, float] | None = None
    """Width and height of the picture of a figure, in pixels or points."""
    confidence: float | None = None
    """How sure the text is what the source says, 0-1, where it was read by sight."""


NO_DETAIL = Detail()
"""For blocks whose kind adds nothing."""


class Block(NamedTuple):
    """One structural unit found by a parser. Blocks come in pre-order; `parent` is an index into that list."""

    kind: str
    """heading, paragraph, list, item, code, table, row, quote, rule, html, math, footnote, directive, figure,
    reference, front_matter, esm, jsx; scope (a class or function, around the code in it), environment (LaTeX, around
    other blocks), turn (what one speaker says)."""
    start: int
    """First code point; for a block that starts its line, the start of that line."""
    end: int
    """One past the last code point that is not white space."""
    level: int = 0
    """Heading level 1-6; nesting of a list; 0 elsewhere."""
    parent: int = -1
    """Index of the enclosing block, -1 at the top."""
    detail: Detail | None = None
    """What the kind adds, if anything."""

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)


@dataclass(frozen=True, slots=True)
class Source:
    """Where a document came from."""

    uri: str = ""
    """Path or address as the user named it; empty for text given directly."""
    media_type: str = "text/markdown"
    """What it was read as, such as text/markdown or application/pdf."""
    sha256: str = ""
    """Of the bytes that were read."""


@dataclass(frozen=True)
class Document:
    """A parsed source: its text, the blocks found in it, and how to point back into it."""

    id: str
    """Stable name of the document; ids of chunks derive from it."""
    source: Source
    text: str
    """Canonical text. For text formats this is the decoded source itself."""
    blocks: Sequence[Block] = field(repr=False)
    """All blocks in pre-order."""
    title: str = ""
    front_matter: Mapping[str, Any] = field(default_factory=dict)
    """Metadata parsed from the front matter."""
    removed: tuple[Span, ...] = ()
    """Spans that an option took out of the chunks, such as front matter."""
    notices: tuple[Notice, ...] = ()
    anchors: Anchors | None = field(default=None, repr=False)
    """Where the text stands in the source, for formats whose text is extracted."""
    confidence: float = 1.0
    """How sure the text is what the source says, 0-1: below 1 where it was read by sight or hearing."""
    code: CodeOutline | None = field(default=None, repr=False)
    """Of source code: its language, statements and names."""

    @property
    def meta(self) -> Mapping[str, Any]:
        """Another name of `front_matter`, as records and an index call it."""
        return self.front_matter

    def __hash__(self) -> int:
        return hash((self.id, self.source, self.text))

    def __getstate__(self) -> dict[str, Any]:
        """The fields alone: what follows from them is not worth its bytes."""
        return {one.name: self.__dict__[one.name] for one in fields(self)}

    @cached_property
    def line_starts(self) -> list[int]:
        """Offset of the first code point of every line (CR, LF and CR LF end a line)."""
        return line_starts(self.text)

    @cached_property
    def tops(self) -> list[int]:
        """Indices of the blocks that no other encloses."""
        return [index for index, block in enumerate(self.blocks) if block[4] < 0]

    @cached_property
    def is_judged_by_blocks(self) -> bool:
        """Whether blocks carry a confidence of their own; those without are then certain."""
        return any(block.detail is not None and block.detail.confidence is not None for block in self.blocks)

    def line_of(self, offset: int) -> int:
        """The line number, from 1, that holds `offset`."""
        return bisect_right(self.line_starts, offset)

    def lines_of(self, span: Span) -> tuple[int, int]:
        """First and last line number of a span."""
        return self.line_of(span.start), self.line_of(max(span.start, span.end - 1))

    def place_of(self, span: Span) -> SpanPlace:
        """Where a span stands, as plain JSON values: `lines`, and page, boxes, sheet, rows, time, ... of the format.

        Lines are those of the source; where the source has none, those of the extracted text.
        """
        found = {} if self.anchors is None else self.anchors.at(*span)
        return cast("SpanPlace", found if "lines" in found else {"lines": list(self.lines_of(span)), **found})

    def to_dict(self) -> DocumentRecord:
        """Everything, as plain JSON values; front matter is `meta`."""
        from seamline.schema.documents import document_record

        return document_record(self)

    @staticmethod
    def from_dict(record: Mapping[str, Any]) -> Document:
        """The document that `to_dict` made this of; a ConfigError says what does not fit."""
        from seamline.schema.documents import read_document

        return read_document(record)


class Context(NamedTuple):
    """Something a chunk borrows, so that its text can be read alone."""

    role: str
    """heading, fence, header, key, marker, element (HTML tags), overlap, summary; import, scope, docstring of code."""
    start: int
    end: int
    added: str = ""
    """Text put after the span that is not in the document, such as a line end."""

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)


@dataclass(frozen=True, slots=True)
class Budget:
    """How large chunks may be, in tokens of the recipe's tokenizer."""

    target: int = 480
    """Chunks come as close to this as their seams allow."""
    limit: int = 512
    """No chunk is larger than this, context and overlap included."""
    floor: int = 0
    """Chunks smaller than this are merged with a neighbour where that fits."""

    def __post_init__(self) -> None:
        if self.limit < SMALLEST_LIMIT:
            raise BudgetError(f"expected limit >= {SMALLEST_LIMIT}, got {self.limit}", "$.budget.limit")
        if not 0 < self.target <= self.limit:
            raise BudgetError(
                f"expected 0 < target <= limit, got target={self.target} limit={self.limit}",
                "$.budget.target",
            )
        if not 0 <= self.floor <= self.target:
            raise BudgetError(
                f"expected 0 <= floor <= target, got floor={self.floor} target={self.target}",
                "$.budget.floor",
            )


@dataclass(frozen=True, slots=True)
class Chunk:
    """One retrieval unit: the span of the document it owns, and what it borrows to be readable alone."""

    document: Document = field(repr=False)
    body: Span
    """The span this chunk owns; the bodies of a document are disjoint, ascending and hold all its text."""
    tokens: int
    """The tokenizer's own count of `text`."""
    names: ChunkIds | RecordedIds = field(repr=False, compare=False)
    """The ids of all chunks of the document."""
    context: tuple[Context, ...] = ()
    """Borrowed spans, in the order they stand in `text` before the body."""
    closing: str = ""
    """Added after the body, such as the close of a reopened fence."""
    path: tuple[str, ...] = ()
    """Heading texts above the chunk's first content, outermost first."""
    index: int = 0
    """Position among the chunks of its document, from 0."""
    total: int = 1
    """How many chunks the document has."""
    blocks: tuple[int, int] = (0, 0)
    """Half-open range of indices into `document.blocks` that its body touches."""
    seam: str = "start"
    """What kind of gap it was cut at: start, h1..h6, paragraph, sentence, row, line, word, ..."""
    level: int = 0
    """Layer of the chunk tree; 0 is a leaf."""
    parent: str = ""
    """Id of the section it belongs to, where the strategy keeps a tree."""
    shadows: tuple[Span | None, Span | None] = (None, None)
    """Last tokens of the sibling before and first tokens of the sibling after; never part of `text`."""
    children: tuple[str, ...] = ()
    """Ids of the chunks of the level below that it is made of."""
    facts: Facts | None = None
    """What enrichment found out."""

    @property
    def id(self) -> str:
        """Derives from the document's id and the body's content, so it survives edits elsewhere."""
        return self.names.ids[self.index]

    @property
    def content_hash(self) -> str:
        """SHA-256 of the body with white space collapsed."""
        return self.names.hashes[self.index]

    @property
    def previous(self) -> str:
        """Id of the chunk before, empty for the first."""
        return self.names.ids[self.index - 1] if self.index else ""

    @property
    def next(self) -> str:
        """Id of the chunk after, empty for the last."""
        return self.names.ids[self.index + 1] if self.index + 1 < self.total else ""

    @property
    def start(self) -> int:
        return self.body.start

    @property
    def end(self) -> int:
        return self.body.end

    @property
    def doc_id(self) -> str:
        return self.document.id

    @property
    def text(self) -> str:
        """The prompt view: context, body and closing."""
        return self.render("prompt")

    @property
    def kind(self) -> str:
        """The kind of its blocks, headings aside, or `text` where several kinds meet."""
        first, last = self.blocks
        blocks, tops = self.document.blocks, self.document.tops
        kinds = {blocks[top].kind for top in tops[bisect_left(tops, first) : bisect_left(tops, last)]}
        if len(kinds) > 1:
            kinds.discard("heading")
        return kinds.pop() if len(kinds) == 1 else "text"

    @property
    def confidence(self) -> float:
        """How sure its text is what the source says, 0-1: the mean of its blocks, by their length; the document's
        where blocks were not judged one by one."""
        if self.document.confidence == 1 or not self.document.is_judged_by_blocks:
            return self.document.confidence
        first, last = self.blocks
        size = sure = 0.0
        for block in self.document.blocks[first:last]:
            if block.parent < 0:
                size += block.end - block.start
                own = (block.detail or NO_DETAIL).confidence
                sure += (block.end - block.start) * (1.0 if own is None else own)
        return round(sure / size, 3) if size else self.document.confidence

    @property
    def breadcrumb(self) -> str:
        return " > ".join(self.path)

    @property
    def lines(self) -> tuple[int, int]:
        """First and last line number of the body, from 1."""
        first, last = self.place["lines"] if self.document.anchors else self.document.lines_of(self.body)
        return first, last

    @property
    def place(self) -> SpanPlace:
        """Where the body stands in the source: lines, and page, boxes, sheet, rows, time, ... of the format."""
        return self.document.place_of(self.body)

    @property
    def meta(self) -> Mapping[str, Any]:
        """Front matter and other metadata of its document."""
        return self.document.front_matter

    def __hash__(self) -> int:
        return hash((self.document.id, self.body, self.level, self.index))

    def render(self, view: View = "prompt") -> str:
        """The chunk as text: `body` is the exact source slice; `prompt` adds what it borrows; `embed`, what a search
        reads, puts the title and the headings of the document above that."""
        if view == "embed":
            return with_headings(self.document.title, self.path, self.text)
        text = self.document.text
        body = text[self.body.start : self.body.end]
        if view == "body":
            return body
        if not self.context:
            return body + self.closing
        return "".join([*[text[start:end] + added for _, start, end, added in self.context], body, self.closing])

    def to_dict(self) -> ChunkRecord:
        """All fields as plain JSON values, without the text of the document; the line format of `seamline chunk
        --json`."""
        out: dict[str, Any] = {
            "id": self.id,
            "doc": self.doc_id,
            "start": self.start,
            "end": self.end,
            "text": self.text,
            "tokens": self.tokens,
            "breadcrumb": self.breadcrumb,
            "path": list(self.path),
            "section_title": self.path[-1] if self.path else "",
            "title": self.document.title,
            "kind": self.kind,
            **self.place,
            "context": [_context_dict(c, self.document) for c in self.context],
            "closing": self.closing,
            "index": self.index,
            "total": self.total,
            "block_range": list(self.blocks),
            "seam": self.seam,
            "level": self.level,
            "parent": self.parent,
            "previous": self.previous,
            "next": self.next,
            "content_hash": self.content_hash,
        }
        if self.document.front_matter:
            out["meta"] = dict(self.document.front_matter)
        if self.document.confidence < 1:
            out["confidence"] = self.confidence
        if any(self.shadows):
            out["shadows"] = [list(s) if s else None for s in self.shadows]
        if self.children:
            out["children"] = list(self.children)
        if self.facts is not None:
            found: Mapping[str, Any] = self.facts.to_dict()
            out |= found or {"facts": {}}
        return cast("ChunkRecord", out)

    @staticmethod
    def from_dict(record: Mapping[str, Any], document: Document) -> Chunk:
        """The chunk of a document that `to_dict` made this of; a ConfigError where it is of another text."""
        from seamline.schema.documents import read_chunk

        return read_chunk(record, document)


View = Literal["body", "prompt", "embed"]


def _context_dict(c: Context, document: Document) -> dict[str, Any]:
    out: dict[str, Any] = {"role": c.role, "start": c.start, "end": c.end}
    if document.anchors is not None:
        out |= document.place_of(c.span)
    if c.added:
        out["added"] = c.added
    return out


def collapse(text: str) -> str:
    """The text with every run of white space as one space, and none at its ends."""
    return " ".join(text.split())


def content_hash(text: str) -> str:
    """SHA-256 of the collapsed text."""
    return sha256(collapse(text).encode() if KERNELS is None else KERNELS.collapsed(text)).hexdigest()


class Namer:
    """Ids from the document's id, the content, and how often the same content came before."""

    def __init__(self, document_id: str) -> None:
        self._base = sha256(document_id.encode() + b"\0")
        self._seen: dict[str, int] = {}

    def name(self, digest: str) -> str:
        """The id of the next part whose content has this hash."""
        occurrence = self._seen.get(digest, 0)
        self._seen[digest] = occurrence + 1
        hasher = self._base.copy()
        hasher.update(f"{digest}\0{occurrence}".encode())
        return hasher.hexdigest()[:24]


class RecordedIds(NamedTuple):
    """The ids of a chunk and its neighbours, by their position, as its record had them."""

    ids: Mapping[int, str]
    hashes: Mapping[int, str]


class ChunkIds:
    """The ids of a document's chunks, worked out when the first of them is asked for.

    Hashing every body costs as much as packing it, and many callers only want the texts.
    """

    def __init__(self, document_id: str, text: str, bodies: Sequence[tuple[int, int]]) -> None:
        self._document_id = document_id
        self._text = text
        self._bodies = bodies

    @cached_property
    def hashes(self) -> Sequence[str]:
        """Content hash of every body, in order."""
        return [content_hash(self._text[start:end]) for start, end in self._bodies]

    @cached_property
    def ids(self) -> Sequence[str]:
        """Id of every chunk, in order."""
        namer = Namer(self._document_id)
        return [namer.name(digest) for digest in self.hashes]
