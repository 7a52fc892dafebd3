"""Changes of subject in two sources that nothing was chosen on, at the default limit: articles, sections, flat text."""

from __future__ import annotations

from typing import Any

from benchmarks.common import options, progress, save, table
from benchmarks.segmentation.data import SETS, UNSEEN, unseen
from benchmarks.segmentation.measures import numbers, score
from benchmarks.segmentation.methods import Memo, semantic_way
from seamline.embed import load
from seamline.recipe.strategies import Semantic

BARS = {"articles": 0.85, "sections": 0.5, "flat": 0.85}
METHODS = ("objective", "ensemble", "dip", "bayes", "texttiling")


def main() -> int:
    parser = options(__doc__)
    parser.add_argument("--embedder", default="static")
    parser.add_argument("--documents", type=int, default=60, help="of each set, at most")
    args = parser.parse_args()
    embedder = Memo(load(args.embedder))
    default = Semantic().method
    rows: list[tuple[Any, ...]] = []
    passed = True
    for source in UNSEEN:
        for kind in SETS:
            if (source, kind) == ("wikipedia", "sections"):
                continue  # its paragraphs stand under no headings
            documents = unseen(args.data, source, kind, args.documents)
            for method in METHODS:
                progress(f"{source}, {kind}: {method}")
                way = semantic_way(Semantic(method=method), embedder)
                found = score(documents, [numbers(one, way.cut(one)) for one in documents])
                bar = f"{'pass' if found.f1 >= BARS[kind] else 'FAIL'} {BARS[kind]}" if method == default else ""
                passed = passed and not bar.startswith("FAIL")
                passages = sum(len(one.gold) + 1 for one in documents)
                rows.append((source, kind, passages, method, f"{found.f1:.3f}", f"x{found.cuts:.2f}", bar))
    progress("")
    print(table(("source", "set", "passages", "method", "F1", "cuts", "bar of the default"), rows))
    save(args.json, "segmentation-unseen", {"rows": rows})
    return 0 if passed else 1


if __name__ == "__main__":
    raise SystemExit(main())
