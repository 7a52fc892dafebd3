"""A sample of the hostile inputs of `benchmarks.hostile`: none crashes, takes long, or is a text that is not cut."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
COUNT, LARGEST = 84, 60_000


@pytest.fixture(scope="module")
def hostile() -> Iterator[Any]:
    """The generator and the runner, which are no part of the package."""
    pytest.importorskip("resource")
    if not Path("/proc/self/clear_refs").exists():
        pytest.skip("memory is measured as Linux tells it")
    sys.path.insert(0, str(ROOT))
    try:
        yield importlib.import_module
    finally:
        sys.path.remove(str(ROOT))


@pytest.mark.slow
def test_no_input_of_a_sample_does_harm(hostile: Any, tmp_path: Path) -> None:
    inputs, serve, run = (hostile(f"benchmarks.hostile.{name}") for name in ("inputs", "serve", "run"))
    wrong, formats = [], set()
    with serve.Served(tmp_path, wall=120) as served:
        for one in inputs.sample(COUNT, LARGEST):
            (tmp_path / one.name).write_bytes(one.data)
            ended = run.Ended(one.name, one.format, **served.ask(one.name))
            formats.add(one.format)
            if ended.problem:
                wrong.append(f"{ended.name}: {ended.problem}: {ended.said}")
    assert not wrong
    assert len(formats) >= 27


def test_the_same_seed_makes_the_same_inputs(hostile: Any) -> None:
    inputs = hostile("benchmarks.hostile.inputs")
    first, second, other = (list(islice(inputs.mutated(seed), 120)) for seed in (1, 1, 2))
    assert first == second
    assert len({one.data for one in first} & {one.data for one in other}) < 12


def test_a_crash_and_a_lost_text_are_seen(hostile: Any) -> None:
    run = hostile("benchmarks.hostile.run")
    good = run.Ended("a.md", "markdown", "cut", 0, "", 0.1, 60.0)
    assert not good.problem
    assert good._replace(outcome="crash").problem == "crash"
    assert good._replace(outcome="refused", said="the parser failed").problem == "a text that is not cut"
    assert not good._replace(outcome="refused", said="looks like a binary file").problem
    assert good._replace(seconds=11.0).problem == "slow"
    assert good._replace(megabytes=600.0).problem == "large"
