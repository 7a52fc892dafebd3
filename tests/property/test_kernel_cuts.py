"""Kernels of the cutter held against their references in Python: sentences and cuts of least cost."""

from __future__ import annotations

from itertools import accumulate

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fuzz.pieces import HALF_CHARACTER, LETTERS, ODD_LETTERS, SENTENCES
from seamline.cut.pack import Goal, Load, Optimal
from seamline.text.sentences import SHORT, TITLES, Candidates, possible_starts

native = pytest.importorskip("seamline._native", reason="the kernels were not built: pip install -e . with a compiler")

# --- sentences -------------------------------------------------------------------------------------------------------

PIECES = (HALF_CHARACTER, *SENTENCES, *(f"{word}. " for word in sorted(TITLES | SHORT)), *LETTERS, *ODD_LETTERS)
PROSE = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


def gaps(text: str, start: int, end: int) -> Candidates:
    ((starts, asked),) = native.sentence_gaps(text, ((start, end),), TITLES, SHORT)
    return starts, asked


@given(PROSE | st.text(), st.data())
@settings(max_examples=400, deadline=None)
def test_possible_starts_are_those_of_python(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    assert gaps(text, start, end) == possible_starts(text, start, end)
    assert gaps(text, 0, len(text)) == possible_starts(text, 0, len(text))


def test_code_points_are_of_the_class_that_python_puts_them_in() -> None:
    """Marks, quotes, letters, digits and white space of all scripts: every point where they are, some of all others."""
    points = [
        chr(point) for first, last in ((0, 0x700), (0x1F00, 0x3100), (0xFE00, 0xFFFF)) for point in range(first, last)
    ]
    points += [chr(point) for point in range(0x700, 0x110000, 211)]
    for form in ("a. {0}b", "a.{0} B", "漢{0}字", "x{0}. B", "a.{0}漢", "A. {0}. b", "1{0}. b", "`{0}. B` c. D"):
        text = "\n\n".join(form.format(point) for point in points)
        assert gaps(text, 0, len(text)) == possible_starts(text, 0, len(text))


def test_ranges_beyond_the_text_end_with_it() -> None:
    assert gaps("One. Two.", -3, 99) == gaps("One. Two.", 0, 9) == ([5], [])
    assert gaps("One. Two.", 7, 2) == ([], [])


# --- packer ----------------------------------------------------------------------------------------------------------


@st.composite
def loads(draw: st.DrawFn) -> tuple[Load, Goal]:
    """Loads as the engine makes them, and some that it does not: atoms above the limit, closes that do not fit."""
    n = draw(st.integers(0, 40))
    size = draw(st.sampled_from([1, 8, 60, 10**6]))
    numbers = st.lists(st.integers(0, size), min_size=n, max_size=n)
    scores = st.floats(0, 1) | st.sampled_from([0.0, 0.05, 0.2, 0.5, 1.0, float("nan")])
    load = Load(
        list(accumulate(draw(numbers), initial=0)),
        draw(st.just([0] * n) | numbers),
        [0, *draw(st.just([0] * n) | numbers)],
        draw(st.lists(scores, min_size=n, max_size=n)),
        draw(st.sets(st.integers(0, n + 2))),
    )
    limit = draw(st.integers(1, 4 * size))
    return load, Goal(draw(st.integers(1, limit)), limit)


@given(loads(), st.sampled_from([0.0, 0.25, 1.0, 8.0, 1 / 3]))
@settings(max_examples=400, deadline=None)
@example((Load([0], [], [0], [], set()), Goal(1, 1)), 1.0)
def test_cuts_are_those_of_python(case: tuple[Load, Goal], balance: float) -> None:
    load, goal = case
    assert native.pack(*load, *goal, balance) == Optimal(balance).reference(load, goal)


def test_a_long_row_is_cut_alike() -> None:
    n = 20_000
    sums = list(accumulate(((i * 37) % 90 for i in range(n)), initial=0))
    load = Load(
        sums, [i % 7 for i in range(n)], [i % 5 for i in range(n + 1)], [(i % 11) / 11 for i in range(n)], {5, 9}
    )
    assert native.pack(*load, 384, 512, 1.0) == Optimal().reference(load, Goal(384, 512))


@pytest.mark.parametrize(
    "load",
    [
        ([0, 1], [0], [0], [0.5], set(), 1, 1, 1.0),
        ([0, 1], [], [0, 0], [0.5], set(), 1, 1, 1.0),
        ([0, 1], [0], [0, 0], [], set(), 1, 1, 1.0),
        ([], [], [], [], set(), 1, 1, 1.0),
        ([0, 1], [0], [0, 0], [0.5], set(), 0, 1, 1.0),
        ([0, 2**60], [0], [0, 0], [0.5], set(), 1, 1, 1.0),
        ([0, "1"], [0], [0, 0], [0.5], set(), 1, 1, 1.0),
    ],
)
def test_a_load_that_is_none_is_refused(load: tuple[object, ...]) -> None:
    with pytest.raises((ValueError, TypeError)):
        native.pack(*load)
