"""A page of a PDF as a picture, drawn in the same restricted process that reads PDFs."""

from __future__ import annotations

from base64 import b64encode
from io import BytesIO
from math import sqrt

from seamline.errors import ParseError
from seamline.parse.parser_types import ParseInput, ParseResult
from seamline.parse.pdf.source import open_in_turn

_SCALE = 2.0
"""Dots per point: sharp on most screens."""
_MOST_PIXELS = 8_000_000
"""Of one picture; a larger page is drawn coarser."""


def draw_page(raw: ParseInput) -> ParseResult:
    """A picture as base64 in `text`, with its size in points in `meta`. `raw.text` is the number of the page."""
    import pypdfium2

    for opened in open_in_turn(raw):
        number = int(raw.text)
        if not 1 <= number <= len(opened.document):
            raise ParseError(f"there is no page {number}: the PDF has {len(opened.document)}", raw.uri)
        page = opened.document[number - 1]
        width, height = page.get_size()
        scale = min(_SCALE, sqrt(_MOST_PIXELS / max(width * height, 1.0)))
        out = BytesIO()
        try:
            page.render(scale=scale).to_pil().save(out, "PNG")
        except (pypdfium2.PdfiumError, ValueError) as error:
            raise ParseError(f"page {number} cannot be drawn: {error}", raw.uri) from None
        size = {"width": round(width, 2), "height": round(height, 2), "pages": len(opened.document)}
        return ParseResult(b64encode(out.getvalue()).decode(), [], meta=size)
    raise ParseError("the PDF is damaged, or has no pages: save or download it again", raw.uri)
