"""How well changes of subject are found, beside chonkie and LlamaIndex with the same embedder.

Every method runs with its defaults, and `tuned`: with the setting that was best on the other half of the data. A tuned
method has another setting for each set of documents and each measure, seamline's defaults are the same everywhere. The
bar: seamline's default is ahead of both peers as they were tuned, on every set, by every measure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.common import options, progress, save, table, verdict
from benchmarks.segmentation.data import SETS, Mixed, mixed
from benchmarks.segmentation.measures import Score, numbers, score
from benchmarks.segmentation.methods import Memo, Method, Way, free, methods
from seamline.embed import load

OURS = "seamline objective"
MEASURES = ("f1", "near", "pk", "windowdiff")
HEADERS = ("F1", "F1 +-1", "Pk", "WDiff")
LESS_IS_BETTER = frozenset(("pk", "windowdiff"))

Figures = dict[str, float]
"""By measure."""
Halves = dict[str, dict[str, list[Mixed]]]
"""Documents by half and set."""


def main() -> int:
    parser = options(__doc__)
    parser.add_argument("--embedders", default="static,minilm")
    parser.add_argument("--documents", type=int, default=60, help="of each set, in each half")
    parser.add_argument("--windows", action="store_true", help="tune the windows of peers too, not just thresholds")
    args = parser.parse_args()
    halves = {half: {kind: mixed(args.data, kind, half, args.documents) for kind in SETS} for half in ("dev", "test")}
    _describe(halves["test"])
    kept: dict[str, Any] = {}
    ok = True
    groups = [(name, methods(Memo(load(name)), args.windows)) for name in args.embedders.split(",")]
    for name, group in [*groups, ("no embedder", free())]:
        rows = {label: figures for method in group for label, figures in _rows(method, halves, name)}
        _show(name, rows)
        kept[name] = rows
        if name != "no embedder":
            ok &= _judge(rows, [method.name for method in group if method.peer])
    save(args.json, "segmentation", kept)
    return 0 if ok else 1


def _describe(sets: dict[str, list[Mixed]]) -> None:
    rows = []
    for kind, documents in sets.items():
        sentences = sum(len(document.sentences) for document in documents)
        passages = sum(len(document.gold) + 1 for document in documents)
        rows.append((kind, len(documents), passages, sentences, sentences / passages))
    print(table(("set (test half)", "documents", "passages", "sentences", "per passage"), rows))


def _rows(
    method: Method, halves: dict[str, dict[str, list[Mixed]]], group: str
) -> list[tuple[str, dict[str, Figures]]]:
    """The figures on the test half, by set: with the defaults, and tuned on the other half."""
    progress(f"{group}: {method.name}")
    default = {kind: _figures(halves["test"][kind], method.default) for kind in SETS}
    if not method.tried:
        return [(method.name, default)]
    return [(method.name, default), (f"{method.name}, tuned", {kind: _tuned(method, halves, kind) for kind in SETS})]


def _tuned(method: Method, halves: Halves, kind: str) -> Figures:
    """Each measure with the setting that was best for it on the dev half."""
    seen = [(_figures(halves["dev"][kind], way), way) for way in method.tried]
    out: Figures = {}
    for measure in MEASURES:
        sign = -1 if measure in LESS_IS_BETTER else 1
        best = max(seen, key=lambda pair: sign * pair[0][measure])[1]
        out[measure] = _figures(halves["test"][kind], best)[measure]
    return out


def _figures(documents: Sequence[Mixed], way: Way) -> Figures:
    found: Score = score(documents, [numbers(document, way.cut(document)) for document in documents])
    return {measure: getattr(found, measure) for measure in (*MEASURES, "cuts")}


def _show(group: str, rows: dict[str, dict[str, Figures]]) -> None:
    progress("")
    for kind in SETS:
        cells = [
            (name, *(f"{figures[kind][measure]:.3f}" for measure in MEASURES), _cuts(figures[kind]))
            for name, figures in rows.items()
        ]
        print(f"\n{kind}, {group}\n{table(('method', *HEADERS, 'cuts'), cells)}", flush=True)


def _cuts(figures: Figures) -> str:
    return f"x{figures['cuts']:.2f}" if "cuts" in figures else ""


def _judge(rows: dict[str, dict[str, Figures]], peers: Sequence[str]) -> bool:
    """Whether the default is ahead of every peer, on each set and measure, at its defaults and tuned."""
    behind = [
        f"{kind} {measure}: {ours[kind][measure]:.3f} against {figures[kind][measure]:.3f} of {name}"
        for ours in [rows[OURS]]
        for name, figures in rows.items()
        if name.removesuffix(", tuned") in peers
        for kind in SETS
        for measure in MEASURES
        if (ours[kind][measure] < figures[kind][measure]) != (measure in LESS_IS_BETTER)
    ]
    print("\n".join([f"\nahead of {len(peers)} peers everywhere: {verdict(not behind if peers else None)}", *behind]))
    return not behind


if __name__ == "__main__":
    raise SystemExit(main())
