"""Conversations, questions with answers, near-duplicates and links: what a search shows of them, on both stores."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from conftest import Warm
from harness.postgres import shared_server
from harness.warm import WarmProcess
from seamline.api.index import Index, open_index
from seamline.index.config import IndexConfig
from seamline.recipe.recipe import Recipe
from seamline.search.hits import Hit
from seamline.search.options import SearchOptions
from seamline.types import Budget
from unit.office_files import pptx, shape

TALK = """WEBVTT

00:00.000 --> 00:06.000
<v Ann>The pump in the cellar hums at night, and nobody in the house can sleep.

00:06.200 --> 00:12.000
<v Bo>A pump that hums has a worn bearing, or the valve behind it is half closed.

00:12.200 --> 00:18.000
<v Cy>I opened the valve yesterday, so I think it is the bearing of the pump.

00:33.000 --> 00:39.000
<v Bo>Then the budget: we have four thousand left, and the roof is not paid yet.

00:39.200 --> 00:45.000
<v Ann>The roof costs three thousand, if the bill is right. I asked the bank to wait.

00:45.200 --> 00:51.000
<v Cy>If the bank waits until June, the rent of the hall covers the bill.

01:06.000 --> 01:12.000
<v Ann>Who brings the music for the party on Saturday? My speakers are broken.

01:12.200 --> 01:18.000
<v Cy>My cousin plays the accordion. She comes to every party that has dancing.

