"""What is wrong with the file of a PDF that was opened all the same."""

from __future__ import annotations

import re
from typing import Any

from seamline.parse.raw import Raw
from seamline.types import Notice

_START = re.compile(rb"startxref\s+(\d{1,30})")
_INDEX = re.compile(rb"[\0-\x20]*(?:xref|[0-9]+[\0-\x20]+[0-9]+[\0-\x20]+obj)")
"""What stands where an index begins."""
_NEAR = 64
_TAIL = 2_048
_BLOCK = 16_384
_PADDED = 100_000
"""Bytes at the end of a file that may be nothing but padding."""
_FILTER = re.compile(rb"/Filter\s*(?:\[\s*)?/([A-Za-z0-9]{1,40})")
_CHAIN = re.compile(rb"/Filter\s*\[(?:\s*/[A-Za-z0-9]{1,40}){9}")
"""More filters than PDFium follows."""
_HANDLER = re.compile(rb"/Filter\s*/Standard\b")
"""How a file is encrypted; it stays behind where the word that names it is lost."""
_CONTENTS = re.compile(rb"/Contents\s*\[[^\]]*")
_PIECES = 5_000
_FILTERS = {
    b"ASCIIHexDecode", b"AHx", b"ASCII85Decode", b"A85", b"LZWDecode", b"LZW", b"FlateDecode", b"Fl", b"JBIG2Decode",
    b"RunLengthDecode", b"RL", b"CCITTFaxDecode", b"CCF", b"DCTDecode", b"DCT", b"JPXDecode", b"Crypt", b"Standard",
    b"Adobe",
}  # fmt: skip
"""What streams may be packed with; the last two say so of encryption and signatures."""


def flaws(document: Any, raw: Raw) -> list[Notice]:
    """Why the text may not be all of it."""
    out = []
    if _is_repaired(raw.data):
        out.append(Notice("repaired", "the file's index of objects is damaged: they were found by searching it"))
    if (b"/Encrypt" in raw.data[-_TAIL:] or _HANDLER.search(raw.data)) and _revision(document) < 0:
        out.append(
            Notice("encryption-unclear", "the file says that it is encrypted, but not how: it was read as plain")
        )
    if skipped := max(raw.data.find(b"%PDF-", 0, _BLOCK), 0):
        out.append(Notice("repaired", f"{skipped:,} bytes stand before the beginning of the PDF and were skipped"))
    if _CHAIN.search(raw.data):
        out.append(Notice("unknown-filter", "parts of the file are packed in more ways at once than are undone"))
    if (pieces := _pieces(raw.data)) > _PIECES:
        message = f"a page is put together of {pieces:,} pieces: what is drawn over itself is read once"
        out.append(Notice("drawn-over", message))
    if unknown := sorted(_filters(raw.data) - _FILTERS):
        names = ", ".join(name.decode() for name in unknown[:5])
        out.append(Notice("unknown-filter", f"parts of the file are packed in ways that are not known: {names}"))
    if _is_deep(raw.data, raw.limits.depth):
        out.append(Notice("too-deep", f"objects inside objects, more than {raw.limits.depth} deep, were not read"))
    if count := max(_attachments(document), 0):
        out.append(Notice("attachments", f"{count} files are attached to the PDF and were not read: save them apart"))
    return out


def _attachments(document: Any) -> int:
    import pypdfium2.raw as raw

    return int(raw.FPDFDoc_GetAttachmentCount(document.raw))


def _is_repaired(data: bytes) -> bool:
    """Whether the last word of the file does not say where its index is."""
    found = _START.findall(data[-_PADDED:].rstrip(b"\0\r\n\t ")[-_TAIL:])
    if not found or int(found[-1]) > len(data):
        return True
    start = max(data.find(b"%PDF-", 0, _BLOCK), 0)
    return not any(_INDEX.match(data, at, at + _NEAR) for at in (int(found[-1]), int(found[-1]) + start))


def _revision(document: Any) -> int:
    import pypdfium2.raw as raw

    return int(raw.FPDF_GetSecurityHandlerRevision(document.raw))


def _pieces(data: bytes) -> int:
    """Of how many streams the content of a page is at most."""
    return max((found[0].count(b" R") for found in _CONTENTS.finditer(data)), default=0)


def _is_deep(data: bytes, most: int) -> bool:
    """Whether so many more dictionaries open than close, up to any block: counted, not parsed, as that is fast."""
    if b"[" * most in data:
        return True
    depth = 0
    for start in range(0, len(data), _BLOCK):
        depth = max(depth + data.count(b"<<", start, start + _BLOCK) - data.count(b">>", start, start + _BLOCK), 0)
        if depth > most:
            return True
    return False


def _filters(data: bytes) -> set[bytes]:
    """The names of what streams are packed with."""
    out: set[bytes] = set()
    at = data.find(b"/Filter")
    while at >= 0:
        if found := _FILTER.match(data, at):
            out.add(found[1])
        at = data.find(b"/Filter", at + 7)
    return out
