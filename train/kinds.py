"""The kinds of pairs, in the order that arrays number them."""

from __future__ import annotations

KINDS = (
    "link",
    "question-heading",
    "table",
    "code-intro",
    "identifier",
    "question",
    "code-doc",
    "code-symbol",
    "code-call",
    "sentence",
    "heading",
    "lead",
    "text",
)
"""The last three are made of passages by the trainer. `text` has no answers: a run of words and the passage it is from,
which the student is to see as its teacher does."""
PROSE_KINDS = ("question", "sentence", "text")
"""Of general text: all of it, or of `text` most."""
