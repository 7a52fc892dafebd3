"""JSON of the command line is what `to_dict` returns and its schema says; chunks as files of every kind."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

import seamline
from harness.json_schema import objections
from seamline.cli.schema import NAMES
from seamline.schema.json_schema import RECORDS, json_schema

GUIDE = "---\nteam: docs\n---\n\n# Guide\n\nHow to send parcels.\n\n## Retries\n\n" + "A delivery is tried again. " * 60


def check(name: str, record: Any) -> None:
    assert not list(objections(json_schema(name), record))


@pytest.mark.parametrize("name", NAMES)
def test_schemas_are_printed(cli, name: str) -> None:
    ended = cli("schema", name)
    assert (ended.code, json.loads(ended.out)) == (0, json_schema(name))


def test_the_names_of_schemas(cli) -> None:
    assert cli("schema").out.split() == list(NAMES) == list(RECORDS)
    assert cli("schema", "nobody").code == 2


def test_lines_of_chunks_are_their_records(cli, write) -> None:
    path = write("guide.md", GUIDE)
    lines = [
        json.loads(line) for line in cli("chunk", "guide.md", "--json", "--derive", "proposition").out.splitlines()
    ]
    chunks = [line for line in lines if "derived" not in line]
    derived = [line for line in lines if "derived" in line]
    assert len(chunks) > 1
    assert derived
    document = seamline.read(path, id="guide.md")
    for line in chunks:
        check("chunk", line)
        assert seamline.Chunk.from_dict(line, document).to_dict() == line
        assert line["meta"] == {"team": "docs"}
    for line in derived:
        check("derived", line)
        assert seamline.Derived.from_dict(line, document).to_dict() == line


def test_output_of_a_search_is_its_record(cli, write) -> None:
    write("guide.md", GUIDE)
    assert cli("index", "guide.md", "--embedder", "hash", "--quiet").code == 0
    found = json.loads(cli("search", "retries", "--json").out)
    check("results", found)
    root, files = found.pop("root"), [hit.pop("file") for hit in found["hits"]]
    assert seamline.Results.from_dict(found).to_dict() == found
    with seamline.open_index(cli.folder / ".seamline") as index:
        results = index.search("retries", k=5)
        assert json.loads(json.dumps(results.to_dict())) == found
        assert (root, files) == (str(cli.folder), [str(cli.folder / "guide.md")] * len(results))
    planned = json.loads(cli("search", "compare retries and parcels", "--adaptive", "-k", "3", "--json").out)
    check("results", planned)
    assert planned["plan"]["k"] == 3
    text = json.loads(cli("context", "retries", "--budget", "300", "--json").out)
    check("context", text)
    assert text.pop("root") == root
    assert {passage.pop("file") for passage in text["passages"]} == set(files)
    assert seamline.ContextText.from_dict(text).to_dict() == text
    assert text["budget"] == 300
    key = results[0].citation.key
    looked_up = json.loads(cli("cite", key, "--json").out)
    check("resolved", looked_up)
    assert (looked_up.pop("root"), looked_up.pop("file")) == (root, files[0])
    assert seamline.Resolved.from_dict(looked_up).to_dict() == looked_up
    assert looked_up["key"] == key


def rows(path: Path) -> list[dict[str, Any]]:
    match path.suffix:
        case ".csv":
            return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))
        case ".parquet":
            parquet = pytest.importorskip("pyarrow.parquet")
            return list(parquet.read_table(path).to_pylist())
    arrow = pytest.importorskip("pyarrow")
    return list(arrow.ipc.open_file(path).read_all().to_pylist())


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".csv", ".CSV"])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_table_holds_what_the_lines_do(cli, write, suffix: str, jobs: str) -> None:
    write("a.md", GUIDE)
    write("b.csv", 'name,said\nAda,"one, ""two"""\n')
    lines = [json.loads(line) for line in cli("chunk", "a.md", "b.csv", "--json").out.splitlines()]
    ended = cli("chunk", "a.md", "b.csv", "--output", f"out{suffix}", "--jobs", jobs)
    assert (ended.code, ended.out) == (0, "")
    path = cli.folder / f"out{suffix}"
    found = rows(path if suffix.islower() else path.rename(cli.folder / "out.csv"))
    assert [(row["id"], row["text"], int(row["tokens"])) for row in found] == [
        (line["id"], line["text"], line["tokens"]) for line in lines
    ]
    assert json.loads(found[0]["context"]) == lines[0]["context"]
    assert json.loads(found[0]["meta"]) == lines[0]["meta"]
    path = found[0]["path"]
    assert (json.loads(path) if isinstance(path, str) else path) == lines[0]["path"]


@pytest.mark.parametrize("start", [*"=+-@'＝＋－＠", "=cmd|'/C calc'!A0 ", '+HYPERLINK("http://x") ', "''="])
def test_no_cell_is_a_formula(cli, write, start: str) -> None:
    name, text = f"{start[0]}a.md", f"{start}1+1 and more.\n"
    write(name, text)
    write("b.md", "Harmless - text = here.\n")
    assert cli("chunk", f"./{name}", "b.md", "--strategy", "structural", "--output", "out.csv").code == 0
    found = rows(cli.folder / "out.csv")
    cells = [cell for row in found for cell in row.values()]
    assert not [cell for cell in cells if cell[:1] in [*"=+-@\t\r\n＝＋－＠"]]
    assert [row["text"].removeprefix("'") for row in found] == [text.strip(), "Harmless - text = here."]
    assert found[1]["text"] == "Harmless - text = here."


def test_a_table_of_a_run_that_fails_is_not_written(cli, write) -> None:
    write("old.parquet", "old")
    ended = cli("chunk", "nowhere.md", "--output", "old.parquet")
    assert ended.code == 1
    assert (cli.folder / "old.parquet").read_text() == "old"
    assert "Traceback" not in ended.err
    assert "Exception" not in ended.err


@pytest.mark.parametrize("name", ["out.xlsx", "out.md", "out.json", "out.jsonl.gz"])
def test_an_unknown_ending_is_refused(cli, write, name: str) -> None:
    write("a.md", GUIDE)
    ended = cli("chunk", "a.md", "--output", name)
    assert ended.code == 2
    assert "--output: expected a name that ends in one of .jsonl, .ndjson, .parquet, .arrow, .csv" in ended.err
    assert not (cli.folder / name).exists()


def test_chunks_of_files_as_a_table(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    (tmp_path / "a.md").write_text(GUIDE)
    batch = seamline.chunk_files([tmp_path / "a.md", tmp_path / "nowhere.md"])
    first = next(batch)
    assert len(first.chunks) > 1
    assert batch.to_arrow().num_rows == 0
    assert [one.path.name for one in batch.failures] == ["nowhere.md"]
    table = seamline.chunk_files([str(tmp_path / "a.md")]).to_arrow()
    assert table["text"].to_pylist() == [chunk.text for chunk in first.chunks]
