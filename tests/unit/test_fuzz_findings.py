"""Inputs on which the fuzzer found a fault, each by the name of the fault; and the fuzzer itself, for a moment."""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))
from tests.fuzz.targets import TARGETS, run_check  # noqa: E402

FINDINGS = sorted(path for path in (ROOT / "tests/fixtures/fuzz").glob("*/*") if path.is_file())
INPUTS = 3


@pytest.mark.parametrize("path", FINDINGS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_what_was_found_stays_mended(path: Path) -> None:
    run_check(TARGETS[path.parent.name], path.read_bytes())


@pytest.mark.parametrize("name", TARGETS)
def test_a_few_inputs_of_every_target(name: str) -> None:
    """Valid documents and a few that are spoilt: a target that raises here would find nothing."""
    target = TARGETS[name]
    made = [target.mutate(b"", Random(f"{name} {number}")) for number in range(INPUTS)]
    for data in [*(seed.data for seed in target.seeds[:2]), *made]:
        run_check(target, data)


def test_a_fault_is_found() -> None:
    """The check of a parser that loses text fails."""
    from seamline.parse import parse_text
    from seamline.testing.parsers import check_blocks

    document = parse_text("# A\n\nwords\n", uri="a.md")
    object.__setattr__(document, "blocks", document.blocks[:1])
    with pytest.raises(AssertionError, match="in no block"):
        check_blocks(document)
