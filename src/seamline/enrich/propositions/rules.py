"""Claims of a passage by rules: English clauses taken apart, sentences of other languages as they are. No model."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from seamline.enrich.passages import Passage
from seamline.enrich.propositions.claims import Claim
from seamline.enrich.propositions.names import entities
from seamline.enrich.propositions.sentence import Subject, read

RESOLVED = 0.8
"""How sure a claim is whose pronoun was replaced by what it most likely stands for."""


class Read(NamedTuple):
    """The claims of a passage, and the sentences that claim nothing."""

    claims: list[Claim]
    skipped: Counter[str]


def read_passage(passage: Passage, language: str = "en") -> Read:
    """Claims in the order of their sentences. In other languages than English each sentence is one claim."""
    if language != "en":
        whole = [Claim(each.text, (at,), entities(each.text)) for at, each in enumerate(passage.sentences)]
        return Read([claim for claim in whole if not claim.text.endswith(("?", "？", "؟"))], Counter())
    return _read_english(passage)


def _read_english(passage: Passage) -> Read:
    claims: list[Claim] = []
    skipped: Counter[str] = Counter()
    subject: Subject | None = None
    named_at = block = -1
    for at, sentence in enumerate(passage.sentences):
        if sentence.block != block:
            subject, block = None, sentence.block  # a new paragraph may be about anything
        found = read(sentence.text, subject)
        if found.skipped:
            skipped[found.skipped] += 1
        sources = (named_at, at) if found.resolved else (at,)
        sure = RESOLVED if found.resolved else 1.0
        claims += [Claim(text, sources, entities(text), sure=sure) for text in found.claims]
        if not found.resolved or found.subject is None:
            named_at = at
        subject = found.subject
    return Read(claims, skipped)
