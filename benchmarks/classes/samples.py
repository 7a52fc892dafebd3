"""Labelled documents: real ones of the shared data, conversations of `benchmarks.conversations`, tables made here, and
written ones. Every second document of a label, in a fixed random order, is for choosing rules; the others judge them.
Posts of a blog are left out: half of them are manuals, half are news, and one would have to read each."""

from __future__ import annotations

import json
import random
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import seamline
from benchmarks.classes.written import WRITTEN
from benchmarks.common import markdown, need, prose
from benchmarks.conversations.make import conversations
from seamline.types import Document

SEED = 20261118
DRAWN = 20261119
"""Which pages, sources and books are taken: others than those that the rules were first judged on."""
HALVES = ("dev", "test")


class Labelled(NamedTuple):
    label: str
    document: Document
    source: bytes
    """As it was read; documents of one index are added as bytes."""
    question: str = ""
    """Written for it; empty where one is made of its words."""
    answer: str = ""


def labelled(data: Path, half: str) -> list[Labelled]:
    """The documents of a half."""
    by_label: dict[str, list[Labelled]] = {}
    for one in _all(data):
        by_label.setdefault(one.label, []).append(one)
    out = []
    for label, some in sorted(by_label.items()):
        random.Random(f"{SEED} {label}").shuffle(some)
        out += some[HALVES.index(half) :: 2]
    return out


def _all(data: Path) -> Iterator[Labelled]:
    chance = random.Random(DRAWN)
    yield from _written()
    pages = [one for one in markdown(data) if len(one.text) > 1500 and "/blog/" not in one.path]
    for one in chance.sample(pages, 28):
        yield _text("technical docs", one.text, one.path)
    files = need(data / "documents")
    for path in sorted((files / "rst").glob("*.rst")):
        yield _file("technical docs", path)
    with (data / "code.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    for row in chance.sample([row for row in rows if len(row["text"]) > 800], 22):
        yield _text("code", row["text"], row["path"])
    yield from _prose(data, chance)
    yield from _papers(files)
    yield from _tables(files)
    for path in sorted((files / "vtt").glob("*.vtt")):
        yield _file("conversation", path)
    for talk in conversations(data, "dev", 2) + conversations(data, "test", 2)[:20]:
        yield Labelled("conversation", talk.document, talk.source)
    for path in sorted((files / "pptx").glob("*.pptx")):
        yield _file("multimodal", path)


def _file(label: str, path: Path) -> Labelled:
    return Labelled(label, seamline.read(path, id=path.name), path.read_bytes())


def _text(label: str, text: str, name: str) -> Labelled:
    """A text as it is read from a file of that name: its format is found by name and content."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name.rpartition("/")[2]
        path.write_text(text, "utf-8", newline="")
        return Labelled(label, seamline.read(path, id=name), path.read_bytes())


def _written() -> Iterator[Labelled]:
    for number, one in enumerate(WRITTEN):
        made = _text(one.label, one.text, f"written-{number}.{one.suffix}")
        yield made._replace(question=one.question, answer=one.answer)


def _prose(data: Path, chance: random.Random) -> Iterator[Labelled]:
    """Runs of paragraphs of books, and texts of the sentence corpus in several languages."""
    for book in prose(data):
        paragraphs = [part for part in book.text.split("\n\n") if len(part) > 200]
        for number in range(3):
            at = chance.randrange(max(1, len(paragraphs) - 12))
            text = "\n\n".join(paragraphs[at : at + 12])
            yield _text("prose", text, f"{book.path}-{number}.txt")
    with (data / "ud_sentences.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    for number, row in enumerate(chance.sample([row for row in rows if len(row["text"]) > 600], 10)):
        yield _text("prose", row["text"], f"ud-{number}.txt")


def _papers(files: Path) -> Iterator[Labelled]:
    for name in ("introduction", "background", "model_architecture", "training", "results", "why_self_attention"):
        yield _file("paper", files / "latex" / "1706.03762" / f"{name}.tex")
    for path in sorted((files / "latex" / "openlogic").glob("*.tex")):
        yield _file("paper", path)
    yield _file("paper", files / "pdf" / "2305.03393v1-pg9.pdf")
    yield _file("prose", files / "pdf" / "pdflatex-4-pages.pdf")


def _tables(files: Path) -> Iterator[Labelled]:
    for path in (*sorted((files / "csv").glob("*.csv")), *sorted((files / "xlsx").glob("*.xlsx"))):
        yield _file("table", path)
    chance = random.Random(SEED)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("shop", "fleet", "lab", "school"):
            path = Path(folder) / f"{name}.db"
            with sqlite3.connect(path) as database:
                database.execute("create table things (id integer, name text, amount real)")
                database.execute("create table notes (thing integer, note text)")
                rows = [
                    (n, f"{name} {chance.randrange(100)}", chance.random() * 100)
                    for n in range(chance.randrange(3, 60))
                ]
                database.executemany("insert into things values (?, ?, ?)", rows)
                database.executemany(
                    "insert into notes values (?, ?)", [(n, f"checked by {n % 7}") for n, _, _ in rows]
                )
            yield _file("table", path)
    for name in ("orders", "sensors", "roster"):
        rows = [f"| {name}-{n} | {chance.randrange(1000)} | {chance.choice(['open', 'closed'])} |" for n in range(25)]
        text = f"# {name.title()}\n\n| key | value | state |\n|---|---|---|\n" + "\n".join(rows) + "\n"
        yield _text("table", text, f"{name}.md")
        records = [{"key": f"{name}-{n}", "value": chance.randrange(1000)} for n in range(25)]
        yield _text("table", json.dumps(records, indent=1), f"{name}.json")
