"""Pages and images without text: read by sight where an engine is, told where not, and flagged where unsure."""

from __future__ import annotations

import io
import struct
import zlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pdf_maker import PageMaker, pdf, rows
from PIL import Image, PngImagePlugin

from seamline.errors import MissingExtra, ParseError, SeamlineError
from seamline.parse import parse_bytes
from seamline.parse.media import image, ocr
from seamline.parse.media.ocr import OcrWord
from seamline.parse.parser_types import ParseInput, ParseLimits, ParseResult
from seamline.parse.pdf import parse
from seamline.recipe.recipe import ParseOptions
from seamline.testing.parsers import check_document
from seamline.types import Detail, Document, Source

SCAN = pdf(PageMaker().picture(0, 0, 612, 792))


class Scripted:
    """An engine that sees what it is told, where the image is as wide as it likes."""

    name = "scripted"

    def __init__(self, words: str, sure: float, *, is_wide: bool = False) -> None:
        self.words, self.sure, self.is_wide = words, sure, is_wide
        self.sizes: list[tuple[int, int]] = []

    def read(self, image: Any, language: str) -> list[OcrWord]:
        self.sizes.append(image.size)
        is_right = not self.is_wide or image.width > image.height
        sure = self.sure if is_right else 0.1
        return [
            OcrWord(word, 100.0 + 60 * at, 200.0, 150.0 + 60 * at, 220.0, sure, 0)
            for at, word in enumerate(self.words.split())
        ]


