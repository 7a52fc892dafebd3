"""A process that reads, cuts and audits one file after the other, and says what each cost; and the caller's side of it.

python -m benchmarks.hostile.serve FOLDER    reads names of files, writes a line of JSON for each
"""

from __future__ import annotations

import json
import os
import resource
import select
import subprocess
import sys
import traceback
from pathlib import Path
from typing import Any

from benchmarks.common import ROOT

_TICKS = os.sysconf("SC_CLK_TCK")
_FRESH = 200.0
"""MB above which the process is replaced: memory that it keeps would count as that of the next file."""


class Served:
    """The caller's side. A process that ends or hangs is replaced."""

    def __init__(self, folder: Path, wall: float) -> None:
        self._folder = folder
        self._wall = wall
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Served:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def ask(self, name: str) -> dict[str, Any]:
        """What came of a file, as the fields of a result."""
        if self._process is None or self._process.poll() is not None:
            command = [sys.executable, "-m", "benchmarks.hostile.serve", str(self._folder)]
            env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
            self._process = subprocess.Popen(
                command, cwd=ROOT, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(name.encode() + b"\n")
        self._process.stdin.flush()
        if select.select([self._process.stdout], [], [], self._wall)[0] and (line := self._process.stdout.readline()):
            found: dict[str, Any] = json.loads(line)
            if found["megabytes"] > _FRESH:
                self.__exit__()
            return found
        self._process.kill()
        said = f"the process ended (exit code {self._process.wait()}), or took more than {self._wall:.0f} s"
        return {"outcome": "crash", "notices": 0, "said": said, "seconds": self._wall, "megabytes": 0.0}


def _parsers() -> list[int]:
    """The processes of parsers that live."""
    from seamline.parse import worker

    return [one._process.pid for one in worker._workers if one.alive]


def _cpu() -> dict[int, float]:
    """CPU time of this process, of children that ended (0), and of each parser."""
    times = os.times()
    found = {-1: times.user + times.system, 0: times.children_user + times.children_system}
    for pid in _parsers():
        stat = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        found[pid] = (int(stat[11]) + int(stat[12])) / _TICKS
    return found


def _spent(before: dict[int, float], after: dict[int, float]) -> float:
    """A parser that was ended counts among the children, with what it had taken before."""
    gone = sum(seconds for pid, seconds in before.items() if pid not in after)
    return sum(seconds - before.get(pid, 0.0) for pid, seconds in after.items()) - gone


def _forget_peaks() -> None:
    for pid in ("self", *_parsers()):
        Path(f"/proc/{pid}/clear_refs").write_text("5")


def _peak(before: dict[int, float]) -> float:
    """The most memory that this process or a parser held since `_forget_peaks`, in MB; for a parser that was ended, the
    most that any held."""
    parsers = set(_parsers())
    is_gone = any(pid > 0 and pid not in parsers for pid in before) or not parsers
    peaks = [resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024] if is_gone else []
    for pid in ("self", *_parsers()):
        status = Path(f"/proc/{pid}/status").read_text()
        peaks.append(int(status.partition("VmHWM:")[2].split()[0]) / 1024)
    return max(peaks)


def judge(path: Path) -> dict[str, Any]:
    """Read, cut and audit one file; the audit is not counted."""
    import seamline
    from seamline.errors import SeamlineError

    _forget_peaks()
    before = _cpu()
    notices = 0
    chunks: list[Any] = []
    document = None
    try:
        document = seamline.read(path)
        chunks = list(seamline.chunk(document))
        notices = len(document.notices)
        outcome, said = ("cut" if chunks else "empty"), "; ".join(notice.message for notice in document.notices)
    except SeamlineError as error:
        outcome, said = "refused", str(error)
    except Exception:
        outcome, said = "crash", traceback.format_exc()[-600:]
    seconds, megabytes = _spent(before, _cpu()), _peak(before)
    broken = seamline.audit(chunks, limit=512) if chunks else []
    if broken:
        outcome, said = "crash", f"the audit found {broken[0]}"
    return {"outcome": outcome, "notices": notices, "said": said[:600], "seconds": seconds, "megabytes": megabytes}


def main() -> None:
    folder = Path(sys.argv[1])
    for name in sys.stdin:
        print(json.dumps(judge(folder / name.rstrip("\n"))), flush=True)


if __name__ == "__main__":
    main()
