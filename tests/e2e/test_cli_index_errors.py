"""What is wrong with an index, a question or a filter: one line, a remedy, the right exit code, nothing lost."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import Cli, Warm
from seamline.store.sqlite.database import Database, seal, unseal

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
        "--index: expected a folder, postgresql://USER@HOST/DATABASE, s3://BUCKET/PREFIX or lance:FOLDER, got nothing",
    ),
    "an index in memory": (
        ("index", "handbook", "--index", "memory:"),
        "--index: an index in memory ends with its command: name a folder or a database",
    ),
    "another database": (
        (*SEARCH, "--index", "mysql://db/docs"),
        "an index cannot live at mysql://:"
        " expected a folder, s3://BUCKET/PREFIX, lance:FOLDER, postgresql://USER@HOST/DATABASE, or memory:",
    ),
    "an unknown embedder": (
        ("index", "handbook", "--index", "new", "--embedder", "word2vec"),
        "--embedder: unknown embedder 'word2vec': expected seam, quality, minilm, static, hash, a path ending in "
        ".onnx, or openai:MODEL@URL",
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
        "the index at .seamline was made with another recipe (budget.target 480 here, 92 asked for; budget.limit 512 "
        "here, 99 asked for; overlap.tokens 60 here, 49 asked for): index into another place, or leave the option out "
        "to go on with this one",
    ),
}


@pytest.mark.parametrize("case", USAGE)
def test_usage(handbook: Warm, case: str) -> None:
    args, message = USAGE[case]
    assert handbook(*args) == (2, "", f"seamline: error: {message}\n")


def test_a_query_that_starts_with_a_hyphen(handbook: Warm) -> None:
    code, _, said = handbook("search", "--force")
    assert code == 2
    assert "required: QUERY (one that starts with a hyphen comes after --: `seamline search -- --force`)" in said
    code, found, _ = handbook("search", "--", "--retry-after")
    assert code == 0
    assert "Retry-After" in found


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


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("embedding", "0" * 64, "was made with another version of the embedder hash: vectors of two models cannot be"),
        ("analyzer", 99, "was made by another version of Seamline: index into another place"),
    ],
)
def test_an_index_of_another_version(copy: Warm, field: str, value: Any, says: str) -> None:
    rewrite_about(copy.folder, "settings", lambda text: json.dumps({**json.loads(text), field: value}).encode())
    for command in (["search", "retry"], ["index", "handbook"]):
        ended = copy(*command)
        assert (ended.code, ended.out, len(ended.lines)) == (1, "", 1)
        assert says in ended.lines[0]


def rewrite_about(folder: Path, name: str, change: Callable[[bytes], bytes]) -> None:
    """Change what an index says about itself, as another version of Seamline would have written it."""
    database = Database(folder / ".seamline/index.db", durable=True)
    sealed = database.value("SELECT value FROM about WHERE name = ?", (name,))
    changed = seal(change(unseal(sealed, name, name.encode())), name.encode())
    database.run("UPDATE about SET value = ? WHERE name = ?", (changed, name))
    database.close()


def test_an_index_of_a_later_layout(copy: Warm) -> None:
    rewrite_about(copy.folder, "layout", lambda _: (99).to_bytes(4, "little"))
    ended = copy("search", "retry")
    assert (ended.code, ended.out, len(ended.lines)) == (1, "", 1)
    assert "has layout 99" in ended.lines[0]
    assert "pip install -U seamline" in ended.lines[0]


def test_a_flipped_bit_is_found(copy: Warm) -> None:
    assert copy("doctor", "--verify").code == 0
    damage(copy.folder / ".seamline/index.db")
    ended = copy("doctor", "--verify")
    assert ended.code == 1
    assert "failed    index                   1 problem: restore it from a copy" in ended.out
    assert "the file is damaged" in ended.out
    told = json.loads(copy("doctor", "--verify", "--json").out)
    assert told["ok"] is False
    assert "index.db" in told["problems"][0]["message"]


def damage(path: Path) -> None:
    """Flip a bit of every page."""
    data = bytearray(path.read_bytes())
    for at in range(2_000, len(data), 8_192):
        data[at] ^= 4
    path.write_bytes(data)


def test_a_damaged_index_is_refused(copy: Warm) -> None:
    damage(copy.folder / ".seamline/index.db")
    (copy.folder / "handbook/webhooks.md").write_text("# Changed\n", encoding="utf-8")
    for command in (["search", "retry"], ["index", "handbook"], ["stats"]):
        ended = copy(*command)
        assert (ended.code, ended.out, len(ended.lines)) == (1, "", 1)
        assert "run `seamline doctor --verify` to see what is damaged" in ended.lines[0]


def test_damaged_search_structures_are_made_anew(copy: Warm) -> None:
    right = json.loads(copy("search", "retry", "--json").out)["hits"]
    (structures,) = (copy.folder / ".seamline").glob("search-*.db")
    damage(structures)
    ended = copy("search", "retry", "--json")
    found = json.loads(ended.out)
    assert (ended.code, found["hits"]) == (0, right)
    assert [notice["code"] for notice in found["notices"]] == ["index"]
    assert "made anew" in found["notices"][0]["message"]
    assert copy("search", "retry").lines == []


def test_an_index_of_an_older_seamline(copy: Warm) -> None:
    shutil.rmtree(copy.folder / ".seamline")
    (copy.folder / ".seamline/store").mkdir(parents=True)
    (copy.folder / ".seamline/store/settings.json").write_text("{}", encoding="utf-8")
    for command in (["search", "retry"], ["index", "handbook"]):
        ended = copy(*command)
        assert (ended.code, ended.out, len(ended.lines)) == (1, "", 1)
        assert "was made by an older Seamline, with LanceDB: open it as `lance:" in ended.lines[0]
