"""Classes of documents, and the reasons that are given."""

from __future__ import annotations

import pytest

import seamline
from seamline.recipe.choose import CLASSES, classify
from seamline.types import Block, Document, Source

PAPER = """# On seams

## Abstract

We propose a method [1]. It improves on the state of the art [2, 3] (Smith et al., 2021).

## 1 Introduction

Related work [4] did less. We show more [5].

$$
x = y
$$

## References

[1] Smith et al. arXiv. [2] Doe et al. doi:10.
"""
CONTRACT = """# Agreement

The parties shall keep this confidential. Pursuant to Article 2, the licensee shall pay. Notwithstanding § 4, the
licensor hereby waives liability. Herein the governing law shall be that of the seller.
"""
MANUAL = """# Configuration

Install the server, then set the default option. The command returns the version of the module.

```bash
pip install thing
thing --config a.toml
```

The endpoint takes one parameter. Deploy the configuration to the server.
"""
ANSWERS = """# Help

## How do I reset my password?

Open the page and click the link.

## Why was my card refused?

Ask your bank.
"""
STORY = "# Morning\n\nThe sun rose over the hills, and nobody was awake yet.\n\nThen a bird sang.\n"


@pytest.mark.parametrize(
    ("text", "name", "reason"),
    [
        (PAPER, "paper", "sections named abstract, introduction, references"),
        (CONTRACT, "legal", "words of law in a thousand"),
        (MANUAL, "technical docs", "of the text is code"),
        (ANSWERS, "knowledge-base article", "2 of 3 headings ask or answer a question"),
        ("| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 20, "table", "of the text is tables"),
        (STORY, "prose", "nothing speaks for another class"),
        ("", "prose", "nothing speaks for another class"),
    ],
)
def test_classes_by_what_stands_in_the_text(text: str, name: str, reason: str) -> None:
    found = classify(seamline.read(text + "\n", id="x"))
    assert found.name == name
    assert any(reason in one for one in found.reasons), found.reasons


@pytest.mark.parametrize(
    ("media_type", "kind", "name"),
    [
        ("text/x-source", "scope", "code"),
        ("text/vtt", "turn", "conversation"),
        ("image/png", "figure", "multimodal"),
    ],
)
def test_classes_by_format(media_type: str, kind: str, name: str) -> None:
    document = Document("x", Source("x", media_type), "some words", [Block(kind, 0, 10)])
    assert classify(document).name == name


def test_every_class_that_speaks_is_one_of_the_classes() -> None:
    for text in (PAPER, CONTRACT, MANUAL, ANSWERS, STORY):
        found = classify(seamline.read(text, id="x"))
        assert {found.name, *found.scores} <= set(CLASSES)
