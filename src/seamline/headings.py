"""What a heading says."""

from __future__ import annotations

import re

from seamline.types import Block

_CLOSING_HASHES = re.compile(r"(?:^|[ \t]+)#+[ \t]*$")
_ANCHOR = re.compile(r"[ \t]*\{#[^{}\n]*\}[ \t]*$")


def heading_text(text: str, block: Block) -> str:
    """What a heading says, without its marks."""
    if block.attrs and "title" in block.attrs:
        return str(block.attrs["title"])
    line = text[block.start : block.end].strip()
    if line.startswith("#"):
        line = line.lstrip("#").strip()
        if line.endswith("#"):
            line = _CLOSING_HASHES.sub("", line)
    else:  # setext: the last line is the underline
        lines = line.splitlines()
        line = " ".join([part.strip() for part in lines[:-1]]) if len(lines) > 1 else line
    return _ANCHOR.sub("", line) if line.endswith("}") else line
