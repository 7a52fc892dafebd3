"""What is known about a chunk beside its text: language, near-duplicates, summaries, front matter."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from seamline.enrich.facts import attributes, authority, created_at
from seamline.enrich.language import language
from seamline.enrich.prose import read_sentence, summarize
from seamline.enrich.sketch import sketch
from seamline.parse import parse_text

ENGLISH = "The retry fails when the server answers with a rate limit, because the client waits for too short a time."


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", ENGLISH),
        ("de", "Der erneute Versuch schlägt fehl, wenn der Server wegen zu vieler Anfragen ablehnt."),
        ("fr", "La nouvelle tentative échoue lorsque le serveur répond que la limite est dépassée."),
        ("ja", "サーバーがリクエストの上限に達したと応答すると、再試行は失敗します。"),
        ("ar", "تفشل المحاولة عندما يرد الخادم بأن عدد الطلبات تجاوز الحد المسموح به."),
    ],
)
def test_the_language_of_prose_is_told(code: str, text: str) -> None:
    assert language(parse_text(text)) == code


def test_code_and_addresses_say_nothing_about_the_language() -> None:
    code = "```python\nfor retry in range(3): client.send(request, timeout=retry)\n```\n"
    assert language(parse_text(code)) == ""
    assert language(parse_text("https://example.org/die/der/das")) == ""


def test_a_document_may_declare_its_language() -> None:
    assert language(parse_text(f"---\nlang: pt-BR\n---\n{ENGLISH}")) == "pt"


def test_too_little_text_has_no_language() -> None:
    assert language(parse_text("")) == ""
    assert language(parse_text("OK 200")) == ""


def bits(left: int, right: int) -> int:
    return ((left ^ right) & (2**64 - 1)).bit_count()


def test_near_duplicates_share_most_bits_of_their_sketch() -> None:
    words = [f"word{n}" for n in range(200)]
    changed = [*words[:99], "other", *words[100:]]
    unrelated = [f"term{n}" for n in range(200)]
    assert bits(sketch(words), sketch(words)) == 0
    assert bits(sketch(words), sketch(changed)) <= 10
    assert bits(sketch(words), sketch(unrelated)) >= 16


def test_a_sketch_fits_a_signed_column() -> None:
    for words in ([], ["a"], ["a", "b"], [str(n) for n in range(999)]):
        assert -(2**63) <= sketch(words) < 2**63


def count(text: str) -> int:
    return len(text.split())


def test_a_summary_is_made_of_the_sentences_that_share_most_with_the_rest() -> None:
    sentences = [
        "Webhooks are sent again when the receiver fails.",
        "Lunch is at noon.",
        "A receiver that fails five times gets no webhooks for an hour.",
        "The receiver can ask for failed webhooks again.",
    ]
    summary = summarize([read_sentence(s) for s in sentences], 50, count)
    assert "webhooks" in summary.lower()
    assert "Lunch" not in summary
    assert all(part in " ".join(sentences) for part in summary.split(". "))


def test_a_summary_keeps_its_limit_and_the_order_of_the_text() -> None:
    sentences = [f"Sentence {n} about retries and limits of the client." for n in range(30)]
    read = [read_sentence(s) for s in sentences]
    for most in range(40):
        summary = summarize(read, most, count)
        assert count(summary) <= most
        numbers = [int(word) for word in summary.split() if word.isdigit()]
        assert numbers == sorted(numbers)


def test_text_without_sentences_has_no_summary() -> None:
    assert summarize([], 50, count) == ""
    assert summarize([read_sentence("...")], 50, count) == ""


def test_front_matter_becomes_typed_fields() -> None:
    front = {
        "team": "infra",
        "priority": 3,
        "reviewed": True,
        "due": date(2024, 5, 1),
        "tags": ["a", "b"],
        "owner": {"name": "Ada", "deep": {"er": {"still": 1}}},
        "long": "x" * 5000,
        "nothing": None,
    }
    assert attributes(front) == {
        "team": "infra",
        "priority": 3.0,
        "reviewed": True,
        "due": datetime(2024, 5, 1, tzinfo=UTC),
        "tags": ("a", "b"),
        "owner.name": "Ada",
    }


def test_at_most_64_fields_are_kept() -> None:
    assert len(attributes({f"k{n}": n for n in range(1000)})) == 64


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2024-02-03", datetime(2024, 2, 3, tzinfo=UTC)),
        (date(2024, 2, 3), datetime(2024, 2, 3, tzinfo=UTC)),
        (datetime(2024, 2, 3, 1, tzinfo=timezone(timedelta(hours=2))), datetime(2024, 2, 2, 23, tzinfo=UTC)),
        ("last Tuesday", None),
        (20240203, None),
        (datetime.min.replace(tzinfo=timezone(timedelta(hours=14))), None),
    ],
)
def test_the_date_of_a_document(value: object, expected: datetime | None) -> None:
    assert created_at({"date": value}) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        *((0.9, 0.9), (1, 1.0), (True, 0.5), (7, 0.5), ("high", 0.5)),
        *(
            (math.inf, 0.5),
            (-math.inf, 0.5),
            (math.nan, 0.5),
            (10**400, 0.5),
            ("1e999", 0.5),
            (-0.0, 0.0),
            (5e-324, 5e-324),
        ),
    ],
)
def test_authority_is_a_number_from_0_to_1(given: object, expected: float) -> None:
    assert authority({"authority": given}) == expected
