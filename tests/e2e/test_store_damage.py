"""Damage to every file of an embedded index: a short form of `python -m harness.damage`."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from harness.crashes.points import quick_folder
from harness.crashes.stores import STORES
from harness.damage import DAMAGES, STATES, DamageBench, DamageTally, choose_damages, compare
from seamline.store.sqlite.database import PAGE

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the damage harness forks")

DAMAGED = 40


@pytest.fixture(scope="module")
def bench() -> Iterator[DamageBench]:
    with tempfile.TemporaryDirectory(dir=quick_folder()) as folder:
        yield DamageBench(STORES["sqlite"](), Path(folder))


def test_every_damage_is_healed_harmless_or_refused_with_a_remedy(bench: DamageBench) -> None:
    tally = bench.damage(DAMAGED, seed=3)
    assert tally.problems == []
    assert tally.tried >= DAMAGED // 2
    assert {outcome.partition(": ")[2] for outcome in tally.outcomes} == {"right", "refused"}


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("name", ["index.db", "search-*.db"])
def test_a_file_that_ends_in_the_middle_of_a_page_changes_no_answer(bench: DamageBench, state: str, name: str) -> None:
    """What is behind the end of a file reads as zeros, and no checksum is compared where a part of a page is there."""
    path = next(bench.image(state).glob(name))
    size = path.stat().st_size
    sizes = [size - cut for cut in (50, 1000, 4000, 6000, PAGE - 192)]
    for smaller in [*sizes, *range(PAGE // 4, size, 3 * PAGE)]:
        _, wrong = bench.judge(state, partial(os.truncate, bench.place.index / path.name, smaller), DamageTally())
        assert wrong == [], f"{path.name} of {size} bytes, cut to {smaller}"


@pytest.mark.parametrize("state", STATES)
def test_every_file_is_damaged_and_in_every_way(bench: DamageBench, state: str) -> None:
    image = bench.image(state)
    chosen = choose_damages(image, DAMAGED, seed=3)
    assert {one.path for one in chosen} == {str(path.relative_to(image)) for path in image.rglob("*") if path.is_file()}
    assert {one.what for one in chosen} == set(DAMAGES)


def test_another_answer_and_a_refusal_without_a_remedy_are_problems() -> None:
    whole = {"documents": ["a", "b"], "stats": {"chunks": "3"}, "citations": ["x"]}
    found = {"documents": ["a"], "stats": {"chunks": "4"}, "citations": "refused: cannot read it: Error 7"}
    assert [problem.partition(":")[0] for problem in compare(found, whole)] == [*whole]
    told = {"citations": "refused: cannot read it: run `seamline doctor --verify` to see what is damaged"}
    assert compare({**whole, **told}, whole) == []
