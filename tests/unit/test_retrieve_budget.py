"""Budgets, and which texts fill them."""

from __future__ import annotations

import pytest

from seamline.errors import BudgetError
from seamline.search.prompt.budget import ContextWindow, Form, FormChoice, knapsack, pack


def test_what_is_left_for_passages() -> None:
    assert ContextWindow(context=8000, system=1200, query=50, reserve=1000).budget == 5750


@pytest.mark.parametrize(
    "room",
    [
        ContextWindow(100, system=60, reserve=40),
        ContextWindow(10, system=20),
        ContextWindow(100, query=-1),
        ContextWindow(0),
    ],
)
def test_no_room_is_an_error(room: ContextWindow) -> None:
    with pytest.raises(BudgetError, match="context > system"):
        _ = room.budget


def whole(*sizes: tuple[float, int]) -> list[list[Form]]:
    return [[Form(worth, tokens)] for worth, tokens in sizes]


def test_greedy_takes_what_comes_first_and_fits() -> None:
    candidates = whole((0.9, 70), (0.8, 50), (0.7, 30))
    assert pack(candidates, 100) == [FormChoice(0, 0), FormChoice(2, 0)]


def test_greedy_takes_a_summary_where_the_text_does_not_fit() -> None:
    candidates = [[Form(0.9, 70), Form(0.4, 10)], [Form(0.8, 50), Form(0.3, 20)]]
    assert pack(candidates, 100) == [FormChoice(0, 0), FormChoice(1, 1)]


def test_exact_beats_greedy_where_the_first_is_large() -> None:
    candidates = whole((0.9, 100), (0.6, 50), (0.6, 50))
    assert pack(candidates, 100, "greedy") == [FormChoice(0, 0)]
    assert pack(candidates, 100, "exact") == [FormChoice(1, 0), FormChoice(2, 0)]


def test_exact_weighs_texts_against_summaries() -> None:
    candidates = [[Form(1.0, 90), Form(0.5, 20)], [Form(0.9, 80), Form(0.45, 20)]]
    assert knapsack(candidates, 100) == [FormChoice(0, 1), FormChoice(1, 0)]
    assert knapsack(candidates, 110) == [FormChoice(0, 0), FormChoice(1, 1)]
    assert knapsack(candidates, 170) == [FormChoice(0, 0), FormChoice(1, 0)]


def test_nothing_is_taken_where_nothing_fits() -> None:
    assert knapsack(whole((1.0, 50)), 49) == []
    assert pack(whole((1.0, 50)), 49) == []
    assert knapsack([], 49) == []


def test_a_budget_far_beyond_the_candidates_costs_nothing() -> None:
    assert knapsack(whole((1.0, 5), (0.5, 5)), 10**12) == [FormChoice(0, 0), FormChoice(1, 0)]


def test_some_hundred_candidates_are_solved_exactly() -> None:
    # Equal worth per token and no common divisor with the budget: only an exact search fills it to the last token.
    candidates = whole(*((float(size), size) for size in (range(101, 401, 2))))
    taken = knapsack(candidates, 4096)
    assert sum(candidates[c.candidate][c.form].tokens for c in taken) == 4096
