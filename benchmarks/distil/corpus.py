"""The texts a table is fitted to, and other documents to judge it by: sentences, and windows of three of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from benchmarks.common import Sample, markdown, need, prose
from benchmarks.engine import sentences

WINDOW = 3
HELD_OUT = 10
"""One document in so many is kept for judging, chosen by the hash of its path."""


class Corpus(NamedTuple):
    """Texts to fit by, and documents to judge by."""

    texts: list[str]
    """Different sentences, and windows of sentences that follow one another."""
    held_out: list[list[str]]
    """Sentences of each document that nothing was fitted to, in order."""
    foreign: list[list[str]]
    """Sentences of documents of other kinds, none of which was fitted to: English of Universal Dependencies."""


def corpus(data: Path, most: int) -> Corpus:
    """At most so many sentences to fit by, a third as many windows, and all held-out documents."""
    kept: list[list[str]] = []
    held: list[list[str]] = []
    for sample in [*markdown(data), *prose(data)]:
        (held if is_held_out(sample) else kept).append(sentences(sample.text, sample.media_type))
    single = spread(unique(text for document in kept for text in document), most)
    windows = spread(unique(text for document in kept for text in joined(document)), most // 3)
    return Corpus([*single, *windows], held, foreign(data))


def is_held_out(sample: Sample) -> bool:
    return int.from_bytes(sha256(sample.path.encode()).digest()[:4], "big") % HELD_OUT == 0


def joined(document: Sequence[str]) -> Iterator[str]:
    """Windows that do not overlap."""
    for start in range(0, len(document) - WINDOW + 1, WINDOW):
        yield " ".join(document[start : start + WINDOW])


def foreign(data: Path) -> list[list[str]]:
    rows = (json.loads(line) for line in need(data / "ud_sentences.jsonl").open(encoding="utf-8"))
    return [[row["text"][start:end] for start, end in row["sents"]] for row in rows if row["lang"] == "en"]


def unique(texts: Iterator[str]) -> list[str]:
    return list(dict.fromkeys(texts))


def spread(texts: Sequence[str], most: int) -> list[str]:
    """At most so many, evenly spread."""
    if len(texts) <= most:
        return list(texts)
    return [texts[n * len(texts) // most] for n in range(most)]
