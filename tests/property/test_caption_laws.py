"""A caption and what it names are in one chunk, under every strategy, wherever both fit."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import seamline
from seamline.recipe.recipe import Recipe
from seamline.tokens import load
from seamline.types import Budget

EXAMPLES = int(os.environ.get("SEAMLINE_EXAMPLES", "60"))
law = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)

_WORDS = st.lists(
    st.sampled_from(("pump", "seal", "429", "Überdruck", "the", "日本語", "motor")), min_size=1, max_size=30
)
_TEXT = _WORDS.map(lambda words: "Some " + " ".join(words) + ". More of it follows here.")


def _table(rows: int) -> str:
    return "\n".join(["| name | size |", "| --- | --- |", *[f"| part {n} | {n * 7} mm |" for n in range(rows)]])


_THINGS = st.one_of(
    st.tuples(st.just("Table"), st.integers(1, 12).map(_table)),
    st.tuples(st.just("Figure"), st.sampled_from(("![A pump](pump.png)", '<img src="a.png" alt="pump">'))),
    st.tuples(st.just("Listing"), st.integers(1, 9).map(lambda n: "```py\n" + "x = 1\n" * n + "```")),
    st.tuples(st.just("Table"), st.integers(1, 6).map(lambda n: f"<table>{'<tr><td>cell</td></tr>' * n}</table>")),
)
_STYLES = st.sampled_from(("{} {}: {}", "**{} {}.** {}", "*{} {} – {}*", '<span class="caption">{} {}: {}</span>'))


@st.composite
def _documents(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A document, and the pairs in it as they are written."""
    parts, pairs = ["# Manual"], []
    for number in range(1, draw(st.integers(2, 6))):
        parts += draw(st.lists(_TEXT, min_size=1, max_size=4))
        if draw(st.booleans()):
            parts.append(f"## Part {number}")
        word, thing = draw(_THINGS)
        caption = draw(_STYLES).format(word, number, " ".join(draw(_WORDS)))
        pair = [caption, thing] if draw(st.booleans()) else [thing, caption]
        pairs.append("\n\n".join(pair))
        parts += [*pair, draw(_TEXT)]
    return "\n\n".join(parts) + "\n", pairs


@law
@given(
    document=_documents(),
    limit=st.sampled_from((64, 96, 128, 200)),
    strategy=st.sampled_from(("structural", "semantic", "rechunk", "hierarchical", "multimodal")),
    packer=st.sampled_from(("optimal", "fill", "decay")),
)
def test_caption_stays_with_what_it_names(
    document: tuple[str, list[str]], limit: int, strategy: str, packer: str
) -> None:
    text, pairs = document
    recipe = Recipe(strategy=strategy, packer=packer, breadcrumb=False, budget=Budget(limit * 15 // 16, limit))  # type: ignore[arg-type]
    chunks = seamline.chunk(text, recipe=recipe)
    bodies = [chunk.document.text[chunk.start : chunk.end] for chunk in chunks if chunk.level == 0]
    count = load("o200k_base").count
    for pair in pairs:
        if count("## Part 1\n\n" + pair) + 2 <= limit:  # with the heading that may stand above it
            assert any(pair in body for body in bodies), pair
