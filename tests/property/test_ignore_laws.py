"""Ignore files mean what git says they mean: random trees and patterns, against the real `git check-ignore`."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seamline.files import expand
from seamline.recipe.ignore import FileRules, RuleList, parse_rules

EXAMPLES = int(os.environ.get("SEAMLINE_EXAMPLES", "60"))
law = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

NAMES = ("a", "b", "ab", "a.md", "b.md", "ab.md", "x y.md", "[a].md", "a*b.md", "#a.md", "!b.md", "a ", "-")
PATHS = tuple(
    sorted(
        {*NAMES}
        | {f"{folder}/{name}" for folder in ("docs", "docs/a.d", "docs/deep/er", "src", "b.d") for name in NAMES}
    )
)
FOLDERS = ("", "docs", "docs/deep")
pieces = st.sampled_from(
    (
        *(
            "a",
            "b",
            "ab",
            "docs",
            "deep",
            "er",
            "src",
            "a.d",
            ".md",
            ".d",
            "x y",
            "*",
            "**",
            "***",
            "?",
            "/",
            "/",
            "**/",
        ),
        *(
            "[ab]",
            "[!a]",
            "[^b]",
            "[a-b]",
            "[]a]",
            "[a",
            "[[:alpha:]]",
            "[[:x:]]",
            "[\\a]",
            "\\",
            "\\*",
            "\\ ",
            " ",
            "#",
            "!",
        ),
        *("/**", "/**/", "*.md", "-"),
    )
)
lines = (
    st.lists(pieces, max_size=5)
    .map("".join)
    .flatmap(lambda line: st.sampled_from((line, line, f"!{line}", f"{line}/")))
)
files = st.lists(lines, max_size=5).map(lambda found: "\n".join(found) + "\n")


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("git") is None:
        pytest.skip("needs git")
    root = tmp_path_factory.mktemp("tree")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    for path in PATHS:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x", encoding="utf-8")
    return Path(os.path.realpath(root))


def ignored_by_git(root: Path) -> set[str]:
    run = subprocess.run(
        ["git", "-c", "core.excludesFile=", "ls-files", "-z", "--others", "--exclude-per-directory=.gitignore"],
        cwd=root,
        capture_output=True,
        check=True,
    )
    seen = {os.fsdecode(name) for name in run.stdout.split(b"\0") if name}
    return {*PATHS} - seen


def ignored_by_us(root: Path) -> set[str]:
    rules = FileRules((), str(root))
    kept: set[str] = set()

    def walk(folder: Path, lists: list[RuleList]) -> None:
        for entry in folder.iterdir():
            if entry.name.startswith("."):
                continue
            if rules.reason(str(entry), entry.name, lists, is_folder=entry.is_dir()) is None:
                if entry.is_dir():
                    walk(entry, rules.enter(str(entry), lists))
                else:
                    kept.add(entry.relative_to(root).as_posix())

    walk(root, rules.enter(str(root)))
    return {*PATHS} - kept


@law
@given(st.dictionaries(st.sampled_from(FOLDERS), files, max_size=3))
def test_ignore_files_mean_what_git_says(tree: Path, given_files: dict[str, str]) -> None:
    for folder in FOLDERS:
        (tree / folder / ".gitignore").unlink(missing_ok=True)
    for folder, text in given_files.items():
        (tree / folder / ".gitignore").write_text(text, encoding="utf-8")
    assert ignored_by_us(tree) == ignored_by_git(tree)


@law
@given(lines)
def test_a_single_line_means_what_check_ignore_says(tree: Path, line: str) -> None:
    for folder in FOLDERS:
        (tree / folder / ".gitignore").unlink(missing_ok=True)
    (tree / ".gitignore").write_text(f"{line}\n", encoding="utf-8")
    asked = "\0".join(PATHS).encode()
    run = subprocess.run(
        ["git", "check-ignore", "-z", "--no-index", "--stdin"], cwd=tree, input=asked, capture_output=True, check=False
    )
    said = {os.fsdecode(name) for name in run.stdout.split(b"\0") if name}
    assert ignored_by_us(tree) == said


def test_no_pattern_takes_long() -> None:
    begun = time.perf_counter()
    (rule,) = parse_rules("*a" * 40 + "b", "x")
    assert not rule.matches("a" * 250)
    assert time.perf_counter() - begun < 1.0


def test_ignore_files_of_the_repository_hold_in_a_folder_that_is_named(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("*.tmp.md\n", encoding="utf-8")
    (tmp_path / "docs").mkdir()
    for name in ("a.md", "b.tmp.md"):
        (tmp_path / "docs" / name).write_text("x", encoding="utf-8")
    found = expand([str(tmp_path / "docs")])
    assert [file.path.name for file in found.files if file] == ["a.md"]
    assert [(Path(one.path).name, one.reason) for one in found.left_out] == [("b.tmp.md", "ignored")]
