"""Laws of facts: any text, any strategy; values stay within their ranges and spans within their chunks."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seamline.enrich.facts import MAKERS
from seamline.parse import parse_text
from seamline.pipeline import chunk_document
from seamline.recipe.recipe import Recipe
from seamline.testing.strategies import documents, strategic
from seamline.types import Chunk

EXAMPLES = int(os.environ.get("SEAMLINE_EXAMPLES", "60"))
law = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)
NOW = datetime(2026, 1, 11, tzinfo=UTC)
SHARES = ("coherence", "distinct", "self_contained", "density", "boundary", "authority", "relative")
TYPES = {
    *("PERSON", "ORG", "PLACE", "NAME", "DATE", "TIME", "MONEY", "PERCENT", "QUANTITY", "VERSION"),
    *("CODE", "URL", "EMAIL"),
}
MODALITIES = {"text", "code", "table", "image", "speech", "mixed"}


def check(chunk: Chunk) -> None:
    facts = chunk.facts
    assert facts is not None
    for name in SHARES:
        value = getattr(facts, name)
        assert isinstance(value, float), name
        assert 0 <= value <= 1, name
    assert facts.modality in MODALITIES
    assert facts.freshness is None or 0 <= facts.freshness <= 1
    assert facts.summary is not None
    assert facts.entities is not None
    text = chunk.document.text
    for one in facts.entities:
        assert chunk.start <= one.start < one.end <= chunk.end
        assert text[one.start : one.end].split() == one.text.split()
        assert one.type in TYPES
    assert len({(one.text, one.type) for one in facts.entities}) == len(facts.entities)
    assert [one.start for one in facts.entities] == sorted(one.start for one in facts.entities)


@pytest.mark.parametrize("strategy", ["structural", "rechunk", "hierarchical"])
@law
@given(st.data())
def test_values_are_within_their_ranges(strategy: str, data: st.DataObject) -> None:
    recipe = replace(data.draw(strategic(strategy)), enrich=tuple(MAKERS), signal="hash")
    chunks = chunk_document(parse_text(data.draw(documents()) + "\n"), recipe, now=NOW)
    for chunk in chunks:
        check(chunk)
    plain = chunk_document(parse_text(chunks[0].document.text), replace(recipe, enrich=())) if chunks else []
    assert [chunk.body for chunk in plain] == [chunk.body for chunk in chunks]


@law
@given(
    st.text(st.characters(exclude_categories=("Cs",)), max_size=400), st.sampled_from(["text/plain", "text/markdown"])
)
def test_any_text_has_facts(text: str, media_type: str) -> None:
    recipe = Recipe(enrich=tuple(MAKERS), signal="hash")
    for chunk in chunk_document(parse_text(text, media_type=media_type), recipe, now=NOW):
        check(chunk)


PIECES = [
    "Mr. ",
    "Ada ",
    "of ",
    "Inc. ",
    "$1,0",
    "12:30 ",
    "`x`",
    "a@b.c ",
    "https://a.b ",
    "3 May ",
    "2020",
    "5 km ",
    ". ",
]


@law
@given(
    st.lists(st.sampled_from([*PIECES, "\n", "| ", "the ", "’s ", "1.2.3", "É", "ß", "-"]), max_size=60).map("".join)
)
def test_what_looks_like_entities_has_exact_spans(text: str) -> None:
    for chunk in chunk_document(parse_text(text), Recipe(enrich=tuple(MAKERS), signal="hash"), now=NOW):
        check(chunk)


@law
@given(strategic("hierarchical"), documents())
def test_facts_are_the_same_every_time(recipe: Recipe, text: str) -> None:
    named = replace(recipe, enrich=tuple(MAKERS), signal="hash")
    runs = [[c.facts for c in chunk_document(parse_text(text + "\n"), named, now=NOW)] for _ in range(2)]
    assert runs[0] == runs[1]
