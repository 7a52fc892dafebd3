"""The bundled embedders beside other static ones: sentences a second, nearness to the teacher, answers found.

wordllama brings its own table; model2vec brings none, so it is run with ours, which shows its speed. What is not
installed is left out. CPU time on one core: `first` is the first pass over the sentences by a fresh object, before any
word was met, `again` the best of those after it. Under `any`, `next` and `win` stand correlations (`judge.py`); under
the names of question sets R@10, the share of questions with a part of their answer in one of the ten nearest chunks.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.common import ROOT, options, save, table
from benchmarks.distil.corpus import corpus
from benchmarks.distil.fit import unit
from benchmarks.distil.judge import nearness
from benchmarks.distil.teacher import Teacher
from benchmarks.engine import chunks, embedder, model_files, static
from benchmarks.quality.questions import QuestionSet, Ref, load, overlaps

SETS = ("chroma", "xquad_en", "codebase")
LIMIT = 200
QUESTIONS = 400

Embed = Callable[[Sequence[str]], Any]


class Speed(NamedTuple):
    """Sentences a second of CPU time."""

    first: float
    again: float


def main() -> int:
    parser = options(__doc__)
    parser.add_argument("--cache", type=Path, default=ROOT / "build" / "distil")
    parser.add_argument("--texts", type=int, default=20_000, help="sentences for speed; every 200th for minilm")
    args = parser.parse_args()
    teacher = Teacher(args.cache, 1)
    texts, held_out, foreign = corpus(args.data, args.texts)
    texts = texts[: args.texts]
    judged = [([text for document in part for text in document], list(map(len, part))) for part in (held_out, foreign)]
    sets = [load(args.data.parent / "chunkbench" / "data" / name, QUESTIONS) for name in SETS]
    rows = []
    for name, make in contestants().items():
        speed = measured(make(), texts[:: 200 if name == "minilm" else 1])
        # What the teacher made before is kept.
        embed: Embed = (lambda each: teacher.embed(each, "texts")) if name == "minilm" else make()
        near = [nearness(embed(flat), teacher.embed(flat, "sentences"), sizes) for flat, sizes in judged]
        found = [answered(embed, each) for each in sets]
        figures = [f"{figure:.3f}" for part in near for figure in (part.any_two, part.neighbours, part.windows)]
        rows.append((name, f"{speed.first:.0f}", f"{speed.again:.0f}", *figures, *(f"{share:.3f}" for share in found)))
    headers = ("embedder", "first/s", "again/s", *(f"{a} {b}" for b in ("held", "other") for a in KINDS), *SETS)
    print(f"{len(texts)} sentences, {sum(map(len, texts)) / len(texts):.0f} characters in the mean\n")
    print(table(headers, rows))
    save(args.json, "static", [dict(zip(headers, row, strict=True)) for row in rows])
    return 0


KINDS = ("any", "next", "win")


def contestants() -> Mapping[str, Callable[[], Embed]]:
    """Those that are installed; each call makes a fresh one."""
    found: dict[str, Callable[[], Embed]] = {"minilm": lambda: embedder(1).embed, "static": lambda: static().embed}
    if find_spec("wordllama"):
        found["wordllama"] = _wordllama
    if find_spec("model2vec"):
        found["model2vec, our table"] = _model2vec
    return found


def _wordllama() -> Embed:
    import wordllama

    folder = Path(wordllama.__file__).parent
    model = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
    return lambda texts: unit(model.embed(list(texts)))


def _model2vec() -> Embed:
    from model2vec import StaticModel
    from tokenizers import Tokenizer

    vectors = np.asarray(static()._table).astype(np.float32)
    model = StaticModel(vectors, Tokenizer.from_file(model_files()[1]), normalize=True)
    return lambda texts: np.asarray(model.encode(list(texts), max_length=None, use_multiprocessing=False))


def measured(embed: Embed, texts: Sequence[str]) -> Speed:
    seconds = []
    for _ in range(4):
        start = time.process_time()
        embed(texts)
        seconds.append(time.process_time() - start)
    return Speed(len(texts) / seconds[0], len(texts) / min(seconds[1:]))


def answered(embed: Embed, asked: QuestionSet) -> float:
    """The share of questions with a part of their answer among the ten nearest chunks."""
    refs, texts = zip(*passages(asked), strict=True)
    similar = np.asarray(embed([question.text for question in asked.questions])) @ np.asarray(embed(texts)).T
    best = np.argsort(-similar, axis=1, kind="stable")[:, :10]
    hits = [
        any(overlaps(refs[at], ref) for at in row for ref in question.refs)
        for row, question in zip(best, asked.questions, strict=True)
    ]
    return sum(hits) / len(hits)


def passages(asked: QuestionSet) -> Iterator[tuple[Ref, str]]:
    for doc, text in asked.docs.items():
        for chunk in chunks(text, asked.media_type, LIMIT):
            yield Ref(doc, chunk.start, chunk.end), chunk.text


if __name__ == "__main__":
    raise SystemExit(main())
