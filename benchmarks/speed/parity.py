"""Whether the compiled block parser finds what the Python one finds, in every file of the data and the hostile set.

A difference is a bug in one of the two. Texts that the compiled one leaves to Python are counted, and what each took.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import engine
from benchmarks.common import decode, hostile, need, options, progress, save, table, verdict

LARGEST = 3_000_000  # characters: beyond, the Python path takes minutes on some hostile files
Parse = Callable[[Any], object]


class Tally(NamedTuple):
    """What was seen of one source."""

    texts: int = 0
    differ: int = 0
    left: int = 0
    """To Python."""
    python: float = 0.0
    compiled: float = 0.0
    """CPU seconds."""

    def plus(self, other: Tally) -> Tally:
        return Tally(*(a + b for a, b in zip(self, other, strict=True)))


def texts(data: Path) -> Iterator[tuple[str, str]]:
    """Every text, with the name of its source."""
    for file in sorted(data.glob("*.jsonl")):
        with file.open(encoding="utf-8") as lines:
            for line in lines:
                yield file.stem, json.loads(line).get("text", "")
    for name, folder in (("documents", data / "documents"), ("hostile", hostile(data))):
        for file in sorted(path for path in folder.rglob("*") if path.is_file()):
            yield name, decode(file.read_bytes())


def seen(text: object, python: Parse, compiled: Parse) -> Tally:
    start = time.process_time()
    found = compiled(text)
    between = time.process_time()
    expected = python(text)
    spent = Tally(1, 0, 0, time.process_time() - between, between - start)
    return spent._replace(left=1) if found is None else spent._replace(differ=int(found != expected))


def main() -> int:
    args = options(__doc__).parse_args()
    python, compiled = engine.block_parses()
    if compiled is None:
        print("seamline._native is not in use: build it with `pip install -e .`, and unset SEAMLINE_NATIVE")
        return 2
    tallies: dict[str, Tally] = {}
    for name, text in texts(need(args.data)):
        if len(text) <= LARGEST:
            tallies[name] = tallies.get(name, Tally()).plus(seen(text, python, compiled))
            progress(f"{name}: {tallies[name].texts}")
    progress("")
    total = Tally()
    for tally in tallies.values():
        total = total.plus(tally)
    rows = [
        (name, *tally, tally.python / max(tally.compiled, 1e-9)) for name, tally in {**tallies, "all": total}.items()
    ]
    print(table(("source", "texts", "differ", "left to Python", "Python s", "compiled s", "times as fast"), rows))
    print(f"\nthe same blocks: {verdict(not total.differ)}")
    save(args.json, "parity", {name: tally._asdict() for name, tally in tallies.items()})
    return 1 if total.differ else 0


if __name__ == "__main__":
    raise SystemExit(main())
