"""Atoms: the smallest runs of text a packer may not cut, and what a chunk borrows when it starts among them.

A chunk before it has a name: where it starts and ends, and what it borrows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from seamline.types import Context


class Frame(NamedTuple):
    """What encloses the parts of a block that had to be split: a fence, a table header, a list marker.

    A chunk that starts inside a frame repeats its opening as context; one that ends inside adds its close.
    """

    role: str
    """fence, header, marker, quote, comment, math, directive, scope, or `PART`."""
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
    is_code: bool = False
    """Of a list mark: whether what stands under it is code by its indentation."""


class Atom(NamedTuple):
    """One run of text that is not cut. Atoms tile the range they come from."""

    start: int
    end: int
    """Where the next atom starts; trailing white space included."""
    tokens: int
    seam: str
    """The kind of the gap before it, as named in the score table."""
    frame: Frame | None = None
    forbidden: bool = False
    """Whether the gap before it is forbidden, as after a heading."""
    alone: bool = False
    """Whether cuts are forced on both sides, as for a group of columns of a row that is too wide."""
    exact: bool = True
    """Whether `tokens` is the count of its text, and not the sum of counts of its parts."""


class Gap(NamedTuple):
    """The place between two atoms, and what the packer knows of it."""

    offset: int
    """Where the text after it starts."""
    seam: str
    """Its kind, as named in the score table."""
    score: float
    """How good a cut there is, 0 to 1."""
    forced: bool
    forbidden: bool
    tokens: int
    """Of the atom after it."""


MARKS = ("marker", "quote")
"""Frames of which only the innermost is repeated: a list or quote mark says enough."""


PART = "part"
"""The role of a frame that stands for all that is around a part of source code."""


def part_of(frame: Frame | None) -> tuple[int, int] | None:
    """Start and end of the part that a frame is in: no chunk holds atoms of two."""
    while frame is not None and frame.outer is not None:
        frame = frame.outer
    return (frame.start, frame.end) if frame is not None and frame.role == PART else None


def _opened(frame: Frame | None, text: str, start: int) -> Iterator[Frame]:
    """The frames that a chunk starting at `start` has to open, innermost first."""
    marked = False
    while frame is not None:
        if start > frame.start and (start < frame.end or frame.role != "comment"):  # text may follow a comment
            if frame.role not in MARKS:
                yield frame
            elif not marked:
                marked = True
                if frame.role == "marker" or text[start - 1] not in "\r\n":  # a whole line brings its quote mark
                    yield frame
        frame = frame.outer


def _left(frame: Frame | None, end: int) -> Iterator[Frame]:
    """The frames that a chunk ending at `end` has to close, innermost first."""
    while frame is not None:
        if end < frame.end:
            yield frame
        frame = frame.outer


def opening_context(frame: Frame | None, text: str, start: int) -> tuple[Context, ...]:
    """What a chunk that starts at `start` inside `frame` borrows, outermost first."""
    out: list[Context] = []
    for opened in _opened(frame, text, start):
        if opened.role in MARKS:
            if not out or opened.role == "marker":  # what is opened in a quote brings its mark along
                out.extend(reversed(_marks(opened, text, start, out[-1].start if out else -1)))
        else:
            out.extend(reversed(_indented(opened, text, start) if opened.role == "fence" else opened.opening))
    return tuple(reversed(out))


def _indented(frame: Frame, text: str, start: int) -> tuple[Context, ...]:
    """The opening of a fence. Part of a line stands as far right as the fence, or it would leave the list item or quote
    that the fence is in."""
    margin = frame.close.lstrip("\r\n").rstrip("`~")
    if not margin or not frame.opening or text[start - 1] in "\r\n":
        return frame.opening
    last = frame.opening[-1]
    return (*frame.opening[:-1], last._replace(added=last.added + margin))


def _marks(frame: Frame, text: str, start: int, inner: int) -> list[Context]:
    """A list or quote mark. A piece that starts its line, or has something opened for it at `inner`, stands under the
    mark; one that does not, beside it. What stands far to the right gets further marks before its own: four columns
    right of its item it would be code."""
    mark = frame.opening[0]
    if text[start - 1] not in "\r\n" and inner < 0:
        return [mark]
    bare = len(text[mark.start : mark.end].rstrip())
    own = Context(mark.role, mark.start, mark.start + bare, "\n")
    column = _column(text, start if inner < 0 else inner)
    if frame.role != "marker" or frame.is_code or not bare + 1 + _DEEP <= column <= _FARTHEST:
        return [own]
    out: list[Context] = []
    reach = 0  # where the text of the items so far starts
    least = column - bare - _DEEP  # where its own mark stands at least
    while least > reach + _DEEP - 1:
        out.append(Context(mark.role, mark.start, mark.start, " " * (reach + _DEEP - 1) + "-\n"))
        reach += _DEEP + 1
    out.append(Context(mark.role, mark.start, mark.start, " " * max(least, reach)))  # what follows may stand less deep
    return [*out, own]


_DEEP = 4
"""Columns right of the text around it at which a line is code."""
_FARTHEST = 40
"""Columns beyond which marks that keep a line from being code would cost more than the line."""


def _column(text: str, at: int) -> int:
    """How far to the right a line starts."""
    first = at
    while first < len(text) and text[first] in " \t":
        first += 1
    return len(text[at:first].expandtabs(_DEEP))


def opening_tokens(frame: Frame | None, text: str, start: int) -> int:
    """What the opening costs."""
    return sum([opened.opening_tokens for opened in _opened(frame, text, start)])


def closing_text(frame: Frame | None, end: int) -> str:
    """What is added after a chunk that ends at `end` inside `frame`, innermost first."""
    return "".join([left.close for left in _left(frame, end)]) if frame else ""


def closing_tokens(frame: Frame | None, end: int) -> int:
    """What the closing costs."""
    return sum([left.close_tokens for left in _left(frame, end)])


def cost(frame: Frame | None, *, whole_lines: bool = False) -> int:
    """Tokens of a chunk that opens and closes a frame and all around it; whole lines bring their quote marks along."""
    total = 0
    marked = False
    while frame is not None:
        is_mark = frame.role in MARKS
        if not is_mark or not (marked or (whole_lines and frame.role == "quote")):
            total += frame.opening_tokens + frame.close_tokens
        marked = marked or is_mark  # only the innermost mark is repeated
        frame = frame.outer
    return total


class Draft(NamedTuple):
    """A chunk whose size is proved but whose id, neighbours and position are not known yet."""

    start: int
    end: int
    tokens: int
    context: tuple[Context, ...]
    closing: str
    section: int
    """Index of the section its first content belongs to."""
    seam: str
    alone: bool = False
    """Whether it may not merge with a neighbour: the header cells in its context are for its columns only."""


def render_chunk(text: str, start: int, end: int, context: Sequence[Context], closing: str) -> str:
    """The prompt view of a chunk."""
    return f"{context_text(text, context)}{text[start:end]}{closing}"


def context_text(text: str, context: Sequence[Context]) -> str:
    """What stands before a body."""
    return "".join([text[c.start : c.end] + c.added for c in context])
