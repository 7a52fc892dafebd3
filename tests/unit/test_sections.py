"""Sections: what no chunk crosses, the headings above it, small chunks, and splitting at a depth."""

from __future__ import annotations

import pytest

import seamline
from seamline.recipe.recipe import Recipe
from seamline.tokens import load
from seamline.types import Budget, Chunk

count = load("o200k_base").count
WORDS = "The mill turns when the wind is right, and it stands still on all other days of the week. "


def cut(text: str, limit: int = 96, target: int = 0, floor: int = 0, **changes: object) -> list[Chunk]:
    recipe = Recipe(budget=Budget(target or limit, limit, floor), **changes)  # type: ignore[arg-type]
    chunks = seamline.chunk(seamline.read(text, id="mill"), recipe=recipe)
    assert not seamline.audit(chunks, limit=limit)
    return chunks


def bodies(chunks: list[Chunk]) -> list[str]:
    return [" ".join(chunk.render("body").split()) for chunk in chunks]


# --- policies --------------------------------------------------------------------------------------------------------

THREE = "# A\n\nOne.\n\n## B\n\nTwo.\n\n# C\n\nThree.\n"


def test_heading_never_crosses_a_section() -> None:
    assert bodies(cut(THREE)) == ["# A One.", "## B Two.", "# C Three."]


def test_paragraph_fills_over_headings() -> None:
    assert bodies(cut(THREE, sections="paragraph")) == ["# A One. ## B Two. # C Three."]


def test_paragraph_still_prefers_headings_as_gaps() -> None:
    text = f"{WORDS}\n\n{WORDS}\n\n## B\n\n{WORDS}\n\n{WORDS}\n"
    chunks = cut(text, limit=64, target=48, sections="paragraph")
    assert [chunk.seam for chunk in chunks] == ["start", "h2"]


def test_hybrid_merges_sections_below_the_floor() -> None:
    assert bodies(cut(THREE, sections="hybrid", floor=6)) == ["# A One. ## B Two. # C Three."]
    assert bodies(cut(f"{THREE}\n{WORDS * 4}", sections="hybrid", floor=6))[0] == "# A One. ## B Two."
    assert bodies(cut(THREE, sections="hybrid")) == ["# A One. ## B Two. # C Three."]  # a quarter of the target
    assert bodies(cut(THREE, floor=6)) == bodies(cut(THREE))  # under the heading policy sections stay apart


def test_a_large_section_is_packed_within_and_keeps_its_path() -> None:
    text = "# Mill\n\n## Wind\n\n" + "\n\n".join([WORDS * 2] * 6) + "\n\n## Water\n\nNone.\n"
    chunks = cut(text)
    assert [chunk.breadcrumb for chunk in chunks] == [*["Mill > Wind"] * (len(chunks) - 1), "Mill > Water"]
    assert len(chunks) > 3
    for chunk in chunks[1:-1]:
        assert chunk.text.startswith("# Mill\n\n## Wind\n\nThe mill")
        assert chunk.to_dict()["section_title"] == "Wind"


def test_text_before_any_heading_is_a_section_of_its_own() -> None:
    chunks = cut("Before.\n\n# A\n\nOne.\n")
    assert [chunk.path for chunk in chunks] == [(), ("A",)]


# --- headings that follow each other ---------------------------------------------------------------------------------


def test_headings_stay_with_what_follows_them() -> None:
    assert bodies(cut("# A\n\n## B\n\n### C\n\nOne.\n\n## D\n\nTwo.\n")) == ["# A ## B ### C One.", "## D Two."]


@pytest.mark.parametrize("sections", ["heading", "paragraph", "hybrid"])
@pytest.mark.parametrize("packer", ["fill", "decay", "optimal"])
def test_no_heading_is_stranded_at_the_end_of_a_chunk(sections: str, packer: str) -> None:
    text = "\n\n".join(f"{'#' * (1 + i % 4)} Title {i}\n\n{WORDS * (1 + i % 3)}" for i in range(12))
    for limit in (48, 64, 96, 150):
        for chunk in cut(text, limit, sections=sections, packer=packer):
            assert not chunk.render("body").splitlines()[-1].startswith("#")


# --- breadcrumbs -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("## A\n\na\n\n#### B\n\nb\n\n### C\n\nc\n", ["A", "A > B", "A > C"]),
        ("# A\n\na\n\n#### B\n\nb\n\n# C\n\nc\n\n### D\n\nd\n", ["A", "A > B", "C", "C > D"]),
        ("### A\n\na\n\n## B\n\nb\n\n### C\n\nc\n", ["A", "B", "B > C"]),
        ("A\n=\n\na\n\nB\n-\n\nb\n\n### C ###\n\nc\n", ["A", "A > B", "A > B > C"]),
        ("###### A\n\na\n\n# B\n\nb\n\n###### C\n\nc\n", ["A", "B", "B > C"]),
        ("# A\n\na\n\n# A\n\na\n", ["A", "A"]),
        ("#\n\na\n\n## B\n\nb\n", ["", " > B"]),
        ("# A {#anchor}\n\na\n", ["A"]),
        ("# A {/*anchor*/}\n\na\n", ["A"]),
        ("# A {/* #anchor */}\n\na\n", ["A"]),
        ("# A {props}\n\na\n", ["A {props}"]),
    ],
)
def test_breadcrumbs_show_what_the_author_wrote(text: str, paths: list[str]) -> None:
    assert [chunk.breadcrumb for chunk in cut(text)] == paths


