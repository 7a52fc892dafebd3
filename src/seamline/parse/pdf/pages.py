"""The pages of a document, read one by one: by their text, or by sight where a page is a picture of text."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from math import sqrt
from statistics import median
from typing import Any

from seamline.parse.media.ocr import OcrEngine, OcrWord, mean_confidence, read_any_way_up
from seamline.parse.parser_types import ParseInput
from seamline.parse.pdf.figures import read_shapes
from seamline.parse.pdf.library import TextLooks, roles
from seamline.parse.pdf.model import Box, PageSheet, PdfPage, PdfWord, TextLine, TextStyle, line_of
from seamline.parse.pdf.text import PageGeometry, read, read_sheets

_FEW = 12
"""A page with fewer characters than this under a picture is a scan."""
_COVERED = 0.5
"""A scan covers at least this part of its page."""
_SAYS = {1: b"Contents", 3: b"Contents", 20: b"V"}
"""Kinds of annotations that hold text of their own, and under which name: notes, text boxes, fields."""
_MOST = 500
"""Annotations of a page that are looked at."""


class PageReader:
    """Reads pages of one document."""

    def __init__(self, document: Any) -> None:
        self._document = document
        self._looks = TextLooks()

    def read(self, index: int, room: int) -> PdfPage | None:
        """A page, or None where it cannot be read. A page of more than `room` characters is cut off there."""
        import pypdfium2.raw as raw

        handle = raw.FPDF_LoadPage(self._document.raw, index)
        if not handle:
            return None
        try:
            return self._page(handle, index + 1, room)
        finally:
            raw.FPDF_ClosePage(handle)

    def _page(self, handle: Any, number: int, room: int) -> PdfPage:
        import pypdfium2.raw as raw

        geometry = _geometry(handle)
        page = PdfPage(number, geometry.width, geometry.height)
        drawn = read_shapes(handle, geometry)
        page.rules, page.images = drawn.rules, drawn.images
        page.notes = _notes(handle)
        text_page = raw.FPDFText_LoadPage(handle)
        if not text_page:
            return page
        try:
            count = min(raw.FPDFText_CountChars(text_page), room)
            if count > 0:
                self._read(page, text_page, count, geometry, roles(handle))
        finally:
            raw.FPDFText_ClosePage(text_page)
        page.scanned = page.characters < _FEW and _covered_share(page) > _COVERED
        return page

    def _read(
        self, page: PdfPage, text_page: Any, count: int, geometry: PageGeometry, tagged: Mapping[int, str]
    ) -> None:
        found = read(text_page, count, geometry, self._looks, tagged)
        tokens = found.tokens
        unseen = sum(len(token.word.text) for token in found.unseen)
        if found.unseen and _covered_share(page) > _COVERED:
            tokens, unseen = found.unseen if len(found.unseen) > len(tokens) else [*tokens, *found.unseen], 0
        page.sheets = read_sheets(tokens, page.number, page.width, page.height)
        page.characters = sum(len(token.word.text) for token in tokens)
        page.unreadable, page.unmapped = found.unreadable, found.unmapped
        page.hidden = found.hidden + unseen


def _notes(handle: Any) -> int:
    """How many notes, text boxes and fields with something in them lie on a page."""
    import pypdfium2.raw as raw

    found = 0
    for index in range(min(max(raw.FPDFPage_GetAnnotCount(handle), 0), _MOST)):
        note = raw.FPDFPage_GetAnnot(handle, index)
        if not note:
            continue
        key = _SAYS.get(raw.FPDFAnnot_GetSubtype(note))
        # A string of nothing is two bytes long: its end.
        found += key is not None and raw.FPDFAnnot_GetStringValue(note, key, None, 0) > 2
        raw.FPDFPage_CloseAnnot(note)
    return found


def _geometry(handle: Any) -> PageGeometry:
    import pypdfium2.raw as raw

    rect = raw.FS_RECTF()
    turn = max(raw.FPDFPage_GetRotation(handle), 0) % 4
    width, height = raw.FPDF_GetPageWidthF(handle), raw.FPDF_GetPageHeightF(handle)
    if raw.FPDF_GetPageBoundingBox(handle, ctypes.byref(rect)) and rect.right > rect.left and rect.top > rect.bottom:
        return PageGeometry(rect.left, rect.bottom, rect.right, rect.top, turn)
    return PageGeometry(0.0, 0.0, *((height, width) if turn % 2 else (width, height)), turn)


def _covered_share(page: PdfPage) -> float:
    """The part of a page that its largest picture covers."""
    area = page.width * page.height
    whole = Box(0, 0, page.width, page.height)
    most = 0.0
    for image in page.images:
        seen = image.within(whole)
        most = max(most, max(seen.width, 0) * max(seen.height, 0))
    return most / area if area > 0 else 0.0


_DPI = 250.0
_COARSEST = 60.0
"""Dots per inch below which no letter can be read."""
_MOST_SCANS = 30_000_000
"""Pixels of a page."""
_SAME = 0.25
"""Lines whose heights differ by less than this are of one size."""


def read_scan(document: Any, page: PdfPage, engine: OcrEngine, raw: ParseInput) -> bool:
    """Read a page by sight into its sheets; False where it is too large to be drawn."""
    import pypdfium2

    dpi = min(_DPI, 72 * sqrt(min(raw.limits.pixels, _MOST_SCANS) / max(page.width * page.height, 1.0)))
    if dpi < _COARSEST:
        return False
    shown = document[page.number - 1]
    try:
        image = shown.render(scale=dpi / 72, grayscale=True).to_pil()
    except (pypdfium2.PdfiumError, MemoryError, ValueError):
        return False
    finally:
        shown.close()
    seen, turn = read_any_way_up(engine, image, raw.reading.ocr_language, raw.ask_time)
    size = (page.width, page.height) if turn % 2 == 0 else (page.height, page.width)
    # Turned clockwise to be read, the text is turned the other way on the page.
    back = (4 - turn) % 4
    page.sheets = [PageSheet(back, *size, lines_of_words(seen, page.number, 72 / dpi, back))] if seen else []
    page.characters = sum(len(word.text) for word in seen)
    page.sure = mean_confidence(seen)
    return True


def lines_of_words(seen: Sequence[OcrWord], page: int, scale: float, turn: int = 0) -> list[TextLine]:
    """Words that were seen, as lines in points."""
    rows: dict[int, list[OcrWord]] = {}
    for word in seen:
        rows.setdefault(word.line, []).append(word)
    heights = {number: scale * max(word.bottom - word.top for word in row) for number, row in rows.items()}
    usual = median(heights.values()) if heights else 1.0
    out = []
    for number, row in rows.items():
        height = usual if abs(heights[number] - usual) < _SAME * usual else heights[number]
        out.append(line_of(page, [_word(word, row, height, scale) for word in row], turn))
    return out


def _word(seen: OcrWord, row: Sequence[OcrWord], height: float, scale: float) -> PdfWord:
    left, right = seen.left * scale, seen.right * scale
    bottom = max(word.bottom for word in row) * scale
    step = (right - left) / max(len(seen.text), 1)
    edges = [*(left + step * index for index in range(len(seen.text))), right]
    style = TextStyle(round(height, 1))
    base = bottom - 0.2 * height
    return PdfWord(seen.text, left, seen.top * scale, right, seen.bottom * scale, base, style, edges, sure=seen.sure)
