"""`examples/plugin` beside the product in a virtual environment of its own: found, listed, used, and blamed."""

from __future__ import annotations

import json
import os
import shutil
import site
import subprocess
import sys
import textwrap
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples/plugin"


class Environment:
    """A virtual environment that sees this source tree and the packages of the tests."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder, symlinks=True)
        self.python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        packages = folder / ("Lib/site-packages" if os.name == "nt" else f"lib/{version}/site-packages")
        (packages / "beside.pth").write_text("\n".join([str(ROOT / "src"), *site.getsitepackages()]))
        self.packages = packages

    def install(self, package: Path, *options: str) -> None:
        pip = [sys.executable, "-m", "pip", "--python", str(self.python), "install", "--quiet", "--no-index"]
        self._run([*pip, "--no-deps", "--no-build-isolation", *options, str(package)], package, 0)

    def seamline(self, *arguments: str, code: int = 0) -> tuple[str, str]:
        """What a command prints, and what it says beside."""
        return self._run([str(self.python), "-m", "seamline", *arguments], Path(self.packages), code)

    def script(self, code: str) -> str:
        return self._run([str(self.python), "-c", textwrap.dedent(code)], Path(self.packages), 0)[0]

    def _run(self, command: list[str], folder: Path, code: int) -> tuple[str, str]:
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COVERAGE"))}
        done = subprocess.run(command, cwd=folder, env=clean, capture_output=True, text=True, timeout=120)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout, done.stderr


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """With the example installed as a user would."""
    folder = tmp_path_factory.mktemp("plugin")
    environment = Environment(folder / "environment")
    environment.install(shutil.copytree(EXAMPLE, folder / "source"))
    return environment


def chunks(environment: Environment, *arguments: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in environment.seamline("chunk", "--json", *arguments)[0].splitlines()]


def test_doctor_lists_what_it_brings(example: Environment) -> None:
    checks = json.loads(example.seamline("doctor", "--json")[0])["checks"]
    found = {check["name"]: (check["state"], check["detail"]) for check in checks}
    assert found["format taskpaper"] == ("ok", ".taskpaper .tasks, by the plugin seamline-taskpaper 0.1.0")
    assert found["strategy journal"] == ("ok", "by the plugin seamline-taskpaper 0.1.0")


def test_its_format_is_read(example: Environment) -> None:
    found = chunks(example, str(EXAMPLE / "garden.tasks"))
    assert [chunk["breadcrumb"] for chunk in found] == ["Garden:", "Garden: > Shed:", "Kitchen:"]
    assert "- prune the roses @done" in str(found[0]["text"])


def test_its_format_is_found_in_folders(example: Environment, tmp_path: Path) -> None:
    shutil.copy(EXAMPLE / "garden.tasks", tmp_path)
    assert {chunk["doc"] for chunk in chunks(example, str(tmp_path))} == {(tmp_path / "garden.tasks").as_posix()}


def test_its_format_can_be_asked_for(example: Environment, tmp_path: Path) -> None:
    (tmp_path / "list").write_text("Garden:\n- water\n")
    (only,) = chunks(example, "--media-type", "taskpaper", str(tmp_path / "list"))
    assert only["breadcrumb"] == "Garden:"


def test_its_strategy_cuts(example: Environment) -> None:
    found = chunks(example, "--strategy", "journal", str(EXAMPLE / "journal.md"))
    assert [str(chunk["text"])[:10] for chunk in found] == ["2026-05-01", "2026-05-02", "2026-05-03"]


def test_its_strategy_can_stand_in_a_file(example: Environment, tmp_path: Path) -> None:
    (tmp_path / "seamline.toml").write_text('[cut]\nstrategy = "journal"\n')
    found = chunks(example, "--config", str(tmp_path / "seamline.toml"), str(EXAMPLE / "journal.md"))
    assert len(found) == 3


def test_programs_use_both(example: Environment) -> None:
    said = example.script(f"""
        import seamline
        print(len(seamline.chunk({str(EXAMPLE / "garden.tasks")!r})))
        print(len(seamline.chunk("2026-05-01: a\\n\\n2026-05-02: b\\n", recipe=seamline.Recipe(strategy="journal"))))
    """)
    assert said.split() == ["3", "2"]


def test_a_strategy_that_nobody_has_is_refused_with_all_names(example: Environment) -> None:
    said = example.seamline("chunk", "--strategy", "jurnal", str(EXAMPLE / "journal.md"), code=2)[1]
    assert "structural" in said
    assert "journal" in said


def test_the_how_to_shows_its_files_as_they_are() -> None:
    page = (ROOT / "docs/howto/write-a-plugin.md").read_text(encoding="utf-8")
    for name in ("pyproject.toml", "seamline_taskpaper/format.py", "seamline_taskpaper/journal.py"):
        shown = (EXAMPLE / name).read_text(encoding="utf-8")
        assert f'title="examples/plugin/{name}"\n{shown}```' in page


def package(folder: Path, name: str, entry_points: str, code: str) -> Path:
    """A small package."""
    module = name.replace("-", "_")
    (folder / module).mkdir(parents=True)
    (folder / module / "__init__.py").write_text(textwrap.dedent(code))
    (folder / "pyproject.toml").write_text(
        f'[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n'
        f'[project]\nname = "{name}"\nversion = "1.2"\n{entry_points}\n[tool.setuptools]\npackages = ["{module}"]\n'
    )
    return folder


CAGED = """
from seamline.plugins import Block, Format, ParseResult

