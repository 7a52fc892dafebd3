"""Code blocks of the documentation: found, and run as a reader would run them."""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

_FENCED = re.compile(r"^(?P<fence>`{3,})(?P<info>[^`\n]*)\n(?P<body>.*?)^(?P=fence)[ \t]*$", re.MULTILINE | re.DOTALL)
_TITLE = re.compile(r'\btitle="([^"]+)"')
_DOCTEST = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


_SCRIPT = """\
#!/bin/sh
case "{warm}:$1" in
  /*:index|/*:search|/*:context|/*:cite|/*:stats) exec "{python}" -PS "{root}/tests/harness/warm.py" "{warm}" "$@" ;;
esac
exec "{python}" -m seamline "$@"
"""


class Code(NamedTuple):
    """One fenced block of a page."""

    place: str
    """The page and the line of the block's first line, for messages."""
    language: str
    title: str
    """The file it is to be written to, as in ```toml title="seamline.toml"; else empty."""
    body: str


class Step(NamedTuple):
    """One command of a console session, and what it prints."""

    command: str
    expected: str


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix() if page.is_relative_to(ROOT) else page.name


def blocks(page: Path) -> list[Code]:
    """The fenced blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    return [_code(page, text, match) for match in _FENCED.finditer(text)]


def _code(page: Path, text: str, match: re.Match[str]) -> Code:
    line = text.count("\n", 0, match.start("body")) + 1
    title = _TITLE.search(match["info"])
    language = match["info"].split()[0] if match["info"].split() else ""
    return Code(f"{name_of(page)}:{line}", language, title[1] if title else "", match["body"])


def steps(session: str) -> Iterator[Step]:
    """The commands of a session: lines after `$ `, continued by lines after `> `."""
    command = ""
    expected: list[str] = []
    for line in session.splitlines():
        if line.startswith("$ "):
            if command:
                yield Step(command, "\n".join(expected))
            command, expected = line[2:], []
        elif line.startswith("> ") and not expected:
            command += "\n" + line[2:]
        else:
            expected.append(line)
    if command:
        yield Step(command, "\n".join(expected))


def matches(expected: str, got: str) -> bool:
    """Whether an output is as shown. A line of `...` stands for any lines, `...` in a line for the rest of it."""
    pattern = ""
    for line in _lines(expected):
        if line.strip() == "...":
            pattern += r"(?:[^\n]*\n)*?"
        else:
            pattern += "[^\n]*".join(re.escape(part) for part in line.split("...")) + "\n"
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in _lines(got))) is not None


def _lines(text: str) -> list[str]:
    """Lines without what no reader sees: blanks at their ends, blank lines around all."""
    return [line.rstrip() for line in text.strip("\n").splitlines()]


class Reader:
    """A person with a terminal and a Python prompt in a folder that holds `examples/`."""

    def __init__(self, folder: Path, warm: str = "") -> None:
        """`warm` is the address of a process that runs the commands of an index."""
        self.folder = folder / "seamline"
        self._warm = warm
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self._bin = folder / "bin"
        self._status = 0
        self._prepare()

    def _prepare(self) -> None:
        shutil.copytree(ROOT / "examples", self.folder / "examples")
        self._bin.mkdir()
        script = self._bin / "seamline"
        script.write_text(_SCRIPT.format(python=sys.executable, warm=self._warm, root=ROOT), encoding="utf-8")
        script.chmod(0o755)
        (self._bin / "python").symlink_to(sys.executable)

    def type(self, command: str) -> str:
        """Run a command; what it prints, errors included."""
        ours = ("PYTHON", "SEAMLINE", "NO_COLOR", "FORCE_COLOR", "COLUMNS")
        kept = {key: value for key, value in os.environ.items() if not key.startswith(ours)}
        path = f"{self._bin}{os.pathsep}{kept.get('PATH', '')}"
        user = {"XDG_CONFIG_HOME": str(self._bin.parent / "config")}
        env = {**kept, **user, "PATH": path, "PYTHONPATH": str(ROOT / "src"), "PYTHONUTF8": "1", "COLUMNS": "80"}
        done = subprocess.run(
            ["bash", "-c", f"(exit {self._status}); {command}"],
            cwd=self.folder,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=120,
        )
        self._status = done.returncode
        return done.stdout.decode()

    def run(self, code: Code) -> list[str]:
        """Do what a block says; every difference to what it shows."""
        if code.title:
            path = self.folder / code.title
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(code.body, encoding="utf-8")
        if code.language == "console":
            return self._session(code)
        if code.language == "python" and not code.title:
            return self._doctest(code) if ">>> " in code.body else self._script(code)
        return []

    def _session(self, code: Code) -> list[str]:
        wrong = []
        for step in steps(code.body):
            got = self.type(step.command)
            if not matches(step.expected, got):
                wrong.append(f"{code.place}: $ {step.command}\nexpected:\n{step.expected}\ngot:\n{got}")
        return wrong

    def _script(self, code: Code) -> list[str]:
        exec(compile(code.body, code.place, "exec"), self.names)
        return []

    def _doctest(self, code: Code) -> list[str]:
        page, _, line = code.place.rpartition(":")
        test = doctest.DocTestParser().get_doctest(code.body, self.names, code.place, page, int(line) - 1)
        said: list[str] = []
        doctest.DocTestRunner(optionflags=_DOCTEST).run(test, out=said.append, clear_globs=False)
        self.names.update(test.globs)
        return ["".join(said)] if said else []
