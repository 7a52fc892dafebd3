"""XML, the only way it is read here: no document type, no entities, no network, and only so deep."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from seamline.errors import ParseError, needed

_DOCTYPE = re.compile(rb"<!\s*(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_XML = re.compile(r"[\ufeff\s]*<(?:\?xml|!DOCTYPE)\b", re.IGNORECASE)
_ENTITY = re.compile(r"<!DOCTYPE[^\[<>]*\[[^\]]*?<!ENTITY\b", re.IGNORECASE)
_OPENING = re.compile(r"<!DOCTYPE\b", re.IGNORECASE)
_IN_DOCTYPE = re.compile(r"""<!--(?:.*?-->|.*)|<\?(?:.*?\?>|.*)|"[^"]*"|'[^']*'|[\[\]>]""", re.DOTALL)
"""What counts in a document type: comments, instructions and quotes, in which nothing does, brackets and its end.
What is not closed goes to the end at once, so that many of them cost no more than one."""
_OUTSIDE = re.compile(
    r"""<!DOCTYPE\s+[^\s<>\[]+\s+(?:SYSTEM|PUBLIC\s+(?:"[^"<>]*"|'[^'<>]*'))\s+["'](?!https?:)([^"'<>]{1,500})""",
    re.IGNORECASE,
)
_WIDE = (b"\xff\xfe", b"\xfe\xff", b"<\x00", b"\x00<")
_SURROGATE = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]")
_REFERENCE = re.compile(rb"&#(?:x0*(d[89a-f][0-9a-f]{2})|0*(5529[6-9]|55[3-9]\d\d|5[67]\d{3}));?", re.IGNORECASE)
"""Of a surrogate, in either number system; the second also matches a few code points behind them."""
_ENCODING = re.compile(rb"""(?:\xef\xbb\xbf)?\s*<\?xml[^>]*\sencoding\s*=\s*["'](?!utf-?8["'])""", re.IGNORECASE)
_PROLOG = 65_536
_TAGS = 3_000_000
"""Of one part: each element costs some 300 bytes once read, so that these fill the memory a parser has."""
_SHALLOW = 250
"""The parser's own limit, which is lifted where more is allowed."""


def parse_xml(data: bytes, uri: str = "", part: str = "", *, depth: int = 200) -> Any:
    """The root element, an lxml `_Element`. A part that breaks off is read as far as it goes."""
    with needed("lxml, which reads this format,", "office"):
        from lxml import etree
    where = f"part {part}" if part else ""
    refuse_doctype(data, uri, part)
    if data.count(b"<") > _TAGS:
        raise ParseError(f"holds more than {_TAGS:,} tags: split the document", uri, where)
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=depth > _SHALLOW, recover=True,
        remove_comments=True, remove_pis=True,
    )  # fmt: skip
    try:
        root = etree.fromstring(_without_surrogates(data), parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise ParseError(f"is no XML that can be read ({error})", uri, where) from None
    if root is None:
        raise ParseError("is no XML that can be read", uri, where)
    if root.getroottree().docinfo.internalDTD is not None:  # in an odd encoding, or behind a long comment
        raise _doctype_error(uri, where)
    _check_depth(root, depth, uri, where)
    return root


def _without_surrogates(data: bytes) -> bytes:
    """XML with a mark in place of each surrogate, which no text may hold: the parser lets them through, as bytes and as
    references, and fails later on the name or the value that has one."""
    if data.startswith(_WIDE):
        return data
    if b"&#" in data:
        data = _REFERENCE.sub(_replace_reference, data)
    return data if _ENCODING.match(data) else _SURROGATE.sub(b"\xef\xbf\xbd", data)


def _replace_reference(found: re.Match[bytes]) -> bytes:
    return found[0] if found[2] and int(found[2]) > 0xDFFF else b"&#xFFFD;"


def xml_faults(root: Any) -> str:
    """What was wrong with the XML that a tree was read from in spite of it; empty where nothing was."""
    log = root.getroottree().parser.error_log
    found = [f"line {one.line}: {one.message}" for one in log[:1] if one.level_name != "WARNING"]
    return found[0] if found else ""


def element_at(element: Any, path: Iterable[str], name_of: Callable[[Any], str]) -> Any | None:
    """The element at a path of names, the first of each; `name_of` says how a format calls its elements."""
    for name in path:
        element = next((one for one in element if name_of(one) == name), None)
        if element is None:
            return None
    return element


class ElementWalk:
    """Elements in the order of the file, without recursion; of those that are entered, what is inside comes next."""

    def __init__(self, root: Any) -> None:
        self._stack = [iter(root)]

    def __iter__(self) -> Iterator[Any]:
        while self._stack:
            element = next(self._stack[-1], None)
            if element is None:
                self._stack.pop()
            else:
                yield element

    def enter(self, inner: Iterable[Any]) -> None:
        self._stack.append(iter(inner))


def refuse_doctype(data: bytes, uri: str = "", part: str = "") -> None:
    """Raise a ParseError where XML declares what could pull in or blow up text."""
    head = data[:_PROLOG]
    if head.startswith(_WIDE):
        head = head.replace(b"\x00", b"")
    if _DOCTYPE.search(head):
        raise _doctype_error(uri, f"part {part}" if part else "")


def _doctype_error(uri: str, where: str) -> ParseError:
    return ParseError("declares a document type or entities, which no document needs: refused", uri, where)


def declares_entities(text: str) -> bool:
    """Whether a text is XML or XHTML that declares entities."""
    return _XML.match(text) is not None and _ENTITY.search(text, 0, _PROLOG) is not None


def without_doctype(text: str) -> str:
    """A page without its document type and all that it declares; as it is where that has no end."""
    opening = _OPENING.search(text, 0, _PROLOG)
    if opening is None:
        return text
    is_inside = False
    for found in _IN_DOCTYPE.finditer(text, opening.end()):
        mark = found[0]
        if mark == ">" and not is_inside:
            return text[: opening.start()] + text[found.end() :]
        if mark in "[]":
            is_inside = mark == "["
    return text


def refuse_entities(text: str, uri: str) -> None:
    """Raise a ParseError for XML that declares entities: other readers of it would expand them, or fetch files."""
    if declares_entities(text):
        raise ParseError("declares entities, which could pull in files or blow up: save it without them", uri)


def outside_doctype(text: str) -> str:
    """The file that the document type of an XML text names and that is no address of the web; empty where none is."""
    found = _OUTSIDE.search(text, 0, _PROLOG) if _XML.match(text) else None
    return found[1] if found else ""


def _check_depth(root: Any, most: int, uri: str, where: str) -> None:
    """Without recursion: depth is what is being limited."""
    level = [root]
    for _ in range(most):
        level = [child for element in level for child in element]
        if not level:
            return
    raise ParseError(f"nests deeper than {most} levels: refused", uri, where)