@pytest.fixture
def sees(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Put an engine in place of the one installed."""

    def put(engine: Scripted | None) -> Scripted | None:
        monkeypatch.setattr(ocr, "load_engine", lambda: engine)
        return engine

    return put


def checked(parsed: ParseResult) -> ParseResult:
    check_document(
        Document("doc", Source(), parsed.text, parsed.blocks, notices=parsed.notices, anchors=parsed.anchors)
    )
    return parsed


def codes(parsed: ParseResult) -> list[str]:
    return [notice.code for notice in parsed.notices]


def test_a_scan_is_read_and_says_how_sure_it_is(sees: Any) -> None:
    sees(Scripted("The words of the page", 0.9))
    parsed = checked(parse(ParseInput(SCAN)))
    assert parsed.text == "The words of the page"
    assert parsed.confidence == pytest.approx(0.9)
    assert parsed.blocks[0].detail == Detail(confidence=0.9)
    assert codes(parsed) == ["ocr"]
    assert parsed.anchors is not None
    (box,) = parsed.anchors.at(0, 3)["boxes"]
    assert box[1] == pytest.approx(100 * 72 / 250, abs=0.5)


def test_an_unsure_scan_is_for_review(sees: Any) -> None:
    sees(Scripted("Thc wnrds nf tbe pnge", 0.4))
    parsed = checked(parse(ParseInput(SCAN)))
    assert parsed.confidence == pytest.approx(0.4)
    assert codes(parsed) == ["ocr", "needs-review"]


def test_a_scan_that_lies_on_its_side_is_turned(sees: Any) -> None:
    engine = sees(Scripted("Lying on its side", 0.9, is_wide=True))
    parsed = checked(parse(ParseInput(SCAN)))
    assert [width > height for width, height in engine.sizes] == [False, True]
    assert parsed.confidence == pytest.approx(0.9)
    assert parsed.anchors is not None
    box = parsed.anchors.at(0, 5)["boxes"][0]
    assert box[4] - box[2] > box[3] - box[1]


def test_pages_with_text_count_as_sure(sees: Any) -> None:
    sees(Scripted("alpha beta", 0.5))
    page = PageMaker().lines(72, 100, rows(1))
    parsed = checked(parse(ParseInput(pdf(page, PageMaker().picture(0, 0, 612, 792)))))
    own, seen = len("".join(rows(1)[0].split())), len("alphabeta")
    assert parsed.confidence == pytest.approx((own + 0.5 * seen) / (own + seen), abs=1e-3)


@pytest.mark.parametrize(("setting", "says"), [("off", "OCR is off"), ("auto", "no OCR engine: pip install")])
def test_a_scan_that_nobody_reads_is_told(sees: Any, setting: str, says: str) -> None:
    sees(None if setting == "auto" else Scripted("never read", 0.9))
    parsed = checked(parse(ParseInput(SCAN, reading=ParseOptions(ocr=setting))))
    assert parsed.text == ""
    assert parsed.confidence == 0
    assert codes(parsed) == ["no-text", "needs-review"]
    assert says in parsed.notices[0].message


def test_ocr_that_is_asked_for_and_missing_is_an_error(sees: Any) -> None:
    sees(None)
    with pytest.raises(MissingExtra, match="pip install"):
        parse(ParseInput(SCAN, reading=ParseOptions(ocr="on")))


def test_a_page_too_large_to_be_drawn_is_told(sees: Any) -> None:
    sees(Scripted("unseen", 0.9))
    parsed = checked(parse(ParseInput(SCAN, limits=ParseLimits(pixels=1000))))
    assert "no-text" in codes(parsed)
    assert parsed.confidence == 0


def test_each_page_asks_for_time(sees: Any) -> None:
    sees(Scripted("some words here", 0.9))
    asked: list[float] = []
    pages = pdf(*(PageMaker().picture(0, 0, 612, 792) for _ in range(3)))
    parse(ParseInput(pages, ask_time=asked.append))
    assert asked == [20.0, 20.0, 20.0]


@pytest.mark.parametrize("name", ["tesserocr", "rapidocr"])
def test_an_engine_reads_what_is_drawn(name: str) -> None:
    pytest.importorskip(name, reason=f"{name} is not installed: it is in the extra `dev`")
    drawn = PageMaker(width=300, height=60).text(20, 40, "Hello reader", 24)
    import pypdfium2

    page = pypdfium2.PdfDocument(pdf(drawn))[0].render(scale=3).to_pil()
    if name == "rapidocr":
        words = ocr.RapidOcr().read(page, "eng")
    else:
        data = ocr._tesseract_data()
        if not data:
            pytest.skip("no data of tesseract: apt-get install tesseract-ocr-eng")
        words = ocr.TesseractOcr(data).read(page, "eng")
    assert " ".join(word.text for word in words) == "Hello reader"
    assert all(0.5 < word.sure <= 1 for word in words)
    assert words[0].right < words[1].left + 10


# --- images ---------------------------------------------------------------------------------------------------------


def png(size: tuple[int, int] = (64, 32), **said: str) -> bytes:
    info = PngImagePlugin.PngInfo()
    for key, value in said.items():
        info.add_text(key, value)
    out = io.BytesIO()
    Image.new("L", size, 255).save(out, "PNG", pnginfo=info)
    return out.getvalue()


def test_an_image_is_a_figure_with_what_it_says_of_itself(sees: Any) -> None:
    sees(Scripted("Text in it", 0.8))
    parsed = checked(image.parse(ParseInput(png(Title="A chart", Description="Sales by year"), uri="a/chart.png")))
    assert parsed.text == "A chart: Sales by year\n\nText in it"
    assert [block.kind for block in parsed.blocks] == ["figure", "paragraph"]
    assert parsed.title == "A chart"
    assert parsed.meta["width"] == 64
    assert parsed.confidence == pytest.approx(0.8)
    assert parsed.anchors is not None
    assert parsed.anchors[0].place["box"] == [0, 0, 64, 32]


def test_an_image_that_says_nothing_has_its_name(sees: Any) -> None:
    sees(None)
    parsed = checked(image.parse(ParseInput(png(), uri="a/chart.png")))
    assert parsed.text == "![chart.png]"
    assert codes(parsed) == ["no-text"]
    assert parsed.confidence == 0


def test_a_describer_says_what_the_file_does_not(sees: Any) -> None:
    sees(None)

    class Sizes:
        def describe(self, image: Any) -> str:
            return f"A picture of {image.width} by {image.height}"

    assert checked(image.parse(ParseInput(png()), Sizes())).text == "A picture of 64 by 32"
    assert checked(image.parse(ParseInput(png(Description="Known")), Sizes())).text == "Known"


def test_a_description_in_exif_is_read(sees: Any) -> None:
    sees(None)
    exif = Image.Exif()
    exif[270] = "A bridge at dawn"
    out = io.BytesIO()
    Image.new("L", (40, 40), 255).save(out, "JPEG", exif=exif)
    assert checked(image.parse(ParseInput(out.getvalue()))).text == "A bridge at dawn"


def test_what_an_image_says_of_itself_is_bounded(sees: Any) -> None:
    sees(None)
    text = checked(image.parse(ParseInput(png(Description="word " * 10_000)))).text
    assert text == ("word " * 800).strip()


def test_words_of_a_turned_image_are_boxed_where_they_stand(sees: Any) -> None:
    sees(Scripted("Sideways words here", 0.9, is_wide=True))
    parsed = checked(image.parse(ParseInput(png(size=(600, 1200)))))
    assert parsed.anchors is not None
    left, top, right, bottom = parsed.anchors[1].place["box"]
    # Read turned clockwise and doubled: (100..150, 200..220) of 2400 x 1200 is (100..110, 525..550) of 600 x 1200.
    assert (left, top, right, bottom) == (100, 1125, 110, 1150)


def header_of(width: int, height: int) -> bytes:
    chunk = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    data = struct.pack(">I", 0) + b"IDAT" + struct.pack(">I", zlib.crc32(b"IDAT"))
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + chunk + struct.pack(">I", zlib.crc32(chunk)) + data


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "empty"),
        (b"no image", "is no image"),
        (header_of(100_000, 100_000), "pixels"),
        (png()[:20], "is no image"),
    ],
)
def test_what_is_no_image_says_so(data: bytes, says: str) -> None:
    with pytest.raises(ParseError, match=says):
        image.parse(ParseInput(data, uri="a.png"))


def test_pixels_are_counted_before_they_are_decoded() -> None:
    with pytest.raises(ParseError, match="64 x 32 pixels"):
        image.parse(ParseInput(png(), limits=ParseLimits(pixels=1500)))


def test_a_cut_off_image_is_told(sees: Any) -> None:
    sees(None)
    noise = Image.effect_noise((200, 200), 50)
    out = io.BytesIO()
    noise.save(out, "JPEG")
    assert "image-truncated" in codes(checked(image.parse(ParseInput(out.getvalue()[:-2000]))))


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_a_broken_image_is_read_or_refused(data: st.DataObject) -> None:
    broken = bytearray(png(Title="A chart"))
    for _ in range(data.draw(st.integers(1, 6))):
        broken[data.draw(st.integers(0, len(broken) - 1))] = data.draw(st.integers(0, 255))
    try:
        document = parse_bytes(bytes(broken), uri="a.png", media_type="image/png", reading=ParseOptions(ocr="off"))
    except SeamlineError:
        return
    check_document(document, limits=(64,))
