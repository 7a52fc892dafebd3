"""Questions whose answer takes several steps or has several sides: are all of them found?

70 questions over two small worlds of documents (`documents/platform` and `documents/museum`), written before the code
that answers them. Rules were chosen by the platform's questions; the museum's judge them. All documents stand in one
index, beside those of `--among`, so that much else could be found. A step or side is found where a passage has its
words: for steps among the first five hits of `search --adaptive`, for sides in `context` of 1,000 tokens.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import seamline
from benchmarks.common import DATA, table, verdict
from seamline.api.index import Index, IndexConfig

HERE = Path(__file__).parent
FIRST = 5
BUDGET = 1000
BARS = {"hops": 80.0, "comparison": 95.0}


class Asked(NamedTuple):
    """A question, and the words of each of its steps or sides."""

    question: str
    world: str
    kind: str
    wanted: list[str]


def load() -> list[Asked]:
    lines = (HERE / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [Asked(**json.loads(line)) for line in lines]


def others(path: Path, most: int) -> Iterator[tuple[str, str]]:
    """Documents that have nothing to do with the questions."""
    with path.open(encoding="utf-8") as lines:
        for number, line in zip(range(most), lines, strict=False):
            yield f"other-{number}.md", json.loads(line)["text"]


def fill(index: Index, among: int, data: Path) -> None:
    own = [
        (f"{path.parent.name}/{path.name}", path.read_text(encoding="utf-8")) for path in HERE.glob("documents/*/*.md")
    ]
    with tempfile.TemporaryDirectory() as folder:
        for name, text in [*own, *others(data / "markdown.jsonl", among)]:
            (Path(folder) / name).parent.mkdir(exist_ok=True)
            (Path(folder) / name).write_text(text, encoding="utf-8", newline="")
        index.update([folder])


def found(index: Index, asked: Asked) -> list[bool]:
    """Per step or side, whether it is shown."""
    if asked.kind == "hops":
        shown = [hit.text for hit in index.search(asked.question, k=FIRST, adaptive=True).hits[:FIRST]]
    else:
        shown = [index.context(asked.question, budget=BUDGET).text]
    collapsed = [" ".join(text.split()) for text in shown]
    return [any(words in text for text in collapsed) for words in asked.wanted]


def share(values: Sequence[bool]) -> str:
    return f"{100 * sum(values) / len(values):.1f}% of {len(values)}" if values else "-"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--among", type=int, default=200, help="how many other documents stand in the index")
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--index", type=Path, help="a folder that keeps the index for a second run")
    parser.add_argument("--show", action="store_true", help="the questions of which something is not found")
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as passing,
        seamline.open_index(options.index or passing, config=IndexConfig()) as index,
    ):
        if not index.stats().documents:
            fill(index, options.among, options.data)
        results = [(asked, found(index, asked)) for asked in load()]
    rows, passed = [], []
    for kind in BARS:
        for world in ("platform", "museum"):
            part = [(asked, seen) for asked, seen in results if (asked.kind, asked.world) == (kind, world)]
            last = [seen[-1] for _, seen in part]
            everything = [all(seen) for _, seen in part]
            rows.append((kind, world, share([seen[0] for _, seen in part]), share(last), share(everything)))
            judged = last if kind == "hops" else everything
            if world == "museum":
                passed.append((kind, 100 * sum(judged) / len(judged) >= BARS[kind]))
    print(table(("questions", "world", "first found", "last found", "all found"), rows))
    for kind, held in passed:
        print(f"{verdict(held)}: {kind}, at least {BARS[kind]:.0f}% in the world that judges")
    if options.show:
        for asked, seen in results:
            if not all(seen):
                print(asked.kind, asked.question, seen)
    return 0 if all(held for _, held in passed) else 1


if __name__ == "__main__":
    sys.exit(main())
