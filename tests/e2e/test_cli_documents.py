"""Everyday use, end to end: which files are taken, sources that are remembered, documents by name, paths from here."""

from __future__ import annotations

import json
import os
import time
import zlib
from pathlib import Path

import pytest

from conftest import Cli, Warm

HASH = ("--embedder", "hash")


@pytest.fixture
def docs(tmp_path: Path, write) -> Path:
    """docs/ with two documents, and what is left out of it."""
    write("docs/a.md", "# A\n\nAbout apples.\n\n## Errors\n\nPears fail.\n")
    write("docs/sub/b.md", "# B\n\nAbout bananas.\n")
    write("docs/drafts/d.md", "# D\n\nA draft.\n")
    write("docs/node_modules/x/readme.md", "# X\n")
    write("docs/.hidden.md", "# H\n")
    write("docs/photo.raw", b"\x00")
    write("docs/.gitignore", b"drafts/\n")
    return tmp_path


@pytest.fixture
def cli(warm: Warm) -> Warm:
    """Most commands in one process that stays; `process` is one for each."""
    return warm


@pytest.fixture
def process(tmp_path: Path) -> Cli:
    return Cli(tmp_path)


def names(cli: Cli) -> list[str]:
    return [json.loads(line)["doc"] for line in cli("ls", "--json").out.splitlines()]


def test_what_is_left_out_is_counted_and_listed(process: Cli, docs: Path) -> None:
    ended = process("index", "docs", *HASH)
    assert ended.code == 0
    assert ended.out.splitlines()[2] == (
        "left out: 1 by ignore files, 1 hidden, 1 vendored, 1 of other formats; --list names them"
    )
    assert names(process) == ["docs/a.md", "docs/sub/b.md"]
    listed = process("index", "docs", "--list").out.splitlines()
    assert "ignored   docs/drafts/  (docs/.gitignore:1)" in listed
    assert "vendored  docs/node_modules/" in listed
    assert "hidden    docs/.hidden.md" in listed
    assert "format    docs/photo.raw" in listed
    assert "taken     docs/sub/b.md" in listed


def test_a_file_that_is_named_is_always_taken_and_stays(cli: Warm, docs: Path) -> None:
    cli("index", "docs", "docs/drafts/d.md", *HASH)
    assert names(cli) == ["docs/a.md", "docs/drafts/d.md", "docs/sub/b.md"]
    cli("index", "docs")
    assert "docs/drafts/d.md" in names(cli), "another source brings it"
    cli("index")
    assert "docs/drafts/d.md" in names(cli)


def test_globs_of_the_command_line_are_remembered(cli: Warm, docs: Path, write) -> None:
    cli("index", "docs", "--exclude", "docs/sub/", *HASH)
    assert names(cli) == ["docs/a.md"]
    write("docs/c.md", "# C\n")
    write("docs/sub/e.md", "# E\n")
    assert cli("index").code == 0
    assert names(cli) == ["docs/a.md", "docs/c.md"]
    assert "--exclude docs/sub/" in cli("sources").out
    cli("index", "docs", "--include", "*.md", "--no-ignore")
    assert "docs/drafts/d.md" in names(cli)
    assert "docs/node_modules/x/readme.md" in names(cli)
    assert "docs/.hidden.md" not in names(cli)


def test_globs_of_the_configuration(cli: Warm, docs: Path, write) -> None:
    write("seamline.toml", '[index]\nexclude = ["docs/sub/"]\n')
    assert cli("index", "docs", *HASH).code == 0
    assert names(cli) == ["docs/a.md"]
    write("seamline.toml", "[index]\nexclude = 3\n")
    refused = cli("index", "docs")
    assert refused.code == 2
    assert "expected a list of globs" in refused.err
    write("seamline.toml", '[index]\npaths = ["/etc"]\n')
    assert cli("index", "docs").code == 2, "a folder's file names no sources"


def test_bare_index_refreshes_all_sources(process: Cli, docs: Path, write) -> None:
    write("notes/n.md", "# N\n")
    assert process("index").code == 1, "there is none yet"
    process("index", "docs", "notes", *HASH)
    write("docs/a.md", "# A\n\nAbout cherries.\n")
    write("notes/m.md", "# M\n")
    ended = process("index")
    assert ended.out.startswith("1 of 4 documents changed, 1 added")
    found = [json.loads(line) for line in process("sources", "--json").out.splitlines()]
    assert [(one["path"], one["documents"]) for one in found] == [("docs", 2), ("notes", 2)]


