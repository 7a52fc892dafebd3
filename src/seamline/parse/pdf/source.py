"""Opening a PDF: what it says of itself, its bookmarks and its pages, and why it cannot be read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from seamline.errors import ParseError
from seamline.extras import needed
from seamline.parse.pdf.bombs import defused
from seamline.parse.pdf.headings import Outline, plain
from seamline.parse.pdf.library import EXTRA, WHAT
from seamline.parse.pdf.rebuild import rebuilt
from seamline.parse.raw import Raw
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


class Opened(NamedTuple):
    """A document by pypdfium2, and what was done to the file so that it opens."""

    document: Any
    notices: list[Notice]


def openings(raw: Raw) -> Iterator[Opened]:
    """The document as its file says it is; then, for when no page of that can be read, put together anew."""
    with needed(WHAT, EXTRA):
        import pypdfium2
        import pypdfium2.raw as library
    if not raw.data:
        raise ParseError("the file is empty: was it saved or downloaded completely?", raw.uri)
    data, notices = defused(raw)
    refusal = None
    try:
        yield Opened(pypdfium2.PdfDocument(_from_header(data)), notices)
    except pypdfium2.PdfiumError as error:
        refusal = _refusal(getattr(error, "err_code", None), library, raw)
    again = rebuilt(raw._replace(data=data))
    if again:
        yield Opened(pypdfium2.PdfDocument(again), [*notices, _REBUILT])
    elif refusal is not None:
        raise refusal


def _from_header(data: bytes) -> bytes:
    """The bytes from the header on, where more stands before it than PDFium skips by itself."""
    at = data.find(b"%PDF-", 0, _FURTHEST)
    return data[at:] if at >= _HEADER else data


def _refusal(code: int | None, library: Any, raw: Raw) -> ParseError:
    # PDFium leaves the code of an earlier file where it has none of its own, as for a document without pages.
    is_encrypted = b"/Encrypt" in raw.data
    if code == library.FPDF_ERR_PASSWORD and is_encrypted:
        return ParseError("the PDF is encrypted and needs a password: save it without one", raw.uri)
    if code == library.FPDF_ERR_SECURITY and is_encrypted:
        return ParseError("the PDF is encrypted in a way that is not known: save it without encryption", raw.uri)
    if b"%PDF" not in raw.data[:_FURTHEST]:
        return ParseError("is no PDF: it does not begin with %PDF; check the file, or name its format", raw.uri)
    return ParseError("the PDF is damaged, or has no pages: save or download it again", raw.uri)


def metadata(document: Any) -> tuple[str, dict[str, Any]]:
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


def outline(document: Any) -> Outline:
    """The bookmarks."""
    import pypdfium2

    at: dict[tuple[int, str], int] = {}
    anywhere: dict[str, int] = {}
    for bookmark in islice(document.get_toc(max_depth=6), _BOOKMARKS):
        try:
            title = plain(bookmark.get_title())
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
    return Outline(at, anywhere)
