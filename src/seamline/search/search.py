"""The steps of a search, as `seamline.pipeline.retrieve` takes them: read the question, find and fuse, rerank and
collapse, look again and expand, merge the parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from heapq import nlargest
from typing import TYPE_CHECKING, NamedTuple

from seamline.errors import ConfigError
from seamline.filters.tree import Filter, Test
from seamline.protocols import Embedder, Reader, Reranker
from seamline.records import ABOUT, Scored
from seamline.search import expand, fuse
from seamline.search.candidates import Candidate, as_hits, order, resolve_derived
from seamline.search.documents import DocumentCache
from seamline.search.duplicates import collapse
from seamline.search.expand import second_look, without_covered
from seamline.search.fuse import sort_scores
from seamline.search.hits import Hit, Why
from seamline.search.legs import Legs, SearchScope, find, similarities
from seamline.search.options import SearchOptions
from seamline.search.plan import Plan, topic
from seamline.search.query import RUN, Naming, Query, Wording, coverage, statistic_words
from seamline.search.rerank import QueryFacts, rescore, weigh
from seamline.text.headings import heading_line
from seamline.text.stemming import ENGLISH
from seamline.text.words import MOST_QUERY_WORDS, query_set, query_words, words
from seamline.types import Notice

if TYPE_CHECKING:
    from seamline.records import Entry, Vector

LONGEST_QUERY = 16_384
"""Code points of a query that are read: about 4,000 tokens, which take the bundled model a second."""
PART = 0.9
"""What a hit for one side of a comparison is worth beside an equal hit for all of it."""
DEEP = 60
"""What BM25 finds of a short query: a passage that says it word for word may be behind the candidates. More change no
ranking, as `EVERY` are found that may say all of it."""
EVERY = 200
"""Passages with every word of a short query that are looked at."""
DEEPEST = 1000
"""What each leg finds where passages must hold a phrase or must not hold a word."""
_TABLES: Filter = Test("kind", "=", "table-summary")
_COVERED = 0.6
"""The share of a question's words that the summary of a table must have to come first for a statistic."""
_BESIDE_STATISTIC = 0.95
"""What other texts are worth then."""
_COVERING = 10
"""The first of BM25, among which one is looked for that holds the query's words."""
_ALIGNED = 3
"""Hits for a side of a comparison among which one is looked for that stands under the same heading as the others."""
_SECTIONS = 10
"""Sections whose chunks are looked at, where summaries are searched first."""


@dataclass(frozen=True, slots=True)
class SearchEngine:
    """What a search needs beside the query."""

    reader: Reader
    embedder: Embedder
    now: datetime
    reranker: Reranker | None = None
    stemming: str = ENGLISH
    """The language whose endings the index takes off words."""


class ReadRanking(NamedTuple):
    """The part of a ranking that was read."""

    entries: Mapping[str, Entry]
    admitted: Sequence[Scored]
    """What the query admits, best first."""
    bonuses: Mapping[str, float]
    """What each of them gains by its wording."""


class Question(NamedTuple):
    """What is searched for, and how."""

    queries: list[str]
    """The question itself, and its parts where a plan has several."""
    options: SearchOptions
    notices: tuple[Notice, ...]
    """What is worth knowing about what is not searched for."""


def read_question(question: str | Plan, options: SearchOptions) -> Question:
    """The queries of a question, and the options with what its plan changes."""
    if isinstance(question, str):
        asked, notices = read_query(question)
        return Question([asked], options, notices)
    asked, notices = read_query(question.query)
    whole = question.whole if options.whole else 0
    planned = replace(options, mode=question.mode, k=question.k, over=question.over, whole=whole)
    parts = question.queries[1:]
    if question.sides and (asked_of_all := topic(asked, question.sides)):
        parts = tuple(f"{side} {asked_of_all}" for side in question.sides)
    return Question(list(dict.fromkeys((asked, *parts))), planned, notices)


def read_query(query: str) -> tuple[str, tuple[Notice, ...]]:
    """The part of a query that is searched for, and what is worth knowing about the rest."""
    asked = query.strip()
    if not asked:
        raise ConfigError("the query is empty: say what to look for", "$.query")
    notices = []
    if len(asked) > LONGEST_QUERY:
        notices.append(
            Notice("query-cut", f"the query has {len(asked)} characters; the first {LONGEST_QUERY} were used")
        )
        asked = asked[:LONGEST_QUERY]
    if len(query_words(asked)) >= MOST_QUERY_WORDS:
        notices.append(Notice("query-words", f"BM25 looked for the first {MOST_QUERY_WORDS} words of the query"))
    return asked, tuple(notices)


