"""How far a reader has to walk: functions and files that one `chunk` and one `search` pass through.

python -m benchmarks.walk [FILE.md]
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import seamline
from seamline.cli.main import main

PACKAGE = os.path.dirname(seamline.__file__)
EXAMPLE = Path(__file__).parents[1] / "examples" / "handbook"


def walk(command: Callable[[], object]) -> tuple[int, int, int]:
    """(functions, files, changes of file) of our own code that ran, what runs at import aside."""
    functions: set[tuple[str, str]] = set()
    last = ""
    changes = 0

    def profile(frame: FrameType, event: str, arg: object) -> None:
        nonlocal last, changes
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(PACKAGE) or code.co_name == "<module>":
            return
        functions.add((code.co_filename, code.co_qualname))
        if code.co_filename != last:
            changes += 1
            last = code.co_filename

    sys.setprofile(profile)
    try:
        command()
    finally:
        sys.setprofile(None)
    return len(functions), len({name for name, _ in functions}), changes


def run(*arguments: str) -> Callable[[], object]:
    def command() -> None:
        nowhere = io.TextIOWrapper(io.BytesIO(), "utf-8")
        with contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
            code = main(list(arguments))
        if code:
            raise SystemExit(f"seamline {' '.join(arguments)}: exit code {code}")

    return command


def main_walk(file: Path) -> None:
    print(f"{'command':8} {'functions':>9} {'files':>5} {'changes of file':>15}")
    print("{:8} {:>9} {:>5} {:>15}".format("chunk", *walk(run("chunk", str(file)))))
    with tempfile.TemporaryDirectory() as folder:
        index = str(Path(folder) / "index")
        run("index", str(EXAMPLE), "--index", index)()
        print("{:8} {:>9} {:>5} {:>15}".format("search", *walk(run("search", "refunds", "--index", index))))


if __name__ == "__main__":
    main_walk(Path(sys.argv[1]) if len(sys.argv) > 1 else next(iter(sorted(EXAMPLE.rglob("*.md")))))
