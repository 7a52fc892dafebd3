"""The contract of parsers: what holds for every document, whatever its format.

Blocks are in pre-order, nested and apart; together they hold all text; anchors ascend and say things that can be; and
what is cut from the document passes the audit.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise

import seamline
from seamline.types import Block, Document

LIMITS = (64, 512)
_BLANK = " \t\r\n\f\v"
"""White space as Markdown knows it; Unicode has more, which may be all that a paragraph says."""
_ROOM = 128
"""Below this a header and a row, a fence and a line, a heading and a sentence may not fit together."""
_WHOLENESS = ("torn-fence", "torn-markup", "headless-table", "mid-sentence", "dangling-heading", "changed-role")


def check_document(document: Document, limits: Sequence[int] = LIMITS) -> None:
    """Raise an AssertionError that says what is wrong with a document."""
    check_blocks(document)
    check_anchors(document)
    json.dumps([dict(document.front_matter), document.title])
    document.text.encode()
    for limit in limits:
        check_chunks(document, limit)


def check_blocks(document: Document) -> None:
    """Spans are valid, nested and in pre-order, and every visible character is in a top-level block or was removed."""
    text, blocks = document.text, document.blocks
    ends: dict[int, int] = {}
    for index, block in enumerate(blocks):
        assert 0 <= block.start < block.end <= len(text), f"{block}: no span of a text of {len(text)}"
        assert text[block.end - 1] not in _BLANK, f"{block}: ends in white space"
        assert -1 <= block.parent < index, f"{block}: its parent comes after it"
        if block.parent >= 0:
            around = blocks[block.parent]
            assert around.start <= block.start < block.end <= around.end, f"{block} leaves {around}"
        assert block.start >= ends.get(block.parent, 0), f"{block}: overlaps the block before it"
        assert block.kind != "heading" or 1 <= block.level <= 6, f"{block}: a heading of no level"
        ends[block.parent] = block.end
    for before, after in pairwise(blocks):
        assert before.start <= after.start, f"{after}: out of order"
    _check_covered(document, [block for block in blocks if block.parent < 0])


def _check_covered(document: Document, tops: Sequence[Block]) -> None:
    text = document.text
    at = 1 if text.startswith("\ufeff") else 0
    for start, end in [*sorted([*(block.span for block in tops), *document.removed]), (len(text), len(text))]:
        assert not text[at:start].strip(), f"in no block: {text[at:start].strip()[:80]!r}"
        at = max(at, end)


def check_anchors(document: Document) -> None:
    """Runs ascend and are apart; pages, slides, records and times never go back; boxes have four sides."""
    last = dict.fromkeys(("page", "slide", "record"), 0)
    at = spoken = 0
    for run in document.anchors or ():
        assert at <= run.start < run.end <= len(document.text), f"{run}: out of order, or outside the text"
        at = run.end
        place = run.place
        json.dumps({key: value for key, value in place.items() if key != "edges"})
        for key in last.keys() & place.keys():
            assert place[key] >= max(1, last[key]), f"{run}: {key} goes back"
            last[key] = place[key]
        if "time" in place:
            assert 0 <= place["time"][0] <= place["time"][1], f"{run}: a time that ends before it starts"
            assert place["time"][0] >= spoken, f"{run}: time goes back"
            spoken = place["time"][0]
        if "box" in place:
            left, top, right, bottom = place["box"]
            assert left <= right, f"{run}: no box"
            assert top <= bottom, f"{run}: no box"
            assert place["page"] >= 1, f"{run}: a box on no page"
        if "edges" in place:
            assert len(place["edges"]) == run.end - run.start + 1, f"{run}: not one edge for each character"


def check_chunks(document: Document, limit: int) -> None:
    """Chunks hold all text, keep the limit and can be written down."""
    chunks = seamline.chunk(document, limit=limit)
    allowed = () if limit >= _ROOM else _WHOLENESS
    found = [one for one in seamline.audit(chunks, limit=limit) if one.rule not in allowed]
    assert not found, f"at limit {limit}: {found[:3]}"
    for chunk in chunks:
        json.dumps(chunk.to_dict()).encode()
