"""Which of 140 natural languages a text is in, and how sure that is; and small words of four of them.

A text counts by the byte sequences in it, up to six bytes long, that set languages apart: naive Bayes over how often
they come. The model is py3langid's; `native/make_languages.py` wrote its file, and says how it differs from the
original.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from functools import cache
from math import log1p, sqrt
from pathlib import Path
from typing import Any, NamedTuple

from seamline.errors import INDEX, MissingExtra
from seamline.native import KERNELS
from seamline.text.words import words
from seamline.types import Block, Document, Span

SAMPLE = 1000
"""Code points of prose that are looked at, in half a millisecond: of 250 READMEs and pages none got another answer from
4,000."""
FEWEST = 12
"""Letters below which nobody could tell."""
SURE = 0.5
"""Confidence from which an answer counts; the text of a README in English gets 0.9 and more."""

_PROSE = frozenset(("heading", "paragraph", "item", "quote"))
_NOT_PROSE = re.compile(r"`[^`\n]*`|https?://\S+|\[\[?[^]\n]*\]\([^)\n]*\)|[#*_>|~-]+|\d+")


def language(document: Document) -> str:
    """ISO 639-1 code of the document's prose; empty where there is too little of it, or too much doubt."""
    declared = document.front_matter.get("lang") or document.front_matter.get("language")
    if isinstance(declared, str) and re.fullmatch(r"[A-Za-z]{2}(?:[-_]\w+)*", declared):
        return declared[:2].lower()
    code, confidence = detect(plain_prose(document, Span(0, len(document.text))))
    return code if confidence >= SURE else ""


def detect(prose: str, fewest: int = FEWEST) -> tuple[str, float]:
    """The language of a text, and how sure that is, 0-1; empty and 0 where it has too few letters."""
    if sum(map(str.isalpha, prose)) < fewest:
        return "", 0.0
    code, confidence = identify(prose)
    return (code, confidence) if len(code) == 2 else ("", 0.0)


def plain_prose(document: Document, span: Span) -> str:
    """The first code points of a span that are neither code nor addresses."""
    parts: list[str] = []
    room = SAMPLE
    for block in _touched(document, span):
        if room <= 0:
            break
        start = max(block.start, span.start)
        if block.kind in _PROSE and start < block.end:
            part = document.text[start : min(block.end, span.end, start + room)]
            parts.append(part)
            room -= len(part)
    return _NOT_PROSE.sub(" ", "\n".join(parts))


def _touched(document: Document, span: Span) -> Iterator[Block]:
    """Blocks that start in a span, after those that go on in it, the innermost first."""
    blocks = document.blocks
    first = bisect_left(blocks, span.start, key=lambda block: block.start)
    at = first - 1
    while at >= 0:
        if blocks[at].end > span.start:
            yield blocks[at]
        at = blocks[at].parent
    for index in range(first, len(blocks)):
        if blocks[index].start >= span.end:
            return
        yield blocks[index]


_STEPS = 512
FILE = Path(__file__).with_name("models") / "languages.npy"


class _Model(NamedTuple):
    """The arrays of the file, in its order, and one more."""

    nodes: Any
    """Of each state of the tree: its first child, the state of the longest shorter sequence with the same end, the
    feature that is met there (-1 for none), and the byte that leads there. Children stand side by side."""
    starts: Any
    """Of each feature, its first weight; one more at the end."""
    languages: Any
    """Of each weight, its language."""
    steps: Any
    """How far above the least one of its language it is, times 512."""
    least: Any
    """Of each language, the weight of every other feature."""
    prior: Any
    codes: Any
    """ISO 639 codes."""
    numbers: Any
    """Of each language, its number among them; one that is written in two scripts is two languages here."""


def identify(text: str) -> tuple[str, float]:
    """The code of the most likely language, and how likely it is, from 0 to 1."""
    model = _model()
    import numpy as np

    # A text in capitals has few of the sequences that small letters make.
    data = unicodedata.normalize("NFC", text.lower() if text.isupper() else text).encode("utf-8", "surrogatepass")
    weighed = _weighed(data) if KERNELS is None else _weighed_by(KERNELS, data)
    scores = weighed + model.prior if len(weighed) else np.zeros(len(model.prior))
    # Divided by the root of the length, or long texts would always be certain.
    shares = np.exp((scores - scores.max()) / sqrt(len(data) or 1))
    sums = np.bincount(model.numbers, shares)
    best = int(sums.argmax())
    return str(model.codes[best]), float(sums[best] / sums.sum())


