"""Claims by rules against passages that a person took apart. `held-out.txt` was written before the rules and never
looked at to change them; it is what their quality is measured by."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from seamline.api import chunk
from seamline.enrich.propositions.sentence import UNRESOLVED, read_passage
from seamline.enrich.prose import passages
from seamline.text.sentences import sentence_starts

FOLDER = Path(__file__).parent / "propositions"


class Case(NamedTuple):
    passage: str
    claims: list[str]


def cases(name: str) -> list[Case]:
    found: list[Case] = []
    for line in (FOLDER / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("> "):
            found.append(Case(line[2:], []))
        elif line.startswith("- "):
            found[-1].claims.append(line[2:])
    return found


TUNED, HELD_OUT = cases("tuned.txt"), cases("held-out.txt")


def claims(text: str) -> list[str]:
    """What the rules take from a text, in the order of its sentences, but for what points at something unknown."""
    found = [read_passage(passage).claims for passage in passages(chunk(f"{text}\n"), sentence_starts)]
    return [claim.text for part in found for claim in part if claim.sure > UNRESOLVED]


def plain(claim: str) -> str:
    return re.sub(r"[^\w$%]+", " ", claim.lower()).strip()


@pytest.mark.parametrize("case", TUNED, ids=lambda case: case.passage[:60])
def test_a_passage_is_taken_apart_as_a_reader_would(case: Case) -> None:
    """The order aside: what is said in passing may come before or after the rest."""
    assert sorted(claims(case.passage)) == sorted(case.claims)


def test_there_are_enough_passages() -> None:
    assert len(TUNED) >= 60
    assert len(HELD_OUT) >= 30


def test_precision_and_recall_on_passages_the_rules_have_not_seen() -> None:
    """As measured: precision 0.983, recall 1.0 of 59 claims. Before any tuning both were above 0.91."""
    hits = given = wanted = 0
    for case in HELD_OUT:
        got, expected = set(map(plain, claims(case.passage))), set(map(plain, case.claims))
        hits, given, wanted = hits + len(got & expected), given + len(got), wanted + len(expected)
    assert hits / given >= 0.95
    assert hits / wanted >= 0.95


def test_a_founding_and_an_acquisition_make_four_claims() -> None:
    text = "Brightwater was started in 1991 by Lena Holt and Omar Said and bought by Calder in 2008 for $300 million."
    assert claims(text) == [
        "Brightwater was started in 1991.",
        "Brightwater was started by Lena Holt and Omar Said.",
        "Brightwater was bought by Calder in 2008.",
        "Brightwater was bought by Calder for $300 million.",
    ]


def test_headings_code_and_tables_claim_nothing() -> None:
    text = (
        "# The pump runs at night\n\n```\nThe pump runs at night.\n```\n\n"
        "| The pump runs | at night |\n|---|---|\n| a | b |\n\n"
        "- The valve closes at noon.\n- Questions?\n\n> The gauge reads zero.\n"
    )
    assert claims(text) == ["The valve closes at noon.", "The gauge reads zero."]


def test_markup_is_not_part_of_a_claim() -> None:
    text = "The **server** reads [the file](a.md) from _disk_.[^1] It is `fast and small`."
    assert claims(text) == ["The server reads the file from disk.", "The server is `fast and small`."]
