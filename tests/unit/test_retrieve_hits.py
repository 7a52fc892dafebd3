"""How a place is told to people, for every kind of anchor."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from seamline.search.hits import Citation, LegScore, PromptPassage, Shadow, Why, clock, run_label


def citation(uri: str, anchor: Mapping[str, Any], *path: str) -> Citation:
    return Citation("id", uri, 3, uri, path, anchor, 0, 5, "quote")


@pytest.mark.parametrize(
    ("uri", "anchor", "path", "label"),
    [
        ("guide.md", {"lines": [120, 134]}, ("Webhooks", "Retries"), "guide.md:120-134 § Webhooks > Retries"),
        ("guide.md", {"lines": [7, 7]}, (), "guide.md:7"),
        ("paper.pdf", {"page": 4, "lines": [1, 9]}, (), "paper.pdf p. 4"),
        ("paper.pdf", {"pages": [4, 5]}, ("Method",), "paper.pdf p. 4-5 § Method"),
        ("talk.vtt", {"time": [65.2, 80.0], "lines": [3, 9]}, (), "talk.vtt 00:01:05-00:01:20"),
        ("book.xlsx", {"sheet": "Costs", "rows": [2, 9]}, (), "book.xlsx Costs!2-9"),
        ("note.txt", {}, (), "note.txt"),
    ],
)
def test_labels(uri: str, anchor: Mapping[str, Any], path: tuple[str, ...], label: str) -> None:
    assert str(citation(uri, anchor, *path)) == label


def test_hours_on_the_clock() -> None:
    assert clock(3 * 3600 + 61) == "03:01:01"


def test_a_run_is_labelled_from_its_first_line_to_its_last() -> None:
    run = (citation("a.md", {"lines": [3, 5]}, "One"), citation("a.md", {"lines": [7, 9]}, "Two"))
    assert run_label(run) == "a.md:3-9 § One"
    assert PromptPassage(1, "text", run).label() == "a.md:3-9 § One"


def test_a_run_over_pages_and_times() -> None:
    pages = (citation("a.pdf", {"page": 2}), citation("a.pdf", {"pages": [2, 4]}))
    assert run_label(pages) == "a.pdf p. 2-4"
    times = (citation("a.vtt", {"time": [0, 9]}), citation("a.vtt", {"time": [9, 70]}))
    assert run_label(times) == "a.vtt 00:00:00-00:01:10"


def test_the_key_is_what_cite_takes() -> None:
    assert citation("a.md", {}).key == "id@3"


def test_only_parts_that_played_a_role_are_told() -> None:
    why = Why(dense=LegScore(1, 0.5), fused=0.75, shadow=Shadow("after", 0.4))
    told = json.loads(json.dumps(why.to_dict()))
    assert told == {
        "dense": {"rank": 1, "score": 0.5},
        "fused": 0.75,
        "shadow": {"side": "after", "score": 0.4},
    }
