"""A chunk in one or two of its own sentences."""

from __future__ import annotations

from seamline.enrich.summary import SUMMARY, summarize
from seamline.enrich.work import Columns, Work


def summary(work: Work) -> Columns:
    """At most 50 tokens; empty where there is no prose, or no sentence that short."""
    count = work.parts.tokenizer.count
    return {"summary": [summarize(work.prose.read(chunk.body), SUMMARY, count) for chunk in work.chunks]}
