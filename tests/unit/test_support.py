"""Whether a text says nothing that its source does not say."""

from __future__ import annotations

import pytest

from seamline.enrich.written import support

SOURCE = (
    "Lithium may reduce the risk by 12%, but the drug does not help children in Norway, Reyes wrote in 2,019 letters."
)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Lithium may reduce the risk by 12%.", ""),
        ("Reyes's letters: the drug does not help children.", ""),
        ("The drug was not of help to children.", ""),
        ("Reyes wrote 2019 letters.", ""),
        ("Lithium may reduce the risk by 13%.", "number"),
        ("Lithium may reduce the risk in Sweden.", "name"),
        ("Lithium may reduce the risk, says WHO.", "name"),
        ("The drug helps children in Norway.", "negation"),
        ("Lithium does not reduce the risk by 12%.", "hedge"),
        ("Lithium reduces the risk by 12%.", "hedge"),
        ("Cats and dogs chase the risk around.", "words"),
        ("", "words"),
        ("of the and", "words"),
    ],
)
def test_what_a_source_does_not_say_is_told_by_reason(text: str, reason: str) -> None:
    assert support(text, SOURCE).reason == reason


def test_a_not_of_its_own_is_no_support() -> None:
    assert support("The pump does not feed the tank.", "The pump feeds the tank.").reason == "negation"


def test_irregular_verbs_are_one_word_in_all_forms() -> None:
    assert support("Calder bought the mill.", "Calder buys the mill.").score == 1.0


def test_what_stands_around_may_name_what_a_pronoun_means() -> None:
    around = "Kestrel\nIt builds drones in Turin."
    assert support("Kestrel builds drones in Turin.", "It builds drones in Turin.", around).reason == ""
    assert support("Kestrel builds drones in Turin.", "It was late.", around).reason == "words"


def test_a_long_text_is_read_to_its_end() -> None:
    source = " ".join(f"word{n}" for n in range(1000))
    assert support("word999 and word998 and word1", source).score == 1.0
