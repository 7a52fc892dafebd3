"""Literals of several lines, opened: each line is a statement under the quote, which closes it again."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from seamline.source.marks import (
    CLOSERS,
    Braces,
    Marks,
    literals,
)
from seamline.source.nodes import Clause, Node
from seamline.source.wraps import openers

_QUOTE = re.compile(r'r(#*)"|R"([^()\\\s]*)\(|"""|@?"|`')
_PLACE = re.compile(r"\$\{[^{}`]*\}")
_BREAK = re.compile(r"\r\n?|\n")


class Quoted(NamedTuple):
    """What is known of a part of a literal."""

    nodes: list[Node]
    opening: str
    """The quote, and what the brackets around it make valid."""
    close: str


def quoted_clause(text: str, node: Node, begin: int, marks: Marks, rules: Braces, ending: str) -> Clause | None:
    """The first literal of several lines in a statement as a clause of it."""
    if rules.strung:
        return None
    for start, end in literals(text, node.code, node.end, rules):
        quote = _QUOTE.match(text, start, end)
        if quote is None or not _BREAK.search(text, quote.end(), end):
            continue
        close = _closing(quote)
        under = _lines(text, quote.end(), end, node.end)
        if not under or not text.endswith(close, 0, end):
            return None
        closers = _closers(text, marks, node.code, start)
        place = Quoted(under, openers(closers) + quote[0], close + closers + ending)
        last = f"\n{close}{closers}{ending}"
        return Clause(
            node.start, (begin, quote.end()), under[0].start, node.end, (), last, None, "", place, last, shut=True
        )
    return None


def quoted_end(clause: Clause) -> int:
    """Where the last line of a literal starts."""
    assert isinstance(clause.place, Quoted)
    return clause.place.nodes[-1].start


def _closing(quote: re.Match[str]) -> str:
    if quote[1] is not None:
        return f'"{quote[1]}'
    if quote[2] is not None:
        return f'){quote[2]}"'
    return quote[0].removeprefix("@")


def _lines(text: str, start: int, end: int, stop: int) -> list[Node]:
    """The lines of a literal but the first, the last with all that follows; none starts in a place for a value."""
    places = [match.span() for match in _PLACE.finditer(text, start, end)]
    starts = [found.end() for found in _BREAK.finditer(text, start, end)]
    starts = [at for at in starts if at < stop and not _is_inside(places, at)]
    return [Node(at, at, until) for at, until in zip(starts, [*starts[1:], stop], strict=True)]


def _is_inside(places: Sequence[tuple[int, int]], at: int) -> bool:
    found = bisect_left(places, (at, 0)) - 1
    return found >= 0 and at < places[found][1]


def _closers(text: str, marks: Marks, start: int, end: int) -> str:
    """What closes the brackets that are open at a literal."""
    low, high = bisect_left(marks.places, start), bisect_left(marks.places, end)
    opened = [index for index in range(low, high) if marks.partner[index] >= high]
    return "".join(CLOSERS[text[marks.places[index]]] for index in reversed(opened))
