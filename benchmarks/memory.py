"""Does the memory of a run grow with the corpus? Resident memory over a large corpus, and what `--jobs` brings.

    python -m benchmarks.memory --megabytes 1000 --folder FOLDER

The corpus is made of the Markdown of the benchmark data, again and again; every copy has words of its own, so that no
two chunks are equal. `chunk` cuts every file and writes the lines; `index` also embeds (by hashing, which costs next to
nothing) and stores. Memory is that of the process, read from the kernel, each time a tenth of the bytes is done.
"""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.common import child, markdown, options, peak_mb, progress, save, table

_WORD = re.compile(r"\b(?:the|and|of|is|a|to)\b")
_LIMIT = 6 * 3600
_STEPS = 10


def make(folder: Path, data: Path, megabytes: int) -> int:
    """Files of so many megabytes together, where they are not there yet; their bytes."""
    done = folder / "size.json"
    if done.exists():
        return int(json.loads(done.read_text()))
    samples, size, copy = markdown(data), 0, 0
    while size < megabytes * 10**6:
        place = folder / "docs" / f"{copy:04}"
        place.mkdir(parents=True, exist_ok=True)
        for number, sample in enumerate(samples):
            text = _WORD.sub(lambda found, copy=copy: f"{found[0]}{copy}", sample.text)  # type: ignore[misc]
            size += (place / f"{number:05}.md").write_bytes(text.encode())
            if size >= megabytes * 10**6:
                break
        copy += 1
    done.write_text(str(size))
    return size


def resident_mb() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 2**20


class Progress:
    """Told of every document; notes memory and time at each tenth of the bytes."""

    def __init__(self, total: int, root: str, log: Path) -> None:
        self._total, self._root, self._log = total, root, log
        self._bytes = 0
        self.steps: list[dict[str, float]] = []

    def add(self, size: int) -> None:
        self._bytes += size
        if self._bytes >= (len(self.steps) + 1) * self._total / _STEPS:
            step = {"mb": self._bytes / 10**6, "resident_mb": resident_mb(), "cpu": time.process_time()}
            self.steps.append(step)
            with self._log.open("a", encoding="utf-8") as log:
                log.write(json.dumps(step) + "\n")

    def document(self, done: int, total: int, doc: str) -> None:
        self.add(Path(self._root, doc).stat().st_size)

    def written(self, docs: Sequence[str]) -> None: ...

    def embedding(self, done: int, total: int) -> None: ...


def run_chunk(folder: Path, total: int) -> dict[str, object]:
    """Cut everything, one file after the other, and write lines."""
    import seamline

    told, count = Progress(total, "", folder / "chunk.log"), 0
    with (folder / "chunks.jsonl").open("w", encoding="utf-8") as out:
        for path in sorted((folder / "docs").rglob("*.md")):
            for one in seamline.chunk(path):
                out.write(json.dumps(one.to_dict()) + "\n")
                count += 1
            told.add(path.stat().st_size)
    (folder / "chunks.jsonl").unlink()
    return {"chunks": count, "steps": told.steps, "peak_mb": peak_mb(), "cpu": time.process_time()}


def run_index(folder: Path, total: int) -> dict[str, object]:
    """Index everything; the last line is after the upkeep."""
    import seamline

    place = folder / "index"
    with seamline.open_index(place, config=seamline.IndexConfig(embedder="hash")) as index:
        told = Progress(total, index.root, folder / "index.log")
        report = index.update([folder / "docs"], watcher=told)
        cpu = time.process_time()
    disk = sum(path.stat().st_size for path in place.rglob("*") if path.is_file()) / 2**20
    counts = {"chunks": report.chunks, "entries": report.written, "failures": len(report.failures), "disk_mb": disk}
    return {**counts, "steps": told.steps, "peak_mb": peak_mb(), "cpu": cpu}


def measure_jobs(folder: Path) -> list[dict[str, float]]:
    """`seamline chunk` over four copies of the data with 1 and 2 processes: seconds on the clock, and of all CPUs."""
    found = []
    places = [str(place) for place in sorted((folder / "docs").iterdir())[:4]]
    for jobs in (1, 2):
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        command = [sys.executable, "-m", "seamline", "chunk", *places, "--jobs", str(jobs)]
        subprocess.run([*command, "--output", str(folder / f"jobs-{jobs}.jsonl")], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        found.append({"jobs": jobs, "wall": time.perf_counter() - start, "cpu": cpu})
    return found


def main() -> int:
    parser = options(__doc__)
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--folder", type=Path, help="where corpus and index are kept; else they are removed")
    parser.add_argument("--only", choices=("chunk", "index", "jobs"), action="append")
    parser.add_argument("--child", choices=("chunk", "index"), help="in this process, for --folder")
    given = parser.parse_args()
    if given.child:
        run = run_chunk if given.child == "chunk" else run_index
        print(json.dumps(run(given.folder, int(json.loads((given.folder / "size.json").read_text())))))
        return 0
    wanted = given.only or ("chunk", "index", "jobs")
    figures: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        progress("making the corpus")
        figures["bytes"] = make(folder, given.data, given.megabytes)
        for name in [name for name in ("chunk", "index") if name in wanted]:
            progress(name)
            found = child("benchmarks.memory", "--child", name, "--folder", str(folder), timeout=_LIMIT)
            figures[name] = found
            steps = found.pop("steps", [])
            print(name, found)
            rows = [[round(step[key], 1) for key in ("mb", "resident_mb", "cpu")] for step in steps]
            print(table(("MB read", "resident MB", "CPU s"), rows), end="\n\n")
        if "jobs" in wanted:
            figures["jobs"] = found_jobs = measure_jobs(folder)
            print(table(("--jobs", "seconds", "CPU s"), [list(one.values()) for one in found_jobs]))
    save(given.json, "memory", figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