@dataclass(frozen=True, slots=True)
class Finder:
    """Runs the legs for one query, and fuses what they find."""

    engine: SearchEngine
    vector: Vector | None
    query: Query
    options: SearchOptions

    def find(self, documents: DocumentCache, where: Filter | None) -> list[Candidate]:
        """The candidates of all scopes that the mode searches, best first."""
        options = self.options
        if options.mode == "summary-first":
            where = self.within_best_sections(documents, where)
        scopes = [SearchScope(where, (0, ABOUT) if options.about else (0,))]
        if options.mode == "multi-level":
            scopes.append(SearchScope(expand.both(where, expand.SECTIONS), None))
        found = order(one for scope in scopes for one in self.candidates(scope))
        if options.about and options.show == "derived":
            found = self.with_statistics(found, where)
        return resolve_derived(found, documents, options.show) if options.about else found

    def candidates(self, scope: SearchScope) -> list[Candidate]:
        """The fused candidates of a scope, best first."""
        reader, options = self.engine.reader, self.options
        sparse = self.query.text if options.legs != "dense" else ""
        wording = Wording(sparse)
        depths = self._depths(wording)
        legs = find(reader, self.vector, sparse, depths, scope, dual=options.dual)
        fills = self.vector is not None and bool(sparse) and options.fusion != "rrf"
        entries: dict[str, Entry] = {}
        covered = 1.0
        if fills and self.vector is not None:
            near = dict(legs.dense)
            first = [id for id, _ in legs.sparse[: options.depth]]
            embedded = reader.vectors([id for id in first if id not in near])
            filled = similarities(self.vector, embedded)
            legs = replace(legs, filled=filled, without=frozenset(embedded.keys() - filled.keys()))
            covered, entries = self._coverage(first[:_COVERING])
        ranking, weight = fuse_legs(legs, options, covered)
        read = self._read(ranking[: max(depths)], entries, wording, scope)
        named = self._named(read, Naming(sparse, self.engine.stemming))
        raised = {id: score + read.bonuses[id] + named.get(id, 0.0) for id, score in read.admitted}
        # The best keeps the score that the best of the legs has: parts of a question are set beside each other.
        scale = max((score for _, score in read.admitted), default=1.0) / (max(raised.values(), default=1.0) or 1.0)
        best = sort_scores({id: score * scale for id, score in raised.items()})[: options.depth]
        parts, fused = legs.parts({id for id, _ in best}), dict(read.admitted)
        return [
            Candidate(
                read.entries[id],
                score,
                Why(
                    *parts[id],
                    weight=weight,
                    fused=fused[id],
                    wording=read.bonuses[id] or None,
                    headings=named.get(id) or None,
                ),
            )
            for id, score in best
        ]

    def _coverage(self, best: Sequence[str]) -> tuple[float, dict[str, Entry]]:
        """The share of the query's words that the best of BM25 hold, and those entries that were read for it: where the
        very best holds all of them, no other."""
        covered = 0.0
        entries: dict[str, Entry] = {}
        for ids in (best[:1], best[1:]):
            read = self.engine.reader.entries(ids) if covered < 1 else {}
            texts = [entry.searched for entry in read.values()]
            covered = max(covered, coverage(self.query.text, texts, self.engine.stemming))
            entries |= read
        return covered, entries

    def _named(self, read: ReadRanking, naming: Naming) -> dict[str, float]:
        """What passages gain by headings that a long query names."""
        if not naming.is_long:
            return {}
        entries = read.entries
        return {id: naming.bonus(heading_line(entries[id].title, entries[id].path)) for id, _ in read.admitted}

    def _read(
        self, ranking: Sequence[Scored], known: Mapping[str, Entry], wording: Wording, scope: SearchScope
    ) -> ReadRanking:
        """Read a ranking as far as its best may stand, beside the entries that are known already."""
        depth, reader = self.options.depth, self.engine.reader
        entries, admitted, bonuses = dict(known), list[Scored](), dict[str, float]()
        page, left = ranking[:depth], ranking[depth:]
        is_narrowed = not self.query.is_plain
        while page:
            entries |= reader.entries([id for id, _ in page if id not in entries])
            for one in page:
                text = entries[one.id].searched if one.id in entries else None
                if text is not None and self.query.admits(text):
                    bonuses[one.id] = wording.bonus(text, is_far=len(admitted) >= depth)
                    admitted.append(one)
            if not left or _is_settled(admitted, bonuses, left[0], wording, depth):
                break
            if not is_narrowed:
                left, is_narrowed = self._holding_every(ranking, scope), True
            page, left = left[:depth], left[depth:]
        return ReadRanking(entries, admitted, bonuses)

    def with_statistics(self, found: Sequence[Candidate], where: Filter | None) -> list[Candidate]:
        """The candidates, and before them summaries of tables where the question asks for a statistic of what they
        have. Rows have the words of such a question too, and there are many of them."""
        asked = statistic_words(self.query.text)
        if not asked:
            return list(found)
        tables = self.candidates(SearchScope(expand.both(where, _TABLES), (ABOUT,)))
        fitting = [one for one in tables if len(asked & {*words(one.entry.searched)}) >= _COVERED * len(asked)]
        if not fitting:
            return list(found)
        scale = max((one.score for one in found), default=1.0) / (fitting[0].score or 1.0)
        lowered = [replace(one, score=one.score * _BESIDE_STATISTIC) for one in found]
        return order([*(replace(one, score=one.score * scale) for one in fitting), *lowered])

    def _depths(self, wording: Wording) -> tuple[int, int]:
        """How many the dense leg and BM25 find."""
        depth = self.options.depth if self.query.is_plain else max(self.options.depth, DEEPEST)
        return depth, max(depth, DEEP) if wording.is_short else depth

    def _holding_every(self, ranking: Sequence[Scored], scope: SearchScope) -> list[Scored]:
        """What may hold the query as it was typed, beyond the first of a ranking: no other passages are worth reading
        there. What BM25 found only with every word stands behind the last of the ranking."""
        found = self.engine.reader.matching(self.query.text, EVERY, where=scope.where, levels=scope.levels, every=True)
        held, ranked = {id for id, _ in found}, {id for id, _ in ranking}
        far = [one for one in ranking[self.options.depth :] if one.id in held]
        return far + [Scored(id, ranking[-1].score) for id, _ in found if id not in ranked]

    def within_best_sections(self, documents: DocumentCache, where: Filter | None) -> Filter:
        """Narrows a filter to the chunks of the sections that match best."""
        sections = self.candidates(SearchScope(expand.both(where, expand.SECTIONS), None))[:_SECTIONS]
        return expand.both(where, expand.inside([one.entry for one in sections], documents))


