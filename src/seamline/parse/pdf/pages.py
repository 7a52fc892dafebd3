"""The pages of a document, read one by one: by their text, or by sight where a page is a picture of text."""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Mapping, Sequence
from math import sqrt
from statistics import median
from typing import Any

from seamline.parse.media.ocr import OcrEngine, OcrWord, mean_confidence, read_any_way_up
from seamline.parse.parser_types import ParseInput
from seamline.parse.pdf.annotations import PageNote, field_words, note_lines, read_notes
from seamline.parse.pdf.figures import read_shapes
from seamline.parse.pdf.library import TextLooks, roles
from seamline.parse.pdf.model import Box, PageSheet, PdfPage, PdfWord, TextLine, TextStyle, line_of
from seamline.parse.pdf.text import PageGeometry, PageText, ReadWord, read, read_sheets

_FEW = 12
"""A page with fewer characters than this under a picture is a scan."""
_COVERED = 0.5
"""A scan covers at least this part of its page."""
_UNREADABLE = 0.3
"""A page with a larger share of characters without a meaning is read by sight."""
_UNMAPPED = 0.5
"""And one with a larger share of text whose fonts do not say which characters they hold."""
_FLAT_NORMAL = 0
"""Draw annotations into a page as they are shown."""


class PageReader:
    """Reads pages of one document."""

    def __init__(self, document: Any) -> None:
        self._document = document
        self._looks = TextLooks()
        self._form = _open_form(document)

    def read(self, index: int, room: int) -> PdfPage | None:
        """A page, or None where it cannot be read. A page of more than `room` characters is cut off there."""
        import pypdfium2.raw as raw

        handle = raw.FPDF_LoadPage(self._document.raw, index)
        if not handle:
            return None
        try:
            page, geometry, notes = self._page(handle, index + 1, room)
        finally:
            raw.FPDF_ClosePage(handle)
        if any(note.is_drawn for note in notes):
            page.asides += self._drawn_notes(index, geometry, room)
        return page

    def _page(self, handle: Any, number: int, room: int) -> tuple[PdfPage, PageGeometry, list[PageNote]]:
        geometry = _geometry(handle)
        page = PdfPage(number, geometry.width, geometry.height)
        drawn = read_shapes(handle, geometry)
        page.rules, page.images = drawn.rules, drawn.images
        notes, page.notes = read_notes(handle, self._form, geometry)
        page.asides = note_lines(notes, number, geometry)
        found = _upright_text(handle, geometry, self._looks, room)
        if found is not None:
            self._fill(page, found)
        if fields := field_words(notes, geometry):
            tokens = [*(found.tokens if found else ()), *fields]
            page.sheets = read_sheets(tokens, number, page.width, page.height)
            page.characters += sum(len(token.word.text) for token in fields)
        page.scanned = page.characters < _FEW and _covered_share(page) > _COVERED
        return page, geometry, notes

    def _fill(self, page: PdfPage, found: PageText) -> None:
        tokens = found.tokens
        unseen = sum(len(token.word.text) for token in found.unseen)
        if found.unseen and _covered_share(page) > _COVERED:
            tokens, unseen = found.unseen if len(found.unseen) > len(tokens) else [*tokens, *found.unseen], 0
        page.sheets = read_sheets(tokens, page.number, page.width, page.height)
        page.characters = sum(len(token.word.text) for token in tokens)
        page.unreadable, page.unmapped = found.unreadable, found.unmapped
        page.hidden = found.hidden + unseen
        page.garbled = found.unreadable > _UNREADABLE * found.characters or (
            found.unmapped > _UNMAPPED * found.pieces and found.unreadable > 0
        )

    def _drawn_notes(self, index: int, geometry: PageGeometry, room: int) -> list[list[TextLine]]:
        """The lines of text boxes and stamps that the file draws: what the page has more once they are in it."""
        before = self._tokens(index, geometry, room, is_flat=False)
        after = self._tokens(index, geometry, room, is_flat=True)
        count = len(before)
        if [token.word.text for token in after[:count]] != [token.word.text for token in before]:
            known = Counter(token.word.text for token in before)
            more = [token for token in after if not _take(known, token.word.text)]
        else:
            more = after[count:]
        sheets = read_sheets(more, index + 1, geometry.width, geometry.height)
        return [[line] for sheet in sheets for line in sheet.lines]

    def _tokens(self, index: int, geometry: PageGeometry, room: int, *, is_flat: bool) -> list[ReadWord]:
        """The words of a page, with annotations drawn into it or without."""
        import pypdfium2.raw as raw

        handle = raw.FPDF_LoadPage(self._document.raw, index)
        if handle and is_flat:
            raw.FPDFPage_Flatten(handle, _FLAT_NORMAL)
            raw.FPDF_ClosePage(handle)
            handle = raw.FPDF_LoadPage(self._document.raw, index)
        if not handle:
            return []
        try:
            found = _upright_text(handle, geometry, self._looks, room)
            return found.tokens if found else []
        finally:
            raw.FPDF_ClosePage(handle)


def _take(known: Counter[str], text: str) -> bool:
    """Whether a text is among those known, each once."""
    known[text] -= 1
    return known[text] >= 0


def _open_form(document: Any) -> Any:
    """What PDFium needs to be asked for the values of fields; None where a document has no form."""
    import pypdfium2
    import pypdfium2.raw as raw

    if document.get_formtype() == raw.FORMTYPE_NONE:
        return None
    try:
        document.init_forms()
    except pypdfium2.PdfiumError:
        return None
    return document.formenv.raw if document.formenv is not None else None


def _upright_text(handle: Any, geometry: PageGeometry, looks: TextLooks, room: int) -> PageText | None:
    """The text of a page, read while it is turned so that most of it is upright: PDFium orders it as it is shown."""
    import pypdfium2.raw as raw

    tagged = roles(handle)
    is_turned = geometry.turn != 0
    if is_turned:
        raw.FPDFPage_SetRotation(handle, 0)
    try:
        found = _page_text(handle, geometry, looks, room, tagged)
        turns = Counter((token.turn - geometry.turn) % 4 for token in found.tokens) if found else Counter()
        turn = turns.most_common(1)[0][0] if turns else 0
        if turn and found is not None and not found.is_vertical:
            is_turned = True
            raw.FPDFPage_SetRotation(handle, (4 - turn) % 4)
            found = _page_text(handle, geometry, looks, room, tagged)
    finally:
        if is_turned:
            raw.FPDFPage_SetRotation(handle, geometry.turn)
    return found


def _page_text(
    handle: Any, geometry: PageGeometry, looks: TextLooks, room: int, tagged: Mapping[int, str]
) -> PageText | None:
    import pypdfium2.raw as raw

    text_page = raw.FPDFText_LoadPage(handle)
    if not text_page:
        return None
    try:
        count = min(raw.FPDFText_CountChars(text_page), room)
        return read(text_page, count, geometry, looks, tagged) if count > 0 else None
    finally:
        raw.FPDFText_ClosePage(text_page)


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
