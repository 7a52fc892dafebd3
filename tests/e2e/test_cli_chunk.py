"""`seamline chunk` on good input: what is read, in which order, and what is printed."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

HANDBOOK = Path(__file__).parents[2] / "examples" / "handbook"
PROMISED = {"id", "doc", "start", "end", "text", "tokens", "breadcrumb", "kind", "lines", "context"}


def records(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.split("\n")[:-1]]


def test_stdin_to_json_lines(cli, write) -> None:
    source = write("guide.md").read_bytes()
    ended = cli("chunk", "-", "--json", "--target", "480", "--limit", "512", "--tokenizer", "o200k_base", stdin=source)
    assert (ended.code, ended.err) == (0, "")
    first, second = records(ended.out)
    assert set(first) >= PROMISED
    assert second["breadcrumb"] == "Guide > Retries"
    assert second["lines"] == [5, 11]
    assert source.decode()[second["start"] : second["end"]].startswith("## Retries")


def test_a_folder_is_read_in_order_and_without_what_is_not_ours(cli, write) -> None:
    for name in ("docs/b.md", "docs/a/z.txt", "docs/c.MDX", "docs/a.markdown"):
        write(name)
    for name in ("docs/.git/x.md", "docs/.venv/y.md", "docs/node_modules/p/r.md", "docs/.hidden.md", "docs/i.png"):
        write(name)
    (cli.folder / "docs/a/loop").symlink_to(cli.folder / "docs")
    (cli.folder / "docs/a/self").symlink_to("self")
    os.mkfifo(cli.folder / "docs/pipe.md")
    ended = cli("chunk", "docs", "docs/b.md", "--json")
    documents = list(dict.fromkeys(record["doc"] for record in records(ended.out)))
    assert ended.code == 0
    assert documents == ["docs/a/z.txt", "docs/a.markdown", "docs/b.md", "docs/c.MDX"]


def test_a_link_that_leads_out_is_followed_once_if_asked(cli, write) -> None:
    write("elsewhere/a.md")
    write("docs/b.md")
    (cli.folder / "elsewhere/back").symlink_to(cli.folder / "docs")
    (cli.folder / "docs/one").symlink_to(cli.folder / "elsewhere")
    (cli.folder / "docs/two").symlink_to(cli.folder / "elsewhere")
    documents = {record["doc"] for record in records(cli("chunk", "docs", "--follow-links", "--json").out)}
    assert documents == {"docs/b.md", "docs/one/a.md"}


def test_the_view_for_people(cli, write) -> None:
    write("guide.md")
    ended = cli("chunk", "guide.md", "--explain")
    assert ended.code == 0
    assert ended.err == ""
    assert ended.out.startswith("guide.md · Guide · 2 chunks · tokens ")
    assert "lines 5-11" in ended.out
    assert "┆ # Guide" in ended.out
    assert "│ ## Retries" in ended.out
    assert 'cut before: section "## Retries" (h2, score 0.90' in ended.out
    assert "borrows: heading\n" in ended.out
    assert "\x1b" not in ended.out


def test_full_shows_every_line(cli, write) -> None:
    write("long.md", "# Long\n\n" + "".join(f"Line {n}.\n" for n in range(40)))
    assert "│ … 36 more lines" in cli("chunk", "long.md").out
    assert "│ Line 39." in cli("chunk", "long.md", "--full").out


def test_a_split_fence_is_shown_as_borrowed_and_added(cli, write) -> None:
    write("code.md", "```py\n" + "".join(f"value_{n} = {n}\n" for n in range(60)) + "```\n")
    out = cli("chunk", "code.md", "--limit", "64", "--explain").out
    assert "      ┆ ```py\n" in out
    assert "      + ```\n" in out
    assert "borrows: opening fence" in out


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_line_ends_do_not_change_what_is_seen(cli, write, newline: str) -> None:
    text = write("guide.md").read_text()
    write("other.md", text.replace("\n", newline))
    plain, other = records(cli("chunk", "guide.md", "other.md", "--json").out)[1::2]
    assert other["lines"] == plain["lines"]
    assert other["breadcrumb"] == plain["breadcrumb"]
    assert "\r" not in cli("chunk", "other.md").out


def test_other_scripts_stay_readable(cli) -> None:
    ended = cli("chunk", str(HANDBOOK / "onboarding.ja.md"), "--json")
    assert "オンボーディング" in ended.out or "ようこそ" in ended.out or any(ord(c) > 0x3040 for c in ended.out)
    assert "\\u" not in ended.out


def test_one_line_per_record_whatever_the_reader_calls_a_line(cli, write) -> None:
    write("odd.md", "One\u2028two\u0085three\u2029four\x0bfive.\n")
    out = cli("chunk", "odd.md", "--json").out
    assert len(out.splitlines()) == 1
    assert records(out)[0]["text"] == "One\u2028two\u0085three\u2029four\x0bfive."


def test_jobs_change_nothing(cli, write) -> None:
    for number in range(12):
        write(f"docs/{number:02}.md", f"# Page {number}\n\n" + "Some words here. " * (number * 90))
    for view in (["--json"], ["--explain"]):
        one = cli("chunk", "docs", *view)
        assert one.code == 0
        assert cli("chunk", "docs", *view, "--jobs", "2") == one


def test_same_bytes_whatever_the_hash_seed(cli) -> None:
    seen = {
        cli("chunk", str(HANDBOOK), "--json", env={"PYTHONHASHSEED": seed, "LC_ALL": "C", "TZ": zone}).out
        for seed, zone in (("0", "UTC"), ("1", "Asia/Tokyo"), ("42", "UTC"), ("random", "UTC"))
    }
    assert len(seen) == 1


def test_output_is_written_whole_and_replaces(cli, write) -> None:
    write("guide.md")
    target = write("out.jsonl", "old")
    target.chmod(0o640)
    ended = cli("chunk", "guide.md", "--output", "out.jsonl")
    assert ended.out == ""
    assert ended.lines == ["seamline: wrote 2 chunks of 1 document to out.jsonl"]
    assert target.read_text() == cli("chunk", "guide.md", "--json").out
    assert target.stat().st_mode & 0o777 == 0o640
    assert sorted(os.listdir(cli.folder)) == ["guide.md", "out.jsonl"]


def test_the_output_is_never_its_own_input(cli, write) -> None:
    write("docs/a.md")
    first = cli("chunk", "docs", "--output", "docs/out.txt", "--json")
    before = (cli.folder / "docs/out.txt").read_text()
    assert cli("chunk", "docs", "--output", "docs/out.txt", "--json") == first
    assert (cli.folder / "docs/out.txt").read_text() == before
    ended = cli("chunk", "docs/a.md", "--output", "docs/a.md")
    assert ended.code == 2  # a file of Markdown is no output
    assert (cli.folder / "docs/a.md").read_text() != ""
    ended = cli("chunk", "docs/out.txt", "--output", "docs/out.txt")
    assert ended.code == 2
    assert "also an input" in ended.err


def test_the_nearest_config_is_used_and_named(cli, write) -> None:
    write("guide.md", "# Guide\n\n" + "Some words here. " * 100)
    write("seamline.toml", "[budget]\nlimit = 64\n")
    named = cli("chunk", "guide.md")
    assert named.lines == ["seamline: using seamline.toml"]
    assert cli("chunk", "guide.md", "--quiet").err == ""
    small = records(cli("chunk", "guide.md", "--json").out)
    assert max(record["tokens"] for record in small) <= 64
    assert len(records(cli("chunk", "guide.md", "--json", "--no-config").out)) == 1
    assert len(records(cli("chunk", "guide.md", "--json", "--preset", "default").out)) == 1
    assert len(records(cli("chunk", "guide.md", "--json", "--limit", "512").out)) == 1


@pytest.mark.parametrize(
    "options",
    [
        ["--packer", "fill"],
        ["--packer", "decay", "--sections", "paragraph"],
        ["--sections", "hybrid", "--floor", "20"],
        ["--depth", "1"],
        ["--overlap", "sentences:30"],
        ["--overlap", "40"],
        ["--overlap", "shadows"],
        ["--no-breadcrumb"],
        ["--tokenizer", "estimate", "--bias", "code-heavy"],
        ["--tokenizer", "cl100k_base"],
        ["--preset", "knowledge-base"],
        ["--media-type", "text"],
        ["--front-matter", "include"],
    ],
    ids=" ".join,
)
def test_every_option_is_taken(cli, options: list[str]) -> None:
    ended = cli("chunk", str(HANDBOOK / "authentication.md"), "--json", "--limit", "256", *options)
    assert (ended.code, ended.err) == (0, "")
    assert all(record["tokens"] <= 256 for record in records(ended.out))


def test_options_reach_the_engine(cli) -> None:
    page, deep = str(HANDBOOK / "authentication.md"), str(HANDBOOK / "deployment.md")
    bare = records(cli("chunk", page, "--json", "--no-breadcrumb").out)
    assert not any(context["role"] == "heading" for record in bare for context in record["context"])
    assert len(records(cli("chunk", deep, "--json", "--depth", "2").out)) == 7
    assert len(records(cli("chunk", deep, "--json").out)) == 8
    assert records(cli("chunk", page, "--json", "--front-matter", "include").out)[0]["start"] == 0
    plain = records(cli("chunk", page, "--json", "--media-type", "text").out)
    assert not any(record["breadcrumb"] for record in plain)


def test_an_encoding_that_is_named(cli, write) -> None:
    write("old.txt", "Grüße aus Köln.\n".encode("cp1252"))
    ended = cli("chunk", "old.txt", "--json", "--encoding", "cp1252")
    assert records(ended.out)[0]["text"] == "Grüße aus Köln."
