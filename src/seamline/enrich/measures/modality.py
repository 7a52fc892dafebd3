"""What a chunk is made of: text, code, a table, an image, speech, or several of these."""

from __future__ import annotations

from collections import Counter

from seamline.enrich.work import Columns, Work
from seamline.types import Span

MOSTLY = 0.8
"""Share of a chunk's characters from which it counts as one thing."""

_KINDS = {"code": "code", "scope": "code", "esm": "code", "table": "table", "figure": "image", "turn": "speech"}
_SOURCES = {"image": "image", "audio": "speech", "video": "speech"}


def modalities(work: Work) -> Columns:
    """By the kinds of its blocks, headings aside; by the file, where that is a picture or a recording."""
    source = _SOURCES.get(work.document.source.media_type.partition("/")[0])
    if source:
        return {"modality": [source] * len(work.chunks)}
    return {"modality": [modality(work, chunk.body) for chunk in work.chunks]}


def modality(work: Work, span: Span) -> str:
    """What most of a span is, `mixed` where nothing is most of it."""
    sizes: Counter[str] = Counter()
    for block, part in work.tops(span):
        if block.kind != "heading":
            sizes[_KINDS.get(block.kind, "text")] += part.end - part.start
    if not sizes:
        return "text"
    kind, size = sizes.most_common(1)[0]
    return kind if size >= MOSTLY * sizes.total() else "mixed"
