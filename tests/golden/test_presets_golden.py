"""The reference designs, kept as files that people read. SEAMLINE_UPDATE_GOLDEN=1 writes them anew."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

import seamline
from seamline.recipe.recipe import Overlap, Recipe, resize
from seamline.tokens import load
from seamline.types import Chunk, Context, Span

HERE = Path(__file__).parent / "presets"


@dataclass(frozen=True)
class Case:
    """A preset, what is changed in it, and the page it cuts."""

    preset: str
    page: str = ""
    sizes: dict[str, int] = field(default_factory=dict)
    changes: dict[str, Any] = field(default_factory=dict)

    @property
    def recipe(self) -> Recipe:
        return replace(resize(seamline.preset(self.preset), **self.sizes), **self.changes)

    @property
    def chunks(self) -> list[Chunk]:
        return cut(self.page or f"{self.preset}.md", self.recipe)


CASES = {
    "packed": Case("packed"),
    "packed-192": Case("packed", sizes={"limit": 192}, changes={"overlap": Overlap("boundary", 50)}),
    "window": Case("window"),
    "window-300": Case("window", sizes={"limit": 300}, changes={"window": 67}),
    "estimate": Case("estimate"),
    "estimate-112": Case(
        "estimate", sizes={"target": 80, "limit": 112, "floor": 40}, changes={"overlap": Overlap("blocks", 40)}
    ),
    "estimate-hybrid": Case("estimate", sizes={"limit": 112, "floor": 48}, changes={"sections": "hybrid"}),
    "estimate-include": Case(
        "estimate", sizes={"limit": 256}, changes={"front_matter": "include", "sections": "paragraph"}
    ),
    "knowledge-base": Case("knowledge-base"),
    "default": Case("default"),
    "default-96": Case("default", sizes={"limit": 96}),
    "html": Case("default", "html.md", sizes={"limit": 128}),
    "depth": Case("default", "depth.md", sizes={"limit": 160}, changes={"depth": 2}),
}
"""Golden file -> how it is made. The name of a preset alone is that preset at its real sizes."""


def cut(page: str, recipe: Recipe) -> list[Chunk]:
    document = seamline.read((HERE / page).read_text(encoding="utf-8"), id=page, recipe=recipe)
    return seamline.chunk(document, recipe=recipe)


# --- a rendering for people ------------------------------------------------------------------------------------------


def rendering(name: str, case: Case, chunks: list[Chunk]) -> str:
    recipe = case.recipe
    budget, overlap = recipe.budget, recipe.overlap
    head = [
        f"{name}: {chunks[0].doc_id} by the preset `{case.preset}`, {recipe.tokenizer}",
        f"target {budget.target}, limit {budget.limit}, floor {budget.floor}; packer {recipe.packer}; "
        f"sections {recipe.sections}; overlap {overlap.kind}{f' {overlap.tokens}' if overlap.tokens else ''}",
        *([f"changed: {', '.join(f'{key}={value}' for key, value in case.changes.items())}"] if case.changes else []),
        "│ body   ┆ role| borrowed from elsewhere in the document   + added",
    ]
    titles = {node.id: node.title for node in seamline.outline(chunks[0].document)}
    blocks = ["\n".join(shown(chunk, titles)) for chunk in chunks]
    return "\n".join(head) + "\n\n" + "\n\n".join(blocks) + "\n"


def shown(chunk: Chunk, titles: dict[str, str]) -> Iterator[str]:
    first, last = chunk.lines
    facts = [
        f"#{chunk.index}",
        f"{chunk.tokens} tokens",
        f"lines {first}-{last}",
        chunk.breadcrumb or "(no heading)",
        f"seam {chunk.seam}",
        chunk.kind,
        *([f"part of {titles[chunk.parent]!r}"] if chunk.parent else []),
    ]
    yield f"=== {' · '.join(facts)}"
    for context in chunk.context:
        yield from borrowed(chunk, context)
    yield from marked("│ ", chunk.render("body"))
    yield from marked("+ ", chunk.closing.strip("\n"))
    for side, span in zip(("before", "after"), chunk.shadows, strict=True):
        if span:
            tokens = load("o200k_base").count(slice_of(chunk, span))
            yield f"    ({tokens} tokens of shadow {side}: {' '.join(slice_of(chunk, span).split())})"


def borrowed(chunk: Chunk, context: Context) -> Iterator[str]:
    yield from marked(f"┆ {context.role}| ", slice_of(chunk, context.span).rstrip("\n"))
    yield from marked("+ ", context.added.strip("\n "))


def marked(mark: str, text: str) -> Iterator[str]:
    """Each line behind its mark; no line ends in a blank."""
    return (f"{mark}{line}".rstrip() for line in text.split("\n")) if text else iter(())


def slice_of(chunk: Chunk, span: Span) -> str:
    return chunk.document.text[span.start : span.end]


# --- the files -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CASES)
def test_chunks_are_as_they_were(name: str) -> None:
    case = CASES[name]
    chunks = case.chunks
    assert not seamline.audit(chunks, limit=case.recipe.budget.limit, tokenizer=case.recipe.tokenizer)
    golden = HERE / f"{name}.golden.txt"
    text = rendering(name, case, chunks)
    if os.environ.get("SEAMLINE_UPDATE_GOLDEN"):
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8"), f"SEAMLINE_UPDATE_GOLDEN=1 rewrites {golden.name}"


def test_every_reference_design_has_a_file_at_its_real_sizes() -> None:
    for name in ("default", "packed", "window", "estimate", "knowledge-base"):
        assert CASES[name].recipe == seamline.preset(name)


def test_the_files_and_the_cases_are_the_same() -> None:
    assert {path.name for path in HERE.glob("*.golden.txt")} == {f"{name}.golden.txt" for name in CASES}


# --- what the reference designs promise, said without a file ---------------------------------------------------------


def chunk_with(chunks: list[Chunk], text: str) -> Chunk:
    """The one chunk whose body holds a text."""
    (found,) = [chunk for chunk in chunks if text in chunk.render("body")]
    return found


def test_packed_keeps_the_table_whole_that_a_fixed_size_would_halve() -> None:
    chunks = CASES["packed"].chunks
    text = chunks[0].document.text
    count = load("o200k_base").count
    assert count(text[: text.index("| we receive")]) < 512 < count(text[: text.index("| 429 | try again")])
    chunk = chunk_with(chunks, "| 429 | try again")
    assert "## Retries at a glance" in chunk.text
    assert "| any 2xx |" in chunk.text


def test_packed_splits_a_giant_table_under_its_header_and_heading() -> None:
    chunks = CASES["packed"].chunks
    first, second = chunk_with(chunks, "| 200 | OK"), chunk_with(chunks, "| 429 | Too Many Requests")
    assert second.index == first.index + 1
    assert second.text.startswith("## Every answer we know\n\n| code | name | what we do |")
    assert [context.role for context in second.context] == ["heading", "header"]


@pytest.mark.parametrize("name", ["packed", "packed-192"])
def test_packed_reopens_a_fence_with_its_language(name: str) -> None:
    chunks = [chunk for chunk in CASES[name].chunks if any(c.role == "fence" for c in chunk.context)]
    assert len(chunks) >= 2
    for chunk in chunks:
        assert "\n```python\n" in chunk.text
        assert chunk.text.count("```") == 2
        assert chunk.text.startswith("## A receiver in Python")


def test_packed_leads_with_the_last_heading_and_the_last_sentence() -> None:
    chunk = CASES["packed"].chunks[-1]
    assert [context.role for context in chunk.context] == ["heading", "overlap"]
    assert chunk.text.startswith(
        "## Running it for years\n\nPoint it at a receiver that answers 500 on purpose, and see "
    )


@pytest.mark.parametrize("name", ["packed", "packed-192"])
def test_packed_repeats_at_most_fifty_tokens_and_whole_sentences(name: str) -> None:
    count = load("o200k_base").count
    for chunk in CASES[name].chunks:
        lead = [c for c in chunk.context if c.role == "overlap"]
        if lead:
            assert count("".join(slice_of(chunk, c.span) + c.added for c in chunk.context)) <= 50
            assert slice_of(chunk, lead[0].span).strip()[-1] in ".!?:"


def test_window_takes_the_far_heading_rather_than_a_near_paragraph() -> None:
    chunk = CASES["window"].chunks[1]
    assert chunk.seam == "h2"
    assert chunk.render("body").startswith("## First start")


def test_window_never_cuts_a_fence_that_fits() -> None:
    assert all(not chunk.closing for chunk in CASES["window"].chunks)
    small = CASES["window-300"].chunks
    assert chunk_with(small, "```text").render("body").count("```") == 2
    assert any(chunk.closing for chunk in small)  # the other fence alone is larger than 300 tokens


@pytest.mark.parametrize("name", ["window", "window-300"])
def test_window_repeats_at_most_fifteen_percent_from_a_word_on(name: str) -> None:
    case = CASES[name]
    count = load("o200k_base").count
    repeated = [(chunk, c.span) for chunk in case.chunks for c in chunk.context if c.role == "overlap"]
    assert repeated
    for chunk, span in repeated:
        assert 0 < count(slice_of(chunk, span)) <= case.recipe.budget.limit * 15 // 100
        assert span.end == chunk.start
        assert chunk.document.text[span.start - 1].isspace()


def test_estimate_keeps_the_headings_as_the_author_wrote_them() -> None:
    paths = [chunk.breadcrumb for chunk in CASES["estimate"].chunks]
    assert "Night bus guide > Tickets > Groups" in paths  # H2 to H4
    assert "Night bus guide > Tickets > Refunds" in paths  # H4 back to H3
    assert "Night bus guide > Connecting" in paths  # underlined
    assert "Appendix > Radio codes > Silence" in paths  # a new H1 clears the stack


def test_hybrid_merges_forward_else_backward_else_not_at_all() -> None:
    chunks = CASES["estimate-hybrid"].chunks
    floor = CASES["estimate-hybrid"].recipe.budget.floor
    assert chunk_with(chunks, "Short notes") is chunk_with(chunks, "# Night bus guide\n")
    assert chunk_with(chunks, "# Appendix") is chunk_with(chunks, "Do not run after a bus")
    assert [chunk.render("body").partition("\n")[0] for chunk in chunks if chunk.tokens < floor] == ["## Map"]


@pytest.mark.parametrize(("mode", "in_text", "in_metadata"), [("metadata", 0, 1), ("include", 1, 1), ("strip", 0, 0)])
def test_front_matter_has_three_modes(mode: str, in_text: int, in_metadata: int) -> None:
    recipe = replace(CASES["estimate-112"].recipe, front_matter=mode)
    chunks = cut("estimate.md", recipe)
    assert sum("updated: 2024-11-02" in chunk.text for chunk in chunks) == in_text
    assert ("updated" in chunks[0].document.front_matter) == bool(in_metadata)
    assert not seamline.audit(chunks, limit=112, tokenizer="estimate")


def test_knowledge_base_splits_long_lists_between_companies() -> None:
    chunks = CASES["knowledge-base"].chunks
    parts = [chunk for chunk in chunks if chunk.path[-1] == "Sub-processors"]
    lists = [chunk for chunk in parts if chunk.render("body").startswith("- ")]
    assert len(lists) > 1
    assert all(chunk.seam == "item" for chunk in lists[1:])


def test_knowledge_base_splits_a_long_list_also_where_its_section_fits_the_limit() -> None:
    bullets = "".join(f"- supplier number {i} delivers the same thing each week\n" for i in range(36))
    assert 350 < load("o200k_base").count(bullets) < 450
    assert len(seamline.chunk(f"# Suppliers\n\n{bullets}", recipe="knowledge-base")) > 1


def test_knowledge_base_stores_shadows_of_siblings_apart() -> None:
    chunks = CASES["knowledge-base"].chunks
    count = load("o200k_base").count
    for chunk in chunks:
        for neighbour, span in zip((chunk.index - 1, chunk.index + 1), chunk.shadows, strict=True):
            siblings = 0 <= neighbour < len(chunks) and chunks[neighbour].path == chunk.path
            assert (span is not None) == siblings
            if span:
                whole = count(chunks[neighbour].render("body"))
                assert min(40, whole) <= count(slice_of(chunk, span)) <= 60
                assert chunks[neighbour].start <= span.start < span.end <= chunks[neighbour].end
                assert slice_of(chunk, span) not in chunk.text


def test_knowledge_base_never_joins_two_short_sections() -> None:
    paths = [chunk.path[-1] for chunk in CASES["knowledge-base"].chunks]
    assert paths[-2:] == ["Opening hours of support", "Opening hours of sales"]


def test_depth_keeps_small_sections_whole_and_opens_large_ones() -> None:
    chunks = CASES["depth"].chunks
    nodes = {node.id: node for node in seamline.outline(chunks[0].document)}
    spring = chunk_with(chunks, "## Spring")
    assert "### Cleaning" in spring.text
    assert "### Opening" in spring.text
    counting = chunk_with(chunks, "### Counting")
    assert "#### Leaf plugs" in counting.text
    assert nodes[counting.parent].title == "Summer"
    assert nodes[nodes[counting.parent].parent].title == "Beehouse field guide"
    titles = [nodes[child].title for child in nodes[counting.parent].children]
    assert titles == ["Counting", "Guests"]
