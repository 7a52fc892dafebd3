"""Images: one figure with what the file says of itself, and the text that OCR sees in it.

Parts of a PNG beside the picture that unpack to far more than they should are taken out before it is opened.
"""

from __future__ import annotations

import io
import re
import struct
import warnings
import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple

from seamline.errors import ParseError, needed
from seamline.parse.builder import DocumentBuilder, PlacedText
from seamline.parse.media.ocr import (
    REMEDY,
    REVIEW,
    ImageDescriber,
    OcrEngine,
    OcrWord,
    choose_engine,
    mean_confidence,
    read_any_way_up,
)
from seamline.parse.parser_types import ParseInput, ParseResult
from seamline.types import Detail, Notice

_WHAT, _EXTRA = "Pillow, which reads images,", "image"
_FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "TIFF", "BMP")
_NAMED = {
    "title": ("Title", "title", "XPTitle"),
    "description": ("Description", "description", "Comment", "comment", "Caption", "Subject"),
    "author": ("Author", "Artist", "Copyright"),
}
_TAGS = {270: "description", 315: "author", 40091: "title", 40095: "description", 37510: "description", 33432: "rights"}
"""Tags of EXIF that people write text into."""
_LONGEST = 4_000
"""Characters of one value."""
_READABLE = 2_400
"""Images are made this large, in pixels of the longer side, at most, before they are read by sight."""
_SMALLEST = 16
"""An image of fewer pixels along a side holds no text."""
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]+")


class _Picture(NamedTuple):
    image: Any
    said: dict[str, str]
    is_whole: bool
    """Whether all of it could be decoded."""
    dropped: int
    """Parts beside the picture that are too large, once unpacked."""


def parse(raw: ParseInput, describer: ImageDescriber | None = None) -> ParseResult:
    """An image as a figure: its caption, and its text with boxes in pixels, on page 1.

    A describer says what the image shows where the file does not.
    """
    picture = _open_image(raw)
    width, height = picture.image.size
    notices: list[Notice] = []
    if not picture.is_whole:
        notices.append(Notice("image-truncated", "the image is cut off: its lower part may be missing"))
    if picture.dropped:
        message = f"{picture.dropped} texts or profiles in the file unpack to more than {LARGEST:,} bytes: left out"
        notices.append(Notice("image-data", message))
    builder = DocumentBuilder()
    caption = picture.said.get("title", "")
    description = picture.said.get("description", "")
    if describer is not None and not description:
        description = _clean(describer.describe(picture.image))
    whole = {"page": 1, "box": [0, 0, width, height]}
    words = ": ".join(dict.fromkeys(part for part in (caption, description) if part)) or _name(raw.uri)
    builder.paragraph(f"![{words}]" if not (caption or description) else words, whole, "figure")
    seen, more = _read_words(picture.image, raw)
    notices += more
    for words_of, sure in _paragraphs(seen):
        builder.paragraph(words_of, detail=Detail(confidence=round(sure, 3)))
    text, blocks, anchors = builder.finish()
    confidence = _confidence(seen, notices)
    if seen and confidence < REVIEW:
        notices.append(Notice("needs-review", f"the text is unsure (confidence {confidence:.2f}): have it looked at"))
    meta: dict[str, Any] = {"width": width, "height": height, "format": picture.image.format or ""}
    meta |= {key: value for key, value in picture.said.items() if value}
    return ParseResult(text, blocks, caption, meta, anchors, notices=tuple(notices), confidence=confidence)


