"""Pages that are pictures of text, read by sight."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from statistics import median
from typing import Any

from seamline.parse.ocr import Engine, Seen, read_any_way_up, sureness
from seamline.parse.pdf.model import Line, Page, Sheet, Style, Word, line_of

_DPI = 250.0
_COARSEST = 60.0
"""Dots per inch below which no letter can be read."""
_MOST = 30_000_000
"""Pixels of a page."""
_SAME = 0.25
"""Lines whose heights differ by less than this are of one size."""


def read_scan(document: Any, page: Page, engine: Engine, language: str, pixels: int) -> bool:
    """Read a page by sight into its sheets; False where it is too large to be drawn."""
    import pypdfium2

    dpi = min(_DPI, 72 * sqrt(min(pixels, _MOST) / max(page.width * page.height, 1.0)))
    if dpi < _COARSEST:
        return False
    shown = document[page.number - 1]
    try:
        image = shown.render(scale=dpi / 72, grayscale=True).to_pil()
    except (pypdfium2.PdfiumError, MemoryError, ValueError):
        return False
    finally:
        shown.close()
    seen, turn = read_any_way_up(engine, image, language)
    size = (page.width, page.height) if turn % 2 == 0 else (page.height, page.width)
    # Turned clockwise to be read, the text is turned the other way on the page.
    back = (4 - turn) % 4
    page.sheets = [Sheet(back, *size, seen_lines(seen, page.number, 72 / dpi, back))] if seen else []
    page.characters = sum(len(word.text) for word in seen)
    page.sure = sureness(seen)
    return True


def seen_lines(seen: Sequence[Seen], page: int, scale: float, turn: int = 0) -> list[Line]:
    """Words that were seen, as lines in points."""
    rows: dict[int, list[Seen]] = {}
    for word in seen:
        rows.setdefault(word.line, []).append(word)
    heights = {number: scale * max(word.bottom - word.top for word in row) for number, row in rows.items()}
    usual = median(heights.values()) if heights else 1.0
    out = []
    for number, row in rows.items():
        height = usual if abs(heights[number] - usual) < _SAME * usual else heights[number]
        out.append(line_of(page, [_word(word, row, height, scale) for word in row], turn))
    return out


def _word(seen: Seen, row: Sequence[Seen], height: float, scale: float) -> Word:
    left, right = seen.left * scale, seen.right * scale
    bottom = max(word.bottom for word in row) * scale
    step = (right - left) / max(len(seen.text), 1)
    edges = [*(left + step * index for index in range(len(seen.text))), right]
    style = Style(round(height, 1))
    base = bottom - 0.2 * height
    return Word(seen.text, left, seen.top * scale, right, seen.bottom * scale, base, style, edges, sure=seen.sure)
