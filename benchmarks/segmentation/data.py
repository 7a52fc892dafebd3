"""Documents whose changes of subject are known: passages of real texts, put one after another.

| set | what follows what | paragraphs |
|---|---|---|
| articles | passages of different articles and books | as they were |
| sections | the sections of one article, in their order | as they were |
| flat | the same as in `articles` | none: one line of sentences |

Headings, lists, code and tables are left out, and so are the marks of Markdown: nothing but words tells where a passage
ends. Whole sources belong to one half, `dev` or `test`, so that what is tuned on one half has never seen the other.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import seamline
from benchmarks.common import Sample, markdown, mdx, need, prose
from seamline.text.sentences import sentence_starts

SETS = ("articles", "sections", "flat")
HALVES = ("dev", "test")
SEED = 20261115
LEAST, MOST = 3, 14
"""Sentences of a passage."""
LONGEST = 1600
"""Characters of a passage: well within a chunk of 512 tokens."""
PASSAGES = (5, 11)
"""Of one document, the last one excluded."""

_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|!?\[([^\]]*)\]\[[^\]]*\]")
_MARKS = re.compile(r"[*`]+|(?<!\w)_+|_+(?!\w)")
_FOREIGN = re.compile(r"\{\{|\}\}|[<>{}|]|\\_|&\w+;|^\[|^:::")
_SPACE = re.compile(r"\s+")


class Passage(NamedTuple):
    """Paragraphs about one thing."""

    source: str
    paragraphs: tuple[str, ...]


class Mixed(NamedTuple):
    """One document of known passages."""

    name: str
    text: str
    sentences: tuple[int, ...]
    """Where each sentence starts."""
    gold: frozenset[int]
    """The sentences that start a passage, the first one excluded, by their number."""


def mixed(data: Path, kind: str, half: str, count: int) -> list[Mixed]:
    """`count` documents of a set, the same on every run."""
    sources = [sections for sections in _sources(data) if _half(sections[0].source) == half]
    chance = random.Random(f"{SEED} {'sections' if kind == 'sections' else 'articles'} {half}")
    rows = _sections(sources, chance) if kind == "sections" else _articles(sources, chance)
    made = [_document(f"{kind}-{half}-{number}", row, kind == "flat") for number, row in zip(range(count), rows)]  # noqa: B905
    if len(made) < count:
        raise SystemExit(f"only {len(made)} documents of {kind} can be made of {data}")
    return made


UNSEEN = ("wikipedia", "astro")
"""Sources that nothing was chosen on: paragraphs of Wikipedia (chunkbench's xquad_en), and Astro's documentation."""


def unseen(data: Path, source: str, kind: str, count: int) -> list[Mixed]:
    """As many documents of a set as a source gives, up to `count`; Wikipedia's paragraphs have no sections."""
    sources = _wikipedia(data) if source == "wikipedia" else _by_sections(mdx(data))
    chance = random.Random(f"{SEED} {source} {'sections' if kind == 'sections' else 'articles'}")
    rows = _sections(sources, chance) if kind == "sections" else _articles(sources, chance)
    return [_document(f"{source}-{kind}-{number}", row, kind == "flat") for number, row in zip(range(count), rows)]  # noqa: B905


def _wikipedia(data: Path) -> list[list[Passage]]:
    """The articles; every one or two paragraphs are a passage."""
    file = data.parent / "chunkbench" / "data" / "xquad_en" / "docs.jsonl"
    out = []
    for row in map(json.loads, need(file).read_text(encoding="utf-8").splitlines()):
        paragraphs = [_SPACE.sub(" ", part).strip() for part in row["text"].split("\n") if part.strip()]
        found = [p for at in range(0, len(paragraphs), 2) for p in _passage(row["id"], paragraphs[at : at + 2])]
        out += [found] if found else []
    return out


def _by_sections(samples: Sequence[Sample]) -> list[list[Passage]]:
    return [passages for sample in samples if (passages := list(_passages(sample)))]


def _articles(sources: Sequence[Sequence[Passage]], chance: random.Random) -> Iterator[list[Passage]]:
    """Passages of sources that are all different."""
    while True:
        chosen = chance.sample(list(sources), chance.randrange(*PASSAGES))
        yield [chance.choice(source) for source in chosen]


def _sections(sources: Sequence[Sequence[Passage]], chance: random.Random) -> Iterator[list[Passage]]:
    """The first sections of each source that has enough."""
    long = [source for source in sources if len(source) >= PASSAGES[0]]
    chance.shuffle(long)
    for source in long:
        yield list(source[: chance.randrange(*PASSAGES)])


def _document(name: str, passages: Sequence[Passage], flat: bool) -> Mixed:
    text = ""
    passage_starts: set[int] = set()
    paragraph_starts: list[int] = []
    for passage in passages:
        for number, paragraph in enumerate(passage.paragraphs):
            text += (" " if flat else "\n\n") if text else ""
            if not number:
                passage_starts.add(len(text))
            paragraph_starts.append(len(text))
            text += paragraph
    ends = [*paragraph_starts[1:], len(text)]
    sentences = [
        at
        for start, end in zip(paragraph_starts, ends, strict=True)
        for at in sentence_starts(text, start, end)
        if at < end
    ]
    gold = frozenset(number for number, at in enumerate(sentences) if number and at in passage_starts)
    return Mixed(name, text + "\n", tuple(sentences), gold)


def _half(source: str) -> str:
    return HALVES[sha256(source.encode()).digest()[0] % 2]


def _sources(data: Path) -> list[list[Passage]]:
    """The passages of every source that has any; each section gives one."""
    return _by_sections([*markdown(data), *prose(data)])


def _passages(sample: Sample) -> Iterator[Passage]:
    document = seamline.read(sample.text, id=sample.path, media_type="text/markdown")
    gathered: list[str] = []
    for top in document.tops:
        block = document.blocks[top]
        if block.kind == "heading":
            yield from _passage(sample.path, gathered)
            gathered = []
        elif block.kind == "paragraph" and (plain := _plain(document.text[block.start : block.end])):
            gathered.append(plain)
    yield from _passage(sample.path, gathered)


def _passage(source: str, paragraphs: Sequence[str]) -> Iterator[Passage]:
    """The paragraphs up to the longest passage, where they make one."""
    kept: list[str] = []
    sentences = length = 0
    for paragraph in paragraphs:
        sentences += len(sentence_starts(paragraph))
        length += len(paragraph)
        if sentences > MOST or length > LONGEST:
            break
        kept.append(paragraph)
    if sum(len(sentence_starts(paragraph)) for paragraph in kept) >= LEAST:
        yield Passage(source, tuple(kept))


def _plain(paragraph: str) -> str:
    """A paragraph as people read it; empty where it is no prose."""
    plain = _SPACE.sub(" ", _MARKS.sub("", _LINK.sub(lambda m: m[1] or m[2] or "", paragraph))).strip()
    return "" if _FOREIGN.search(plain) or plain[-1:] not in '.!?”"’)' else plain
