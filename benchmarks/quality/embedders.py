"""The bundled embedders beside each other: what each finds alone, and how many chunks it embeds in a CPU second.

nDCG@10 of dense search alone on every set; then the speed of all models in one run, one thread each, in turns over the
same chunks. With `--exact`, the default is also set beside a twin that computes with floats: its matrices are those
that are shipped, back from 8 bits, and nothing is rounded on the way. So the difference is what rounding activations
costs; what was lost when weights were rounded cannot be measured, as only the rounded ones are kept.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.common import DATA, progress, save, table
from benchmarks.quality.found import SETS, Scored, ahead, entries_of, measure, ours
from benchmarks.quality.indexed import Indexed, Remembering, build
from benchmarks.quality.questions import QuestionSet, load, load_asked
from seamline.embed.bundled import FOLDER, MODELS, bundled
from seamline.search.options import SearchOptions

BEFORE, NOW = "minilm", "seam"
MEASURED = 120
"""Chunks that the speed is measured on, evenly spread."""
DENSE = SearchOptions(k=10, legs="dense", min_score=0.0, gate=None)


def float_twin(file: Path, out: Path) -> None:
    """An int8 model as one that multiplies floats, by the same weights."""
    import onnx
    from onnx import helper, numpy_helper

    model = onnx.load(str(file))
    graph = model.graph
    known = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    readers = {name: node for node in graph.node for name in node.input}
    nodes, made, gone = [], [], set()
    for node in graph.node:
        if node.op_type == "MatMulInteger":
            weights = node.input[1].removesuffix("_quantized")
            zero = known.get(f"{weights}_zero_point", np.array(0, np.int8)).astype(np.float32)
            exact = (known[node.input[1]].astype(np.float32) - zero) * known[f"{weights}_scale"]
            made.append(numpy_helper.from_array(exact.astype(np.float32), f"{weights}_float"))
            source = next(one for one in graph.node if node.input[0] in one.output).input[0]
            cast = readers[node.output[0]]
            scaled = readers[cast.output[0]]  # the product, times the scales of both sides
            gone |= {cast.name, scaled.name}
            nodes.append(helper.make_node("MatMul", [source, f"{weights}_float"], list(scaled.output)))
        elif node.op_type != "DynamicQuantizeLinear":
            nodes.append(node)
    kept = [node for node in nodes if node.name not in gone or node.op_type == "MatMul"]
    live: set[str] = {one.name for one in graph.output}
    order = []
    for node in reversed(kept):  # what only scaled products is not needed any more
        if live & set(node.output):
            live |= set(node.input)
            order.append(node)
    del graph.node[:]
    graph.node.extend(reversed(order))
    constants = [one for one in (*graph.initializer, *made) if one.name in live]
    del graph.initializer[:]
    graph.initializer.extend(constants)
    onnx.save(model, str(out))


def speeds(texts: list[str], rounds: int = 3) -> dict[str, float]:
    """Chunks per CPU second, of the best of some rounds; the models take turns."""
    models = {name: bundled(name, 1) for name in MODELS}
    best = dict.fromkeys(models, 0.0)
    for _ in range(rounds):
        for name, model in models.items():
            start = time.process_time()
            model.embed(texts)
            best[name] = max(best[name], len(texts) / (time.process_time() - start))
    return best


def same_hits(one: Indexed, other: Indexed) -> float:
    """The share of the first ten hits that two indexes have in common."""
    shares = []
    for question in one.set.questions:
        found = []
        for indexed in (one, other):
            indexed.ask(question)
            found.append({hit.id for hit in indexed.index.search(question.text, options=DENSE).hits})
        shares.append(len(found[0] & found[1]) / max(1, len(found[0])))
    return float(np.mean(shares))


def compare_exact(sets: list[QuestionSet], limit: int) -> list[list[str]]:
    """A row for each set: the default, its twin, the difference and the hits they share."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        twin = Path(folder) / "float.onnx"
        float_twin(FOLDER / next(iter(MODELS[NOW].files)), twin)
        models = [Remembering(2, NOW), Remembering(2, NOW, weights=twin)]
        for data in sets:
            small, exact = (build(data, limit, model, hierarchy=False) for model in models)
            found = [measure(indexed, ours(indexed, DENSE)) for indexed in (small, exact)]
            mean, low, high = ahead(found[:1], found[1:])
            near = [
                float(a.vector @ b.vector)
                for a, b in zip(entries_of(small), entries_of(exact), strict=True)
                if a.vector is not None and b.vector is not None
            ]
            row = [data.name, *(f"{100 * one.ndcg.mean():.1f}" for one in found)]
            row += [f"{mean:+.1f} ({low:+.1f} to {high:+.1f})", f"{100 * same_hits(small, exact):.0f}%"]
            rows.append([*row, f"{min(near):.4f}", f"{np.mean(near):.4f}"])
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA.parent / "chunkbench" / "data")
    parser.add_argument("--corpora", type=Path, default=DATA, help="folder of markdown.jsonl, which `asked` is about")
    parser.add_argument("--sets", nargs="+", default=SETS, choices=SETS)
    parser.add_argument("--limit", type=int, default=512)
    parser.add_argument("--questions", type=int, default=400, help="of each set, at most, evenly spread (400)")
    parser.add_argument("--exact", nargs="*", default=[], choices=SETS, help="sets to compare with floats on (onnx)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures there")
    args = parser.parse_args()
    sets = {
        name: load_asked(data=args.corpora) if name == "asked" else load(args.data / name, args.questions)
        for name in dict.fromkeys((*args.sets, *args.exact))
    }
    found: dict[str, list[Scored]] = {}
    texts: list[str] = []
    for name in MODELS:
        for data in (sets[one] for one in args.sets):
            indexed = build(data, args.limit, Remembering(2, name), hierarchy=False)
            progress(f"{data.name}: {name}")
            found.setdefault(name, []).append(measure(indexed, ours(indexed, DENSE)))
            texts = texts or [entry.searched for entry in entries_of(indexed) if entry.searched]
    progress("")
    fast = speeds(texts[:: max(1, len(texts) // MEASURED)][:MEASURED])
    rows = []
    for name, scored in found.items():
        means = [100 * one.ndcg.mean() for one in scored]
        mean, low, high = ahead(scored, found[BEFORE])
        against = "" if name == BEFORE else f"{mean:+.1f} ({low:+.1f} to {high:+.1f})"
        rows.append([name, *(f"{value:.1f}" for value in (*means, np.mean(means))), against, f"{fast[name]:.1f}"])
    print(f"nDCG@10 of dense search alone, limit {args.limit}; chunks of {args.sets[0]} per CPU second, one thread\n")
    print(table(["", *args.sets, "mean", f"ahead of {BEFORE}", "chunks/s"], rows))
    if args.exact:
        exact = compare_exact([sets[name] for name in args.exact], args.limit)
        print("\n" + table(["", "int8", "float", "int8 ahead by", "same hits", "least cosine", "mean cosine"], exact))
    save(args.json, "quality.embedders", {"chunks per CPU second": fast})


if __name__ == "__main__":
    main()