def _open_image(raw: ParseInput) -> _Picture:
    """The image, decoded; its size is known, and allowed, before that."""
    with needed(_WHAT, _EXTRA):
        from PIL import Image, ImageFile, UnidentifiedImageError
    if not raw.data:
        raise ParseError("the file is empty: was it saved or downloaded completely?", raw.uri)
    data, dropped = drop_bombs(raw.data)
    ImageFile.LOAD_TRUNCATED_IMAGES = False
    Image.MAX_IMAGE_PIXELS = raw.limits.pixels
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            image = Image.open(io.BytesIO(data), formats=_FORMATS)
        width, height = image.size
    except Image.DecompressionBombError:
        raise ParseError(f"the image has more than {raw.limits.pixels:,} pixels: make it smaller", raw.uri) from None
    except UnidentifiedImageError:
        raise ParseError(f"is no image of {', '.join(_FORMATS)}, or damaged: check the file", raw.uri) from None
    except (OSError, ValueError, SyntaxError, struct.error, IndexError, TypeError) as error:
        raise ParseError(f"is no image of {', '.join(_FORMATS)}, or damaged: {_short(error)}", raw.uri) from error
    if width * height > raw.limits.pixels:
        message = f"the image has {width} x {height} pixels, more than {raw.limits.pixels:,}: make it smaller"
        raise ParseError(message, raw.uri)
    if width < 1 or height < 1:
        raise ParseError("the image has no pixels: save it again", raw.uri)
    kind = image.format
    pixels, is_whole = _decode_frame(image, raw)
    said = _read_metadata(image)
    pixels.format = kind
    return _Picture(pixels, said, is_whole, dropped)


def _decode_frame(image: Any, raw: ParseInput) -> tuple[Any, bool]:
    """The first frame, upright; what is there of it, where it is cut off."""
    from PIL import ImageFile, ImageOps

    try:
        image.load()
        is_whole = True
    except (OSError, ValueError, SyntaxError, struct.error, IndexError, TypeError, EOFError) as error:
        ImageFile.LOAD_TRUNCATED_IMAGES = True
        try:
            image.load()
        except (OSError, ValueError, SyntaxError, struct.error, IndexError, TypeError, EOFError):
            message = f"the image is damaged and cannot be decoded: {_short(error)}; save or download it again"
            raise ParseError(message, raw.uri) from error
        finally:
            ImageFile.LOAD_TRUNCATED_IMAGES = False
        is_whole = False
    try:
        return ImageOps.exif_transpose(image), is_whole
    except (OSError, ValueError, SyntaxError, struct.error, TypeError, KeyError):
        return image.copy(), is_whole


def _read_metadata(image: Any) -> dict[str, str]:
    """Title, description and author, as the file says."""
    out: dict[str, str] = {}
    for name, keys in _NAMED.items():
        for key in keys:
            value = image.info.get(key)
            if text := _clean(value):
                out.setdefault(name, text)
    try:
        exif = image.getexif()
        tags = {**dict(exif), **dict(exif.get_ifd(0x8769))}
    except (OSError, ValueError, SyntaxError, struct.error, TypeError, KeyError, IndexError):
        return out
    for tag, name in _TAGS.items():
        if text := _clean(tags.get(tag), is_wide=tag in (40091, 40095)):
            out.setdefault(name, text)
    return out


def _clean(value: Any, *, is_wide: bool = False) -> str:
    """A value as text on one line."""
    if isinstance(value, bytes):
        value = value[:_LONGEST].decode("utf-16-le" if is_wide else "utf-8", "ignore").removeprefix("ASCII")
    if not isinstance(value, str):
        return ""
    return " ".join(_CONTROLS.sub(" ", value[:_LONGEST]).split())


def _read_words(image: Any, raw: ParseInput) -> tuple[list[OcrWord], list[Notice]]:
    """The words in an image, in its pixels, and what to know of them."""
    engine = choose_engine(raw.reading.ocr)
    if engine is None:
        why = "OCR is off" if raw.reading.ocr == "off" else f"no OCR engine: {REMEDY}"
        return [], [Notice("no-text", f"text in the image, if any, was not read; {why}")]
    if min(image.size) < _SMALLEST:
        return [], []
    seen = _read(engine, image, raw)
    if not seen:
        return [], [Notice("no-text", f"OCR ({engine.name}) found no text in the image")]
    return seen, [Notice("ocr", f"the text of the image was read by OCR ({engine.name})")]


def _read(engine: OcrEngine, image: Any, raw: ParseInput) -> list[OcrWord]:
    longer = max(image.size)
    scale = min(_READABLE / longer, 2.0)
    grey = image.convert("RGBA") if image.mode in ("P", "LA", "PA") else image
    if grey.mode == "RGBA":
        from PIL import Image

        paper = Image.new("RGBA", grey.size, "white")
        grey = Image.alpha_composite(paper, grey)
    grey = grey.convert("L")
    if abs(scale - 1) > 0.05:
        grey = grey.resize((max(round(grey.width * scale), 1), max(round(grey.height * scale), 1)))
    seen, turn = read_any_way_up(engine, grey, raw.reading.ocr_language, raw.ask_time)
    return [_in_pixels(word, turn, grey.size, scale) for word in seen]


