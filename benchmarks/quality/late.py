"""Does an index that reads chunks together find more answers?

The same chunks and questions, through `Index.search`; only the vectors of chunks that are read with others differ. The
difference to the plain index comes with the 95% interval of a paired bootstrap.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import DATA, save, table
from benchmarks.quality.indexed import Indexed, Remembering, build
from benchmarks.quality.questions import load
from benchmarks.quality.retrieval import LEGS, OTHERS, Way, scores
from seamline.index.late import Stretches

SETS = ("chroma", "structmd", "fetaqa_long")
WAYS: dict[str, Way] = {"dense": LEGS["dense"], "hybrid": OTHERS["hybrid"]}
HEADERS = (
    "set", "limit", "window", "chunks", "read together", "search",
    "recall@5 plain", "late", "difference", "nDCG@10 plain", "late", "difference",
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA.parent / "chunkbench" / "data")
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--limits", nargs="+", type=int, default=[256, 512])
    parser.add_argument("--window", type=int, default=256, help="tokens that a late index reads at once; plain: 256")
    parser.add_argument("--questions", type=int, default=2000, help="per set, evenly spread; all documents stay")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures there")
    args = parser.parse_args()
    plain = Remembering(args.threads)
    late = plain if args.window == 256 else Remembering(args.threads, args.window)
    rows = [row for name in args.sets for limit in args.limits for row in _compared(args, name, limit, plain, late)]
    print(table(HEADERS, rows))
    save(args.json, "quality.late", [dict(zip(HEADERS, row, strict=True)) for row in rows])
    sys.exit(0)


def _compared(
    args: argparse.Namespace, name: str, limit: int, plain: Remembering, late: Remembering
) -> Iterator[tuple[object, ...]]:
    data = load(args.data / name, args.questions)
    alone, together = build(data, limit, plain), build(data, limit, late, late=True)
    share = f"{100 * _together(together, late) / len(together.chunks):.0f}%"
    for search, way in WAYS.items():
        one, other = (100 * scores(indexed, way) for indexed in (alone, together))
        figures = [cell for at in (0, 2) for cell in _figures(one[:, at], other[:, at])]
        yield (name, limit, args.window, len(together.chunks), share, search, *figures)


def _together(indexed: Indexed, embedder: Remembering) -> int:
    """How many chunks are read with others."""
    with indexed.store.reader() as reader:
        versions = [reader.version(head.doc, head.version) for head in reader.heads()]
    return sum(len(Stretches(embedder).within(version)) for version in versions if version)


def _figures(one: Any, other: Any) -> tuple[str, str, str]:
    differences = other - one
    means = np.random.default_rng(7).choice(differences, (2000, len(differences))).mean(axis=1)
    low, high = np.percentile(means, (2.5, 97.5))
    return f"{one.mean():.1f}", f"{other.mean():.1f}", f"{differences.mean():+.1f} ({low:+.1f} to {high:+.1f})"


if __name__ == "__main__":
    main()
