"""Slides (PPTX): each a section under its title, with its lists, tables, charts and speaker notes.

Shapes are read in the order the file keeps them, which is the order screen readers follow. A slide without a title is
called by its number. Speaker notes stand as a quote at the end of their slide.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from seamline.collector import paused
from seamline.parse.build import Builder
from seamline.parse.drawing import drawn_pieces
from seamline.parse.ooxml import Package, Relation, attribute, child
from seamline.parse.pieces import Picture, Piece
from seamline.parse.pieces_write import PieceWriter
from seamline.parse.pptx_shapes import Shapes
from seamline.parse.raw import Parsed, Raw

_LEFT_OUT = {
    "pictures": ("pictures-undescribed", "{:,} pictures without an alternative text are left out"),
    "margins": ("margins", "{:,} dates, footers and slide numbers are left out"),
    "comments": ("comments", "comments on {:,} slides are left out"),
    "media": ("media", "{:,} sounds and films are left out"),
    "repeated": ("slides-repeated", "{:,} slides are listed more than once and read once"),
}


def parse(raw: Raw) -> Parsed:
    """A presentation."""
    with paused():
        return _Deck(raw).parsed()


class _Deck:
    """One presentation while it is read."""

    def __init__(self, raw: Raw) -> None:
        self._limits = raw.limits
        self._package = Package(raw)
        self._builder = Builder()
        self._left_out: Counter[str] = Counter()
        self._title = ""

    def parsed(self) -> Parsed:
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
        return Parsed(
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
            target = relations.get(_relation_id(one), Relation("", "", False)).target
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
        shapes = Shapes(relations, self._left_out)
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
                    notes.insert(0, Piece("paragraph", "Notes:", ""))
                self._write(notes, place)

    def _write(self, pieces: list[Piece], place: dict[str, int]) -> None:
        PieceWriter(self._builder, lambda key: ("", key), self._drawn, lambda path: place).write(pieces)

    def _drawn(self, picture: Picture) -> list[Piece]:
        return drawn_pieces(self._package, picture)

    def _check(self, relations: dict[str, Relation], where: str) -> None:
        for one in relations.values():
            if one.kind == "slideLayout" and not one.outside and one.target not in self._package:
                self._package.note("part-missing", f"names {one.target}, which is not there", where)
            self._left_out["comments"] += one.kind == "comments"
            self._left_out["media"] += one.kind in ("audio", "video")

    def _notes(self, relations: dict[str, Relation]) -> list[Piece]:
        """What the speaker has beside a slide."""
        target = next((one.target for one in relations.values() if one.kind == "notesSlide" and not one.outside), "")
        root = self._package.xml_if_any(target) if target else None
        return [] if root is None else Shapes(self._package.relations(target), Counter(), notes=True).read(root)


def _relation_id(element: Any) -> str:
    """`r:id`: a slide also has an `id` of its own, which is a number."""
    return next(
        (str(value) for key, value in element.items() if key.endswith("relationships}id")), attribute(element, "id")
    )
