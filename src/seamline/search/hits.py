"""What a search gives back: hits with citations, the reasons for their scores, and texts for a prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

from seamline.records import Entry
from seamline.types import Notice


@dataclass(frozen=True, slots=True)
class Citation:
    """A passage of one version of a document. It resolves for ever: `seamline cite ID@VERSION`."""

    id: str
    """Of the chunk or the section."""
    doc: str
    version: int
    uri: str
    """Path or address of the source, as a reader finds it."""
    path: tuple[str, ...]
    """Heading texts above the passage, outermost first."""
    anchor: Mapping[str, Any]
    """What people are told: `lines`, and page, sheet or time where the format has them."""
    start: int
    end: int
    """Code points of the version's text."""
    quote: str
    """The exact slice of that text."""

    @property
    def key(self) -> str:
        """What `seamline cite` takes."""
        return f"{self.id}@{self.version}"

    def label(self) -> str:
        """Where a person looks: `guide.md:120-134 § Webhooks > Retries`."""
        return label(self.uri, self.anchor, self.path)

    def __str__(self) -> str:
        return self.label()

    def to_dict(self) -> dict[str, Any]:
        """All fields as plain JSON values."""
        return {
            "id": self.id,
            "doc": self.doc,
            "version": self.version,
            "uri": self.uri,
            "label": self.label(),
            "path": list(self.path),
            "anchor": dict(self.anchor),
            "start": self.start,
            "end": self.end,
            "quote": self.quote,
        }


def label(uri: str, anchor: Mapping[str, Any], path: Sequence[str] = ()) -> str:
    """A source, the place in it, and the headings above."""
    headings = f" § {' > '.join(path)}" if path else ""
    return f"{uri}{place_text(anchor)}{headings}"


def place_text(anchor: Mapping[str, Any]) -> str:
    """The most telling part of an anchor: time, then sheet, page, slide, paragraph, lines."""
    if "time" in anchor:
        start, end = anchor["time"]
        return f" {clock(start)}-{clock(end)}"
    if "sheet" in anchor:
        rows = f"!{_range(anchor['rows'])}" if "rows" in anchor else ""
        return f" {anchor['sheet']}{rows}"
    for name, short in (("page", "p."), ("slide", "slide")):
        if numbers := _numbers(anchor, name):
            return f" {short} {_range(numbers)}"
    if "paragraph" in anchor:
        ends = anchor.get("paragraphs") or [anchor["paragraph"]]
        return f" ¶ {ends[0]}" + (f" to {ends[-1]}" if ends[-1] != ends[0] else "")
    part = f" {anchor['part']}" if "part" in anchor else ""
    return part + (f":{_range(anchor['lines'])}" if "lines" in anchor else "")


def clock(seconds: float) -> str:
    """Hours, minutes and seconds: `00:01:05`."""
    whole = int(seconds)
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}"


def _range(ends: Sequence[int]) -> str:
    return f"{ends[0]}" if ends[0] == ends[-1] else f"{ends[0]}-{ends[-1]}"


class LegScore(NamedTuple):
    """What one leg said about an entry."""

    rank: int
    """From 1; 0 where the leg did not find it and its score was worked out afterwards."""
    score: float
    """Cosine similarity, or BM25."""


class Shadow(NamedTuple):
    """Why a neighbour was taken along."""

    side: str
    """`before` or `after`."""
    score: float
    """0-1, how much of the question the shadow answers and the text does not."""


@dataclass(frozen=True, slots=True)
class Why:
    """The parts of a score. A part that played no role is None."""

    dense: LegScore | None = None
    """Similarity to the text, or to its summary where that is higher."""
    bm25: LegScore | None = None
    weight: float | None = None
    """Of the dense leg in `fused`; the rest is BM25's."""
    fused: float | None = None
    """The legs together, 0-1."""
    wording: float | None = None
    """What it gained because it says what was asked word for word, or a part of it."""
    rerank: float | None = None
    """What the reranker made of it, 0-1."""
    freshness: float | None = None
    authority: float | None = None
    coherence: float | None = None
    links: float | None = None
    """What the score was multiplied with, of a list of links: what they lead to comes first."""
    shadow: Shadow | None = None
    query: str = ""
    """The sub-query that found it, where a question was taken apart."""
    about: str = ""
    """The text about it that was found in its place: what it is, such as `proposition`, and what it says."""
    expanded: str = ""
    """What the text was widened to: `section`, `before`, `after`; by `text` around it, which is not cited."""

    def to_dict(self) -> dict[str, Any]:
        """The parts that played a role, as plain JSON values."""
        found = {f.name: getattr(self, f.name) for f in fields(self)}
        return {name: _plain(value) for name, value in found.items() if value is not None and value != ""}


