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
    "heading",
    "lead",
)
"""The last two are made of passages by the trainer."""
