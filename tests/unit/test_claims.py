"""Claims by rules: what is taken apart, what is not read, and how sure each claim is."""

from __future__ import annotations

import pytest

from seamline.api import chunk
from seamline.enrich.propositions.claims import Rules
from seamline.enrich.propositions.run import extract
from seamline.enrich.prose import passages
from seamline.facts import Derived
from seamline.text.sentences import sentence_starts
from seamline.tokens import load

COUNT = load("o200k_base").count


def claims(text: str, confidence: float = 0.5) -> list[Derived]:
    found = passages(chunk(f"{text}\n"), sentence_starts)
    return extract(found, COUNT, rules=Rules(confidence=confidence)).derived


def texts(text: str) -> list[str]:
    return [claim.text for claim in claims(text)]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "The relay reads frames, stores checksums and exposes a metrics endpoint.",
            [
                "The relay reads frames.",
                "The relay stores checksums.",
                "The relay exposes a metrics endpoint.",
            ],
        ),
        (
            "Kafka and Pulsar support replay of messages.",
            ["Kafka supports replay of messages.", "Pulsar supports replay of messages."],
        ),
        ("The bridge and the tunnel share one gate.", ["The bridge and the tunnel share one gate."]),
        (
            "The kit includes spare batteries, wall mounting and a leather case.",
            [
                "The kit includes spare batteries.",
                "The kit includes wall mounting.",
                "The kit includes a leather case.",
            ],
        ),
        ("The shop offers fast and reliable delivery.", ["The shop offers fast and reliable delivery."]),
        (
            "Tea is grown in Kenya, Malawi and Assam.",
            ["Tea is grown in Kenya.", "Tea is grown in Malawi.", "Tea is grown in Assam."],
        ),
        (
            "Mira wrote the driver, tested it and shipped it in June.",
            ["Mira wrote the driver.", "Mira tested the driver.", "Mira shipped the driver in June."],
        ),
        (
            "Imports fell by 4%, while exports rose by 2%.",
            ["Imports fell by 4%.", "Exports rose by 2%."],
        ),
    ],
)
def test_what_is_joined_is_taken_apart_where_each_part_is_true(sentence: str, expected: list[str]) -> None:
    assert texts(sentence) == expected


@pytest.mark.parametrize(
    "paragraph",
    [
        "[4] A. Mbeki, R. Stone, “Canals of the north,” Journal of Waterways, vol. 3, pp. 10-19, 1999.",
        "Ito K, Berg L. Moss on granite. Arct Bot. 2014;12:44-51. doi:10.1000/abc",
        "TO\x44O: the table shows the old prices. It has to be replaced.",
        "Note to reviewers: this section repeats the introduction.",
        "How long does a charge last?",
        "If the test fails, restart the runner.",
        "We'll cover the details of this below.",
    ],
)
def test_references_notes_questions_and_instructions_claim_nothing(paragraph: str) -> None:
    assert texts(paragraph) == []


def test_a_list_of_references_is_known_by_its_heading() -> None:
    text = "# Lakes\n\nThe lake covers 40 hectares.\n\n## References\n\nHarlow describes the lake and its shores.\n"
    assert texts(text) == ["The lake covers 40 hectares."]


@pytest.mark.parametrize(
    ("sentence", "claim"),
    [
        ("The canal opened in 1908 [3].", "The canal opened in 1908."),
        ("The canal opened in 1908.[^2]", "The canal opened in 1908."),
        ("The canal opened in 1908 (Brandt et al., 2001; Ito, 2014).", "The canal opened in 1908."),
        ("The canal carries coal,<sup>2</sup> and the railway carries grain.", "The canal carries coal."),
        ("The canal <!-- ask Kim --> opened in 1908.", "The canal opened in 1908."),
    ],
)
def test_marks_of_footnotes_are_not_part_of_a_claim(sentence: str, claim: str) -> None:
    assert claim in texts(sentence)
    assert all(mark not in text for text in texts(sentence) for mark in ("[", "<", "2,", "Brandt", "Kim"))


def test_confidence_falls_with_what_a_reader_could_not_know() -> None:
    (plain,) = claims("The dam holds back 3 million litres.")
    (resolved,) = [one for one in claims("The dam is old. It holds back 3 million litres.") if len(one.spans) == 2]
    (open_,) = claims("It holds back 3 million litres.", confidence=0.0)
    assert plain.confidence > resolved.confidence > 0.5 > open_.confidence
    assert claims("It holds back 3 million litres.") == []


def test_a_text_too_short_to_tell_its_language_is_read_as_english_where_its_words_are() -> None:
    assert texts("Ines Duarte studied law in Porto. She moved to Lima in 1974.") == [
        "Ines Duarte studied law in Porto.",
        "Ines Duarte moved to Lima in 1974.",
    ]
