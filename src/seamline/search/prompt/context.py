"""Hits become a text for a prompt: the best that fits, in document order, every passage numbered and cited."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from seamline.errors import BudgetError, ConfigError
from seamline.protocols import Tokenizer
from seamline.records import ABOUT
from seamline.search.documents import DocumentCache
from seamline.search.expand import cite_run, run_text, without_covered
from seamline.search.highlight import Sentences
from seamline.search.hits import Citation, ContextText, Hit, PromptPassage
from seamline.search.prompt.budget import (
    Form,
    Packing,
    RatedHit,
    ids_around,
    pack,
    rate_hits,
    rate_neighbours,
    restated_ids,
)
from seamline.search.prompt.render import PREAMBLE, Sources, render
from seamline.search.prompt.splitting import Clip, clip_citation

_SHORT = 0.1
"""What a summary is worth beside the text it is of: it seldom holds the answer."""
_FOCUS = 0.7
"""A part of a text is worth its share of the length to this power."""
_PARTS = 6
"""About so many parts of a text are weighed by the exact packing: to count the tokens of all would take long."""
WEAK = 20
"""Hits that are worth less than this share of the best, divided by the tokens of the budget, stay out even where there
is room: 0.02 of the best at 1,000 tokens, 0.005 at 4,000. Who gives more room wants to see more."""
_WEAKEST = 0.1
"""The largest such share: small budgets have room for little else anyway."""
_FIRST = 8
"""Hits that come first in what room is left: their passages, then their summaries, then what was found further down."""
_TRIES = 16
"""How many of those left out may share the room that is left."""


class SelectedHit(NamedTuple):
    """A hit that goes into the prompt, in one of its forms."""

    rank: int
    hit: Hit
    summary: bool = False
    part: Clip | None = None
    """The sentences of it that are shown, where the whole has no room."""


@dataclass(frozen=True, slots=True)
class PromptBuilder:
    """Turns hits into text, and counts it."""

    documents: DocumentCache
    tokenizer: Tokenizer
    sources: Sources = "inline"
    full_paths: bool = False

    def count(self, taken: Iterable[SelectedHit]) -> int:
        """Tokens of the prompt with these hits."""
        return self.tokenizer.count(render(self.passages(taken), self.sources, full_paths=self.full_paths))

    def passages(self, taken: Iterable[SelectedHit]) -> list[PromptPassage]:
        """The passages of these hits: neighbouring chunks of a document as one, documents by their best hit, and in
        document order within."""
        documents: dict[str, list[SelectedHit]] = {}
        for one in sorted(taken, key=lambda one: one.rank):
            documents.setdefault(one.hit.entry.doc, []).append(one)
        parts = [part for doc, held in documents.items() for part in self._document(doc, held)]
        return [replace(part, number=number) for number, part in enumerate(parts, start=1)]

    def _document(self, doc: str, held: Sequence[SelectedHit]) -> list[PromptPassage]:
        whole = {id for one in held if not one.summary and not one.part for id in one.hit.ids}
        parts = [PromptPassage(0, run_text(run, self.documents), run) for run in self._runs(doc, whole)]
        parts += [PromptPassage(0, one.part.text, (one.part.citation,)) for one in held if one.part]
        parts += [
            PromptPassage(0, _short(one.hit), one.hit.citations, one.hit.entry.level < ABOUT, one.hit.derived)
            for one in held
            if one.summary and not self._is_quoted(one.hit, whole)
        ]
        return sorted(parts, key=lambda part: (part.start, part.end))

    def _is_quoted(self, hit: Hit, whole: set[str]) -> bool:
        """Whether a hit is a summary made of sentences of chunks that are shown whole."""
        ids = restated_ids(hit, self.documents) if hit.derived == "summary" else []
        return bool(ids) and whole.issuperset(ids)

    def _runs(self, doc: str, ids: set[str]) -> Iterator[tuple[Citation, ...]]:
        """Chunks that stand side by side, in document order."""
        run: list[str] = []
        for place in self.documents.layout(doc).chunks if ids else ():
            if place.id in ids:
                run.append(place.id)
            elif run:
                yield cite_run(doc, run, self.documents)
                run = []
        if run:
            yield cite_run(doc, run, self.documents)


class _Ways(NamedTuple):
    """The ways to show a hit."""

    documents: DocumentCache
    query: str
    summaries: bool
    sentences: Sentences | None

    def whole(self, rank: int, hit: Hit) -> list[SelectedHit]:
        """As it is, then what was found of it alone. A section that is too long to be shown has its summary, and a
        derived text is one."""
        if not hit.ids:
            return [SelectedHit(rank, hit, summary=True)]
        alone = _alone(hit, self.documents)
        return [SelectedHit(rank, hit)] if alone is hit else [SelectedHit(rank, hit), SelectedHit(rank, alone)]

    def parts(self, rank: int, hit: Hit) -> list[SelectedHit]:
        """Runs of its sentences or rows, from long to short."""
        if not hit.ids:
            return []
        alone = _alone(hit, self.documents)
        parts = clip_citation(alone.citation, alone.entry, self.query, self.sentences)
        return [SelectedHit(rank, alone, part=part) for part in parts]

    def summary(self, rank: int, hit: Hit) -> list[SelectedHit]:
        """Its summary, where it has one."""
        short = self.summaries and hit.ids and hit.entry.summary
        return [SelectedHit(rank, _alone(hit, self.documents), summary=True)] if short else []

    def all(self, rank: int, hit: Hit) -> list[SelectedHit]:
        """All of these, with a few of the parts, evenly spread."""
        parts = self.parts(rank, hit)
        step = max(1, len(parts) // _PARTS)
        return [*self.whole(rank, hit), *parts[step::step], *self.summary(rank, hit)]


def assemble(
    hits: Sequence[Hit],
    builder: PromptBuilder,
    budget: int,
    *,
    query: str = "",
    packing: Packing = "greedy",
    summaries: bool = True,
    weak: float | None = None,
    sentences: Sentences | None = None,
    whole: bool = False,
) -> ContextText:
    """The best of the hits as one text of at most `budget` tokens, counted with the tokenizer on the final text.

    Hits that are worth less than the share `weak` of the best are left out; where none is given, the budget decides.
    Of hits that have no room, the sentences or rows that meet the query are shown, or else their summaries. With
    `whole`, room that is left goes to the chunks beside the hits. The sides of a comparison share the room first.
    """
    if budget <= 0:
        raise BudgetError(f"expected a budget above 0 tokens, got {budget}", "$.context.budget")
    if weak is not None and not 0 <= weak <= 1:
        raise ConfigError(f"expected a share from 0 to 1, got {weak}", "$.context.weak")
    least = min(_WEAKEST, WEAK / budget) if weak is None else weak
    sides = [hit for hit in hits if hit.why.side]
    others = [hit for hit in without_covered(hits) if not hit.why.side]
    found = [RatedHit(hit, 1.0) for hit in sides]
    found += [one for one in rate_hits(others, builder.documents) if one.usefulness >= least]
    if whole:
        found += rate_neighbours(found, builder.documents)
    distinct = [one.hit for one in found]
    ways = _Ways(builder.documents, query, summaries, sentences)
    first = _share_room(sides, builder, budget, ways) if sides else _pack_hits(found, builder, budget, packing, ways)
    taken = _fill_room(first, distinct, builder, budget, ways)
    taken = _without_strays(taken, found, builder.documents)
    passages = builder.passages(taken.values())
    text = render(passages, builder.sources, full_paths=builder.full_paths)
    # A hit that was not taken may still be shown, as the neighbour of one that was.
    shown = {one.id for passage in passages if not (passage.summary or passage.derived) for one in passage.citations}
    left_out = tuple(
        one.hit.citation
        for rank, one in enumerate(found)
        if one.found and rank not in taken and one.hit.entry.id not in shown
    )
    return ContextText(text, tuple(passages), builder.tokenizer.count(text), left_out)


def _share_room(sides: Sequence[Hit], builder: PromptBuilder, budget: int, ways: _Ways) -> dict[int, SelectedHit]:
    """The sides of a comparison, each in the largest form that fits into its equal share of the room."""
    once = builder.tokenizer.count(PREAMBLE)
    share = (budget - once) // len(sides) + once
    held: dict[int, SelectedHit] = {}
    for rank, hit in enumerate(sides):
        forms = [*ways.whole(rank, hit), *ways.parts(rank, hit), *ways.summary(rank, hit)]
        form = next((one for one in forms if builder.count([one]) <= share), None)
        if form is not None:
            held[rank] = form
    while held and builder.count(held.values()) > budget:  # counts do not quite add up
        del held[max(held)]
    return held


def _pack_hits(
    found: Sequence[RatedHit], builder: PromptBuilder, budget: int, packing: Packing, ways: _Ways
) -> dict[int, SelectedHit]:
    """What to take by rank, so that the whole text keeps the budget."""
    options = [
        ways.all(rank, one.hit) if packing == "exact" else ways.whole(rank, one.hit) for rank, one in enumerate(found)
    ]
    once = builder.tokenizer.count(PREAMBLE)
    sized = [
        [Form(one.usefulness * _share(form), builder.count([form]) - once) for form in forms]
        for one, forms in zip(found, options, strict=True)
    ]
    chosen = {c.candidate: options[c.candidate][c.form] for c in pack(sized, budget - once, packing)}
    if packing == "greedy":
        # What has no room is shown in part before later hits are looked at: sentences of a good one answer more.
        missed = next((rank for rank in range(len(found)) if rank not in chosen), len(found))
        chosen = {rank: one for rank, one in chosen.items() if rank < missed}
    while chosen and builder.count(chosen.values()) > budget:  # counts do not quite add up
        del chosen[max(chosen)]
    return chosen


def _fill_room(
    taken: dict[int, SelectedHit], hits: Sequence[Hit], builder: PromptBuilder, budget: int, ways: _Ways
) -> dict[int, SelectedHit]:
    """What was taken and what else fits: joined neighbours need less room, and a few sentences fit nearly always.
    A summary takes no room from a passage of the first hits that fits, but goes before what was found far below."""
    held = dict(taken)

    def show(rank: int, forms: Sequence[SelectedHit]) -> None:
        form = _largest(forms, [one for at, one in held.items() if at != rank], builder, budget)
        if form is not None:
            held[rank] = form

    short = {rank for rank, one in held.items() if one.summary or one.part}
    waiting = [rank for rank in range(len(hits)) if rank not in held or rank in short][:_TRIES]
    for ranks in ([rank for rank in waiting if rank < _FIRST], [rank for rank in waiting if rank >= _FIRST]):
        for rank in ranks:
            show(rank, [*ways.whole(rank, hits[rank]), *ways.parts(rank, hits[rank])])
        for rank in ranks:
            if rank not in held:
                show(rank, ways.summary(rank, hits[rank]))
    return held


def _without_strays(
    taken: Mapping[int, SelectedHit], found: Sequence[RatedHit], documents: DocumentCache
) -> dict[int, SelectedHit]:
    """What was taken, without neighbours that touch nothing that is shown whole: they would be strange passages."""
    kept: dict[int, SelectedHit] = {}
    shown: set[str] = set()
    for rank, one in sorted(taken.items()):
        is_whole = not one.summary and not one.part
        if found[rank].found or (is_whole and not shown.isdisjoint((*one.hit.ids, *ids_around(one.hit, documents)))):
            kept[rank] = one
            shown.update(one.hit.ids if is_whole else restated_ids(one.hit, documents))
    return kept


def _share(form: SelectedHit) -> float:
    """What a form of a hit is worth beside the whole: of a part more than its length, as it meets the query."""
    if form.part:
        return float((len(form.part.citation.quote) / len(form.hit.entry.body)) ** _FOCUS)
    return _SHORT if form.summary and form.hit.ids else 1.0


def _largest(
    forms: Sequence[SelectedHit], others: Sequence[SelectedHit], builder: PromptBuilder, budget: int
) -> SelectedHit | None:
    """The first of ever smaller forms that fits beside the others."""

    def fits(n: int) -> bool:
        return builder.count([*others, forms[n]]) <= budget

    at = first(len(forms), fits)
    return None if at is None else forms[at]


def first(total: int, good: Callable[[int], bool]) -> int | None:
    """The first of `total` that is good, where all after a good one are; none where the last is not good."""
    if not total or not good(total - 1):
        return None
    return bisect_left(range(total - 1), True, key=good)


def _alone(hit: Hit, documents: DocumentCache) -> Hit:
    """A widened hit as it was found."""
    if not hit.why.expanded or hit.entry.level > 0:
        return hit
    return replace(hit, citations=(documents.cite(hit.entry),), ids=(hit.entry.id,), text=hit.entry.text)


def _short(hit: Hit) -> str:
    return hit.entry.summary if hit.ids else hit.text
