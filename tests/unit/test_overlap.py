"""What a chunk repeats of its neighbours: each kind by an example, and the limit that holds for all."""

from __future__ import annotations

from itertools import pairwise
from typing import get_args

import pytest

import seamline
from seamline.recipe.recipe import Overlap, OverlapKind, Recipe
from seamline.tokens import load
from seamline.types import Budget, Chunk, Span

count = load("o200k_base").count
KINDS = [kind for kind in get_args(OverlapKind) if kind != "none"]

WORDS = "The boat goes out at six. It comes back at nine. The catch is sold on the pier before noon."
PROSE = "# Harbour\n\n" + "\n\n".join(f"Day {i}. {WORDS} Nobody fishes in a storm of force {i}." for i in range(1, 9))
CODE = "```python\n" + "".join(f"price_{i} = weigh({i})\n" for i in range(60)) + "```\n"
TABLE = "| fish | price |\n|------|-------|\n" + "".join(f"| kind {i} | {i} crowns |\n" for i in range(60))
CHINESE = "# 港\n\n" + "\n\n".join("渔船清晨六点出海九点返回上午在码头出售" * 12 for _ in range(3))


def cut(text: str, kind: str, tokens: int = 0, limit: int = 96, target: int = 0, **changes: object) -> list[Chunk]:
    recipe = Recipe(budget=Budget(target or limit, limit), overlap=Overlap(kind, tokens), **changes)  # type: ignore[arg-type]
    chunks = seamline.chunk(seamline.read(text, id="harbour", recipe=recipe), recipe=recipe)
    assert not seamline.audit(chunks, limit=limit)
    return chunks


def text_of(chunk: Chunk, span: Span) -> str:
    return chunk.document.text[span.start : span.end]


def repeated(chunk: Chunk, role: str = "overlap") -> str:
    return "".join(text_of(chunk, c.span) for c in chunk.context if c.role == role)


# --- all kinds -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("limit", [48, 64, 96, 200])
@pytest.mark.parametrize("text", [PROSE, CODE, TABLE, CHINESE, PROSE + "\n\n" + CODE + "\n" + TABLE])
@pytest.mark.parametrize("sections", ["heading", "paragraph"])
def test_the_limit_holds_and_the_bodies_are_as_without(kind: str, limit: int, text: str, sections: str) -> None:
    chunks = cut(text, kind, limit=limit, sections=sections)
    assert "".join("".join(chunk.render("body").split()) for chunk in chunks) == "".join(text.split())
    assert max(chunk.tokens for chunk in chunks) <= limit


@pytest.mark.parametrize("kind", ["blocks", "sentences", "tokens"])
def test_what_is_repeated_stands_right_before_the_body(kind: str) -> None:
    chunks = cut(PROSE, kind, 40, limit=120, target=70, packer="fill")
    borrowed = [(chunk, c) for chunk in chunks for c in chunk.context if c.role == "overlap"]
    assert borrowed
    for chunk, context in borrowed:
        assert context.end == chunk.start
        assert 0 < count(text_of(chunk, context.span)) <= 40


def test_none_repeats_nothing() -> None:
    assert not any(repeated(chunk) for chunk in cut(PROSE, "none"))


@pytest.mark.parametrize("kind", ["blocks", "boundary", "sentences", "tokens", "context"])
def test_nothing_is_repeated_over_a_section_bound(kind: str) -> None:
    text = f"# A\n\n{WORDS}\n\n# B\n\n{WORDS}\n"
    assert [repeated(chunk) + repeated(chunk, "summary") for chunk in cut(text, kind, limit=64)] == ["", ""]


def test_inside_a_split_block_the_reopened_frame_is_enough() -> None:
    for text, role in ((CODE, "fence"), (TABLE, "header")):
        chunks = cut(text, "sentences")
        assert len(chunks) > 2
        assert all([c.role for c in chunk.context] == [role] for chunk in chunks[1:])


# --- blocks ----------------------------------------------------------------------------------------------------------


def test_blocks_takes_the_largest_suffix_of_whole_blocks() -> None:
    text = "# A\n\n" + "\n\n".join([WORDS, "One.", "Two.", "Three.", WORDS])
    chunks = cut(text, "blocks", 12, limit=48, target=40, packer="fill")
    assert repeated(chunks[1]) == "One.\n\nTwo.\n\nThree.\n\n"


def test_blocks_never_takes_a_heading_alone_and_prefers_what_is_under_it() -> None:
    text = f"{WORDS}\n\n{WORDS}\n\n## Pier\n\nA short remark.\n\n{WORDS}\n\n{WORDS}\n"
    chunks = cut(text, "blocks", 20, limit=80, target=60, packer="fill", sections="paragraph")
    assert repeated(chunks[1]) == "A short remark.\n\n"


