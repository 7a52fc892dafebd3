"""Which texts go into a prompt: those whose usefulness together is highest within its tokens. The usefulness of a hit
is how likely it adds to the answer, beside the best one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from seamline.errors import BudgetError
from seamline.records import ABOUT, RESTATED
from seamline.search.documents import DocumentCache
from seamline.search.hits import Hit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


Packing = Literal["greedy", "exact"]

MOST_EXACT = 500
"""Candidates up to which the exact packing is offered: beyond, it would take seconds."""


class Form(NamedTuple):
    """One way to show a candidate: whole, or by its summary."""

    usefulness: float
    tokens: int


class FormChoice(NamedTuple):
    """A candidate that was taken, and in which of its forms."""

    candidate: int
    form: int


@dataclass(frozen=True, slots=True)
class ContextWindow:
    """The tokens of a model's context, and what is already spent of them."""

    context: int
    """Everything the model can read and write."""
    system: int = 0
    """Instructions, tools, what was said before."""
    query: int = 0
    reserve: int = 0
    """Kept free for the answer."""

    @property
    def budget(self) -> int:
        """What is left for passages."""
        left = self.context - self.system - self.query - self.reserve
        if min(self.context, self.system, self.query, self.reserve) < 0 or left <= 0:
            raise BudgetError(
                f"expected context > system + query + reserve, got {self.context} <= "
                f"{self.system} + {self.query} + {self.reserve}",
                "$.context",
            )
        return left


def pack(candidates: Sequence[Sequence[Form]], budget: int, packing: Packing = "greedy") -> list[FormChoice]:
    """The forms to take, at most one per candidate and all within the budget, by candidate.

    `greedy` takes what comes first as long as it fits, whole or else in its next form. `exact` has the highest
    usefulness in all that any choice has; from 500 candidates on it looks at the first 500.
    """
    return _greedy(candidates, budget) if packing == "greedy" else knapsack(candidates[:MOST_EXACT], budget)


def _greedy(candidates: Sequence[Sequence[Form]], budget: int) -> list[FormChoice]:
    taken = []
    for candidate, forms in enumerate(candidates):
        form = next((n for n, form in enumerate(forms) if form.tokens <= budget), None)
        if form is not None:
            taken.append(FormChoice(candidate, form))
            budget -= forms[form].tokens
    return taken


def knapsack(candidates: Sequence[Sequence[Form]], budget: int) -> list[FormChoice]:
    """The choice of highest usefulness, in time candidates x budget and memory that grows with the budget alone.

    To know the choice and not only its usefulness, the candidates are halved: for every division of the budget between
    the halves the best usefulness of each is known, and the best division is solved in turn.
    """
    fitting = [n for n, forms in enumerate(candidates) if any(form.tokens <= budget for form in forms)]
    total = sum(max((form.tokens for form in candidates[n]), default=0) for n in fitting)
    taken = _solve([candidates[n] for n in fitting], min(budget, total))
    return [FormChoice(fitting[choice.candidate], choice.form) for choice in taken]


def _solve(candidates: Sequence[Sequence[Form]], budget: int) -> list[FormChoice]:
    if not candidates:
        return []
    if len(candidates) == 1:
        forms = [
            (form.usefulness, -n)
            for n, form in enumerate(candidates[0])
            if form.tokens <= budget and form.usefulness > 0
        ]
        return [FormChoice(0, -max(forms)[1])] if forms else []
    middle = len(candidates) // 2
    left, right = candidates[:middle], candidates[middle:]
    share = int((_profile(left, budget) + _profile(right, budget)[::-1]).argmax())
    later = [FormChoice(choice.candidate + middle, choice.form) for choice in _solve(right, budget - share)]
    return [*_solve(left, share), *later]


def _profile(candidates: Sequence[Sequence[Form]], budget: int) -> NDArray[np.float64]:
    """The best usefulness for every budget from 0 up."""
    import numpy as np

    best = np.zeros(budget + 1)
    for forms in candidates:
        without = best.copy()
        for usefulness, tokens in forms:
            if tokens <= budget:
                np.maximum(best[tokens:], without[: budget + 1 - tokens] + usefulness, out=best[tokens:])
    return best


