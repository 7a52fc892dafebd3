"""What the compiled core makes of sheets held against Python: the same lines for every row, the same marks."""

from __future__ import annotations

import math
from datetime import date, datetime, time, timedelta
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from seamline.parse.sheets.cells import has_marks
from seamline.parse.sheets.rows import in_columns, shown
from seamline.parse.table_text import as_cell

native = pytest.importorskip("seamline._sheets", reason="the extension was not built: pip install -e . with a compiler")

DECIMALS = st.builds(lambda digits, places: digits / 10**places, st.integers(-(10**16), 10**16), st.integers(0, 8))
NEIGHBOURS = st.builds(
    lambda number, steps: math.nextafter(number, math.inf if steps > 0 else -math.inf) if steps else number,
    DECIMALS,
    st.integers(-1, 1),
)
PRODUCTS = st.builds(lambda one, other: one / 100 * other, st.integers(0, 100_000), st.integers(0, 1000))
TEXTS = st.text(st.sampled_from("ab |\\\n\t\r\x0b\x1c\x85\xa0\u2003\u3000é漢😀")) | st.text()
VALUES = (
    TEXTS
    | st.floats()
    | DECIMALS
    | NEIGHBOURS
    | PRODUCTS
    | st.booleans()
    | st.integers()
    | st.dates()
    | st.datetimes()
    | st.times()
    | st.timedeltas()
)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[list[Any]], int]:
    width = draw(st.integers(1, 4))
    return draw(st.lists(st.lists(VALUES, min_size=width, max_size=width), max_size=6)), width


@given(tables(), st.integers(-5, 300) | st.just(10**9))
@example(([["漢", "a"], ["b", "😀"], ["é", "c"]], 2), 10**9)
@example(([[date(2024, 2, 29), datetime(2024, 2, 29, 12)], [time(12), timedelta(hours=30)]], 2), 10**9)
@example(([[-0.0, 0.0], [1e-4, 0.00011], [1e15, 999999999999999.0], [math.nan, -math.inf]], 2), 10**9)
@example(([[5e-324, 1.5e-324], [3981.1800000000003, 0.1 + 0.2], [1e11 + 0.0001, -99999999999.9999]], 2), 10**9)
def test_rows_are_written_the_same(table: tuple[list[list[Any]], int], room: int) -> None:
    rows, width = table
    assert native.write_rows(rows, width, room, shown, as_cell) == tuple(in_columns(rows, width, room))


@given(st.lists(NEIGHBOURS | PRODUCTS | st.floats(), min_size=1, max_size=200))
def test_numbers_have_fifteen_digits(numbers: list[float]) -> None:
    text, _ = native.write_rows([[number] for number in numbers], 1, 10**9, shown, as_cell)
    assert text.split("\n") == [f"| {number:.15g} |" for number in numbers]


@given(
    st.lists(
        st.sampled_from(
            [
                b' r="A',
                b' r="AB',
                b' r="',
                b"A",
                b"Z1",
                b"</f>",
                b"</f",
                b">",
                b't="e"',
                b't="',
                b'e"',
                b't="s"',
                b"x" * 239,
            ]
        ),
        max_size=40,
    ).map(b"".join)
    | st.binary(max_size=20)
)
def test_marks_are_seen_the_same(data: bytes) -> None:
    assert native.has_marks(data) == tuple(has_marks(data))


def test_what_is_no_row_is_refused() -> None:
    for rows in ([["a"], ["a", "b"]], [("a",)], [None]):
        with pytest.raises(ValueError, match="one length"):
            native.write_rows(rows, 1, 100, shown, as_cell)
    with pytest.raises(TypeError, match="as text"):
        native.write_rows([[1]], 1, 100, lambda value: value, as_cell)
    with pytest.raises(TypeError, match="must be text"):
        native.write_rows([["|"]], 1, 100, shown, lambda text: None)
    with pytest.raises(ZeroDivisionError):
        native.write_rows([["a"], [date(2024, 1, 1)]], 1, 100, lambda value: 1 / 0, as_cell)
    with pytest.raises(TypeError, match="expected bytes"):
        native.has_marks("text")
