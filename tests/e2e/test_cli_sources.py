"""What commands read and what they refuse: links that lead out, pipes and devices, files that are too large."""

from __future__ import annotations

import json
import os
import resource
from pathlib import Path

import pytest

from conftest import Cli, Warm

HASH = ("--embedder", "hash")
HUGE = 60_000_000_000


@pytest.fixture
def hostile(tmp_path: Path, write) -> Path:
    """docs/ with one document, and all that somebody who wishes ill may put beside it."""
    write("docs/a.md", "# A\n\nAbout apples.\n")
    write("private/key.md", "# Key\n\nThe key is 4711.\n")
    docs = tmp_path / "docs"
    (docs / "env.txt").symlink_to("/proc/self/environ")
    (docs / "etc").symlink_to("/etc")
    (docs / "key.md").symlink_to("chain.md")
    (docs / "chain.md").symlink_to("../private/key.md")
    (docs / "loop").symlink_to(".")
    os.mkfifo(docs / "pipe.md")
    with (docs / "huge.txt").open("wb") as file:
        try:
            file.truncate(HUGE)
        except OSError as error:
            pytest.skip(f"no file of {HUGE:,} bytes here: {error}")
    return tmp_path


TOLD = ["chain.md", "env.txt", "etc", "key.md", "pipe.md"]
"""What is left out of docs/, each with a notice."""
TOO_LARGE = (
    "seamline: error: docs/huge.txt: has 60,000,000,000 bytes, and the limit is 100,000,000: "
    "split it, or raise the limit with --max-bytes (in Python: max_bytes)"
)


def noticed(lines: list[str]) -> list[str]:
    """The entries of docs/ that notices are about."""
    start = "seamline: notice: docs/"
    return sorted(line.removeprefix(start).split(":")[0] for line in lines if line.startswith(start))


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_chunk_reads_what_is_inside(cli: Cli, hostile: Path, jobs: str) -> None:
    ended = cli("chunk", "docs", "--json", "--jobs", jobs)
    assert ended.code == 1
    assert [json.loads(line)["doc"] for line in ended.out.splitlines()] == ["docs/a.md"]
    assert noticed(ended.lines) == TOLD
    assert ended.lines[-2:] == [TOO_LARGE, "seamline: 1 of 2 inputs failed"]


def test_index_reads_what_is_inside(warm: Warm, hostile: Path) -> None:
    ended = warm("index", "docs", *HASH)
    assert ended.code == 1
    assert ended.out.startswith("1 of 2 documents added, 1 failed, 1 chunk embedded\n")
    assert noticed(ended.lines) == TOLD
    assert ended.lines[-1] == TOO_LARGE


def test_audit_reads_what_is_inside(cli: Cli, hostile: Path) -> None:
    ended = cli("audit", "docs", "--json")
    assert (ended.code, json.loads(ended.out)["documents"]) == (1, 1)
    assert noticed(ended.lines) == TOLD
    assert ended.lines[-1] == TOO_LARGE


def test_links_are_followed_where_that_is_asked_for(cli: Cli, write) -> None:
    write("docs/a.md")
    write("private/key.md")
    (cli.folder / "docs/private").symlink_to("../private")
    ended = cli("chunk", "docs", "--follow-links", "--json")
    assert (ended.code, ended.err) == (0, "")
    assert {json.loads(line)["doc"] for line in ended.out.splitlines()} == {"docs/a.md", "docs/private/key.md"}
    assert cli("audit", "docs", "--follow-links").err == ""
    assert cli("chunk", "docs", "--quiet").err == ""


def test_index_follows_links_where_that_is_asked_for(warm: Warm, write) -> None:
    write("private/key.md")
    (warm.folder / "docs").mkdir()
    (warm.folder / "docs/private").symlink_to("../private")
    refused = warm("index", "docs", *HASH)
    assert refused.code == 1
    assert noticed(refused.lines) == ["private"]
    assert refused.lines[-1].startswith("seamline: error: docs: no files to read in this folder")
    assert not (warm.folder / ".seamline").exists()
    assert warm("index", "docs", "--follow-links", *HASH).out.startswith("1 of 1 document added")
    write("docs/b.md", "# B\n\nAbout bees.\n")
    without = warm("index", "docs")
    assert without.out.startswith("1 of 1 document added, 1 removed")
    assert noticed(without.lines) == ["private"]


