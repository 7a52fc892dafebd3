"""Ids and hashes: what they are made of, and which edits they survive."""

from __future__ import annotations

import hashlib
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import seamline
from seamline.recipe.recipe import Recipe
from seamline.types import Budget, Chunk, Namer, collapse, content_hash

GUIDE = """# Lamp

Turn the knob to the right.

## Wick

Trim the wick once a week. Use the small scissors.

## Oil

Fill the tank to the line.

## Glass

Wash the glass with warm water.
"""


def cut(text: str, id: str = "lamp", limit: int = 64) -> list[Chunk]:
    return seamline.chunk(seamline.read(text, id=id), recipe=Recipe(budget=Budget(limit, limit)))


def by_title(chunks: list[Chunk]) -> dict[str, str]:
    return {chunk.path[-1]: chunk.id for chunk in chunks if chunk.path}


# --- the hash --------------------------------------------------------------------------------------------------------


def test_the_hash_is_sha256_of_the_body_with_white_space_collapsed() -> None:
    for chunk in cut(GUIDE):
        plain = " ".join(chunk.render("body").split())
        assert chunk.content_hash == hashlib.sha256(plain.encode()).hexdigest()
    assert content_hash("a \t b\r\n\n c ") == hashlib.sha256(b"a b c").hexdigest()


@given(st.text(st.one_of(st.sampled_from(" \t\r\n\x0b\x0c\x1c\x1f\x85\xa0\u2003\u2028ab\x00\x7f"), st.characters())))
def test_collapsing_is_what_split_and_join_do(text: str) -> None:
    assert collapse(text) == " ".join(text.split())


def test_the_hash_is_of_the_body_alone() -> None:
    """Borrowed headings may change their words without touching the chunks under them."""
    before, after = cut(GUIDE), cut(GUIDE.replace("# Lamp", "# Oil lamp"))
    assert before[1].text != after[1].text
    assert [chunk.content_hash for chunk in before[1:]] == [chunk.content_hash for chunk in after[1:]]


# --- the id ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "edited",
    [
        GUIDE.replace("Trim the wick once a week.", "Trim the wick every day, and never when it is hot."),
        GUIDE.replace("## Oil\n", "## Shade\n\nThe shade is made of paper.\n\n## Oil\n"),
        GUIDE.replace("# Lamp\n", "A word before anything else.\n\n# Lamp\n"),
        GUIDE.replace("## Wick\n\nTrim the wick once a week. Use the small scissors.\n\n", ""),
    ],
)
def test_ids_survive_edits_elsewhere(edited: str) -> None:
    before, after = by_title(cut(GUIDE)), by_title(cut(edited))
    for title in ("Lamp", "Oil", "Glass"):
        assert before[title] == after[title]
    assert before["Wick"] != after.get("Wick") or "Trim the wick once" in edited


def test_ids_survive_other_line_ends_and_indentation_of_blank_lines() -> None:
    ids = [chunk.id for chunk in cut(GUIDE)]
    assert [chunk.id for chunk in cut(GUIDE.replace("\n", "\r\n"))] == ids
    assert [chunk.id for chunk in cut(GUIDE.replace("\n\n", "\n \t\n\n"))] == ids


def test_ids_name_the_document() -> None:
    one, two = cut(GUIDE, "lamp"), cut(GUIDE, "lantern")
    assert [chunk.content_hash for chunk in one] == [chunk.content_hash for chunk in two]
    assert not {chunk.id for chunk in one} & {chunk.id for chunk in two}


def test_ids_do_not_depend_on_the_position() -> None:
    one, two = by_title(cut(GUIDE)), by_title(cut(GUIDE + "\n# More\n\nThe end.\n"))
    assert {title: two[title] for title in one} == one


# --- the same words twice --------------------------------------------------------------------------------------------


def test_equal_chunks_are_numbered_by_occurrence() -> None:
    text = "\n\n".join(f"# {title}\n\nSame words." for title in "AAABA")
    chunks = cut(text)
    assert len({chunk.id for chunk in chunks}) == 5
    assert Counter(chunk.content_hash for chunk in chunks).most_common(1)[0][1] == 4
    shorter = cut(text.replace("\n\n# B\n\nSame words.", ""))
    assert [c.id for c in shorter] == [c.id for i, c in enumerate(chunks) if i != 3]


def test_an_occurrence_counts_only_equal_content() -> None:
    namer, other = Namer("d"), Namer("d")
    first, again = namer.name("x"), namer.name("x")
    other.name("y")
    assert (other.name("x"), other.name("x")) == (first, again)
    assert first != again


# --- neighbours and sections -----------------------------------------------------------------------------------------


def test_neighbours_are_named() -> None:
    chunks = cut(GUIDE)
    ids = [chunk.id for chunk in chunks]
    assert [chunk.previous for chunk in chunks] == ["", *ids[:-1]]
    assert [chunk.next for chunk in chunks] == [*ids[1:], ""]
    assert [(chunk.index, chunk.total) for chunk in chunks] == [(i, 4) for i in range(4)]


def test_ids_of_sections_survive_edits_elsewhere_and_tell_equal_titles_apart() -> None:
    text = GUIDE + "\n# Stove\n\n## Oil\n\nNone.\n\n## Oil\n\nStill none.\n"
    nodes = seamline.outline(seamline.read(text, id="lamp"))
    assert len({node.id for node in nodes}) == len(nodes)
    edited = text.replace("Turn the knob", "Push the button").replace("Wash the glass", "Leave the glass")
    assert [node.id for node in seamline.outline(seamline.read(edited, id="lamp"))] == [node.id for node in nodes]
    lamp = nodes[0]
    assert lamp.children == tuple(node.id for node in nodes if node.parent == lamp.id)
