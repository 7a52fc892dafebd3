"""PDF: text with its layout, by PDFium; pages that are pictures, by OCR.

glyphs -> lines -> order (columns) -> ruled, aligned (tables), figures -> passages (paragraphs, lists, code) ->
footnotes, joins, headings -> write. `parser` puts the steps together.
"""

from __future__ import annotations

from seamline.parse.pdf.parser import parse

__all__ = ["parse"]
