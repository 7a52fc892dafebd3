"""What a search gives back: hits with citations, the reasons for their scores, and texts for a prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex, cast, overload

from seamline.filters.tree import DERIVED_FIELDS
from seamline.records import ABOUT, Entry, MetaValue
from seamline.types import Notice

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from seamline.schema.records import (
        CitationRecord,
        ContextTextRecord,
        EvidenceRecord,
        HitRecord,
        PassageRecord,
        ResultsRecord,
        SpanPlace,
        WhyRecord,
    )
    from seamline.search.plan import Plan


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
    anchor: SpanPlace
    """What people are told: `lines`, and page, sheet or time where the format has them."""
    start: int
    end: int
    """Code points of the version's text."""
    quote: str
    """The exact slice of that text; of a place that a derived text was made from, its first 2,000 code points."""

    @property
    def key(self) -> str:
        """What `seamline cite` takes."""
        return f"{self.id}@{self.version}"

    def label(self) -> str:
        """Where a person looks: `guide.md:120-134 § Webhooks > Retries`."""
        return label(self.uri, self.anchor, self.path)

    def __str__(self) -> str:
        return self.label()

    def __hash__(self) -> int:
        return hash((self.id, self.doc, self.version, self.start, self.end))

    def to_dict(self) -> CitationRecord:
        """All fields as plain JSON values."""
        return {
            "id": self.id,
            "doc": self.doc,
            "version": self.version,
            "uri": self.uri,
            "label": self.label(),
            "path": list(self.path),
            "anchor": cast("SpanPlace", dict(self.anchor)),
            "start": self.start,
            "end": self.end,
            "quote": self.quote,
        }

    @staticmethod
    def from_dict(record: Mapping[str, Any]) -> Citation:
        """The citation that `to_dict` made this of; a ConfigError says what does not fit."""
        from seamline.search.read_records import read_citation

        return read_citation(record)


def label(uri: str, anchor: Mapping[str, Any], path: Sequence[str] = ()) -> str:
    """A source, the place in it, and the headings above."""
    headings = f" § {' > '.join(path)}" if path else ""
    return f"{uri}{place_text(anchor)}{headings}"


def place_text(anchor: Mapping[str, Any]) -> str:
    """The most telling part of an anchor: time, then sheet, page, slide, paragraph, lines."""
    if "time" in anchor:
        start, end = anchor["time"]
        return f" {clock(start)}-{clock(end)}"
    if "sent" in anchor:
        return f" {_sent_text(*anchor['sent'])}"
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


def _sent_text(first: str, last: str) -> str:
    """When messages were sent, to the minute: `2024-01-05 10:32 to 10:50`."""
    start, end = (moment.replace("T", " ")[: 16 if "T" in moment else 5] for moment in (first, last))
    if start == end:
        return start
    return f"{start} to {end.removeprefix(start[:11]) if start[:10] == end[:10] else end}"


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
    """Cosine similarity, half of it that of the nearest part of the text, or BM25."""


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
    headings: float | None = None
    """What it gained because a long query names its title and headings, or a part of them."""
    rerank: float | None = None
    """What the reranker made of it, 0-1."""
    relevance: float | None = None
    """The score before freshness, authority and coherence were weighed in; what its probability follows from."""
    freshness: float | None = None
    authority: float | None = None
    coherence: float | None = None
    language: float | None = None
    """1 where it is in the language of the question."""
    entities: float | None = None
    """The share of the question's names that it has."""
    links: float | None = None
    """What the score was multiplied with, of a list of links: what they lead to comes first."""
    shadow: Shadow | None = None
    query: str = ""
    """The sub-query that found it, where a question was taken apart."""
    side: str = ""
    """The side of a comparison that it is shown for; several where it names them all."""
    about: str = ""
    """The text about it that was found in its place: what it is, such as `proposition`, and what it says."""
    expanded: str = ""
    """What the text was widened to: `section`, `before`, `after`; by `text` around it, which is not cited."""

    def to_dict(self) -> WhyRecord:
        """The parts that played a role, as plain JSON values."""
        found = {f.name: getattr(self, f.name) for f in fields(self)}
        parts = {name: _plain(value) for name, value in found.items() if value is not None and value != ""}
        return cast("WhyRecord", parts)


def _plain(value: Any) -> Any:
    return value._asdict() if isinstance(value, LegScore | Shadow) else value