def test_a_heading_inside_a_list_or_quote_is_not_above_anything() -> None:
    chunks = cut("# A\n\n> ## Quoted\n> words\n\n- # Listed\n\nOne.\n", limit=64)
    assert {chunk.breadcrumb for chunk in chunks} == {"A"}


DEEP = "# A\n\na\n\n## B\n\nb\n\n### C\n\nc\n"


@pytest.mark.parametrize(
    ("depth", "paths"),
    [(0, ["", "", ""]), (1, ["A", "A", "A"]), (2, ["A", "A > B", "A > B"]), (6, ["A", "A > B", "A > B > C"])],
)
def test_the_depth_of_breadcrumbs_is_an_option(depth: int, paths: list[str]) -> None:
    chunks = cut(DEEP, breadcrumb_depth=depth)
    assert [chunk.breadcrumb for chunk in chunks] == paths
    above = [sum(c.role == "heading" for c in chunk.context) for chunk in chunks]
    assert above == [0, min(1, depth), min(2, depth)]


def test_breadcrumbs_can_be_left_out_of_the_text() -> None:
    chunks = cut(DEEP, breadcrumb=False)
    assert [chunk.context for chunk in chunks] == [()] * 3
    assert chunks[2].breadcrumb == "A > B > C"


def test_long_headings_give_way_to_the_text_outermost_first() -> None:
    text = f"# {WORDS}\n\n## Short\n\n" + "\n\n".join([WORDS] * 8)
    for chunk in cut(text, limit=64)[1:]:
        assert [c.role for c in chunk.context] == ["heading"]
        assert chunk.text.startswith("## Short\n\n")


# --- small chunks ----------------------------------------------------------------------------------------------------


def section(title: str, tokens: int) -> str:
    """A section of exactly that many tokens, its heading and the line end before the next included."""
    head = f"# {title}\n\n"
    text = head + "wind" + " wind" * (tokens - count(head + "wind."))
    return text + "."


def test_sections_have_the_size_they_are_asked_for() -> None:
    assert [count(section("A", n)) for n in (10, 25, 60)] == [10, 25, 60]


@pytest.mark.parametrize(
    ("sizes", "merged"),
    [
        ((10, 40), ["AB"]),  # forward
        ((10, 50, 40), ["A", "B", "C"]),  # no room on either side: left
        ((40, 10, 50), ["AB", "C"]),  # no room after: backward
        ((10, 10, 10), ["ABC"]),  # the first two are enough, and the rest has nothing after it
        ((50, 10, 10), ["A", "BC"]),
        ((30, 30), ["A", "B"]),  # none is small
    ],
)
def test_small_chunks_merge_forward_else_backward_else_stay(sizes: tuple[int, ...], merged: list[str]) -> None:
    text = "\n\n".join(section(title, tokens) for title, tokens in zip("ABC", sizes, strict=False))
    chunks = cut(text, limit=56, floor=20, sections="hybrid", breadcrumb=False)
    titles = ["".join(word for word in body.split() if word in "ABC") for body in bodies(chunks)]
    assert titles == merged


def test_the_heading_policy_merges_within_a_section_only() -> None:
    tail = "A last word."
    text = f"# A\n\n{WORDS * 2}\n\n{tail}\n\n# B\n\nTiny.\n"
    without = cut(text, limit=64, target=46, packer="fill")
    assert [body.split()[-1] for body in bodies(without)] == ["week.", "word.", "Tiny."]
    chunks = cut(text, limit=64, target=46, floor=16, packer="fill")
    assert [body.split()[-1] for body in bodies(chunks)] == ["word.", "Tiny."]


def test_a_merged_fence_is_whole_again() -> None:
    code = "```sh\n" + "".join(f"step {i}\n" for i in range(24)) + "```"
    chunks = cut(f"# A\n\n{code}\n", limit=100, target=80, floor=40, packer="fill")
    for chunk in chunks:
        assert chunk.text.count("```") == 2


# --- structural split at a depth -------------------------------------------------------------------------------------


def test_depth_keeps_everything_under_a_heading_together() -> None:
    assert bodies(cut(DEEP, depth=1)) == ["# A a ## B b ### C c"]
    assert bodies(cut(DEEP, depth=2)) == ["# A a", "## B b ### C c"]
    assert bodies(cut(DEEP, depth=3)) == bodies(cut(DEEP)) == ["# A a", "## B b", "### C c"]


def test_depth_goes_finer_only_where_a_section_is_too_large() -> None:
    text = f"# A\n\na\n\n## B\n\nb\n\n# C\n\nc\n\n## D\n\n{WORDS * 2}\n\n## E\n\n{WORDS * 2}\n\n### F\n\nf\n"
    chunks = cut(text, limit=64, depth=1)
    assert [body.split()[1] for body in bodies(chunks)] == ["A", "C", "D", "E"]
    assert bodies(chunks)[3].endswith("### F f")


def test_depth_names_the_section_around_each_chunk() -> None:
    text = f"# A\n\na\n\n## B\n\n{WORDS * 2}\n\n{WORDS * 2}\n\n{WORDS * 2}\n"
    chunks = cut(text, limit=64, depth=2)
    nodes = {node.title: node for node in seamline.outline(chunks[0].document)}
    assert chunks[0].parent == nodes["A"].id
    assert len(chunks) > 2
    assert {chunk.parent for chunk in chunks[1:]} == {nodes["B"].id}  # parts of B
    assert nodes["B"].parent == nodes["A"].id
    assert nodes["A"].children == (nodes["B"].id,)
