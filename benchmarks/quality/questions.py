"""Questions with answer spans (the chunkbench sets), and how well ranked passages answer them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.common import DATA, need

MARKDOWN = {"structmd", "fetaqa_long", "asked"}
"""Sets whose documents are Markdown; the others are plain text or code."""


class Ref(NamedTuple):
    """A span of a document."""

    doc: str
    start: int
    end: int


class Question(NamedTuple):
    """A question, and where it is answered."""

    text: str
    refs: tuple[Ref, ...]
    hidden: tuple[Ref, ...] = ()
    """Where the question itself stands in a document; what holds it is not found."""


@dataclass(frozen=True)
class QuestionSet:
    """Documents and the questions about them."""

    name: str
    docs: dict[str, str]
    questions: list[Question]

    def media_type(self, doc: str) -> str:
        """Of one of the documents."""
        if self.name not in MARKDOWN:
            return "text/plain"
        return "text/mdx" if doc.endswith(".mdx") else "text/markdown"


def load(folder: Path, most: int, *, others: bool = False) -> QuestionSet:
    """One set of the benchmark data, with at most so many of its questions, evenly spread; and all documents.

    With `others`, as many of those that would else be left out.
    """
    docs = {row["id"]: row["text"] for row in _rows(folder / "docs.jsonl")}
    questions = [
        Question(row["question"], _refs(row["refs"]), _refs(row.get("exclude", ())))
        for row in _rows(folder / "queries.jsonl")
    ]
    kept = _spread(questions, most)
    return QuestionSet(folder.name, docs, _spread([q for q in questions if q not in kept], most) if others else kept)


def load_asked(half: str = "", data: Path = DATA) -> QuestionSet:
    """The questions of `benchmarks/quality/asked`, all or one half (`choose`, `judge`), about the Markdown corpus."""
    docs = {row["path"]: row["text"] for row in _rows(data / "markdown.jsonl")}
    rows = _rows(Path(__file__).with_name("asked") / "questions.jsonl")
    questions = [Question(row["question"], _refs(row["passages"])) for row in rows if half in ("", row["half"])]
    return QuestionSet("asked", docs, questions)


def _spread(questions: list[Question], most: int) -> list[Question]:
    if len(questions) <= most:
        return questions
    return [questions[n * len(questions) // most] for n in range(most)]


def _rows(file: Path) -> list[dict[str, Any]]:
    with need(file).open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _refs(rows: Iterable[dict[str, Any]]) -> tuple[Ref, ...]:
    return tuple(Ref(row["doc"], row["start"], row["end"]) for row in rows)


def overlaps(one: Ref, other: Ref) -> bool:
    return one.doc == other.doc and one.start < other.end and other.start < one.end


def covered(refs: Sequence[Ref], shown: Iterable[Ref]) -> float:
    """The share of the answer's characters that are shown at least once."""
    by_doc: dict[str, list[tuple[int, int]]] = {}
    for doc, start, end in shown:
        by_doc.setdefault(doc, []).append((start, end))
    total = sum(end - start for _, start, end in refs)
    return sum(_common(ref, by_doc.get(ref.doc, ())) for ref in refs) / total


def _common(ref: Ref, spans: Iterable[tuple[int, int]]) -> int:
    at, found = ref.start, 0
    for start, end in sorted(spans):
        low, high = max(at, start), min(ref.end, end)
        if low < high:
            found += high - low
            at = high
    return found


def gains(question: Question, ranked: Sequence[Sequence[Ref]]) -> list[float]:
    """What each rank adds to the answer's characters shown before it."""
    shown: list[Ref] = []
    before = 0.0
    out = []
    for refs in ranked:
        shown += refs
        now = covered(question.refs, shown)
        out.append(now - before)
        before = now
    return out


def ndcg(gained: Sequence[float], ideal: Sequence[float], depth: int) -> float:
    """Discounted gain beside the best order of all chunks."""
    best = _discounted(sorted(ideal, reverse=True)[:depth])
    return min(1.0, _discounted(gained[:depth]) / best) if best else 0.0


def _discounted(values: Sequence[float]) -> float:
    return sum(value / math.log2(rank + 2) for rank, value in enumerate(values))
