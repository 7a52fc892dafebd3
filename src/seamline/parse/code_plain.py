"""Source code without a grammar: blocks between blank lines, as far as indentation lets them end."""

from __future__ import annotations

import re

from seamline.types import Block

_LINE = re.compile(r"(?:\A|(?<=[\r\n]))(?=[^\s)\]}])")
"""The start of a line that is not indented and closes nothing."""


def plain_code(text: str) -> list[Block]:
    """Blocks of code: a new one starts after a blank line, where the indentation ends too."""
    starts = [0]
    for line in _LINE.finditer(text):
        at = line.start()
        end = _trimmed(text, starts[-1], at)
        if end > starts[-1] and (text.count("\n", end, at) or text.count("\r", end, at)) > 1:
            starts.append(at)
    bounds = zip(starts, [*starts[1:], len(text)], strict=True)
    return [block for start, end in bounds if (block := _block(text, start, end))]


def _block(text: str, start: int, end: int) -> Block | None:
    end = _trimmed(text, start, end)
    while start < end and text[start] in "\r\n\ufeff":
        start += 1
    return Block("code", start, end) if start < end else None


def _trimmed(text: str, start: int, end: int) -> int:
    while end > start and text[end - 1].isspace():
        end -= 1
    return end
