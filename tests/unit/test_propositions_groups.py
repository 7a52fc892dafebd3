"""Claims that say the same, and claims by topic, with the bundled model's vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from seamline.embed import load
from seamline.enrich.propositions.claims import dedup, entities
from seamline.enrich.propositions.run import with_topics
from seamline.errors import ConfigError
from seamline.facts import Derived
from seamline.parse import parse_text
from seamline.protocols import Embedder
from seamline.types import Span

DOCUMENT = parse_text("x" * 500, uri="one.md")
OTHER = parse_text("y" * 500, uri="two.md")


@pytest.fixture(scope="module")
def minilm() -> Embedder:
    return load("minilm")


def claims(*texts: str) -> list[Derived]:
    return [
        Derived(DOCUMENT, "proposition", text, (Span(at, at + 1),), (f"chunk{at}",), entities=entities(text))
        for at, text in enumerate(texts)
    ]


def texts(found: Sequence[Derived]) -> list[str]:
    return [each.text for each in found]


# --- the same in other words -----------------------------------------------------------------------------------------


def test_the_richer_of_two_is_kept_with_the_places_of_both(minilm: Embedder) -> None:
    given = claims(
        "The firm was founded in 1998.", "A cat sleeps on the sofa.", "The firm was founded in 1998 as well."
    )
    found = dedup(given, minilm, 0.9)
    assert texts(found.kept) == ["A cat sleeps on the sofa.", "The firm was founded in 1998 as well."]
    assert found.kept[1].of == ("chunk2", "chunk0")
    assert found.kept[1].spans == (Span(0, 1), Span(2, 3))
    assert found.dropped == {given[0].id: found.kept[1].id}


def test_more_names_are_richer_than_more_letters(minilm: Embedder) -> None:
    given = claims(
        "the old mill in Turin makes fine paper of linen rags", "The mill in Turin makes paper of Linen Rags"
    )
    assert texts(dedup(given, minilm, 0.5).kept) == ["The mill in Turin makes paper of Linen Rags"]


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("Revenue grew by 12% in 2023.", "Revenue grew by 21% in 2023."),
        ("The server stores passwords on disk.", "The server never stores passwords on disk."),
        ("The head office is in Oslo today.", "The head office is in Bergen today."),
    ],
)
def test_claims_that_differ_in_what_vectors_overlook_are_two(minilm: Embedder, one: str, two: str) -> None:
    assert len(dedup(claims(one, two), minilm, 0.5).kept) == 2


def test_documents_keep_their_own_claims(minilm: Embedder) -> None:
    first, second = claims("The pump feeds the tank.", "The pump feeds the tank.")
    assert len(dedup([first, replace(second, document=OTHER)], minilm).kept) == 2
    assert len(dedup([first, second], minilm).kept) == 1


def test_few_claims_need_no_vectors() -> None:
    class Never:
        name, dimensions, fingerprint = "never", 1, "never"

        def embed(self, texts: Sequence[str]) -> object:
            raise AssertionError(texts)

    never: Embedder = Never()  # type: ignore[assignment]
    assert dedup([], never).kept == []
    assert texts(dedup(claims("One claim."), never).kept) == ["One claim."]
    assert [each.topic for each in with_topics(claims("One claim."), never)] == [-1]


@pytest.mark.parametrize("threshold", [0, 1.5])
def test_a_threshold_that_cannot_be_is_refused(minilm: Embedder, threshold: float) -> None:
    with pytest.raises(ConfigError, match="threshold within"):
        dedup([], minilm, threshold)


# --- topics ----------------------------------------------------------------------------------------------------------

PUMPS = [
    f"The {kind} pump moves water through the {part} pipe."
    for kind in ("red", "old", "new")
    for part in ("long", "steel")
]
BIRDS = [
    f"{bird} build nests of grass in {tree} trees."
    for bird in ("Robins", "Wrens", "Finches")
    for tree in ("oak", "birch")
]


def test_claims_about_one_subject_are_one_topic_in_every_run(minilm: Embedder) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is in the extra `propositions`")
    given = claims(*PUMPS, *BIRDS, "Tax is due in May.")
    found = with_topics(given, minilm, smallest=4)
    assert [each.topic for each in found] == [0] * 6 + [1] * 6 + [-1]
    assert found == with_topics(given, minilm, smallest=4)
    assert [replace(each, topic=-1) for each in found] == given


def test_a_topic_of_one_claim_is_refused(minilm: Embedder) -> None:
    with pytest.raises(ConfigError, match="topics of 2 claims or more"):
        with_topics([], minilm, smallest=1)
