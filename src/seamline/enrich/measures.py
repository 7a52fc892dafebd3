"""What can be said of a chunk in one word or one number: coherence, boundaries, self-containedness, density,
language, links, modality, position, age, authority, summary. Each is one function from the work on a document
to columns."""

from __future__ import annotations

import math
import re
import sys
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from seamline.enrich.code import Symbols, code_facts
from seamline.enrich.facts import Columns, Work, authority, created_at
from seamline.enrich.language import FUNCTION, detect, language, plain_prose
from seamline.enrich.links import links
from seamline.enrich.prose import SUMMARY, summarize
from seamline.errors import ConfigError
from seamline.recipe.choose import StrategyChoice
from seamline.text.coherence import coherence, distinctiveness
from seamline.text.figures import find_images
from seamline.text.markup import fence_language
from seamline.text.pointing import POINTING, PRONOUNS
from seamline.text.words import COMMON, words
from seamline.types import NO_DETAIL, Block, Chunk, Span

if TYPE_CHECKING:
    from seamline.records import Vector


_WORDLESS = frozenset(("heading", "paragraph", "item", "list", "quote"))
"""Blocks whose sentences count, or that only name what follows."""


def alike(work: Work) -> Columns:
    """Coherence: the mean cosine of all pairs of its pieces; a single piece is 1. Distinct: 1 less the cosine of its
    mean and that of each neighbour of its level, their mean; 1 for a chunk that has none.

    Pieces are sentences, and whole blocks that are not prose. Each is embedded once, whatever the number of levels.
    """
    pieces = [_pieces(work, chunk) for chunk in work.chunks]
    rows = {text: at for at, text in enumerate(dict.fromkeys(text for some in pieces for text in some))}
    vectors = work.runtime.embedder.embed(list(rows))
    of = [vectors[[rows[text] for text in some]] for some in pieces]
    return {"coherence": [_share(coherence(some)) for some in of], "distinct": _distinct(work, of)}


def _pieces(work: Work, chunk: Chunk) -> list[str]:
    text = work.document.text
    spans = work.prose.touched(chunk.body)
    spans += [part for block, part in work.tops(chunk.body) if block.kind not in _WORDLESS]
    found = [text[start:end].strip() for start, end in sorted(spans)]
    return [piece for piece in found if piece] or [text[chunk.start : chunk.end]]


def _distinct(work: Work, of: list[Vector]) -> list[float]:
    gaps: list[list[float]] = [[] for _ in work.chunks]
    for level in work.levels.values():
        for left, right in pairwise(level):
            far = distinctiveness(of[left], of[right])
            gaps[left].append(far)
            gaps[right].append(far)
    return [_share(sum(some) / len(some)) if some else 1.0 for some in gaps]


def _share(value: float) -> float:
    return round(min(1.0, max(0.0, value)), 4)


_WHOLE = 0.5
"""What a cut between two sentences, rows or lines is worth; the rest is the strength of the gap's kind."""


def boundaries(work: Work) -> Columns:
    """The mean of both ends. An end is 0.5 where it goes through no sentence and no word, and up to 0.5 more by the
    square root of its gap's score in the recipe: the root, because gaps of paragraphs (20 of 100) are good cuts.
    The start and the end of a document are 1."""
    ends = [1.0] * len(work.chunks)
    starts = [1.0] * len(work.chunks)
    for level in work.levels.values():
        for left, right in pairwise(level):
            ends[left] = starts[right] = _cut(work, left, right)
    return {"boundary": [round((start + end) / 2, 4) for start, end in zip(starts, ends, strict=True)]}


def _cut(work: Work, left: int, right: int) -> float:
    """How good the cut between two chunks of one level is."""
    after = work.chunks[right]
    strength: float = (work.recipe.scores.get(after.seam, 0) / 100) ** 0.5
    torn = after.seam == "word" or work.prose.splits(after.start) or work.prose.splits(work.chunks[left].end)
    return (0.0 if torn else _WHOLE) + (1 - _WHOLE) * strength


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
    reader = ChunkReader(work)
    losses = [sum(LACKS[name] for name in reader.lacks(chunk)) for chunk in work.chunks]
    return {"self_contained": [round(max(0.0, 1.0 - loss), 4) for loss in losses]}