01:18.200 --> 01:24.000
<v Bo>I bring chairs and lamps, and the children make the cake.
"""
SLIDES = [
    shape("The pump", kind="title") + shape("Bearing or valve? It hums at night."),
    shape("Budget", kind="title") + shape("Roof: three thousand. Bank waits until June."),
    shape("Party", kind="title") + shape("Music, accordion, cake on Saturday."),
]
CHAT = """\
12/31/23, 9:45 PM - Anna: The train to Graz is late again, shall we take the bus?
12/31/23, 9:46 PM - Bo Miller: The bus takes two hours. I would rather wait for the train.
12/31/23, 9:47 PM - Anna: Then I get us coffee at the station, the train comes at eleven.
1/1/24, 3:20 PM - Bo Miller: Did you find the invoice of the printer? The tax office asks for it.
1/1/24, 3:21 PM - Anna: The invoice is in the blue folder, together with the one for the paper.
1/1/24, 3:24 PM - Bo Miller: Found it. I send the tax office a copy of the invoice today.
"""
SLACK = json.dumps(
    [
        {"type": "message", "user": "Dana", "text": "the build of the wiki fails", "ts": "1700000000.000100"},
        {"type": "message", "user": "Emil", "text": "it needs Node 22 since Monday", "ts": "1700000060.000100"},
        {"type": "message", "user": "Dana", "text": "with Node 22 the wiki builds again", "ts": "1700000120.000100"},
    ]
)
PAGE = (
    "Before you move the archive to another machine, stop the service, copy the folder with all of its files, and "
    "check that the copy has the same size. Then start the service again and ask it for the last record."
)
FIGURES = "\n\n".join(
    [
        "# Pump station",
        "The drive of the station turns slowly, as Figure 1 shows, and its shaft is made of bronze. " * 5,
        "The hall around it was built in 1911 by the town, and painted green. " * 8,
        "![The drive](drive.png)",
        "Figure 1: Flywheel and gear with the locking pin.",
    ]
)
FAQ = "\n\n".join(
    f"Q: {asked}\n\nA: {answer} " + "More about it stands in the booklet that came with the machine. " * 3
    for asked, answer in (
        ("What does the orange light mean?", "The filter is full."),
        ("Where is the serial number?", "Under the lid, on the silver plate."),
        ("How long is the warranty?", "Three years from the day you bought it."),
    )
)


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgres":
        return shared_server().url(query=f"schema=talks_{uuid4().hex}")
    return str(tmp_path / "index")


@pytest.fixture
def index(place: str) -> Iterator[Index]:
    recipe = Recipe(strategy="auto", enrich=("links",), budget=Budget(120, 160))
    with open_index(place, config=IndexConfig(recipe, "hash")) as made:
        yield made


def best(index: Index, question: str, **options: object) -> Hit:
    settings = SearchOptions(min_score=0.0, whole=0, **options)  # type: ignore[arg-type]
    return index.search(question, options=settings).hits[0]


def test_a_talk_is_found_by_topic_and_cited_by_time(index: Index) -> None:
    index.add("talk.vtt", TALK)
    hit = best(index, "how much does the roof cost")
    assert hit.label() == "talk.vtt 00:00:33-00:00:51"
    assert "pump" not in hit.text
    assert "party" not in hit.text
    assert hit.citations[0].anchor["speakers"] == ["Bo", "Ann", "Cy"]


def test_a_part_of_a_talk_shows_its_slide_and_a_slide_what_was_said(index: Index) -> None:
    index.add("talk.vtt", TALK)
    index.add("talk.pptx", pptx(SLIDES))
    hit = best(index, "how much does the roof cost if the bill is right", links=1)
    assert hit.doc == "talk.vtt"
    assert [one.doc for one in hit.linked] == ["talk.pptx"]
    assert "Bank waits until June" in hit.linked[0].quote
    assert not best(index, "how much does the roof cost if the bill is right").linked
    options = SearchOptions(min_score=0.0, links=1)
    slide = index.search("budget of the roof", where='doc = "talk.pptx"', options=options).hits[0]
    assert [one.label() for one in slide.linked] == ["talk.vtt 00:00:33-00:00:51"]


def test_a_chat_is_found_by_topic_and_cited_by_time(index: Index) -> None:
    index.add("chat.txt", CHAT.encode())
    hit = best(index, "where is the invoice of the printer")
    assert hit.label() == "chat.txt 2024-01-01 15:20 to 15:24"
    assert hit.citations[0].anchor["lines"] == [4, 6]
    assert "train" not in hit.text


def test_an_export_of_a_chat_is_read_by_its_messages(index: Index, tmp_path: Path) -> None:
    (tmp_path / "wiki.json").write_text(SLACK)
    index.add("wiki.json", SLACK.encode(), media_type="chatexport")
    hit = best(index, "which Node does the wiki need")
    assert "Emil: it needs Node 22 since Monday" in hit.text
    assert hit.citations[0].anchor["sent"] == ["2023-11-14T22:13:20+00:00", "2023-11-14T22:15:20+00:00"]


def test_questions_stay_with_their_answers(index: Index) -> None:
    index.add("faq.md", FAQ)
    for question, answer in (("serial number", "silver plate"), ("how long is the warranty", "Three years")):
        hit = best(index, question)
        assert hit.text.startswith("Q: ")
        assert answer in hit.text


def test_a_database_is_a_table(index: Index, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "shop.db") as database:
        database.execute("create table parts (name text, price real)")
        database.executemany("insert into parts values (?, ?)", [("valve", 12.5), ("bearing", 8.0)])
    index.add("shop.db", (tmp_path / "shop.db").read_bytes())
    assert "| valve | 12.5 |" in best(index, "price of the valve", show="source").text


def test_one_word_of_35_makes_no_other_page(index: Index) -> None:
    index.add("a.md", PAGE)
    index.add("b.md", PAGE.replace("folder", "directory"))
    index.add("c.md", "A garden needs water in the morning, when the sun is low and the ground is cold.")
    found = index.search("move the archive to another machine", options=SearchOptions(min_score=0.0))
    docs = {hit.doc: [one.doc for one in hit.duplicates] for hit in found}
    assert sorted([*docs, *docs["a.md" if "a.md" in docs else "b.md"]]) == ["a.md", "b.md", "c.md"]
    assert [len(group) for group in index.stats().duplicates.groups] == [2]
    asked = index.search("copy the directory of the archive", options=SearchOptions(min_score=0.0))
    assert {"a.md", "b.md"} <= {hit.doc for hit in asked}


def test_a_hit_leads_to_the_figure_that_it_names(index: Index) -> None:
    index.add("station.md", FIGURES)
    hit = best(index, "what is the shaft made of bronze", links=2, k=1)
    assert any("locking pin" in one.quote for one in hit.linked)
    assert "locking pin" in hit.text
    found = index.search("drive", where='link_kinds has "figure"', options=SearchOptions(min_score=0.0))
    assert hit.entry.id in {one.entry.id for one in found}


def test_the_command_line_shows_what_a_hit_leads_to(
    tmp_path_factory: pytest.TempPathFactory, server: WarmProcess
) -> None:
    warm = Warm(tmp_path_factory.mktemp("talks"), server)
    (warm.folder / "talk.vtt").write_text(TALK)
    (warm.folder / "talk.pptx").write_bytes(pptx(SLIDES))
    (warm.folder / "chat.txt").write_text(CHAT)
    ended = warm("index", ".", "--embedder", "hash", "--limit", "160", "--target", "120")
    assert ended.code == 0, ended.err
    shown = warm("search", "how much does the roof cost if the bill is right", "--links", "1", "--min-score", "0")
    assert "talk.vtt 00:00:33-00:00:51" in shown.out
    assert "with talk.pptx slide 2" in shown.out, shown.out
    records = warm("search", "invoice of the printer", "--json", "--min-score", "0")
    assert '"2024-01-01T15:20:00"' in records.out
