"""Bad input: one line that says what is wrong and what to do, the right exit code, and the rest still done."""

from __future__ import annotations

import json

import pytest


def only_line(ended) -> str:
    """The single line of an error; no traceback, no second line."""
    assert len(ended.lines) == 1, ended.err
    return ended.lines[0]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "the PDF is damaged, or has no pages: save or download it again"),
        (bytes(range(256)) * 40, "looks like a binary file"),
        ("# Title\n\nПривет мир\n".encode("cp1251"), "line 3: byte 0xCF at offset 9 is not valid UTF-8"),
    ],
)
def test_a_file_that_is_no_text(cli, write, content: bytes, says: str) -> None:
    write("bad.md", content)
    ended = cli("chunk", "bad.md", "--json")
    assert (ended.code, ended.out) == (1, "")
    assert only_line(ended).startswith("seamline: error: bad.md")
    assert says in ended.err


def test_old_text_in_latin_letters_is_read_and_told(cli, write) -> None:
    write("old.md", b"# Title\n\nGr\xfc\xdfe\n")
    ended = cli("chunk", "old.md", "--json")
    assert ended.code == 0
    assert json.loads(ended.out)["text"] == "# Title\n\nGrüße"
    assert only_line(ended).startswith("seamline: notice: old.md, line 3: is not UTF-8 throughout: 2 bytes")


def test_a_missing_file(cli) -> None:
    ended = cli("chunk", "nowhere.md")
    assert ended.code == 1
    assert (
        only_line(ended) == "seamline: error: nowhere.md: no such file: check the name and the folder it is named from"
    )


def test_binary_on_stdin(cli) -> None:
    ended = cli("chunk", "-", stdin=bytes(range(256)) * 40)
    assert ended.code == 1
    assert only_line(ended).startswith("seamline: error: standard input: looks like a binary file")


def test_a_damaged_picture_on_stdin(cli) -> None:
    ended = cli("chunk", "-", stdin=b"\x89PNG\r\n\x1a\n")
    assert ended.code == 1
    assert only_line(ended).startswith("seamline: error: standard input: ")


@pytest.mark.parametrize(("content", "says"), [("", "empty, no chunks"), (" \n\n", "no text, no chunks")])
def test_an_empty_file(cli, write, content: str, says: str) -> None:
    write("empty.md", content)
    ended = cli("chunk", "empty.md", "--json")
    assert (ended.code, ended.out) == (0, "")
    assert only_line(ended) == f"seamline: notice: empty.md: {says}"
    assert cli("chunk", "empty.md", "--quiet").err == ""


def test_a_folder_without_documents(cli, write) -> None:
    write("docs/picture.png", b"x")
    ended = cli("chunk", "docs")
    assert ended.code == 1
    assert only_line(ended).endswith("docs: no files to read in this folder; 1 was left out, and --list says why")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--target", "600", "--limit", "512"], "--target: expected 0 < target <= limit, got target=600 limit=512"),
        (["--limit", "1"], "--limit: expected limit >= 16, got 1"),
        (["--limit", "0"], "--limit: expected limit >= 16, got 0"),
        (["--floor", "500"], "--floor: expected 0 <= floor <= target"),
        (["--tokenizer", "o200k"], "--tokenizer: unknown tokenizer 'o200k' (did you mean o200k_base?)"),
        (["--tokenizer", "no/such.json"], "--tokenizer: no such tokenizer file: no/such.json"),
        (["--encoding", "utf-9"], "--encoding: unknown encoding 'utf-9'"),
        (["--preset", "tiny"], "--preset: expected one of default, small"),
        (["--overlap", "blocks:many"], "--overlap: expected KIND:TOKENS such as blocks:40"),
        (["--overlap", "block"], "--overlap: expected one of none, blocks, boundary"),
        (["--overlap", "blocks:512"], "--overlap: expected overlap < limit"),
        (["--depth", "7"], "--depth: expected int 0..6, got 7"),
        (["--jobs", "-1"], "--jobs: expected a number >= 0"),
        (["--config", "nowhere.toml"], "nowhere.toml: no such file"),
        (["--config", "a.toml", "--preset", "small"], "--preset and --config: choose one"),
        (["--config", "a.toml", "--no-config"], "--config and --no-config: choose one"),
        (["--output", "no/such/folder/x.jsonl"], "--output: no/such/folder/x.jsonl cannot be written"),
        (["--output", "."], "--output: expected a file, got the folder ."),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_options_that_cannot_work(cli, write, options: list[str], says: str) -> None:
    write("guide.md")
    ended = cli("chunk", "guide.md", "--json", *options)
    assert (ended.code, ended.out) == (2, "")
    assert only_line(ended).startswith("seamline: error: ")
    assert says in ended.err


