"""Start-up: what `import seamline` pulls in, and the CPU time of `seamline --version`."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from benchmarks.common import ROOT, save, table, verdict

MODULES = 150
SECONDS = 0.2
FORBIDDEN = ("numpy", "pyarrow", "onnx", "onnxruntime", "torch", "pandas", "scipy", "tokenizers", "transformers")
COUNT = "import json, sys; bare = set(sys.modules); {code}; print(json.dumps(sorted(set(sys.modules) - bare)))"


def pulled(code: str) -> list[str]:
    """Modules that are new after `code` in a fresh interpreter."""
    command = [sys.executable, "-c", COUNT.format(code=code)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])  # type: ignore[no-any-return]


def version_command() -> list[str]:
    script = Path(sys.executable).with_name("seamline")
    if script.exists():
        return [str(script), "--version"]
    return [sys.executable, "-c", "from seamline.cli.main import run; run()", "--version"]


def cpu(command: list[str]) -> float:
    """User and system time of one child process."""
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed with exit code {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures there")
    parser.add_argument("--list", action="store_true", help="print the modules")
    args = parser.parse_args()
    modules = pulled("import seamline")
    used = pulled("import seamline; seamline.chunk('# A\\n\\nText.\\n')")
    bad = sorted({name.split(".")[0] for name in modules} & set(FORBIDDEN))
    seconds = min(cpu(version_command()) for _ in range(5))
    bare = min(cpu([sys.executable, "-c", "pass"]) for _ in range(5))
    rows = [
        ("modules of `import seamline`", len(modules), f"<= {MODULES}", verdict(len(modules) <= MODULES)),
        ("forbidden modules among them", ", ".join(bad) or "none", "none", verdict(not bad)),
        ("modules after the first chunk()", len(used), "", ""),
        ("CPU s of `seamline --version`", f"{seconds:.3f}", f"< {SECONDS}", verdict(seconds < SECONDS)),
        ("CPU s of a bare interpreter", f"{bare:.3f}", "", ""),
    ]
    print(table(("start-up", "measured", "bar", "verdict"), rows))
    if args.list:
        print("\n".join(modules))
    figures = {"modules": modules, "after_chunk": len(used), "forbidden": bad, "version_s": seconds, "bare_s": bare}
    save(args.json, "startup", figures)
    return 0 if len(modules) <= MODULES and not bad and seconds < SECONDS else 1


if __name__ == "__main__":
    raise SystemExit(main())