def test_blocks_prefers_a_paragraph_to_the_table_before_it() -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 |"
    text = f"# A\n\n{WORDS}\n\n{table}\n\nOne remark.\n\n{WORDS}\n"
    chunks = cut(text, "blocks", 30, limit=90, target=50, packer="fill")
    assert repeated(chunks[-1]) == "One remark.\n\n"
    without = cut(text.replace("One remark.\n\n", ""), "blocks", 30, limit=90, target=50, packer="fill")
    assert repeated(without[-1]) == f"{table}\n\n"


def test_blocks_never_takes_front_matter() -> None:
    text = f"---\ntitle: Pier\n---\n\n{WORDS}\n\n{WORDS}\n\n{WORDS}\n"
    chunks = cut(text, "blocks", 30, limit=64, target=30, packer="fill", front_matter="include")
    assert "title" in chunks[0].text
    assert not any("title" in chunk.text for chunk in chunks[1:])


def test_a_block_above_the_overlap_budget_is_not_cut() -> None:
    assert not any(repeated(chunk) for chunk in cut(PROSE, "blocks", 10, limit=96, target=70))


# --- boundary --------------------------------------------------------------------------------------------------------


def test_boundary_is_the_last_heading_and_the_last_sentence() -> None:
    chunks = cut(PROSE, "boundary", limit=96, sections="paragraph", breadcrumb=False)
    assert chunks[1].text.startswith("# Harbour\n\nNobody fishes in a storm of force ")
    assert all(c.role in ("heading", "overlap") for chunk in chunks for c in chunk.context)


def test_boundary_is_capped_and_then_keeps_the_heading_alone() -> None:
    long = "A very long sentence goes on and on " * 8 + "until it ends."
    chunks = cut(
        f"# Harbour\n\n{long}\n\n{long}\n\n{long}\n", "boundary", limit=160, sections="paragraph", breadcrumb=False
    )
    assert [[c.role for c in chunk.context] for chunk in chunks[1:]] == [["heading"]] * (len(chunks) - 1)
    for chunk in cut(PROSE, "boundary", 20, limit=96, sections="paragraph", breadcrumb=False):
        assert count("".join(text_of(chunk, c.span) + c.added for c in chunk.context)) <= 20


def test_boundary_after_a_split_table_is_its_header_and_heading() -> None:
    for chunk in cut(f"# Prices\n\n{TABLE}", "boundary", breadcrumb=False)[1:]:
        assert chunk.text.startswith("# Prices\n\n| fish | price |\n|------|-------|\n| kind ")


def test_boundary_brings_the_heading_of_its_sentence_into_a_new_section() -> None:
    text = f"## Boats\n\n{WORDS} {WORDS}\n\n## Nets\n\n{WORDS} {WORDS}\n"
    chunks = cut(text, "boundary", limit=80, sections="paragraph", breadcrumb=False, packer="fill")
    assert chunks[1].text.startswith("## Boats\n\nThe catch is sold on the pier before noon.\n\n## Nets")


# --- sentences -------------------------------------------------------------------------------------------------------


def test_sentences_are_whole_and_as_many_as_fit() -> None:
    one = cut(PROSE, "sentences", 12, limit=96, target=70, packer="fill")[1]
    two = cut(PROSE, "sentences", 24, limit=96, target=70, packer="fill")[1]
    assert repeated(one).startswith("Nobody fishes in a storm")
    assert repeated(two).startswith("The catch is sold on the pier before noon. Nobody fishes")


def test_a_sentence_above_the_budget_is_not_cut() -> None:
    assert not any(repeated(chunk) for chunk in cut(PROSE, "sentences", 5, limit=96, target=70))


# --- tokens ----------------------------------------------------------------------------------------------------------


def test_tokens_start_at_a_word() -> None:
    for chunk in cut(PROSE, "tokens", 9, limit=96, target=70)[1:]:
        span = next(c.span for c in chunk.context if c.role == "overlap")
        assert 6 <= count(text_of(chunk, span)) <= 9
        assert chunk.document.text[span.start - 1] == " "


def test_tokens_are_fifteen_percent_of_the_target_by_default() -> None:
    text = "# Harbour\n\n" + f"{WORDS} " * 60
    for chunk in cut(text, "tokens", limit=240, target=200, packer="fill")[1:]:
        assert 25 <= count(repeated(chunk)) <= 30


@pytest.mark.parametrize("kind", ["tokens", "blocks"])
def test_the_default_packer_leaves_room_for_the_overlap(kind: str) -> None:
    text = "# Harbour\n\n" + "\n\n".join([f"{WORDS} {WORDS} {WORDS}"] * 60)
    chunks = cut(text, kind, 72, limit=512, target=480)
    assert all(repeated(chunk) for chunk in chunks[1:])


