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
LEASE = """The Lessor lets to the Lessee the flat at Mill Lane 4.

The Lessee shall pay a rent of 900 euros on the first day of each month.

Either party may terminate this lease by giving three months' notice in writing.
"""
PICTURES = """# Shelf

![The parts](parts.png)

Figure 1: Two sides and four boards.

| step | minutes |
|---|---|
| pegs | 5 |

![Done](done.png)

Figure 2: The finished shelf.
"""
PAIRS = """Q: What does the orange light mean?
A: The filter is full. Empty it.

Q: Where is the serial number?
A: Under the lid, on the silver plate.
"""
BOLD = """# Questions

**When can we set up?** From Thursday at noon.

**Is there power at the stand?** One socket is included.
"""
REFERENCE = "# Fields\n\n" + "\n\n".join(
    f"## Field {n}\n\nIt sets the default option of the server.\n\n| name | type |\n|---|---|\n| a{n} | text |"
    for n in range(6)
)
STORY = "# Morning\n\nThe sun rose over the hills, and nobody was awake yet.\n\nThen a bird sang.\n"


@pytest.mark.parametrize(
    ("text", "name", "reason"),
    [
        (PAPER, "paper", "sections named abstract, introduction, references"),
        (CONTRACT, "legal", "words of law in a thousand"),
        (MANUAL, "technical docs", "of the text is code"),
        (ANSWERS, "knowledge-base article", "2 of 3 headings ask or answer a question"),
        ("| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 20, "table", "of the text is tables"),
        (LEASE, "legal", "words of law in a thousand"),
        (PICTURES, "multimodal", "2 figures and 1 tables in 5 blocks"),
        (PAIRS, "knowledge-base article", "2 questions with their answers"),
        (BOLD, "knowledge-base article", "2 questions with their answers"),
        (REFERENCE, "technical docs", "words of manuals"),
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
        ("application/vnd.sqlite3", "heading", "table"),
        ("text/x-chat", "turn", "conversation"),
    ],
)
def test_classes_by_format(media_type: str, kind: str, name: str) -> None:
    document = Document("x", Source("x", media_type), "some words", [Block(kind, 0, 10)])
    assert classify(document).name == name


def test_every_class_that_speaks_is_one_of_the_classes() -> None:
    for text in (PAPER, CONTRACT, MANUAL, ANSWERS, STORY):
        found = classify(seamline.read(text, id="x"))
        assert {found.name, *found.scores} <= set(CLASSES)
