"""Office packages (DOCX, PPTX, XLSX): their parts, how these point at each other, and what they are called in XML; and
the values and words of charts and diagrams, which are kept beside the picture.

Two sets of namespaces are in use, transitional and strict. Code here speaks of `w:p` whichever it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from posixpath import normpath
from typing import Any, NamedTuple

from seamline.errors import ParseError
from seamline.parse.archive import Archive
from seamline.parse.office.pieces import OfficePicture, OfficePiece
from seamline.parse.parser_types import ParseInput
from seamline.parse.xml import element_at, parse_xml, refuse_doctype, xml_faults
from seamline.types import Notice

DEPTH = 2_000
"""Nesting that is followed: nothing here is read by recursion, and tables in tables are real."""
_OPEN = "http://schemas.openxmlformats.org/"
_STRICT = "http://purl.oclc.org/ooxml/"
_OFFICE = "http://schemas.microsoft.com/office/"
_PREFIXES = {
    f"{_OPEN}wordprocessingml/2006/main": "w",
    f"{_STRICT}wordprocessingml/main": "w",
    f"{_OPEN}officeDocument/2006/math": "m",
    f"{_STRICT}officeDocument/math": "m",
    f"{_OPEN}drawingml/2006/main": "a",
    f"{_STRICT}drawingml/main": "a",
    f"{_OPEN}drawingml/2006/picture": "pic",
    f"{_STRICT}drawingml/picture": "pic",
    f"{_OPEN}drawingml/2006/wordprocessingDrawing": "wp",
    f"{_STRICT}drawingml/wordprocessingDrawing": "wp",
    f"{_OPEN}drawingml/2006/chart": "c",
    f"{_STRICT}drawingml/chart": "c",
    f"{_OPEN}drawingml/2006/diagram": "dgm",
    f"{_STRICT}drawingml/diagram": "dgm",
    f"{_OPEN}presentationml/2006/main": "p",
    f"{_STRICT}presentationml/main": "p",
    f"{_OPEN}spreadsheetml/2006/main": "x",
    f"{_STRICT}spreadsheetml/main": "x",
    f"{_OPEN}markup-compatibility/2006": "mc",
    f"{_OFFICE}word/2010/wordprocessingShape": "wps",
    f"{_OFFICE}drawing/2010/main": "a14",
    "urn:schemas-microsoft-com:vml": "v",
}
_ATTRIBUTE_SPACES = (
    f"{_OPEN}wordprocessingml/2006/main",
    f"{_STRICT}wordprocessingml/main",
    f"{_OPEN}officeDocument/2006/relationships",
    f"{_STRICT}officeDocument/relationships",
    f"{_OPEN}officeDocument/2006/math",
    f"{_STRICT}officeDocument/math",
)
_CORE = {
    "creator": "author",
    "created": "created",
    "modified": "modified",
    "lastModifiedBy": "modified_by",
    "subject": "subject",
    "keywords": "keywords",
    "description": "description",
    "category": "category",
    "language": "language",
    "title": "title",
}


class PartRelation(NamedTuple):
    """What a part points at."""

    kind: str
    """The last word of its type, such as `footnotes`."""
    target: str
    """A part of the package, or an address outside of it."""
    outside: bool


@lru_cache(maxsize=4096)
def short(tag: str) -> str:
    """The name of an element or attribute as people write it: `w:p`; other namespaces are `?`."""
    space, closed, name = tag.rpartition("}")
    return f"{_PREFIXES.get(space[1:], '?')}:{name}" if closed else name


def name_of(element: Any) -> str:
    """The short name of an element; empty for what is none, such as an entity."""
    tag = element.tag
    return short(tag) if isinstance(tag, str) else ""


def attribute(element: Any, name: str) -> str:
    """An attribute, whichever namespace it is written in; empty where there is none."""
    found = element.get(name)
    if found is None:
        found = next((got for space in _ATTRIBUTE_SPACES if (got := element.get(f"{{{space}}}{name}")) is not None), "")
    return str(found)


def child(element: Any, *path: str) -> Any | None:
    """The element at a path of short names, the first of each."""
    return element_at(element, path, name_of)


def extent(element: Any | None) -> tuple[float, float] | None:
    """Width and height in points of an element that gives them in English Metric Units; None where there are none."""
    if element is None:
        return None
    sides = [number(attribute(element, name), 0, 10**9, 0) / 12_700 for name in ("cx", "cy")]
    return (round(sides[0], 2), round(sides[1], 2)) if all(sides) else None


def value(element: Any, *path: str) -> str:
    """The `val` of the element at a path; empty where there is none."""
    found = child(element, *path)
    return "" if found is None else attribute(found, "val")


def is_on(element: Any, *path: str) -> bool | None:
    """Whether a switch at a path is on; None where it does not stand there."""
    found = child(element, *path)
    return None if found is None else attribute(found, "val").lower() not in ("0", "false", "off", "none")


def number(text: str, least: int, most: int, otherwise: int) -> int:
    """A whole number inside bounds; what is none counts as `otherwise`."""
    digits = text.strip()
    if not digits.isascii() or not digits.removeprefix("-").isdigit():
        return otherwise
    if len(digits) > 12:
        return least if digits[0] == "-" else most
    return min(max(int(digits), least), most)


class OfficePackage:
    """The parts of an office file; collects what is wrong with them."""

    def __init__(self, raw: ParseInput) -> None:
        self._raw = raw
        self._archive = Archive(raw)
        self._names: dict[str, str] = {}
        self._asked: set[str] = set()
        self.notices: list[Notice] = []
        for name in self._archive.names:
            self._names.setdefault(_plain(name), name)
        if len(set(self._archive.names)) < len(self._archive.names):
            self.note("package-duplicate-parts", "holds several parts of one name; the last of each is read")

    def note(self, code: str, message: str, where: str = "") -> None:
        notice = Notice(code, message, where)
        if notice not in self.notices:
            self.notices.append(notice)

    def is_first(self, name: str) -> bool:
        """Whether a part is asked for the first time: a small file can point at a large part very often."""
        before = len(self._asked)
        self._asked.add(_plain(name))
        return len(self._asked) > before

    def __contains__(self, name: str) -> bool:
        return _plain(name) in self._names

    def parts(self) -> list[str]:
        """The names of all parts, as the archive has them."""
        return self._archive.names

    def read(self, name: str) -> bytes:
        """The bytes of a part; raises a ParseError where it is missing or damaged."""
        actual = self._names.get(_plain(name))
        if actual is None:
            raise ParseError(f"has no part {name}: it is no complete document; save it anew", self._raw.uri)
        if actual != name:
            self.note("package-part-names", f"calls its part {name} {actual}, against the rules of the format")
        return self._archive.read(actual)

    def tell_damaged(self) -> None:
        """Say of parts that no text comes from that they are damaged: a file that is, may lack more."""
        for name in self._archive.find_damaged():
            self.note("part-unreadable", "is damaged; no text is read from it", f"part {name}")

    def xml(self, name: str) -> Any:
        """The root of a part that a document cannot do without."""
        root = parse_xml(self.read(name), self._raw.uri, name, depth=DEPTH)
        if fault := xml_faults(root):
            self.note("xml-damaged", f"is damaged XML, read as far as possible ({fault})", f"part {name}")
        return root

    def xml_if_any(self, name: str) -> Any | None:
        """The root of a part that may be missing; one that cannot be read is left out with a notice."""
        if name not in self:
            return None
        try:
            data = self.read(name)
        except ParseError as error:
            self.note("part-unreadable", f"cannot be read and is left out ({error})", f"part {name}")
            return None
        refuse_doctype(data, self._raw.uri, name)
        try:
            root = parse_xml(data, self._raw.uri, name, depth=DEPTH)
        except ParseError as error:
            self.note("part-unreadable", f"cannot be read and is left out ({error})", f"part {name}")
            return None
        if fault := xml_faults(root):
            self.note("xml-damaged", f"is damaged XML, read as far as possible ({fault})", f"part {name}")
        return root

    def relations(self, part: str) -> dict[str, PartRelation]:
        """What a part points at, by id; the package itself for an empty name."""
        folder, _, base = part.rpartition("/")
        root = self.xml_if_any(f"{folder}/_rels/{base}.rels".lstrip("/"))
        found: dict[str, PartRelation] = {}
        for one in [] if root is None else root:
            if isinstance(one.tag, str) and one.tag.endswith("}Relationship"):
                outside = one.get("TargetMode") == "External"
                target = one.get("Target") or ""
                kind = (one.get("Type") or "").rpartition("/")[2]
                found[one.get("Id") or ""] = PartRelation(
                    kind, target if outside else _resolve_target(folder, target), outside
                )
        return found

    def main(self, usual: str) -> str:
        """The part the package is about."""
        if self.xml_if_any("[Content_Types].xml") is None:
            self.note("package-incomplete", "has no [Content_Types].xml")
        if "_rels/.rels" not in self:
            self.note("package-incomplete", f"has no _rels/.rels; read from {usual}")
        for one in self.relations("").values():
            if one.kind == "officeDocument" and one.target in self and not one.outside:
                return one.target
        return usual

    def core(self) -> dict[str, str]:
        """Title, author, dates and the like."""
        name = next((one.target for one in self.relations("").values() if one.kind == "core-properties"), "")
        root = self.xml_if_any(name or "docProps/core.xml")
        meta: dict[str, str] = {}
        for one in [] if root is None else root:
            key = _CORE.get(one.tag.rpartition("}")[2]) if isinstance(one.tag, str) else None
            if key and one.text and one.text.strip():
                meta[key] = " ".join(one.text.split())
        return meta


def _plain(name: str) -> str:
    """A part's name as the rules compare it: without case, whatever the slashes."""
    return name.replace("\\", "/").lstrip("/").lower()