def test_tokens_reach_back_over_a_short_last_paragraph() -> None:
    text = "\n\n".join([f"{WORDS} {WORDS} {WORDS}", "A short one.", f"{WORDS} {WORDS} {WORDS}"])
    chunks = cut(text, "tokens", 30, limit=160, target=90, packer="fill")
    assert count(repeated(chunks[1])) >= 25


def test_tokens_reach_into_a_list() -> None:
    text = "# Crew\n\n" + "".join(f"- sailor number {i} with a name and a bunk\n" for i in range(40))
    chunks = cut(text, "tokens", 30, limit=160, target=100, whole={"list": 0})
    assert all(repeated(chunk) for chunk in chunks[1:])


def test_tokens_of_a_script_without_spaces() -> None:
    chunks = cut(CHINESE, "tokens", 20, limit=120)
    borrowed = [c for chunk in chunks for c in chunk.context if c.role == "overlap"]
    assert all(c.start < c.end for c in borrowed)


# --- context ---------------------------------------------------------------------------------------------------------


def test_context_sums_up_what_came_before_in_the_section() -> None:
    chunks = cut(PROSE, "context", 40, limit=128, target=80)
    assert repeated(chunks[1], "summary").startswith("Day 1.")
    for chunk in chunks[1:]:
        sentences = [text_of(chunk, c.span) for c in chunk.context if c.role == "summary"]
        assert sentences
        assert count(" ".join(sentences)) <= 40
        assert chunk.text.startswith("# Harbour\n\nDay ")


def test_context_stands_before_a_reopened_fence() -> None:
    chunks = cut(f"# Prices\n\nThey change daily.\n\n{CODE}", "context", 20, limit=96)
    roles = [[c.role for c in chunk.context] for chunk in chunks]
    assert ["heading", "summary", "fence"] in roles


# --- shadows ---------------------------------------------------------------------------------------------------------


def test_shadows_are_kept_beside_the_text() -> None:
    plain, chunks = cut(PROSE, "none"), cut(PROSE, "shadows", 20)
    assert [chunk.text for chunk in chunks] == [chunk.text for chunk in plain]
    for before, chunk in pairwise(chunks):
        left, right = chunk.shadows[0], before.shadows[1]
        assert left
        assert right
        assert left.end == before.end
        assert right.start == chunk.start
        assert 12 <= count(text_of(chunk, left)) <= 20
        assert 12 <= count(text_of(chunk, right)) <= 20


def test_shadows_are_of_siblings_only() -> None:
    chunks = cut(f"# A\n\n{WORDS}\n\n# B\n\n{WORDS}\n", "shadows", limit=64)
    assert [chunk.shadows for chunk in chunks] == [(None, None)] * 2


def test_shadows_are_in_the_record() -> None:
    chunk = cut(PROSE, "shadows", 20)[1]
    assert chunk.to_dict()["shadows"] == [list(span) for span in chunk.shadows if span]


def test_shadows_of_a_script_without_spaces() -> None:
    for chunk in cut(CHINESE, "shadows", 20, limit=120):
        for span in filter(None, chunk.shadows):
            assert 0 < count(text_of(chunk, span)) <= 20


# --- auto ------------------------------------------------------------------------------------------------------------

LEANING = (
    "# Pier\n\nThe keeper lights the lamp at dusk. The lamp burns oil until the morning comes.\n\n"
    "It is trimmed twice a night. Ships see the light from nine miles away in clear weather.\n\n"
    "Fog horns sound every minute in thick weather. Sailors count the seconds between them.\n\n"
    "## Quay\n\nThis quay is older than the lamp. Crates wait there for the evening boat to come in.\n"
)


def test_auto_repeats_a_sentence_where_the_next_chunk_leans_on_it() -> None:
    chunks = cut(LEANING, "auto", tokens=20, limit=48, target=20)
    by_start = {chunk.render("body")[:8]: repeated(chunk) for chunk in chunks}
    assert by_start["It is tr"].strip() == "The lamp burns oil until the morning comes."
    assert by_start["Fog horn"] == "", "it can be read alone"
    assert next(value for start, value in by_start.items() if start.startswith("## Quay")) == "", "a section is new"


def test_auto_repeats_the_start_of_a_sentence_that_is_cut() -> None:
    text = "The old harbour of the town " + "with its sheds and cranes and ropes " * 12 + "closed.\n"
    chunks = cut(text, "auto", tokens=16, limit=48)
    assert len(chunks) > 1
    assert all(chunk.tokens <= 48 for chunk in chunks)


def test_auto_repeats_less_than_sentences() -> None:
    sizes = {
        kind: sum(len(repeated(c)) for c in cut(PROSE, kind, tokens=24, limit=96)) for kind in ("auto", "sentences")
    }
    assert sizes["auto"] <= sizes["sentences"]
