"""Reading by sight: what an OCR engine must offer, and the two that there are.

Tesseract (`tesserocr`, with the data of its language) is faster and surer on clean pages; RapidOCR brings its models in
its package. Both say how sure they are of every word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from seamline.errors import ConfigError, MissingExtra

REMEDY = "pip install 'seamline[ocr]'"
SECONDS = 20.0
"""What a page may take, each time it is read."""
_SURE = 0.6
"""Below this a page is tried the other ways up, too."""
_LETTERS = 2
"""Words of more letters than this are wider than high."""
REVIEW = 0.6
"""Below this a document is for a person to look at."""
_DATA = (
    "/usr/share/tesseract-ocr/*/tessdata",
    "/usr/share/tessdata",
    "/usr/local/share/tessdata",
    "/opt/homebrew/share/tessdata",
)


_FRUGAL = {
    "EngineConfig.onnxruntime.enable_cpu_mem_arena": False,
    "EngineConfig.onnxruntime.intra_op_num_threads": 1,
    "Rec.rec_batch_num": 1,
    "Det.limit_type": "max",
    "Det.limit_side_len": 960,
    "Global.max_side_len": 1800,
}
"""As it comes, RapidOCR takes 800 MB for a page; so it takes half of that, half the time, and finds the same words."""


class OcrWord(NamedTuple):
    """A word that was seen, in pixels of the image."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    sure: float
    """0-1."""
    line: int
    """Which line it is of, from 0."""


class OcrEngine(Protocol):
    """Finds words in a picture."""

    @property
    def name(self) -> str: ...

    def read(self, image: Any, language: str) -> list[OcrWord]:
        """The words of a Pillow image in reading order."""


class ImageDescriber(Protocol):
    """Says in a sentence what a picture shows, as a vision model does. None is built in: `image.parse` takes one."""

    def describe(self, image: Any) -> str:
        """What a Pillow image shows; empty where it cannot be said."""


class TesseractOcr:
    """Tesseract, by its own data."""

    name = "tesseract"

    def __init__(self, data: str) -> None:
        self._data = data
        self._opened: dict[str, Any] = {}

    def read(self, image: Any, language: str) -> list[OcrWord]:
        import tesserocr

        api = self._opened.get(language)
        if api is None:
            try:
                api = tesserocr.PyTessBaseAPI(path=self._data, lang=language, psm=tesserocr.PSM.AUTO)
            except RuntimeError as error:
                raise ConfigError(
                    f"tesseract has no data for {language!r}: install it (tesseract-ocr-{language}) or name another",
                    "$.reading.ocr_language",
                ) from error
            self._opened[language] = api
        api.SetImage(image)
        api.Recognize()
        return list(_tesseract_words(api.GetIterator(), tesserocr.RIL))


def _tesseract_words(found: Any, levels: Any) -> Iterator[OcrWord]:
    line = -1
    while found is not None:
        if found.IsAtBeginningOf(levels.TEXTLINE):
            line += 1
        box = None if found.Empty(levels.WORD) else found.BoundingBox(levels.WORD)
        text = found.GetUTF8Text(levels.WORD).strip() if box else ""
        if box and text:
            left, top, right, bottom = map(float, box)
            yield OcrWord(text, left, top, right, bottom, found.Confidence(levels.WORD) / 100, max(line, 0))
        if not found.Next(levels.WORD):
            return


class RapidOcr:
    """RapidOCR: finds lines; words of a line share its width by their letters."""

    name = "rapidocr"

    def __init__(self) -> None:
        self._reader: Any = None

    def read(self, image: Any, language: str) -> list[OcrWord]:
        import numpy

        if self._reader is None:
            from rapidocr import RapidOCR

            self._reader = RapidOCR(params=_FRUGAL)
        found = self._reader(numpy.asarray(image.convert("RGB")))
        if found.txts is None:
            return []
        lines = [
            (min(p[0] for p in box), min(p[1] for p in box), max(p[0] for p in box), max(p[1] for p in box), text, sure)
            for box, text, sure in zip(found.boxes.tolist(), found.txts, found.scores, strict=True)
        ]
        return [word for index, line in enumerate(lines) for word in _split_line(*line, index)]


def _split_line(
    left: float, top: float, right: float, bottom: float, text: str, sure: float, line: int
) -> Iterator[OcrWord]:
    width = (right - left) / max(len(text), 1)
    for found in re.finditer(r"\S+", text):
        edges = left + found.start() * width, left + found.end() * width
        yield OcrWord(found.group(), edges[0], top, edges[1], bottom, float(sure), line)


@cache
def load_engine() -> OcrEngine | None:
    """The engine that is installed, or None."""
    data = _tesseract_data()
    if data:
        return TesseractOcr(data)
    try:
        import numpy  # noqa: F401
        import rapidocr  # noqa: F401
    except ImportError:
        return None
    return RapidOcr()


def _tesseract_data() -> str:
    """The folder with Tesseract's languages; empty where the library or all data is missing."""
    try:
        import tesserocr
    except ImportError:
        return ""
    path, languages = tesserocr.get_languages()
    if languages:
        return str(path)
    for pattern in _DATA:
        root, _, rest = pattern.partition("/*")
        folders = sorted(Path(root).glob("*" + rest), reverse=True) if rest else [Path(pattern)]
        for folder in folders:
            if any(folder.glob("*.traineddata")):
                return str(folder)
    return ""


def choose_engine(ocr: str) -> OcrEngine | None:
    """The engine a recipe asks for: `auto` where there is one, `on` else fails, `off` none."""
    if ocr == "off":
        return None
    found = load_engine()
    if found is None and ocr == "on":
        raise MissingExtra('an OCR engine, which `ocr = "on"` asks for,', REMEDY)
    return found


def mean_confidence(words: list[OcrWord]) -> float:
    """How sure all words are, by their letters; 0 of none."""
    total = sum(len(word.text) for word in words)
    return sum(word.sure * len(word.text) for word in words) / total if total else 0.0


def _is_upright(words: list[OcrWord]) -> bool:
    """Whether words are wider than high, as most are that are not lying on their side."""
    long = [word for word in words if len(word.text) > _LETTERS]
    wide = sum(word.right - word.left > word.bottom - word.top for word in long)
    return 2 * wide >= len(long)


def read_any_way_up(
    engine: OcrEngine, image: Any, language: str, ask_time: Callable[[float], None]
) -> tuple[list[OcrWord], int]:
    """The words of an image, and by how many quarters, clockwise, it had to be turned to read them."""
    best: tuple[float, list[OcrWord], int] = (-1.0, [], 0)
    for turn in (0, 1, 3, 2):
        ask_time(SECONDS)
        upright = image.rotate(-90 * turn, expand=True) if turn else image
        words = engine.read(upright, language)
        sure = mean_confidence(words)
        worth = sure * sure * sum(len(word.text) for word in words)
        if worth > best[0]:
            best = worth, words, turn
        if sure >= _SURE and len(words) > 2 and _is_upright(words):
            break
    return best[1], best[2]
