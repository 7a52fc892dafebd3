"""What a search gives, and how passages of it are named, lit and shortened."""

from __future__ import annotations

from pathlib import Path

from seamline.protocols import Reranker
from seamline.search.citations import Resolved
from seamline.search.excerpt import after_headings, excerpt
from seamline.search.highlight import spans
from seamline.search.hits import (
    Citation,
    ContextText,
    Hit,
    LegScore,
    PromptPassage,
    Results,
    Shadow,
    Why,
    joined_anchor,
    label,
    place_text,
)
from seamline.search.options import SearchOptions
from seamline.search.plan import Plan
from seamline.search.prompt.render import PREAMBLE, delimiter, plain_label
from seamline.search.rerank import Weights, load_reranker

__all__ = [
    "PREAMBLE",
    "Citation",
    "ContextText",
    "Hit",
    "LegScore",
    "Plan",
    "PromptPassage",
    "Reranker",
    "Resolved",
    "Results",
    "SearchOptions",
    "Shadow",
    "Weights",
    "Why",
    "after_headings",
    "delimiter",
    "excerpt",
    "joined_anchor",
    "label",
    "load_reranker",
    "place_text",
    "plain_label",
    "spans",
    "weights_near",
]


def weights_near(folder: Path) -> dict[str, float]:
    """What the nearest `seamline.toml` in a folder and those above says that counts beside relevance."""
    from seamline.recipe.toml import find, load_weights

    file = find(folder)
    return load_weights(file) if file else {}