class ChunkReader:
    """Says what chunks of a document lack."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.text = work.document.text
        is_source = work.document.source.media_type == "text/x-source"
        self.imported = _imported(self.text) if is_source else frozenset()

    def lacks(self, chunk: Chunk) -> list[str]:
        """Which of `LACKS` a chunk has."""
        return [name for name, is_so in _CHECKS.items() if is_so(self, chunk)]


def _torn(reader: ChunkReader, chunk: Chunk) -> bool:
    return reader.work.prose.splits(chunk.start)


def _headless(reader: ChunkReader, chunk: Chunk) -> bool:
    if any(c.role == "header" for c in chunk.context):
        return False
    for block, part in reader.work.tops(chunk.body):
        if block.kind == "table" and part.start > block.start:
            until = (block.detail or NO_DETAIL).header_end
            return (block.end if until is None else until) > block.start
    return False


def _dangling(reader: ChunkReader, chunk: Chunk) -> bool:
    first = next(_words(reader, chunk), "")
    return first.lower() in POINTING


def _unnamed(reader: ChunkReader, chunk: Chunk) -> bool:
    """In the first sentence, after its first word: a pronoun, and no word with a capital before that."""
    first, *others = [*_words(reader, chunk)] or [""]
    for word in others if first.lower() not in POINTING else ():
        if word.lower() in PRONOUNS:
            return True
        if word[0].isupper() and len(word) > 1:
            return False
    return False


def _words(reader: ChunkReader, chunk: Chunk) -> Iterator[str]:
    """Of the first sentence."""
    for start, end in reader.work.prose.touched(chunk.body)[:1]:
        for word in _WORD.finditer(reader.text, start, min(end, start + _LOOK)):
            yield word[0]


def _fragment(reader: ChunkReader, chunk: Chunk) -> bool:
    if not reader.work.prose.touched(chunk.body):
        return False
    text = reader.text
    return not any(_is_sentence(text[start:end]) for start, end in reader.work.prose.whole(chunk.body))


def _is_sentence(text: str) -> bool:
    bare = text.rstrip().rstrip(_CLOSERS)
    return bare[-1:] in _ENDS and (len(bare.split(None, 3)) >= 3 or not bare.isascii())


def _open(reader: ChunkReader, chunk: Chunk) -> bool:
    last = reader.text[max(chunk.start, chunk.end - 20) : chunk.end].rstrip().rstrip(_CLOSERS)[-1:]
    return last == ":" or reader.work.prose.splits(chunk.end)


def _continues(reader: ChunkReader, chunk: Chunk) -> bool:
    first = next(reader.work.tops(chunk.body), None)
    return first is not None and first[0].kind == "paragraph" and first[0].start < chunk.start


def _points(reader: ChunkReader, chunk: Chunk) -> bool:
    return _POINTS.search(reader.text, chunk.start, chunk.end) is not None


def _bare(reader: ChunkReader, chunk: Chunk) -> bool:
    return not chunk.path and chunk.index > 0


def _unimported(reader: ChunkReader, chunk: Chunk) -> bool:
    if not reader.imported or modality(reader.work, chunk.body) != "code":
        return False
    missing = reader.imported - _imported(chunk.text)
    return any(name[0] in missing for name in _NAME.finditer(reader.text, chunk.start, chunk.end))


def _imported(text: str) -> frozenset[str]:
    """The names that lines with imports hold."""
    return frozenset(name for line in _IMPORT.finditer(text) for name in _NAME.findall(line[1])) - {"import"}


_CHECKS: Mapping[str, Callable[[ChunkReader, Chunk], bool]] = {
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


WINDOW = 100
"""Words that are looked at together, so that a long text does not count as thinner than a short one."""


def densities(work: Work) -> Columns:
    """Of the body alone: what a chunk borrows, its neighbours say too."""
    text = work.document.text
    return {"density": [density(words(text[chunk.start : chunk.end])) for chunk in work.chunks]}


def density(found: Sequence[str], window: int = WINDOW) -> float:
    """The share of different content words among 100 words, the mean over all runs of 100; of all words where there
    are fewer.

    Chosen among nine formulas by telling 557 chunks of manuals and books from the same with half their sentences
    repeated, and with half of them replaced by filler: AUC 0.85 and 0.79. Content words per token saw no repetition
    (0.52), the ratio of different words (0.35) and of compression (0.46) took filler for content, and compression
    followed length (rank correlation -0.72 against -0.29). `python -m benchmarks.enrich.density`.
    """
    if not found:
        return 0.0
    width = min(window, len(found))
    inside: Counter[str] = Counter()
    different = total = 0
    for at, word in enumerate(found):
        if _says(word):
            inside[word] += 1
            different += inside[word] == 1
        if at >= width and _says(gone := found[at - width]):
            inside[gone] -= 1
            different -= inside[gone] == 0
        if at >= width - 1:
            total += different
    return round(total / (len(found) - width + 1) / width, 4)


def _says(word: str) -> bool:
    return word not in FUNCTION and word not in COMMON


LONG = 60
"""Letters of prose from which a chunk is asked for its own language; shorter ones have the document's."""
CERTAIN = 0.9
"""How sure the answer must be to stand against the document's."""

_NAMES = {
    "py": "python",
    "js": "javascript",
    "ts": "typescript",
    "rs": "rust",
    "rb": "ruby",
    "sh": "bash",
    "yml": "yaml",
}
"""Short names that people write after a fence."""


def languages(work: Work) -> Columns:
    """ISO 639-1 code of prose; the name of the programming language for code; empty where neither can be told."""
    whole = ""
    known = False
    found: list[str] = []
    for chunk in work.chunks:
        own = _own(work, chunk)
        if own is None and not known:
            whole, known = language(work.document), True
        found.append(whole if own is None else own)
    return {"language": found}


