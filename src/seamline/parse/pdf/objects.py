"""The objects of a PDF, found by searching the file instead of by its index."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from typing import NamedTuple

_HEADER = re.compile(rb"(?<![0-9])([0-9]{1,7})[\0\t\n\f\r ]+([0-9]{1,5})[\0\t\n\f\r ]+obj\b")
_STREAM = re.compile(rb"stream\r?\n?")
_PACKED = re.compile(rb"/Type\s*/ObjStm\b")
_COUNT = re.compile(rb"/N\s+([0-9]{1,6})")
_FIRST = re.compile(rb"/First\s+([0-9]{1,9})")
_MOST = 1_000_000
"""Objects of a file."""


class Found(NamedTuple):
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


def objects(data: bytes) -> Iterator[Found]:
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
            yield Found(int(header[1]), start, -1, end)
        else:
            end = _or_end(data, b"endstream", stream.end())
            yield Found(int(header[1]), start, stream.end(), end)
        at = end


def _or_end(data: bytes, word: bytes, at: int) -> int:
    found = data.find(word, at)
    return len(data) if found < 0 else found


def packed(data: bytes, one: Found, most: int) -> list[tuple[int, bytes]]:
    """Numbers and contents of the objects inside of an object that holds others."""
    head = one.head(data)
    count, first = _COUNT.search(head), _FIRST.search(head)
    if one.stream < 0 or not _PACKED.search(head) or count is None or first is None:
        return []
    text = inflated(data[one.stream : one.end], most) if b"/FlateDecode" in head else data[one.stream : one.end]
    start = int(first[1])
    numbers = [int(word) for word in text[:start].split() if word.isdigit() and len(word) < 10][: 2 * int(count[1])]
    places = [start + place for place in numbers[1::2]]
    ends = [*places[1:], len(text)]
    return [(number, text[at:end]) for number, at, end in zip(numbers[::2], places, ends, strict=False)]


def inflated(data: bytes, most: int) -> bytes:
    """As much of deflated data as can be read, up to so many bytes."""
    try:
        return zlib.decompressobj().decompress(data, most)
    except zlib.error:
        return _by_pieces(data, most)


def _by_pieces(data: bytes, most: int) -> bytes:
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
