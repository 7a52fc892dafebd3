"""Documents of many formats through the commands: chunks say where they came from, one bad file stops nothing."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

HTML = "<title>Limits</title><h1>Limits</h1><h2 id='rate'>Rate</h2><p>Ten calls each second.</p>"
TEX = "\\documentclass{article}\n\\begin{document}\n\\section{Orchard}\nApples grow here.\n\\end{document}\n"
RST = "Guide\n=====\n\nSteps\n-----\n\nWater the plants.\n"
CSV = "plan,price\nStarter,9\nTeam,29\n"
VTT = "WEBVTT\n\n00:01.000 --> 00:04.000\n<v Ann>The meeting is open.\n\n00:05.000 --> 00:07.000\n<v Bob>Thank you.\n"
CODE = "import os\n\n\nclass Parser:\n    def parse(self, text):\n        return os.path.join(text)\n"
MAIL = (
    "From: a@example.org\nTo: b@example.org\nSubject: Invoice\nDate: Mon, 6 Jan 2025 10:00:00 +0000\n\nPlease pay it.\n"
)
NOTEBOOK = {
    "nbformat": 4,
    "nbformat_minor": 5,
    "metadata": {"language_info": {"name": "python"}},
    "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": "# Analysis\n\nWhat was measured."},
        {"cell_type": "code", "metadata": {}, "source": "x = 1", "outputs": [], "execution_count": 1},
    ],
}
WORD = (
    '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
    "<w:p><w:r><w:t>Holidays are paid.</w:t></w:r></w:p></w:body></w:document>"
)


def pdf(*lines: str) -> bytes:
    """A page with these lines, 20 points under each other."""
    shown = "".join(f"BT /F 12 Tf 72 {720 - 20 * n} Td ({line}) Tj ET\n" for n, line in enumerate(lines))
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>",
        f"<</Length {len(shown)}>>stream\n{shown}endstream",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    out, places = "%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = f"trailer<</Size 6/Root 1 0 R>>\nstartxref\n{len(out)}\n%%EOF"
    return f"{out}xref\n0 6\n0000000000 65535 f \n{table}{end}".encode()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "docs"
    made.mkdir()
    texts = {
        "page.html": HTML, "paper.tex": TEX, "guide.rst": RST, "plans.csv": CSV, "talk.vtt": VTT, "tool.py": CODE,
        "mail.eml": MAIL, "study.ipynb": json.dumps(NOTEBOOK),
    }  # fmt: skip
    for name, text in texts.items():
        (made / name).write_text(text)
    (made / "handbook.pdf").write_bytes(pdf("The office opens at nine.", "It closes at five."))
    with zipfile.ZipFile(made / "leave.docx", "w") as archive:
        archive.writestr("word/document.xml", WORD)
    return made


PLACES = {
    "page.html": {"element": "rate", "lines": [1, 1]},
    "paper.tex": {"lines": [3, 4]},
    "guide.rst": {"breadcrumb": "Guide > Steps"},
    "plans.csv": {"records": [1, 2], "kind": "table"},
    "talk.vtt": {"time": [1.0, 7.0], "speakers": ["Ann", "Bob"]},
    "tool.py": {"lines": [1, 6]},
    "mail.eml": {"title": "Invoice"},
    "study.ipynb": {"title": "Analysis"},
    "handbook.pdf": {"pages": [1, 1]},
    "leave.docx": {"paragraph": "body/p[1]"},
}


def test_every_chunk_says_where_it_came_from(cli, folder: Path) -> None:
    ended = cli("chunk", "docs", "--json")
    assert ended.code == 0, ended.err
    last = {}
    for record in map(json.loads, ended.out.splitlines()):
        last[Path(record["doc"]).name] = record
    assert last.keys() == PLACES.keys()
    for name, place in PLACES.items():
        assert {key: last[name].get(key) for key in place} == place, name
    (box,) = last["handbook.pdf"]["boxes"]
    assert box[0] == 1
    assert 70 <= box[1] < box[3] <= 250
    assert 55 <= box[2] < box[4] <= 100


def test_chunks_of_all_formats_pass_the_audit(cli, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "chunks.jsonl").write_text(cli("chunk", "docs", "--json", "--limit", "64").out)
    ended = cli("audit", "chunks.jsonl", "--limit", "64")
    assert ended.code == 0, ended.out + ended.err


def test_one_bad_file_of_a_kind_stops_nothing(cli, folder: Path) -> None:
    (folder / "bad.pdf").write_bytes(b"%PDF-1.4\nnothing")
    (folder / "bad.docx").write_bytes(b"PK\x03\x04 cut off")
    (folder / "wrong.xlsx").write_text("plain words")
    ended = cli("chunk", "docs", "--json")
    assert ended.code == 1
    assert len({json.loads(line)["doc"] for line in ended.out.splitlines()}) == len(PLACES)
    assert sum(line.startswith("seamline: error: docs/") for line in ended.lines) == 3
    assert "3 of 13 inputs failed" in ended.err
    assert "Traceback" not in ended.err


def test_an_index_of_all_formats_cites_pages_times_and_rows(warm, folder: Path) -> None:
    assert warm("index", "docs", "--embedder", "hash").code == 0
    for question, label in (
        ("office opens at nine", "docs/handbook.pdf p. 1"),
        ("meeting is open", "docs/talk.vtt 00:00:01-00:00:07"),
        ("holidays are paid", "docs/leave.docx ¶ body/p[1]"),
        ("ten calls each second", "docs/page.html:1\n      § Limits > Rate"),
    ):
        assert label in warm("search", question, "-k", "1").out
    again = warm("index", "docs", "--json")
    assert json.loads(again.out)["embedded"] == 0


def test_a_missing_extra_names_what_to_install(cli, folder: Path, tmp_path: Path) -> None:
    """A package that shadows the real one, and is not there."""
    (tmp_path / "shadow").mkdir()
    (tmp_path / "shadow/pypdfium2.py").write_text("raise ModuleNotFoundError('no', name='pypdfium2')")
    paths = f"{tmp_path / 'shadow'}:{cli.env['PYTHONPATH']}"
    ended = cli("chunk", "docs/handbook.pdf", "docs/plans.csv", "--json", env={"PYTHONPATH": paths})
    assert ended.code == 1
    assert "pip install 'seamline[pdf]'" in ended.err
    assert json.loads(ended.out)["kind"] == "table"
