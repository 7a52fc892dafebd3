"""Why a passage has its score, and why a question was searched for as it was, in words."""

from __future__ import annotations

from collections.abc import Iterator

from seamline.cli.style import clipped, plural, visible
from seamline.hits import Part, Shadow, Why
from seamline.retrieve.plan import Plan

_LONGEST = 100


def explain(why: Why) -> Iterator[str]:
    """The parts of a score; what played no role is not named."""
    legs = [_leg("cosine", why.dense, 3), _leg("BM25", why.bm25, 2), _fused(why)]
    yield "score: " + ", ".join([*filter(None, legs), *_weighed(why)])
    if why.query:
        yield f"found for: {_quoted(why.query)}"
    if why.about:
        yield f"found by: {clipped(visible(' '.join(why.about.split())), _LONGEST)}"
    if why.shadow:
        yield _shadow(why.shadow)
    elif why.expanded:
        yield f"shown with: the {visible(why.expanded)} around it"


def explain_plan(plan: Plan) -> Iterator[str]:
    """The kind of a question, what spoke for it and what follows from it."""
    yield f"plan: {plan.kind} ({clipped(visible('; '.join(plan.reasons)), _LONGEST)})"
    yield f"      {plan.mode}, {plural(plan.k, 'passage')}"
    if len(plan.queries) > 1:
        yield f"      searched for in parts: {', '.join(_quoted(part) for part in plan.queries[1:])}"


def _weighed(why: Why) -> Iterator[str]:
    parts = {
        "reranked": why.rerank,
        "freshness": why.freshness,
        "authority": why.authority,
        "coherence": why.coherence,
    }
    yield from (_part(name, value) for name, value in parts.items() if value is not None)


def _leg(name: str, part: Part | None, digits: int) -> str:
    """A leg's score, and its rank where it was among what the leg found."""
    if part is None:
        return ""
    return f"{name} {part.score:.{digits}f} ({f'rank {part.rank}' if part.rank else 'not among its best'})"


def _fused(why: Why) -> str:
    """The legs together, and how much meaning counted in it."""
    share = "" if why.weight is None else f" ({why.weight:.0%} meaning)"
    return f"{_part('fused', why.fused)}{share}"


def _part(name: str, value: float | None) -> str:
    return "" if value is None else f"{name} {value:.3f}"


def _shadow(shadow: Shadow) -> str:
    share = round(100 * shadow.score)
    return f"shown with: the chunk {shadow.side} it, which adds {share}% of the question's words"


def _quoted(text: str) -> str:
    return f'"{clipped(visible(text), _LONGEST)}"'
