"""A PDF whose index or tree of pages is lost, put together anew from the objects that are still there.

Pages are taken as they are and hung under one new root, so that the library reads them as those of any other file. What
they inherit from nodes above them stays reachable, as they keep pointing at their parents.
"""

from __future__ import annotations

import re

from seamline.parse.pdf.objects import Found, objects, packed
from seamline.parse.raw import Raw

_PAGE = re.compile(rb"/Page(?![A-Za-z0-9])")
_OF_PAGES = re.compile(rb"/(?:Parent|Contents|MediaBox)\b")
_CONTENT = re.compile(rb"/Contents\s*\[?\s*[0-9]{1,7}\s+[0-9]{1,5}\s+R\b")
_SETTING = re.compile(rb"/(?:Resources|MediaBox)\b")
"""What a page has that does not say it is one; notes on pages have contents too, but those are words."""
_ENCRYPTED = re.compile(rb"/Encrypt\s*(?:<<|[0-9])")
_KIDS = re.compile(rb"/Kids\s*\[([^\]]*)")
_REFERENCE = re.compile(rb"([0-9]{1,7})\s+[0-9]{1,5}\s+R\b")
_ROOT = re.compile(rb"/Type\s*/Pages\b")


def rebuilt(raw: Raw) -> bytes:
    """A file with all pages that can be found; empty where there are none, or where they are encrypted."""
    if _ENCRYPTED.search(raw.data):
        return b""
    bodies = _bodies(raw)
    pages = _ordered(bodies, [number for number, body in bodies.items() if _is_page(body)])
    return _written(bodies, pages[: raw.limits.parts]) if pages else b""


def _bodies(raw: Raw) -> dict[int, bytes]:
    """The last content of each object; one that stands by itself counts before one inside of another."""
    found: list[Found] = list(objects(raw.data))
    inside: dict[int, bytes] = {}
    room = raw.limits.part
    for one in found:
        for number, body in packed(raw.data, one, room):
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


def _ordered(bodies: dict[int, bytes], pages: list[int]) -> list[int]:
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


def _written(bodies: dict[int, bytes], pages: list[int]) -> bytes:
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
