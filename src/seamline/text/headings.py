"""What a heading says, and the line of titles and headings that stands above a text where it is searched."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from seamline.types import Block

LONGEST_LINE = 300
"""Code points of the line above a searched text: headings may be of any length, and every chunk below has them."""

LONGEST_HEADING = 300
"""Code points of a heading that is repeated above other chunks: a longer one is a paragraph by its looks."""
LONGEST_TITLE = 200
"""Code points of a title or heading in a path."""

_CLOSING_HASHES = re.compile(r"(?:^|[ \t]+)#+[ \t]*$")
_ANCHOR = re.compile(r"[ \t]*\{(?:#[^{}\n]*|/\*[^{}*\n]*\*/)\}[ \t]*$")
"""The name of a heading for links, as `{#name}`, or as a comment of MDX: `{/* #name */}`, `{/*name*/}`."""


def is_long(heading: Block) -> bool:
    """Whether a heading is too long to be repeated, as a paragraph is that a stray line below it turns into one."""
    return heading.end - heading.start > LONGEST_HEADING


def heading_text(text: str, block: Block) -> str:
    """What a heading says, without its marks."""
    if block.detail is not None and block.detail.title is not None:
        return block.detail.title
    line = text[block.start : block.end].strip()
    if line.startswith("#"):
        line = line.lstrip("#").strip()
        if line.endswith("#"):
            line = _CLOSING_HASHES.sub("", line)
    else:  # setext: the last line is the underline
        lines = line.splitlines()
        line = " ".join([part.strip() for part in lines[:-1]]) if len(lines) > 1 else line
    return _ANCHOR.sub("", line) if line.endswith("}") else line


def cap_title(title: str) -> str:
    """A title that can go with every chunk: a long one ends at a word, with an ellipsis."""
    if len(title) <= LONGEST_TITLE:
        return title
    kept = title[: LONGEST_TITLE - 1]
    return f"{kept.rpartition(' ')[0] or kept}…"


def heading_line(title: str, path: tuple[str, ...]) -> str:
    """The title of a document and the headings above a text, in one line. Of a long line its end, the nearest headings,
    is kept."""
    line = " > ".join([*filter(None, path if title in path else (title, *path))])
    if len(line) > LONGEST_LINE:
        line = line[-LONGEST_LINE:].partition(" ")[2] or line[-LONGEST_LINE:]
    return line


def with_headings(title: str, path: tuple[str, ...], text: str) -> str:
    """A text under the title of its document and the headings above it: what a search reads."""
    line = heading_line(title, path)
    return f"{line}\n\n{text}" if line else text
