"""Opening a PDF: what it says of itself, its bookmarks, why it cannot be read, and what is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from seamline.errors import ParseError, needed
from seamline.parse.parser_types import ParseInput
from seamline.parse.pdf.headings import Bookmarks, comparison_key
from seamline.parse.pdf.library import EXTRA, WHAT
from seamline.parse.pdf.repair import defuse, rebuild
from seamline.types import Notice

_BOOKMARKS = 5_000
_DATE = re.compile(r"D?:?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(Z|[+-]\d\d)?'?(\d\d)?")
_META = {"Author": "author", "Subject": "subject", "Keywords": "keywords", "Creator": "creator", "Producer": "producer"}
_DATES = {"CreationDate": "created", "ModDate": "modified"}
_NO_TITLE = re.compile(
    r"untitled|no title|\(?anonymous\)?|unspecified|.*\.(?:docx?|indd|qxd|tex|dvi|pdf|pptx?)|\W*", re.I
)
_PROGRAM = re.compile(r"^(?:Microsoft \w+ - |Print of )")
_HEADER = 1024
"""PDFium looks for the header in so many bytes."""
_FURTHEST = 65_536
"""And we in so many: mail and web servers leave lines before it."""
_REBUILT = Notice(
    "rebuilt", "the list of pages is damaged: those that could be found are read, in the order they were found"
)


class OpenedPdf(NamedTuple):
    """A document by pypdfium2, and what was done to the file so that it opens."""

    document: Any
    notices: list[Notice]


def open_in_turn(raw: ParseInput) -> Iterator[OpenedPdf]:
    """The document as its file says it is; then, for when no page of that can be read, put together anew."""
    with needed(WHAT, EXTRA):
        import pypdfium2
        import pypdfium2.raw as library
    if not raw.data:
        raise ParseError("the file is empty: was it saved or downloaded completely?", raw.uri)
    data, notices = defuse(raw)
    refusal = None
    try:
        yield OpenedPdf(pypdfium2.PdfDocument(_from_header(data)), notices)
    except pypdfium2.PdfiumError as error:
        refusal = _refusal(getattr(error, "err_code", None), library, raw)
    again = rebuild(raw._replace(data=data))
    if again:
        yield OpenedPdf(pypdfium2.PdfDocument(again), [*notices, _REBUILT])
    elif refusal is not None:
        raise refusal


def _from_header(data: bytes) -> bytes:
    """The bytes from the header on, where more stands before it than PDFium skips by itself."""
    at = data.find(b"%PDF-", 0, _FURTHEST)
    return data[at:] if at >= _HEADER else data


def _refusal(code: int | None, library: Any, raw: ParseInput) -> ParseError:
    # PDFium leaves the code of an earlier file where it has none of its own, as for a document without pages.
    is_encrypted = b"/Encrypt" in raw.data
    if code == library.FPDF_ERR_PASSWORD and is_encrypted:
        return ParseError("the PDF is encrypted and needs a password: save it without one", raw.uri)
    if code == library.FPDF_ERR_SECURITY and is_encrypted:
        return ParseError("the PDF is encrypted in a way that is not known: save it without encryption", raw.uri)
    if b"%PDF" not in raw.data[:_FURTHEST]:
        return ParseError("is no PDF: it does not begin with %PDF; check the file, or name its format", raw.uri)
    return ParseError("the PDF is damaged, or has no pages: save or download it again", raw.uri)


def read_metadata(document: Any) -> tuple[str, dict[str, Any]]:
    """The title, and author, subject, keywords and dates as plain values; what is not said is left out."""
    import pypdfium2

    try:
        said: Mapping[str, str] = document.get_metadata_dict(skip_empty=True)
    except (pypdfium2.PdfiumError, UnicodeDecodeError):
        return "", {}
    clean = {key: _clean(value) for key, value in said.items()}
    title = _PROGRAM.sub("", clean.get("Title", ""))
    meta: dict[str, Any] = {name: clean[key] for key, name in _META.items() if clean.get(key)}
    for key, name in _DATES.items():
        if date := _date(clean.get(key, "")):
            meta[name] = date
    return "" if _NO_TITLE.fullmatch(title) else title, meta


def _clean(value: str) -> str:
    """A value on one line that can be encoded."""
    return " ".join(value.encode("utf-8", "ignore").decode().replace("\0", "").split())[:1000]


def _date(text: str) -> str:
    """A date of PDF as ISO 8601; empty where it is none."""
    found = _DATE.match(text)
    if found is None:
        return ""
    year, month, day, hour, minute, second, zone, off = found.groups()
    out = "-".join(part for part in (year, month, day) if part)
    if hour and minute and day:
        out += f"T{hour}:{minute}:{second or '00'}"
        out += zone if zone == "Z" else f"{zone}:{off or '00'}" if zone else ""
    return out


def read_outline(document: Any) -> Bookmarks:
    """The bookmarks."""
    import pypdfium2

    at: dict[tuple[int, str], int] = {}
    anywhere: dict[str, int] = {}
    for bookmark in islice(document.get_toc(max_depth=6), _BOOKMARKS):
        try:
            title = comparison_key(bookmark.get_title())
            target = bookmark.get_dest()
            index = None if target is None else target.get_index()
        except (pypdfium2.PdfiumError, UnicodeDecodeError):
            continue
        if len(title) < 2:
            continue
        level = bookmark.level + 1
        if index is not None and index >= 0:
            at.setdefault((index + 1, title), level)
        else:
            anywhere.setdefault(title, level)
    return Bookmarks(at, anywhere)


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


def find_flaws(document: Any, raw: ParseInput) -> list[Notice]:
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
    if (pieces := max((found[0].count(b" R") for found in _CONTENTS.finditer(raw.data)), default=0)) > _PIECES:
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
