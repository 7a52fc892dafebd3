"""PDF: headings, reading order, tables and words against what a person sees, and speed beside PDFium's own passes.

What is judged:
- headings: those a person marked on the rendered pages, by text and level; found, and found too many.
- order: on the sample in two columns, how often the text goes from the right column back to the left on a page (0 is
  right: each page goes from left to right once).
- tables: rows x columns, exactly, as counted on the page.
- words: the words of the best of three libraries, as a multiset, that are in our text.
- speed: CPU time per page of `parse` beside two passes of pypdfium2 over the same files: `text` (load the page, get its
  text) and `characters` (load the page; of each character ask code point, box, font size, weight and name). The bar is
  1.5 times the second, which yields what `parse` starts from.
- sight: scans by the OCR engine that is installed, and the first of them made worse step by step (smaller, blurred,
  with noise): confidence, words, and whether it is flagged for review.
"""

from __future__ import annotations

import ctypes
import re
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.common import options
from seamline.errors import ParseError
from seamline.parse.media.ocr import choose_engine
from seamline.parse.parser_types import ParseInput, ParseResult
from seamline.parse.pdf import parse

BAR = 1.5
ROUNDS = 5
MIDDLE = 303.0
"""Where the gutter is on the sample in two columns."""
WORD = re.compile("[\u2e80-\u9fff\uac00-\ud7ff]|[^\\W\u2e80-\u9fff\uac00-\ud7ff]+")
"""Words; single characters of scripts that end lines in the middle of words."""
BROKEN = re.compile("[-\ufffe\u00ad\x02]\\s*\n\\s*(?=[a-z])|[\ufffe\x02\u00ad](?=[a-z])")


SCANNED = "Docling bundles PDF document conversion to JSON and Markdown in an easy self contained package"
"""What the scans show."""


class Seen(NamedTuple):
    """What a person sees in a sample."""

    headings: tuple[tuple[int, str], ...] = ()
    tables: tuple[tuple[int, int], ...] = ()


SEEN = {
    "2305.03393v1-pg9.pdf": Seen(
        ((1, "5.1 Hyper Parameter Optimization"), (1, "5.2 Quantitative Results")), ((10, 8),)
    ),
    "amt_handbook_sample.pdf": Seen(
        ((1, "Boots Self-Locking Nut"), (1, "Stainless Steel Self-Locking Nut"), (1, "Elastic Stop Nut"))
    ),
    "bookmark_sample.pdf": Seen(
        (
            (1, "PART I - DEFINITIONS"),
            (2, "1. Interpretation"),
            (2, "2. Construction of Terms"),
            (1, "PART II - OBLIGATIONS"),
            (2, "3. Payment Terms"),
            (3, "3.1 Payment Schedule"),
            (2, "4. Termination"),
            (1, "PART III - MISCELLANEOUS"),
        )
    ),
    "code_and_formula.pdf": Seen(((1, "JavaScript Code Example"), (1, "Formula"))),
    "google-doc-document.pdf": Seen(((1, "Example document"),), ((5, 6),)),
    "multi_page.pdf": Seen(
        (
            (1, "The Evolution of the Word Processor"),
            (2, "Pre-Digital Era (19th - Early 20th Century)"),
            (2, "The Birth of Word Processing (1960s - 1970s)"),
            (2, "The Rise of Personal Computers (1980s)"),
            (2, "The Modern Era (1990s - Present)"),
            (2, "Future of Word Processing"),
            (2, "Specialized Word Processing Tools"),
            (2, "Key Features That Changed Word Processing"),
            (2, "The Cultural Impact of Word Processors"),
            (2, "Word Processors in a Post-Digital Era"),
            (2, "A Glimpse Into the Future"),
        )
    ),
    "multicolumn.pdf": Seen(((1, "Two-Column Document with Lorem Ipsum"), (2, "Abstract")), ((6, 5),)),
    "normal_4pages.pdf": Seen(
        (
            (1, "코로나-19 관련 보험약관상 재해보험금 지급문제 및 개선과제"),
            (2, "1 들어가며"),
            (2, "2 코로나-19 관련 보험 현황"),
            (3, "(1) 「감염병의 예방 및 관리에 관한 법률」 개정"),
            (3, "(2) 생명보험 표준약관 재해분류표"),
            (3, "(3) 「약관의 규제에 관한 법률」상 약관해석의 원칙"),
            (3, "(4) 생보업계의 재해보험금 지급에 대한 의견"),
            (2, "3 문제점"),
            (3, "(1) 상위법에 반하는 보험약관의 해석"),
            (3, "(2) 감독당국의 표준약관 개정작업 소홀"),
            (3, "(3) 보험사의 보험금 지급실무상 혼선 초래"),
            (3, "(4) 신종위험에 대비한 상품 부족"),
            (2, "4 개선과제"),
            (3, "(1) 「약관규제법」에 따른 보험금 지급 검토 필요"),
            (3, "(2) 감독당국의 적극적 보험정책 및 행정 필요"),
            (3, "(3) 신종위험에 대비하는 보험상품 개발 필요"),
            (2, "5 맺으며"),
        ),
        ((5, 3),),
    ),
    "pdflatex-4-pages.pdf": Seen(),
    "right_to_left_01.pdf": Seen(((1, "تحسين الإنتاجية وحل المشكلات من خلال البرمجة بلغة R وPython"),)),
    "table_mislabeled_as_picture.pdf": Seen((), ((8, 3),)),
}
"""By a person, from the rendered pages (and the outline, where there is one)."""


