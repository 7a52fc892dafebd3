"""A citation for people: its status, what it said, and what is there now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from seamline.cli.differences import compared
from seamline.cli.hits import INDENT, where
from seamline.cli.marked import whole, wrapped
from seamline.cli.style import Style, visible
from seamline.hits import Citation
from seamline.retrieve.cite import Resolved
from seamline.types import Span

_COLOURS: Mapping[str, str] = {"current": "green", "moved": "cyan", "edited": "yellow", "deleted": "red"}
_LINES = 16
_MOST = 10_000
"""Lines and code points of a text, unless all is wanted."""


def render(resolved: Resolved, style: Style, *, full: bool) -> str:
    """One citation that is known."""
    return "".join(f"{line}\n" for line in _lines(resolved, style, full))


def _lines(resolved: Resolved, style: Style, full: bool) -> Iterator[str]:
    cited = resolved.cited
    if cited is None:
        return
    yield f"{style.paint(resolved.status, 'bold', _COLOURS[resolved.status])}  {where([cited], style)}"
    yield f"{INDENT}{style.paint(visible(cited.key), 'dim')}  {visible(resolved.explanation)}"
    if resolved.status == "edited":
        yield from _successors(cited, resolved.now, style, full)
        return
    yield from _quote(cited.quote, style, full)
    if resolved.status == "moved":
        yield from _named(resolved.now, style)


def _quote(text: str, style: Style, full: bool) -> Iterator[str]:
    """A text, marked as quoted: as it is, or the first lines of it, wrapped."""
    bar = style.paint(style.mark("│", "|"), "dim")
    if full:
        rows = list(whole(text, (), style))
    else:
        start = text[:_MOST]
        rows = list(wrapped(start, Span(0, len(start)), (), style, style.width - len(INDENT) - 2, airy=True))
        if len(rows) > _LINES + 1 or len(text) > _MOST:
            rows = [*rows[:_LINES], f"{style.mark('…', '...')} --full shows all"]
    yield from (f"{INDENT}{bar} {row}".rstrip() for row in rows)


def _successors(cited: Citation, now: Sequence[Citation], style: Style, full: bool) -> Iterator[str]:
    """The most alike compared with the cited text, the others named."""
    bar = style.paint(style.mark("│", "|"), "dim")
    rows = compared(cited.quote, now[0].quote, style, full=full)
    if rows is None:
        yield from _quote(cited.quote, style, full)
    else:
        yield from (f"{INDENT}{bar} {row}".rstrip() for row in rows)
    yield from _named(now, style)


def _named(now: Sequence[Citation], style: Style) -> Iterator[str]:
    """What to cite from now on."""
    for successor in now:
        yield f"{INDENT}{style.paint(visible(successor.key), 'dim')}  {where([successor], style)}"