@dataclass(frozen=True, slots=True)
class Hit:
    """An entry that answers a query, and what to read of it."""

    entry: Entry
    score: float
    """The probability that it answers the query, 0-1 (see `seamline.search.score`); where `Results.evidence` is None,
    the same as `relative`."""
    citations: tuple[Citation, ...]
    """Of what was found, in document order: the entry, the section it was widened to, or it and its neighbour; of a
    derived text, the places it was made from."""
    text: str
    """What to read: the prompt view of the entry, with what stands around it where `why.expanded` says so."""
    ids: tuple[str, ...]
    """Entries of level 0 that the text covers, in document order; its own id for a plain hit."""
    why: Why = field(default_factory=Why)
    duplicates: tuple[Citation, ...] = ()
    """Passages that say almost the same, left out for this one."""
    relative: float = 0.0
    """What hits are ordered by: 0-1, comparable within one result only."""
    fields: tuple[tuple[str, MetaValue], ...] = ()
    """What was asked for by `SearchOptions.fields` and is not among the facts that the index keeps."""
    linked: tuple[Citation, ...] = ()
    """Chunks that it leads to, with `SearchOptions.links`: figures, tables, sections, slides. `text` ends with them."""

    @property
    def facts(self) -> dict[str, MetaValue]:
        """What the index keeps of enrichment, by the names of filters, and the fields that were asked for."""
        return {**kept_facts(self.entry), **dict(self.fields)}

    @property
    def derived(self) -> str:
        """What the text is where it is not the document's own: `table-summary`, `pivot`, `file-summary`, `summary`,
        `proposition`, `rows`. `citations` are of what it was made from. Empty for a passage."""
        if self.entry.level == ABOUT:
            return self.entry.kind
        return "summary" if self.entry.level > 0 and not self.ids else ""

    @property
    def citation(self) -> Citation:
        """Of the entry itself, or of the section that took its place."""
        return next((one for one in self.citations if one.id == self.entry.id), self.citations[0])

    def label(self) -> str:
        """Where a person looks for all of the text."""
        return run_label(self.citations)

    @property
    def id(self) -> str:
        """Of the entry."""
        return self.entry.id

    @property
    def doc(self) -> str:
        """Name of the document."""
        return self.entry.doc

    @property
    def path(self) -> tuple[str, ...]:
        """Heading texts above the entry, outermost first."""
        return self.entry.path

    @property
    def meta(self) -> Mapping[str, MetaValue]:
        """Metadata of the document that can be filtered by."""
        return self.entry.own_meta

    def to_dict(self) -> HitRecord:
        """All fields as plain JSON values."""
        from seamline.search.read_records import entry_record, meta_record

        return {
            "id": self.entry.id,
            "doc": self.entry.doc,
            "score": self.score,
            "relative": self.relative,
            "label": self.label(),
            "text": self.text,
            "title": self.entry.title,
            "path": list(self.entry.path),
            "level": self.entry.level,
            "kind": self.entry.kind,
            "derived": self.derived,
            "meta": meta_record(self.meta),
            "facts": meta_record(self.facts),
            "ids": list(self.ids),
            "citations": [one.to_dict() for one in self.citations],
            "why": self.why.to_dict(),
            "duplicates": [one.to_dict() for one in self.duplicates],
            "linked": [one.to_dict() for one in self.linked],
            "entry": entry_record(self.entry, self.text),
        }

    @staticmethod
    def from_dict(record: Mapping[str, Any]) -> Hit:
        """The hit that `to_dict` made this of, without vectors; a ConfigError says what does not fit."""
        from seamline.search.read_records import read_hit

        return read_hit(record)


def kept_facts(entry: Entry) -> dict[str, MetaValue]:
    """What enrichment found of an entry, how sure its text is, and which version of its source it is from."""
    found = {
        name: entry.meta[kept] for name, kept in DERIVED_FIELDS.items() if name not in _PLACE and kept in entry.meta
    }
    return found if entry.coherence is None else {**found, "coherence": entry.coherence}


_PLACE = ("media_type", "page")
"""Fields that citations tell."""


class Evidence(NamedTuple):
    """What speaks for a result as a whole; scores follow from it (see `seamline.search.score`)."""

    similarity: float | None
    """The highest cosine similarity; None where the dense leg was not asked."""
    coverage: float
    """The largest share of the query's words that one passage holds."""
    unsaid: float = 0.0
    """What both lose where none of the words is in any of the best passages."""


