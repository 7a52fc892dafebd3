"""What is compared: sentences of paragraphs and turns, other blocks whole, headings with what follows."""

from __future__ import annotations

from hypothesis import given, settings

import seamline
from seamline.cut.scores.semantic import BLOCK, HEADING, LONGEST, SENTENCE, leanings, sizes, texts, units
from seamline.testing.strategies import documents
from seamline.tokens import load
from seamline.types import Document


def read(text: str, media_type: str = "text/markdown") -> Document:
    return seamline.read(text, id="doc", media_type=media_type)


def said(text: str, media_type: str = "text/markdown") -> list[str]:
    document = read(text, media_type)
    return [document.text[unit.start : unit.end].strip() for unit in units(document)]


def test_sentences_of_paragraphs_are_units() -> None:
    assert said("One is here. Two is there.\n\nThree stands alone.\n") == [
        "One is here.",
        "Two is there.",
        "Three stands alone.",
    ]


def test_other_blocks_are_units_whole() -> None:
    blocks = ["```\na = 1. \nb = 2.\n```", "- One item. It goes on.\n- Two items.", "| a | b |\n|---|---|\n| 1 | 2 |"]
    assert said("\n\n".join(["A start.", *blocks]) + "\n") == ["A start.", *blocks]


def test_headings_belong_to_what_follows() -> None:
    document = read("# Title\n\n## Part\n\nOne is here. Two is there.\n\nA block.\n\n## End\n")
    found = units(document)
    assert [unit.seam for unit in found] == [HEADING, SENTENCE, BLOCK]
    assert document.text[found[0].start : found[0].end].startswith("# Title\n\n## Part\n\nOne is here.")


def test_sentences_of_turns_are_units() -> None:
    first = "00:00.000 --> 00:02.000\n<v Ann>Good morning. How are you?"
    captions = f"WEBVTT\n\n{first}\n\n00:05.000 --> 00:06.000\n<v Bob>Fine.\n"
    assert said(captions, "text/vtt") == ["Ann: Good morning.", "How are you?", "Bob: Fine."]


def test_no_text_no_units() -> None:
    assert said("") == []
    assert said("# Only a heading\n") == []


def test_other_scripts_have_sentences() -> None:
    assert said("猫が寝ている。雨が降っている。\n") == ["猫が寝ている。", "雨が降っている。"]
    assert len(said("هذا سؤال؟ وهذا جواب.\n")) == 2


def test_line_ends_of_any_kind() -> None:
    plain = "One is here.\nTwo is there.\n\nThree stands alone.\n"
    assert [s.split() for s in said(plain.replace("\n", "\r\n"))] == [s.split() for s in said(plain)]


def test_the_start_of_a_long_unit_is_looked_at() -> None:
    document = read("word " * 1000 + "\n")
    assert [len(text) for text in texts(document, units(document))] == [LONGEST]


def test_gaps_between_blocks_lean_towards_a_change() -> None:
    inside, between = leanings(units(read("One is here. Two is there.\n\nThree stands alone.\n")))
    assert inside > 0 > between


def test_gaps_of_one_kind_do_not_lean() -> None:
    assert leanings(units(read("One is here. Two is there. Three stands alone.\n"))) == [0.0, 0.0]
    assert leanings(units(read("One.\n\nTwo.\n\nThree.\n"))) == [0.0, 0.0]
    assert leanings([]) == []


@given(documents())
@settings(deadline=None)
def test_units_have_the_tokens_of_their_text(text: str) -> None:
    document = read(text)
    found = units(document)
    for name in ("o200k_base", "cl100k_base", "estimate"):
        tokenizer = load(name)
        counted = [tokenizer.count(document.text[unit.start : unit.end]) for unit in found]
        assert sizes(document, found, tokenizer) == counted
