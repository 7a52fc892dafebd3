"""All hostile inputs, the same for the same seed, and how they are written into a folder.

python -m benchmarks.hostile.inputs FOLDER [--seed 11]
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

from benchmarks.hostile import bombs, nasties
from benchmarks.hostile.binaries import BINARIES
from benchmarks.hostile.mutations import ARCHIVE, BYTES, TEXT, Mutation
from benchmarks.hostile.packages import ARCHIVES, FLAT
from benchmarks.hostile.texts import SOURCES, TEXTS, Seed

SEED = 11
_CODE = (
    '"""',
    "'''",
    '"',
    "`",
    "[[a]]",
    "a => ",
    "<<<<",
    "/*",
    "((",
    "{",
    "a<b,",
    "-> ",
    "#if a\n",
    "@a\n",
    "\\",
    "${",
    "- ",
)
"""Runs over which one grammar or another took longer than a second, at 50,000 bytes."""
_RUN = 50_000


class Input(NamedTuple):
    """One file."""

    name: str
    """Of the file, with what was done to it."""
    format: str
    data: bytes


def every(seed: int = SEED) -> Iterator[Input]:
    """All of them."""
    yield from mutated(seed)
    suffixes = {one.name: one.suffix for one in TEXTS}
    for kind, name, data in nasties.texts():
        yield Input(f"{kind}-{name}{suffixes[kind]}", kind, data)
    for kind, suffix, name, data in bombs.binaries():
        yield Input(f"{kind}-{name}{suffix}", kind.partition("-")[0], data)


def mutated(seed: int = SEED) -> Iterator[Input]:
    """Those that chance makes of valid documents."""
    pictures = tuple(one for one in BINARIES if one.format == "image")
    others = tuple(one for one in BINARIES if one.format != "image")
    for group, ways, count in (
        (TEXTS, TEXT, 17),
        (SOURCES, TEXT, 5),
        (ARCHIVES, ARCHIVE, 21),
        (FLAT, TEXT, 17),
        (pictures, BYTES, 5),
        (others, BYTES, 20),
    ):
        for one in group:
            yield from _spoilt(one, ways, count, seed)
    yield from _code(seed)


def _spoilt(one: Seed, ways: tuple[Mutation, ...], count: int, seed: int) -> Iterator[Input]:
    for n in range(count):
        chance = Random(f"{seed} {one.name} {n}")
        way = ways[n % len(ways)] if count >= len(ways) else chance.choice(ways)
        yield Input(f"{one.name.replace('.', '-')}-{seed}-{n}{one.suffix}", one.format, way(one, chance))


def _code(seed: int) -> Iterator[Input]:
    for one in SOURCES:
        chance = Random(f"{seed} runs {one.name}")
        for n, unit in enumerate(chance.sample(_CODE, 3)):
            data = one.data + (unit * (_RUN // len(unit))).encode()
            yield Input(f"{one.name.replace('.', '-')}-run-{n}{one.suffix}", "code", data)


def sample(count: int, largest: int, seed: int = SEED) -> list[Input]:
    """Some of them, of every format, none larger than so many bytes."""
    small = [one for one in every(seed) if len(one.data) <= largest]
    kinds = sorted({one.format for one in small})
    chance = Random(seed)
    own = {kind: [one for one in small if one.format == kind] for kind in kinds}
    each = max(1, count // len(kinds))
    return [one for kind in kinds for one in chance.sample(own[kind], min(each, len(own[kind])))]


def write(folder: Path, seed: int = SEED) -> None:
    """Each as a file, and a list of them."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "inputs.jsonl").open("w", encoding="utf-8") as listed:
        for one in every(seed):
            (folder / one.name).write_bytes(one.data)
            listed.write(json.dumps({"name": one.name, "format": one.format, "size": len(one.data)}) + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=SEED)
    args = parser.parse_args()
    write(args.folder, args.seed)
