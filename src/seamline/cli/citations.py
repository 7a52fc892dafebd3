"""Citations for people: the status of each, what it said, and what is there now. Two texts are compared word by word:
what is gone in red or `[-...-]`, what is new in green or `{+...+}`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from seamline.api.search import Citation, Resolved
from seamline.cli.hits import INDENT, crumbs, place, where
from seamline.cli.terminal import TerminalStyle, visible
from seamline.cli.view import whole, wrap
from seamline.text.differences import DiffRun, differences
from seamline.types import Span

_COLOURS: Mapping[str, str] = {"current": "green", "moved": "cyan", "edited": "yellow", "deleted": "red"}
_LINES = 16
_MOST = 10_000
"""Lines and code points of a text, unless all is wanted."""


def render(resolved: Resolved, style: TerminalStyle, *, full: bool) -> str:
    """One citation that is known."""
    return "".join(f"{line}\n" for line in _lines(resolved, style, full))


def _lines(resolved: Resolved, style: TerminalStyle, full: bool) -> Iterator[str]:
    cited = resolved.cited
    if cited is None:
        return
    yield f"{style.paint(resolved.status, 'bold', _COLOURS[resolved.status])}  {place([cited], style)}"
    yield from crumbs([cited], style)
    yield f"{INDENT}{style.paint(visible(cited.key), 'dim')}  {visible(resolved.explanation)}"
    if resolved.status == "edited":
        yield from _successors(cited, resolved.now, style, full)
        return
    yield from _quote(cited.quote, style, full)
    if resolved.status == "moved":
        yield from _name_successors(resolved.now, style)


def _quote(text: str, style: TerminalStyle, full: bool) -> Iterator[str]:
    """A text, marked as quoted: as it is, or the first lines of it, wrapped."""
    bar = style.paint(style.mark("│", "|"), "dim")
    if full:
        rows = list(whole(text, (), style))
    else:
        start = text[:_MOST]
        rows = list(wrap(start, Span(0, len(start)), (), style, style.width - len(INDENT) - 2, airy=True))
        if len(rows) > _LINES + 1 or len(text) > _MOST:
            rows = [*rows[:_LINES], f"{style.mark('…', '...')} --full shows all"]
    yield from (f"{INDENT}{bar} {row}".rstrip() for row in rows)


def _successors(cited: Citation, now: Sequence[Citation], style: TerminalStyle, full: bool) -> Iterator[str]:
    """The most alike compared with the cited text, the others named."""
    bar = style.paint(style.mark("│", "|"), "dim")
    rows = compare_texts(cited.quote, now[0].quote, style, full=full)
    if rows is None:
        yield from _quote(cited.quote, style, full)
    else:
        yield from (f"{INDENT}{bar} {row}".rstrip() for row in rows)
    yield from _name_successors(now, style)


def _name_successors(now: Sequence[Citation], style: TerminalStyle) -> Iterator[str]:
    """What to cite from now on."""
    for successor in now:
        yield f"{INDENT}{style.paint(visible(successor.key), 'dim')}  {where(successor, style)}"


_AROUND = 1
"""Unchanged lines that are shown around a change."""


def compare_texts(before: str, after: str, style: TerminalStyle, *, full: bool = False) -> list[str] | None:
    """The lines of both texts as one, those without a change left out unless all is wanted; None where the texts are
    too long to be compared."""
    pieces = differences(before.replace("\r\n", "\n"), after.replace("\r\n", "\n"))
    if pieces is None:
        return None
    lines = list(_difference_lines(pieces))
    kept = range(len(lines)) if full else _near_changes(lines)
    return list(_render_lines(lines, list(kept), style))


def _difference_lines(pieces: list[DiffRun]) -> Iterator[list[DiffRun]]:
    """The pieces line by line; one that goes over a line end is in both lines."""
    line: list[DiffRun] = []
    for kind, text in pieces:
        first, *rest = text.split("\n")
        line.append(DiffRun(kind, first))
        for more in rest:
            yield line
            line = [DiffRun(kind, more)]
    yield line


def _near_changes(lines: list[list[DiffRun]]) -> list[int]:
    """The lines with a change, and those beside them that say something."""
    changed = [n for n, line in enumerate(lines) if _is_changed(line)]
    near = {n + step for n in changed for step in range(-_AROUND, _AROUND + 1)}
    return sorted(n for n in near if 0 <= n < len(lines) and not _is_blank(lines[n]))


def _is_changed(line: list[DiffRun]) -> bool:
    return any(piece.kind != "same" and piece.text for piece in line)


def _is_blank(line: list[DiffRun]) -> bool:
    return not any(piece.text.strip() for piece in line)


def _render_lines(lines: list[list[DiffRun]], kept: list[int], style: TerminalStyle) -> Iterator[str]:
    """The kept lines, with a mark where something that is not blank was left out."""
    dots, last = style.mark("…", "..."), -1
    for n in kept:
        if not all(map(_is_blank, lines[last + 1 : n])):
            yield dots
        yield "".join(_paint(piece, style) for piece in lines[n])
        last = n
    if not all(map(_is_blank, lines[last + 1 :])):
        yield dots


def _paint(piece: DiffRun, style: TerminalStyle) -> str:
    text = visible(piece.text)
    if piece.kind == "same" or not text:
        return text
    if style.colour:
        return style.paint(text, "red" if piece.kind == "gone" else "green")
    return f"[-{text}-]" if piece.kind == "gone" else f"{{+{text}+}}"
