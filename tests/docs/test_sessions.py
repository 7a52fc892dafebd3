"""Every Python block and console session of the README and the docs, run page by page in a folder of its own.

The blocks of a page run in order and share one Python namespace and one folder, which starts with a copy of
`examples/`. A block with a title, as in ```toml title="seamline.toml", is written to that file.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from pages import PAGES, ROOT, Reader, blocks, matches, name_of, steps

from harness.postgres import shared_server
from harness.warm import WarmProcess
from seamline.recipe.toml import from_mapping

RUN = {"python", "console"}
SHOWN = {"sh", "toml", "json", "text", "yaml", "markdown", "mdx"}
"""Languages of blocks that are only read: set-up that takes a network, files, pictures."""


@pytest.fixture(scope="session")
def warm() -> Iterator[WarmProcess]:
    """A process that runs the commands of an index, which would otherwise spend their time on loading it."""
    with WarmProcess({**os.environ, "PYTHONPATH": str(ROOT / "src")}) as process:
        yield process


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_what_a_page_shows_is_what_happens(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, warm: WarmProcess
) -> None:
    reader = Reader(tmp_path, warm.address)
    if page.name == "postgres.md":
        monkeypatch.setenv("DATABASE_URL", shared_server().url(query="schema=handbook"))
    monkeypatch.chdir(reader.folder)
    wrong = [difference for code in blocks(page) for difference in reader.run(code)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_block_says_its_language(page: Path) -> None:
    assert not [f"{code.place}: {code.language!r}" for code in blocks(page) if code.language not in RUN | SHOWN]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_toml_block_is_a_recipe(page: Path) -> None:
    for code in blocks(page):
        if code.language == "toml":
            from_mapping(tomllib.loads(code.body), code.place)


def test_there_is_something_to_run() -> None:
    languages = [code.language for page in PAGES for code in blocks(page)]
    assert languages.count("python") >= 10
    assert languages.count("console") >= 10


@pytest.mark.parametrize(
    ("expected", "got", "same"),
    [
        ("a\nb", "a\nb\n", True),
        ("a\n...\nc", "a\nb\nb\nc\n", True),
        ("a\n...\nc", "a\nc\n", True),
        ("a ... c", "a b c\n", True),
        ("a ...", "a b\nc\n", False),
        ("a", "a\nb\n", False),
        ("", "a\n", False),
        ("", "", True),
        ("a.c", "abc\n", False),
    ],
)
def test_the_comparison_itself(expected: str, got: str, same: bool) -> None:
    assert matches(expected, got) is same


def test_the_steps_of_a_session() -> None:
    session = "$ one\nout\n\n$ two \\\n> --more\n$ three\n"
    assert list(steps(session)) == [("one", "out\n"), ("two \\\n--more", ""), ("three", "")]


def test_a_difference_is_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```console\n$ echo a\nb\n```\n\n```python\n>>> 1 + 1\n3\n```\n", encoding="utf-8")
    reader = Reader(tmp_path / "here")
    told = [reader.run(code._replace(place="page.md:1")) for code in blocks(page)]
    assert [len(differences) for differences in told] == [1, 1]