@dataclass(frozen=True, slots=True)
class Results(Sequence[Hit]):
    """What a search found, best first, and what is worth knowing about it. A sequence of its hits."""

    hits: tuple[Hit, ...] = ()
    notices: tuple[Notice, ...] = ()
    query: str = ""
    """What was asked."""
    plan: Plan | None = None
    """How it was searched for, where the kind of question decided that."""
    evidence: Evidence | None = None
    """What scores follow from; None where they are comparable within this result only."""

    def __len__(self) -> int:
        return len(self.hits)

    @overload
    def __getitem__(self, index: SupportsIndex) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> Results: ...
    def __getitem__(self, index: SupportsIndex | slice) -> Hit | Results:
        """A hit by its position; of a slice, results with these hits alone."""
        return replace(self, hits=self.hits[index]) if isinstance(index, slice) else self.hits[index]

    def to_dict(self) -> ResultsRecord:
        """All fields as plain JSON values, each hit with its rank and the spans that meet the question: what
        `seamline search --json` prints."""
        from seamline.schema.documents import notice_record
        from seamline.search.highlight import spans

        return {
            "query": self.query,
            "plan": self.plan.to_dict() if self.plan else None,
            "evidence": cast("EvidenceRecord", self.evidence._asdict()) if self.evidence else None,
            "hits": [
                {"rank": rank, **hit.to_dict(), "marks": [list(span) for span in spans(hit.text, self.query)]}
                for rank, hit in enumerate(self.hits, start=1)
            ],
            "notices": [notice_record(notice) for notice in self.notices],
        }

    @staticmethod
    def from_dict(record: Mapping[str, Any]) -> Results:
        """The results that `to_dict` made this of; a ConfigError says what does not fit."""
        from seamline.search.read_records import read_results

        return read_results(record)

    def to_arrow(self) -> pa.Table:
        """A row for each hit, with a column for each key of its record; what is nested is JSON."""
        from seamline.schema.table import HIT_COLUMNS, arrow_table

        return arrow_table(HIT_COLUMNS, self.to_dict()["hits"])

    def to_pandas(self) -> pd.DataFrame:
        """The same as a data frame."""
        from seamline.schema.table import to_pandas

        return to_pandas(self.to_arrow())


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
    derived: str = ""
    """What the text is where it was made from what the citations hold, as `Hit.derived` says."""

    @property
    def start(self) -> int:
        return self.citations[0].start

    @property
    def end(self) -> int:
        return self.citations[-1].end

    def label(self) -> str:
        """Where a person looks."""
        return run_label(self.citations)

    def to_dict(self) -> PassageRecord:
        """All fields as plain JSON values."""
        return {
            "number": self.number,
            "label": self.label(),
            "text": self.text,
            "summary": self.summary,
            "derived": self.derived,
            "citations": [citation.to_dict() for citation in self.citations],
        }


def run_label(citations: Sequence[Citation]) -> str:
    """Where neighbouring passages stand, as one place under the headings of the first."""
    first, last = citations[0], citations[-1]
    return label(first.uri, joined_anchor(first.anchor, last.anchor), first.path)


def joined_anchor(first: Mapping[str, Any], last: Mapping[str, Any]) -> dict[str, Any]:
    """From the start of one anchor to the end of another of the same document."""
    out = {name: first[name] for name in ("sheet", "part", "paragraph") if name in first}
    for name in ("lines", "rows", "time", "sent"):
        if name in first and name in last:
            out[name] = [first[name][0], last[name][-1]]
    if "lines" in out and first.get("part") != last.get("part"):
        out["lines"] = list(first["lines"])  # lines of two files make no range
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
    query: str = ""
    """What was asked."""
    budget: int = 0
    """The most tokens that it might have had."""

    @property
    def citations(self) -> tuple[Citation, ...]:
        """All citations, in the order of the text."""
        return tuple(citation for passage in self.passages for citation in passage.citations)

    def to_dict(self) -> ContextTextRecord:
        """All fields as plain JSON values: what `seamline context --json` prints."""
        from seamline.schema.documents import notice_record

        return {
            "query": self.query,
            "budget": self.budget,
            "tokens": self.tokens,
            "text": self.text,
            "passages": [passage.to_dict() for passage in self.passages],
            "left_out": [citation.to_dict() for citation in self.left_out],
            "notices": [notice_record(notice) for notice in self.notices],
        }

    @staticmethod
    def from_dict(record: Mapping[str, Any]) -> ContextText:
        """The text that `to_dict` made this of; a ConfigError says what does not fit."""
        from seamline.search.read_records import read_context

        return read_context(record)
