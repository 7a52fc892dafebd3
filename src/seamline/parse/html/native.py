"""Pages that need no repair, read by the compiled reader in one pass.

It accepts only what a browser would build as it is written, and gives up all others: the path over turbohtml reads
them. What is rare is asked of the same functions that this path uses, so that it is written down once.
"""

from __future__ import annotations

from html.entities import html5
from typing import Any, NamedTuple

from seamline import native
from seamline.anchors import Anchor
from seamline.parse.builder import Builder
from seamline.parse.html.flow import counted, number_told
from seamline.parse.html.meta import Told
from seamline.parse.html.places import Places
from seamline.parse.html.tables import table_lines
from seamline.parse.html.tags import (
    Pruned,
    field_text,
    image_text,
    is_styled_away,
    picture_text,
    told_language,
)
from seamline.parse.raw import Raw
from seamline.types import Block

_HELPERS: tuple[Any, ...] = (
    html5,
    is_styled_away,
    image_text,
    picture_text,
    field_text,
    number_told,
    counted,
    told_language,
    table_lines,
)
_FENCED = {"fenced": True}


class Read(NamedTuple):
    """What is left to say of a page whose blocks are written."""

    told: Told
    first_heading: str
    unshown: Pruned
    cut: int
    """Tables whose cells claim too much."""


def read_native(markup: str, builder: Builder, raw: Raw, part: str, *, is_xhtml: bool) -> Read | None:
    """Write the blocks of a page; None, and nothing written, where the other path must read it."""
    ends = builder.ends
    if native.HTML is None or ends is None or raw.reading.boilerplate == "remove":
        return None
    places = Places(markup, part)
    found = native.HTML.read_page(
        places.markup, part, is_xhtml, places.pairs, *ends, raw.limits.characters, _HELPERS, Block, Anchor, _FENCED
    )
    if found is None:
        return None
    text, blocks, anchors, told, heading, elements, characters, cut = found
    builder.adopt(text, blocks, anchors)
    return Read(told, heading, Pruned(elements, characters), cut)
