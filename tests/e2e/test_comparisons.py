"""A comparison of any number of things shows each of them, within the budget, and says which it has nothing about."""

from __future__ import annotations

import json
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

CARRIERS = {"Bolt": 12, "Acme": 9, "Corel": 15, "Dune": 7, "Elan": 21, "Fjord": 18}
FILLER = "The depot opens at six and closes at nine, and drivers hand their keys to the clerk at the gate. "


def page(name: str, price: int) -> str:
    return f"""# {name}

{name} is a carrier with depots in many towns. {FILLER * 4}

## Price

A parcel of two kilograms sent with {name} has a price of {price} euros. {FILLER * 3}

## Refunds

{name} refunds a lost parcel within {price + 3} days. {FILLER * 3}
"""


DOCUMENTS = {
    **{f"{name.lower()}.md": page(name, price) for name, price in CARRIERS.items()},
    # Much about one of them, which would take all places.
    "acme-news.md": "# News of Acme\n\n"
    + "".join(f"## Year {2000 + n}\n\nThe price of Acme was discussed in {2000 + n}. {FILLER}\n\n" for n in range(14)),
}
QUESTIONS = [
    ("Compare the price of {0}, {1} and {2}", "price"),
    ("{0} vs {1} vs {2} price", "price"),
    ("differences between {0}, {1}, and {2} in terms of refunds", "refunds"),
    ("which has better refunds: {0}, {1} or {2}?", "refunds"),
    ("Compare {0} with {1} and {2} regarding price", "price"),
    ("Should I use {0}, {1} or {2} for refunds?", "refunds"),
]


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def index(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder = tmp_path_factory.mktemp("carriers")
    place = str(folder / "index")
    if request.param == "postgres":
        place = shared_server().url(query=f"schema=sides_{uuid4().hex}")
    with open_index(place, config=IndexConfig(Recipe(), "hash")) as made:
        for name, text in DOCUMENTS.items():
            made.add(name, text)
        yield made


def sides() -> list[tuple[str, str, str]]:
    names = [*CARRIERS, *CARRIERS]
    return [(names[n], names[n + 1], names[n + 3]) for n in range(len(CARRIERS))]


def test_all_sides_are_shown_within_a_thousand_tokens(index: Index) -> None:
    missed, off_topic, asked = [], 0, 0
    for wording, about in QUESTIONS:
        for three in sides():
            question = wording.format(*three)
            made = index.context(question, budget=1000)
            assert made.tokens <= 1000
            asked += 1
            missed += [(question, name) for name in three if f"{name} " not in made.text]
            fact = {name: f"a price of {CARRIERS[name]}" for name in three}
            if about == "refunds":
                fact = {name: f"{name} refunds a lost parcel" for name in three}
            off_topic += any(fact[name] not in made.text for name in three)
            assert "side-missing" not in {notice.code for notice in made.notices}
    assert not missed
    assert off_topic <= 0.05 * asked


def test_sides_are_aligned_by_their_heading(index: Index) -> None:
    found = index.search("Compare Bolt, Dune and Elan by refunds", adaptive=True)
    assert [hit.path[-1] for hit in found if hit.why.side] == ["Refunds"] * 3


def test_a_search_shows_each_side_first(index: Index) -> None:
    found = index.search("Compare the price of Bolt, Acme and Corel", k=5, adaptive=True)
    assert [hit.why.side for hit in found[:3]] == ["Bolt", "Acme", "Corel"]
    assert [any(name in hit.text for hit in found[:3]) for name in ("Bolt", "Acme", "Corel")] == [True] * 3
    assert len(found) == 5
    assert not any(hit.why.side for hit in found[3:])


def test_a_side_that_nothing_is_about_is_named(index: Index) -> None:
    found = index.search("Bolt vs Zephyr vs Corel", adaptive=True)
    (notice,) = (one for one in found.notices if one.code == "side-missing")
    assert notice.message == "nothing about `Zephyr` was found to compare"
    made = index.context("Compare Bolt, Zephyr and Quill", budget=800)
    (notice,) = (one for one in made.notices if one.code == "side-missing")
    assert "`Zephyr`, `Quill`" in notice.message
    assert "Bolt" in made.text


def test_a_passage_about_all_sides_is_shown_once() -> None:
    with open_index("memory:", config=IndexConfig(Recipe(), "hash")) as made:
        made.add("both.md", "# Carriers\n\nBolt is cheaper than Acme, and Corel is cheaper than both.\n")
        found = made.search("compare Bolt, Acme and Corel", adaptive=True)
        assert [hit.why.side for hit in found] == ["Bolt, Acme, Corel"]
        assert not [notice for notice in found.notices if notice.code == "side-missing"]


def test_on_the_command_line(tmp_path: Path, server: WarmProcess) -> None:
    warm = Warm(tmp_path, server)
    for name, text in DOCUMENTS.items():
        (tmp_path / name).write_text(text)
    assert warm("index", ".", "--embedder", "hash").code == 0
    ended = warm("search", "Bolt vs Acme vs Zephyr", "--adaptive", "--explain")
    assert 'stands for: "Bolt"' in ended.out
    assert "notice: nothing about `Zephyr` was found to compare" in ended.err
    made = json.loads(
        warm("context", "compare the price of Bolt, Dune, Elan and Fjord", "--budget", "600", "--json").out
    )
    assert made["tokens"] <= 600
    assert all(f"a price of {CARRIERS[name]}" in made["text"] for name in ("Bolt", "Dune", "Elan", "Fjord"))
