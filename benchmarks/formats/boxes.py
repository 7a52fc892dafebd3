"""Boxes of PDF chunks: drawn on the rendered pages, and checked word by word.

Every sample is cut; the boxes of each chunk are drawn in its colour into build/boxes/<sample>-<page>.png. The words
that PDFium itself sees on a page (runs of its characters between spaces, with their boxes) are held against the chunks:
- in: of the words whose centre lies in a chunk's boxes, the share that is in the chunk's text;
- out: of the words of a chunk's text that stand on the page, the share that lies in its boxes.
Both must be 98 % or more. Words are compared without case and marks; running heads and hidden text are in no chunk and
left out of both; the halves of a word that a hyphen parts at the end of a line are one, where its first half stands.
"""

from __future__ import annotations

import colorsys
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import seamline
from benchmarks.common import ROOT, options
from seamline.errors import ParseError
from seamline.parse import parse_file
from seamline.parse.pdf.pages import _geometry
from seamline.parse.pdf.text import PageGeometry
from seamline.types import Chunk, Document

BAR = 0.98
TARGET = ROOT / "build" / "boxes"
SCALE = 1.4
TOKEN = re.compile("[^\\s\ufffe\x02]+[\ufffe\x02]?")
HYPHENS = {"\ufffe", "\x02"}
PLAIN = re.compile(r"\w+")
BACKWARD = re.compile("[\u0590-\u08ff]")
"""Scripts in which PDFium turns the letters of a ligature around: there the letters count, not their order."""
UNSPACED = re.compile("[\u2e80-\u9fff\uac00-\ud7ff]")


class Word(NamedTuple):
    text: str
    page: int
    x: float
    y: float


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--limit", type=int, default=128, help="tokens of a chunk")
    parser.add_argument("--no-pictures", action="store_true", help="measure only")
    arguments = parser.parse_args()
    paths = sorted(path for kind in ("pdf", "ocr") for path in (arguments.data / "documents" / kind).glob("*.pdf"))
    print(f"{'sample':34} {'pages':>5} {'chunks':>6} {'words':>6} {'in':>8} {'out':>8}")
    for path in paths:
        try:
            document = parse_file(path)
        except ParseError as error:
            print(f"{path.name:34} refused: {error}")
            continue
        chunks = seamline.chunk(document, limit=arguments.limit)
        pages = draw(path, chunks) if not arguments.no_pictures else count(path)
        words = words_of(path)
        if not words:
            print(f"{path.name:34} {pages:>5} {len(chunks):>6} {'scan':>6}")
            continue
        inside, outside = shares(document, chunks, words)
        verdict = "" if min(inside, outside) >= BAR else f"  below {BAR:.0%}"
        print(f"{path.name:34} {pages:>5} {len(chunks):>6} {len(words):>6} {inside:>8.2%} {outside:>8.2%}{verdict}")


def shares(document: Document, chunks: Sequence[Chunk], words: Sequence[Word]) -> tuple[float, float]:
    """Of words in boxes, those in the text; of words in the text, those in boxes."""
    held = right = wanted = found = 0
    texts = Counter(piece for word in words for piece in pieces(word.text))
    for chunk in chunks:
        boxes = chunk.place.get("boxes", [])
        own = Counter(piece for piece in pieces(chunk.render("body")) if piece in texts)
        inside = Counter(piece for word in words if within(word, boxes) for piece in pieces(word.text))
        held += sum(inside.values())
        wanted += sum(own.values())
        right += sum((inside & own).values())
        found += sum((inside & own).values())
    return right / max(held, 1), found / max(wanted, 1)


def pieces(text: str) -> list[str]:
    """What is compared of a text: its words without marks, and single characters of scripts without spaces."""
    out: list[str] = []
    for word in PLAIN.findall(text.lower()):
        if UNSPACED.search(word):
            out += list(word)
        else:
            out.append("".join(sorted(word)) if BACKWARD.search(word) else word)
    return out


def within(word: Word, boxes: Sequence[Sequence[float]]) -> bool:
    return any(
        page == word.page and left <= word.x <= right and top <= word.y <= bottom
        for page, left, top, right, bottom in boxes
    )


def words_of(path: Path) -> list[Word]:
    """The words that PDFium sees, and their centres on the pages as shown."""
    import pypdfium2

    out: list[Word] = []
    for index, page in enumerate(pypdfium2.PdfDocument(path)):
        text_page = page.get_textpage()
        text = "".join(
            chr(pypdfium2.raw.FPDFText_GetUnicode(text_page.raw, at)) for at in range(text_page.count_chars())
        )
        geometry = _geometry(page.raw)
        for found in TOKEN.finditer(text):
            if text[found.start() - 1 : found.start()] in HYPHENS:  # the other half of the word before
                out[-1] = out[-1]._replace(text=out[-1].text[:-1] + found.group())
                continue
            boxes = [text_page.get_charbox(at, loose=True) for at in range(*found.span())]
            x = (min(box[0] for box in boxes) + max(box[2] for box in boxes)) / 2
            y = (min(box[1] for box in boxes) + max(box[3] for box in boxes)) / 2
            out.append(Word(found.group(), index + 1, *shown(x, y, geometry)))
    return out


def shown(x: float, y: float, geometry: PageGeometry) -> tuple[float, float]:
    """A point of the content on the page as shown."""
    left, bottom, right, top, turn = geometry
    return ((x - left, top - y), (y - bottom, x - left), (right - x, y - bottom), (top - y, right - x))[turn]


def count(path: Path) -> int:
    import pypdfium2

    return len(pypdfium2.PdfDocument(path))


def draw(path: Path, chunks: Sequence[Chunk]) -> int:
    """Pages as pictures with the boxes of each chunk in its colour; how many."""
    import pypdfium2
    from PIL import Image, ImageDraw

    TARGET.mkdir(parents=True, exist_ok=True)
    document = pypdfium2.PdfDocument(path)
    for number, page in enumerate(document, 1):
        picture: Any = page.render(scale=SCALE).to_pil().convert("RGBA")
        over = Image.new("RGBA", picture.size, (0, 0, 0, 0))
        pen = ImageDraw.Draw(over)
        for chunk in chunks:
            red, green, blue = (round(255 * part) for part in colorsys.hsv_to_rgb(chunk.index * 0.381 % 1, 0.9, 0.8))
            for on, *box in chunk.place.get("boxes", []):
                if on == number:
                    pen.rectangle(
                        [side * SCALE for side in box], fill=(red, green, blue, 50), outline=(red, green, blue, 255)
                    )
        Image.alpha_composite(picture, over).convert("RGB").save(TARGET / f"{path.stem}-{number}.png")
    return len(document)


if __name__ == "__main__":
    main()
