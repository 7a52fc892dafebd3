"""Atoms: the smallest runs of text a packer may not cut, and what a chunk borrows when it starts among them."""

from __future__ import annotations

from typing import NamedTuple

from seamline.types import Context


class Frame(NamedTuple):
    """What encloses the parts of a block that had to be split: a fence, a table header, a list marker.

    A chunk that starts inside a frame borrows its opening; one that ends inside adds its close.
    """

    role: str
    """fence, header, marker, quote, comment, math, directive."""
    start: int
    """Where the framed block starts: a chunk that starts here has the opening in its body."""
    end: int
    """Where the framed block ends: a chunk that reaches this has the close in its body."""
    opening: tuple[Context, ...]
    close: str
    opening_tokens: int
    close_tokens: int
    outer: Frame | None = None
    """The frame around this one."""


class Atom(NamedTuple):
    """One run of text that is not cut. Atoms tile the range they come from."""

    start: int
    end: int
    """Where the next atom starts; trailing white space included."""
    tokens: int
    seam: str
    """The kind of the gap before it, as named in the score table."""
    frame: Frame | None = None
    glued: bool = False
    """Whether the gap before it is forbidden, as after a heading."""
    alone: bool = False
    """Whether cuts are forced on both sides, as for a group of columns of a row that is too wide."""


def opening(frame: Frame | None, text: str, start: int) -> tuple[Context, ...]:
    """What a chunk that starts at `start` inside `frame` borrows, outermost first."""
    out: list[Context] = []
    marked = False
    while frame is not None:
        if start > frame.start:
            if frame.role in ("marker", "quote"):
                if not marked:  # the innermost marker says enough
                    out.extend(_marker(frame, text, start))
                    marked = True
            else:
                out.extend(reversed(frame.opening))
        frame = frame.outer
    return tuple(reversed(out))


def _marker(frame: Frame, text: str, start: int) -> tuple[Context, ...]:
    """A list or quote marker. A piece that starts its line stands under the marker, one that does not, beside it."""
    mark = frame.opening[0]
    if text[start - 1] not in "\r\n":
        return (mark,)
    if frame.role == "quote":
        return ()  # the line brings its own marker
    bare = len(text[mark.start : mark.end].rstrip())
    return (Context(mark.role, mark.start, mark.start + bare, "\n"),)


def closing(frame: Frame | None, end: int) -> str:
    """What is added after a chunk that ends at `end` inside `frame`, innermost first."""
    out = ""
    while frame is not None:
        if end < frame.end:
            out += frame.close
        frame = frame.outer
    return out


def opening_tokens(frame: Frame | None, text: str, start: int) -> int:
    """What the opening costs."""
    total = 0
    marked = False
    while frame is not None:
        if start > frame.start:
            if frame.role not in ("marker", "quote"):
                total += frame.opening_tokens
            elif not marked:
                marked = True
                if frame.role == "marker" or text[start - 1] not in "\r\n":
                    total += frame.opening_tokens
        frame = frame.outer
    return total


def closing_tokens(frame: Frame | None, end: int) -> int:
    """What the closing costs."""
    total = 0
    while frame is not None:
        if end < frame.end:
            total += frame.close_tokens
        frame = frame.outer
    return total
