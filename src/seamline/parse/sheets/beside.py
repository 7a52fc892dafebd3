"""What a sheet of XLSX holds beside its cells: comments on them, and the titles of charts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from seamline.parse.builder import CAPTION, DocumentBuilder
from seamline.parse.office.ooxml import OfficePackage, attribute, name_of, number

_CELL = re.compile(r"\$?([A-Z]{1,3})\$?([1-9][0-9]{0,6})")
_MOST = 10_000
"""Comments and charts of one sheet; more are left out with a notice."""
_LONGEST = 32_767
"""Characters of a comment, as of a cell."""


class SheetRemark(NamedTuple):
    """A comment on a cell, or what a chart says of itself."""

    row: int
    """From 1; 0 where it belongs to no cell."""
    text: str
    is_chart: bool = False


def read_beside(package: OfficePackage, part: str) -> list[SheetRemark]:
    """Charts in the order of the file, then comments by their cells."""
    relations = [one for one in package.relations(part).values() if not one.outside]
    charts = [found for one in relations if one.kind == "drawing" for found in _charts(package, one.target)]
    threads = [one.target for one in relations if one.kind == "threadedComment"]
    threaded = [found for target in threads for found in _threaded(package, target)]
    known = {cell for cell, _ in threaded}
    notes = [
        found
        for one in relations
        if one.kind == "comments"
        for found in _notes(package, one.target)
        if found[0] not in known
    ]
    comments = sorted(((*_position(cell), said, cell) for cell, said in (*threaded, *notes)), key=lambda one: one[:2])
    if len(charts) + len(comments) > _MOST:
        package.note("text-limit", f"comments and charts after the first {_MOST:,} are left out", f"part {part}")
    remarks = [*charts, *(SheetRemark(row, f"Comment on {cell}{said}") for row, _, said, cell in comments)]
    return remarks[:_MOST]


def _position(cell: str) -> tuple[int, int]:
    """The row and the column of a cell, from 1; 0 for what is none."""
    found = _CELL.fullmatch(cell)
    column = 0
    for letter in found[1] if found else "":
        column = column * 26 + ord(letter) - 64
    return (int(found[2]), column) if found else (0, 0)


def _local(element: Any) -> str:
    return name_of(element).rpartition(":")[2]


def _words(element: Any, *names: str) -> str:
    """The text in elements of a name, on one line."""
    found = "".join((one.text or "") if _local(one) in names else " " for one in element.iter())
    return " ".join(found.split())[:_LONGEST]


def _said(author: str, text: str) -> str:
    return f" by {author}: {text}" if author else f": {text}"


def _notes(package: OfficePackage, part: str) -> Iterator[tuple[str, str]]:
    """Cells, and what was noted on them."""
    root = package.xml_if_any(part) if package.is_first(part) else None
    if root is None:
        return
    authors = [" ".join((one.text or "").split()) for one in root.iter() if _local(one) == "author"]
    for one in root.iter():
        if _local(one) != "comment":
            continue
        at = number(attribute(one, "authorId"), 0, 1_000_000, -1)
        author = authors[at] if 0 <= at < len(authors) else ""
        text = _words(one, "t").removeprefix(f"{author}:").strip()
        if text:
            yield attribute(one, "ref"), _said(author[:200], text)


def _threaded(package: OfficePackage, part: str) -> Iterator[tuple[str, str]]:
    """Cells, and the replies to what was noted on them, in order."""
    root = package.xml_if_any(part) if package.is_first(part) else None
    people: dict[str, str] = {}
    for name in package.parts():
        if name.lower().startswith("xl/persons/") and (persons := package.xml_if_any(name)) is not None:
            people |= {attribute(one, "id"): attribute(one, "displayName") for one in persons.iter()}
    for one in [] if root is None else root.iter():
        if _local(one) == "threadedComment" and (text := _words(one, "text")):
            yield attribute(one, "ref"), _said(people.get(attribute(one, "personId"), "")[:200], text)


def _charts(package: OfficePackage, part: str) -> Iterator[SheetRemark]:
    """The charts of a drawing with their titles, those of their axes, and the names of their series."""
    root = package.xml_if_any(part) if package.is_first(part) else None
    relations = package.relations(part)
    for anchor in [] if root is None else root:
        rows = (one.text or "" for one in anchor.iter() if _local(one) == "row")
        row = number(next(rows, ""), 0, 1_048_575, -1) + 1
        for one in anchor.iter():
            relation = relations.get(attribute(one, "id")) if _local(one) == "chart" else None
            if relation is None or relation.outside or not package.is_first(relation.target):
                continue
            chart = package.xml_if_any(relation.target)
            if chart is not None and (text := _chart_words(chart)):
                yield SheetRemark(row, text, is_chart=True)


def _chart_words(root: Any) -> str:
    titles = [text for one in root.iter() if _local(one) == "title" and (text := _words(one, "t", "v"))]
    series = [
        text
        for one in root.iter()
        if _local(one) == "ser"
        for tx in one
        if _local(tx) == "tx"
        if (text := _words(tx, "v"))
    ]
    parts = [titles[0] if titles else "", f"axes: {', '.join(titles[1:])}" if titles[1:] else ""]
    parts.append(f"series: {', '.join(dict.fromkeys(series))}" if series else "")
    text = "; ".join(filter(None, parts))
    return f"Chart: {text}" if text else ""


def write_beside(builder: DocumentBuilder, sheet: str, remarks: Sequence[SheetRemark]) -> None:
    """Charts as captions, comments as a list, each in the row of its cell."""
    for one in remarks:
        if one.is_chart:
            builder.paragraph(one.text, _place(sheet, one), detail=CAPTION)
    comments = [one for one in remarks if not one.is_chart]
    if comments:
        with builder.list():
            for one in comments:
                with builder.item():
                    builder.paragraph(one.text, _place(sheet, one))


def _place(sheet: str, remark: SheetRemark) -> dict[str, Any]:
    return {"sheet": sheet, "row": remark.row} if remark.row else {"sheet": sheet}