def _in_pixels(word: OcrWord, turn: int, size: tuple[int, int], scale: float) -> OcrWord:
    """A word in pixels of the image as it is, where it was made larger and turned to be read."""
    width, height = size
    left, top, right, bottom = word.left, word.top, word.right, word.bottom
    if turn == 1:
        left, top, right, bottom = top, height - right, bottom, height - left
    elif turn == 2:
        left, top, right, bottom = width - right, height - bottom, width - left, height - top
    elif turn == 3:
        left, top, right, bottom = width - bottom, left, width - top, right
    return word._replace(left=left / scale, top=top / scale, right=right / scale, bottom=bottom / scale)


def _paragraphs(seen: list[OcrWord]) -> Iterator[tuple[list[PlacedText], float]]:
    """Lines that follow each other closely as paragraphs, and how sure they are."""
    lines: dict[int, list[OcrWord]] = {}
    for word in seen:
        lines.setdefault(word.line, []).append(word)
    paragraph: list[list[OcrWord]] = []
    for line in lines.values():
        if paragraph and not _continues(paragraph[-1], line):
            yield _runs(paragraph), mean_confidence([word for one in paragraph for word in one])
            paragraph = []
        paragraph.append(line)
    if paragraph:
        yield _runs(paragraph), mean_confidence([word for one in paragraph for word in one])


def _continues(above: list[OcrWord], below: list[OcrWord]) -> bool:
    height = max(word.bottom - word.top for word in below)
    gap = min(word.top for word in below) - max(word.bottom for word in above)
    return -0.5 * height < gap < 0.8 * height


def _runs(lines: list[list[OcrWord]]) -> list[PlacedText]:
    return [
        PlacedText(word.text + " ", {"page": 1, "box": [round(side, 1) for side in word[1:5]]})
        for line in lines
        for word in line
    ]


def _confidence(seen: list[OcrWord], notices: list[Notice]) -> float:
    """Of what was read; an image that nobody looked at says nothing for sure."""
    if seen:
        return round(mean_confidence(seen), 4)
    return 0.0 if any(one.code == "no-text" and "not read" in one.message for one in notices) else 1.0


def _name(uri: str) -> str:
    """What to call an image that says nothing of itself."""
    return uri.rsplit("/", 1)[-1] or "image"


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:120] or type(error).__name__


_START = b"\x89PNG\r\n\x1a\n"
_PACKED = (b"zTXt", b"iTXt", b"iCCP")
"""Kinds of parts that hold deflated text or colours."""
LARGEST = 1_000_000
"""Bytes that one of them may unpack to."""
_RATIO = 1_032
"""The most that deflating can shrink data."""


def drop_bombs(data: bytes) -> tuple[bytes, int]:
    """The file without such parts, and how many there were; the file itself where there are none, or it is no PNG."""
    large = [(start, end) for kind, start, end in _chunks(data) if kind in _PACKED and _is_large(data[start + 8 : end])]
    if not large:
        return data, 0
    kept, at = [], 0
    for start, end in large:
        kept.append(data[at:start])
        at = end
    return b"".join([*kept, data[at:]]), len(large)


def _chunks(data: bytes) -> Iterator[tuple[bytes, int, int]]:
    """Kind, start and end of the parts of a PNG."""
    at = len(_START)
    while data.startswith(_START) and at + 12 <= len(data):
        (size,) = struct.unpack_from(">I", data, at)
        yield data[at + 4 : at + 8], at, at + 12 + size
        at += 12 + size


def _is_large(content: bytes) -> bool:
    """Whether a name, a NUL, perhaps more of these, and deflated data unpack to too much."""
    if len(content) * _RATIO <= LARGEST:
        return False
    at = content.find(b"\x78")  # how deflated data begins
    try:
        return at >= 0 and len(zlib.decompressobj().decompress(content[at:], LARGEST + 1)) > LARGEST
    except zlib.error:
        return False
