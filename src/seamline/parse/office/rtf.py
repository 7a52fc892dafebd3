r"""Rich Text Format -> what a document is made of: headings by style or outline level, lists, tables, footnotes.

One pass over the control words, with a stack of groups. What is not text (fonts, colours, pictures, commands of fields)
is skipped by the group it stands in. Of pictures only the number is told.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from seamline.errors import ParseError
from seamline.parse.builder import DocumentBuilder
from seamline.parse.office.pieces import OfficePicture, OfficePiece
from seamline.parse.office.write import PieceWriter
from seamline.parse.parser_types import ParseInput, ParseResult
from seamline.types import Notice

_TOKEN = re.compile(
    r"\\([A-Za-z]{1,32})(-?[0-9]{1,10})? ?|\\'([0-9A-Fa-f]{2})|\\([^A-Za-z])|([{}])|[\r\n]+|([^\\{}\r\n]+)|\\"
)
_CHARSETS = {
    0: "cp1252", 77: "mac_roman", 128: "cp932", 129: "cp949", 134: "gb18030", 136: "cp950", 161: "cp1253",
    162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874",
    238: "cp1250", 255: "cp437",
}  # fmt: skip
"""Encodings by the character set of a font."""
_SIGNS = {
    "emdash": "—", "endash": "–", "bullet": "•", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”",
    "tab": "\t", "line": "\n", "softline": "\n", "emspace": " ", "enspace": " ", "qmspace": " ",
}  # fmt: skip
_ESCAPED = {"~": "\u00a0", "_": "‑", "-": "", "{": "{", "}": "}", "\\": "\\", "\t": "\t"}
_SKIPPED = frozenset(
    ("colortbl", "fldinst", "object", "objdata", "datafield", "themedata", "colorschememapping", "filetbl", "revtbl",
     "rsidtbl", "generator", "xmlnstbl", "listtable", "listoverridetable", "pgptbl", "nonshppict",
     "bkmkstart", "bkmkend",
     "tc", "xe", "template", "latentstyles", "atnid", "atnauthor", "pnseclvl", "private", "datastore", "passwordhash")
)  # fmt: skip
"""Groups whose text is none of the document."""
_COUNTED = {
    "pict": "pictures", "header": "headers", "headerl": "headers", "headerr": "headers", "headerf": "headers",
    "footer": "headers", "footerl": "headers", "footerr": "headers", "footerf": "headers", "annotation": "comments",
}  # fmt: skip
"""The same, and what is said to be left out."""
_READ = frozenset(("footnote", "listtext", "pntext", "fonttbl", "stylesheet", "title", "author", "subject", "keywords"))
_ENDS = frozenset(("par", "sect", "page"))
_HEADING = re.compile(r"(?:heading|überschrift|titre|título|intestazione)\s*([1-9])\Z", re.IGNORECASE)
_NUMBERED = re.compile(r"[(\[]?(?:[0-9]{1,6}|[A-Za-z]|[ivxlcIVXLC]{1,8})(?:\.[0-9]{1,4}){0,6}[.)\]]{0,2}\Z")
_DEEPEST = 2_000
"""Groups inside each other; the files that programs write have a few dozens."""


@dataclass(slots=True)
class _Group:
    """What holds inside of a group."""

    skip: bool = False
    hidden: bool = False
    skip_html: bool = False
    unicode_skip: int = 1
    font: int = -1
    target: str = ""
    """What begins with it, other than text of the document."""
    inside: str = ""
    """The same of a group around it."""
    is_optional: bool = False
    """Whether it begins with a star: one that is not known is skipped."""
    held: list[str] = field(default_factory=list)
    """Text of the paragraph around a group whose text is not part of it."""


@dataclass(slots=True)
class _Style:
    name: str = ""
    level: int = 0


@dataclass(slots=True)
class _Paragraph:
    """What its control words say of a paragraph."""

    style: int = -1
    outline: int = 0
    in_table: bool = False
    is_item: bool = False
    item_level: int = 0
    list_key: str = ""


@dataclass(slots=True)
class RtfText:
    """What has been read of a document."""

    pieces: list[OfficePiece] = field(default_factory=list)
    notes: dict[str, str] = field(default_factory=dict)
    meta: dict[str, str] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)
    is_cut: bool = False
    """Whether text past the limit was left out."""


class RtfReader:
    """Reads one document; of one that breaks off, what there is."""

    def __init__(self, source: str, most: int) -> None:
        self._source = source
        self._most = most
        self.out = RtfText()
        self._encoding = "cp1252"
        self._fonts: dict[int, str] = {}
        self._styles: dict[int, _Style] = {}
        self._group = _Group()
        self._stack: list[_Group] = []
        self._words: list[str] = []
        self._bytes = bytearray()
        """Bytes of the encoding that are not decoded yet: a character may have several."""
        self._length = 0
        self._paragraph = _Paragraph()
        self._label = ""
        self._cells: list[str] = []
        self._rows: list[tuple[str, ...]] = []
        self._places: list[str] = []
        self._noted: list[tuple[str, str]] = []
        self._to_skip = 0
        """Characters that stand for a Unicode character for programs that do not know it."""
        self._number = 0
        self._font_read = self._style_read = -1

    def read(self) -> RtfText:
        at, source = 0, self._source
        while at < len(source) and not self.out.is_cut:
            found = _TOKEN.match(source, at)
            if found is None:
                break
            at = found.end()
            if found[1] == "bin":
                at += max(int(found[2] or 0), 0)
            elif found[1]:
                self._control(found[1].lower(), int(found[2]) if found[2] else None)
            elif found[3]:
                self._byte(int(found[3], 16))
            elif found[4]:
                self._sign(found[4])
            elif found[5] == "{":
                self._open()
            elif found[5] == "}":
                self._close()
            elif found[6]:
                self._text(found[6])
        self._end_paragraph()
        self._end_table()
        return self.out

    # --- groups -----------------------------------------------------------------------------------------------------

    def _open(self) -> None:
        self._decode()
        if len(self._stack) >= _DEEPEST:
            raise ParseError(f"nests groups deeper than {_DEEPEST:,}: refused")
        self._stack.append(self._group)
        self._group = replace(self._group, target="", is_optional=False, held=[])

    def _close(self) -> None:
        self._decode()
        group = self._group
        if group.target in ("footnote", "listtext", "title", "author", "subject", "keywords"):
            self._end_target(group)
        if self._stack:
            self._group = self._stack.pop()

    def _end_target(self, group: _Group) -> None:
        said = " ".join("".join(self._words).split())
        self._words = group.held
        if group.target == "listtext":
            self._label = said
            self._paragraph.is_item = True
        elif group.target != "footnote":
            if said:
                self.out.meta[group.target] = said[:1000]
        elif said:
            label = str(len(self.out.notes) + 1)
            self.out.notes[label] = said
            self._noted.append((label, label))
            self._words.append(f"[^{label}]")

    def _begin_target(self, name: str) -> None:
        """The text of this group is something of its own."""
        self._decode()
        group = self._group
        if name in _COUNTED:
            self.out.left_out[_COUNTED[name]] += not group.skip
            group.skip = True
        elif name in _SKIPPED:
            group.skip = True
        elif not group.skip:
            group.target = group.inside = "listtext" if name == "pntext" else name
            if group.target not in ("fonttbl", "stylesheet"):
                group.held, self._words = self._words, []

    # --- control words ----------------------------------------------------------------------------------------------

    def _control(self, word: str, value: int | None) -> None:
        group = self._group
        self._to_skip = 0
        if word in _SKIPPED or word in _COUNTED or word in _READ:
            self._begin_target(word)
        elif group.is_optional and not group.skip and word not in ("shptxt", "shpinst", "pn", "cs", "ds"):
            group.skip = True
        group.is_optional = False
        if word == "u" and value is not None:
            self._unicode(value)
        elif word == "uc":
            group.unicode_skip = min(max(value or 0, 0), 8)
        elif group.skip:
            return
        elif word in ("f", "fcharset", "cpg") or (word == "s" and self._group.inside == "stylesheet"):
            self._declare(word, value or 0)
        elif word in ("v", "deleted"):
            self._decode()
            group.hidden = value != 0
        elif word == "htmlrtf":  # what only stands for the HTML that the text was made of
            self._decode()
            group.skip_html = value != 0
        elif word == "plain":
            self._decode()
            group.hidden = False
        elif word == "ansicpg" and value:
            self._encoding = _codec(f"cp{value}") or self._encoding
        elif word == "mac":
            self._encoding = "mac_roman"
        elif word == "outlinelevel" and self._group.inside == "stylesheet":
            self._styles.setdefault(self._style_read, _Style()).level = (value or 0) + 1
        elif word in _SIGNS:
            self._add(_SIGNS[word])
        elif not self._group.inside:
            self._layout(word, value)

    def _layout(self, word: str, value: int | None) -> None:
        """What parts paragraphs, cells and rows, and says what they are."""
        paragraph = self._paragraph
        if word in _ENDS:
            self._end_paragraph()
        elif word in ("cell", "nestcell"):
            self._end_cell()
        elif word in ("row", "nestrow"):
            self._end_row()
        elif word == "pard":
            self._decode()
            if not "".join(self._words).strip():
                self._paragraph = _Paragraph(is_item=bool(self._label))
        elif word == "intbl":
            paragraph.in_table = True
        elif word == "s":
            paragraph.style = value or 0
        elif word == "outlinelevel":
            paragraph.outline = (value or 0) + 1
        elif word == "ilvl":
            paragraph.item_level = min(max(value or 0, 0), 8)
        elif word == "ls":
            paragraph.list_key = str(value)

    def _declare(self, word: str, value: int) -> None:
        """A font of the table of fonts, a style of the stylesheet; elsewhere the font of what follows."""
        self._decode()
        if word == "s":
            self._style_read = value
        elif word == "f" and self._group.inside == "fonttbl":
            self._font_read = value
        elif word == "f":
            self._group.font = value
        elif self._group.inside == "fonttbl":
            codec = _CHARSETS.get(value, "") if word == "fcharset" else _codec(f"cp{value}")
            if codec and value != 0:  # the first character set is that of the document
                self._fonts[self._font_read] = codec

    # --- text -------------------------------------------------------------------------------------------------------

    def _text(self, text: str) -> None:
        if self._to_skip:
            dropped = min(self._to_skip, len(text))
            text, self._to_skip = text[dropped:], self._to_skip - dropped
        if self._group.skip or not text:
            return
        if text.isascii():
            self._decode_if_whole()
            self._add(text) if not self._bytes else self._bytes.extend(text.encode())
        else:
            self._bytes += text.encode("latin-1", "replace")

    def _decode_if_whole(self) -> None:
        """Bytes before plain text; the second byte of a wide character may look like plain text."""
        if self._bytes and not _is_wide(self._codec()):
            self._decode()

    def _byte(self, value: int) -> None:
        if self._to_skip:
            self._to_skip -= 1
        elif not self._group.skip:
            self._bytes.append(value)

    def _sign(self, sign: str) -> None:
        if sign == "*":
            self._group.is_optional = True
        elif self._to_skip:
            self._to_skip -= 1
        elif sign in "\r\n":
            self._control("par", None)
        elif not self._group.skip and sign in _ESCAPED:
            self._add(_ESCAPED[sign])

    def _unicode(self, value: int) -> None:
        self._to_skip = self._group.unicode_skip
        if not self._group.skip:
            self._add(chr(value & 0xFFFF))

    def _codec(self) -> str:
        return self._fonts.get(self._group.font, self._encoding)

    def _decode(self) -> None:
        if self._bytes:
            data, self._bytes = bytes(self._bytes), bytearray()
            self._add(data.decode(self._codec(), "replace"))

    def _add(self, text: str) -> None:
        if self._bytes:
            self._decode()
        if self._group.inside == "stylesheet":
            self._name_style(text)
        elif self._group.skip_html:
            return
        elif self._group.inside != "fonttbl" and not self._group.hidden:
            self._words.append(text)
            self._length += len(text)
            self.out.is_cut = self._length > self._most
        elif self._group.hidden:
            self.out.left_out["hidden"] += len(text)

    def _name_style(self, text: str) -> None:
        """Styles end with a semicolon after their name."""
        name = text.rstrip().removesuffix(";").strip()
        style = self._styles.setdefault(self._style_read, _Style())
        if name:
            style.name = name
            if found := _HEADING.match(name):
                style.level = int(found[1])
            elif name.lower() == "title":
                style.level = 1

    # --- paragraphs and tables --------------------------------------------------------------------------------------

    def _take(self) -> str:
        self._decode()
        text = join_surrogates("".join(self._words))
        self._words = []
        return text.strip()

    def _place(self) -> str:
        self._number += 1
        return f"p[{self._number}]"

    def _end_paragraph(self) -> None:
        if self._paragraph.in_table:
            self._decode()
            self._words.append("\n")
            return
        text, paragraph, label = self._take(), self._paragraph, self._label
        self._label = ""
        if not text:
            return
        self._end_table()
        notes, self._noted = tuple(self._noted), []
        place = self._place()
        level = paragraph.outline or self._styles.get(paragraph.style, _Style()).level
        if 1 <= level <= 9 and len(text) <= 1000:
            self.out.pieces.append(OfficePiece("heading", f"{label} {text}".strip(), place, min(level, 6), notes=notes))
        elif paragraph.is_item and label:
            mark = label if _NUMBERED.match(label) else "-"
            piece = OfficePiece("item", text, place, paragraph.item_level, mark, paragraph.list_key, notes=notes)
            self.out.pieces.append(piece)
        else:
            kind = "caption" if self._styles.get(paragraph.style, _Style()).name.lower() == "caption" else "paragraph"
            self.out.pieces.append(OfficePiece(kind, text, place, notes=notes))
        paragraph.is_item = False

    def _end_cell(self) -> None:
        self._label = ""
        self._cells.append(" ".join(self._take().split()))

    def _end_row(self) -> None:
        if self._cells:
            self._rows.append(tuple(self._cells))
            self._places.append(self._place())
        self._cells = []
        self._paragraph.in_table = False

    def _end_table(self) -> None:
        self._end_row()
        if self._rows:
            rows, places = tuple(self._rows), tuple(self._places)
            notes, self._noted = tuple(self._noted), []
            self.out.pieces.append(OfficePiece("table", "", places[0], notes=notes, rows=rows, places=places))
        self._rows, self._places = [], []


def join_surrogates(text: str) -> str:
    """Text whose characters beyond the first plane are pairs of halves; a half without the other is a mark."""
    if not any("\ud800" <= sign <= "\udfff" for sign in text):
        return text.replace("\0", "")
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").replace("\0", "")


def _codec(name: str) -> str:
    """An encoding by the name that it has here; empty for one that is not known."""
    known = {"cp10000": "mac_roman", "cp65001": "utf-8", "cp936": "gb18030", "cp708": "iso8859-6", "cp709": "cp1256"}
    try:
        return codecs.lookup(known.get(name, name)).name
    except LookupError:
        return ""


def _is_wide(codec: str) -> bool:
    return codec in ("cp932", "cp949", "cp950", "gb18030", "utf-8")


_LEFT_OUT = {
    "pictures": ("images", "{:,} pictures are not read"),
    "headers": ("running-text", "{:,} headers and footers were left out"),
    "comments": ("comments", "{:,} comments were left out"),
    "hidden": ("hidden-text", "{:,} characters that no reader sees were left out"),
}


def _draw(picture: OfficePicture) -> Sequence[OfficePiece]:
    return ()


def write_rtf(found: RtfText, builder: DocumentBuilder) -> list[Notice]:
    """Write what was read; what is to be said of it."""
    PieceWriter(builder, lambda key: (found.notes[key], "footnote"), _draw).write(found.pieces)
    notices = [
        Notice(_LEFT_OUT[what][0], _LEFT_OUT[what][1].format(n)) for what, n in sorted(found.left_out.items()) if n
    ]
    if found.is_cut:
        notices.append(Notice("text-limit", "text past the limit was left out"))
    return notices


def parse(raw: ParseInput) -> ParseResult:
    """A document; its text is extracted."""
    found = RtfReader(raw.data.decode("latin-1"), raw.limits.characters).read()
    builder = DocumentBuilder()
    notices = write_rtf(found, builder)
    text, blocks, anchors = builder.finish()
    if not blocks:
        notices.append(Notice("no-text", "holds no text"))
    meta: dict[str, Any] = dict(found.meta)
    first = next((piece for piece in found.pieces[:1] if piece.kind == "heading" and piece.level == 1), None)
    title = meta.pop("title", "") or (" ".join(first.text.split()) if first else "")
    return ParseResult(text, blocks, title, meta, anchors, notices=tuple(notices))
