"""Does the stemmer of a language find more than that of English: 42 questions in German, French and Spanish.

`languages/` has 14 passages and 14 questions for each language, of the same handbook; the questions have other forms of
the words than their passages. They were written before anything was measured. Recall@1, recall@3 and MRR of BM25 alone
and of the default, with English stems and with those of the language.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from benchmarks.common import save, table
from seamline.api.index import Index, IndexConfig, open_index
from seamline.search.options import SearchOptions
from seamline.text.stemming import ENGLISH

FOLDER = Path(__file__).with_name("languages")
LEGS = {
    "BM25": SearchOptions(k=10, min_score=0.0, legs="bm25"),
    "default": SearchOptions(k=10, min_score=0.0),
}


def rank(index: Index, question: str, wanted: str, options: SearchOptions) -> int:
    """Where the passage stands, from 1; 0 where it was not found."""
    docs = [hit.entry.doc for hit in index.search(question, options=options).hits]
    return docs.index(wanted) + 1 if wanted in docs else 0


def measure(ranks: Sequence[int]) -> list[float]:
    """Recall@1, recall@3 and MRR, in hundredths."""
    first, third = (sum(0 < rank <= most for rank in ranks) for most in (1, 3))
    return [100 * value / len(ranks) for value in (first, third, sum(1 / rank for rank in ranks if rank))]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures there")
    args = parser.parse_args()
    found: dict[str, list[int]] = {}
    for file in sorted(FOLDER.glob("*.json")):
        language, data = file.stem, json.loads(file.read_text(encoding="utf-8"))
        for stemming in (ENGLISH, language):
            kind = "English stems" if stemming == ENGLISH else "stems of the language"
            with open_index("memory:", config=IndexConfig(stemming=stemming)) as index:
                index.add_many((f"{n:02}.md", text) for n, text in enumerate(data["passages"]))
                for legs, options in LEGS.items():
                    ranks = [rank(index, asked, f"{n:02}.md", options) for asked, n in data["questions"]]
                    found[f"{language}, {legs}, {kind}"] = ranks
    for legs in LEGS:
        for kind in ("English stems", "stems of the language"):
            chosen = [ranks for name, ranks in found.items() if name.endswith(f", {legs}, {kind}")]
            found[f"all, {legs}, {kind}"] = [rank for ranks in chosen for rank in ranks]
    rows = {name: measure(ranks) for name, ranks in sorted(found.items())}
    print(
        table(["", "recall@1", "recall@3", "MRR"], [[name, *(f"{v:.1f}" for v in row)] for name, row in rows.items()])
    )
    save(args.json, "quality.stemming", rows)


if __name__ == "__main__":
    main()
