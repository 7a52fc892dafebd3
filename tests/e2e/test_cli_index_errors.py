"""What is wrong with an index, a question or a filter: one line, a remedy, the right exit code, nothing lost."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conftest import Cli, Warm
from seamline.store.lance.folder import read_settings, write_settings

SEARCH = ("search", "retry")
USAGE = {
    "an empty question": (("search", ""), "the query is empty: say what to look for"),
    "blanks": (("context", "  "), "the query is empty: say what to look for"),
    "no passages": ((*SEARCH, "-k", "0"), "-k: expected a whole number from 1 to 1000, got 0"),
    "too many": ((*SEARCH, "-k", "1001"), "-k: expected a whole number from 1 to 1000, got 1001"),
    "an unknown field": (
        (*SEARCH, "--where", 'langage = "en"'),
        "--where: unknown field 'langage': did you mean `language`? A field of the front matter is meta.NAME, "
        "at column 1",
    ),
    "another type": (
        (*SEARCH, "--where", 'level = 0 and tokens < "many"'),
        "--where: expected a number for 'tokens', got the text 'many', at column 24",
    ),
    "half a filter": (
        (*SEARCH, "--where", 'language = "en" and'),
        '--where: expected a field, such as language = "en", got the end, at column 20',
    ),
    "a weight": ((*SEARCH, "--alpha", "7"), "--alpha: expected a number from 0 to 1, got 7.0"),
    "two ways": (
        (*SEARCH, "--adaptive", "--mode", "leaf"),
        "--adaptive and --mode: choose one, as the plan chooses the mode",
    ),
    "no reranker": ((*SEARCH, "--reranker", "no.onnx"), "--reranker: no such model file: no.onnx"),
    "no budget": (("context", "retry", "--budget", "0"), "--budget: expected a budget above 0 tokens, got 0"),
    "a small budget": (
        ("context", "retry", "--budget", "9"),
        "--budget: not even a sentence fits into 9 tokens; raise it",
    ),
    "no citation": (("cite", "5f1c@x"), "expected ID or ID@VERSION, got '5f1c@x'"),
    "a file for an index": (
        (*SEARCH, "--index", "handbook/webhooks.md"),
        "--index: expected the folder of an index, got the file handbook/webhooks.md",
    ),
    "nothing for an index": (
        (*SEARCH, "--index", ""),
        "--index: expected a folder, postgresql://USER@HOST/DATABASE or lance:FOLDER, got nothing",
    ),
    "an index in memory": (
        ("index", "handbook", "--index", "memory:"),
        "--index: an index in memory ends with its command: name a folder or a database",
    ),
    "another database": (
        (*SEARCH, "--index", "mysql://db/docs"),
        "an index cannot live at mysql://:"
        " expected a folder, lance:FOLDER, postgresql://USER@HOST/DATABASE, or memory:",
    ),
    "an unknown embedder": (
        ("index", "handbook", "--index", "new", "--embedder", "word2vec"),
        "--embedder: unknown embedder 'word2vec': expected minilm, static, hash, a path ending in .onnx, or "
        "openai:MODEL@URL",
    ),
    "no key": (
        (*SEARCH, "--api-key-env", "NO_SUCH_KEY"),
        "--api-key-env: the environment variable NO_SUCH_KEY is not set or empty",
    ),
}
REFUSED = {
    "no such index": (
        (*SEARCH, "--index", "nowhere"),
        "there is no index in nowhere: make one with `seamline index PATH --index nowhere`",
    ),
    "nothing to verify": (
        ("doctor", "--verify", "--index", "nowhere"),
        "there is no index in nowhere: make one with `seamline index PATH --index nowhere`",
    ),
    "an unknown id": (
        ("cite", "5f1c"),
        "no document of this index has or had 5f1c (looked in .seamline; --index names another)",
    ),
    "another recipe": (
        ("index", "handbook", "--limit", "99"),
        "the index at .seamline/store was made with another recipe: index into another place, or leave the option out "
        "to go on with this one",
    ),
}


@pytest.mark.parametrize("case", USAGE)
def test_usage(handbook: Warm, case: str) -> None:
    args, message = USAGE[case]
    assert handbook(*args) == (2, "", f"seamline: error: {message}\n")


@pytest.mark.parametrize("case", REFUSED)
def test_refused(handbook: Warm, case: str) -> None:
    args, message = REFUSED[case]
    assert handbook(*args) == (1, "", f"seamline: error: {message}\n")


@pytest.mark.parametrize(
    "command", [["search", "x"], ["context", "x"], ["cite", "x"], ["stats"], ["doctor", "--verify"]]
)
def test_no_index_yet(warm: Warm, command: list[str]) -> None:
    ended = warm(*command)
    assert (ended.code, ended.out) == (1, "")
    assert ended.lines == [
        "seamline: error: no .seamline in this folder or above: make an index with `seamline index PATH`, "
        "or name one with --index"
    ]


_BLOCKED = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name == "numpy":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Blocked())
"""


@pytest.mark.parametrize("command", [["search", "x"], ["index", "a.md"], ["stats"]])
def test_an_installation_that_can_only_cut(cli: Cli, write, command: list[str]) -> None:
    write("a.md")
    write("site/sitecustomize.py", _BLOCKED)
    path = f"{cli.folder / 'site'}{os.pathsep}{cli.env['PYTHONPATH']}"
    ended = cli(*command, env={"PYTHONPATH": path})
    assert (ended.code, ended.out) == (2, "")
    assert ended.lines == [
        "seamline: error: numpy, which an index needs, is not installed: run `pip install 'seamline[index]'`"
    ]