def _plain(value: Any) -> Any:
    return value._asdict() if isinstance(value, LegScore | Shadow) else value


@dataclass(frozen=True, slots=True, eq=False)
class Hit:
    """An entry that answers a query, and what to read of it."""

    entry: Entry
    score: float
    """The probability that it answers the query, 0-1 (see `seamline.search.score`); where `Results.evidence` is None,
    the same as `relative`."""
    citations: tuple[Citation, ...]
    """Of what was found, in document order: the entry, the section it was widened to, or it and its neighbour."""
    text: str
    """What to read: the prompt view of the entry, with what stands around it where `why.expanded` says so."""
    ids: tuple[str, ...]
    """Entries of level 0 that the text covers, in document order; its own id for a plain hit."""
    why: Why = field(default_factory=Why)
    duplicates: tuple[Citation, ...] = ()
    """Passages that say almost the same, left out for this one."""
    relative: float = 0.0
    """What hits are ordered by: 0-1, comparable within one result only."""

    @property
    def citation(self) -> Citation:
        """Of the entry itself, or of the section that took its place."""
        return next((one for one in self.citations if one.id == self.entry.id), self.citations[0])

    def label(self) -> str:
        """Where a person looks for all of the text."""
        return run_label(self.citations)

    def to_dict(self) -> dict[str, Any]:
        """All fields as plain JSON values."""
        return {
            "id": self.entry.id,
            "score": self.score,
            "relative": self.relative,
            "label": self.label(),
            "text": self.text,
            "title": self.entry.title,
            "level": self.entry.level,
            "kind": self.entry.kind,
            "ids": list(self.ids),
            "citations": [one.to_dict() for one in self.citations],
            "why": self.why.to_dict(),
            "duplicates": [one.to_dict() for one in self.duplicates],
        }


class Evidence(NamedTuple):
    """What speaks for a result as a whole; scores follow from it (see `seamline.search.score`)."""

    similarity: float | None
    """The highest cosine similarity; None where the dense leg was not asked."""
    coverage: float
    """The largest share of the query's words that one passage holds."""
    known: float
    """The share of its words that any passage found holds."""


@dataclass(frozen=True, slots=True)
class Results:
    """What a search found, best first, and what is worth knowing about it."""

    hits: tuple[Hit, ...] = ()
    notices: tuple[Notice, ...] = ()
    evidence: Evidence | None = None


@dataclass(frozen=True, slots=True)
class PromptPassage:
    """One numbered passage of a prompt: neighbouring chunks of one document, joined."""

    number: int
    """From 1, in the order of the text."""
    text: str
    """As it stands between its delimiters."""
    citations: tuple[Citation, ...]
    """Of the chunks it is made of, in document order."""
    summary: bool = False
    """Whether it is a summary of the chunk, which did not fit."""

    @property
    def start(self) -> int:
        return self.citations[0].start

    @property
    def end(self) -> int:
        return self.citations[-1].end

    def label(self) -> str:
        """Where a person looks."""
        return run_label(self.citations)


def run_label(citations: Sequence[Citation]) -> str:
    """Where neighbouring passages stand, as one place under the headings of the first."""
    first, last = citations[0], citations[-1]
    return label(first.uri, joined_anchor(first.anchor, last.anchor), first.path)


def joined_anchor(first: Mapping[str, Any], last: Mapping[str, Any]) -> dict[str, Any]:
    """From the start of one anchor to the end of another of the same document."""
    out = {name: first[name] for name in ("sheet", "part", "paragraph") if name in first}
    for name in ("lines", "rows", "time"):
        if name in first and name in last:
            out[name] = [first[name][0], last[name][-1]]
    for name in ("page", "slide"):
        if numbers := [*_numbers(first, name), *_numbers(last, name)]:
            out[f"{name}s"] = [numbers[0], numbers[-1]]
    if "paragraph" in first and "paragraph" in last:
        ends = [*(first.get("paragraphs") or [first["paragraph"]]), *(last.get("paragraphs") or [last["paragraph"]])]
        out["paragraphs"] = [ends[0], ends[-1]]
    return out


def _numbers(anchor: Mapping[str, Any], name: str) -> list[int]:
    return list(anchor.get(f"{name}s") or ([anchor[name]] if name in anchor else []))


@dataclass(frozen=True, slots=True)
class ContextText:
    """A text for a prompt that keeps its token budget."""

    text: str
    passages: tuple[PromptPassage, ...]
    tokens: int
    """The tokenizer's own count of `text`."""
    left_out: tuple[Citation, ...] = ()
    """What was found but had no room, best first."""
    notices: tuple[Notice, ...] = ()

    @property
    def citations(self) -> tuple[Citation, ...]:
        """All citations, in the order of the text."""
        return tuple(citation for passage in self.passages for citation in passage.citations)