@pytest.mark.parametrize(
    "options", [["--nonsense"], ["--limit", "many"], ["--packer", "best"], ["--limi", "64"], []], ids=" ".join
)
def test_usage(cli, write, options: list[str]) -> None:
    write("guide.md")
    ended = cli("chunk", *(["guide.md", *options] if options else []))
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("usage: seamline chunk")
    assert "seamline chunk --help" in ended.lines[-1]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("[budget\n", "seamline.toml: expected TOML, got"),
        ("[budget]\nlimit = 0\n", "seamline.toml: expected limit >= 16, got 0 - at `$.budget.limit`"),
        ("[cut]\npaker = 'fill'\n", 'did you mean "packer"?'),
    ],
)
def test_a_broken_config(cli, write, content: str, says: str) -> None:
    write("guide.md")
    write("seamline.toml", content)
    ended = cli("chunk", "guide.md")
    assert (ended.code, ended.out) == (2, "")
    assert says in only_line(ended)
    assert cli("chunk", "guide.md", "--no-config").code == 0


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_rest_of_a_batch_is_done(cli, write, jobs: str) -> None:
    write("a.md")
    write("b.md", b"\xff\xfe\x00\xd8")
    write("c.md")
    ended = cli("chunk", "a.md", "b.md", "nowhere.md", "c.md", "--json", "--jobs", jobs)
    assert ended.code == 1
    assert {json.loads(line)["doc"] for line in ended.out.splitlines()} == {"a.md", "c.md"}
    assert [line.split(":")[2].split(",")[0] for line in ended.lines[:2]] == [" b.md", " nowhere.md"]
    assert ended.lines[2:] == ["seamline: 2 of 4 inputs failed"]


def test_failures_of_all_inputs_leave_an_old_output_alone(cli, write) -> None:
    old = write("out.jsonl", "old\n")
    assert cli("chunk", "nowhere.md", "--output", "out.jsonl").code == 1
    assert old.read_text() == "old\n"


def test_notices_go_to_stderr(cli, write) -> None:
    write("page.md", "---\ntitle: [broken\n---\n\n# Page\n")
    ended = cli("chunk", "page.md", "--json")
    assert ended.code == 0
    assert only_line(ended).startswith("seamline: notice: page.md")
    assert all(line.startswith("{") for line in ended.out.splitlines())


def test_stdin_is_read_once(cli) -> None:
    ended = cli("chunk", "-", "-", stdin=b"x")
    assert ended.code == 2
    assert "given twice" in only_line(ended)


def test_an_empty_path(cli) -> None:
    assert cli("chunk", "").code == 2


def test_a_name_that_is_not_utf8(cli, write) -> None:
    write("docs/a.md")
    (cli.folder / "docs" / "b\udcff.md").write_text("x")
    ended = cli("chunk", "docs", "--json")
    assert ended.code == 1
    assert '"doc": "docs/a.md"' in ended.out
    assert "not valid UTF-8" in ended.lines[0]


def test_a_fault_of_ours_is_named_and_contained(cli, write) -> None:
    """A tokenizer that breaks on one text stands in for a bug."""
    write("a.md", "fine\n")
    write("b.md", "poison\n")
    write("sitecustomize.py", _POISON)
    path = f"{cli.folder}:{cli.env['PYTHONPATH']}"
    ended = cli("chunk", "a.md", "b.md", "--json", env={"PYTHONPATH": path})
    assert ended.code == 1
    assert '"doc": "a.md"' in ended.out
    assert ended.lines[0].startswith("seamline: error: b.md: internal error: ZeroDivisionError: oops; please report")
    assert "Traceback" not in ended.err
    assert "Traceback" in cli("chunk", "b.md", env={"PYTHONPATH": path, "SEAMLINE_DEBUG": "1"}).err


_POISON = """
import seamline.cut as cutting

honest = cutting.cut

def cut(document, recipe, tokenizer):
    if "poison" in document.text:
        raise ZeroDivisionError("oops")
    return honest(document, recipe, tokenizer)

cutting.cut = cut
"""
