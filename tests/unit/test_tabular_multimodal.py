"""What the strategies for tables and pictures tell the engine."""

from __future__ import annotations

from typing import Any

import pytest

import seamline
from seamline.cut.scores.strategies import multimodal
from seamline.errors import ConfigError
from seamline.recipe.recipe import Recipe
from seamline.recipe.strategies import Tabular
from seamline.runtime import Runtime
from seamline.text.captions import caption
from seamline.tokens import load
from seamline.types import Budget, Chunk

SALES = "company,quarter,sales\n" + "".join(
    f"{name},Q{quarter},{quarter * 100}\n" for name in ("Acme", "Bolt", "Cog") for quarter in (1, 2, 3, 4)
)
PARTS = Runtime(load("o200k_base"))


def cut(text: str, media: str, budget: tuple[int, int] = (480, 512), **settings: Any) -> list[Chunk]:
    recipe = Recipe(strategy="tabular", tabular=Tabular(**settings), budget=Budget(*budget))
    return seamline.chunk(text, media_type=media, recipe=recipe)


def test_a_sorted_key_gets_chunks_of_its_own() -> None:
    chunks = cut(SALES, "csv", key="company")
    assert [{line.split(",")[0] for line in chunk.text.splitlines()[1:]} for chunk in chunks] == [
        {"Acme"},
        {"Bolt"},
        {"Cog"},
    ]
    assert all(chunk.text.startswith("company,quarter,sales\n") for chunk in chunks)


def test_rows_of_a_key_that_is_all_over_stay_where_they_are() -> None:
    chunks = cut(SALES, "csv", key="quarter")
    assert len(chunks) == 1


def test_a_key_whose_rows_do_not_all_stand_together_still_says_where_to_cut() -> None:
    text = "name,n\n" + "".join(f"{name},{i}\n" for name in ("ab", "cd", "ab", "ef") for i in range(12))
    chunks = cut(text, "csv", (50, 64), key="name")
    assert [len({line.split(",")[0] for line in chunk.text.splitlines()[1:]}) for chunk in chunks] == [1] * len(chunks)


@pytest.mark.parametrize(
    ("text", "media"),
    [
        (SALES, "csv"),
        ("| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 12, "markdown"),
        ("- item\n\n  | a | b |\n  |---|---|\n" + "  | 1 | 2 |\n" * 12, "markdown"),
        ("[" + ", ".join(['{"a": 1, "b": "x"}'] * 12) + "]", "json"),
    ],
)
def test_no_chunk_has_more_rows_than_asked_for(text: str, media: str) -> None:
    document = seamline.read(text, media_type=media)
    rows = [block.start for block in document.blocks if block.kind == "row"]
    chunks = seamline.chunk(document, recipe=Recipe(strategy="tabular", tabular=Tabular(group=5)))
    sizes = [sum(chunk.start <= row < chunk.end for row in rows) for chunk in chunks]
    header = len(rows) - 12
    assert sizes == [5 + header, 5, 2]


def test_an_unknown_key_names_the_columns() -> None:
    with pytest.raises(ConfigError, match="company, quarter, sales"):
        cut(SALES, "csv", key="profit")
    assert cut("No table here.\n", "markdown", key="profit")


# --- pictures -----------------------------------------------------------------------------------------------------


def kept(text: str, media: str = "markdown") -> list[str]:
    """The first words after each gap that is kept."""
    document = seamline.read(text, media_type=media)
    found = multimodal(document, Recipe(strategy="multimodal"), PARTS).forbidden
    return [document.text[at:].split("\n")[0][:12] for at in sorted(found)]


def test_a_figure_stays_with_its_caption_and_its_introduction() -> None:
    text = "Other words.\n\nThe pump has two parts.\n\n![A pump](pump.png)\n\nFigure 1: The pump.\n\nMore words.\n"
    assert kept(text) == ["![A pump](pu", "Figure 1: Th"]
    assert kept("Intro.\n\n![A](a.png)\n\n*A pump at work*\n\nRest.\n") == ["![A](a.png)", "*A pump at w"]
    assert kept("Words.\n\nTable 2: Pumps\n\n| a |\n|---|\n| 1 |\n\nRest.\n") == ["| a |"]
    assert kept("Plain.\n\n| a |\n|---|\n| 1 |\n\nRest.\n") == []


def test_a_figure_and_its_words_share_a_chunk_where_they_fit() -> None:
    filler = "\n\n".join("Words about other things, and quite a few of them." for _ in range(6))
    text = f"{filler}\n\nThe pump has two parts.\n\n![A pump](pump.png)\n\nFigure 1: The pump.\n\n{filler}\n"
    for target in range(20, 80, 3):
        recipe = Recipe(strategy="multimodal", budget=Budget(target, 96))
        chunks = seamline.chunk(text, recipe=recipe)
        (chunk,) = [chunk for chunk in chunks if "![A pump]" in chunk.render("body")]
        assert "The pump has two parts." in chunk.render("body")
        assert "Figure 1: The pump." in chunk.render("body")


@pytest.mark.parametrize(
    ("text", "kind", "number"),
    [
        ("Figure 3: Parts of a pump", "figure", "3"),
        ("**Tab. 2** Masse der Pumpe", "table", "2"),
        ("Fig. 3a. Detail", "figure", "3A"),
        ("![alt](x.png)\n*Figure 1: Caption*", "figure", "1"),
        ("Tableau 4 : Les pompes", "table", "4"),
        ("Listing 3-1: A loop", "listing", "3-1"),
        ("Table A.1 – Units", "table", "A.1"),
    ],
)
def test_captions(text: str, kind: str, number: str) -> None:
    found = caption(text)
    assert found is not None
    assert (found.kind, found.number) == (kind, number)


@pytest.mark.parametrize(
    "text",
    [
        "Figure 3 shows the pump",
        "Tables are nice",
        "Figure 3 clearly differs",
        "Table 2 .......... 12",
        "Section 3: Pumps",
    ],
)
def test_no_captions(text: str) -> None:
    assert caption(text) is None