def test_a_source_that_is_gone_keeps_its_documents_until_that_is_asked_for(cli: Warm, docs: Path, write) -> None:
    write("notes/n.md", "# N\n\nAbout nuts.\n")
    cli("index", "docs", "notes", *HASH)
    os.rename(docs / "notes", docs / "remarks")
    ended = cli("index")
    assert ended.code == 1
    assert "notes: this source is gone; its documents stay until" in ended.err
    assert "notes/n.md" in names(cli)
    key = json.loads(cli("search", "nuts", "--json").out)["hits"][0]["citations"][0]
    assert cli("sources", "move", "notes", "remarks").code == 0
    assert names(cli) == ["docs/a.md", "docs/sub/b.md", "remarks/n.md"]
    assert cli("cite", f"{key['id']}@{key['version']}").out.startswith("moved  ")
    os.rename(docs / "remarks", docs / "elsewhere")
    assert cli("index", "--prune").code == 0
    assert names(cli) == ["docs/a.md", "docs/sub/b.md"]
    assert cli("index").code == 0


def test_an_empty_folder_deletes_nothing(cli: Warm, docs: Path) -> None:
    cli("index", "docs", *HASH)
    os.rename(docs / "docs", docs / "aside")
    (docs / "docs").mkdir()
    assert cli("index").code == 1
    assert names(cli) == ["docs/a.md", "docs/sub/b.md"]


def test_sources_are_removed_with_or_without_their_documents(cli: Warm, docs: Path, write) -> None:
    write("notes/n.md", "# N\n")
    cli("index", "docs", "notes", *HASH)
    assert cli("sources", "remove", "nobody").code == 1
    cli("sources", "remove", "notes")
    assert "notes/n.md" in names(cli)
    assert cli("sources").out == "docs  2 documents\n"
    cli("sources", "remove", "docs", "--prune")
    assert names(cli) == ["notes/n.md"]


def test_a_found_index_cannot_name_sources_elsewhere(cli: Warm, docs: Path, tmp_path_factory) -> None:
    secret = tmp_path_factory.mktemp("secret")
    (secret / "key.md").write_text("# Key\n\nIt is 4711.\n", encoding="utf-8")
    cli("index", "docs", *HASH)
    listed = docs / ".seamline" / "sources.json"
    (docs / "docs" / "out").symlink_to(secret)
    rows = [{"path": str(secret)}, {"path": "../.."}, {"path": "docs", "follow_links": True}, {"path": "docs/sub"}]
    listed.write_text(json.dumps({"sources": rows}), encoding="utf-8")
    assert [json.loads(line)["path"] for line in cli("sources", "--json").out.splitlines()] == ["docs/sub"]
    cli("index")
    assert names(cli) == ["docs/a.md", "docs/sub/b.md"]
    assert cli("index", str(secret)).code == 0, "what the user names is remembered in the user's own configuration"
    assert str(secret) not in listed.read_text(encoding="utf-8")
    assert len(cli("sources").out.splitlines()) == 2


@pytest.mark.parametrize("text", ["{", "[]", '{"sources": [{"path": 3}]}', '{"sources": [{"path": "a", "x": 1}]}'])
def test_a_damaged_list_of_sources_is_told(cli: Warm, docs: Path, text: str) -> None:
    cli("index", "docs", *HASH)
    (docs / ".seamline" / "sources.json").write_text(text, encoding="utf-8")
    ended = cli("index")
    assert ended.code == 1
    assert "expected a list of sources; remove it and name the sources again" in ended.err
    assert cli("search", "apples").code == 0


def test_documents_by_name(cli: Warm, docs: Path, write) -> None:
    cli("index", "docs", *HASH)
    assert cli("ls", "docs/s").out == "docs/sub/b.md@1  1 chunk, 6 tokens  B\n"
    assert cli("ls", "nobody").code == 1
    assert cli("get", "docs/a.md").out == (docs / "docs/a.md").read_text(encoding="utf-8")
    assert cli("get", "docs/a.md", "--lines", "1-2").out == "# A\n\n"
    assert cli("get", "docs/a.md", "--lines", "7").out == "Pears fail.\n"
    assert cli("get", "docs/a.md", "--section", "errors").out == "## Errors\n\nPears fail."
    assert cli("get", "docs/a.md", "--section", "Nobody").code == 1
    assert cli("get", "docs/a.md", "--lines", "9-3").code == 2
    write("docs/a.md", "# A\n\nAll is new.\n")
    cli("index")
    assert cli("get", "docs/a.md").out == "# A\n\nAll is new.\n"
    assert "apples" in cli("get", "docs/a.md@1").out
    refused = cli("get", "docs/a.md@7")
    assert refused.code == 1
    assert "docs/a.md has no version 7; it has 1, 2" in refused.err
    found = json.loads(cli("get", "docs/a.md", "--json").out)
    assert (found["root"], found["file"]) == (str(docs), str(docs / "docs/a.md"))