def main() -> None:
    arguments = options(__doc__).parse_args()
    samples = sorted((arguments.data / "documents" / "pdf").glob("*.pdf"))
    print(f"{'sample':34} {'headings':>9} {'levels':>7} {'extra':>5} {'tables':>7} {'words':>14}  against")
    done: list[tuple[Path, ParseInput]] = []
    for path in samples:
        raw = ParseInput(path.read_bytes(), uri=path.name)
        try:
            parsed = parse(raw)
        except ParseError as error:
            print(f"{path.name:34} refused: {error}")
            continue
        done.append((path, raw))
        print(_fidelity(path, parsed))
    print()
    _order(next(raw for path, raw in done if path.name == "multicolumn.pdf"))
    print()
    _speed(done)
    print()
    _sight(sorted((arguments.data / "documents" / "ocr").glob("*.pdf")))


def _fidelity(path: Path, parsed: ParseResult) -> str:
    seen = SEEN.get(path.name, Seen())
    found = [
        (block.level, parsed.text[block.start : block.end].lstrip("# "))
        for block in parsed.blocks
        if block.kind == "heading"
    ]
    texts = [text for _, text in found]
    right = sum(text in texts for _, text in seen.headings)
    levels = sum(heading in found for heading in seen.headings)
    extra = len(found) - right
    shapes = _shapes(parsed)
    tables = sum((Counter(seen.tables) & Counter(shapes)).values())
    told = " ".join(notice.message for notice in parsed.notices if notice.code == "running-text")
    share, name = agreement(path, f"{parsed.text} {told}")
    return (
        f"{path.name:34} {f'{right}/{len(seen.headings)}':>9} {f'{levels}/{len(seen.headings)}':>7} {extra:>5}"
        f" {f'{tables}/{len(seen.tables)}':>5}{f'+{len(shapes) - tables}':>2} {share:>14.2%}  {name}"
    )


def _shapes(parsed: ParseResult) -> list[tuple[int, int]]:
    """Rows and columns of every table."""
    out = []
    for index, block in enumerate(parsed.blocks):
        if block.kind == "table":
            rows = [row for row in parsed.blocks if row.kind == "row" and row.parent == index]
            first = parsed.text[rows[0].start : rows[0].end]
            out.append((len(rows), first.replace("\\|", "").count("|") - 1))
    return out


def agreement(path: Path, text: str) -> tuple[float, str]:
    """The share of the words of one of three libraries that are in a text, and the library it agrees with most."""
    ours = Counter(WORD.findall(_even(text)))
    shares = []
    for name, other in _libraries(path).items():
        theirs = Counter(WORD.findall(_even(BROKEN.sub("", other.replace("\r\n", "\n")))))
        shares.append((sum((ours & theirs).values()) / max(sum(theirs.values()), 1), name))
    return max(shares)


def _even(text: str) -> str:
    return text.replace("\u2044", " ").lower()


def _libraries(path: Path) -> dict[str, str]:
    import pdfplumber
    import pypdf
    import pypdfium2

    document = pypdfium2.PdfDocument(path)
    with pdfplumber.open(path) as plumbed:
        return {
            "pypdfium2": "\n".join(page.get_textpage().get_text_range() for page in document),
            "pypdf": "\n".join(page.extract_text() for page in pypdf.PdfReader(path).pages),
            "pdfplumber": "\n".join(page.extract_text() or "" for page in plumbed.pages),
        }


def _order(raw: ParseInput) -> None:
    """How often the text goes from the right column to the left, page by page."""
    parsed = parse(raw)
    back: Counter[int] = Counter()
    over: Counter[int] = Counter()
    last: tuple[int, str] | None = None
    for run in parsed.anchors or ():
        left, _, right, _ = run.place["box"]
        if left < MIDDLE < right:
            continue  # across both columns
        here = run.place["page"], "left" if right < MIDDLE else "right"
        if last is not None and last[0] == here[0] and last[1] != here[1]:
            (over if here[1] == "right" else back)[here[0]] += 1
        last = here
    print(f"order in two columns: left to right {dict(over)}, back from right to left {dict(back)} (by page)")


