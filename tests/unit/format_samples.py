"""A folder with documents of every format that needs no model to be read."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

from office_files import cell as table_cell
from office_files import cells, docx, odf, p, packed, pptx, row, shape, table, xlsx
from ole_maker import outlook_message
from pdf_maker import PageMaker, pdf

ROOT = Path(__file__).parents[2]
SENTENCES = (
    "The office opens at nine and closes at five.",
    "Deliveries are retried six times over two hours.",
    "A harbour pilot boards every ship that is longer than eighty metres.",
    "Refunds of more than 500 euros need a second signature.",
)
FRONT_MATTER = "---\ntitle: Harbour rules\ntags: [pilots, ships]\nreviewed: 2026-03-01\nowner: {name: Ada}\n---\n"


def make_samples(folder: Path) -> Path:
    """Fills a folder: about ten documents of text formats, as many of binary ones, the handbook, and source code."""
    folder.mkdir()
    text = "\n\n".join(f"{sentence} {other}" for sentence in SENTENCES for other in SENTENCES)
    sections = [(f"Part {number}", sentence) for number, sentence in enumerate(SENTENCES, 1)]
    _write_texts(folder, text, sections)
    _write_binaries(folder, sections)
    for name in ("guide.adoc", "guide.org", "rules.rtf", "manual.xml", "tides.xml"):
        shutil.copy(ROOT / "tests/golden/formats" / name, folder / name)
    (folder / "note.msg").write_bytes(outlook_message({"0037": "Invoice", "0C1A": "Ada", "1000": text}))
    shutil.copytree(ROOT / "examples/handbook", folder / "handbook")
    shutil.copytree(ROOT / "tests/fixtures/code", folder / "code")
    return folder


def _write_texts(folder: Path, text: str, sections: list[tuple[str, str]]) -> None:
    html = "".join(f"<h2 id='s{n}'>{head}</h2><p>{body}</p>" for n, (head, body) in enumerate(sections))
    tex = "".join(f"\\section{{{head}}}\n{body}\n" for head, body in sections)
    rst = "".join(f"{head}\n{'-' * len(head)}\n\n{body}\n\n" for head, body in sections)
    cues = [(f"00:{n:02}:01.000", f"00:{n:02}:09.500", body) for n, (_, body) in enumerate(sections)]
    rows = [{"plan": head, "price": n * 10, "note": body} for n, (head, body) in enumerate(sections)]
    files = {
        "rules.md": FRONT_MATTER + "# Rules\n\n" + "\n\n".join(f"## {head}\n\n{body}" for head, body in sections),
        "page.mdx": "import X from 'x'\n\n# Page\n\n<X>\n\n" + text + "\n\n</X>\n",
        "notes.txt": text,
        "page.html": f"<title>Limits</title><h1>Limits</h1>{html}",
        "paper.tex": f"\\documentclass{{article}}\n\\begin{{document}}\n{tex}\\end{{document}}\n",
        "guide.rst": f"Guide\n=====\n\n{rst}",
        "plans.csv": "plan,price,note\n" + "".join(f'{r["plan"]},{r["price"]},"{r["note"]}"\n' for r in rows),
        "plans.tsv": "plan\tprice\n" + "".join(f"{r['plan']}\t{r['price']}\n" for r in rows),
        "plans.json": json.dumps({"plans": rows}, indent=1),
        "plans.jsonl": "".join(json.dumps(one) + "\n" for one in rows),
        "talk.vtt": "WEBVTT\n\n" + "".join(f"{a} --> {b}\n<v Ann>{body}\n\n" for a, b, body in cues),
        "talk.srt": "".join(
            f"{n}\n{a.replace('.', ',')} --> {b.replace('.', ',')}\n{body}\n\n"
            for n, (a, b, body) in enumerate(cues, 1)
        ),
        "chat.txt": "".join(
            f"[2025-01-0{n + 1} 10:00] {('Ann', 'Bo')[n % 2]}: {body}\n" for n, (_, body) in enumerate(sections)
        ),
        "slack.json": json.dumps(
            [
                {"type": "message", "user": "U1", "ts": f"17{n:08}.000100", "text": body}
                for n, (_, body) in enumerate(sections, 1)
            ]
        ),
        "mail.eml": "From: a@example.org\nTo: b@example.org\nSubject: Invoice\n"
        f"Date: Mon, 6 Jan 2025 10:00:00 +0000\n\n{text}\n",
        "study.ipynb": json.dumps(
            {
                "nbformat": 4,
                "nbformat_minor": 5,
                "metadata": {"language_info": {"name": "python"}},
                "cells": [
                    {"cell_type": "markdown", "metadata": {}, "source": f"# Analysis\n\n{text}"},
                    {"cell_type": "code", "metadata": {}, "source": "x = 1", "outputs": [], "execution_count": 1},
                ],
            }
        ),
    }
    for name, content in files.items():
        (folder / name).write_text(content, encoding="utf-8")


def _write_binaries(folder: Path, sections: list[tuple[str, str]]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    words = "".join(p(head, "Heading1") + p(body) for head, body in sections)
    grid = table(*[row(table_cell(p(head)), table_cell(p(body))) for head, body in sections])
    (folder / "leave.docx").write_bytes(docx(words + grid))
    paragraphs = "".join(f'<text:h text:outline-level="1">{h}</text:h><text:p>{b}</text:p>' for h, b in sections)
    (folder / "leave.odt").write_bytes(odf(paragraphs))
    (folder / "talk.pptx").write_bytes(pptx([shape(head, kind="title") + shape(body) for head, body in sections]))
    sheet = cells(["part", "rule"], *[[head, body] for head, body in sections])
    (folder / "plans.xlsx").write_bytes(xlsx({"Plans": sheet, "Old": sheet}))
    pages = []
    for head, body in sections:
        page = PageMaker()
        page.text(72, 72, head, size=20)
        page.text(72, 110, body)
        pages.append(page)
    (folder / "handbook.pdf").write_bytes(pdf(*pages))
    chapter = "".join(f"<h1>{head}</h1><p>{body}</p>" for head, body in sections)
    (folder / "book.epub").write_bytes(_epub(chapter))
    pq.write_table(pa.table({"part": [h for h, _ in sections], "rule": [b for _, b in sections]}), folder / "p.parquet")
    with sqlite3.connect(folder / "p.sqlite") as database:
        database.execute("create table rules (part text, rule text)")
        database.executemany("insert into rules values (?, ?)", sections)
    database.close()


def _epub(chapter: str) -> bytes:
    page = f'<html xmlns="http://www.w3.org/1999/xhtml"><body>{chapter}</body></html>'
    return packed(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
            '<rootfiles><rootfile full-path="c.opf" media-type="application/oebps-package+xml"/></rootfiles>'
            "</container>",
            "c.opf": '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata '
            'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Book</dc:title></metadata><manifest>'
            '<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>'
            '<spine><itemref idref="a"/></spine></package>',
            "a.xhtml": page,
        }
    )
