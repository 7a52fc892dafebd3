"""The contract, over generated documents and all recipes. Real tokenizers; nothing is mocked."""

from __future__ import annotations

import json
import os

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import seamline
from seamline.recipe.recipe import Overlap, Recipe
from seamline.testing.strategies import documents, markdown, recipes
from seamline.text.graphemes import is_boundary
from seamline.tokens import load
from seamline.types import Budget, Chunk, Document

EXAMPLES = int(os.environ.get("SEAMLINE_EXAMPLES", "120"))
WHOLENESS = ("torn-fence", "torn-markup", "headless-table", "mid-sentence", "dangling-heading")
law = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)

FAMILY = "\U0001f469\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"
LARGE_HEADING = "# " + "a" * 400 + "\n\n" + FAMILY * 9 + "\n===\n\n## seam"
"""Two headings of one level: the second takes nearly a whole chunk, and has one below it."""
HEADINGS_ABOVE_COMMENT = """# seam

# seam seam seam https://example.org/a?b=c 3.14 3.14

#### seam seam seam seam 中文句子。 “quoted”

###### seam budget. 中文句子。 https://example.org/a?b=c (see 3.14

<!-- seam العربية؟ below): seam
===

# seam

# seam

# seam

# seam budget. https://example.org/a?b=c 3.14

# 中文句子。

# seam

# https://example.org/a?b=c The seam naïve Überprüfung x_y
"""
"""Headings that fit a chunk with what is below them, if none of them is counted twice."""
HEADING_BELOW_LARGE_ONE = "# " + "word " * 60 + "\n\n## " + "text " * 70 + "\n\n" + "seam " * 100
"""Two headings that do not fit a chunk together; the second has room for some of what is below it."""


def cut(text: str, recipe: Recipe, media_type: str = "text/markdown") -> tuple[Document, list[Chunk]]:
    document = seamline.read(text + "\n", id="doc", media_type=media_type, recipe=recipe)
    return document, seamline.chunk(document, recipe=recipe)


@law
@given(documents(), recipes())
def test_c1_no_chunk_exceeds_the_limit_and_counts_are_the_tokenizers_own(text: str, recipe: Recipe) -> None:
    tokenizer = load(recipe.tokenizer)
    for chunk in cut(text, recipe)[1]:
        assert chunk.tokens == tokenizer.count(chunk.text)
        assert chunk.tokens <= recipe.budget.limit


@law
@given(documents(), recipes())
def test_c2_bodies_hold_every_character_once_and_in_order(text: str, recipe: Recipe) -> None:
    document, chunks = cut(text, recipe)
    at = 0
    outside = ""
    for chunk in chunks:
        assert at <= chunk.start < chunk.end
        outside += document.text[at : chunk.start]
        at = chunk.end
    outside += document.text[at:]
    for span in document.removed:
        outside = outside.replace(document.text[span.start : span.end].strip(), "", 1)
    assert not outside.replace("\ufeff", "").strip()


@law
@given(documents(), recipes())
def test_c3_text_is_made_of_spans_and_marked_additions(text: str, recipe: Recipe) -> None:
    document, chunks = cut(text, recipe)
    for chunk in chunks:
        lead = "".join(document.text[c.start : c.end] + c.added for c in chunk.context)
        body = document.text[chunk.start : chunk.end]
        assert chunk.text == lead + body + chunk.closing
        assert chunk.text.encode("utf-8").decode("utf-8") == chunk.text
        first, last = chunk.lines
        assert 1 <= first <= last <= len(document.line_starts)
        assert json.loads(json.dumps(chunk.to_dict()))["text"] == chunk.text


@law
@given(documents(), recipes())
@example(LARGE_HEADING, Recipe(budget=Budget(44, 119), breadcrumb=False))
@example(HEADINGS_ABOVE_COMMENT, Recipe(budget=Budget(103, 119)))
@example(HEADING_BELOW_LARGE_ONE, Recipe(budget=Budget(100, 119)))
def test_c4_the_audit_finds_nothing(text: str, recipe: Recipe) -> None:
    _, chunks = cut(text, recipe)
    found = seamline.audit(chunks, limit=recipe.budget.limit, tokenizer=recipe.tokenizer)
    found = [v for v in found if v.rule != "changed-role"]  # test_roles draws for it, and less hostile text
    if recipe.budget.limit < 64:  # too small for a header and a row, a fence and a line, a heading and a sentence
        found = [v for v in found if v.rule not in WHOLENESS]
    assert not found


@law
@given(documents(), recipes())
def test_c5_the_same_input_gives_the_same_output(text: str, recipe: Recipe) -> None:
    first = [c.to_dict() for c in cut(text, recipe)[1]]
    assert first == [c.to_dict() for c in cut(text, recipe)[1]]


