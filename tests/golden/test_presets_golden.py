"""The reference designs, kept as files that people read. SEAMLINE_UPDATE_GOLDEN=1 writes them anew."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

import seamline
from seamline.recipe import Recipe, resize
from seamline.tokens import load
from seamline.types import Chunk, Context, Span

HERE = Path(__file__).parent / "presets"


@dataclass(frozen=True)
class Case:
    """A preset, what is changed in it, and the page it cuts."""

    preset: str
    page: str = ""
    limit: int | None = None
    changes: dict[str, Any] = field(default_factory=dict)

    @property
    def recipe(self) -> Recipe:
        recipe = seamline.preset(self.preset)
        return replace(resize(recipe, limit=self.limit) if self.limit else recipe, **self.changes)

    @property
    def chunks(self) -> list[Chunk]:
        return cut(self.page or f"{self.preset}.md", self.recipe)


CASES = {
    "packed": Case("packed"),
    "packed-128": Case("packed", limit=128),
    "window": Case("window"),
    "window-300": Case("window", limit=300, changes={"window": 67}),
    "estimate": Case("estimate"),
    "estimate-112": Case("estimate", limit=112),
    "estimate-hybrid": Case("estimate", limit=112, changes={"sections": "hybrid"}),
    "estimate-include": Case("estimate", limit=112, changes={"front_matter": "include"}),
    "knowledge-base": Case("knowledge-base"),
    "default": Case("default"),
    "default-96": Case("default", limit=96),
    "depth": Case("default", "depth.md", limit=160, changes={"depth": 2}),
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
