"""The rows of a LaTeX table, and where its header ends."""

from __future__ import annotations

import re
from collections.abc import Iterator

from seamline.parse.latex_lex import BEGIN, ROW, RULE, Mark
from seamline.parse.latex_tree import Tree

_BARE = re.compile(r"(?:\s++|%[^\r\n]*+)*+")
_HEADS = frozenset(("endhead", "endfirsthead", "endfoot", "endlastfoot"))
_PARTIAL = frozenset(("cline", "cmidrule", "addlinespace"))
"""Rules under some cells of a header, or none: one ends a header only where no other rule does."""
_BLANKS = " \t"


def table_rows(text: str, tree: Tree, begin: int, end: int, opening: int) -> tuple[list[tuple[int, int]], int]:
    """Spans of the rows between two marks, and where the header ends: after the opening where there is none."""
    marks = list(_own(tree, begin, end))
    depth = tree.marks[begin].value
    breaks = [mark for mark in marks if mark.kind == ROW]
    if any(mark.value == depth for mark in breaks):  # others are inside a cell
        marks = [mark for mark in marks if mark.kind != ROW or mark.value == depth]
    first = next((index for index, mark in enumerate(marks) if mark.kind == ROW), len(marks))
    partial = _PARTIAL if any(mark.kind == RULE and mark.name not in _PARTIAL for mark in marks[first:-1]) else ()
    rows: list[tuple[int, int]] = []
    header_end = header_rows = 0
    at = opening
    ruled = opening  # one past the last rule, while only rules follow the row
    for mark in marks:
        if mark.kind == ROW:
            _add(rows, text, at, mark.end)
            at = ruled = mark.end
        elif mark.name in _HEADS or (
            not header_rows and rows and mark.name not in partial and _is_bare(text, ruled, mark.start)
        ):
            header_end, header_rows = mark.end, len(rows)
            at = ruled = mark.end
        elif _is_bare(text, ruled, mark.start):
            ruled = mark.end
            if rows and header_end == at and header_rows == len(rows):
                header_end = at = mark.end  # rules of the header may be several
    stop = tree.marks[end].start
    if not _is_bare(text, max(at, ruled), stop):
        _add(rows, text, at, _trimmed(text, at, stop))
    return rows, header_end if 0 < header_rows < len(rows) else opening


def _own(tree: Tree, begin: int, end: int) -> Iterator[Mark]:
    """Row ends and rules of the table itself, not of what is nested in it."""
    position = begin + 1
    while position < end:
        mark = tree.marks[position]
        if mark.kind == BEGIN and (partner := tree.partner.get(position)) is not None:
            position = partner
        elif mark.kind in (ROW, RULE):
            yield mark
        position += 1


def _add(rows: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    """A row from its first visible character, with the blanks that start its line."""
    first = start
    while first < end and text[first].isspace():
        first += 1
    while first > start and text[first - 1] in _BLANKS:
        first -= 1
    if first < end:
        rows.append((first, end))


def _is_bare(text: str, start: int, end: int) -> bool:
    """Whether there is nothing but white space and comments."""
    match = _BARE.match(text, start, max(start, end))
    return match is not None and match.end() >= end


def _trimmed(text: str, start: int, end: int) -> int:
    while end > start and text[end - 1].isspace():
        end -= 1
    return end