@pytest.mark.parametrize("path", ["pipe.md", "/dev/zero", "/dev/stdin"])
def test_what_is_no_file_is_refused_where_it_is_named(cli: Cli, warm: Warm, write, path: str) -> None:
    write("a.md")
    os.mkfifo(cli.folder / "pipe.md")
    for ended in (cli("chunk", path, "a.md", "--json"), cli("audit", path, "a.md"), cli("inspect", path, "a.md")):
        assert ended.code == 1
        assert ended.out
        assert f"error: {path}: expected a file, got a " in ended.err
    indexed = warm("index", "pipe.md", "/dev/zero", "a.md", *HASH)
    assert indexed.code == 1
    assert indexed.out.startswith("1 of 3 documents added, 2 failed")


def test_a_pseudo_file_that_is_named_is_read(cli: Cli) -> None:
    ended = cli("chunk", "/proc/self/status", "--json")
    assert (ended.code, ended.err) == (0, "")
    assert "VmRSS" in ended.out


@pytest.mark.parametrize(
    ("size", "code"), [("1kB", 1), ("1KiB", 1), ("1025", 0), ("0.001 MB", 1), ("0", 0), ("none", 0)]
)
def test_the_limit_is_an_option(cli: Cli, write, size: str, code: int) -> None:
    write("page.md", "x" * 1025)
    for command in ("chunk", "audit", "inspect"):
        assert cli(command, "page.md", "--max-bytes", size).code == code, command


@pytest.mark.parametrize("size", ["", "many", "-1", "5iB", "1e9", "1PB"])
def test_a_limit_that_is_none(cli: Cli, write, size: str) -> None:
    write("page.md")
    for command in ("chunk", "index", "audit", "inspect"):
        ended = cli(command, "page.md", f"--max-bytes={size}")
        assert (ended.code, ended.out) == (2, "")
        assert ended.lines == [
            f"seamline: error: --max-bytes: expected a size such as 200MB, 1GiB or 5000, or none, got {size!r}"
        ]
    assert not (cli.folder / ".seamline").exists()


@pytest.mark.parametrize("command", ["chunk", "audit", "inspect"])
def test_standard_input_is_bounded(cli: Cli, command: str) -> None:
    with open("/dev/zero", "rb") as endless:
        process = cli.start(command, "-", "--max-bytes", "1MB", stdin=endless)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert err.decode().splitlines()[0] == (
        "seamline: error: standard input: has more than 1,000,000 bytes, which is the limit: "
        "split it, or raise the limit with --max-bytes (in Python: max_bytes)"
    )


def test_a_document_that_takes_all_memory_does_not_end_the_batch(cli: Cli, write) -> None:
    write("a.md")
    write("b.md", "- a\n" * 2_000_000)  # 8 MB that become more than 1 GB
    write("c.md")

    def little_memory() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (600_000_000, 600_000_000))

    process = cli.start("chunk", "a.md", "b.md", "c.md", "--json", preexec_fn=little_memory)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 1
    assert list(dict.fromkeys(json.loads(line)["doc"] for line in out.splitlines())) == ["a.md", "c.md"]
    assert err.decode().splitlines() == [
        "seamline: error: b.md: needs more memory than there is: split it, or leave such files out by --max-bytes",
        "seamline: 1 of 3 inputs failed",
    ]


def test_a_watch_reads_no_link_that_a_file_became(cli: Cli, write) -> None:
    path = write("docs/a.md", "# A\n\nAbout apples.\n")
    write("docs/b.md", "# B\n\nAbout bees.\n")
    write("private/key.md", "# Key\n\nThe key is 4711.\n")
    process = cli.start("index", "docs", *HASH, "--watch")
    assert process.stderr is not None
    assert b"watching 2 files" in process.stderr.readline()
    path.unlink()
    path.symlink_to("../private/key.md")
    line = process.stderr.readline().decode()
    process.terminate()
    process.communicate()
    assert line.startswith("seamline: notice: docs/a.md: this link leads to ")
    hits = json.loads(cli("search", "key", "--json").out)["hits"]
    assert not [hit for hit in hits if "4711" in hit["text"]]
