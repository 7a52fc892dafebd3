"""The steps from the bytes of a PDF to text with headings, paragraphs, lists, tables and figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from seamline.errors import ParseError
from seamline.parse.media.ocr import REMEDY, REVIEW, choose_engine
from seamline.parse.parser_types import ParseInput, ParseResult
from seamline.parse.pdf.figures import attach_captions, find_pictures, gather_pictures
from seamline.parse.pdf.headings import KnownNames, comparison_key, find_headings, title_of
from seamline.parse.pdf.model import PagePiece, PageSheet, PdfPage, PdfPassage, turn_box
from seamline.parse.pdf.order import columns
from seamline.parse.pdf.pages import PageReader, read_scan
from seamline.parse.pdf.paragraphs import Compounds, is_typed, join_passages, read_footnotes, read_passages
from seamline.parse.pdf.running import removal_notices, remove_running
from seamline.parse.pdf.source import find_flaws, open_in_turn, read_metadata, read_outline
from seamline.parse.pdf.tables import aligned_tables, ruled_tables, tables_between_rules
from seamline.parse.pdf.write import PdfWriter
from seamline.types import Notice

_PATIENCE = 200
"""Pages after which more time is asked for: a book is long, and no page of it is slow."""
_USUAL = 1_000
"""Characters that a page is taken to hold which nobody could read, where no other page says."""


def parse(raw: ParseInput) -> ParseResult:
    """A PDF as text with headings, paragraphs, lists, tables and figures, each with its page and boxes."""
    document, pages, notices = _read(raw)
    title, meta = read_metadata(document)
    sight = _by_sight(document, pages, raw)
    notices += [*find_flaws(document, raw), *sight]
    size = _usual_size(pages)
    running = remove_running(pages, size)
    notices += removal_notices(running)
    found = _blocks(
        pages, size, KnownNames(read_outline(document), title, frozenset(comparison_key(line.text) for line in running))
    )
    text, blocks, anchors = _write(pages, found)
    notices += _remarks(pages)
    confidence = _confidence(pages)
    if confidence < REVIEW:
        notices.append(Notice("needs-review", f"the text is unsure (confidence {confidence:.2f}): have it looked at"))
    if not title:
        title = title_of(found)
    meta["pages"] = len(pages)
    return ParseResult(text, blocks, title, meta, anchors, notices=tuple(notices), confidence=confidence)


def _read(raw: ParseInput) -> tuple[Any, list[PdfPage], list[Notice]]:
    """The document in the first way to open it that gives pages, those, and what is wrong with the rest."""
    for document, notices in open_in_turn(raw):
        pages, more = _pages(document, raw)
        if pages:
            return document, pages, [*notices, *more]
    raise ParseError("no page of the PDF can be read, it is damaged: save or download it again", raw.uri)


def _pages(document: Any, raw: ParseInput) -> tuple[list[PdfPage], list[Notice]]:
    """All pages that can be read, and what is wrong with the rest."""
    count = len(document)
    reader = PageReader(document)
    pages: list[PdfPage] = []
    broken: list[int] = []
    room = raw.limits.characters
    for index in range(min(count, raw.limits.parts)):
        if index and index % _PATIENCE == 0:
            raw.ask_time(_PATIENCE / 20)
        page = reader.read(index, room)
        if page is None:
            broken.append(index + 1)
            continue
        pages.append(page)
        room -= page.characters
        if room <= 0:
            break
    notices: list[Notice] = []
    if not pages:
        return pages, notices
    if broken:
        notices.append(Notice("pages-unreadable", f"{len(broken)} of {count} pages are damaged", _list_pages(broken)))
    last = pages[-1].number
    if last < count and last not in broken and len(pages) + len(broken) < count:
        left = count - last
        notices.append(
            Notice("pages-left-out", f"{left} of {count} pages are past what one document may hold", f"page {last + 1}")
        )
    return pages, notices


def _by_sight(document: Any, pages: Sequence[PdfPage], raw: ParseInput) -> list[Notice]:
    """Read scanned pages by OCR, where there is an engine and the recipe lets it."""
    scans = [page for page in pages if page.scanned]
    if not scans:
        return []
    where = _list_pages([page.number for page in scans])
    engine = choose_engine(raw.reading.ocr)
    if engine is None:
        for page in scans:
            page.sure = 0.0
        why = "OCR is off" if raw.reading.ocr == "off" else f"no OCR engine: {REMEDY}"
        return [Notice("no-text", f"{len(scans)} of {len(pages)} pages are pictures without text; {why}", where)]
    failed = []
    for page in scans:
        if not read_scan(document, page, engine, raw) or not page.characters:
            page.sure = 0.0
            failed.append(page.number)
    notices = [Notice("ocr", f"{len(scans)} of {len(pages)} pages were read by OCR ({engine.name})", where)]
    if failed:
        notices.append(Notice("no-text", f"OCR found no text on {len(failed)} pages", _list_pages(failed)))
    return notices


def _usual_size(pages: Sequence[PdfPage]) -> float:
    """The size of most text."""
    sizes: Counter[float] = Counter()
    for page in pages:
        for sheet in page.sheets:
            for line in sheet.lines:
                sizes[round(line.size * 2) / 2] += sum(len(word.text) for word in line.words)
    return max(sizes, key=lambda size: (sizes[size], size)) if sizes else 10.0


def _blocks(pages: Sequence[PdfPage], size: float, named: KnownNames) -> list[PdfPassage]:
    found: list[list[PdfPassage]] = []
    typed = is_typed([line for page in pages for sheet in page.sheets for line in sheet.lines])
    for page in pages:
        for index, sheet in enumerate(page.sheets):
            for column in _columns(page, sheet, size, is_main=index == 0):
                found.append(read_footnotes(attach_captions(read_passages(column, typed=typed)), size, sheet.height))
        if not page.sheets and page.images and not page.scanned:
            found.append([PdfPassage("figure", figure=one) for one in find_pictures(page, [], size)[0]])
    return find_headings(join_passages(found), size, named)


def _columns(page: PdfPage, sheet: PageSheet, size: float, *, is_main: bool) -> list[list[PagePiece]]:
    """The columns of a sheet with its tables and figures."""
    pieces: list[PagePiece] = []
    lines = sheet.lines
    if is_main and lines:
        rules = [turn_box(rule, (4 - sheet.turn) % 4, page.width, page.height) for rule in page.rules]
        tables, lines = ruled_tables(lines, rules)
        more, lines = tables_between_rules(lines, rules, tables) if lines else ([], lines)
        pieces += [*tables, *more]
        if not sheet.turn and not page.scanned:
            shown, lines = find_pictures(page, lines, size)
            pieces += shown
    return [aligned_tables(gather_pictures(column, size)) for column in columns([*pieces, *lines], size)]


def _write(pages: Sequence[PdfPage], found: Sequence[PdfPassage]) -> tuple[str, Any, Any]:
    compounds = Compounds()
    labels: set[tuple[int, str]] = set()
    for one in found:
        if one.kind == "footnote":
            labels.add((one.page, one.label))
        for line in one.lines:
            compounds.learn(line.words)
    writer = PdfWriter(pages, compounds, labels)
    writer.write(found)
    return writer.builder.finish()


def _remarks(pages: Sequence[PdfPage]) -> list[Notice]:
    """What a reader should know of the text."""
    out = []
    if hidden := sum(page.hidden for page in pages):
        where = _list_pages([page.number for page in pages if page.hidden])
        out.append(Notice("hidden-text", f"left out {hidden} characters that nobody sees on the page", where))
    if unreadable := sum(page.unreadable for page in pages):
        where = _list_pages([page.number for page in pages if page.unreadable])
        message = f"{unreadable} characters have no meaning outside the PDF's own fonts and read \ufffd"
        out.append(Notice("unreadable-characters", message, where))
    if notes := sum(page.notes for page in pages):
        where = _list_pages([page.number for page in pages if page.notes])
        out.append(
            Notice("notes-left-out", f"{notes} notes, text boxes or form fields on the pages were not read", where)
        )
    if unmapped := sum(page.unmapped for page in pages):
        where = _list_pages([page.number for page in pages if page.unmapped])
        message = f"the fonts of {unmapped} pieces of text do not say which characters they are: words may be wrong"
        out.append(Notice("unmapped-characters", message, where))
    if not any(page.characters for page in pages) and not any(page.scanned for page in pages):
        out.append(Notice("no-text", f"the PDF has no text: {len(pages)} pages are empty or drawn without letters"))
    return out


def _confidence(pages: Sequence[PdfPage]) -> float:
    """How sure the text is, by characters; pages that nobody could read count as one of the others."""
    read = [page.characters for page in pages if page.characters]
    usual = sum(read) / len(read) if read else _USUAL
    weights = [(page.characters or (usual if page.scanned else 0), page.sure) for page in pages]
    total = sum(weight for weight, _ in weights)
    return round(sum(weight * sure for weight, sure in weights) / total, 4) if total else 1.0


def _list_pages(numbers: Sequence[int]) -> str:
    """Page numbers for people."""
    told = ", ".join(map(str, numbers[:8])) + (", ..." if len(numbers) > 8 else "")
    return f"page {told}" if len(numbers) == 1 else f"pages {told}"
