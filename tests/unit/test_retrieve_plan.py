"""Which kind of question a query is, and what is searched for because of it."""

from __future__ import annotations

import pytest

from seamline.search.plan import plan, size_plan, topic


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("Who wrote the recipe parser?", "factoid"),
        ("How many retries does a webhook get?", "factoid"),
        ("When was the limit raised to 512 tokens?", "factoid"),
        ("In which file are the presets?", "factoid"),
        ("Is the limit inclusive?", "factoid"),
        ("Why did the 429 retry fail", "analytical"),
        ("How does the packer choose cuts?", "analytical"),
        ("Explain edit stability", "analytical"),
        ("What are the consequences of a smaller limit?", "analytical"),
        ("difference between fill and optimal", "comparative"),
        ("PostgreSQL vs LanceDB", "comparative"),
        ("Compare the estimate tokenizer with o200k_base.", "comparative"),
        ("Is fill faster than optimal?", "comparative"),
        ("Should I use overlap or shadows?", "comparative"),
        ("How does RRF differ from linear fusion?", "comparative"),
        ("Which packer is better for code, fill or decay?", "comparative"),
        ("Give me an overview of the audit rules", "exploratory"),
        ("Summarize the contract", "exploratory"),
        ("tell me about citations", "exploratory"),
        ("What is the limit and how is it enforced?", "multi-hop"),
        ("Who is the author of the library that reads the front matter?", "multi-hop"),
        ("Where are ids made? What do they derive from?", "multi-hop"),
        ("Which port does the service that makes refunds answer on?", "multi-hop"),
        ("Where was the architect of the east wing born?", "multi-hop"),
        ("webhook retries", "analytical"),
        ("Warum ist der Wiederholungsversuch fehlgeschlagen?", "analytical"),
        ("为什么重试失败", "analytical"),
        ("-", "analytical"),
    ],
)
def test_kinds(query: str, kind: str) -> None:
    made = plan(query)
    assert made.kind == kind, made.reasons
    assert made.reasons
    assert made.queries[0] == query


def test_a_long_question_is_more_than_a_fact() -> None:
    assert plan("What " + "very " * 20 + "long question is this?").kind == "analytical"


def test_a_page_of_text_is_no_question() -> None:
    made = plan("what is the difference between a and b " * 1000)
    assert made.kind == "analytical"
    assert "characters" in made.reasons[0]


@pytest.mark.parametrize(
    ("query", "parts"),
    [
        ("What is the difference between fill and optimal packers?", ("fill packers", "optimal packers")),
        ("Compare the embedded store with PostgreSQL.", ("embedded store", "PostgreSQL")),
        ("PostgreSQL vs. LanceDB for search", ("PostgreSQL", "LanceDB")),
        ("Bolt vs Acme vs. Corel", ("Bolt", "Acme", "Corel")),
        ("Compare the price of Bolt, Acme, Corel, and Dune", ("Bolt", "Acme", "Corel", "Dune")),
        ("compare Halden Systems with Borel Inc and Acme", ("Halden Systems", "Borel Inc", "Acme")),
        ("which is better: fill, decay or optimal?", ("fill", "decay", "optimal")),
        ("differences among Berlin, Paris and Rome in winter", ("Berlin", "Paris", "Rome")),
        ("What is the limit and how is it enforced?", ("What is the limit", "how is it enforced")),
        ("Where are ids made? What do they derive from?", ("Where are ids made", "What do they derive from")),
        (
            "Who is the author of the library that reads the front matter?",
            ("the library that reads the front matter",),
        ),
    ],
)
def test_questions_with_parts_are_taken_apart(query: str, parts: tuple[str, ...]) -> None:
    assert plan(query).queries == (query, *parts)


def test_what_is_asked_of_all_sides_is_known() -> None:
    for query, asked in {
        "Compare the price of Bolt, Acme and Corel": "price",
        "Bolt vs Acme in terms of refunds for lost parcels": "refunds lost parcels",
        "difference between fill and optimal": "",
    }.items():
        assert topic(query, plan(query).sides) == asked


def test_a_fact_wants_few_small_passages_and_an_overview_all_levels() -> None:
    fact, overview = plan("Who wrote it?"), plan("Give me an overview of it")
    assert (fact.mode, overview.mode) == ("leaf", "multi-level")
    assert fact.k < overview.k


@pytest.mark.parametrize(
    ("budget", "average", "k"), [(4000, 400.0, 20), (500, 400.0, 20), (90_000, 100.0, 40), (10, 0, 40)]
)
def test_a_budget_sets_how_many_hits_are_wanted(budget: int, average: float, k: int) -> None:
    made = size_plan(plan("Who wrote it?"), budget, average)
    assert (made.k, made.over) == (k, 1)


def test_a_prompt_is_not_filled_with_whole_sections() -> None:
    assert (plan("Explain it").mode, size_plan(plan("Explain it"), 4000, 400).mode) == ("parents", "leaf")
    assert size_plan(plan("Give me an overview of it"), 4000, 400).mode == "multi-level"


def test_a_plan_can_be_printed() -> None:
    told = plan("Is fill faster than optimal?").to_dict()
    assert told["kind"] == "comparative"
    assert told["queries"] == ["Is fill faster than optimal?", "fill", "optimal"]
