"""Hits for people: where each passage stands, what it is called, and the part of it that meets the question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from seamline.cli.excerpt import after_headings, excerpt
from seamline.cli.marked import whole, wrapped
from seamline.cli.style import Style, clipped, columns, visible
from seamline.cli.why import explain, explain_plan
from seamline.hits import Citation, Hit, Results, joined_anchor, label
from seamline.retrieve.highlight import spans
from seamline.retrieve.plan import Plan

INDENT = " " * 6
_BEFORE = 12
_CRUMB = 12
"""Columns that a line has before the file, and those that headings get even where that makes it too long."""
_ROWS = 8
"""Lines of a passage, unless all is wanted."""
_TWINS = 3
"""Near-duplicates that are named."""


class HitView(NamedTuple):
    """What of a hit is shown."""

    style: Style
    query: str
    full: bool = False
    """All of the text, instead of the part that matches best."""
    explain: bool = False


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
    yield f"{style.paint(f'{number:>4}', 'bold')}  {hit.score:.2f}  {where(hit.citations, style)}"
    yield f"{INDENT}{style.paint(visible(hit.citation.key), 'dim')}"
    if view.explain:
        yield from (f"{INDENT}{style.paint(line, 'yellow')}" for line in explain(hit.why))
    bar = style.paint(style.mark("│", "|"), "dim")
    yield from (f"{INDENT}{bar} {line}".rstrip() for line in _text(hit, view))
    yield from (f"{INDENT}{line}" for line in _twins(hit.duplicates, style))


def where(citations: Sequence[Citation], style: Style) -> str:
    """The file, the place in it and the headings above, for one passage or for neighbours."""
    first, last = citations[0], citations[-1]
    place = label(first.uri, joined_anchor(first.anchor, last.anchor) if last is not first else first.anchor)
    crumb = f" {style.mark('§', '#')} {visible(' > '.join(first.path))}" if first.path else ""
    room = max(_CRUMB, style.width - _BEFORE - columns(visible(place)))
    return style.paint(visible(place), "bold") + style.paint(clipped(crumb, room), "cyan")


def _text(hit: Hit, view: HitView) -> Iterator[str]:
    """The passage without the headings that are named above it already: whole, or where it meets the question."""
    text = hit.text[_lead(hit) :]
    if view.full:
        yield from whole(text.strip("\r\n"), spans(text.strip("\r\n"), view.query), view.style)
        return
    path = hit.citations[0].path
    shown = excerpt(text, path, view.query)
    rows = list(wrapped(text, shown, spans(text, view.query), view.style, view.style.width - len(INDENT) - 4))
    dots = view.style.mark("…", "...")
    if rows and text[after_headings(text, path) : shown.start].strip():
        rows[0] = f"{dots} {rows[0]}"
    kept = rows[:_ROWS]
    if kept and (len(rows) > _ROWS or text[shown.end :].strip()):
        kept[-1] = f"{kept[-1]} {dots}"
    yield from kept


def _lead(hit: Hit) -> int:
    """What stands before the passage itself; known where the hit starts with what was found."""
    return hit.entry.lead if hit.entry.level == 0 and hit.citations[0].id == hit.entry.id else 0


def _twins(twins: Sequence[Citation], style: Style) -> Iterator[str]:
    yield from (f"also in {where([twin], style)}" for twin in twins[:_TWINS])
    if len(twins) > _TWINS:
        yield f"and in {len(twins) - _TWINS} more"