@law
@given(documents(), recipes(limits=(32, 2000)))  # one family emoji has 18 tokens of cl100k_base
def test_graphemes_are_never_cut(text: str, recipe: Recipe) -> None:
    document, chunks = cut(text, recipe)
    for chunk in chunks:
        assert is_boundary(document.text, chunk.start)
        assert is_boundary(document.text, chunk.end)


@law
@given(documents(), recipes())
def test_ids_are_unique(text: str, recipe: Recipe) -> None:
    ids = [c.id for c in cut(text, recipe)[1]]
    assert len(set(ids)) == len(ids)


@law
@given(documents(), recipes(), st.sampled_from(["text/plain", "text/mdx"]))
def test_other_formats_keep_the_contract_too(text: str, recipe: Recipe, media_type: str) -> None:
    _, chunks = cut(text, recipe, media_type)
    rules = {v.rule for v in seamline.audit(chunks, limit=recipe.budget.limit, tokenizer=recipe.tokenizer)}
    assert not rules & {"over-limit", "wrong-count", "coverage", "wrong-span", "overlap-of-bodies", "duplicate-id"}


@law
@given(st.lists(markdown(), min_size=3, max_size=6), st.integers(0, 5), recipes())
def test_c7_an_edit_keeps_the_chunks_of_other_sections(parts: list[str], at: int, recipe: Recipe) -> None:
    recipe = Recipe(budget=recipe.budget, packer=recipe.packer, tokenizer=recipe.tokenizer)
    sections = [f"# Part {i}\n\nA first line of part {i}.\n\n{p.replace('#', '')}" for i, p in enumerate(parts)]
    sections = [
        s.replace("```", "").replace("~~~", "").replace("<", "").replace("$$", "").replace("===", "").replace("---", "")
        for s in sections
    ]
    at %= len(sections)
    edited = [s + ("\n\nOne more paragraph.\n" if i == at else "") for i, s in enumerate(sections)]
    before = seamline.chunk(seamline.read("\n\n".join(sections), id="d"), recipe=recipe)
    after = {c.id for c in seamline.chunk(seamline.read("\n\n".join(edited), id="d"), recipe=recipe)}
    texts = [" ".join(c.render("body").split()) for c in before]
    for chunk, text in zip(before, texts, strict=True):
        if chunk.path and chunk.path[0] != f"Part {at}" and texts.count(text) == 1 and "Part" in chunk.path[0]:
            assert chunk.id in after


@law
# Smaller limits cut sentences by words, where the number of characters guides the first guess.
@given(markdown().filter(lambda t: "\r" not in t), recipes(limits=(500, 2000)))
def test_crlf_and_lf_are_cut_alike(text: str, recipe: Recipe) -> None:
    recipe = Recipe(budget=recipe.budget, packer=recipe.packer, sections=recipe.sections)
    lf = [c.text for c in seamline.chunk(seamline.read(text, id="d"), recipe=recipe, tokenizer=_count_without_cr)]
    crlf_text = text.replace("\n", "\r\n")
    crlf = [
        c.text for c in seamline.chunk(seamline.read(crlf_text, id="d"), recipe=recipe, tokenizer=_count_without_cr)
    ]
    assert [t.replace("\r\n", "\n") for t in crlf] == lf


def _count_without_cr(text: str) -> int:
    """A tokenizer for which both line ends cost the same, so that both texts pack alike."""
    return (len(text) - text.count("\r") + 3) // 4


@law
@given(markdown(), recipes())
def test_a_trailing_newline_changes_nothing(text: str, recipe: Recipe) -> None:
    one = seamline.chunk(seamline.read(text + "\n", id="d"), recipe=recipe)
    two = seamline.chunk(seamline.read(text + "\n\n", id="d"), recipe=recipe)
    assert [c.id for c in one] == [c.id for c in two]


def test_ids_stay_unique_for_twenty_thousand_equal_paragraphs() -> None:
    for sections in ("heading", "paragraph"):
        recipe = Recipe(budget=Budget(16, 16), sections=sections)
        chunks = seamline.chunk("The same words again.\n\n" * 20_000, recipe=recipe)
        assert len({c.id for c in chunks}) == len(chunks) > 1000


@law
@given(st.integers(-5, 40), st.integers(-5, 40), st.integers(-5, 40), st.integers(-5, 40))
@example(10, 20, 5, 20)
def test_impossible_sizes_are_refused_before_any_work(target: int, limit: int, floor: int, overlap: int) -> None:
    try:
        recipe = Recipe(budget=Budget(target, limit, floor), overlap=Overlap("tokens", overlap))
    except seamline.ConfigError:
        return
    assert 0 < recipe.budget.target <= recipe.budget.limit
    assert 0 <= recipe.overlap.tokens < recipe.budget.limit
    seamline.chunk("word " * 50, recipe=recipe)
