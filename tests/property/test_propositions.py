"""Laws of claims by rules: they stand on spans of the document, say nothing of their own, and any text can be read."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from seamline.api import chunk
from seamline.enrich.propositions.run import extract
from seamline.enrich.propositions.sentence import read
from seamline.enrich.prose import passages, plain
from seamline.facts import Derived
from seamline.testing.strategies import documents
from seamline.text.sentences import sentence_starts
from seamline.text.words import words
from seamline.tokens import load

COUNT = load("o200k_base").count
ADDED = {"is", "are", "was", "were", "has", "does", "the", "s"}
"""Words a claim may have that its sentences lack: forms of `be`, the s of an owner, the article of what was named, and
the verb of one of several subjects."""
PARTS = [
    "Acme",
    "Acme and Halden",
    "support",
    "Halden",
    "Jane",
    "Roe",
    "the",
    "a",
    "an",
    "its",
    "their",
    "server",
    "servers",
    "pump",
    "pumps",
    "company",
    "1998",
    "2005",
    "$3",
    "in",
    "by",
    "for",
    "of",
    "to",
    "and",
    "and",
    "and",
    "but",
    "or",
    ",",
    ",",
    ",",
    ";",
    ":",
    "which",
    "who",
    "that",
    "although",
    "because",
    "if",
    "when",
    "is",
    "was",
    "are",
    "were",
    "has",
    "have",
    "not",
    "may",
    "founded",
    "acquired",
    "makes",
    "made",
    "sold",
    "runs",
    "reads",
    "writes",
    "opened",
    "it",
    "they",
    "she",
    "he",
    "them",
    "(",
    ")",
    '"',
    "quickly",
    "also",
    "small",
    "fast",
    ".",
    "?",
    "where",
    "while",
    "said",
    "based",
]

sentences = st.lists(st.sampled_from(PARTS), min_size=1, max_size=40).map(" ".join)
texts = st.lists(sentences, min_size=1, max_size=4).map(lambda found: ". ".join(found) + ".\n")


def derived(text: str) -> list[Derived]:
    return extract(passages(chunk(text), sentence_starts), COUNT).derived


@given(texts | documents())
def test_every_claim_stands_on_spans_and_chunks_of_its_document(text: str) -> None:
    chunks = {each.id: each for each in chunk(text)}
    for claim in derived(text):
        assert claim.kind == "proposition"
        assert claim.spans == tuple(sorted(claim.spans))
        assert claim.tokens >= 5
        assert 0 < claim.confidence <= 1
        owners = [chunks[id] for id in claim.of]
        for start, end in claim.spans:
            assert text[start:end].strip() == text[start:end] != ""
            assert any(owner.start <= start and end <= owner.end for owner in owners)


@given(texts | documents())
def test_no_word_of_a_claim_is_invented(text: str) -> None:
    for claim in derived(text):
        said = {word for start, end in claim.spans for word in words(plain(text[start:end]))}
        assert set(words(claim.text)) <= said | ADDED | {f"{word}s" for word in said}, claim.text


@given(st.text() | sentences)
def test_any_sentence_can_be_read(text: str) -> None:
    found = read(" ".join(text.split()))
    assert bool(found.claims) != bool(found.skipped)


@given(texts)
def test_the_same_text_makes_the_same_claims(text: str) -> None:
    assert [claim.to_dict() for claim in derived(text)] == [claim.to_dict() for claim in derived(text)]