def _resolve_target(folder: str, target: str) -> str:
    """The name of a part that another in a folder points at; it cannot leave the package."""
    target = target.replace("\\", "/").partition("#")[0]
    path = target if target.startswith("/") else f"/{folder}/{target}"
    return normpath(path).lstrip("/")


_MOST_POINTS = 10_000
"""Of one series; more are left out with a notice."""


def drawn_pieces(package: OfficePackage, picture: OfficePicture) -> list[OfficePiece]:
    """What a chart or diagram says, as a table or a list; one that is shown again has been said."""
    root = package.xml_if_any(picture.target) if picture.target and package.is_first(picture.target) else None
    if root is None:
        return []
    return (
        chart_pieces(package, root, picture.target) if picture.kind == "chart" else diagram_pieces(root, picture.target)
    )


def chart_pieces(package: OfficePackage, root: Any, path: str) -> list[OfficePiece]:
    """A chart as a table: a row for each category, a column for each series; its title above."""
    title = ""
    series: list[tuple[str, dict[int, str], dict[int, str]]] = []
    for one in root.iter():
        name = name_of(one)
        if name == "c:title" and not title:
            title = " ".join("".join(_texts(one)).split())
        elif name == "c:ser":
            series.append(_series(package, one, path))
    pieces = [OfficePiece("caption", title, path)] if title else []
    if series:
        pieces.append(_table(series, path))
    return pieces


