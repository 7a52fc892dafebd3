"""Streams that unpack to far more than any page holds, made harmless before the library unpacks them.

The bytes are changed in place and keep their length, so that every offset in the file stays right.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from itertools import islice

from seamline.parse.pdf.objects import Found, inflated, objects
from seamline.parse.raw import Raw
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


def defused(raw: Raw) -> tuple[bytes, list[Notice]]:
    """The file without what would blow up, and what was taken out."""
    data = raw.data
    forms = len(list(islice(_FORM.finditer(data), _FEW + 1)))
    large = len(data) * _RATIO > _BOMB or data.count(b"FlateDecode") > 1
    if not large and forms <= _FEW:
        return data, []
    found = [one for one in objects(data) if one.stream >= 0]
    changed = [one for one in found if large and _is_bomb(data, one)]
    multiplied = _multiplying(data, found) if forms > _FEW else []
    if not changed and not multiplied:
        return data, []
    out = bytearray(data)
    for one in changed:
        out[one.stream : one.end] = _shortened(data, one)
    for one in multiplied:
        out[one.stream : one.end] = b" " * (one.end - one.stream)
    return bytes(out), _told(len(changed), len(multiplied))


def _told(streams: int, forms: int) -> list[Notice]:
    notices = []
    if streams:
        message = f"{streams} streams unpack to more than {_BOMB:,} bytes of repetition: only their beginning was read"
        notices.append(Notice("streams-cut", message))
    if forms:
        message = f"{forms} drawings draw each other more than {_FORMS:,} times: they were left out"
        notices.append(Notice("drawings-left-out", message))
    return notices


def _times(head: bytes) -> int:
    """How many times a stream is deflated; 0 where it is a picture, or packed in other ways as well."""
    return 0 if _IMAGE.search(head) or _OTHER.search(head) else len(_FLATE.findall(head))


def _is_bomb(data: bytes, one: Found) -> bool:
    times = _times(one.head(data))
    size = one.end - one.stream
    if not times or size * _RATIO**times <= _BOMB:
        return False
    if times == 1 and len(inflated(data[one.stream : one.stream + _PROBE // _TIGHT], _PROBE)) < _PROBE:
        return False
    content, rest = data[one.stream : one.end], times
    while rest > 1:
        content, rest = inflated(content, _BOMB), rest - 1
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


def _shortened(data: bytes, one: Found) -> bytes:
    """The beginning of a stream up to the end of a line, packed as the whole was, and filled up."""
    size = one.end - one.stream
    times = _times(one.head(data))
    content = data[one.stream : one.end]
    for _ in range(times):
        content = inflated(content, _BOMB)
    for kept in (_KEPT, _KEPT // 10, 0):
        packed = content[: content.rfind(b"\n", 0, kept) + 1]
        for _ in range(times):
            packed = zlib.compress(packed)
        if len(packed) <= size:
            return packed.ljust(size, b"\0")
    return bytes(size)


def _multiplying(data: bytes, streams: Sequence[Found]) -> list[Found]:
    """Forms that draw others, which draw others, until there are more than anybody can draw."""
    forms = {one.number: one for one in streams if _FORM.search(one.head(data))}
    draws = {number: _draws(data, one, forms) for number, one in forms.items()}
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


def _draws(data: bytes, one: Found, forms: dict[int, Found]) -> list[int]:
    """The numbers of the forms that a form draws, as often as it does."""
    head = one.head(data)
    content = data[one.stream : one.end]
    content = inflated(content, _KEPT) if _times(head) else content[:_KEPT]
    named = {name: int(number) for name, number in _NAMED.findall(head) if int(number) in forms}
    return [named[name] for name in _DRAWN.findall(content) if name in named]
