"""Makes the table of the embedder `static` from the bundled model, and shows how near to it other sizes come.

    python -m benchmarks.distil.run --out src/seamline/embed/models/static.int8.npy

Its hash then goes into `seamline/embed/static.py` and `models/PROVENANCE.md`. The teacher's vectors are kept in
`--cache`. Another processor may round the teacher's numbers in another way, and so make a table that differs in some
units of the last place: it is the shipped file that is checked, not the run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.common import ROOT, options, save, table
from benchmarks.distil.corpus import corpus
from benchmarks.distil.fit import Settings, counts, fit, unit, whole
from benchmarks.distil.judge import nearness
from benchmarks.distil.teacher import Teacher
from benchmarks.engine import vocabulary, word_pieces

HEADERS = ("table", "MB", "documents", "any two", "neighbours", "ranks", "windows")


def main() -> int:
    parser = options(__doc__)
    parser.add_argument("--out", type=Path, help="where the table is written")
    parser.add_argument("--texts", type=int, default=24_000, help="sentences to fit by, and a third as many windows")
    parser.add_argument("--cache", type=Path, default=ROOT / "build" / "distil")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--sizes", type=int, nargs="+", default=[256], help="dimensions to try; the first is written")
    args = parser.parse_args()
    texts, held_out, foreign = corpus(args.data, args.texts)
    teacher = Teacher(args.cache, args.threads)
    judged = {"held out": Judged.of(held_out, teacher), "other": Judged.of(foreign, teacher)}
    seen = counts(texts, word_pieces(), len(vocabulary()))
    alone, wanted = teacher.pieces(), teacher.embed(texts, "texts")
    rows = []
    for size in args.sizes:
        fitted = fit(alone, seen, wanted, Settings(size), words())
        small = whole(fitted)
        rows += [(f"{size} float32", f"{fitted.nbytes / 1e6:.1f}", *figures) for figures in near(fitted, judged)]
        rows += [(f"{size} int8", f"{small.nbytes / 1e6:.1f}", *figures) for figures in near(small, judged)]
        if args.out and size == args.sizes[0]:
            np.save(args.out, small)
            print(f"{args.out}: SHA-256 {sha256(args.out.read_bytes()).hexdigest()}\n", flush=True)
    print(f"fitted to {len(texts)} texts; judged by {sum(map(len, held_out))} sentences of {len(held_out)} held-out")
    print(f"documents, and {sum(map(len, foreign))} of {len(foreign)} documents of other kinds\n")
    print(table(HEADERS, rows))
    save(args.json, "distil", [dict(zip(HEADERS, row, strict=True)) for row in rows])
    return 0


class Judged(NamedTuple):
    """Sentences to judge by."""

    seen: Any
    """How often each piece stands in each."""
    theirs: Any
    """Their vectors of the teacher."""
    sizes: list[int]
    """Sentences of each document."""

    @classmethod
    def of(cls, documents: list[list[str]], teacher: Teacher) -> Judged:
        flat = [text for document in documents for text in document]
        seen = counts(flat, word_pieces(), len(vocabulary()))
        return cls(seen, teacher.embed(flat, "sentences to judge by"), list(map(len, documents)))


def near(rows: Any, judged: Mapping[str, Judged]) -> Iterator[tuple[str, ...]]:
    """How near a table comes to the teacher, by kind of document."""
    for name, (seen, theirs, sizes) in judged.items():
        figures = nearness(unit(seen @ rows.astype(np.float32)), theirs, sizes)
        yield name, *(f"{figure:.4f}" for figure in figures)


def words() -> Any:
    """Which entries of the vocabulary can stand in a text, or stand for one without words."""
    entries = sorted((number, word) for word, number in vocabulary().items())
    return np.array([word in ("[PAD]", "[UNK]") or not is_mark(word) for _, word in entries])


def is_mark(word: str) -> bool:
    """Of the vocabulary's own marks: [PAD], [MASK], [unused7]."""
    return word.startswith("[") and word.endswith("]") and len(word) > 1


if __name__ == "__main__":
    raise SystemExit(main())