FORMAT = Format("caged", "application/x-caged", (".caged",), "caged:parse", is_text=False)
FAILS = Format("fails", "application/x-fails", (".fails",), "caged:fail", is_text=False)
PEEKS = Format("peeks", "application/x-peeks", (".peeks",), "caged:peek", is_text=False)


def parse(raw):
    import os

    text = f"process {os.getpid()}, {len(raw.data)} bytes"
    return ParseResult(text, [Block("paragraph", 0, len(text))])


def fail(raw):
    raise KeyError("no such thing")


def peek(raw):
    open("/etc/passwd").read()
"""


@pytest.mark.skipif(os.name == "nt", reason="a cage needs POSIX")
@pytest.mark.parametrize("options", [[], ["--editable"]], ids=["installed", "editable"])
def test_parsers_of_plugins_are_caged(tmp_path: Path, options: list[str]) -> None:
    environment = Environment(tmp_path / "environment")
    names = ("caged = 'caged:FORMAT'", "fails = 'caged:FAILS'", "peeks = 'caged:PEEKS'")
    points = "\n".join(['[project.entry-points."seamline.formats"]', *names])
    environment.install(package(tmp_path / "source", "caged", points, CAGED), *options)
    for name in ("a.caged", "a.fails", "a.peeks"):
        (tmp_path / name).write_bytes(b"\0\1\2")
    (tmp_path / "a.html").write_text("<p>read by a parser of our own first</p>")
    said = environment.script(f"""
        import os, seamline
        from pathlib import Path
        folder = Path({str(tmp_path)!r})
        seamline.chunk(folder / "a.html")
        text = seamline.chunk(folder / "a.caged")[0].text
        print("other" if str(os.getpid()) not in text else "same", text.partition(", ")[2])
        for name in ("a.fails", "a.peeks"):
            try:
                seamline.chunk(folder / name)
            except seamline.ParseError as error:
                print(error)
    """)
    first, fails, peeks = said.splitlines()
    assert first == "other 3 bytes"
    assert "KeyError" in fails
    assert sys.platform != "linux" or "Permission" in peeks


BROKEN = {
    "broken-import": ("strategies", "broken", "broken_import:signal", "import nothing_of_this_name"),
    "broken-type": ("formats", "odd", "broken_type:FORMAT", "FORMAT = 7"),
    "broken-twin": ("strategies", "semantic", "broken_twin:signal", "def signal(document, recipe, runtime): ..."),
    "broken-suffix": (
        "formats",
        "mine",
        "broken_suffix:FORMAT",
        "from seamline.plugins import Format\n"
        "FORMAT = Format('mine', 'text/x-mine', ('.md',), 'broken_suffix:parse', is_text=True)",
    ),
    "broken-answer": ("strategies", "blind", "broken_answer:signal", "def signal(document, recipe, runtime): return 1"),
}


def test_broken_plugins_are_blamed_and_break_nothing_else(tmp_path: Path) -> None:
    environment = Environment(tmp_path / "environment")
    for name, (group, called, target, code) in BROKEN.items():
        points = f'[project.entry-points."seamline.{group}"]\n{called} = "{target}"'
        environment.install(package(tmp_path / name, name, points, code))
    checks = json.loads(environment.seamline("doctor", "--json", code=1)[0])["checks"]
    failed = {check["name"]: check["detail"] for check in checks if check["state"] == "failed"}
    assert set(failed) == {"strategy broken", "format odd", "strategy semantic", "format mine"}
    assert all("pip uninstall broken-" in detail for detail in failed.values())
    assert "seamline's own" in failed["strategy semantic"]
    assert "markdown" in failed["format mine"]
    page = tmp_path / "page.md"
    page.write_text("# A\n\nText.\n")
    assert len(chunks(environment, str(page))) == 1
    assert len(chunks(environment, "--strategy", "semantic", str(page))) == 1
    for strategy in ("broken", "blind"):
        said = environment.seamline("chunk", "--strategy", strategy, str(page), code=1)[1]
        assert f"the strategy '{strategy}' of the package broken-" in said
    (tmp_path / "a.odd").write_text("what it is cannot be told")
    assert "broken-type 1.2" in environment.seamline("chunk", str(tmp_path / "a.odd"), code=1)[1]
    said = environment.seamline("chunk", str(tmp_path), code=0)[1]
    assert "the format 'odd' of the package broken-type 1.2" in said
