"""Laws of summaries without a model: within their size, of whole sentences of the text, none said twice."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from seamline.enrich.prose import read_sentence, summarize

WORDS = [
    "queue",
    "broker",
    "topic",
    "replica",
    "offset",
    "leader",
    "disk",
    "retry",
    "client",
    "batch",
    "lease",
    "shard",
]
sentences = st.lists(st.sampled_from(WORDS), min_size=3, max_size=9, unique=True).map(lambda w: " ".join(w) + ".")
repeated = st.lists(sentences, min_size=1, max_size=6).flatmap(
    lambda some: st.lists(st.sampled_from(some), min_size=1, max_size=14)
)


def count(text: str) -> int:
    return len(text.split())


def said(summary: str) -> list[set[str]]:
    return [set(part.split()) for part in summary.split(".") if part.strip()]


@given(repeated, st.integers(1, 60), st.integers(1, 5))
def test_a_summary_fits_and_says_nothing_twice(texts: list[str], most: int, wanted: int) -> None:
    summary = summarize([read_sentence(text) for text in texts], most, count, wanted)
    parts = said(summary)
    assert count(summary) <= most
    assert len(parts) <= wanted
    assert all(any(part == set(text.rstrip(".").split()) for text in texts) for part in parts)
    for left, right in combinations(parts, 2):
        assert len(left & right) < 0.65 * len(left | right)
        assert not left <= right
        assert not right <= left


@given(st.lists(sentences, min_size=2, max_size=9, unique=True))
def test_a_summary_begins_where_the_text_does(texts: list[str]) -> None:
    summary = summarize([read_sentence(text) for text in texts], 500, count, 2)
    assert any(summary.startswith(text) for text in texts[:3])


def test_a_summary_begins_with_what_the_heading_is_about() -> None:
    texts = [
        "However, nobody knew of it before.",
        "The release went out in spring.",
        "A lease gives one broker a shard for a time.",
        "Brokers renew leases every second.",
    ]
    summary = summarize([read_sentence(text) for text in texts], 50, count, 2, about=("Guide", "Leases of a shard"))
    assert summary.startswith("A lease gives one broker a shard")
