"""The whole journey of a folder of Markdown files, beside what people put together today.

Everybody has the bundled model's vectors at no cost; `--live` adds a first run in which the model works. Every step of
every side is a process of its own, and sides take turns. CPU is that of all threads. Imports that come before a step
are not counted; what is loaded on first use is.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks.common import ROOT, child, options, progress, save, table
from benchmarks.compose.corpus import Corpus
from benchmarks.compose.measure import SIDES

Figures = dict[str, Any]
PLAIN = ("chroma", "faiss")
"""Sides that embed everything as the indexed ones do on a first run."""
_LIMIT_S = 1800
_TRIES = 3
"""A journey that met a text without a vector is made again; the second one meets none."""


def main() -> int:
    parser = options(__doc__)
    parser.add_argument("--documents", type=int, nargs="+", default=[120, 400], help="sizes of the folder")
    parser.add_argument("--questions", type=int, default=200, help="of every kind")
    parser.add_argument("--repeat", type=int, default=2, help="journeys of each side; the lowest figures count")
    parser.add_argument("--share", type=float, default=0.01, help="of the files that are edited")
    parser.add_argument(
        "--live", type=int, default=0, metavar="N", help="also index N documents with the model at work"
    )
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "compose", help="folder for everything made")
    parser.add_argument("--sides", nargs="+", choices=SIDES, default=[name for name in SIDES if _installed(name)])
    args = parser.parse_args()
    for name in [name for name in SIDES if not _installed(name)]:
        print(f"{name}: not installed")
    figures = {}
    for size in args.documents:
        found: dict[str, Figures] = {}
        for turn in range(args.repeat):
            for name in args.sides:
                progress(f"{size} documents, {name}, {turn + 1} of {args.repeat}")
                got = journey(name, size, args)
                found[name] = least(found[name], got) if name in found else got
        progress("")
        print(f"\n{size} documents\n\n{shown(found)}")
        figures[str(size)] = found
    if args.live:
        figures["live"] = {name: live(name, args) for name in args.sides if name not in PLAIN}
        print(f"\n{args.live} documents, the model at work on one core\n\n{shown_live(figures['live'])}")
    save(args.json, "compose", figures)
    return 0


def _installed(name: str) -> bool:
    try:
        return all(map(version, SIDES[name].packages))
    except PackageNotFoundError:
        return False


def journey(name: str, size: int, args: argparse.Namespace) -> Figures:
    """All steps of one side, in a fresh folder."""
    for _ in range(_TRIES):
        found = _journey(name, size, args)
        if not any(step.get("missed") for step in found.values()):
            return found
    raise SystemExit(f"{name}: no two journeys embed the same texts")


def _journey(name: str, size: int, args: argparse.Namespace) -> Figures:
    folder = args.work / "run"
    shutil.rmtree(folder, ignore_errors=True)
    corpus = Corpus(args.data, size)
    corpus.write(folder / "docs")

    def step(what: str, *files: str) -> Figures:
        given = (what, name, str(args.data), str(folder), str(size), str(args.questions), *files)
        done = child("benchmarks.compose.measure", *given, timeout=_LIMIT_S)
        if "error" in done:
            raise SystemExit(f"{name}, {what}: {done['error']}")
        return done

    found = {what: step(what) for what in ("first", "again", "search")}
    found["edited"] = step("edited", *corpus.edit(folder / "docs", args.share))
    return found


def live(name: str, args: argparse.Namespace) -> Figures:
    """A first run in which the model works."""
    folder = args.work / "run"
    shutil.rmtree(folder, ignore_errors=True)
    Corpus(args.data, args.live).write(folder / "docs")
    given = ("live", name, str(args.data), str(folder), str(args.live), "0")
    progress(f"{args.live} documents, {name}, with the model")
    return child("benchmarks.compose.measure", *given, timeout=_LIMIT_S)


def least(left: Any, right: Any) -> Any:
    """The lower of two figures, leaf by leaf: noise only ever adds."""
    if isinstance(left, dict):
        return {key: least(left[key], right[key]) for key in left}
    return min(left, right)


def _query(kind: str) -> list[tuple[str, Callable[[Figures], object]]]:
    def both(what: str) -> Callable[[Figures], object]:
        return lambda f: _ms(f["search"]["kinds"][kind], what)

    return [(f"{kind} p50 / p99, CPU ms", both("cpu")), ("  wall ms", both("wall"))]


def _ms(found: Mapping[str, float], what: str) -> str:
    return f"{found[f'{what}_p50']:.1f} / {found[f'{what}_p99']:.1f}"


def _cited(when: str) -> Callable[[Figures], object]:
    def shares(found: Figures) -> str:
        done, asked = found["edited"][when], found["edited"]["asked"]
        return f"{done['touched']} of {asked['touched']}; {done['others']} of {asked['others']}"

    return shares


ROWS: Sequence[tuple[str, Callable[[Figures], object]]] = (
    ("chunks", lambda f: f["first"]["chunks"]),
    ("first run: chunks per CPU s", lambda f: round(f["first"]["chunks"] / f["first"]["cpu"])),
    ("  CPU s / wall s", lambda f: f"{f['first']['cpu']:.2f} / {f['first']['wall']:.2f}"),
    ("  rows written", lambda f: f["first"]["rows"]),
    ("  memory, MB", lambda f: round(f["first"]["peak_mb"])),
    ("  disk, MB", lambda f: f"{f['first']['disk'] / 1e6:.1f}"),
    ("unchanged: CPU s / wall s", lambda f: f"{f['again']['cpu']:.2f} / {f['again']['wall']:.2f}"),
    ("  texts embedded", lambda f: f["again"]["embedded"]),
    ("  rows written", lambda f: f["again"]["rows"]),
    ("1% edited: CPU s / wall s", lambda f: f"{f['edited']['cpu']:.2f} / {f['edited']['wall']:.2f}"),
    ("  texts embedded", lambda f: f["edited"]["embedded"]),
    ("  rows written, removed", lambda f: f"{f['edited']['rows']}, {f['edited']['removed']}"),
    ("  citations that lead to their text", _cited("resolved")),
    ("  the same a month later", _cited("later")),
    ("ready to search: CPU s", lambda f: f"{f['search']['open']['cpu']:.2f}"),
    *_query("dense"),
    ("  recall@10", lambda f: f"{f['search']['kinds']['dense']['recall']:.3f}"),
    *_query("bm25"),
    *_query("hybrid"),
    *_query("filtered"),
    ("  recall@10", lambda f: f"{f['search']['kinds']['filtered']['recall']:.3f}"),
    ("search: memory, MB", lambda f: round(f["search"]["peak_mb"])),
)


def shown(found: Mapping[str, Figures]) -> str:
    return table(("", *found), [(title, *(get(one) for one in found.values())) for title, get in ROWS])


def shown_live(found: Mapping[str, Figures]) -> str:
    rows = [
        (name, one["chunks"], one["embedded"], one["cpu"], one["wall"], round(one["chunks"] / one["cpu"], 1))
        for name, one in found.items()
        if "error" not in one
    ]
    failed = [(name, one["error"], None, None, None, None) for name, one in found.items() if "error" in one]
    return table(("side", "chunks", "embedded", "CPU s", "wall s", "chunks per CPU s"), [*rows, *failed])


if __name__ == "__main__":
    raise SystemExit(main())