def _series(package: OfficePackage, element: Any, path: str) -> tuple[str, dict[int, str], dict[int, str]]:
    """The name of a series, its categories and its values."""
    name = ""
    categories: dict[int, str] = {}
    values: dict[int, str] = {}
    for part in element:
        kind = name_of(part)
        if kind == "c:tx":
            name = " ".join(text for text in _points(package, part, path).values() if text)
        elif kind in ("c:cat", "c:xVal"):
            categories = _points(package, part, path)
        elif kind in ("c:val", "c:yVal"):
            values = _points(package, part, path)
    return name, categories, values


def _points(package: OfficePackage, element: Any, path: str) -> dict[int, str]:
    """Cached values by their index."""
    found: dict[int, str] = {}
    for one in element.iter():
        if name_of(one) == "c:pt":
            text = plain_number("".join(inner.text or "" for inner in one if name_of(inner) == "c:v"))
            found[number(attribute(one, "idx"), 0, 1_000_000_000, len(found))] = text
        elif name_of(one) == "c:v" and not found and name_of(one.getparent()) == "c:tx":
            found[0] = one.text or ""
        if len(found) >= _MOST_POINTS:
            package.note("chart-limit", f"values of a chart after the first {_MOST_POINTS:,} are left out", path)
            break
    return found


def plain_number(text: str) -> str:
    """A number without the noise of its binary form; other text as it is."""
    try:
        return f"{float(text):.15g}" if len(text) > 15 and "." in text else text
    except ValueError:
        return text


def _table(series: list[tuple[str, dict[int, str], dict[int, str]]], path: str) -> OfficePiece:
    categories: dict[int, str] = {}
    for _, names, values in series:
        categories |= {index: names.get(index, categories.get(index, "")) for index in {**names, **values}}
    head = ("", *(name or f"Series {index}" for index, (name, _, _) in enumerate(series, 1)))
    rows = [
        head,
        *((text, *(values.get(at, "") for _, _, values in series)) for at, text in sorted(categories.items())),
    ]
    return OfficePiece("table", "", path, rows=tuple(rows), places=(path,) * len(rows))


def diagram_pieces(root: Any, path: str) -> list[OfficePiece]:
    """The words of a diagram (SmartArt), one item for each of its points."""
    texts = [" ".join("".join(_texts(one)).split()) for one in root.iter() if name_of(one) == "dgm:t"]
    return [OfficePiece("item", text, path, 0, "-", path) for text in texts if text]


def _texts(element: Any) -> Iterator[str]:
    for one in element.iter():
        if name_of(one) == "a:t":
            yield one.text or ""
        elif name_of(one) in ("a:br", "a:p"):
            yield " "
