"""Pages of PDFs as pictures."""

from __future__ import annotations

from base64 import b64decode
from typing import NamedTuple


class PagePicture(NamedTuple):
    """A page as PNG, with its size in points: boxes of anchors are in these."""

    png: bytes
    width: float
    height: float
    pages: int
    """How many the PDF has."""


def page_picture(pdf: bytes, number: int) -> PagePicture:
    """A page of a PDF, from 1, drawn in a restricted process; a ParseError where it cannot be."""
    from seamline.formats import BY_NAME
    from seamline.parse.isolate.process import parse_apart
    from seamline.parse.parser_types import ParseInput

    drawer = BY_NAME["pdf"]._replace(parser="seamline.parse.pdf.picture:draw_page")
    drawn = parse_apart(drawer, ParseInput(pdf, str(number), media_type=drawer.media_type))
    return PagePicture(b64decode(drawn.text), drawn.meta["width"], drawn.meta["height"], drawn.meta["pages"])
