"""CPU time of one pass over markdown.jsonl, or `--corpus`, at limit 512, exact o200k_base, single thread, beside peers.

Every measurement is a fresh process. `first pass` ran after a warm-up on other text (prose and MDX), so lazy
initialisation is done but the measured text is new; `cold process` had no warm-up at all.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.common import child, need, options, progress, ranks, save, table, verdict
from benchmarks.peers import CHONKIE_RECURSIVE, STS_MARKDOWN
from benchmarks.speed.contestants import BLOCKS, CONTESTANTS, ESTIMATE, SEAMLINE, SPLINTR, TIKTOKEN

TIMEOUT = 600
Figures = dict[str, dict[str, Any]]


class Bar(NamedTuple):
    """A promise, and what was measured: as it was promised, and from a cold process."""

    name: str
    figure: float | None
    cold: float | None
    ok: bool | None


def measure(names: list[str], data: Path, corpus: Path, repeat: int) -> Figures:
    """The minimum of `repeat` processes for each contestant, in turns: a noisy minute hits all."""
    found: Figures = {}
    for turn in range(repeat):
        for name in names:
            for mode in ("warm", "cold"):
                progress(f"{turn + 1}/{repeat} {name}, {mode}")
                _keep_minimum(found.setdefault(name, {}), mode, child_of(mode, name, data, corpus))
    progress("")
    return found


def child_of(mode: str, name: str, data: Path, corpus: Path) -> dict[str, Any]:
    arguments = (mode, name, str(data.resolve()), str(corpus.resolve()))
    return child("benchmarks.speed.measure", *arguments, timeout=TIMEOUT)


def _keep_minimum(figures: dict[str, Any], mode: str, one: dict[str, Any]) -> None:
    if "error" in one:
        figures["error"] = one["error"]
        return
    figures[mode] = min(figures.get(mode, one["seconds"]), one["seconds"])
    figures["load"] = min(figures.get("load", one["load"]), one["load"])
    figures |= {"made": one["made"], "bytes": one["bytes"]}


def rows(found: Figures) -> list[tuple[object, ...]]:
    ours = found.get(SEAMLINE, {}).get("warm")
    return [_row(name, found.get(name), ours) for name in CONTESTANTS]


def _row(name: str, figures: dict[str, Any] | None, ours: float | None) -> tuple[object, ...]:
    version = CONTESTANTS[name].version
    if not figures:
        return (name, version or "", "not installed" if version is None else "left out", *[None] * 6)
    if "warm" not in figures or "cold" not in figures:
        return (name, version, figures["error"], *[None] * 6)
    speed = figures["bytes"] / 1e6
    relative = f"{figures['warm'] / ours:.2f}x" if ours else None
    return (
        name,
        version,
        f"{figures['warm']:.3f}",
        f"{speed / figures['warm']:.1f}",
        relative,
        f"{figures['cold']:.3f}",
        f"{speed / figures['cold']:.1f}",
        f"{figures['load']:.3f}",
        figures["made"],
    )


HEADERS = (
    "contestant",
    "version",
    "first pass s",
    "MB/s",
    "vs seamline",
    "cold process s",
    "MB/s",
    "load s",
    "made",
)


def bars(found: Figures) -> list[Bar]:
    """The four promises of speed."""

    def ratio(over: tuple[str, ...], under: tuple[str, ...]) -> list[float | None]:
        return [_ratio(_sum(found, mode, *over), _sum(found, mode, *under)) for mode in ("warm", "cold")]

    def at_least(times: float, label: str, other: str, who: str = SEAMLINE) -> Bar:
        warm, cold = ratio((other,), (who,))
        return Bar(f"{label} >= {times}", warm, cold, None if warm is None else warm >= times)

    def at_most(times: float, label: str, *parts: str) -> Bar:
        warm, cold = ratio((SEAMLINE,), parts)
        return Bar(f"{label} <= {times}", warm, cold, None if warm is None else warm <= times)

    return [
        at_least(8, "speed / semantic-text-splitter Markdown", STS_MARKDOWN),
        at_least(2.5, "speed / chonkie Recursive", CHONKIE_RECURSIVE),
        at_most(3, "time / (tokenizer pass + block parse)", SPLINTR, BLOCKS),
        at_least(2.5, "estimate: speed / one tiktoken pass", TIKTOKEN, ESTIMATE),
    ]


def _sum(found: Figures, mode: str, *names: str) -> float | None:
    parts = [found[name][mode] for name in names if mode in found.get(name, {})]
    return sum(parts) if len(parts) == len(names) else None


def _ratio(a: float | None, b: float | None) -> float | None:
    return a / b if a and b else None


def memory(data: Path, corpus: Path) -> Bar:
    found = child_of("memory", SEAMLINE, data, corpus)
    if "error" in found:
        return Bar(f"peak memory ({found['error']})", None, None, None)
    allowed = 100 + 12 * found["largest_mb"]
    label = f"peak memory, MB < 100 + 12 x {found['largest_mb']:.2f} = {allowed:.0f}"
    return Bar(label, found["peak_mb"], found["peak_mb"], found["peak_mb"] < allowed)


def main() -> int:
    parser = options(__doc__)
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="processes per figure (default 3)")
    parser.add_argument("--only", nargs="+", choices=list(CONTESTANTS), metavar="NAME", help="contestants")
    parser.add_argument(
        "--corpus", type=Path, metavar="FILE", help="other documents, as lines of JSON with path and text"
    )
    args = parser.parse_args()
    ranks(need(args.data))
    corpus = need(args.corpus or args.data / "markdown.jsonl")
    names = [name for name, c in CONTESTANTS.items() if c.version and (not args.only or name in args.only)]
    found = measure(names, args.data, corpus, args.repeat)
    kept = [*bars(found), memory(args.data, corpus)]
    print(table(HEADERS, rows(found)))
    print()
    print(
        table(
            ("bar", "measured", "from cold", "verdict"),
            [(b.name, _two(b.figure), _two(b.cold), verdict(b.ok)) for b in kept],
        )
    )
    save(args.json, "speed", {"seconds": found, "bars": [b._asdict() for b in kept]})
    return 1 if any(bar.ok is False for bar in kept) else 0


def _two(value: float | None) -> str | None:
    return None if value is None else f"{value:.2f}"


if __name__ == "__main__":
    raise SystemExit(main())
