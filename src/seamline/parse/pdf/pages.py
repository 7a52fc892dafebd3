"""The pages of a document, read one by one."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import Any

from seamline.parse.pdf.glyphs import Geometry, read
from seamline.parse.pdf.lines import sheets
from seamline.parse.pdf.looks import Looks
from seamline.parse.pdf.model import Box, Page
from seamline.parse.pdf.shapes import shapes
from seamline.parse.pdf.tags import roles

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
        self._looks = Looks()

    def read(self, index: int, room: int) -> Page | None:
        """A page, or None where it cannot be read. A page of more than `room` characters is cut off there."""
        import pypdfium2.raw as raw

        handle = raw.FPDF_LoadPage(self._document.raw, index)
        if not handle:
            return None
        try:
            return self._page(handle, index + 1, room)
        finally:
            raw.FPDF_ClosePage(handle)

    def _page(self, handle: Any, number: int, room: int) -> Page:
        import pypdfium2.raw as raw

        geometry = _geometry(handle)
        page = Page(number, geometry.width, geometry.height)
        drawn = shapes(handle, geometry)
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
        page.scanned = page.characters < _FEW and _covered(page) > _COVERED
        return page

    def _read(self, page: Page, text_page: Any, count: int, geometry: Geometry, tagged: Mapping[int, str]) -> None:
        found = read(text_page, count, geometry, self._looks, tagged)
        tokens = found.tokens
        unseen = sum(len(token.word.text) for token in found.unseen)
        if found.unseen and _covered(page) > _COVERED:
            tokens, unseen = found.unseen if len(found.unseen) > len(tokens) else [*tokens, *found.unseen], 0
        page.sheets = sheets(tokens, page.number, page.width, page.height)
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


def _geometry(handle: Any) -> Geometry:
    import pypdfium2.raw as raw

    rect = raw.FS_RECTF()
    turn = max(raw.FPDFPage_GetRotation(handle), 0) % 4
    width, height = raw.FPDF_GetPageWidthF(handle), raw.FPDF_GetPageHeightF(handle)
    if raw.FPDF_GetPageBoundingBox(handle, ctypes.byref(rect)) and rect.right > rect.left and rect.top > rect.bottom:
        return Geometry(rect.left, rect.bottom, rect.right, rect.top, turn)
    return Geometry(0.0, 0.0, *((height, width) if turn % 2 else (width, height)), turn)


def _covered(page: Page) -> float:
    """The part of a page that its largest picture covers."""
    area = page.width * page.height
    whole = Box(0, 0, page.width, page.height)
    most = 0.0
    for image in page.images:
        seen = Box(*map(max, image[:2], whole[:2]), *map(min, image[2:], whole[2:]))
        most = max(most, max(seen.width, 0) * max(seen.height, 0))
    return most / area if area > 0 else 0.0
