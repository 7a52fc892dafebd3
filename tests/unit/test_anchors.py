"""Where spans stand: what follows from the runs a parser gave."""

from __future__ import annotations

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seamline.anchors import Anchor, Anchors
from seamline.search.hits import joined_anchor, place_text


def line(start: int, end: int, page: int, top: float, left: float = 10, right: float = 110) -> Anchor:
    step = (right - left) / (end - start)
    edges = array("f", [left + step * n for n in range(end - start + 1)])
    return Anchor(start, end, {"page": page, "box": (left, top, right, top + 10), "edges": edges})


LINES = Anchors([line(0, 10, 1, 0), line(11, 21, 1, 12), line(22, 32, 1, 24), line(33, 43, 2, 0)])


def test_whole_lines_under_each_other_are_one_box() -> None:
    assert LINES.at(0, 32) == {"pages": [1, 1], "page": 1, "boxes": [[1, 10, 0, 110, 34]]}


def test_a_part_of_a_line_has_the_box_of_its_characters() -> None:
    assert LINES.at(5, 10)["boxes"] == [[1, 60, 0, 110, 10]]
    assert LINES.at(13, 15)["boxes"] == [[1, 30, 12, 50, 22]]


def test_cut_lines_stay_apart_from_whole_ones() -> None:
    assert LINES.at(5, 27)["boxes"] == [[1, 60, 0, 110, 10], [1, 10, 12, 110, 22], [1, 10, 24, 60, 34]]


def test_boxes_on_two_pages() -> None:
    found = LINES.at(22, 43)
    assert found["pages"] == [1, 2]
    assert [box[0] for box in found["boxes"]] == [1, 2]


def test_columns_are_not_joined() -> None:
    runs = Anchors([line(0, 5, 1, 100, 10, 100), line(6, 11, 1, 20, 120, 210)])
    assert len(runs.at(0, 11)["boxes"]) == 2


def test_a_span_between_runs_is_on_the_page_before_and_has_no_box() -> None:
    assert LINES.at(10, 11) == {"pages": [1, 1], "page": 1}


def test_no_runs_say_nothing() -> None:
    assert Anchors([]).at(0, 5) == {}


def test_rows_of_one_sheet_are_a_range_and_of_several_a_list() -> None:
    runs = [Anchor(n, n + 1, {"sheet": "A" if n < 3 else "B", "row": n + 1}) for n in range(5)]
    one, both = Anchors(runs).at(0, 3), Anchors(runs).at(1, 5)
    assert (one["sheet"], one["rows"]) == ("A", [1, 3])
    assert both["sheets"] == ["A", "B"]
    assert both["rows"] == [2, 3]
    assert both["sheet_rows"] == [["A", 2, 3], ["B", 4, 5]]


def test_times_widen_and_speakers_are_named_once() -> None:
    runs = [Anchor(n, n + 1, {"time": (float(n), n + 1.5), "speaker": "Ann" if n % 2 else "Bob"}) for n in range(4)]
    found = Anchors(runs).at(0, 4)
    assert found["time"] == [0.0, 4.5]
    assert found["speakers"] == ["Bob", "Ann"]
    assert found["speaker"] == "Bob"


@pytest.mark.parametrize(
    ("anchor", "told"),
    [
        ({"lines": [3, 5]}, ":3-5"),
        ({"pages": [2, 3], "lines": [1, 2]}, " p. 2-3"),
        ({"slides": [4, 4]}, " slide 4"),
        ({"sheet": "Q1", "rows": [2, 9]}, " Q1!2-9"),
        ({"time": [61, 65.2]}, " 00:01:01-00:01:05"),
        ({"paragraph": "body/p[3]"}, " ¶ body/p[3]"),
        ({"paragraph": "body/p[3]", "paragraphs": ["body/p[3]", "body/p[4]"]}, " ¶ body/p[3] to body/p[4]"),
        ({"part": "ch1.xhtml", "lines": [7, 8]}, " ch1.xhtml:7-8"),
    ],
)
def test_what_people_are_told(anchor: dict[str, object], told: str) -> None:
    assert place_text(anchor) == told


def test_neighbouring_places_are_told_as_one() -> None:
    assert place_text(joined_anchor({"slides": [1, 1]}, {"slides": [3, 4]})) == " slide 1-4"
    joined = joined_anchor({"paragraph": "body/p[1]"}, {"paragraph": "body/p[5]"})
    assert place_text(joined) == " ¶ body/p[1] to body/p[5]"


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 3)), max_size=30), st.data())
def test_at_agrees_with_a_plain_scan(lengths: list[tuple[int, int]], data: st.DataObject) -> None:
    runs: list[Anchor] = []
    at = 0
    for number, (length, gap) in enumerate(lengths):
        runs.append(Anchor(at + gap, at + gap + length, {"record": number + 1}))
        at += gap + length
    start = data.draw(st.integers(0, at))
    end = data.draw(st.integers(start + 1, at + 5))
    touched = [run.place["record"] for run in runs if run.start < end and run.end > start]
    found = Anchors(runs).at(start, end)
    if touched:
        assert found["records"] == [touched[0], touched[-1]]
    else:
        assert "boxes" not in found
