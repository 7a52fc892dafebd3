"""Does late chunking find more answers than chunks that are embedded alone?

Every way sees the same chunks and the same questions; only the vectors of the chunks differ. Paired differences come
with a bootstrap interval.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from benchmarks.common import options, progress, save, table
from benchmarks.quality.questions import Question, QuestionSet, Ref, covered, load, overlaps
from seamline.embed.bundled import FOLDER, MINILM
from seamline.embed.late import embed_late
from seamline.embed.onnx import OnnxEmbedder, OnnxOptions
from seamline.parse import parse_text
from seamline.pipeline import chunk_document
from seamline.recipe.recipe import Recipe
from seamline.types import Budget, Chunk

K = 5
SETS = ("chroma", "xquad_en", "structmd")


def main() -> int:
    parser = options(__doc__)
    parser.add_argument("--sets", nargs="+", default=list(SETS))
    parser.add_argument("--most", type=int, default=300, help="questions of a set")
    parser.add_argument("--characters", type=int, default=400_000, help="of the documents of a set")
    parser.add_argument("--limit", type=int, default=256, help="tokens of a chunk")
    given = parser.parse_args()
    folder = given.data.parent / "chunkbench" / "data"
    figures: dict[str, Any] = {}
    rows = []
    for name in given.sets:
        questions = _within(load(folder / name, 10_000), given.characters, given.most)
        for way, scores in _measured(questions, given.limit):
            figures.setdefault(name, {})[way] = scores
            rows.append((name, way, *scores.values()))
    print(
        table(
            (
                "set",
                "vectors",
                "questions",
                "chunks",
                f"recall@{K}",
                "MRR@10",
                "recall against headings",
                "low",
                "high",
            ),
            rows,
        )
    )
    save(given.json, "late", figures)
    return 0


def _within(found: QuestionSet, characters: int, most: int) -> QuestionSet:
    """The first documents of a set, and questions that they answer, evenly spread."""
    docs: dict[str, str] = {}
    for name, text in found.docs.items():
        if sum(map(len, docs.values())) < characters:
            docs[name] = text
    asked = [q for q in found.questions if all(ref.doc in docs for ref in q.refs)]
    step = max(1, len(asked) // most)
    return QuestionSet(found.name, docs, asked[::step][:most])


def _measured(questions: QuestionSet, limit: int) -> Iterator[tuple[str, dict[str, float]]]:
    recipe = Recipe(budget=Budget(limit * 15 // 16, limit))
    documents = [parse_text(text, id=id, media_type=questions.media_type) for id, text in questions.docs.items()]
    chunks = [chunk_document(document, recipe) for document in documents]
    flat = [chunk for some in chunks for chunk in some]
    short, long = _model(256), _model(512)
    asked = short.embed([q.text for q in questions.questions])
    progress(f"{questions.name}: alone")
    plain = short.embed([chunk.render("body") for chunk in flat])
    headed = short.embed([chunk.text for chunk in flat])
    progress(f"{questions.name}: late")
    late = [_late(model, chunks) for model in (short, long)]
    ways = {
        "alone, body": plain,
        "alone, with headings": headed,
        "late, window 256": late[0],
        "late, window 512": late[1],
        "with headings + late 256": _mean(headed, late[0]),
        "with headings + late 512": _mean(headed, late[1]),
    }
    refs = [Ref(chunk.doc_id, chunk.start, chunk.end) for chunk in flat]
    scores = {way: asked @ vectors.T for way, vectors in ways.items()}
    judged = {
        way: [_judged(q, refs, row) for q, row in zip(questions.questions, rows, strict=True)]
        for way, rows in scores.items()
    }
    base = np.array([recall for recall, _ in judged["alone, with headings"]])
    for way, found in judged.items():
        recall, rank = (np.array(column) for column in zip(*found, strict=True))
        yield way, {"questions": len(recall), "chunks": len(flat), **_figures(recall, rank, base)}
    progress("")


def _mean(one: Any, other: Any) -> Any:
    both = one + other
    return both / np.linalg.norm(both, axis=1, keepdims=True)


def _figures(recall: Any, rank: Any, base: Any) -> dict[str, float]:
    given = recall - base
    draws = np.random.default_rng(1).integers(0, len(given), (2000, len(given)))
    low, high = np.percentile(given[draws].mean(axis=1), (2.5, 97.5))
    shown = {"recall": recall.mean(), "mrr": rank.mean(), "difference": given.mean(), "low": low, "high": high}
    return {name: round(100 * float(value), 1) for name, value in shown.items()}


def _model(window: int) -> OnnxEmbedder:
    model, tokenizer = (FOLDER / name for name in MINILM.files)
    return OnnxEmbedder(model, tokenizer, OnnxOptions("mean", window), name=f"minilm, window {window}")


def _late(model: OnnxEmbedder, chunks: Sequence[Sequence[Chunk]]) -> Any:
    rows = [embed_late(model, some[0].document.text, [c.body for c in some]) for some in chunks if some]
    return np.concatenate(rows)


def _judged(question: Question, refs: Sequence[Ref], scores: Any) -> tuple[float, float]:
    """The share of the answer in the first five chunks, and 1 / rank of the first that has any of it."""
    order = np.argsort(-scores, kind="stable")
    kept = [refs[at] for at in order[:100] if not any(overlaps(refs[at], one) for one in question.hidden)]
    ranks = [rank for rank, ref in enumerate(kept[:10], 1) if any(overlaps(ref, one) for one in question.refs)]
    return covered(question.refs, kept[:K]), 1 / ranks[0] if ranks else 0.0


if __name__ == "__main__":
    sys.exit(main())
