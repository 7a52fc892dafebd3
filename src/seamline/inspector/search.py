"""Search with both legs side by side, why a chunk was not found, and what became of a citation: plain JSON values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypedDict

from seamline.api.search import Hit, Results, SearchOptions, after_headings, excerpt, spans
from seamline.errors import StoreError
from seamline.text.content import has_content
from seamline.text.differences import differences
from seamline.text.words import located, query_words, words

if TYPE_CHECKING:
    from seamline.api.index import Index
    from seamline.filters.mapping import FilterLike
    from seamline.search.options import LegChoice

WIDE = 1000
"""How far down a chunk is looked for."""


class LegRow(TypedDict):
    """A hit of one leg."""

    id: str
    label: str
    score: float


class FoundChunk(TypedDict):
    """A hit of both legs together."""

    id: str
    key: str
    doc: str
    label: str
    excerpt: list[list[str]]
    """Runs of the text where it meets the question: kind (plain, mark, more) and text."""
    score: float
    relative: float
    why: dict[str, object]
    duplicates: list[str]
    boxes: list[list[float]]


class SearchView(TypedDict):
    """What both legs found, each alone and together."""

    query: str
    hits: list[FoundChunk]
    dense: list[LegRow]
    bm25: list[LegRow]
    notices: list[str]


class WhyNot(TypedDict):
    """Why a chunk is where it is in a ranking."""

    id: str
    label: str
    rank: int
    """Among the hits of both legs; 0 where it is not among the first `WIDE`."""
    dense: int
    bm25: int
    lacks: list[str]
    """Words of the query that it does not have."""
    has: list[str]
    lines: list[str]
    """The same in words."""


def search_view(index: Index, query: str, k: int, where: FilterLike = "") -> SearchView:
    """The best `k` hits, what each leg alone would have found, and what is worth knowing."""
    asked = index.search(query, where=where, options=SearchOptions(k=k))
    found = _search(index, query, k, "hybrid", where)
    return {
        "query": query,
        "hits": [_found(hit, query) for hit in found],
        "dense": [_row(hit, "dense") for hit in _search(index, query, k, "dense", where)],
        "bm25": [_row(hit, "bm25") for hit in _search(index, query, k, "bm25", where)],
        "notices": [notice.message for notice in asked.notices],
    }


def _search(index: Index, query: str, k: int, legs: LegChoice, where: FilterLike, *, wide: bool = False) -> Results:
    """Chunks alone, however unlikely; of a wide search, duplicates too."""
    options = SearchOptions(
        k=k, legs=legs, min_score=0.0, whole=0, collapse=not wide, over=1 if wide else 3, about=not wide, show="source"
    )
    return index.search(query, where=where, options=options)


def _found(hit: Hit, query: str) -> FoundChunk:
    citation = hit.citation
    return {
        "id": hit.id,
        "key": citation.key,
        "doc": hit.doc,
        "label": hit.label(),
        "excerpt": _excerpt(hit, query),
        "score": round(hit.score, 4),
        "relative": round(hit.relative, 4),
        "why": dict(hit.why.to_dict()),
        "duplicates": [one.label() for one in hit.duplicates],
        "boxes": [list(box) for box in citation.anchor.get("boxes", ())],
    }


def _excerpt(hit: Hit, query: str) -> list[list[str]]:
    """Without the headings that the label names already."""
    text = hit.entry.text[hit.entry.lead :] if hit.entry.level == 0 else hit.text
    part = excerpt(text, hit.citation.path, query)
    runs: list[list[str]] = []
    if text[after_headings(text, hit.citation.path) : part.start].strip():
        runs.append(["more", "… "])
    at = part.start
    for span in spans(text, query):
        start, end = max(span.start, at), min(span.end, part.end)
        if start < end:
            runs += [["plain", text[at:start]], ["mark", text[start:end]]]
            at = end
    runs.append(["plain", text[at : part.end].rstrip()])
    if text[part.end :].strip():
        runs.append(["more", " …"])
    return [run for run in runs if run[1]]


def _row(hit: Hit, leg: str) -> LegRow:
    said = hit.why.dense if leg == "dense" else hit.why.bm25
    return {"id": hit.id, "label": hit.label(), "score": round(said.score if said else hit.relative, 4)}


def why_not(index: Index, query: str, id: str, k: int, where: FilterLike = "") -> WhyNot:
    """Where a chunk stands in each leg and in both, and what it lacked; a StoreError where no chunk has the id."""
    resolved = index.cite(id)
    if not resolved.now or resolved.cited is None:
        raise StoreError(f"no chunk of this index has the id {id[:64]}")
    chunk = resolved.now[0]
    entry = next((one.entry for one in index.chunks(chunk.doc) if one.id == chunk.id), None)
    if entry is None:
        raise StoreError(f"{id[:64]} is a section: choose one of its chunks")
    ranked = {
        "both": _search(index, query, WIDE, "hybrid", where, wide=True),
        "dense": _search(index, query, WIDE, "dense", where, wide=True),
        "bm25": _search(index, query, WIDE, "bm25", where, wide=True),
    }
    ranks = {leg: _rank(results, chunk.id) for leg, results in ranked.items()}
    own = set(words(entry.text)) | set(words(" ".join((entry.title, *entry.path))))
    asked = set(query_words(query))
    met = {query[start:end]: not own.isdisjoint(terms) for start, end, terms in located(query) if asked & {*terms}}
    lines = [
        _leg_line("By meaning", "similarity", ranked["dense"], ranks["dense"], "dense"),
        _leg_line("By words", "BM25", ranked["bm25"], ranks["bm25"], "bm25"),
        _both_line(ranked["both"], ranks["both"], k),
    ]
    if not has_content(chunk.quote, entry.kind):
        lines.append(
            "It has no content of its own (a lone heading, markup or links), so it is read with its neighbours."
        )
    shown = index.search(query, where=where, options=SearchOptions(k=k, min_score=0.0, whole=0, show="source"))
    for hit in shown:
        if any(one.id == chunk.id for one in hit.duplicates):
            lines.append(f"It says almost the same as {hit.label()}, and is listed under that hit.")
    return {
        "id": chunk.id,
        "label": chunk.label(),
        "rank": ranks["both"],
        "dense": ranks["dense"],
        "bm25": ranks["bm25"],
        "lacks": [word for word, found in met.items() if not found],
        "has": [word for word, found in met.items() if found],
        "lines": lines,
    }


def _rank(results: Results, id: str) -> int:
    return next((rank for rank, hit in enumerate(results, start=1) if hit.id == id), 0)


def _leg_line(name: str, measure: str, results: Results, rank: int, leg: str) -> str:
    if not rank:
        return f"{name}: not among the first {len(results)}." if len(results) else f"{name}: nothing was found."
    best, own = (_row(results[place], leg)["score"] for place in (0, rank - 1))
    return f"{name}: rank {rank} of {len(results)}, {measure} {own:.2f}; the best has {best:.2f}."


def _both_line(results: Results, rank: int, k: int) -> str:
    if not rank:
        return f"Together: not among the first {len(results)}."
    own = results[rank - 1].relative
    if rank <= k:
        return f"Together: rank {rank}, {own:.2f}; it is among the {k} that are shown, unless it repeats one of them."
    return f"Together: rank {rank}, {own:.2f}; the last of the {k} that are shown has {results[k - 1].relative:.2f}."


class HistoryStep(TypedDict):
    """A version of the document of a citation."""

    version: int
    indexed_at: str
    cited: bool


class HistoryView(TypedDict):
    """A citation, looked up."""

    key: str
    status: str
    explanation: str
    doc: str
    cited: Mapping[str, object] | None
    now: list[Mapping[str, object]]
    diff: list[list[str]]
    """Runs of words: kind (same, gone, new) and text; empty where nothing was edited."""
    versions: list[HistoryStep]


def history_view(index: Index, key: str) -> HistoryView:
    """What a citation said, what became of it, and the difference word by word."""
    resolved = index.cite(key)
    cited = resolved.cited
    doc = cited.doc if cited else ""
    runs = None
    if cited is not None and resolved.now and resolved.now[0].quote != cited.quote:
        runs = differences(cited.quote.replace("\r\n", "\n"), resolved.now[0].quote.replace("\r\n", "\n"))
    found = [(number, index.version(doc, number)) for number in index.version_numbers(doc)] if doc else []
    return {
        "key": key,
        "status": resolved.status,
        "explanation": resolved.explanation,
        "doc": doc,
        "cited": dict(cited.to_dict()) if cited else None,
        "now": [dict(one.to_dict()) for one in resolved.now],
        "diff": [[run.kind, run.text] for run in runs or ()],
        "versions": [
            {
                "version": number,
                "indexed_at": version.indexed_at.isoformat(timespec="seconds"),
                "cited": cited is not None and number == cited.version,
            }
            for number, version in found
            if version is not None
        ],
    }
