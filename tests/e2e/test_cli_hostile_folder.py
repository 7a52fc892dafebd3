"""Folders with Python files that are named like modules: none of them is run, whatever is done with the folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HTML = "<title>Limits</title><h1>Limits</h1><p>Ten calls each second.</p>"
NAMES = (
    "argparse", "base64", "concurrent", "ctypes", "dataclasses", "fcntl", "hashlib", "json", "lxml", "multiprocessing",
    "pickle", "platform", "pyromark", "queue", "resource", "seamline_extra", "select", "selectors", "signal", "site",
    "sitecustomize", "socket", "splintr", "struct", "subprocess", "tempfile", "threading", "usercustomize", "yaml",
)  # fmt: skip
"""Modules that a command or one of its children imports after Python has started."""
SCRIPT = [sys.executable, "-c", "import sys; sys.path.pop(0); from seamline.cli.main import run; run()"]
"""As the `seamline` script does it: without the current folder."""
API = "import seamline; print(len(seamline.chunk(seamline.read('a.html'))))"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two documents, and modules that leave a mark when they are run."""
    made = tmp_path / "docs"
    made.mkdir()
    for name in ("a.html", "b.html"):
        (made / name).write_text(HTML)
    return made


def lay(folder: Path, names: tuple[str, ...]) -> Path:
    """Put modules into a folder; the file that they leave when one is run."""
    mark = folder.parent / "mark"
    for name in names:
        code = f"open({str(mark)!r}, 'a').write('{name} ')\nraise SystemExit('{name} was run')\n"
        (folder / f"{name}.py").write_text(code)
    return mark


def run(command: list[str], folder: Path, **variables: str) -> str:
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "SEAMLINE"))}
    env |= {"PYTHONPATH": str(ROOT / "src"), "PYTHONDONTWRITEBYTECODE": "1", **variables}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


COMMANDS = {
    "chunk": ["chunk", "a.html"],
    "jobs": ["chunk", "a.html", "b.html", "--jobs", "2"],
    "index": ["index", "a.html", "b.html", "--embedder", "hash"],
    "doctor": ["doctor"],
}


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("start", [SCRIPT, [sys.executable, "-P", "-m", "seamline"]], ids=["script", "python -P -m"])
def test_a_command_runs_none_of_them(folder: Path, name: str, start: list[str]) -> None:
    mark = lay(folder, NAMES)
    run([*start, *COMMANDS[name]], folder)
    assert not mark.exists(), mark.read_text()


@pytest.mark.parametrize("name", COMMANDS)
def test_python_m_leaves_the_folder_out_as_soon_as_it_can(folder: Path, name: str) -> None:
    """What `python -m` imports itself, before anything of ours, it takes from the folder; nothing else is."""
    mark = lay(folder, tuple(one for one in NAMES if one not in ("site", "sitecustomize", "usercustomize")))
    run([sys.executable, "-m", "seamline", *COMMANDS[name]], folder)
    assert not mark.exists(), mark.read_text()


@pytest.mark.parametrize("entries", ["", ".", "{0}/../docs"])
def test_entries_of_pythonpath_that_mean_the_current_folder_do_not_count(folder: Path, entries: str) -> None:
    mark = lay(folder, ("resource", "ctypes", "pickle"))
    path = os.pathsep.join([str(ROOT / "src"), entries.format("."), ""])
    for command in (COMMANDS["chunk"], COMMANDS["jobs"]):
        run([*SCRIPT, *command], folder, PYTHONPATH=path)
    assert not mark.exists(), mark.read_text()


PROGRAMS = {
    "python -c": [sys.executable, "-c", API],
    "a script": [sys.executable, "tool.py"],
    "python -m": [sys.executable, "-m", "tool"],
    "relative entries": [sys.executable, "-c", f"import sys; sys.path[:0] = ['.', '../docs']; {API}"],
    "another folder": [sys.executable, "-c", f"import os, seamline; os.chdir('..'); os.chdir('docs'); {API}"],
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_python_api_runs_none_of_them_in_its_child(folder: Path, name: str) -> None:
    (folder / "tool.py").write_text(API)
    mark = lay(folder, ("resource", "ctypes", "platform", "lxml"))
    assert run(PROGRAMS[name], folder) == "1\n"
    assert not mark.exists(), mark.read_text()


def test_a_program_that_left_the_folder_it_was_started_in(folder: Path, tmp_path: Path) -> None:
    mark = lay(folder, ("resource", "lxml"))
    code = f"import seamline, os; os.chdir({str(tmp_path)!r}); print(len(seamline.chunk(seamline.read('docs/a.html'))))"
    (folder / "tool.py").write_text(code)
    assert run([sys.executable, "-m", "tool"], folder) == "1\n"
    assert not mark.exists(), mark.read_text()


def test_the_standard_library_comes_before_what_the_user_names(folder: Path, tmp_path: Path) -> None:
    mark = lay(folder, ("resource", "ctypes", "platform"))
    path = os.pathsep.join([str(ROOT / "src"), str(folder)])
    assert run([sys.executable, "-P", "-c", API], folder, PYTHONPATH=path) == "1\n"
    assert not mark.exists(), mark.read_text()


@pytest.mark.parametrize("place", [os.path.dirname(os.__file__), os.path.dirname(json.__file__), "/"])
def test_commands_run_in_folders_of_python_itself(place: str, folder: Path) -> None:
    assert "Ten calls" in run([sys.executable, "-m", "seamline", "chunk", str(folder / "a.html")], Path(place))


def test_jobs_refuses_an_interpreter_that_would_start_children_in_the_folder(folder: Path) -> None:
    command = [sys.executable, "-E", "-c", f"import sys; sys.path.insert(0, {str(ROOT / 'src')!r})\n"]
    command[-1] += "from seamline.cli.main import run; run()"
    done = subprocess.run([*command, *COMMANDS["jobs"]], cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2
    assert "--jobs needs Python without -E, or with -P as well: got -E alone; run `python -P -E`" in done.stderr
