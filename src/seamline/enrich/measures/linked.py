"""Where the words of a chunk point, and what its source code defines and needs."""

from __future__ import annotations

from seamline.enrich.code import code_facts
from seamline.enrich.links import links
from seamline.enrich.work import Columns, Work


def linked(work: Work) -> Columns:
    """From words such as `Figure 3` to other chunks; chunks of higher levels have none of their own."""
    found = links(work.chunks)
    return {"links": [found.get(chunk.id, ()) for chunk in work.chunks]}


def coded(work: Work) -> Columns:
    """Of source files; None for chunks of anything else."""
    is_source = work.document.source.media_type == "text/x-source"
    return {"code": [code_facts(chunk) if is_source else None for chunk in work.chunks]}
