"""Boundary F1 on conversations of known topics, beside chonkie's SemanticChunker and what seamline did before.

A chunk starts at a message; a start inside of one counts for the nearest message. The first message is no boundary.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable

from benchmarks.common import options, table
from benchmarks.conversations.make import KINDS, Conversation, conversations
from seamline.cut import cut_leaves
from seamline.cut.scores import NO_SIGNAL
from seamline.pipeline import choose_strategy, chunk_document, make_runtime
from seamline.recipe.recipe import Recipe
from seamline.types import Chunk

Cut = Callable[[Conversation], Iterable[int]]
LIMIT = 512


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--half", choices=("dev", "test"), default="test")
    parser.add_argument("--each", type=int, default=12, help="conversations of each kind")
    parser.add_argument("--chonkie", action="store_true", help="also chonkie's SemanticChunker")
    args = parser.parse_args()
    found = conversations(args.data, args.half, args.each)
    print(f"{len(found)} conversations, {sum(len(one.gold) for one in found)} changes of topic, {args.half} half")
    rows = []
    for name, cut in systems(chonkie=args.chonkie):
        by_kind: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
        for one in found:
            counted = _count(one, cut(one))
            by_kind[one.kind].append(counted)
            by_kind["written" if not one.name.startswith(KINDS) else "composed"].append(counted)
            by_kind["all"].append(counted)
        rows.append(
            (name, *(_f1(by_kind[kind]) for kind in (*KINDS, "composed", "written", "all")), *_both(by_kind["all"]))
        )
    print(table(("F1", *KINDS, "composed", "written", "all", "precision", "recall"), rows))
    print(f"\nmessages cut that fit a chunk: {sum(map(_torn, found))} of {sum(len(one.starts) for one in found):,}")


def systems(*, chonkie: bool) -> list[tuple[str, Cut]]:
    plain, multimodal = Recipe(), Recipe(strategy="multimodal")
    auto = Recipe(strategy="auto")
    out: list[tuple[str, Cut]] = [
        ("default", lambda one: _starts(chunk_document(one.document, plain))),
        ("auto", lambda one: _starts(chunk_document(one.document, choose_strategy(one.document, auto)[0]))),
        ("multimodal", lambda one: _starts(chunk_document(one.document, multimodal))),
        ("default before", lambda one: _starts(cut_leaves(one.document, plain, make_runtime(plain), NO_SIGNAL))),
    ]
    semantic = Recipe(strategy="semantic")
    out.append(("semantic", lambda one: _starts(chunk_document(one.document, semantic))))
    if chonkie:
        out += _chonkie()
    return out


def _chonkie() -> list[tuple[str, Cut]]:
    from benchmarks.segmentation.peers import CHONKIE, CHONKIE_WINDOW, chonkie_model2vec

    make = chonkie_model2vec(LIMIT)
    best = make(0.3, CHONKIE_WINDOW)
    cut = make(CHONKIE, CHONKIE_WINDOW)
    return [
        ("chonkie", lambda one: cut(one.document.text)),
        ("chonkie, threshold 0.3", lambda one: best(one.document.text)),
    ]


def _starts(chunks: Iterable[Chunk]) -> list[int]:
    return [chunk.start for chunk in chunks]


def _count(one: Conversation, cuts: Iterable[int]) -> tuple[int, int, int]:
    """Right ones, found ones, all there are."""
    near = {min(range(len(one.starts)), key=lambda n: abs(one.starts[n] - cut)) for cut in cuts} - {0}
    return len(near & one.gold), len(near), len(one.gold)


def _both(counted: Iterable[tuple[int, int, int]]) -> tuple[float, float]:
    right, found, gold = map(sum, zip(*counted, strict=True))
    return (right / found if found else 0.0), right / gold


def _f1(counted: Iterable[tuple[int, int, int]]) -> float:
    precision, recall = _both(counted)
    return 2 * precision * recall / (precision + recall) if right_of(precision, recall) else 0.0


def right_of(precision: float, recall: float) -> bool:
    return precision + recall > 0


def _torn(one: Conversation) -> int:
    """Messages with a chunk that starts inside of them, though they fit."""
    recipe = Recipe()
    runtime = make_runtime(recipe)
    starts = _starts(chunk_document(one.document, recipe))
    ends = [*one.starts[1:], len(one.document.text)]
    return sum(
        any(first < cut < last for cut in starts) and runtime.tokenizer.count(one.document.text[first:last]) <= LIMIT
        for first, last in zip(one.starts, ends, strict=True)
    )


if __name__ == "__main__":
    main()