def test_an_unreachable_server(handbook: Warm) -> None:
    ended = handbook("search", "retry", "--index", "postgresql://ada:secret@127.0.0.1:1/docs")
    assert (ended.code, ended.out, len(ended.lines)) == (1, "", 1)
    assert ended.lines[0].startswith("seamline: error: cannot reach the index at postgresql://ada")
    assert "check that the server is running" in ended.lines[0]
    assert "secret" not in ended.err


def test_a_huge_question(handbook: Warm) -> None:
    ended = handbook("search", "-", "-k", "1", stdin=b"why did the 429 retry fail\n" * 10_000)
    assert ended.code == 0
    assert "handbook/" in ended.out
    assert ended.lines == ["seamline: notice: the query has 269999 characters; the first 16384 were used"]
    endless = handbook("search", "-", stdin=b"x" * ((1 << 24) + 1))
    assert (endless.code, endless.out) == (2, "")
    assert "more than 16,777,216 bytes: ask a shorter one" in endless.lines[0]


@pytest.mark.parametrize("text", ["'; DROP TABLE entries; --", '" OR 1=1', "%_*?\\", "\x00\x01", "a" * 5000, "((((("])
def test_a_question_is_never_a_program(handbook: Warm, text: str) -> None:
    ended = handbook("search", text, "-k", "2")
    assert ended.code == 0
    assert len(ended.lines) <= 1
    filtered = handbook("search", "retry", "--where", f"title = {json.dumps(text)}")
    assert (filtered.code, filtered.out) == (0, "")
    assert json.loads(handbook("stats", "--json").out)["chunks"] == 53


# --- an index that is not as it was written ------------------------------------------------------------------------


@pytest.fixture
def copy(handbook: Warm, tmp_path: Path) -> Warm:
    """A copy of the handbook and its index, to be damaged."""
    shutil.copytree(handbook.folder, tmp_path, dirs_exist_ok=True)
    return handbook.at(tmp_path)


def test_settings_that_were_edited(copy: Warm) -> None:
    path = copy.folder / ".seamline/store/settings.json"
    path.write_text(path.read_text(encoding="utf-8").replace("hash", "minilm"), encoding="utf-8")
    for command in (["search", "retry"], ["index", "handbook"], ["stats"]):
        ended = copy(*command)
        assert (ended.code, ended.out, len(ended.lines)) == (1, "", 1)
        assert "settings.json is damaged: restore it from a copy, or remove the folder" in ended.lines[0]
    told = copy("doctor", "--verify")
    assert told.code == 1
    assert "failed    index                   1 problem: restore it from a copy" in told.out


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("embedding", "0" * 64, "was made with another version of the embedder hash: vectors of two models cannot be"),
        ("analyzer", 99, "was made by another version of Seamline: index into another place"),
    ],
)
def test_an_index_of_another_version(copy: Warm, field: str, value: Any, says: str) -> None:
    store = copy.folder / ".seamline/store"
    found = read_settings(store)
    write_settings(store, found._replace(settings=replace(found.settings, **{field: value})))
    for command in (["search", "retry"], ["index", "handbook"]):
        ended = copy(*command)
        assert (ended.code, ended.out, len(ended.lines)) == (1, "", 1)
        assert says in ended.lines[0]


def test_an_index_of_a_later_layout(copy: Warm) -> None:
    path = copy.folder / ".seamline/store/settings.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"layout": 3', '"layout": 99'), encoding="utf-8")
    ended = copy("search", "retry")
    assert (ended.code, ended.out, len(ended.lines)) == (1, "", 1)
    assert "has layout 99" in ended.lines[0]
    assert "pip install -U seamline" in ended.lines[0]


def test_a_flipped_bit_is_found(copy: Warm) -> None:
    assert copy("doctor", "--verify").code == 0
    files = [path for path in (copy.folder / ".seamline/store").rglob("data/*.lance") if path.is_file()]
    largest = max(files, key=lambda path: path.stat().st_size)
    data = bytearray(largest.read_bytes())
    data[len(data) // 2] ^= 4
    largest.write_bytes(data)
    ended = copy("doctor", "--verify")
    assert ended.code == 1
    assert "failed    index                   1 problem: restore it from a copy" in ended.out
    assert f"{largest.name}: the file is not what was written" in ended.out
    told = json.loads(copy("doctor", "--verify", "--json").out)
    assert told["ok"] is False
    assert largest.name in told["problems"][0]["where"]


def test_files_that_were_cut_off(copy: Warm) -> None:
    for path in (copy.folder / ".seamline/store").rglob("data/*.lance"):
        if path.is_file():
            path.write_bytes(b"x")
    (copy.folder / "handbook/webhooks.md").write_text("# Changed\n", encoding="utf-8")
    for command in (["search", "retry"], ["index", "handbook"], ["stats"]):
        ended = copy(*command)
        assert (ended.code, ended.out, len(ended.lines)) == (1, "", 1)
        assert "run `seamline doctor --verify` to see what is damaged" in ended.lines[0]


def test_a_damaged_cache_of_vectors(copy: Warm) -> None:
    (copy.folder / ".seamline/vectors.sqlite").write_bytes(b"not a database" * 1000)
    (copy.folder / "handbook/webhooks.md").write_text("# Changed\n\nA new text.\n", encoding="utf-8")
    ended = copy("index", "handbook")
    assert (ended.code, ended.out, len(ended.lines)) == (1, "", 1)
    assert "vectors.sqlite is damaged" in ended.lines[0]
    assert "delete it; nothing but time is lost" in ended.lines[0]
    assert copy("search", "retry").code == 0
    (copy.folder / ".seamline/vectors.sqlite").unlink()
    assert copy("index", "handbook").out.startswith("1 of 8 documents changed, 1 chunk embedded")
