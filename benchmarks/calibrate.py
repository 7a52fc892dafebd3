"""What cosine each bundled embedder gives neighbouring and distant blocks, and where the two balance.

Neighbours are paragraphs that follow each other under one heading; distant ones stand in one document under different
headings, five paragraphs or more apart. The balance is the cosine at which most pairs are told apart: the share of
neighbours at or above it plus the share of distant ones below it is largest. The floor of rechunk, 0.74, means that
point for every embedder that carries one. It is found on one half of the documents and judged on the other.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import seamline
from benchmarks.common import Sample, markdown, options, progress, prose, save, table
from seamline.embed import load

if TYPE_CHECKING:
    from seamline.records import Vector

LETTERS = (80, 1500)
"""Of a paragraph that is looked at."""
APART = 5


class Pair(NamedTuple):
    left: str
    right: str
    near: bool


def main() -> int:
    parser = options(__doc__)
    parser.add_argument("--embedders", default="static,hash,seam,quality,minilm")
    parser.add_argument("--pairs", type=int, default=400, help="of each kind, in each half")
    args = parser.parse_args()
    halves: dict[int, list[Pair]] = {0: [], 1: []}
    for sample in (*markdown(args.data), *prose(args.data)):
        halves[sha256(sample.path.encode()).digest()[0] % 2] += _pairs(sample)
    chosen = {half: _sampled(pairs, args.pairs) for half, pairs in halves.items()}
    rows = []
    for name in args.embedders.split(","):
        progress(name)
        embedder = load(name)
        dev, test = (_cosines(embedder.embed, chosen[half]) for half in (0, 1))
        balance = _balance(*dev)
        carried = getattr(embedder, "balance", None)
        near, far = test
        rows.append(
            (name, f"{balance:.2f}", "-" if carried is None else f"{carried:.2f}", f"{np.median(near):.2f}",
             f"{np.median(far):.2f}", f"{(near >= balance).mean():.2f}", f"{(far < balance).mean():.2f}")
        )  # fmt: skip
    progress("")
    headers = ("embedder", "balance", "carried", "neighbours", "distant", "neighbours above", "distant below")
    print(table(headers, rows))
    save(args.json, "calibrate", {"rows": rows})
    return 0


def _pairs(sample: Sample) -> Iterator[Pair]:
    document = seamline.read(sample.text, id=sample.path, media_type=sample.media_type)
    paragraphs: list[tuple[int, str]] = []
    section = 0
    for top in document.tops:
        block = document.blocks[top]
        if block.kind == "heading":
            section += 1
        elif block.kind == "paragraph" and LETTERS[0] <= block.end - block.start <= LETTERS[1]:
            paragraphs.append((section, document.text[block.start : block.end]))
    for at, (section, text) in enumerate(paragraphs):
        if at and paragraphs[at - 1][0] == section:
            yield Pair(paragraphs[at - 1][1], text, near=True)
        if at >= APART and paragraphs[at - APART][0] != section:
            yield Pair(paragraphs[at - APART][1], text, near=False)


def _sampled(pairs: Sequence[Pair], count: int) -> list[Pair]:
    chance = random.Random(18)
    kinds = [[pair for pair in pairs if pair.near is near] for near in (True, False)]
    return [pair for kind in kinds for pair in chance.sample(kind, min(count, len(kind)))]


def _cosines(embed: object, pairs: Sequence[Pair]) -> tuple[Vector, Vector]:
    left, right = (embed([pair[side] for pair in pairs]) for side in (0, 1))  # type: ignore[operator]
    cosines = (left * right).sum(axis=1)
    near = np.array([pair.near for pair in pairs])
    return cosines[near], cosines[~near]


def _balance(near: Vector, far: Vector) -> float:
    steps = np.arange(0.0, 1.0, 0.01)
    told = [(near >= step).mean() + (far < step).mean() for step in steps]
    return float(steps[int(np.argmax(told))])


if __name__ == "__main__":
    raise SystemExit(main())
