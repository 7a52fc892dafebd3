"""Hits for people: where each passage stands, what it is called, the part of it that meets the question, with lines
whole where lines matter, and why it has its score."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from seamline.api.search import (
    Citation,
    Hit,
    LegScore,
    Plan,
    Results,
    Shadow,
    Why,
    after_headings,
    excerpt,
    joined_anchor,
    label,
    place_text,
    spans,
)
from seamline.cli.place import display_path
from seamline.cli.terminal import TerminalStyle, clip, clip_middle, columns, plural, visible
from seamline.cli.view import whole, wrap
from seamline.types import Span

INDENT = " " * 6
_BEFORE = 12
_CRUMB = 12
"""Columns that a line has before the file, and those that headings get even where that makes it too long."""
_ROWS = 8
"""Lines of a passage, unless all is wanted."""
_TWINS = 3
"""Near-duplicates that are named."""
_PLACES = 6
"""Places of a derived text that are named."""
DERIVED_NAMES = {
    "summary": "summary",
    "proposition": "claim",
    "rows": "rows, rewritten",
    "pivot": "rows of one key",
    "table-summary": "table summary",
    "file-summary": "file summary",
    "image-description": "description of a picture",
}


class HitView(NamedTuple):
    """What of a hit is shown."""

    style: TerminalStyle
    query: str
    full: bool = False
    """All of the text, instead of the part that matches best."""
    explain: bool = False
    fields: Sequence[str] = ()
    """Facts that are shown with each."""


def render(results: Results, plan: Plan | None, view: HitView) -> str:
    """The hits, best first."""
    lines: list[str] = []
    if plan is not None and view.explain:
        lines += [*(view.style.paint(line, "yellow") for line in explain_plan(plan)), ""]
    for number, hit in enumerate(results.hits, start=1):
        lines += [*_hit(number, hit, view), ""]
    return "".join(f"{line}\n" for line in lines)


def _hit(number: int, hit: Hit, view: HitView) -> Iterator[str]:
    style = view.style
    yield f"{style.paint(f'{number:>4}', 'bold')}  {hit.score:.2f}  {place(hit.citations, style)}"
    yield from crumbs(hit.citations, style)
    yield f"{INDENT}{style.paint(visible(hit.citation.key), 'dim')}"
    yield from (f"{INDENT}{style.paint(line, 'cyan')}" for line in _derived(hit))
    if told := [_field_text(name, hit.facts) for name in view.fields if hit.facts.get(name) not in (None, "", ())]:
        yield f"{INDENT}{style.paint(', '.join(told), 'cyan')}"
    if view.explain:
        yield from (f"{INDENT}{style.paint(line, 'yellow')}" for line in explain(hit.why))
    bar = style.paint(style.mark("│", "|"), "dim")
    yield from (f"{INDENT}{bar} {line}".rstrip() for line in _text(hit, view))
    yield from (f"{INDENT}{line}" for line in _twins(hit.duplicates, style))
    yield from (f"{INDENT}{style.paint('with', 'dim')} {visible(one.label())}" for one in hit.linked)


def _field_text(name: str, facts: Mapping[str, object]) -> str:
    """A field and what it has; entities with their types."""
    value = facts[name]
    match value:
        case bool():
            return f"{name} {'true' if value else 'false'}"
        case float():
            return f"{name} {value:.4g}"
        case datetime():
            return f"{name} {value:%Y-%m-%d}"
        case tuple():
            types = facts.get("entity_types") if name == "entities" else None
            if isinstance(types, tuple) and len(types) == len(value):
                value = tuple(f"{one} ({type})" for one, type in zip(value, types, strict=True))
            return f"{name} {clip(visible('; '.join(value)), _LONGEST)}"
    return f"{name} {clip(visible(str(value)), _LONGEST)}"


def _derived(hit: Hit) -> Iterator[str]:
    """What a derived text is, and where the places stand that it was made from, where they are several."""
    if not hit.derived:
        return
    told = [*dict.fromkeys(visible(place_text(one.anchor).lstrip(" :")) for one in hit.citations)]
    several = f" from {', '.join(told[:_PLACES])}" if len(told) > 1 else ""
    more = f" and {len(told) - _PLACES} more" if len(told) > _PLACES else ""
    yield f"derived: {DERIVED_NAMES.get(hit.derived, hit.derived)}{several}{more}"


def place(citations: Sequence[Citation], style: TerminalStyle) -> str:
    """The file and the place in it, for one passage or for neighbours."""
    first, last = citations[0], citations[-1]
    anchor = joined_anchor(first.anchor, last.anchor) if last is not first else first.anchor
    return style.paint(visible(label(first.uri, anchor)), "bold")


def crumbs(citations: Sequence[Citation], style: TerminalStyle) -> Iterator[str]:
    """The headings above, on a line of their own, without the middle where they are too many for it."""
    if path := citations[0].path:
        line = f"{style.mark('§', '#')} {visible(' > '.join(path))}"
        yield f"{INDENT}{style.paint(clip_middle(line, style.width - len(INDENT)), 'cyan')}"


def where(citation: Citation, style: TerminalStyle) -> str:
    """The file, the place in it and the headings above, on one line."""
    spot = label(citation.uri, citation.anchor)
    crumb = f" {style.mark('§', '#')} {visible(' > '.join(citation.path))}" if citation.path else ""
    room = max(_CRUMB, style.width - _BEFORE - columns(visible(spot)))
    return style.paint(visible(spot), "bold") + style.paint(clip_middle(crumb, room), "cyan")


def from_here(citation: Citation, root: Path) -> Citation:
    """The citation with its file as one would type it in the current folder; one of no file as it is."""
    file = root / citation.uri
    return replace(citation, uri=display_path(file)) if "\0" not in citation.uri and os.path.isfile(file) else citation


def hits_from_here(hits: Sequence[Hit], root: Path) -> Iterator[Hit]:
    """Hits with their files as one would type them in the current folder."""
    for hit in hits:
        several = (hit.citations, hit.duplicates, hit.linked)
        cited, twins, linked = (tuple(from_here(one, root) for one in some) for some in several)
        yield replace(hit, citations=cited, duplicates=twins, linked=linked)


def _text(hit: Hit, view: HitView) -> Iterator[str]:
    """The passage without the headings that are named above it already: whole, or where it meets the question."""
    own = hit.why.expanded == "text" and not view.full  # lines around what was found are for who reads all
    text = hit.entry.text[hit.entry.lead :] if own else hit.text[_lead(hit) :]
    if view.full:
        yield from whole(text.strip("\r\n"), spans(text.strip("\r\n"), view.query), view.style)
        return
    path = hit.citations[0].path
    width = view.style.width - len(INDENT) - 4
    shown = Span(0, len(text)) if hit.derived else excerpt(text, path, view.query)
    rows = list(wrap(text, shown, spans(text, view.query), view.style, width))
    if hit.derived and len(rows) > _ROWS:  # lines of a summary say a thing each, so they are shown to their ends
        shown = excerpt(text, path, view.query)
        end = text.find("\n", shown.end)
        shown = Span(text.rfind("\n", 0, shown.start) + 1, len(text) if end < 0 else end)
        rows = list(wrap(text, shown, spans(text, view.query), view.style, width))
    dots = view.style.mark("…", "...")
    if rows and text[after_headings(text, path) : shown.start].strip():
        rows[0] = f"{dots} {rows[0]}"
    kept = rows[:_ROWS]
    if kept and (len(rows) > _ROWS or text[shown.end :].strip()):
        kept[-1] = f"{kept[-1]} {dots}"
    yield from kept


def _lead(hit: Hit) -> int:
    """What stands before the passage itself; known where the hit starts with what was found."""
    return hit.entry.lead if hit.entry.level == 0 and hit.ids[:1] == (hit.entry.id,) else 0


def _twins(twins: Sequence[Citation], style: TerminalStyle) -> Iterator[str]:
    yield from (f"also in {where(twin, style)}" for twin in twins[:_TWINS])
    if len(twins) > _TWINS:
        yield f"and in {len(twins) - _TWINS} more"


_LONGEST = 100


def explain(why: Why) -> Iterator[str]:
    """The parts of a score; what played no role is not named."""
    legs = [_leg("cosine", why.dense, 3), _leg("BM25", why.bm25, 2), _fused_text(why)]
    yield "score: " + ", ".join([*filter(None, legs), *_weights_text(why)])
    if why.query:
        yield f"found for: {_quote(why.query)}"
    if why.side:
        yield f"stands for: {_quote(why.side)}"
    if why.about:
        yield f"found by: {clip(visible(' '.join(why.about.split())), _LONGEST)}"
    if why.shadow:
        yield _shadow(why.shadow)
    elif why.expanded:
        yield f"shown with: the {visible(why.expanded)} around it"


def explain_plan(plan: Plan) -> Iterator[str]:
    """The kind of a question, what spoke for it and what follows from it."""
    yield f"plan: {plan.kind} ({clip(visible('; '.join(plan.reasons)), _LONGEST)})"
    yield f"      {plan.mode}, {plural(plan.k, 'passage')}"
    if len(plan.queries) > 1:
        yield f"      searched for in parts: {', '.join(_quote(part) for part in plan.queries[1:])}"


def _weights_text(why: Why) -> Iterator[str]:
    parts = {
        "word for word": why.wording,
        "headings named": why.headings,
        "reranked": why.rerank,
        "relevance": why.relevance,
        "freshness": why.freshness,
        "authority": why.authority,
        "coherence": why.coherence,
        "language": why.language,
        "entities": why.entities,
        "a list of links": why.links,
    }
    yield from (_part(name, value) for name, value in parts.items() if value is not None)


def _leg(name: str, part: LegScore | None, digits: int) -> str:
    """A leg's score, and its rank where it was among what the leg found."""
    if part is None:
        return ""
    return f"{name} {part.score:.{digits}f} ({f'rank {part.rank}' if part.rank else 'not among its best'})"


def _fused_text(why: Why) -> str:
    """The legs together, and how much meaning counted in it."""
    share = "" if why.weight is None else f" ({why.weight:.0%} meaning)"
    return f"{_part('fused', why.fused)}{share}"


def _part(name: str, value: float | None) -> str:
    return "" if value is None else f"{name} {value:.3f}"


def _shadow(shadow: Shadow) -> str:
    share = round(100 * shadow.score)
    return f"shown with: the chunk {shadow.side} it, which adds {share}% of the question's words"


def _quote(text: str) -> str:
    return f'"{clip(visible(text), _LONGEST)}"'
