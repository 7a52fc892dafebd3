"""PNG files without the parts beside the picture that unpack to far more than they should."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

_START = b"\x89PNG\r\n\x1a\n"
_PACKED = (b"zTXt", b"iTXt", b"iCCP")
"""Kinds of parts that hold deflated text or colours."""
LARGEST = 1_000_000
"""Bytes that one of them may unpack to."""
_RATIO = 1_032
"""The most that deflating can shrink data."""


def without_bombs(data: bytes) -> tuple[bytes, int]:
    """The file without such parts, and how many there were; the file itself where there are none, or it is no PNG."""
    large = [(start, end) for kind, start, end in _chunks(data) if kind in _PACKED and _is_large(data[start + 8 : end])]
    if not large:
        return data, 0
    kept, at = [], 0
    for start, end in large:
        kept.append(data[at:start])
        at = end
    return b"".join([*kept, data[at:]]), len(large)


def _chunks(data: bytes) -> Iterator[tuple[bytes, int, int]]:
    """Kind, start and end of the parts of a PNG."""
    at = len(_START)
    while data.startswith(_START) and at + 12 <= len(data):
        (size,) = struct.unpack_from(">I", data, at)
        yield data[at + 4 : at + 8], at, at + 12 + size
        at += 12 + size


def _is_large(content: bytes) -> bool:
    """Whether a name, a NUL, perhaps more of these, and deflated data unpack to too much."""
    if len(content) * _RATIO <= LARGEST:
        return False
    at = content.find(b"\x78")  # how deflated data begins
    try:
        return at >= 0 and len(zlib.decompressobj().decompress(content[at:], LARGEST + 1)) > LARGEST
    except zlib.error:
        return False
