"""Slides (PPTX): each a section under its title, with its lists, tables, charts and speaker notes.

Shapes are read in the order the file keeps them, which is the order screen readers follow. A slide without a title is
called by its number. Speaker notes stand as a quote at the end of their slide.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from seamline.parse.builder import DocumentBuilder
from seamline.parse.office.docx.math import formula
from seamline.parse.office.docx.styles import numeral
from seamline.parse.office.docx.text import choose_alternative, format_link
from seamline.parse.office.ooxml import (
    OfficePackage,
    PartRelation,
    attribute,
    child,
    drawn_pieces,
    extent,
    name_of,
    number,
)
from seamline.parse.office.pieces import OfficeCell, OfficePicture, OfficePiece, OfficeRow, OfficeTable, reduce_table
from seamline.parse.office.write import PieceWriter
from seamline.parse.parser_types import ParseInput, ParseResult
from seamline.parse.xml import ElementWalk
from seamline.runtime import gc_paused

_LEFT_OUT = {
    "pictures": ("pictures-undescribed", "{:,} pictures without an alternative text are left out"),
    "margins": ("margins", "{:,} dates, footers and slide numbers are left out"),
    "comments": ("comments", "comments on {:,} slides are left out"),
    "media": ("media", "{:,} sounds and films are left out"),
    "repeated": ("slides-repeated", "{:,} slides are listed more than once and read once"),
}


def parse(raw: ParseInput) -> ParseResult:
    """A presentation."""
    with gc_paused():
        return _Deck(raw).parse()


class _Deck:
    """One presentation while it is read."""

    def __init__(self, raw: ParseInput) -> None:
        self._limits = raw.limits
        self._package = OfficePackage(raw)
        self._builder = DocumentBuilder()
        self._left_out: Counter[str] = Counter()
        self._title = ""

    def parse(self) -> ParseResult:
        slides = self._slides()
        for index, name in enumerate(slides, 1):
            if self._builder.length > self._limits.characters:
                self._package.note(
                    "text-limit",
                    f"holds more than {self._limits.characters:,} characters: slides from {index} are left out",
                )
                break
            self._slide(index, name, single=len(slides) == 1)
        meta: dict[str, Any] = dict(self._package.core())
        title = meta.pop("title", "")
        if title.casefold() in ("", "powerpoint presentation", "powerpoint-präsentation", "présentation powerpoint"):
            title = self._title
        for what, count in sorted(self._left_out.items()):
            if count:
                self._package.note(_LEFT_OUT[what][0], _LEFT_OUT[what][1].format(count))
        text, blocks, anchors = self._builder.finish()
        if not text:
            self._package.note("no-text", "holds no text")
        self._package.tell_damaged()
        return ParseResult(
            text, blocks, title, {**meta, "slides": len(slides)}, anchors, notices=tuple(self._package.notices)
        )

    def _slides(self) -> list[str]:
        """The parts of the slides, in order, each once."""
        main = self._package.main("ppt/presentation.xml")
        root = self._package.xml(main)
        relations = self._package.relations(main)
        listed = child(root, "p:sldIdLst")
        found: dict[str, None] = {}
        for one in [] if listed is None else listed:
            target = relations.get(_relation_id(one), PartRelation("", "", False)).target
            self._left_out["repeated"] += target in found
            found[target] = None
        return list(found)

    def _slide(self, index: int, name: str, *, single: bool) -> None:
        where = f"slide {index}"
        root = self._package.xml_if_any(name) if name else None
        if root is None:
            self._package.note("slide-missing", "is listed, but cannot be read", where)
            return
        if root.get("show") in ("0", "false"):
            self._package.note("slide-hidden", "is hidden, and read all the same", where)
        relations = self._package.relations(name)
        self._check(relations, where)
        shapes = SlideShapes(relations, self._left_out)
        pieces = shapes.read(root)
        title = shapes.title
        if title and index == 1:
            self._title = title
        if not title and not single and pieces:
            title = f"Slide {index}"
        notes = self._notes(relations)
        place = {"slide": index}
        self._builder.heading(1 if index == 1 and shapes.is_cover else 2, title, place)
        self._write(pieces, place)
        if notes:
            with self._builder.quote():
                first = notes[0]
                if first.kind == "paragraph":
                    notes[0] = first._replace(text=f"Notes: {first.text}")
                else:
                    notes.insert(0, OfficePiece("paragraph", "Notes:", ""))
                self._write(notes, place)

    def _write(self, pieces: list[OfficePiece], place: dict[str, int]) -> None:
        PieceWriter(self._builder, lambda key: ("", key), self._drawn_pieces, lambda path: place).write(pieces)

    def _drawn_pieces(self, picture: OfficePicture) -> list[OfficePiece]:
        return drawn_pieces(self._package, picture)

    def _check(self, relations: dict[str, PartRelation], where: str) -> None:
        for one in relations.values():
            if one.kind == "slideLayout" and not one.outside and one.target not in self._package:
                self._package.note("part-missing", f"names {one.target}, which is not there", where)
            self._left_out["comments"] += one.kind == "comments"
            self._left_out["media"] += one.kind in ("audio", "video")

    def _notes(self, relations: dict[str, PartRelation]) -> list[OfficePiece]:
        """What the speaker has beside a slide."""
        target = next((one.target for one in relations.values() if one.kind == "notesSlide" and not one.outside), "")
        root = self._package.xml_if_any(target) if target else None
        return [] if root is None else SlideShapes(self._package.relations(target), Counter(), notes=True).read(root)


def _relation_id(element: Any) -> str:
    """`r:id`: a slide also has an `id` of its own, which is a number."""
    return next(
        (str(value) for key, value in element.items() if key.endswith("relationships}id")), attribute(element, "id")
    )


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


class SlideShapes:
    """Reads the shapes of one slide."""

    def __init__(self, relations: Mapping[str, PartRelation], left_out: Counter[str], *, notes: bool = False) -> None:
        self._relations = relations
        self._left_out = left_out
        self._notes = notes
        self._lists = 0
        self.title = ""
        self.is_cover = False
        """Whether the title is that of the deck."""

    def read(self, root: Any) -> list[OfficePiece]:
        """All that the shapes say, but for the title."""
        pieces: list[OfficePiece] = []
        walk = ElementWalk(root)
        for element in walk:
            name = name_of(element)
            if name == "p:sp":
                pieces.extend(self._shape(element))
            elif name == "p:pic":
                pieces.extend(self._picture(element))
            elif name == "p:graphicFrame":
                pieces.extend(self._frame(element))
            elif name == "mc:AlternateContent":
                walk.enter(choose_alternative(element))
            elif name in ("p:txBody", "a:txBody"):  # of a shape that is none of the above
                pieces.extend(self._list_pieces(element, ""))
            elif name and not name.endswith("Pr"):
                walk.enter(element)
        return pieces

    def _shape(self, shape: Any) -> Iterator[OfficePiece]:
        body = child(shape, "p:txBody")
        holder = child(shape, "p:nvSpPr", "p:nvPr", "p:ph")
        kind = "none" if holder is None else holder.get("type") or ""
        if kind in _MARGINS:
            self._left_out["margins"] += 1
        elif self._notes:
            if kind == "body" and body is not None:
                yield from self._list_pieces(body, "notes")
        elif body is None:
            yield from self._alternative_text(shape, "p:nvSpPr")
        elif kind in _TITLES and not self.title:
            self.title = " ".join(" ".join(one.text for one in self._texts(body)).split())
            self.is_cover = kind == "ctrTitle"
        else:
            yield from self._list_pieces(body, kind)

    def _list_pieces(self, body: Any, kind: str) -> Iterator[OfficePiece]:
        """The paragraphs of a text body, as items where they have bullets or levels."""
        texts = list(self._texts(body))
        bulleted = kind in _BULLETED and len([one for one in texts if one.text.strip()]) > 1
        self._lists += 1
        for one in texts:
            label = one.label if one.label is not None else ("-" if bulleted or one.level else "")
            if one.is_formula:
                yield OfficePiece("math", one.text.strip("$ "), "")
            elif label and one.text.strip():
                yield OfficePiece("item", one.text, "", one.level, label, str(self._lists))
            elif one.text.strip():
                yield OfficePiece("paragraph", one.text, "")

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
        walk = ElementWalk(paragraph)
        for element in walk:
            name = name_of(element)
            if name == "a:r":
                words = "".join(one.text or "" for one in element if name_of(one) == "a:t")
                parts.append(format_link(words, self._address(element)))
            elif name == "a:t":
                parts.append(element.text or "")
            elif name in ("a:br", "a:tab"):
                parts.append("\n")
            elif name == "m:oMath":
                formulas += 1
                parts.append(f"${formula(element)}$")
            elif name == "mc:AlternateContent":
                walk.enter(choose_alternative(element))
            elif name and not name.endswith("Pr"):
                walk.enter(element)
        text = "".join(parts)
        return text, formulas == 1 and text.startswith("$") and text.rstrip().endswith("$")

    def _address(self, run: Any) -> str:
        link = child(run, "a:rPr", "a:hlinkClick")
        relation = None if link is None else self._relations.get(attribute(link, "id"))
        return relation.target if relation is not None and relation.outside else ""

    def _picture(self, element: Any) -> Iterator[OfficePiece]:
        found = list(self._alternative_text(element, "p:nvPicPr"))
        self._left_out["pictures"] += not found
        yield from found

    def _alternative_text(self, element: Any, properties: str) -> Iterator[OfficePiece]:
        """A picture or shape by its alternative text."""
        named = child(element, properties, "p:cNvPr")
        alt = "" if named is None else named.get("descr") or named.get("title") or ""
        if alt := " ".join(alt.split()):
            blip = child(element, "p:blipFill", "a:blip")
            relation = None if blip is None else self._relations.get(attribute(blip, "embed"))
            target = "" if relation is None or relation.outside else relation.target
            name = target.rpartition("/")[2]
            pictures = (OfficePicture(alt, target, size=extent(child(element, "p:spPr", "a:xfrm", "a:ext"))),)
            yield OfficePiece("figure", f"![{alt}]({name})" if name else f"[{alt}]", "", pictures=pictures)

    def _frame(self, frame: Any) -> Iterator[OfficePiece]:
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
                    yield OfficePiece("blank", "", "", pictures=(OfficePicture("", relation.target, kind),))
        yield from self._alternative_text(frame, "p:nvGraphicFramePr")

    def _table(self, element: Any) -> Iterator[OfficePiece]:
        table = OfficeTable("", _MOST_COLUMNS)
        for each in element:
            if name_of(each) == "a:tr":
                row = OfficeRow("")
                row.cells.extend(
                    self._cell(one) for one in each if name_of(one) == "a:tc" and not _is_true(one, "hMerge")
                )
                table.rows.append(row)
        yield from reduce_table(table)

    def _cell(self, element: Any) -> OfficeCell:
        body = child(element, "a:txBody")
        pieces = [] if body is None else list(self._list_pieces(body, "none"))
        return OfficeCell(pieces, number(element.get("gridSpan") or "", 1, 63, 1), _is_true(element, "vMerge"))


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
