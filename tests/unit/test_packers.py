"""The three packers, each against a slow search that is easy to believe."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import seamline
from seamline.cut.pack import Decay, Goal, Load, Optimal, fill, packer, weight
from seamline.errors import ConfigError
from seamline.recipe.recipe import SCORES, Recipe
from seamline.types import Budget

LIMIT = 40


def load_of(
    sizes: list[int], scores: list[float], forbidden: set[int] | None = None, lead: int = 0, tail: int = 0
) -> Load:
    sums = [0]
    for size in sizes:
        sums.append(sums[-1] + size)
    ends = [0, *[tail] * (len(sizes) - 1), 0]
    return Load(sums, [0, *[lead] * (len(sizes) - 1)], ends, scores, forbidden or set())


@st.composite
def loads(draw: st.DrawFn, most: int = 9) -> Load:
    """Up to nine atoms, each of which fits the limit with whatever opens and closes it."""
    n = draw(st.integers(1, most))
    sizes = draw(st.lists(st.integers(1, LIMIT // 2), min_size=n, max_size=n))
    extra = st.lists(st.integers(0, LIMIT // 4), min_size=n, max_size=n)
    sums = [0]
    for size in sizes:
        sums.append(sums[-1] + size)
    return Load(
        sums,
        draw(st.one_of(st.just([0] * n), extra)),
        [0, *draw(st.one_of(st.just([0] * n), extra))],
        draw(st.lists(st.sampled_from([value / 100 for value in SCORES.values()]), min_size=n, max_size=n)),
        draw(st.sets(st.integers(1, n), max_size=n)) if n > 1 else set(),
    )


goals = st.integers(LIMIT // 4, LIMIT).map(lambda target: Goal(target, LIMIT))


def sizes_of(load: Load, cuts: list[int]) -> list[int]:
    return [load.size(i, j) for i, j in pairwise([0, *cuts, len(load.sums) - 1])]


def cost(load: Load, goal: Goal, cuts: tuple[int, ...] | list[int], balance: float) -> float:
    away = sum(((size - goal.target) / goal.target) ** 2 for size in sizes_of(load, list(cuts)))
    return sum(1 - load.score[cut] for cut in cuts) + balance * away


def feasible(load: Load, goal: Goal) -> list[tuple[int, ...]]:
    """Every way to cut that breaks no rule."""
    gaps = [gap for gap in range(1, len(load.sums) - 1) if gap not in load.forbidden]
    ways = [cuts for r in range(len(gaps) + 1) for cuts in combinations(gaps, r)]
    return [cuts for cuts in ways if max(sizes_of(load, list(cuts))) <= goal.limit]


# --- decay -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("share", "left"), [(0, 100.0), (0.25, 95.6), (0.5, 82.5), (0.75, 60.6), (1, 30.0)])
def test_what_is_left_of_an_h1_over_the_window(share: float, left: float) -> None:
    assert round(SCORES["h1"] * weight(share), 1) == left


def test_a_heading_at_the_far_edge_beats_a_line_break_at_the_target() -> None:
    line, heading = SCORES["line"] / 100, SCORES["h1"] / 100
    load = load_of([100, *[20] * 10, 500], [0, heading, *[line] * 10])
    assert Decay(window=200)(load, Goal(300, 900))[0] == 1
    assert load.size(0, 1) == 100  # exactly one window before the target


def test_a_closer_heading_wins() -> None:
    line, heading = SCORES["line"] / 100, SCORES["h1"] / 100
    scores = [0, heading, *[line] * 10]
    scores[6] = heading
    assert Decay(window=200)(load_of([100, *[20] * 10, 500], scores), Goal(300, 900))[0] == 6


def test_a_lower_heading_near_the_target_wins_over_a_higher_one_far_back() -> None:
    scores = [0, 1.0, *[0.01] * 10]
    scores[10] = SCORES["h6"] / 100  # 50 at a tenth of the window, against 30
    assert Decay(window=200)(load_of([100, *[20] * 10, 500], scores), Goal(300, 900))[0] == 10


def test_beyond_the_window_even_a_heading_does_not_count() -> None:
    load = load_of([99, *[20] * 10, 500], [0, 1.0, *[0.01] * 10])
    assert Decay(window=200)(load, Goal(300, 900))[0] == 11


@given(loads(), goals, st.integers(1, LIMIT), st.sampled_from([0.0, 0.3, 0.7, 1.0]))
def test_decay_takes_the_best_gap_of_every_window(load: Load, goal: Goal, window: int, decay: float) -> None:
    n = len(load.sums) - 1
    cuts = Decay(window, decay)(load, goal)
    for start, cut in pairwise([0, *cuts]):
        values: dict[int, float] = {}
        for gap in range(start + 1, n):
            distance = goal.target - load.size(start, gap)
            if distance < 0:
                break  # closing tokens can make a later chunk the smaller one; the search stops all the same
            if distance <= window and gap not in load.forbidden:
                values[gap] = load.score[gap] * weight(distance / window, decay)
        if values:
            assert cut == max(values, key=lambda gap: (values[gap], -gap))


# --- fill ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sizes", "cuts"),
    [
        ([10, 10, 10], []),  # 30 fits the target
        ([10, 10, 10, 10], [3]),
        ([10, 25, 10], [1, 2]),
        ([35, 10], [1]),  # above the target, within the limit: alone
        ([35, 35], [1]),
        ([5, 5, 35, 5], [2, 3]),
    ],
)
def test_fill_takes_what_fits_the_target(sizes: list[int], cuts: list[int]) -> None:
    assert fill(load_of(sizes, [0.2] * len(sizes)), Goal(30, 40)) == cuts


def test_fill_never_leaves_a_heading_behind() -> None:
    assert fill(load_of([25, 3, 10], [0.2] * 3, forbidden={2}), Goal(30, 40)) == [1]


def test_fill_counts_what_a_chunk_reopens_and_closes() -> None:
    assert fill(load_of([10] * 6, [0.05] * 6), Goal(30, 40)) == [3]
    assert fill(load_of([10] * 6, [0.05] * 6, lead=5, tail=5), Goal(30, 40)) == [2, 4]


# --- optimal ---------------------------------------------------------------------------------------------------------


@given(loads(), goals, st.sampled_from([0.0, 0.25, 1.0, 8.0]))
def test_optimal_finds_the_least_cost_of_all(load: Load, goal: Goal, balance: float) -> None:
    ways = feasible(load, goal)
    cuts = Optimal(balance)(load, goal)
    if ways:
        assert tuple(cuts) in ways
        least = min(cost(load, goal, way, balance) for way in ways)
        assert cost(load, goal, cuts, balance) == pytest.approx(least, abs=1e-9)


def test_optimal_prefers_two_even_chunks_to_a_full_one_and_a_rest() -> None:
    load = load_of([10] * 10, [0.2] * 10)
    assert Optimal()(load, Goal(70, 80)) == [5]
    assert fill(load, Goal(70, 80)) == [7]


def test_optimal_moves_a_cut_to_the_better_seam() -> None:
    scores = [0.2] * 10
    scores[4] = 0.9
    assert Optimal()(load_of([10] * 10, scores), Goal(70, 80)) == [4]


# --- all of them -----------------------------------------------------------------------------------------------------


@given(loads(most=30), goals, st.sampled_from(["fill", "decay", "optimal"]))
def test_no_packer_goes_past_the_limit_or_stands_still(load: Load, goal: Goal, name: str) -> None:
    cuts = packer(name, window=LIMIT // 3)(load, goal)
    assert all(before < cut for before, cut in pairwise([0, *cuts, len(load.sums) - 1]))
    assert max(sizes_of(load, cuts)) <= goal.limit


@given(loads(), goals, st.sampled_from(["fill", "decay", "optimal"]))
def test_a_forbidden_gap_is_cut_only_where_nothing_else_fits(load: Load, goal: Goal, name: str) -> None:
    """Greedy packers may walk into a corner; they leave it by the last gap that fits, and the search by none."""
    cuts = packer(name, window=LIMIT // 3)(load, goal)
    for start, cut in pairwise([0, *cuts]):
        if cut in load.forbidden:
            allowed = [gap for gap in range(start + 1, len(load.sums)) if gap not in load.forbidden]
            reach = [gap for gap in allowed if max(load.size(start, g) for g in range(start + 1, gap + 1)) <= LIMIT]
            assert name != "optimal" or not feasible(load, goal)
            assert name == "optimal" or not reach


def test_an_unknown_packer_is_refused() -> None:
    with pytest.raises(ConfigError, match="expected fill, decay or optimal"):
        packer("greedy")


# --- in a document ---------------------------------------------------------------------------------------------------

SENTENCE = "The ferry waits until the last cart is on board. "
TWO_HEADINGS = f"# Trip\n\n{SENTENCE * 6}\n\n## Near\n\n{SENTENCE * 2}\n\n{SENTENCE * 2}\n\n{SENTENCE * 8}\n"


@pytest.mark.parametrize("name", ["fill", "decay", "optimal"])
def test_every_packer_keeps_a_document_within_its_limit(name: str) -> None:
    recipe = Recipe(budget=Budget(100, 120), packer=name, sections="paragraph")  # type: ignore[arg-type]
    chunks = seamline.chunk(TWO_HEADINGS, recipe=recipe)
    assert len(chunks) > 1
    assert not seamline.audit(chunks, limit=120)


def test_decay_cuts_a_document_at_the_heading_and_fill_at_the_target() -> None:
    recipe = Recipe(budget=Budget(100, 120), packer="decay", sections="paragraph", window=60)
    assert seamline.chunk(TWO_HEADINGS, recipe=recipe)[1].seam == "h2"
    assert seamline.chunk(TWO_HEADINGS, recipe=replace(recipe, packer="fill"))[1].seam == "paragraph"


def test_scores_are_the_users_to_change() -> None:
    recipe = Recipe(
        budget=Budget(100, 120), packer="decay", sections="paragraph", window=60, scores={"h2": 1, "paragraph": 50}
    )
    assert seamline.chunk(TWO_HEADINGS, recipe=recipe)[1].seam == "paragraph"
