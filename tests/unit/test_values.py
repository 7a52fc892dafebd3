"""Values behave as values: they pickle, copy, hash and compare, and their records are read back as they were."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
from office_files import cell, cells, docx, p, pptx, row, shape, table, xlsx
from pdf_maker import PageMaker, pdf

import seamline
from harness.json_schema import objections
from seamline.errors import ConfigError
from seamline.recipe.recipe import FACTS, Recipe
from seamline.schema.json_schema import RECORDS, json_schema
from seamline.types import Document

ROOT = Path(__file__).parents[2]
PAGE = "---\ntitle: Lamps\ntags: [oil, wick]\ndate: 2024-01-31\n---\n\n# Oil\n\n" + "Acme trims the wick daily. " * 40
SOURCES: dict[str, tuple[str, str]] = {
    "page.md": (PAGE, "text/markdown"),
    "page.mdx": ("import A from 'a'\n\n# Oil\n\n<A>\n\nTrim it.\n\n</A>\n", "text/mdx"),
    "list.md": ("1. one\n2. two\n\n```py\nx = 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n", "text/markdown"),
    "f.py": (
        "import os\n\n\nclass A:\n    def f(self):\n        return os.path.join('a', self.g())\n",
        "text/x-python",
    ),
    "f.js": ("import {a} from 'b';\n\nexport function f(x) {\n  if (x) { return a(x); }\n}\n", "text/javascript"),
    "t.csv": ("name,age\nAda,36\nGrace,85\n", "text/csv"),
    "t.tsv": ("name\tage\nAda\t36\n", "text/tab-separated-values"),
    "r.json": ('[{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]', "application/json"),
    "r.jsonl": ('{"a": 1}\n{"a": 2}\n', "application/jsonl"),
    "s.vtt": ("WEBVTT\n\n00:01.000 --> 00:04.000\n<v Ada>Hello there.\n\n00:09.000 --> 00:12.000\nBye.\n", "text/vtt"),
    "s.srt": ("1\n00:00:01,000 --> 00:00:04,000\nHello there.\n", "application/x-subrip"),
    "p.html": ("<html><title>T</title><body><h1 id=a>Oil</h1><p>Trim it.</p></body></html>", "text/html"),
    "p.tex": ("\\documentclass{article}\n\\begin{document}\n\\section{Oil}\nTrim it.\n\\end{document}\n", "text/x-tex"),
    "p.rst": ("Oil\n===\n\nTrim it.\n\n.. note:: Daily.\n", "text/x-rst"),
    "n.txt": ("Plain text.\n\nMore of it.\n", "text/plain"),
    "m.eml": (
        "From: a@b.c\nTo: d@e.f\nSubject: Oil\nDate: Mon, 1 Jan 2024 00:00:00 +0000\n\nTrim it.\n",
        "message/rfc822",
    ),
}


def documents() -> Iterator[Document]:
    for name, (text, media_type) in SOURCES.items():
        yield seamline.read(text.encode(), filename=name, media_type=media_type)


@pytest.fixture(params=list(SOURCES))
def document(request: pytest.FixtureRequest) -> Document:
    text, media_type = SOURCES[request.param]
    return seamline.read(text.encode(), filename=request.param, media_type=media_type)


def copies(value: Any) -> list[Any]:
    return [pickle.loads(pickle.dumps(value)), copy.deepcopy(value)]


def through_json(record: Any) -> Any:
    return json.loads(json.dumps(record))


def check_schema(name: str, record: Any) -> None:
    assert not list(objections(json_schema(name), through_json(record)))


def binaries() -> dict[str, bytes]:
    page = PageMaker()
    page.text(72, 72, "Trim the wick daily.")
    return {
        "application/pdf": pdf(page),
        "docx": docx(p("Oil", "Heading1") + p("Trim it.") + table(row(cell(p("a")), cell(p("b"))))),
        "pptx": pptx([shape("Oil", kind="title") + shape("Trim it.")]),
        "xlsx": xlsx({"Parts": cells(["name", "price"], ["pump", 3], ["valve", 4])}),
    }


@pytest.mark.parametrize("kind", list(binaries()))
def test_extracted_text_with_its_places_round_trips(kind: str) -> None:
    document = seamline.read(binaries()[kind])
    assert document.anchors
    record = document.to_dict()
    check_schema("document", record)
    again = Document.from_dict(through_json(record))
    assert again == document == pickle.loads(pickle.dumps(document))
    for chunk in seamline.chunk(document):
        check_schema("chunk", chunk.to_dict())
        assert seamline.Chunk.from_dict(through_json(chunk.to_dict()), again) == chunk


def test_documents_are_values(document: Document) -> None:
    document.line_starts  # noqa: B018 - what was worked out does not count
    for other in copies(document):
        assert other == document
        assert hash(other) == hash(document)
    assert "line_starts" not in pickle.loads(pickle.dumps(document)).__dict__


def test_documents_round_trip(document: Document) -> None:
    record = document.to_dict()
    check_schema("document", record)
    assert Document.from_dict(through_json(record)) == document
    assert record["meta"] == document.meta == document.front_matter


@pytest.mark.parametrize("recipe", [Recipe(), Recipe(enrich=FACTS), Recipe(strategy="hierarchical")])
def test_chunks_are_values_and_round_trip(document: Document, recipe: Recipe) -> None:
    chunks = seamline.chunk(document, recipe=recipe, limit=64)
    again = Document.from_dict(through_json(document.to_dict()))
    for chunk in chunks:
        for other in copies(chunk):
            assert (other, hash(other), other.id, other.next) == (chunk, hash(chunk), chunk.id, chunk.next)
        record = chunk.to_dict()
        check_schema("chunk", record)
        back = seamline.Chunk.from_dict(through_json(record), again)
        assert back == chunk
        assert back.to_dict() == record
        assert (back.id, back.previous, back.next, back.text) == (chunk.id, chunk.previous, chunk.next, chunk.text)
        assert hash(back) == hash(chunk)
    assert len(set(chunks)) == len(chunks)


def test_chunks_with_overlap_round_trip() -> None:
    for chunk in seamline.chunk(seamline.read(PAGE, id="x"), limit=64, overlap="shadows"):
        assert seamline.Chunk.from_dict(through_json(chunk.to_dict()), chunk.document) == chunk


def test_front_matter_is_the_meta_of_a_record() -> None:
    record = seamline.chunk(seamline.read(PAGE, id="x"))[0].to_dict()
    assert record["meta"] == {"title": "Lamps", "tags": ["oil", "wick"], "date": "2024-01-31"}
    assert "meta" not in seamline.chunk("No front matter.\n")[0].to_dict()


def test_a_record_of_another_text_is_refused() -> None:
    chunk = seamline.chunk(seamline.read("One.\n", id="x"))[0]
    with pytest.raises(ConfigError, match="of another"):
        seamline.Chunk.from_dict(chunk.to_dict(), seamline.read("Two.\n", id="x"))
    with pytest.raises(ConfigError, match="of y"):
        seamline.Chunk.from_dict({**chunk.to_dict(), "doc": "y"}, chunk.document)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"text": 3}, r"expected a string, got 3 - at `\$\.text`"),
        ({"blocks": [{"kind": "x", "start": 0}]}, r"expected the key 'end'.* - at `\$\.blocks\[0\]`"),
        ({"source": []}, r"expected an object, got \[\] - at `\$\.source`"),
        ({"removed": [[1]]}, r"expected an array of 2, got \[1\] - at `\$\.removed\[0\]`"),
    ],
)
def test_what_is_wrong_with_a_record_is_said_with_its_place(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Document.from_dict({**seamline.read("One.\n", id="x").to_dict(), **change})


def test_derived_texts_are_values_and_round_trip() -> None:
    chunks = seamline.chunk(seamline.read("Acme was founded in 1998 and bought by Corelight in 2005.\n", id="x"))
    claims = seamline.derive(chunks, kinds=["proposition"])
    assert claims
    for claim in claims:
        check_schema("derived", claim.to_dict())
        assert seamline.Derived.from_dict(through_json(claim.to_dict()), chunks[0].document) == claim
        for other in copies(claim):
            assert (other, hash(other)) == (claim, hash(claim))


def test_a_pool_of_processes_cuts_files(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("page.md", "f.py", "t.csv")]
    for path in paths:
        path.write_text(SOURCES[path.name][0])
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        found = list(pool.map(seamline.chunk, paths))
    assert found == [seamline.chunk(path) for path in paths]
    assert found[0][0].document is found[0][-1].document


# --- schemas ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(RECORDS))
def test_every_schema_has_a_version_and_says_what_it_is(name: str) -> None:
    schema = json_schema(name)
    assert schema["$id"] == f"urn:seamline:schema:{name}:1"
    assert schema["description"]
    assert set(schema["required"]) <= set(schema["properties"])


def test_a_schema_sees_what_is_wrong() -> None:
    record = through_json(seamline.chunk("# A\n\nText.\n")[0].to_dict())
    schema = json_schema("chunk")
    assert not list(objections(schema, record))
    assert list(objections(schema, {**record, "tokens": "six"}))
    assert list(objections(schema, {**record, "context": [{"role": "heading"}]}))
    del record["id"]
    assert list(objections(schema, record))
