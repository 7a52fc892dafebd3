"""Rows as sentences, pivots and summaries of tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

import seamline
from seamline.enrich.tables import pivot, rows_text, table_summary
from seamline.errors import ConfigError
from seamline.facts import Derived
from seamline.recipe.recipe import Recipe
from seamline.recipe.strategies import Tabular
from seamline.tokens import load
from seamline.types import Budget

REVENUE = (
    "company,revenue,quarter,year,margin,region\n"
    "Acme,$4.2M,Q2,2024,31%,North\n"
    "Bolt Systems,$1.1M,Q2,2024,12%,South\n"
    "Acme,$4.0M,Q1,2024,30%,North\n"
    "Cog,($0.2M),Q1,2024,,\n"
)
RETRIES = "# Webhook retries\n\n| Attempt | Delay | Outcome |\n|---|---|---|\n" + "".join(
    f"| {number} | {5 * number} s | {'retried' if number < 40 else 'given up'} |\n" for number in range(1, 41)
)


def told(make: Callable[..., list[Derived]], text: str, media: str, limit: int = 512, **settings: Any) -> list[Derived]:
    recipe = Recipe(strategy="tabular", tabular=Tabular(**settings), budget=Budget(limit, limit))
    document = seamline.read(text, id="doc", media_type=media)
    return make(document, seamline.chunk(document, recipe=recipe), recipe, load(recipe.tokenizer))


def lines(found: Sequence[Derived]) -> list[str]:
    return [line for one in found for line in one.text.splitlines()]


def test_a_row_of_revenue_is_a_sentence() -> None:
    assert lines(told(rows_text, REVENUE, "csv", rows="sentence")) == [
        "Acme's revenue in Q2 2024 was $4.2M, with a margin of 31%. Region: North.",
        "Bolt Systems' revenue in Q2 2024 was $1.1M, with a margin of 12%. Region: South.",
        "Acme's revenue in Q1 2024 was $4.0M, with a margin of 30%. Region: North.",
        "Cog's revenue in Q1 2024 was ($0.2M).",
    ]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("attempt,delay,outcome\n1,5 s,retried\n2,9 s,given up\n", "Attempt 1's delay was 5 s. Outcome: retried."),
        (
            "setting,default,meaning\ntimeout,30 s,Until it fails.\n",
            "timeout's default was 30 s. Meaning: Until it fails.",
        ),
        (
            "date,open,close\n2024-03-01,12.5,13.5\n2024-03-02,13.0,12.0\n",
            "On 2024-03-01, the open was 12.5, with a close of 13.5.",
        ),
        ("product,units_sold,avg_price\nPump,12,3.50\n", "Pump's units sold were 12, with an avg price of 3.50."),
        ("name,role\nAnna,Engineer\nBo,Editor\n", "Anna – role: Engineer."),
        ("week,sales\n12,5\n13,7\n", "In week 12, the sales were 5."),
    ],
)
def test_sentences_follow_the_columns(text: str, sentence: str) -> None:
    assert lines(told(rows_text, text, "csv", rows="sentence"))[0] == sentence


def test_a_template_of_the_users_own() -> None:
    found = told(rows_text, REVENUE, "csv", rows="sentence", template="{Company} earned {revenue} in {quarter}.")
    assert lines(found)[0] == "Acme earned $4.2M in Q2."
    with pytest.raises(ConfigError, match=r"\{profit\}.*company, revenue.*tabular\.template"):
        told(rows_text, REVENUE, "csv", rows="sentence", template="{company}: {profit}")


def test_braces_in_cells_are_text() -> None:
    found = told(rows_text, "a,b\nx,{a}\ny,{0.__class__}\n", "csv", rows="sentence", template="{b} of {a}")
    assert lines(found) == ["{a} of x", "{0.__class__} of y"]


def test_rows_as_records() -> None:
    first = json.loads(lines(told(rows_text, "name,n,ok\nPump,5,true\nTap,7,false\n", "csv", rows="json"))[0])
    assert first == {"name": "Pump", "n": 5, "ok": True}
    assert (
        lines(told(rows_text, REVENUE, "csv", rows="key-value"))[3]
        == "company: Cog; revenue: ($0.2M); quarter: Q1; year: 2024"
    )
    assert lines(told(rows_text, "a,b\n1,x|y\n2,z\n", "csv"))[:3] == ["| a | b |", "| --- | --- |", "| 1 | x\\|y |"]


def test_what_stands_so_already_is_not_written_again() -> None:
    assert told(rows_text, RETRIES, "markdown") == []
    assert told(rows_text, '[{"a": 1}, {"a": 2}]', "json", rows="json") == []


def test_half_a_table_of_retries_has_its_header_and_its_sentences() -> None:
    recipe = Recipe(strategy="tabular", tabular=Tabular(rows="sentence"), budget=Budget(200, 256))
    document = seamline.read(RETRIES, id="doc", media_type="markdown")
    first, *rest = seamline.chunk(document, recipe=recipe)
    assert rest
    for chunk in rest:
        assert "| Attempt | Delay | Outcome |\n|---|---|---|\n| " in chunk.text
    found = rows_text(document, [first, *rest], recipe, load(recipe.tokenizer))
    assert found[-1].of == (rest[-1].id,)
    assert found[-1].text.endswith("Attempt 40's delay was 200 s. Outcome: given up.")


def test_a_pivot_brings_rows_of_a_key_together_wherever_they_stand() -> None:
    found = told(pivot, REVENUE, "csv", limit=100, key="company", rows="key-value")
    acme = found[0]
    assert acme.text.splitlines()[0] == "company: Acme (2 rows)"
    assert [acme.document.text[start:end] for start, end in acme.spans] == [
        "Acme,$4.2M,Q2,2024,31%,North",
        "Acme,$4.0M,Q1,2024,30%,North",
    ]
    assert [one.text.splitlines()[0] for one in found[1:]] == ["company: Bolt Systems (1 row)", "company: Cog (1 row)"]


def test_a_pivot_is_about_all_chunks_that_hold_its_rows() -> None:
    text = "city,visits\n" + "".join(f"{'Ulm' if number % 50 == 0 else 'Bonn'},{number}\n" for number in range(101))
    ulm = told(pivot, text, "csv", limit=128, key="city", rows="key-value")[0]
    assert len(ulm.spans) == len(ulm.of) == 3


def test_a_pivot_that_is_too_long_is_several_under_one_title() -> None:
    text = "city,visits\n" + "".join(f"Ulm,{number}\n" for number in range(100))
    found = told(pivot, text, "csv", limit=64, key="city", rows="key-value")
    assert len(found) > 5
    assert all(one.text.startswith("city: Ulm (100 rows)\n") and one.tokens <= 64 for one in found)
    assert sum(one.text.count("visits: ") for one in found) == 100


def test_a_pivot_without_a_key_says_which_there_are() -> None:
    with pytest.raises(ConfigError, match=r"a pivot needs a key.*company, revenue"):
        told(pivot, REVENUE, "csv")


def test_a_summary_says_what_the_columns_hold() -> None:
    (found,) = told(table_summary, REVENUE, "csv")
    assert found.text.splitlines() == [
        "Table: 4 rows, 6 columns.",
        "- company (text): 3 distinct; most often Acme (2), Bolt Systems (1), Cog (1)",
        "- revenue (number): ($0.2M) to $4.2M; mean $2.27M; median $2.55M",
        "- quarter (text): 2 distinct; most often Q2 (2), Q1 (2)",
        "- year (integer): always 2024",
        "- margin (number): 12% to 31%; mean 24.3%; median 30%; 1 empty",
        "- region (text): 2 distinct; most often North (2), South (1); 1 empty",
    ]
    assert found.spans == (found.document.blocks[0].span,)


def test_units_that_differ_are_not_compared() -> None:
    (found,) = told(table_summary, "| step | wait |\n|---|---|\n| a | 5 s |\n| b | 2 min |\n", "markdown")
    assert "- wait (text): 2 distinct, none twice: 5 s, 2 min" in found.text


def test_a_summary_names_the_caption_or_the_heading() -> None:
    (found,) = told(table_summary, "# Sales\n\nTable 4: Pumps sold\n\n| a | b |\n|---|---|\n| 1 | 2 |\n", "markdown")
    assert found.text.startswith("Table “Table 4: Pumps sold”: 1 row, 2 columns.")
    (found,) = told(table_summary, RETRIES, "markdown")
    assert found.text.startswith("Table “Webhook retries”: 40 rows, 3 columns.")


def test_dates_have_a_range_and_an_ambiguous_column_has_none() -> None:
    (found,) = told(table_summary, "day;price\n2024-03-05;1,234\n2024-01-02;2,500\n", "csv")
    assert "- day (date): 2024-01-02 to 2024-03-05; 2 distinct" in found.text
    assert "mean" not in found.text
