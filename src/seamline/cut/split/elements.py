"""HTML that is too large: cut at the ends of its elements, each part between the tags that are around it.

What a part is put between shrinks until it leaves room for the part: tags lose their attributes, then the outermost
go; the header of a table goes last. One tag always stays: without any, CommonMark would read the part as text or code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from seamline.cut.atoms import Frame, context_text, cost
from seamline.cut.split.ladder import Count, Rung, by_blank_code, by_lines, by_sentences
from seamline.cut.split.tables import LEAST
from seamline.text.markup import BLOCK_ELEMENTS, RAW_ELEMENTS
from seamline.types import NO_DETAIL, Block, Context

ELEMENT = "element"
"""The role of a frame of tags; that of a table with its header is `header`."""
_NAME = re.compile(r"</?[A-Za-z][\w.:-]*+")
_CLOSING = re.compile(r"(?:\s*+</[A-Za-z][\w.:-]*+\s*+>)++\s*+")
_TAGGED = re.compile(r"<[A-Za-z/!][^<>]*+>")
_WHOLE_TAG = re.compile(r"""<!--|</?[A-Za-z][\w.:-]*+(?:[^<>"']++|"[^"]*+"|'[^']*+')*+>""")
_BARE = "<wbr>\n"
"""A tag that makes HTML of what follows it, shows nothing, and needs no close."""
_LEAST_BODY = 24
"""Tokens that the header of a table leaves to what is under it; with less, half of the room is all that it gets."""
_SEAMS = {"table": "row", "tr": "line", "ul": "item", "ol": "item", "menu": "item"}


def by_html_sentences(text: str, start: int, end: int) -> list[tuple[int, str]]:
    """At every sentence that does not start inside a tag."""
    cuts = by_sentences(text, start, end)
    if not cuts:
        return cuts
    inside: set[int] = set()
    for tag in _TAGGED.finditer(text, start, end):
        inside.update(range(tag.start() + 1, tag.end()))
    return [cut for cut in cuts if cut[0] not in inside]


HTML: tuple[Rung, ...] = (by_blank_code, by_html_sentences, by_lines)


def is_element(block: Block) -> bool:
    """Whether a block is an element of HTML whose tags are known."""
    enclosure = (block.detail or NO_DETAIL).enclosure
    return block.kind in ("html", "table", "row") and enclosure is not None and enclosure.close.startswith("</")


def is_html(block: Block) -> bool:
    """Whether a block is HTML as CommonMark reads it."""
    return block.kind == "html" or is_element(block)


def is_raw(block: Block) -> bool:
    """Whether a block is an element that starts HTML up to its own close, and not up to a blank line."""
    return ((block.detail or NO_DETAIL).name or "").lower() in RAW_ELEMENTS


def opening_end(block: Block) -> int:
    """Where what is repeated of an element ends: its tag, or the header of a table."""
    detail = block.detail or NO_DETAIL
    assert detail.enclosure is not None  # elements have one
    head = detail.header_end or 0
    return max(head, detail.enclosure.end)


def seam_inside(block: Block) -> str:
    """The gap between what is in an element."""
    return _SEAMS.get(((block.detail or NO_DETAIL).name or "").lower(), "paragraph")


def is_closing(text: str, start: int, end: int) -> bool:
    """Whether a range holds nothing but closing tags."""
    return _CLOSING.fullmatch(text, start, end) is not None


def _starts_html(text: str, start: int, end: int) -> bool:
    """Whether a range starts with a tag that makes HTML of it by its name alone."""
    while start < end and text[start] in " \t\ufeff":
        start += 1
    name = _NAME.match(text, start, end)
    return name is not None and name[0].strip("</").lower() in BLOCK_ELEMENTS


def starts_torn(text: str, start: int, end: int) -> bool:
    """Whether a range starts with a tag that does not end in it, and that makes no HTML by its name alone."""
    while start < end and text[start].isspace():
        start += 1
    if not text.startswith("<", start) or _starts_html(text, start, end):
        return False
    tag = _WHOLE_TAG.match(text, start, end)
    return tag is None


class ElementFrames:
    """Makes the frames of tags of one document."""

    def __init__(self, text: str, count: Count) -> None:
        self._text = text
        self._count = count
        self._compact: dict[int, Frame] = {}

    def of(
        self, block: Block, start: int, end: int, outer: Frame | None, room: int, heads: Sequence[Block] = ()
    ) -> Frame | None:
        """What parts of an element that fills a range are put between, as far as there is room for it. `heads` are the
        rows of a table's header."""
        detail = block.detail or NO_DETAIL
        assert detail.enclosure is not None  # elements have one
        until = opening_end(block)
        role = "header" if until > detail.enclosure.end and block.kind == "table" else ELEMENT
        full = self._frame(
            role, start, end, Context(role, detail.enclosure.start, until, "\n"), f"</{detail.name}>", outer
        )
        if role == "header" and (compact := self._compacted(full, heads)):
            self._compact[start] = compact
        for option, allowed in self._options(full, room):
            if cost(option) <= allowed:
                return option
        return None

    def bare(self, start: int, end: int, outer: Frame | None) -> Frame:
        """What makes HTML of parts that start inside a tag, or in text of no element. A part that starts the range has
        it too where that is no tag that starts HTML by its name."""
        opens = start if start >= 0 and _starts_html(self._text, start, end) else -1
        context = Context(ELEMENT, max(start, 0), max(start, 0), _BARE)
        return Frame(ELEMENT, opens, end, (context,), "", self._count(_BARE) + 1, 0, outer)

    def spaced(self, frame: Frame | None) -> Frame | None:
        """The same for Markdown, which a blank line parts from HTML: all tags, as any of them may give way."""
        if frame is None or not _is_tags(frame):
            return frame
        frame = frame._replace(outer=self.spaced(frame.outer))
        last = frame.opening[-1]
        opening = (*frame.opening[:-1], last._replace(added=last.added.rstrip("\n") + "\n\n"))
        close = f"\n\n{frame.close.lstrip()}" if frame.close else ""
        return frame._replace(opening=opening, close=close, close_tokens=self._count(close) if close else 0)

    def _frame(self, role: str, start: int, end: int, opening: Context, close: str, outer: Frame | None) -> Frame:
        tokens = self._count(self._text[opening.start : opening.end] + opening.added) + 1
        close = f"\n{close}"
        return Frame(role, start, end, (opening,), close, tokens, self._count(close), outer)

    def _compacted(self, frame: Frame, heads: Sequence[Block]) -> Frame | None:
        """The frame of a table with the rows of its header, and nothing else around them."""
        name = _NAME.match(self._text, frame.opening[0].start)
        if name is None or not heads:
            return None
        rows = [Context("header", row.start, row.end, "\n") for row in heads]
        opening = (Context("header", name.start(), name.end(), ">\n"), *rows)
        tokens = self._count(context_text(self._text, opening)) + 1
        return frame._replace(opening=opening, opening_tokens=tokens) if tokens < frame.opening_tokens else None

    def _lean(self, frame: Frame) -> Frame:
        """A frame whose tag has lost all but its name."""
        at = frame.opening[0].start
        name = _NAME.match(self._text, at)
        if name is None:
            return frame
        opening = Context(ELEMENT, at, name.end(), ">" + ("\n\n" if frame.opening[-1].added.endswith("\n\n") else "\n"))
        lean = self._frame(ELEMENT, frame.start, frame.end, opening, frame.close.strip(), frame.outer)
        return lean if lean.opening_tokens < frame.opening_tokens else frame

    def _options(self, frame: Frame, room: int) -> Iterator[tuple[Frame, int]]:
        """Ever less of a frame, each with the tokens that it may have."""
        around: list[Frame] = []  # frames of tags, innermost first
        rest = frame.outer
        while rest is not None and _is_tags(rest):
            around.append(rest)
            rest = rest.outer
        half = room // 2
        most = max(half, room - max(room // 4, _LEAST_BODY))
        lean = self._lean(frame)
        head = frame if frame.role == "header" else next((one for one in around if one.role == "header"), None)
        if head is None:
            yield frame, half
            yield lean, half
        else:
            compact = self._compact.get(head.start, head)
            yield frame, most
            yield lean if frame is not head else compact._replace(outer=frame.outer), most
            for kept in (head, compact):
                small = [kept if one is head else self._lean(one) for one in (frame, *around)]
                yield _chain(small, rest), most
            few = [compact] if frame is head else [lean, compact]
            yield _chain(few, rest), most
            yield _chain(few, None), most
        yield _chain([lean, *map(self._lean, around)], rest), half
        yield _chain([lean], rest), half
        yield _chain([lean], None), room - LEAST
        yield self.bare(frame.start, frame.end, None), room - LEAST


def _is_tags(frame: Frame) -> bool:
    return frame.role == ELEMENT or (frame.role == "header" and frame.close.lstrip().startswith("</"))


def _chain(frames: list[Frame], rest: Frame | None) -> Frame:
    """Frames inside each other, innermost first."""
    for frame in reversed(frames):
        rest = frame._replace(outer=rest)
    assert rest is not None  # there is one frame at least
    return rest