def _weighed(data: bytes) -> Any:
    """How well a text fits each language; nothing where it has no feature."""
    import numpy as np

    model = _model()
    features = _features(data)
    if not features:
        return np.empty(0)
    met = np.fromiter(features, np.int64, len(features))
    gains = np.array([log1p(count) for count in features.values()])
    lengths = (model.starts[met + 1] - model.starts[met]).astype(np.int64)
    within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    places = np.repeat(model.starts[met].astype(np.int64), lengths) + within
    languages = model.languages[places]
    sums = np.bincount(languages, np.repeat(gains, lengths) * model.steps[places], len(model.least))
    return sums / _STEPS + gains.sum() * model.least


def _features(data: bytes) -> Counter[int]:
    """How often each feature is met: at every byte, the longest sequence that ends there and is in the tree."""
    label, first, back, output = _tree()
    found: list[int] = []
    state = 0
    for byte in data:
        while (child := label.find(byte, first[state], first[state + 1])) < 0 and state:
            state = back[state]
        state = max(child, 0)
        found.append(output[state])
    counts = Counter(found)
    del counts[-1]
    return counts


def _weighed_by(native: Any, data: bytes) -> Any:
    import numpy as np

    gains = _gains(-(-(len(data) + 1) // 4096) * 4096)
    return np.frombuffer(native.weigh_languages(data, *_model()[:5], gains))


@cache
def _gains(count: int) -> Any:
    """What it counts that a feature is met 0, 1, 2, ... times."""
    import numpy as np

    return np.array([log1p(times) for times in range(count)])


@cache
def _tree() -> tuple[bytes, list[int], list[int], list[int]]:
    """The states as Python walks them."""
    first, back, feature, byte = _model().nodes.T
    return bytes(byte.tolist()), first.tolist(), back.tolist(), feature.tolist()


@cache
def _model() -> _Model:
    try:
        import numpy as np
    except ImportError:
        raise MissingExtra("language detection", INDEX) from None
    with FILE.open("rb") as file:
        arrays = [np.load(file, allow_pickle=False) for _ in _Model._fields[:-1]]
    arrays = [array.astype(array.dtype.newbyteorder("="), copy=False) for array in arrays]
    codes = list(dict.fromkeys(arrays[-1].tolist()))
    numbers = np.array([codes.index(code) for code in arrays[-1]])
    found = _Model._make([*arrays, numbers])
    return found._replace(least=found.least.astype(float), codes=codes)


_SMALL = """
der die das den dem des ein eine einen einem einer eines und oder aber nicht ist sind war waren wird werden wurde hat
haben hatte mit von vom zu zum zur im in am an auf aus bei für nach über unter vor wie als auch noch nur so es er sie
wir ich man sich dass wenn kann
le la les un une des du de et ou mais ne pas est sont était été être avoir ont dans par pour sur avec sans plus que qui
dont où il elle ils elles on nous vous se ce cette ces son sa ses leur au aux
el los las una unos unas y o pero no es son era fue ser estar está han ha en por para con sin sobre más que quien cuyo
donde él ella ellos se lo su sus al del como
"""
FUNCTION = frozenset(words(_SMALL))
"""Words of German, French and Spanish that hold a sentence together, as `words` gives them; those of English are its
own `COMMON`."""

_GERMAN = frozenset(
    ["der", "die", "das", "und", "ist", "nicht", "ein", "eine", "mit", "von", "den", "zu", "auf", "für", "sich", "dem",
     "im", "wird", "auch"]
)  # fmt: skip
_WORDS = re.compile(r"[^\W\d_]+")
_SAMPLE = 20_000


def capitalises_nouns(text: str) -> bool:
    """Whether a text looks German, where a capital letter says no more than that a word is a noun."""
    found = _WORDS.findall(text[:_SAMPLE])
    return sum(word in _GERMAN for word in found) > 0.12 * len(found)
