"""`seamline audit`: clean output passes, broken records are found and named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

HANDBOOK = Path(__file__).parents[2] / "examples" / "handbook"


@pytest.fixture
def chunks(cli, write) -> list[dict[str, Any]]:
    """The records of one document, also on disk as chunks.jsonl."""
    write("guide.md", "# Guide\n\nOne.\n\n## Two\n\nText of two.\n\n## Three\n\nText of three.\n")
    output = cli("chunk", "guide.md", "--json").out
    write("chunks.jsonl", output)
    return [json.loads(line) for line in output.splitlines()]


def as_lines(records: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def test_what_chunk_prints_is_clean(cli) -> None:
    made = cli("chunk", str(HANDBOOK), "--json")
    ended = cli("audit", "-", stdin=made.out.encode())
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.endswith("\nclean\n")
    assert "of 8 documents, limit 512 (o200k_base)" in ended.out


def test_documents_are_cut_first(cli, write) -> None:
    write("guide.md")
    write("empty.md", "")
    ended = cli("audit", "guide.md", "empty.md", "--limit", "256")
    assert ended.code == 0
    assert ended.out.startswith("2 chunks of 2 documents, limit 256")


@pytest.mark.parametrize(
    ("rule", "change"),
    [
        ("wrong-count", lambda records: records[1].update(tokens=1)),
        ("wrong-span", lambda records: records[1].update(text="Something else.")),
        ("coverage", lambda records: records.pop(1)),
        ("duplicate-id", lambda records: records[1].update(id=records[0]["id"])),
        ("malformed", lambda records: records[1].pop("start")),
    ],
)
def test_broken_chunks_are_found(cli, write, chunks, rule: str, change: Any) -> None:
    change(chunks)
    write("broken.jsonl", as_lines(chunks))
    ended = cli("audit", "broken.jsonl")
    assert ended.code == 1
    assert f": {rule}: " in ended.out
    assert "violation" in ended.out.splitlines()[-1]
    report = json.loads(cli("audit", "broken.jsonl", "--json").out)
    assert report["rules"][rule] >= 1
    assert {"rule", "message", "chunk_index", "chunk_id", "doc"} == set(report["violations"][0])


def test_the_limit_is_honoured(cli, chunks) -> None:
    assert cli("audit", "chunks.jsonl").code == 0
    ended = cli("audit", "chunks.jsonl", "--limit", "16", "--tokenizer", "estimate")
    assert ended.code == 1


def test_documents_lie_elsewhere(cli, write, chunks) -> None:
    (cli.folder / "site").mkdir()
    (cli.folder / "guide.md").rename(cli.folder / "site" / "guide.md")
    ended = cli("audit", "chunks.jsonl", "--root", "site")
    assert ended.code == 0
    assert "without the source" not in ended.out


def test_without_the_source_the_other_checks_run(cli, write, chunks) -> None:
    (cli.folder / "guide.md").unlink()
    ended = cli("audit", "chunks.jsonl")
    assert ended.code == 0
    assert "judged without the source" in ended.out
    assert "guide.md: no such file" in ended.out
    chunks[1]["tokens"] = 1
    write("chunks.jsonl", as_lines(chunks))
    assert cli("audit", "chunks.jsonl").code == 1


def test_broken_lines_are_named(cli, write, chunks) -> None:
    good = as_lines(chunks)
    write("bad.jsonl", good.encode() + b'{"id": \n[1]\n\n{"doc": 3}\n\xff\n{"doc": "a", "text": "\\ud800"}\n')
    ended = cli("audit", "bad.jsonl")
    assert ended.code == 1
    assert [line.split(": ")[2] for line in ended.lines] == [f"bad.jsonl, line {n}" for n in (4, 5, 7, 8, 9)]
    assert "3 chunks of 1 document" in ended.out


def test_nothing_to_audit(cli, write) -> None:
    write("none.jsonl", "")
    assert cli("audit", "none.jsonl").code == 1
    missing = cli("audit", "nowhere.jsonl")
    assert missing.code == 1
    assert missing.lines == [
        "seamline: error: nowhere.jsonl: no such file: check the name and the folder it is named from"
    ]
    assert cli("audit", "none.jsonl", "--root", "nowhere").code == 2


def test_a_changed_source_is_noticed(cli, write, chunks) -> None:
    write("guide.md", "# Guide\n\nOne and more.\n")
    assert cli("audit", "chunks.jsonl").code == 1
