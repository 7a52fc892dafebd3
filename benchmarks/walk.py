"""How far a reader has to walk: functions and files that one `chunk` and one `search` pass through.

    python -m benchmarks.walk [FILE.md]

Each command runs in a fresh process; what runs while modules are imported is left out, but for functions called then.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from types import FrameType

EXAMPLES = Path(__file__).parents[1] / "examples" / "handbook"


class Walk:
    """Counts our own functions as they are called."""

    def __init__(self, package: str) -> None:
        self._package = package
        self._last = ""
        self.functions: set[tuple[str, str]] = set()
        self.changes = 0

    def __call__(self, frame: FrameType, event: str, arg: object) -> None:
        code = frame.f_code
        is_function = code.co_flags & inspect.CO_NEWLOCALS  # bodies of modules and classes have none
        if event != "call" or not is_function or not code.co_filename.startswith(self._package):
            return
        self.functions.add((code.co_filename, code.co_qualname))
        self.changes += code.co_filename != self._last
        self._last = code.co_filename

    @property
    def files(self) -> int:
        return len({file for file, _ in self.functions})


def run(arguments: list[str]) -> Walk:
    """One command line of ours, in this process."""
    import seamline
    from seamline.cli.main import main

    walk = Walk(str(Path(seamline.__file__).parent))
    shown = io.TextIOWrapper(io.BytesIO(), "utf-8")
    threading.setprofile(walk)
    sys.setprofile(walk)
    try:
        with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(shown):
            code = main(arguments)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
    if code:
        raise SystemExit(f"seamline {' '.join(arguments)}: exit code {code}")
    return walk


def report(name: str, *arguments: str) -> None:
    """A row for one command, from a process of its own."""
    command = [sys.executable, "-m", "benchmarks.walk", "--walk", *arguments]
    counts = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    print(f"{name:8} {counts[0]:>9} {counts[1]:>5} {counts[2]:>15}")


def main_table(file: Path) -> None:
    print(f"{'command':8} {'functions':>9} {'files':>5} {'changes of file':>15}")
    report("chunk", "chunk", str(file))
    with tempfile.TemporaryDirectory() as folder:
        index = str(Path(folder) / "index")
        run(["index", str(EXAMPLES), "--index", index])
        report("search", "search", "refunds", "--index", index)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--walk"]:
        found = run(sys.argv[2:])
        print(len(found.functions), found.files, found.changes)
    else:
        main_table(Path(sys.argv[1]) if len(sys.argv) > 1 else EXAMPLES / "authentication.md")
