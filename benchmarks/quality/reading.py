"""Which size of chunks shows most of the answers within a number of tokens, and what reading around a hit adds.

Per limit of the chunks: the best hits as they were found, the best hits with what stands around them (`read_whole`),
and the text that `context` writes. Tokens are counted on what is sent. Answers are labelled text; of a question of
`asked` with several passages the best shown one counts. Settings are chosen on half of the documents and judged on the
other half.

    python -m benchmarks.quality.reading --limits 192 256 512 --legs bm25
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.common import DATA, need, progress, table
from benchmarks.engine import target_of
from benchmarks.quality.asked.check import QUESTIONS
from benchmarks.quality.indexed import Indexed, Remembering, Shelved, shown
from benchmarks.quality.questions import Question, QuestionSet, Ref, covered, load
from seamline.api.index import Index
from seamline.index.config import IndexConfig, settings_of
from seamline.index.sources import IndexSource
from seamline.recipe.recipe import Recipe
from seamline.search.hits import Hit
from seamline.search.options import SearchOptions
from seamline.tokens import load as load_tokenizer
from seamline.types import Budget

SETS = ("asked", "structmd", "fetaqa_long", "chroma", "codebase")
WAYS = ("hits", "hits, read whole", "context", "context, whole")
count = load_tokenizer("o200k_base").count


class Answered(NamedTuple):
    """What of one answer was shown, and how many tokens were sent for it."""

    share: float
    tokens: int
    judged: bool


class Constant:
    """Vectors that say nothing, for searches by words alone."""

    name, dimensions, fingerprint = "constant", 2, "constant"

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        return np.tile(np.array([1, 0], np.float32), (len(texts), 1))


def asked(data: Path, every: int = 1) -> QuestionSet:
    """The questions about real documentation; `name` is that of a Markdown set. Of pages without an answer, one of
    `every` so many is indexed."""
    with need(data / "markdown.jsonl").open(encoding="utf-8") as lines:
        docs = {row["path"]: row["text"] for row in map(json.loads, lines)}
    with QUESTIONS.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    questions = [
        Question(row["question"], tuple(Ref(one["doc"], one["start"], one["end"]) for one in row["passages"]))
        for row in rows
    ]
    labelled = {ref.doc for question in questions for ref in question.refs}
    others = [doc for doc in docs if doc not in labelled][::every]
    return QuestionSet("structmd", {doc: docs[doc] for doc in (*sorted(labelled), *others)}, questions)


def judged_halves(name: str, questions: Sequence[Question]) -> list[bool]:
    """Which questions are of the judged half: documents are never in both."""
    if name == "asked":
        with QUESTIONS.open(encoding="utf-8") as lines:
            return [json.loads(line)["half"] == "judge" for line in lines]
    return [sha256(one.refs[0].doc.encode()).digest()[-1] % 2 == 0 for one in questions]


def build(data: QuestionSet, limit: int, embedder: Remembering | Constant) -> Indexed:
    """A set, indexed at a limit in one run."""
    recipe = Recipe(budget=Budget(target=target_of(limit), limit=limit))
    store = Shelved(settings_of(IndexConfig(recipe, "minilm"), embedder))
    index = Index(store, embedder, Path())
    sources = [
        IndexSource(doc, lambda text=text: text.encode("utf-8", "replace"), media_type=data.media_type)  # type: ignore[misc]
        for doc, text in data.docs.items()
    ]
    index._update(sources, lambda doc: False)
    return Indexed(data, limit, index, store)


def filled(hits: Sequence[Hit], budget: int) -> tuple[list[Hit], int]:
    """The best hits that fit, in their order, and their tokens."""
    kept, used = [], 0
    for hit in hits:
        size = count(hit.text)
        if used + size <= budget:
            kept.append(hit)
            used += size
    return kept, used


def refs_of(indexed: Indexed, hits: Sequence[Hit]) -> list[Ref]:
    """What the texts of hits show."""
    return [indexed.chunks[id] for hit in hits for id in hit.ids]


def share(question: Question, refs: Sequence[Ref], *, any_passage: bool) -> float:
    """How much of the answer is shown; of the best passage where each answers alone."""
    if any_passage:
        return max(covered([one], refs) for one in question.refs)
    return covered(question.refs, refs)


def answer(
    indexed: Indexed, question: Question, budget: int, options: SearchOptions, ways: Sequence[str]
) -> Iterator[tuple[list[Ref], int]]:
    """What each way shows, and its tokens."""
    indexed.ask(question)
    for way in ways:
        if way.startswith("hits"):
            room = options.whole if way.endswith("whole") else 0
            found = indexed.index.search(question.text, options=replace(options, whole=room, over=1), k=40).hits
            kept, used = filled(found, budget)
            yield refs_of(indexed, kept), used
        else:
            made = indexed.index.context(question.text, budget=budget, options=options, whole=way.endswith("whole"))
            cited = [one for passage in made.passages if not passage.summary for one in passage.citations]
            yield shown(cited), made.tokens


def measure(
    name: str, indexed: Indexed, budget: int, options: SearchOptions, ways: Sequence[str]
) -> Mapping[str, list[Answered]]:
    """Per way, what became of each question."""
    out: dict[str, list[Answered]] = {way: [] for way in ways}
    questions = indexed.set.questions
    for done, (question, judged) in enumerate(zip(questions, judged_halves(name, questions), strict=True)):
        progress(f"{name}, limit {indexed.limit}, {budget} tokens: {done}/{len(questions)}")
        for way, (refs, tokens) in zip(ways, answer(indexed, question, budget, options, ways), strict=True):
            out[way].append(Answered(share(question, refs, any_passage=name == "asked"), tokens, judged))
    progress("")
    return out


def _mean(rows: Sequence[Answered], *, judged: bool) -> float:
    return 100 * float(np.mean([row.share for row in rows if row.judged == judged]))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--limits", nargs="+", type=int, default=[192, 256, 512])
    parser.add_argument("--budgets", nargs="+", type=int, default=[1000, 2000])
    parser.add_argument("--legs", choices=("bm25", "hybrid", "dense"), default="bm25")
    parser.add_argument("--questions", type=int, default=100, help="per set, evenly spread; of `asked`, all")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS)
    parser.add_argument("--every", type=int, default=1, help="index one in so many of the other pages of `asked`")
    args = parser.parse_args()
    embedder = Constant() if args.legs == "bm25" else Remembering(1)
    options = SearchOptions(legs=args.legs)
    for name in args.sets:
        data = (
            asked(args.data, args.every)
            if name == "asked"
            else load(args.data.parent / "chunkbench" / "data" / name, args.questions)
        )
        rows = []
        for limit in args.limits:
            indexed = build(data, limit, embedder)
            for budget in args.budgets:
                for way, found in measure(name, indexed, budget, options, args.ways).items():
                    tokens = float(np.mean([row.tokens for row in found]))
                    row = [way, limit, budget, _mean(found, judged=False), _mean(found, judged=True), tokens]
                    rows.append(row)
        rows.sort(key=lambda row: (row[2], WAYS.index(str(row[0]))))
        print(f"\n{name}, {args.legs}: {len(data.questions)} questions; of 100 characters of the answer are shown\n")
        print(table(["", "limit", "budget", "chosen", "judged", "tokens"], rows), flush=True)


if __name__ == "__main__":
    main()
