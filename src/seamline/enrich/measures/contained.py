"""How well a chunk can be read without what stands before it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from seamline.enrich.lexicon import POINTING, PRONOUNS
from seamline.enrich.measures.modality import modality
from seamline.enrich.work import Columns, Work
from seamline.types import Chunk

LACKS: Mapping[str, float] = MappingProxyType(
    {
        "starts within a sentence": 0.35,
        "rows without their header": 0.35,
        "starts with a word that points back": 0.25,
        "says he, it or this before it names anything": 0.15,
        "no whole sentence": 0.15,
        "ends within a sentence or on a colon": 0.15,
        "starts within a paragraph": 0.1,
        "points above or below": 0.1,
        "no heading": 0.1,
        "code without what it imports": 0.1,
    }
)
"""What a chunk may lack, and what that takes from 1."""

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_LOOK = 300
"""Code points of the first sentence that are looked at."""
_POINTS = re.compile(
    r"\b(?:as|see|shown|described|mentioned|listed|noted|discussed|explained|defined|given)\s+"
    r"(?:above|below|earlier|previously|before)\b"
    r"|\bthe\s+(?:above|aforementioned|preceding|previous|former|latter)\b|\baforementioned\b"
    r"|\b(?:siehe|wie)\s+(?:oben|unten)\b|\boben\s+(?:genannt|beschrieben|erwähnt)\w{0,3}\b"
    r"|\bci-(?:dessus|dessous|après)\b|\b(?:arriba|anteriormente)\s+(?:mencionad|descrit)[oa]s?\b",
    re.IGNORECASE,
)
_IMPORT = re.compile(r"^[ \t]*(?:import|from|use|using|require|#[ \t]*include)\b([^\n]{1,300})", re.MULTILINE)
_NAME = re.compile(r"[A-Za-z_]\w{2,60}")
_ENDS = frozenset(".!?…。！？।؟。")
_CLOSERS = "\"'”’»)]*_`"


def contained(work: Work) -> Columns:
    """1 less all that a chunk lacks, and not below 0."""
    reader = Reader(work)
    losses = [sum(LACKS[name] for name in reader.lacks(chunk)) for chunk in work.chunks]
    return {"self_contained": [round(max(0.0, 1.0 - loss), 4) for loss in losses]}


class Reader:
    """Says what chunks of a document lack."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.text = work.document.text
        is_source = work.document.source.media_type == "text/x-source"
        self.imported = _imported(self.text) if is_source else frozenset()

    def lacks(self, chunk: Chunk) -> list[str]:
        """Which of `LACKS` a chunk has."""
        return [name for name, is_so in _CHECKS.items() if is_so(self, chunk)]


def _torn(reader: Reader, chunk: Chunk) -> bool:
    return reader.work.prose.splits(chunk.start)


def _headless(reader: Reader, chunk: Chunk) -> bool:
    if any(c.role == "header" for c in chunk.context):
        return False
    for block, part in reader.work.tops(chunk.body):
        if block.kind == "table" and part.start > block.start:
            return int((block.attrs or {}).get("header_end", block.end)) > block.start
    return False


def _dangling(reader: Reader, chunk: Chunk) -> bool:
    first = next(_words(reader, chunk), "")
    return first.lower() in POINTING


def _unnamed(reader: Reader, chunk: Chunk) -> bool:
    """In the first sentence, after its first word: a pronoun, and no word with a capital before that."""
    first, *others = [*_words(reader, chunk)] or [""]
    for word in others if first.lower() not in POINTING else ():
        if word.lower() in PRONOUNS:
            return True
        if word[0].isupper() and len(word) > 1:
            return False
    return False


def _words(reader: Reader, chunk: Chunk) -> Iterator[str]:
    """Of the first sentence."""
    for start, end in reader.work.prose.touched(chunk.body)[:1]:
        for word in _WORD.finditer(reader.text, start, min(end, start + _LOOK)):
            yield word[0]


def _fragment(reader: Reader, chunk: Chunk) -> bool:
    if not reader.work.prose.touched(chunk.body):
        return False
    text = reader.text
    return not any(_is_sentence(text[start:end]) for start, end in reader.work.prose.whole(chunk.body))


def _is_sentence(text: str) -> bool:
    bare = text.rstrip().rstrip(_CLOSERS)
    return bare[-1:] in _ENDS and (len(bare.split(None, 3)) >= 3 or not bare.isascii())


def _open(reader: Reader, chunk: Chunk) -> bool:
    last = reader.text[max(chunk.start, chunk.end - 20) : chunk.end].rstrip().rstrip(_CLOSERS)[-1:]
    return last == ":" or reader.work.prose.splits(chunk.end)


def _continues(reader: Reader, chunk: Chunk) -> bool:
    first = next(reader.work.tops(chunk.body), None)
    return first is not None and first[0].kind == "paragraph" and first[0].start < chunk.start


def _points(reader: Reader, chunk: Chunk) -> bool:
    return _POINTS.search(reader.text, chunk.start, chunk.end) is not None


def _bare(reader: Reader, chunk: Chunk) -> bool:
    return not chunk.path and chunk.index > 0


def _unimported(reader: Reader, chunk: Chunk) -> bool:
    if not reader.imported or modality(reader.work, chunk.body) != "code":
        return False
    missing = reader.imported - _imported(chunk.text)
    return any(name[0] in missing for name in _NAME.finditer(reader.text, chunk.start, chunk.end))


def _imported(text: str) -> frozenset[str]:
    """The names that lines with imports hold."""
    return frozenset(name for line in _IMPORT.finditer(text) for name in _NAME.findall(line[1])) - {"import"}


_CHECKS: Mapping[str, Callable[[Reader, Chunk], bool]] = {
    "starts within a sentence": _torn,
    "rows without their header": _headless,
    "starts with a word that points back": _dangling,
    "says he, it or this before it names anything": _unnamed,
    "no whole sentence": _fragment,
    "ends within a sentence or on a colon": _open,
    "starts within a paragraph": _continues,
    "points above or below": _points,
    "no heading": _bare,
    "code without what it imports": _unimported,
}