def test_remove(cli: Warm, docs: Path) -> None:
    cli("index", "docs", "docs/drafts/d.md", *HASH)
    ended = cli("remove", "docs/drafts/d.md", "nobody.md")
    assert ended.code == 1
    assert "error: nobody.md: no such document" in ended.err
    cli("index")
    assert names(cli) == ["docs/a.md", "docs/sub/b.md"], "a file that was a source of its own is followed no longer"
    assert "brings it back" in cli("remove", "docs/a.md").err
    cli("index")
    assert "docs/a.md" in names(cli)


def test_paths_are_those_of_the_current_folder(cli: Warm, docs: Path) -> None:
    cli("index", "docs", *HASH)
    inside = cli.at(docs / "docs" / "sub")
    ended = inside("search", "apples", "-k", "1")
    assert ended.lines == []
    assert ended.out.splitlines()[0].endswith("../a.md:1-3")
    assert ended.out.splitlines()[1] == "      § A"
    found = json.loads(inside("search", "apples", "-k", "1", "--json").out)
    assert found["root"] == str(docs)
    assert found["hits"][0]["file"] == str(docs / "docs" / "a.md")
    assert found["hits"][0]["citations"][0]["doc"] == "docs/a.md"


def test_usage(process: Cli, docs: Path) -> None:
    assert process().out.startswith("usage: seamline")
    assert process().code == 0
    ended = process("serch", "x")
    assert (ended.code, ended.lines) == (
        2,
        ["seamline: error: serch: no such command; did you mean `seamline search`?"],
    )
    assert "given twice" in process("search", "x", "--index", "a", "--index", "b").err
    assert "expected -k N for the number of passages" in process("search", "x", "--limit", "3").err
    assert "--limit is the size of chunks" in process("index", "docs", "-k", "3").err
    assert "expected --budget N" in process("context", "x", "-k", "3").err
    assert process("index", "docs", *HASH, "-q").out == ""
    assert "wrote docs/a.md" in process("index", "docs", "--index", "other", *HASH, "-v").err
    assert "searched .seamline" in process("search", "apples", "-v").err


def test_full_paths(cli: Warm, write) -> None:
    folder = "a-long-folder/of-the-documentation"
    write(f"{folder}/one.md", "# One\n\nApples are red.\n")
    write(f"{folder}/two.md", "# Two\n\nApples are green.\n")
    cli("index", "a-long-folder", *HASH)
    assert f"{folder}/one.md" not in cli("context", "apples").out
    full = cli("context", "apples", "--full-paths").out
    assert f"[1 {folder}/" in full
    assert f"[2 {folder}/" in full


def test_watch_leaves_out_what_is_ignored(process: Cli, docs: Path, write) -> None:
    process("index", "docs", *HASH)
    with process.start("index", "--watch") as run:
        try:
            assert run.stderr is not None
            assert b"watching 2 files" in run.stderr.readline()
            write("docs/drafts/later.md", "# Later\n")
            write("docs/new.md", "# New\n")
            until = time.monotonic() + 20
            while time.monotonic() < until and "docs/new.md" not in names(process):
                time.sleep(0.3)
        finally:
            run.terminate()
            run.wait(10)
    assert names(process) == ["docs/a.md", "docs/new.md", "docs/sub/b.md"]


# --- the right to be forgotten ---------------------------------------------------------------------------------------


def unpacked(data: bytes) -> list[bytes]:
    """What may be compressed in some bytes."""
    found = []
    for at in range(len(data) - 1):
        if data[at] == 0x78 and data[at + 1] in (0x01, 0x5E, 0x9C, 0xDA):
            try:
                found.append(zlib.decompressobj().decompress(data[at : at + 65_536]))
            except zlib.error:
                continue
    return found


def holders(folder: Path, text: bytes) -> list[str]:
    """Files that hold a text, as it is or compressed."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".md"]
    data = {path.name: path.read_bytes() for path in files}
    return [name for name, held in data.items() if text in held or any(text in one for one in unpacked(held))]


def test_forget_leaves_no_byte_in_any_file(process: Cli, docs: Path, write) -> None:
    """The index, its log, its caches and what the user's configuration keeps, after several versions and a rename."""
    write("docs/secret.md", "# Secret\n\nThe zanzibar password.\n")
    process("index", "docs", "docs/secret.md", *HASH)
    write("docs/secret.md", "# Secret\n\nThe zanzibar password, second edition.\n")
    process("index")
    process("search", "zanzibar")
    assert holders(docs, b"zanzibar"), "or this test could not fail"
    os.unlink(docs / "docs/secret.md")
    assert process("forget", "docs/secret.md").code == 0
    assert holders(docs, b"zanzibar") == []
    assert holders(docs, b"secret.md") == []
    assert process("index").code == 0
    assert process("search", "zanzibar", "--legs", "bm25").out == ""