def _own(work: Work, chunk: Chunk) -> str | None:
    """The language that the chunk itself tells; None where it is too short or unclear."""
    if modality(work, chunk.body) == "code":
        return _programming(work, chunk)
    code, sure = detect(plain_prose(work.document, chunk.body), LONG)
    return code if sure >= CERTAIN else None


def _programming(work: Work, chunk: Chunk) -> str:
    if work.document.code is not None:
        return work.document.code.language
    blocks = (block for block, _ in work.tops(chunk.body) if block.kind == "code")
    return next((name for block in blocks if (name := _named(work.document.text, block))), "")


def _named(text: str, block: Block) -> str:
    """What a block of code says of itself: by its parser, or after its fence."""
    said = (block.detail or NO_DETAIL).language or fence_language(text, block.start, block.end)
    name = said.strip().lower()
    return _NAMES.get(name, name)


def linked(work: Work) -> Columns:
    """From words such as `Figure 3` to other chunks; chunks of higher levels have none of their own."""
    found = links(work.chunks)
    return {"links": [found.get(chunk.id, ()) for chunk in work.chunks]}


def pictured(work: Work) -> Columns:
    """The pictures that each chunk shows, with address, alternative text, caption and size."""
    found = find_images(work.document)
    starts = [one.start for one in found]
    bounds = [(bisect_left(starts, chunk.start), bisect_left(starts, chunk.end)) for chunk in work.chunks]
    return {"images": [tuple(found[low:high]) for low, high in bounds]}


def coded(work: Work) -> Columns:
    """Of source files; None for chunks of anything else."""
    is_source = work.document.source.media_type == "text/x-source"
    symbols = Symbols(work.document) if is_source else None
    return {"code": [symbols and code_facts(chunk, symbols) for chunk in work.chunks]}


MOSTLY = 0.8
"""Share of a chunk's characters from which it counts as one thing."""

_KINDS = {"code": "code", "scope": "code", "esm": "code", "table": "table", "figure": "image", "turn": "speech"}
_SOURCES = {"image": "image", "audio": "speech", "video": "speech"}


def modalities(work: Work) -> Columns:
    """By the kinds of its blocks, headings aside; by the file, where that is a picture or a recording."""
    source = _SOURCES.get(work.document.source.media_type.partition("/")[0])
    if source:
        return {"modality": [source] * len(work.chunks)}
    return {"modality": [modality(work, chunk.body) for chunk in work.chunks]}


def modality(work: Work, span: Span) -> str:
    """What most of a span is, `mixed` where nothing is most of it."""
    sizes: Counter[str] = Counter()
    for block, part in work.tops(span):
        if block.kind != "heading":
            sizes[_KINDS.get(block.kind, "text")] += part.end - part.start
    if not sizes:
        return "text"
    kind, size = sizes.most_common(1)[0]
    return kind if size >= MOSTLY * sizes.total() else "mixed"


def positions(work: Work) -> Columns:
    """0 for the first chunk of a level, 1 for the last; 0 where there is only one."""
    return {"relative": [round(chunk.index / max(1, chunk.total - 1), 4) for chunk in work.chunks]}


def recipes(work: Work) -> Columns:
    """The strategy in words and the fingerprint of all settings, the same for all chunks of a document."""
    count = len(work.chunks)
    return {"strategy": [StrategyChoice(work.recipe).strategy] * count, "recipe": [work.recipe.fingerprint] * count}


RATE = 0.01
"""Of a day, where a document does not say."""
_DAY = 86_400.0


def freshness(work: Work) -> Columns:
    """exp(-rate * age in days): 1 for what was written now, or will be. None where a document has no date."""
    if work.now is None:
        raise ConfigError("freshness needs to know the time: pass now=datetime.now(UTC)", "$.enrich.facts")
    rate = rate_of(work.document.front_matter)
    return {"freshness": [faded(created_at(work.document.front_matter), work.now, rate)] * len(work.chunks)}


def rate_of(front_matter: Mapping[str, Any]) -> float:
    """How fast a document ages: what it says itself as `freshness_rate`, as news and laws differ; else 0.01, which
    halves every 69 days."""
    given = front_matter.get("freshness_rate")
    if isinstance(given, int | float) and not isinstance(given, bool) and 0 <= given <= sys.float_info.max:
        return float(given)
    return RATE


def faded(written: datetime | None, now: datetime, rate: float) -> float | None:
    """What is left of 1 after a time."""
    if written is None:
        return None
    age = max(0.0, (now - written).total_seconds() / _DAY)
    return round(math.exp(-rate * age), 4)


def authorities(work: Work) -> Columns:
    """What the front matter says of it, 0.5 where it says nothing."""
    return {"authority": [authority(work.document.front_matter)] * len(work.chunks)}


def summary(work: Work) -> Columns:
    """At most 50 tokens; empty where there is no prose, or no sentence that short."""
    count = work.runtime.tokenizer.count
    return {
        "summary": [summarize(work.prose.read(chunk.body), SUMMARY, count, about=chunk.path) for chunk in work.chunks]
    }
