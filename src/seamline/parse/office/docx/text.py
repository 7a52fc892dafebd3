"""Paragraphs of a Word document -> their text: runs, links, fields, formulas, pictures, and what is not to be read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from seamline.parse.office.docx.math import formula
from seamline.parse.office.docx.styles import DocxStyles, is_mono
from seamline.parse.office.ooxml import PartRelation, attribute, child, extent, is_on, name_of, value
from seamline.parse.office.pieces import OfficePicture
from seamline.parse.xml import ElementWalk

_SKIPPED = frozenset((
    "w:pPr", "w:rPr", "w:sdtPr", "w:sdtEndPr", "w:customXmlPr", "w:smartTagPr", "w:ffData", "w:fldData",
    "w:delInstrText", "w:delText", "w:rubyPr", "w:sectPr", "w:tblPr", "w:tblGrid", "w:trPr", "w:tcPr", "w:proofErr",
    "w:bookmarkStart", "w:bookmarkEnd", "w:lastRenderedPageBreak",
))  # fmt: skip
_SIGNS = {
    "w:tab": "\t",
    "w:ptab": "\t",
    "w:br": "\n",
    "w:cr": "\n",
    "w:noBreakHyphen": "-",
    "w:softHyphen": "",
}
_DRAWN = frozenset(("w:drawing", "w:pict", "w:object"))
_REMOVED = frozenset(("w:del", "w:moveFrom"))
_LINK = re.compile(r'HYPERLINK\s+"([^"]+)"')
_ADDRESS = re.compile(r"(?:https?|ftp)://[^\s<>]+|mailto:[^\s<>]+", re.IGNORECASE)
_PRIVATE = range(0xE000, 0xF900)
_LONGEST_ADDRESS = 1_000
_LOOKED_AT = 500
"""Elements that are looked at to find text in one rendering; they nest, so that all would be too many."""


@dataclass(slots=True)
class DocxLine:
    """What a paragraph holds."""

    parts: list[tuple[str, str]] = field(default_factory=list)
    """Kind and text: text, math, display (a formula of its own line), picture."""
    pictures: list[OfficePicture] = field(default_factory=list)
    boxes: list[Any] = field(default_factory=list)
    """Text boxes that are anchored here."""
    notes: list[tuple[str, str]] = field(default_factory=list)
    """Label and key of notes that are referred to."""
    mono: bool = False
    """Whether all its text is in a font of equal widths."""

    @property
    def text(self) -> str:
        return "".join(text for _, text in self.parts)

    def only(self) -> str:
        """The kind of all it shows where that is one kind; else empty."""
        kinds = {kind for kind, text in self.parts if text.strip()}
        return kinds.pop() if len(kinds) == 1 else ""


class DocxLines:
    """Reads paragraphs, and counts what it leaves out."""

    def __init__(self, styles: DocxStyles) -> None:
        self._styles = styles
        self.relations: Mapping[str, PartRelation] = {}
        self.left_out: Counter[str] = Counter()
        """Characters or things by what they are: deleted, hidden, pictures, symbols, objects."""
        self.labels: dict[str, str] = {}
        """Notes by their key, such as `footnote 2`, and what they are called in the text."""
        self._noted: Counter[str] = Counter()
        self._fields: list[_Field] = []
        """Those that began in this paragraph; what was read stays where one goes on in the next."""

    def read(self, paragraph: Any, *, hidden: bool = False) -> DocxLine:
        """A paragraph, or another element that holds runs; `hidden` where its style hides it."""
        line = DocxLine()
        self._fields = []
        shown = mono = 0
        is_fixed = False
        stack: list[tuple[Iterator[Any], tuple[int, str] | None]] = [(iter((paragraph,)), None)]
        while stack:
            element = next(stack[-1][0], None)
            if element is None:
                _, link = stack.pop()
                if link is not None:
                    _close_link(line.parts, *link)
                continue
            name = name_of(element)
            if name == "w:t":
                text = element.text or ""
                line.parts.append(("text", text))
                shown += len(text)
                mono += len(text) if is_fixed else 0
            elif name == "w:r":
                properties = child(element, "w:rPr")
                is_fixed = is_mono(properties)
                if self._is_hidden(properties, hidden):
                    self.left_out["hidden"] += _length(element)
                else:
                    stack.append((iter(element), None))
            elif inner := self._inner(element, name, line):
                stack.append(inner)
        line.mono = 0 < shown == mono
        return line

    def _inner(self, element: Any, name: str, line: DocxLine) -> tuple[Iterator[Any], tuple[int, str] | None] | None:
        """Do what an element asks for; what is to be read inside it, and the link it makes."""
        if not name or name in _SKIPPED:
            return None
        if name in _SIGNS:
            line.parts.append(("text", _SIGNS[name]))
        elif name in _REMOVED:
            self.left_out["deleted"] += _length(element)
        elif name == "w:sym":
            self._symbol(element, line)
        elif name in ("w:fldChar", "w:instrText"):
            self._field(element, name, line)
        elif name in ("w:footnoteReference", "w:endnoteReference"):
            self._note(element, name[2:].removesuffix("Reference"), line)
        elif name == "m:oMath":
            _add_formula(line, formula(element), "math")
        elif name == "m:oMathPara":
            texts = [formula(one) for one in element if name_of(one) == "m:oMath"]
            _add_formula(line, " \\\\ ".join(text for text in texts if text), "display")
        elif name in _DRAWN:
            self._read_drawing(element, line)
        elif name == "w:txbxContent":
            line.boxes.append(element)
        elif name == "mc:AlternateContent":
            return iter(choose_alternative(element)), None
        elif name == "w:hyperlink":
            return iter(element), (len(line.parts), self._address(attribute(element, "id")))
        else:
            return iter(element), None
        return None

    def _is_hidden(self, properties: Any | None, otherwise: bool) -> bool:
        if properties is None:
            return otherwise
        said = is_on(properties, "w:vanish")
        if said is None:
            style = value(properties, "w:rStyle")
            return otherwise or bool(style and self._styles.look(style).hidden)
        return said

    def _address(self, key: str) -> str:
        relation = self.relations.get(key)
        return relation.target if relation is not None and relation.outside else ""

    def _symbol(self, element: Any, line: DocxLine) -> None:
        """A character by number; in fonts of symbols the number says nothing without the font."""
        digits = attribute(element, "char")
        code = int(digits, 16) if re.fullmatch(r"[0-9A-Fa-f]{1,6}", digits) else 0
        if code in _PRIVATE or not 0x20 <= code < 0xD800:
            self.left_out["symbols"] += 1
        else:
            line.parts.append(("text", chr(code)))

    def _note(self, element: Any, kind: str, line: DocxLine) -> None:
        key = f"{kind} {attribute(element, 'id')}"
        label = self.labels.get(key)
        if label is None:
            self._noted[kind] += 1
            label = self.labels[key] = f"{'' if kind == 'footnote' else 'e'}{self._noted[kind]}"
        line.parts.append(("text", f"[^{label}]"))
        line.notes.append((label, key))

    def _field(self, element: Any, name: str, line: DocxLine) -> None:
        """Fields show their result; what stands before it is the instruction."""
        if name == "w:instrText":
            if self._fields:
                self._fields[-1].instruction += element.text or ""
            return
        step = attribute(element, "fldCharType")
        if step == "begin":
            self._fields.append(_Field(len(line.parts)))
        elif step == "separate" and self._fields:
            self._fields[-1].show(line.parts)
        elif step == "end" and self._fields:
            self._fields.pop().end(line.parts)

    def _read_drawing(self, drawing: Any, line: DocxLine) -> None:
        """Pictures, charts, diagrams and text boxes of a drawing."""
        alt = target = ""
        size: tuple[float, float] | None = None
        kind = "object" if name_of(drawing) == "w:object" else ""
        walk = ElementWalk(drawing)
        for element in walk:
            name = name_of(element)
            if name == "w:txbxContent":
                line.boxes.append(element)
                continue
            if name == "mc:AlternateContent":
                walk.enter(choose_alternative(element))
                continue
            if name == "a:t":
                line.parts.append(("text", f"{element.text or ''} "))
            elif name == "wp:extent":
                size = size or extent(element)
            elif name in ("wp:docPr", "pic:cNvPr"):
                alt = alt or element.get("descr") or element.get("title") or ""
            elif name == "a:blip" or name == "v:imagedata":
                kind = kind or "picture"
                target = target or self._part(attribute(element, "embed") or attribute(element, "id"))
                alt = alt or element.get("alt") or ""
            elif name in ("c:chart", "dgm:relIds"):
                kind = "chart" if name == "c:chart" else "diagram"
                target = self._part(attribute(element, "id") or attribute(element, "dm"))
            elif name.startswith("v:"):
                alt = alt or element.get("alt") or ""
            walk.enter(element)
        self._picture(OfficePicture(" ".join(alt.split()), target, kind, size), line)

    def _part(self, key: str) -> str:
        relation = self.relations.get(key)
        return "" if relation is None or relation.outside else relation.target

    def _picture(self, picture: OfficePicture, line: DocxLine) -> None:
        if picture.kind in ("chart", "diagram") or (picture.kind and picture.alt):
            line.pictures.append(picture)
        if picture.alt:
            name = picture.target.rpartition("/")[2] if picture.kind == "picture" else ""
            line.parts.append(("picture", f"![{picture.alt}]({name})" if name else f"[{picture.alt}]"))
        elif picture.kind == "picture":
            line.pictures.append(picture)
            self.left_out["pictures"] += 1
        elif picture.kind == "object":
            self.left_out["objects"] += 1


class _Field:
    """A field that is open: its instruction, and where its result begins."""

    def __init__(self, start: int) -> None:
        self.start = start
        self.instruction = ""
        self.is_shown = False

    def show(self, parts: list[tuple[str, str]]) -> None:
        """The instruction is over: text of fields inside it is not shown."""
        del parts[self.start :]
        self.is_shown = True

    def end(self, parts: list[tuple[str, str]]) -> None:
        if not self.is_shown:
            del parts[self.start :]
        elif found := _LINK.search(self.instruction):
            _close_link(parts, self.start, found[1])


def _close_link(parts: list[tuple[str, str]], start: int, address: str) -> None:
    """Make what was read since `start` a link, unless it is its own address or leads nowhere outside."""
    text = "".join(text for _, text in parts[start:])
    end = _link_end(text, address)
    if end:
        parts.insert(start, ("text", "["))
        parts.append(("text", end))


def format_link(text: str, address: str) -> str:
    """Text as a link, unless it is its own address or leads nowhere outside."""
    end = _link_end(text, address)
    return f"[{text}{end}" if end else text


def _link_end(text: str, address: str) -> str:
    """What stands after the text of a link; empty where it is to be none."""
    if not text.strip() or len(address) > _LONGEST_ADDRESS or not _ADDRESS.fullmatch(address):
        return ""
    if text.strip() in (address, address.removeprefix("mailto:")) or "](" in text:
        return ""
    return f"]({address.replace('(', '%28').replace(')', '%29')})"


def _add_formula(line: DocxLine, text: str, kind: str) -> None:
    if text:
        line.parts.append((kind, f"${text}$"))


def choose_alternative(element: Any) -> Any:
    """One of the renderings of the same thing: the first that has text, else the first."""
    choices = [one for one in element if name_of(one) in ("mc:Choice", "mc:Fallback")]
    for one in choices:
        if any(name_of(inner) in ("w:t", "a:t", "a:blip", "m:t") for inner in islice(one.iter(), _LOOKED_AT)):
            return one
    return choices[0] if choices else ()


def _length(element: Any) -> int:
    """Characters of text inside an element."""
    return sum(len(one.text or "") for one in element.iter() if name_of(one) in ("w:t", "w:delText", "m:t"))