def _is_settled(
    admitted: Sequence[Scored], bonuses: Mapping[str, float], following: Scored, wording: Wording, depth: int
) -> bool:
    """Whether as many as are wanted stand above all that follows in a ranking, whatever it gains by its wording."""
    if len(admitted) < depth:
        return False
    last = nlargest(depth, (score + bonuses[id] for id, score in admitted))[-1]
    return not wording.is_short or last > following.score + wording.literal + RUN


def fuse_legs(legs: Legs, options: SearchOptions, covered: float = 1.0) -> tuple[list[Scored], float | None]:
    """The legs as one ranking, and the weight of the dense one where there are two. `covered` is the share of the
    query's words that the best of BM25 hold."""
    if options.fusion == "rrf":
        return fuse.rrf([leg for leg in (legs.dense, legs.sparse) if leg], k=options.rrf_k), None
    dense, sparse = legs.dense_scores, legs.sparse_scores(options.depth)
    weight = fuse.leaning(sparse.values(), options.alpha, options.lean, covered)
    ranking = fuse.linear(dense, sparse, alpha=weight, by=options.fusion, without=legs.without)
    return ranking, weight if dense and sparse else None


def rerank(
    engine: SearchEngine, candidates: Sequence[Candidate], query: str, options: SearchOptions, asked: QueryFacts
) -> list[Candidate]:
    """The best candidates by the reranker, where there is one, and by all that counts beside relevance."""
    found = list(candidates[: options.depth])
    if engine.reranker is not None and found:
        found = rescore(found, query, engine.reranker)
    found = weigh(found, options.weights, now=engine.now, decay=options.decay, asked=asked)
    return collapse(found, query_set(query)) if options.collapse else found


def _expand(hits: Sequence[Hit], query: str, documents: DocumentCache, options: SearchOptions) -> list[Hit]:
    found = list(hits)
    if options.gate is not None:
        found = second_look(found, query, documents, options.gate)
    if options.mode == "parents":
        found = expand.to_parents(found, documents, share=options.share, widest=options.widest)
    if options.mode == "multi-level":
        found = expand.merge_levels(found, documents, widest=options.widest)
    return found


