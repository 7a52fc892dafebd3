"""Which strategy a document gets, and what is said about it."""

from __future__ import annotations

import pytest

import seamline
from seamline.recipe.choose import CLASSES, choose
from seamline.recipe.recipe import Recipe
from seamline.types import Document

PAPER = """# On seams

## Abstract

We propose a method [1]. It improves on the state of the art [2, 3] (Smith et al., 2021).

## 1 Introduction

Related work [4] did less. We show more [5].

## References

[1] Smith et al. arXiv. [2] Doe et al. doi:10.
"""
CONTRACT = """# Agreement

The parties shall keep this confidential. Pursuant to Article 2, the licensee shall pay. Notwithstanding § 4, the
licensor hereby waives liability. Herein the governing law shall be that of the seller.
"""
ARTICLE = "# Why does the upload fail?\n\n## Cause\n\nThe file is too large.\n\n## Resolution\n\nSend it in parts.\n"
TABLE = "name,price\nnut,3\nbolt,4\n"
CODE = "def one():\n    return 1\n"
TALK = "WEBVTT\n\n00:00.000 --> 00:02.000\n<v Ann>Hello.\n\n00:05.000 --> 00:06.000\n<v Bob>Good day.\n"
PROSE = "It was a cold day. Nobody came.\n\nThe dog slept.\n"
AUTO = Recipe(strategy="auto")


def document(text: str, name: str = "a.md") -> Document:
    kinds = {"csv": "text/csv", "py": "text/x-source", "vtt": "text/vtt"}
    media_type = kinds.get(name.rpartition(".")[2], "text/markdown")
    return seamline.read(text, id=name, media_type=media_type)


@pytest.mark.parametrize(
    ("text", "name", "strategy"),
    [
        (PAPER, "a.md", "hierarchical over semantic"),
        (CONTRACT, "a.md", "hierarchical over structural"),
        (ARTICLE, "a.md", "structural"),
        (TABLE, "a.csv", "tabular"),
        (TALK, "a.vtt", "multimodal"),
        (PROSE, "a.md", "structural"),
        (f"# One\n\n{PROSE}\n# Two\n\n{PROSE}", "a.md", "structural"),
    ],
    ids=["paper", "contract", "article", "table", "talk", "prose", "headed prose"],
)
def test_the_class_of_a_document_decides(text: str, name: str, strategy: str) -> None:
    choice = choose(document(text, name), AUTO)
    assert choice.strategy == strategy
    assert choice.reasons[0].startswith("class: ")
    assert len(choice.reasons) == 2


def test_claims_are_for_those_who_name_a_model() -> None:
    assert choose(document(ARTICLE), Recipe(strategy="auto", llm="openai:small")).strategy == "propositions"


def test_a_glob_comes_before_the_class_and_the_first_that_fits_counts() -> None:
    recipe = Recipe(strategy="auto", strategies={"faq/*": "structural", "*.md": "rechunk"})
    assert choose(document(PROSE, "faq/a.md"), recipe).strategy == "structural"
    assert choose(document(PROSE, "deep/down/a.md"), recipe).strategy == "rechunk"
    assert choose(document(PROSE, "deep/down/a.md"), recipe).reasons == ("deep/down/a.md fits *.md",)
    assert choose(document(PROSE, "a.txt"), recipe).strategy == "structural"


def test_thin_evidence_takes_the_default_and_says_so() -> None:
    choice = choose(document(CONTRACT.replace(". ", " [1]. ").replace(",", " [2],")), AUTO)
    assert choice.strategy == "structural"
    assert "the evidence is thin" in choice.reasons[-1]
    assert "the default" in choose(document(PROSE), AUTO).reasons[-1]


def test_a_glob_may_ask_for_the_class() -> None:
    choice = choose(document(TABLE, "a.csv"), Recipe(strategies={"*.csv": "auto"}))
    assert choice.strategy == "tabular"
    assert choice.reasons[0] == "a.csv fits *.csv"


def test_nothing_is_said_where_nothing_was_chosen() -> None:
    recipe = Recipe(strategy="rechunk")
    assert choose(document(PROSE), recipe) == (recipe, ())


def test_every_class_has_a_strategy() -> None:
    from seamline.recipe.choose import _STRATEGIES

    assert set(_STRATEGIES) == set(CLASSES)


def test_chunks_of_auto_are_those_of_the_chosen_recipe() -> None:
    one = document(CONTRACT)
    chosen = choose(one, AUTO).recipe
    assert seamline.chunk(one, recipe=AUTO) == seamline.chunk(one, recipe=chosen)
    assert {chunk.level for chunk in seamline.chunk(one, recipe=AUTO)} == {0, 1}