SHARPNESS = 4.5
"""Worth falls with this power of the score: a text that scores half of the best hardly ever adds anything."""
BESIDE = 2.5
"""How many times as much a hit is worth that stands beside a better one: answers go on, and where one passage of a
document answers, another of an equal score in another document mostly does not."""


SAME, OTHER = 0.3, 0.1
"""What the chunk beside a hit is worth that no leg found, as a share of the hit: under the same headings, and under
others. They decide which neighbours come first; all found hits come before them."""
REACH = 2
"""Chunks to either side of a hit that may be shown with it."""


class RatedHit(NamedTuple):
    """A hit and its usefulness, 0-1; that of the best is 1."""

    hit: Hit
    usefulness: float
    found: bool = True
    """Whether it was found itself; else it stands beside one that was."""


def rate_hits(hits: Sequence[Hit], documents: DocumentCache) -> list[RatedHit]:
    """The hits by their usefulness: `(relative / best) ** 4.5 / rank`, and 2.5 times that beside a better one.

    The rank counts because scores are close where none stands out: of the tenth hit with nine tenths of the best score
    less is to be expected than of the second. The constants are rounded from a fit to one half of the questions of
    `benchmarks/quality`, and judged by the other.
    """
    best = max((hit.relative for hit in hits), default=0.0)
    found = [
        RatedHit(hit, usefulness)
        for hit, usefulness in zip(hits, _usefulness_of_all(hits, best, documents), strict=True)
    ]
    return sorted(found, key=lambda one: -one.usefulness)  # stable: equal ones stay as they were found


def rate_neighbours(found: Sequence[RatedHit], documents: DocumentCache) -> list[RatedHit]:
    """The chunks beside hits that are no hits themselves, by their usefulness."""
    shown = {id for one in found for id in one.hit.ids}
    best: dict[str, float] = {}
    for one in found:
        for id, usefulness in _beside(one, documents):
            if id not in shown:
                best[id] = max(usefulness, best.get(id, 0.0))
    hits = [Hit(e, 0.0, (documents.cite(e),), e.text, (e.id,)) for e in documents.entries(best).values()]
    return sorted((RatedHit(hit, best[hit.entry.id], found=False) for hit in hits), key=lambda one: -one.usefulness)


def _beside(one: RatedHit, documents: DocumentCache) -> Iterator[tuple[str, float]]:
    """The chunks to either side of a hit with their usefulness, which falls with every step; of a text that says what
    chunks say, these chunks."""
    yield from ((id, one.usefulness * SAME) for id in restated_ids(one.hit, documents))
    layout = documents.layout(one.hit.entry.doc)
    numbers = [layout.number(layout.by_id[id]) for id in one.hit.ids]
    for step, end in ((-1, min(numbers, default=0)), (1, max(numbers, default=0))):
        usefulness = one.usefulness if numbers else 0.0
        for n in range(end + step, end + step * (REACH + 1), step):
            if usefulness and 0 <= n < len(layout.chunks):
                usefulness *= SAME if layout.chunks[n].path == layout.chunks[n - step].path else OTHER
                yield layout.chunks[n].id, usefulness


def _usefulness_of_all(hits: Sequence[Hit], best: float, documents: DocumentCache) -> Iterator[float]:
    near: set[str] = set()
    for rank, hit in enumerate(hits, start=1):
        share = hit.relative / best if best > 0 else 1.0
        beside = BESIDE if not near.isdisjoint(hit.ids) else 1.0
        yield min(1.0, beside * share**SHARPNESS / rank)
        near |= ids_around(hit, documents)


def restated_ids(hit: Hit, documents: DocumentCache) -> list[str]:
    """The chunks that a derived text says in other words. A summary of a table says more than the table's rows."""
    return documents.sources(hit.entry) if hit.entry.level == ABOUT and hit.entry.kind in RESTATED else []


def ids_around(hit: Hit, documents: DocumentCache) -> set[str]:
    """The chunks before and after those of a hit."""
    layout = documents.layout(hit.entry.doc)
    places = [layout.number(layout.by_id[id]) for id in hit.ids]
    ends = {min(places) - 1, max(places) + 1} if places else set()
    return {layout.chunks[n].id for n in ends if 0 <= n < len(layout.chunks)}
