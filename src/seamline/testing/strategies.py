"""Hypothesis strategies: Markdown documents with nested structure, hostile strings and random Unicode; recipes.

Needs `hypothesis`, which the `dev` extra brings.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from seamline.recipe.recipe import Overlap, Recipe
from seamline.recipe.strategies import Hierarchy
from seamline.types import Budget

HOSTILE = (
    "<|endoftext|>",
    "<|im_start|>",
    "a" * 400,
    "汉字" * 120,
    "👩‍👩‍👧‍👦" * 9,
    "🇩🇪🇫🇷🇯🇵",
    "e\u0301\u0302\u0303\u0304" * 6,
    "한국어",
    "ﷺ",
    "\u202eabc\u202c",
    "\x00",
    "\ufeff",
    "\u2028x\u2029y\x85z",
    "\x0b\x0c",
    "`" * 7,
    "~" * 5,
    "|" * 20,
    "$$",
    "<!--",
    "-->",
    "[x]: y",
    "/path",
    "//",
    "\\",
    "\t\t",
    "   ",
    "#hash",
    "9" * 40,
    "...",
    "?!?!",
    "{/* x */}",
)
WORDS = (
    *("seam", "The", "retry", "fails", "after", "429", "e.g.", "Dr.", "a", "of", "webhooks,", "budget.", "End!"),
    *(
        "naïve",
        "Überprüfung",
        "日本語です。",
        "中文句子。",
        "ภาษาไทย",
        "العربية؟",
        "हिन्दी।",
        "`code`",
        "**bold**",
        "x_y",
    ),
    *("https://example.org/a?b=c", "don't", "(see", "below):", "3.14", "v1.2.3", "—", "“quoted”"),
)


def words(least: int = 1, most: int = 40) -> st.SearchStrategy[str]:
    """A line of words, now and then with something hostile in it."""
    word = st.one_of(st.sampled_from(WORDS), st.sampled_from(WORDS), st.sampled_from(WORDS), st.sampled_from(HOSTILE))
    return st.lists(word, min_size=least, max_size=most).map(" ".join)


def _paragraph() -> st.SearchStrategy[str]:
    return st.lists(words(), min_size=1, max_size=5).map("\n".join)


def _heading() -> st.SearchStrategy[str]:
    atx = st.tuples(st.integers(1, 6), words(1, 6)).map(lambda p: "#" * p[0] + " " + p[1])
    setext = st.tuples(words(1, 5), st.sampled_from(["===", "---"])).map("\n".join)
    return st.one_of(atx, atx, atx, setext)


def _code() -> st.SearchStrategy[str]:
    lines = st.lists(st.one_of(words(0, 8), st.just(""), words(0, 8).map(lambda s: "    " + s)), max_size=30)
    fence = st.sampled_from(["```", "````", "~~~", "~~~~~"])
    info = st.sampled_from(["", "python", "js title=x", "c++"])
    closed = st.sampled_from([True, True, True, False])
    return st.tuples(fence, info, lines, closed).map(
        lambda p: p[0] + p[1] + "\n" + "\n".join(p[2]) + ("\n" + p[0] if p[3] else "")
    )


def _table() -> st.SearchStrategy[str]:
    def build(parts: tuple[int, list[list[str]]]) -> str:
        columns, rows = parts
        lines = ["| " + " | ".join(f"col {c}" for c in range(columns)) + " |", "|" + "---|" * columns]
        for row in rows:
            cells = (row * columns)[:columns]
            lines.append("| " + " | ".join(cell.replace("|", "/").replace("\n", " ") for cell in cells) + " |")
        return "\n".join(lines)

    row = st.lists(words(0, 6), min_size=1, max_size=4)
    return st.tuples(st.integers(1, 12), st.lists(row, min_size=1, max_size=25)).map(build)


def _indented(prefix: str, rest: str, block: str) -> str:
    lines = block.split("\n")
    return "\n".join([prefix + lines[0], *[(rest + line if line else "") for line in lines[1:]]])


def _list(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    marker = st.sampled_from(["- ", "* ", "1. ", "10) "])
    item = st.lists(inner, min_size=1, max_size=3).map("\n\n".join)
    return st.tuples(marker, st.lists(item, min_size=1, max_size=6), st.sampled_from(["\n", "\n\n"])).map(
        lambda p: p[2].join(_indented(p[0], " " * len(p[0]), it) for it in p[1])
    )


def _quote(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.lists(inner, min_size=1, max_size=3).map(
        lambda blocks: "\n".join("> " + line for line in "\n\n".join(blocks).split("\n"))
    )


def _directive(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return inner.map(lambda block: ":::note\n\n" + block + "\n\n:::")


def blocks() -> st.SearchStrategy[str]:
    """One Markdown block, nested up to a few levels."""
    other = st.sampled_from(
        [
            "---",
            "***",
            "<div>\nhtml\n</div>",
            "<!-- a comment\n\nover lines -->",
            "$$\nx^2 + y^2\n$$",
            "![alt text](image.png)",
            "[ref]: http://example.org 'Title'",
            "[^1]: A footnote.",
            "!!! note\n    Indented words.",
            "    indented code\n    more",
            "<details>\n<summary>S</summary>\n\ntext\n\n</details>",
        ]
    )
    leaf = st.one_of(_paragraph(), _paragraph(), _code(), _table(), other, st.sampled_from(HOSTILE))
    nested = st.recursive(leaf, lambda b: st.one_of(_list(b), _quote(b), _directive(b)), max_leaves=8)
    return st.one_of(_heading(), nested)


def markdown() -> st.SearchStrategy[str]:
    """A Markdown document."""
    body = st.lists(blocks(), min_size=0, max_size=14).map("\n\n".join)
    front = st.sampled_from(["", "", "", "---\ntitle: T\n---\n\n", "+++\na = 1\n+++\n", "---\nbroken: [\n---\n"])
    end = st.sampled_from(["\n", "\n", "\r\n", "\r"])
    tail = st.sampled_from(["", "\n", "\n\n\n", "  "])
    return st.tuples(front, body, tail, end).map(lambda p: (p[0] + p[1] + p[2]).replace("\n", p[3]))


def unicode_text() -> st.SearchStrategy[str]:
    """Any text at all, surrogates aside."""
    return st.text(st.characters(exclude_categories=["Cs"]), max_size=600)


def documents() -> st.SearchStrategy[str]:
    return st.one_of(markdown(), markdown(), markdown(), unicode_text())


def strategic(strategy: str, limits: tuple[int, int] = (16, 2000)) -> st.SearchStrategy[Recipe]:
    """Recipes of one strategy, which tells texts apart by their words."""

    def build(parts: tuple[Recipe, list[int]]) -> Recipe:
        recipe, more = parts
        levels = tuple(sorted({recipe.budget.limit + extra for extra in more}))
        name: Any = strategy
        return replace(recipe, strategy=name, signal="hash", hierarchy=Hierarchy(levels))

    return st.tuples(recipes(limits), st.lists(st.integers(0, 3000), min_size=1, max_size=3)).map(build)


def recipes(limits: tuple[int, int] = (16, 2000)) -> st.SearchStrategy[Recipe]:
    """Recipes over all packers, policies, overlaps and sizes."""

    def build(parts: tuple[int, float, float, str, str, str, int, bool, str, str]) -> Recipe:
        limit, share, low, packer, sections, overlap, depth, breadcrumb, front, tokenizer = parts
        target = max(1, int(limit * share))
        return Recipe(
            budget=Budget(target, limit, int(target * low)),
            packer=packer,  # type: ignore[arg-type]
            sections=sections,  # type: ignore[arg-type]
            overlap=Overlap(overlap),  # type: ignore[arg-type]
            depth=depth,
            breadcrumb=breadcrumb,
            front_matter=front,  # type: ignore[arg-type]
            tokenizer=tokenizer,
        )

    low, high = limits
    return st.tuples(
        st.one_of(st.integers(low, max(low, min(high, 64))), st.integers(low, high)),
        st.floats(0.3, 1.0),
        st.sampled_from([0.0, 0.0, 0.2, 0.5]),
        st.sampled_from(["optimal", "fill", "decay"]),
        st.sampled_from(["heading", "paragraph", "hybrid"]),
        st.sampled_from(["none", "none", "blocks", "boundary", "sentences", "tokens", "context", "shadows", "auto"]),
        st.sampled_from([0, 0, 1, 2]),
        st.booleans(),
        st.sampled_from(["metadata", "include", "strip"]),
        st.sampled_from(["o200k_base", "o200k_base", "cl100k_base", "estimate"]),
    ).map(build)
