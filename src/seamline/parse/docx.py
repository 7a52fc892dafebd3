"""Word documents (DOCX): the body in reading order, its notes beside what refers to them.

Kept: all text of the body, inserted text, text boxes once, content controls, tables of contents (as lists), formulas
as LaTeX, alternative texts of pictures, cached values of charts. Left out, and said so in a notice: deleted and hidden
text, headers and footers, comments, pictures that nobody described.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from seamline.collector import paused
from seamline.parse.build import Builder
from seamline.parse.docx_blocks import Body
from seamline.parse.docx_numbering import Numbering
from seamline.parse.docx_styles import Styles
from seamline.parse.docx_text import Lines
from seamline.parse.drawing import drawn_pieces
from seamline.parse.ooxml import Package, Relation, attribute, child, name_of
from seamline.parse.pieces import Picture, Piece, as_text
from seamline.parse.pieces_write import PieceWriter, Told
from seamline.parse.raw import Parsed, Raw

_LEFT_OUT = {
    "deleted": ("deleted-text", "{:,} characters that tracked changes delete are left out"),
    "hidden": ("hidden-text", "{:,} characters of hidden text are left out"),
    "pictures": ("pictures-undescribed", "{:,} pictures without an alternative text are left out"),
    "objects": ("objects-embedded", "{:,} embedded objects are left out"),
    "symbols": ("symbols-unknown", "{:,} characters of symbol fonts are left out"),
}
_SHOWN = 60


def parse(raw: Raw) -> Parsed:
    """A Word document."""
    with paused():
        return _Reader(raw).parsed()


class _Reader:
    """One document while it is read."""

    def __init__(self, raw: Raw) -> None:
        self._limits = raw.limits
        self._package = Package(raw)
        self._main = self._package.main("word/document.xml")
        self._document = self._package.xml(self._main)
        self._relations = self._package.relations(self._main)
        styles = Styles(self._part("styles", "word/styles.xml"))
        numbering = Numbering(self._part("numbering", "word/numbering.xml"), styles)
        self._lines = Lines(styles)
        self._body = Body(styles, numbering, self._lines, raw.limits.characters)
        self._notes: dict[str, tuple[Any, str]] = {}

    def parsed(self) -> Parsed:
        body = child(self._document, "w:body")
        self._lines.relations = self._relations
        pieces = self._body.read(self._document if body is None else body, "body")
        builder = Builder()
        PieceWriter(builder, self._note, self._drawn).write(pieces)
        text, blocks, anchors = builder.finish()
        meta: dict[str, Any] = dict(self._package.core())
        title = meta.pop("title", "") or _title(pieces)
        self._tell(text)
        return Parsed(text, blocks, title, meta, anchors, notices=tuple(self._package.notices))

    def _part(self, kind: str, usual: str) -> Any | None:
        """A part that the document points at, else where it usually is."""
        return self._package.xml_if_any(self._target(kind) or usual)

    def _target(self, kind: str) -> str:
        return next((one.target for one in self._relations.values() if one.kind == kind and not one.outside), "")

    def _note(self, key: str) -> Told:
        """The text of a footnote or endnote."""
        if not self._notes:
            self._notes = {"": (None, ""), **self._read_notes("footnote"), **self._read_notes("endnote")}
        element, path = self._notes.get(key, (None, ""))
        if element is None:
            self._package.note("note-missing", f"refers to {key}, which is not there")
            return "", key
        return as_text(self._body.read(element, path)), path

    def _read_notes(self, kind: str) -> dict[str, tuple[Any, str]]:
        root = self._part(f"{kind}s", f"word/{kind}s.xml")
        if root is None:
            return {}
        found = [one for one in root if name_of(one) == f"w:{kind}"]
        return {f"{kind} {attribute(one, 'id')}": (one, f"{kind}s/{kind}[{attribute(one, 'id')}]") for one in found}

    def _drawn(self, picture: Picture) -> Sequence[Piece]:
        return drawn_pieces(self._package, picture)

    # --- what is left out -----------------------------------------------------------------------------------------

    def _tell(self, text: str) -> None:
        note = self._package.note
        for what, count in sorted(self._lines.left_out.items()):
            if count:
                code, message = _LEFT_OUT[what]
                note(code, message.format(count))
        self._tell_margins()
        self._tell_comments()
        for key in self._body.chunks:
            relation = self._relations.get(key, Relation("", "", False))
            note("foreign-content", "content in another format is not read", f"part {relation.target or key}")
        if self._body.is_full:
            note("text-limit", f"holds more than {self._limits.characters:,} characters: the rest is left out")
        if not text:
            note("no-text", "holds no text")
        self._package.tell_damaged()

    def _tell_margins(self) -> None:
        """Headers and footers, with what they say."""
        said: dict[str, None] = {}
        for one in self._relations.values():
            if one.kind in ("header", "footer") and not one.outside and self._package.is_first(one.target):
                root = self._package.xml_if_any(one.target)
                words = "" if root is None else " ".join(" ".join(_texts(root)).split())
                if words:
                    said[f'{one.kind} "{words[:_SHOWN]}{"..." if len(words) > _SHOWN else ""}"'] = None
        if said:
            self._package.note("margins", f"headers and footers are left out: {', '.join(said)}")

    def _tell_comments(self) -> None:
        root = self._package.xml_if_any(self._target("comments") or "word/comments.xml")
        count = 0 if root is None else sum(name_of(one) == "w:comment" for one in root)
        if count:
            self._package.note("comments", f"{count:,} comments are left out")


def _texts(root: Any) -> list[str]:
    return [one.text or "" for one in root.iter() if name_of(one) == "w:t"]


def _title(pieces: Sequence[Piece]) -> str:
    """What the document calls itself: its title paragraph, else a first heading of level 1."""
    for piece in pieces:
        if piece.role == "title":
            return " ".join(piece.text.split())
    first = next((piece for piece in pieces if piece.kind == "heading"), None)
    return " ".join(first.text.split()) if first is not None and first.level == 1 else ""
