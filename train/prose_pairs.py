"""Pairs from question collections: general prose, as encyclopaedias and help sites write it."""

from __future__ import annotations

import bz2
import gzip
import html
import json
import random
import re
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markup import plain, sentences
from pages import Page, Piece, read

if TYPE_CHECKING:
    from pairs import Mined


def mine(mined: Mined, file: Path, rng: random.Random) -> None:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    for source, group in groupby(rows, key=lambda row: row["source"]):
        listed = list(group)
        if source.startswith("squad"):
            _mine_sentences(mined, listed, source, rng)
        else:
            _mine_passages(mined, listed, source)


def _mine_sentences(mined: Mined, rows: list[dict[str, Any]], source: str, rng: random.Random) -> None:
    """Sentences in the order of their article: two to six of them in a row make a paragraph again."""
    distinct = list(dict.fromkeys(row["passage"] for row in rows))
    number = {}
    at = 0
    while at < len(distinct):
        size = rng.choice((1, 2, 3, 4, 5, 6))
        part = distinct[at : at + size]
        passage = mined.add(f"{source}:{at // 40}", source, "prose", Piece("", " ".join(part), 0, 0))
        number.update(dict.fromkeys(part, passage))
        at += size
    for row in rows:
        mined.ask("question", row["question"], number[row["passage"]])


def _mine_passages(mined: Mined, rows: list[dict[str, Any]], source: str) -> None:
    number: dict[str, int] = {}
    for row in rows:
        text = (
            re.sub(r"\s+([.,;:?!%)])|(\()\s+", r"\1\2", row["passage"]) if source.startswith("nq") else row["passage"]
        )
        kind = "code" if source.startswith("cosqa") else "prose"
        title = (
            row["title"] if source.startswith(("nq", "clapnq", "pubmed")) and row["title"] != row["question"] else ""
        )
        if text not in number:
            number[text] = mined.add(
                f"{source}:{row['title'] or row['question']}", source, kind, Piece(title, text[:2400], 0, 0)
            )
        mined.ask("code-doc" if kind == "code" else "question", row["question"], number[text])


def mine_sentences(mined: Mined, rng: random.Random) -> None:
    """A sentence of each prose passage, for the passage without it."""
    for number, passage in enumerate(mined.passages):
        if passage["source"] != "prose" and passage["repo"] != "wikipedia":
            continue
        body = passage["body"]
        whole = [(a, b) for a, b in sentences(body)[1:] if 8 <= len(body[a:b].split()) <= 40]
        if whole and len(body) >= 400:
            a, b = rng.choice(whole)
            mined.ask("sentence", plain(body[a:b]), number, (a, b))


def wiki_pages(file: Path) -> list[Page]:
    """The articles of a Wikipedia dump (.xml.bz2) as Markdown pages."""
    with bz2.open(file, "rt", encoding="utf-8") as dump:
        text = dump.read()
    out = []
    for title, body in re.findall(r"<title>([^<:]+)</title>.*?<text[^>]*>([^<]*)</text>", text, re.S):
        body = html.unescape(body)
        if len(body) > 2000 and not body.lower().startswith("#redirect"):
            out.append(read("wikipedia", title, "md", f"# {title}\n\n{_from_wiki(body)}"))
    return out


def _from_wiki(text: str) -> str:
    text = re.sub(r"<!--.*?-->|<ref[^>]*/>|<ref.*?</ref>|<math>.*?</math>", "", text, flags=re.S)
    for _ in range(4):
        text = re.sub(r"\{\{[^{}]*\}\}", "", text)
    text = re.sub(r"\{\|(.*?)\n\|\}", _table, text, flags=re.S)
    text = re.sub(
        r"\[\[(?:File|Image|Category):[^\[\]]*(?:\[\[[^\]]*\]\][^\[\]]*)*\]\]|\[\[[a-z-]{2,12}:[^\]]*\]\]", "", text
    )
    text = re.sub(r"\[\[(?:[^|\]]*\|)?([^\]]*)\]\]", r"\1", text)
    text = re.sub(r"\[https?:\S+ ?([^\]]*)\]|'{2,5}|</?\w[^>]*>", r"\1", text)
    text = re.sub(r"^(={2,5})\s*(.*?)\s*=+\s*$", lambda m: f"{'#' * len(m[1])} {m[2]}", text, flags=re.M)
    text = re.split(r"^## (?:See also|References|External links|Notes|Further reading|Bibliography)", text, flags=re.M)[
        0
    ]
    return re.sub(r"\n{3,}", "\n\n", text)


def _table(found: re.Match[str]) -> str:
    rows = []
    for part in re.split(r"\n\|-[^\n]*", found[1])[0:]:
        cells = [
            cell
            for line in re.findall(r"\n[|!](?![-+}])(.*?)(?=\n[|!]|$)", part + "\n", re.S)
            for cell in re.split(r"\|\||!!", line)
        ]
        cells = [" ".join(re.sub(r"^[^|\[]*\|(?!\|)", "", cell).split()) for cell in cells]
        if cells:
            rows.append(cells)
    if len(rows) < 3 or len(rows[0]) < 2:
        return ""
    rows.insert(1, ["---"] * len(rows[0]))
    return "\n\n" + "\n".join("| " + " | ".join(row) + " |" for row in rows) + "\n\n"
