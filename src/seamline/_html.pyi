"""Pages of HTML that need no repair, in C: what `seamline.parse.html` does over turbohtml, in one pass."""

from collections.abc import Mapping
from typing import Any

from seamline.anchors import Anchor
from seamline.types import Block

def read_page(
    markup: str,
    part: str,
    is_xhtml: bool,
    pairs: list[int],
    base: int,
    base_blocks: int,
    most: int,
    helpers: tuple[Any, ...],
    block: type[Block],
    anchor: type[Anchor],
    fenced: Mapping[str, Any],
    /,
) -> tuple[str, list[Block], list[Anchor], list[tuple[str, Any]], str, int, int, int] | None:
    """The text of a page, its blocks and anchors, what it says of itself, its first h1, elements and characters that
    no reader sees, and tables whose cells claim too much; None for a page that only the Python path reads.

    `part` names the file in an archive. With `is_xhtml`, pages that XHTML and HTML read differently are not read. In
    `markup` all line ends are one character; `pairs` are those that were two. `base` characters and `base_blocks`
    blocks stand before the page, and at most `most` characters are written.
    """