def _speed(done: list[tuple[Path, ParseInput]]) -> None:
    print(f"ms CPU per page, best of {ROUNDS}:")
    print(f"{'sample':34} {'pages':>5} {'text':>8} {'characters':>10} {'parse':>8} {'ratio':>6}")
    sums = [0.0, 0.0, 0.0]
    count = 0
    for path, raw in done:
        pages = _count(raw)
        times = [_best(run, raw) for run in (_text_pass, _character_pass, parse)]
        sums = [total + own for total, own in zip(sums, times, strict=True)]
        count += pages
        print(_line(path.name, pages, times))
    print(_line("all", count, sums))
    print(f"pages/s: text {count / sums[0]:.0f}, characters {count / sums[1]:.0f}, parse {count / sums[2]:.0f}")
    print(f"bar {BAR} x characters: {'held' if sums[2] <= BAR * sums[1] else 'MISSED'}")


def _sight(samples: list[Path]) -> None:
    engine = choose_engine("auto")
    if engine is None:
        print("no OCR engine installed: scans are not read")
        return
    print(f"{'scan, by ' + engine.name:34} {'s CPU':>6} {'confidence':>10} {'words':>8} {'review':>6}")
    for path in samples:
        print(_sighted(path.name, ParseInput(path.read_bytes())))
    for blur, noise in ((1.0, 20), (2.0, 60), (3.0, 100)):
        raw = ParseInput(_worse(samples[0], blur, noise))
        print(_sighted(f"  blur {blur}, noise {noise}", raw))


def _sighted(name: str, raw: ParseInput) -> str:
    start = time.process_time()
    parsed = parse(raw)
    seconds = time.process_time() - start
    found = Counter(WORD.findall(parsed.text.lower()))
    right = sum((found & Counter(WORD.findall(SCANNED.lower()))).values())
    review = "yes" if any(notice.code == "needs-review" for notice in parsed.notices) else "no"
    share = f"{right}/{len(WORD.findall(SCANNED))}"
    return f"{name:34} {seconds:>6.1f} {parsed.confidence:>10.2f} {share:>8} {review:>6}"


def _worse(path: Path, blur: float, noise: int) -> bytes:
    """A scan at 100 dots per inch, blurred and with noise, as a PDF."""
    import io

    import pypdfium2
    from PIL import ImageChops, ImageFilter

    page = pypdfium2.PdfDocument(path)[0].render(scale=100 / 72, grayscale=True).to_pil()
    noisy = ImageChops.add(page.filter(ImageFilter.GaussianBlur(blur)), _noise(page.size, noise), 1, -128)
    out = io.BytesIO()
    noisy.convert("L").save(out, "PDF", resolution=100)
    return out.getvalue()


def _noise(size: tuple[int, int], strength: int) -> Any:
    """The same noise in every run."""
    import random

    from PIL import Image

    source = random.Random(7)
    values = bytes(min(max(round(source.gauss(128, strength)), 0), 255) for _ in range(size[0] * size[1]))
    return Image.frombytes("L", size, values)


def _line(name: str, pages: int, times: list[float]) -> str:
    text, characters, ours = (1000 * one / pages for one in times)
    return f"{name:34} {pages:>5} {text:>8.2f} {characters:>10.2f} {ours:>8.2f} {ours / characters:>6.2f}"


def _count(raw: ParseInput) -> int:
    import pypdfium2

    return len(pypdfium2.PdfDocument(raw.data))


def _best(work: Callable[[ParseInput], Any], raw: ParseInput) -> float:
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work(raw)
        times.append(time.process_time() - start)
    return min(times)


def _text_pass(raw: ParseInput) -> int:
    import pypdfium2

    return sum(len(page.get_textpage().get_text_range()) for page in pypdfium2.PdfDocument(raw.data))


def _character_pass(raw: ParseInput) -> int:
    """Code point, box, font size, weight and name of every character, by the library's own calls."""
    import pypdfium2
    import pypdfium2.raw as library

    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    name, flags = ctypes.create_string_buffer(256), ctypes.c_int()
    total = 0
    for page in pypdfium2.PdfDocument(raw.data):
        text_page = page.get_textpage()
        handle = text_page.raw
        characters = []
        for index in range(library.FPDFText_CountChars(handle)):
            code = library.FPDFText_GetUnicode(handle, index)
            library.FPDFText_GetCharBox(handle, index, left, right, bottom, top)
            size = library.FPDFText_GetFontSize(handle, index)
            weight = library.FPDFText_GetFontWeight(handle, index)
            library.FPDFText_GetFontInfo(handle, index, name, 256, flags)
            characters.append((code, left.value, right.value, bottom.value, top.value, size, weight, name.value))
        total += len(characters)
    return total


if __name__ == "__main__":
    main()
