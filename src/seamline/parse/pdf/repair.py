"""Damaged and dangerous PDF files, made readable before the library opens them.

Streams that unpack to far more than any page holds are emptied in place, so that every offset in the file stays right.
Where the index or the tree of pages is lost, the objects are found by searching the file, and the pages are hung under
one new root. What they inherit from nodes above them stays reachable, as they keep pointing at their parents.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from seamline.parse.parser_types import ParseInput
from seamline.types import Notice

_RATIO = 1_032
"""The most that deflating can shrink data."""
_BOMB = 16_000_000
"""Bytes that the content of a page may unpack to where it is packed as tightly as only repetition can be."""
_TIGHT = 100
"""How many times larger that is than the packed bytes."""
_PROBE = 100_000
"""Bytes that are unpacked to see how tightly a stream is packed."""
_KEPT = 250_000
"""Bytes of a bomb that are read all the same."""
_FLATE = re.compile(rb"/(?:FlateDecode|Fl)\b")
_OTHER = re.compile(rb"/(?:LZWDecode|LZW|ASCII85Decode|A85|ASCIIHexDecode|AHx|RunLengthDecode|RL|Crypt|Predictor)\b")
_IMAGE = re.compile(rb"/Subtype\s*/Image\b")
_FORM = re.compile(rb"/Subtype\s*/Form\b")
_DRAWN = re.compile(rb"/([^\s/<>()\[\]]{1,100})\s+Do\b")
_NAMED = re.compile(rb"/([^\s/<>()\[\]]{1,100})\s+([0-9]{1,7})\s+[0-9]{1,5}\s+R\b")
_FORMS = 10_000
"""Forms that one may come to draw, with all that those draw."""
_FEW = 2
"""Forms that cannot multiply."""


def defuse(raw: ParseInput) -> tuple[bytes, list[Notice]]:
    """The file without what would blow up, and what was taken out."""
    data = raw.data
    forms = len(list(islice(_FORM.finditer(data), _FEW + 1)))
    large = len(data) * _RATIO > _BOMB or data.count(b"FlateDecode") > 1
    if not large and forms <= _FEW:
        return data, []
    found = [one for one in find_objects(data) if one.stream >= 0]
    changed = [one for one in found if large and _is_bomb(data, one)]
    multiplied = _multiplying_forms(data, found) if forms > _FEW else []
    if not changed and not multiplied:
        return data, []
    out = bytearray(data)
    for one in changed:
        out[one.stream : one.end] = _shorten_stream(data, one)
    for one in multiplied:
        out[one.stream : one.end] = b" " * (one.end - one.stream)
    return bytes(out), _defused_notices(len(changed), len(multiplied))


def _defused_notices(streams: int, forms: int) -> list[Notice]:
    notices = []
    if streams:
        message = f"{streams} streams unpack to more than {_BOMB:,} bytes of repetition: only their beginning was read"
        notices.append(Notice("streams-cut", message))
    if forms:
        message = f"{forms} drawings draw each other more than {_FORMS:,} times: they were left out"
        notices.append(Notice("drawings-left-out", message))
    return notices


def _count_deflated(head: bytes) -> int:
    """How many times a stream is deflated; 0 where it is a picture, or packed in other ways as well."""
    return 0 if _IMAGE.search(head) or _OTHER.search(head) else len(_FLATE.findall(head))


def _is_bomb(data: bytes, one: PdfObject) -> bool:
    times = _count_deflated(one.head(data))
    size = one.end - one.stream
    if not times or size * _RATIO**times <= _BOMB:
        return False
    if times == 1 and len(inflate(data[one.stream : one.stream + _PROBE // _TIGHT], _PROBE)) < _PROBE:
        return False
    content, rest = data[one.stream : one.end], times
    while rest > 1:
        content, rest = inflate(content, _BOMB), rest - 1
    return _holds_more(content, max(_BOMB, _TIGHT * size))


def _holds_more(data: bytes, most: int) -> bool:
    """Whether deflated data holds more than so many bytes."""
    unpacker = zlib.decompressobj()
    size = 0
    try:
        while size <= most and (piece := unpacker.decompress(data, 1 << 20)):
            size += len(piece)
            data = unpacker.unconsumed_tail
    except zlib.error:
        pass
    return size > most


def _shorten_stream(data: bytes, one: PdfObject) -> bytes:
    """The beginning of a stream up to the end of a line, packed as the whole was, and filled up."""
    size = one.end - one.stream
    times = _count_deflated(one.head(data))
    content = data[one.stream : one.end]
    for _ in range(times):
        content = inflate(content, _BOMB)
    for kept in (_KEPT, _KEPT // 10, 0):
        packed = content[: content.rfind(b"\n", 0, kept) + 1]
        for _ in range(times):
            packed = zlib.compress(packed)
        if len(packed) <= size:
            return packed.ljust(size, b"\0")
    return bytes(size)


def _multiplying_forms(data: bytes, streams: Sequence[PdfObject]) -> list[PdfObject]:
    """Forms that draw others, which draw others, until there are more than anybody can draw."""
    forms = {one.number: one for one in streams if _FORM.search(one.head(data))}
    draws = {number: _drawn_forms(data, one, forms) for number, one in forms.items()}
    totals: dict[int, int] = {}
    for first in forms:
        stack = [first]
        while stack:
            number = stack[-1]
            waiting = [one for one in dict.fromkeys(draws[number]) if one not in totals]
            if number in totals or not waiting or len(stack) > len(forms):
                stack.pop()
                totals[number] = min(1 + sum(totals.get(one, 1) for one in draws[number]), _FORMS + 1)
            else:
                stack.append(waiting[0])
    return [form for number, form in forms.items() if totals[number] > _FORMS]


def _drawn_forms(data: bytes, one: PdfObject, forms: dict[int, PdfObject]) -> list[int]:
    """The numbers of the forms that a form draws, as often as it does."""
    head = one.head(data)
    content = data[one.stream : one.end]
    content = inflate(content, _KEPT) if _count_deflated(head) else content[:_KEPT]
    named = {name: int(number) for name, number in _NAMED.findall(head) if int(number) in forms}
    return [named[name] for name in _DRAWN.findall(content) if name in named]


_HEADER = re.compile(rb"(?<![0-9])([0-9]{1,7})[\0\t\n\f\r ]+([0-9]{1,5})[\0\t\n\f\r ]+obj\b")
_STREAM = re.compile(rb"stream\r?\n?")
_PACKED = re.compile(rb"/Type\s*/ObjStm\b")
_COUNT = re.compile(rb"/N\s+([0-9]{1,6})")
_FIRST = re.compile(rb"/First\s+([0-9]{1,9})")
_MOST = 1_000_000
"""Objects of a file."""


class PdfObject(NamedTuple):
    """An object: its number, and where the parts of it lie in the file."""

    number: int
    start: int
    """Of its content."""
    stream: int
    """Of the bytes of its stream; -1 where it has none."""
    end: int
    """Of its stream, or of its content."""

    def head(self, data: bytes) -> bytes:
        """Its content without the stream."""
        return data[self.start : self.end if self.stream < 0 else self.stream]


def find_objects(data: bytes) -> Iterator[PdfObject]:
    """All objects in the order of the file; what looks like one inside of a stream is none."""
    at = 0
    for _ in range(_MOST):
        header = _HEADER.search(data, at)
        if header is None:
            return
        start = header.end()
        end = _or_end(data, b"endobj", start)
        after = _HEADER.search(data, start, end)
        end = after.start() if after else end
        stream = _STREAM.search(data, start, end)
        if stream is None:
            yield PdfObject(int(header[1]), start, -1, end)
        else:
            end = _or_end(data, b"endstream", stream.end())
            yield PdfObject(int(header[1]), start, stream.end(), end)
        at = end


def _or_end(data: bytes, word: bytes, at: int) -> int:
    found = data.find(word, at)
    return len(data) if found < 0 else found


def packed_objects(data: bytes, one: PdfObject, most: int) -> list[tuple[int, bytes]]:
    """Numbers and contents of the objects inside of an object that holds others."""
    head = one.head(data)
    count, first = _COUNT.search(head), _FIRST.search(head)
    if one.stream < 0 or not _PACKED.search(head) or count is None or first is None:
        return []
    text = inflate(data[one.stream : one.end], most) if b"/FlateDecode" in head else data[one.stream : one.end]
    start = int(first[1])
    numbers = [int(word) for word in text[:start].split() if word.isdigit() and len(word) < 10][: 2 * int(count[1])]
    places = [start + place for place in numbers[1::2]]
    ends = [*places[1:], len(text)]
    return [(number, text[at:end]) for number, at, end in zip(numbers[::2], places, ends, strict=False)]


def inflate(data: bytes, most: int) -> bytes:
    """As much of deflated data as can be read, up to so many bytes."""
    try:
        return zlib.decompressobj().decompress(data, most)
    except zlib.error:
        return _inflate_by_pieces(data, most)


def _inflate_by_pieces(data: bytes, most: int) -> bytes:
    """What comes before the place where the data is damaged."""
    unpacker = zlib.decompressobj()
    out = bytearray()
    for at in range(0, len(data), 256):
        try:
            out += unpacker.decompress(data[at : at + 256], max(most - len(out), 1))
        except zlib.error:
            break
        if len(out) >= most:
            break
    return bytes(out)


_PAGE = re.compile(rb"/Page(?![A-Za-z0-9])")
_OF_PAGES = re.compile(rb"/(?:Parent|Contents|MediaBox)\b")
_CONTENT = re.compile(rb"/Contents\s*\[?\s*[0-9]{1,7}\s+[0-9]{1,5}\s+R\b")
_SETTING = re.compile(rb"/(?:Resources|MediaBox)\b")
"""What a page has that does not say it is one; notes on pages have contents too, but those are words."""
_ENCRYPTED = re.compile(rb"/Encrypt\s*(?:<<|[0-9])")
_KIDS = re.compile(rb"/Kids\s*\[([^\]]*)")
_REFERENCE = re.compile(rb"([0-9]{1,7})\s+[0-9]{1,5}\s+R\b")
_ROOT = re.compile(rb"/Type\s*/Pages\b")


def rebuild(raw: ParseInput) -> bytes:
    """A file with all pages that can be found; empty where there are none, or where they are encrypted."""
    if _ENCRYPTED.search(raw.data):
        return b""
    bodies = _bodies(raw)
    pages = _order_pages(bodies, [number for number, body in bodies.items() if _is_page(body)])
    return _write_file(bodies, pages[: raw.limits.parts]) if pages else b""


def _bodies(raw: ParseInput) -> dict[int, bytes]:
    """The last content of each object; one that stands by itself counts before one inside of another."""
    found: list[PdfObject] = list(find_objects(raw.data))
    inside: dict[int, bytes] = {}
    room = raw.limits.part
    for one in found:
        for number, body in packed_objects(raw.data, one, room):
            inside[number] = body
            room -= len(body)
    for one in found:
        body = raw.data[one.start : one.end]
        inside[one.number] = body if one.stream < 0 else body + b"\nendstream"
    return inside


def _is_page(body: bytes) -> bool:
    head = body.partition(b"stream")[0]
    if b"/Kids" in head:
        return False
    if _PAGE.search(head):
        return _OF_PAGES.search(head) is not None
    return _CONTENT.search(head) is not None and _SETTING.search(head) is not None


def _order_pages(bodies: dict[int, bytes], pages: list[int]) -> list[int]:
    """Pages as the nodes above them list them; those that no node lists come last, as they stand in the file."""
    known = set(pages)
    nodes = {number: _kids(body) for number, body in bodies.items() if b"/Kids" in body and _ROOT.search(body)}
    listed = {kid for kids in nodes.values() for kid in kids}
    stack = [number for number in reversed(nodes) if number not in listed]
    out: dict[int, None] = {}
    seen: set[int] = set()
    while stack:
        number = stack.pop()
        if number in known:
            out[number] = None
        elif number not in seen:
            seen.add(number)
            stack.extend(reversed(nodes.get(number, [])))
    return list(out | dict.fromkeys(pages))


def _kids(body: bytes) -> list[int]:
    kids = _KIDS.search(body)
    return [int(found[1]) for found in _REFERENCE.finditer(kids[1])] if kids else []


def _write_file(bodies: dict[int, bytes], pages: list[int]) -> bytes:
    """A file of these objects, with a new root and a new index."""
    free = max(bodies) + 1
    listed = b" ".join(b"%d 0 R" % number for number in pages)
    everything = bodies | {
        free: b"<</Type/Catalog/Pages %d 0 R>>" % (free + 1),
        free + 1: b"<</Type/Pages/Count %d/Kids[%b]>>" % (len(pages), listed),
    }
    out = bytearray(b"%PDF-1.7\n")
    index = bytearray()
    for number, body in everything.items():
        index += b"%d 1\n%010d 00000 n \n" % (number, len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 1\n0000000000 65535 f \n" + index
    out += b"trailer\n<</Size %d/Root %d 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (free + 2, free, start)
    return bytes(out)
