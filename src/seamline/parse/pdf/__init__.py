"""PDF: text with its layout, by PDFium; pages that are pictures, by OCR.

pages (text, figures) -> order (columns) -> tables -> paragraphs (lists, code, footnotes) -> headings -> `parser`, which
puts the steps together and writes the document.
"""

from __future__ import annotations

from seamline.parse.pdf.parser import parse

__all__ = ["parse"]
