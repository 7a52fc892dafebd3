"""The shapes of a slide -> pieces: text with its levels and bullets, tables, pictures, charts, diagrams."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from seamline.parse.docx_math import formula
from seamline.parse.docx_numbering import numeral
from seamline.parse.docx_table import Cell, Row, Table, reduced
from seamline.parse.docx_text import alternative, linked
from seamline.parse.ooxml import Relation, attribute, child, name_of, number
from seamline.parse.pieces import Picture, Piece

_TITLES = frozenset(("title", "ctrTitle"))
_MARGINS = frozenset(("dt", "ftr", "hdr", "sldNum"))
_BULLETED = frozenset(("body", "obj", ""))
"""Placeholders whose paragraphs have bullets unless they say otherwise."""
_MOST_COLUMNS = 1_000
_NUMBERED = re.compile(r"(arabic|alphaLc|alphaUc|romanLc|romanUc)(Period|ParenR|ParenBoth|Plain)")
_FORMATS = {
    "arabic": "decimal",
    "alphaLc": "lowerLetter",
    "alphaUc": "upperLetter",
    "romanLc": "lowerRoman",
    "romanUc": "upperRoman",
}
_AROUND = {"Period": "{}.", "ParenR": "{})", "ParenBoth": "({})", "Plain": "{}"}


class _Text(NamedTuple):
    """A paragraph of a shape."""

    text: str
    level: int
    label: str | None
    """Its bullet or number; empty where it says that it has none; None where it does not say."""
    is_formula: bool


class Shapes:
    """Reads the shapes of one slide."""

    def __init__(self, relations: Mapping[str, Relation], left_out: Counter[str], *, notes: bool = False) -> None:
        self._relations = relations
        self._left_out = left_out
        self._notes = notes
        self._lists = 0
        self.title = ""
        self.is_cover = False
        """Whether the title is that of the deck."""

    def read(self, root: Any) -> list[Piece]:
        """All that the shapes say, but for the title."""
        pieces: list[Piece] = []
        stack = [iter(root)]
        while stack:
            element = next(stack[-1], None)
            if element is None:
                stack.pop()
                continue
            name = name_of(element)
            if name == "p:sp":
                pieces.extend(self._shape(element))
            elif name == "p:pic":
                pieces.extend(self._picture(element))
            elif name == "p:graphicFrame":
                pieces.extend(self._frame(element))
            elif name == "mc:AlternateContent":
                stack.append(iter(alternative(element)))
            elif name in ("p:txBody", "a:txBody"):  # of a shape that is none of the above
                pieces.extend(self._listed(element, ""))
            elif name and not name.endswith("Pr"):
                stack.append(iter(element))
        return pieces

    def _shape(self, shape: Any) -> Iterator[Piece]:
        body = child(shape, "p:txBody")
        holder = child(shape, "p:nvSpPr", "p:nvPr", "p:ph")
        kind = "none" if holder is None else holder.get("type") or ""
        if kind in _MARGINS:
            self._left_out["margins"] += 1
        elif self._notes:
            if kind == "body" and body is not None:
                yield from self._listed(body, "notes")
        elif body is None:
            yield from self._described(shape, "p:nvSpPr")
        elif kind in _TITLES and not self.title:
            self.title = " ".join(" ".join(one.text for one in self._texts(body)).split())
            self.is_cover = kind == "ctrTitle"
        else:
            yield from self._listed(body, kind)

    def _listed(self, body: Any, kind: str) -> Iterator[Piece]:
        """The paragraphs of a text body, as items where they have bullets or levels."""
        texts = list(self._texts(body))
        bulleted = kind in _BULLETED and len([one for one in texts if one.text.strip()]) > 1
        self._lists += 1
        for one in texts:
            label = one.label if one.label is not None else ("-" if bulleted or one.level else "")
            if one.is_formula:
                yield Piece("math", one.text.strip("$ "), "")
            elif label and one.text.strip():
                yield Piece("item", one.text, "", one.level, label, str(self._lists))
            elif one.text.strip():
                yield Piece("paragraph", one.text, "")

    def _texts(self, body: Any) -> Iterator[_Text]:
        counts: Counter[int] = Counter()
        for paragraph in body:
            if name_of(paragraph) != "a:p":
                continue
            properties = child(paragraph, "a:pPr")
            level = 0 if properties is None else number(properties.get("lvl") or "", 0, 8, 0)
            text, is_formula = self._line(paragraph)
            label = None if properties is None else _label(properties, level, counts, is_shown=bool(text.strip()))
            yield _Text(text, level, label, is_formula)

    def _line(self, paragraph: Any) -> tuple[str, bool]:
        """The text of a paragraph, and whether it is a formula and nothing else."""
        parts: list[str] = []
        formulas = 0
        stack = [iter(paragraph)]
        while stack:
            element = next(stack[-1], None)
            if element is None:
                stack.pop()
                continue
            name = name_of(element)
            if name == "a:r":
                words = "".join(one.text or "" for one in element if name_of(one) == "a:t")
                parts.append(linked(words, self._address(element)))
            elif name == "a:t":
                parts.append(element.text or "")
            elif name in ("a:br", "a:tab"):
                parts.append("\n")
            elif name == "m:oMath":
                formulas += 1
                parts.append(f"${formula(element)}$")
            elif name == "mc:AlternateContent":
                stack.append(iter(alternative(element)))
            elif name and not name.endswith("Pr"):
                stack.append(iter(element))
        text = "".join(parts)
        return text, formulas == 1 and text.startswith("$") and text.rstrip().endswith("$")

    def _address(self, run: Any) -> str:
        link = child(run, "a:rPr", "a:hlinkClick")
        relation = None if link is None else self._relations.get(attribute(link, "id"))
        return relation.target if relation is not None and relation.outside else ""

    def _picture(self, element: Any) -> Iterator[Piece]:
        found = list(self._described(element, "p:nvPicPr"))
        self._left_out["pictures"] += not found
        yield from found

    def _described(self, element: Any, properties: str) -> Iterator[Piece]:
        """A picture or shape by its alternative text."""
        named = child(element, properties, "p:cNvPr")
        alt = "" if named is None else named.get("descr") or named.get("title") or ""
        if alt := " ".join(alt.split()):
            blip = child(element, "p:blipFill", "a:blip")
            relation = None if blip is None else self._relations.get(attribute(blip, "embed"))
            target = "" if relation is None or relation.outside else relation.target
            name = target.rpartition("/")[2]
            pictures = (Picture(alt, target),)
            yield Piece("figure", f"![{alt}]({name})" if name else f"[{alt}]", "", pictures=pictures)

    def _frame(self, frame: Any) -> Iterator[Piece]:
        """A table, chart or diagram."""
        data = child(frame, "a:graphic", "a:graphicData")
        for one in [] if data is None else data:
            name = name_of(one)
            if name == "a:tbl":
                yield from self._table(one)
            elif name in ("c:chart", "dgm:relIds"):
                kind = "chart" if name == "c:chart" else "diagram"
                relation = self._relations.get(attribute(one, "id" if kind == "chart" else "dm"))
                if relation is not None and not relation.outside:
                    yield Piece("blank", "", "", pictures=(Picture("", relation.target, kind),))
        yield from self._described(frame, "p:nvGraphicFramePr")

    def _table(self, element: Any) -> Iterator[Piece]:
        table = Table("", _MOST_COLUMNS)
        for each in element:
            if name_of(each) == "a:tr":
                row = Row("")
                row.cells.extend(
                    self._cell(one) for one in each if name_of(one) == "a:tc" and not _is_true(one, "hMerge")
                )
                table.rows.append(row)
        yield from reduced(table)

    def _cell(self, element: Any) -> Cell:
        body = child(element, "a:txBody")
        pieces = [] if body is None else list(self._listed(body, "none"))
        return Cell(pieces, number(element.get("gridSpan") or "", 1, 63, 1), _is_true(element, "vMerge"))


def _is_true(element: Any, name: str) -> bool:
    return element.get(name) in ("1", "true")


def _label(properties: Any, level: int, counts: Counter[int], *, is_shown: bool) -> str | None:
    """The bullet or number that a paragraph asks for, counted on its level."""
    for one in properties:
        name = name_of(one)
        if name == "a:buNone":
            return ""
        if name in ("a:buChar", "a:buBlip"):
            return "-"
        if name == "a:buAutoNum" and is_shown:
            for deeper in [other for other in counts if other > level]:
                del counts[deeper]
            counts[level] += 1
            start = number(one.get("startAt") or "", 1, 32_767, 1)
            found = _NUMBERED.fullmatch(one.get("type") or "")
            kind, around = found.groups() if found else ("arabic", "Period")
            return _AROUND[around].format(numeral(start + counts[level] - 1, _FORMATS[kind]))
    return None
