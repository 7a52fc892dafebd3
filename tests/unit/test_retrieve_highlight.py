"""What is marked in a passage, and which part of it is shown."""

from __future__ import annotations

import pytest

from seamline.search.highlight import matches, snippet, spans
from seamline.text.sentences import sentence_starts

TEXT = (
    "Webhooks are delivered at least once. A delivery that fails is retried with growing pauses. "
    "After a 429 the Retry-After header decides. Nothing else is said here, and nothing more is to be read. "
    "The last sentence speaks of billing."
)


def marked(text: str, query: str) -> list[str]:
    return [text[start:end] for start, end in spans(text, query)]


def test_words_are_marked_by_the_rules_they_are_found_by() -> None:
    assert marked(TEXT, "why did the 429 retries fail") == ["fails", "retried", "429", "Retry-After"]


def test_function_words_are_not_marked() -> None:
    assert marked(TEXT, "what is the billing") == ["billing"]


def test_names_of_several_words_are_marked_whole() -> None:
    assert marked("set maxRetryCount = 3", "retry") == ["maxRetryCount"]


def test_accents_and_case_do_not_matter() -> None:
    assert marked("Über NAÏVE Ideen", "uber naive") == ["Über", "NAÏVE"]


def test_of_unspaced_text_only_the_matching_characters_are_marked() -> None:
    assert marked("重试失败的原因是配置错误", "配置") == ["配置"]
    assert marked("重试失败的原因是配置错误", "失败的原因") == ["失败的原因"]


def test_nothing_matches_nothing() -> None:
    assert spans(TEXT, "zebra") == []
    assert spans("", "zebra") == []
    assert spans(TEXT, "") == []


def test_a_match_says_which_words_it_holds() -> None:
    assert [found.words for found in matches("Retry the webhook", "webhook retries")] == [{"retry"}, {"webhook"}]


def test_a_snippet_starts_at_the_sentence_and_holds_the_words() -> None:
    made = snippet(TEXT, "429 header", 60, lambda text: sentence_starts(text))
    assert made.of(TEXT).startswith("After a 429")
    assert [TEXT[start:end] for start, end in made.spans] == ["429", "header"]
    assert made.end - made.start <= 60


def test_a_snippet_prefers_different_words_over_repeated_ones() -> None:
    text = "pump pump pump pump. " + "x " * 200 + "The pump has a valve."
    assert "valve" in snippet(text, "pump valve", 40).of(text)


def test_a_short_text_is_shown_whole() -> None:
    made = snippet("A short text.", "text", 100)
    assert made.of("A short text.") == "A short text."


def test_without_a_match_the_start_is_shown_up_to_a_whole_word() -> None:
    made = snippet(TEXT, "zebra", 50)
    assert made.of(TEXT) == "Webhooks are delivered at least once. A delivery"


@pytest.mark.parametrize("size", [1, 5, 17, 40, 90])
def test_a_snippet_keeps_its_size(size: int) -> None:
    made = snippet(TEXT, "retry header billing", size)
    assert 0 <= made.start <= made.end <= len(TEXT)
    assert made.end - made.start <= max(size, len("Retry-After"))
