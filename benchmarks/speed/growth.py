"""How CPU time grows from n to 2n to 4n: on hostile patterns, on one long line, in one large file.

Every pattern runs in a process of its own with a time limit, so a hang is one row and not the end.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import engine
from benchmarks.common import child, decode, hostile, media_type, need, options, progress, save, table, verdict
from benchmarks.speed.grow import BAR, stretched

TIMEOUT = 60
BIG_TIMEOUT = 900
FOLDERS = ("text", "markdown", "mdx")

KEPT_MEMORY = {"MALLOC_MMAP_THRESHOLD_": str(2 << 30), "MALLOC_TRIM_THRESHOLD_": str(4 << 30)}
"""The allocator keeps what was freed. By default it hands large areas back and the kernel clears them anew, from a size
on that lies between n and 4n for many patterns: 0.02, 0.04 and 0.10 s at 3, 6 and 12 million characters, which is not
our work and looks like growth."""


class Case(NamedTuple):
    name: str
    how: str
    """repeat: the file again and again; stretch: its runs made longer; line, file: synthetic."""
    file: Path
    media_type: str

    def measure(self, data: Path, timeout: float) -> dict[str, Any]:
        arguments = (self.how, str(self.file), self.media_type, str(data.resolve()))
        return child("benchmarks.speed.grow", *arguments, timeout=timeout)


def patterns(folder: Path) -> list[Case]:
    """Every file of the hostile set that can grow, in one or two ways."""
    cases = []
    for kind in FOLDERS:
        for file in sorted((folder / kind).iterdir()):
            text = decode(file.read_bytes())
            ways = ["repeat"] if text else []
            if stretched(text):
                ways.append("stretch")
            cases += [Case(f"{kind}/{file.name}", how, file, media_type(file.name)) for how in ways]
    return cases


def synthetic(big: bool) -> list[Case]:
    line = Case("10 MB single line, Markdown", "line", Path(), "text/markdown")
    cases = [line, line._replace(name="10 MB single line, plain text", media_type="text/plain")]
    if big:
        cases.append(Case("100 MB single Markdown file", "file", Path(), "text/markdown"))
    return cases


def measure(cases: list[Case], data: Path, jobs: int) -> list[tuple[Case, dict[str, Any]]]:
    done = 0

    def one(case: Case) -> tuple[Case, dict[str, Any]]:
        nonlocal done
        found = case.measure(data, BIG_TIMEOUT if case.how == "file" else TIMEOUT)
        done += 1
        progress(f"{done}/{len(cases)} {case.name}")
        return case, found

    with ThreadPoolExecutor(jobs) as pool:
        results = list(pool.map(one, cases))
    progress("")
    return sorted(results, key=lambda result: -result[1].get("exponent", 99))


def row(case: Case, found: dict[str, Any]) -> tuple[object, ...]:
    if "error" in found:
        return (case.name, case.how, *[None] * 5, "error", "FAIL")
    times = [f"{second:.3f}" for second in found["seconds"]]
    shown = [f"{found['before']:.2f}", f"{found['exponent']:.2f}"]
    return (case.name, case.how, f"{found['sizes'][2] / 1e6:.2f}", *times, *shown, judged(found))


def judged(found: dict[str, Any]) -> str:
    """The last doubling decides; one before it above the bar is worth a look, not a pass without a word."""
    if "error" in found or found["exponent"] > BAR:
        return verdict(False)
    return "look" if found["before"] > BAR else verdict(True)


def main() -> int:
    parser = options(__doc__)
    parser.add_argument("--big", action="store_true", help="also the 100 MB file (minutes)")
    parser.add_argument("--only", metavar="PART", help="patterns whose name holds PART")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time (default 1: the least noise)")
    args = parser.parse_args()
    if not engine.installed():
        parser.error("seamline is not installed: run `pip install -e .`")
    os.environ.update(KEPT_MEMORY)
    cases = [*synthetic(args.big), *patterns(hostile(need(args.data)))]
    results = measure([case for case in cases if (args.only or "") in case.name], args.data, args.jobs)
    headers = ("pattern", "grown by", "M chars at 4n", "n s", "2n s", "4n s", "n-2n", "2n-4n", f"<= {BAR}")
    print(table(headers, [row(case, found) for case, found in results]))
    for case, found in results:
        if "error" in found:
            print(f"  {case.name}, {case.how}: {found['error']}")
        elif case.how == "file":
            print(f"  {case.name}: peak memory of its process {found['peak_mb']:.0f} MB, the text included")
    verdicts = [judged(found) for _, found in results]
    failed, odd = verdicts.count("FAIL"), verdicts.count("look")
    print(f"\n{len(results)} patterns: {failed} above {BAR} or in error, {odd} above it only from n to 2n (look)")
    save(args.json, "growth", [{"pattern": c.name, "how": c.how, **found} for c, found in results])
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