def widen(best: Sequence[Candidate], query: str, documents: DocumentCache, options: SearchOptions) -> list[Hit]:
    """The first k hits, as wide as the mode wants them. Widened ones swallow others, so more are taken up until k are
    left or there are no more."""
    enough = options.k if options.mode in ("leaf", "summary-first") else 2 * options.k
    while True:
        hits = _expand(as_hits(best[:enough], documents), query, documents, options)
        if len(hits) >= options.k or enough >= len(best):
            return hits[: options.k]
        enough += options.k


def merge_parts(plan: Plan, parts: Sequence[str], found: Sequence[Sequence[Hit]]) -> list[Hit]:
    """The hits of all parts of a question together, by their scores."""
    if len(parts) > 1:
        shares = [1.0, *(PART if plan.kind == "comparative" else _share(hits, found[0]) for hits in found[1:])]
        found = [
            [scaled(hit, share, part) for hit in hits] for part, share, hits in zip(parts, shares, found, strict=True)
        ]
    together = sorted((hit for hits in found for hit in hits), key=lambda hit: (-hit.relative, hit.entry.id))
    return without_covered(together)[: plan.k]


def reserve_sides(plan: Plan, found: Sequence[Sequence[Hit]], merged: Sequence[Hit]) -> tuple[list[Hit], list[Notice]]:
    """The hits of a comparison with the best for each side first, under the same heading where there is one, and what
    to say of a side without any. A hit is about a side where it has its name; of those, what answers the whole
    question comes before what only names the side."""
    about = {}
    for number, side in enumerate(plan.sides, start=1):
        own = found[number] if number < len(found) else ()
        several = without_covered([*merged, *(scaled(hit, PART, side) for hit in own)])
        about[side] = [hit for hit in several if is_about(hit.entry.searched, side)][:_ALIGNED]
    first: dict[str, Hit] = {}
    for side, hit in align_sides(about).items():
        told = first[hit.entry.id].why.side if hit.entry.id in first else ""
        first[hit.entry.id] = replace(hit, why=replace(hit.why, side=f"{told}, {side}" if told else side))
    kept = without_covered([*first.values(), *merged])[: max(plan.k, len(first))]
    missing = ", ".join(f"`{side}`" for side, hits in about.items() if not hits)
    return kept, [Notice("side-missing", f"nothing about {missing} was found to compare")] if missing else []


def align_sides(about: Mapping[str, Sequence[Hit]]) -> dict[str, Hit]:
    """A hit for each side that has any: that of the heading all of them have, the best such heading, or else its
    first."""
    sides = {side: hits for side, hits in about.items() if hits}
    ranks = [
        {hit.path[-1].lower(): n for n, hit in reversed([*enumerate(hits)]) if hit.path} for hits in sides.values()
    ]
    shared = set(ranks[0]).intersection(*ranks[1:]) if len(ranks) > 1 else set()
    best = min(shared, key=lambda heading: (sum(rank[heading] for rank in ranks), heading), default=None)
    places = [0 if best is None else rank[best] for rank in ranks]
    return {side: hits[place] for (side, hits), place in zip(sides.items(), places, strict=True)}


def is_about(text: str, side: str) -> bool:
    """Whether a text has the name of a side: its first word, and at least half of the others."""
    name = words(side)
    held = frozenset(words(text))
    return bool(name) and name[0] in held and 2 * sum(word in held for word in name) >= len(name)


def scaled(hit: Hit, share: float, part: str) -> Hit:
    """A hit that was found for a part of the question."""
    score = hit.relative * share
    relevance = None if hit.why.relevance is None else hit.why.relevance * share
    return replace(hit, score=score, relative=score, why=replace(hit.why, query=part, relevance=relevance))


def _share(part: Sequence[Hit], whole: Sequence[Hit]) -> float:
    """How much of a question one of its parts is: the best BM25 of the part beside that of the whole.

    Scores are set beside each other within one query: the best for `what was his record` would be as good as the best
    for the question that says whose. The sides of a comparison stand for themselves, these parts do not.
    """
    best, most = (max((hit.why.bm25.score for hit in hits if hit.why.bm25), default=0.0) for hits in (part, whole))
    return min(1.0, best / most) if most > 0 else PART
