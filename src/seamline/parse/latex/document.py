"""LaTeX -> blocks of its source. No macro is expanded and nothing is run; parts in other files were gathered before.

The text is the source without comments, with its parts where they are named. What stands before `\\begin{document}` is
front matter: title, author and date become metadata, and it is in the chunks only where the recipe includes front
matter.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from seamline.anchors import Anchors
from seamline.parse.latex.blocks import LatexBlocks
from seamline.parse.latex.lex import BEGIN, LatexMarks, lex
from seamline.parse.latex.project import join, single
from seamline.parse.latex.text import authors, plain_text
from seamline.parse.latex.tree import LatexArguments, LatexTree, build_tree
from seamline.parse.parser_types import ParseInput, ParseResult
from seamline.runtime import gc_paused
from seamline.text.headings import heading_text
from seamline.text.lines import line_number, trimmed
from seamline.types import Block, Detail, Notice, Span

_VISIBLE = re.compile(r"\S")


class _Body(NamedTuple):
    """What of the source is typeset."""

    first: int
    """Position of its first mark."""
    start: int
    last: int
    """One past the position of its last mark."""
    end: int
    has_end: bool
    """Whether `\\end{document}` ends it."""


def parse(raw: ParseInput) -> ParseResult:
    with gc_paused():
        return _parse_source(raw)


def _parse_source(raw: ParseInput) -> ParseResult:
    project = raw.project or single(raw.text)
    joined = join(project, keeps_comments=raw.reading.comments == "keep", most=raw.limits.characters)
    text = joined.text[: joined.end]
    lexed = lex(text)
    arguments = LatexArguments(text, lexed)
    tree = build_tree(text, lexed, arguments)
    body = _body(text, tree)
    inside = [heading for at, heading in tree.headings.items() if body.first <= at < body.last]
    made = LatexBlocks(text, tree, arguments, raw.limits.depth, min((one.rank for one in inside), default=0))
    removed: tuple[Span, ...] = ()
    mode = raw.reading.front_matter
    front = trimmed(text, 0, body.start)
    if front and mode == "include":
        made.add("front_matter", 0, front)
    elif front:
        removed = (Span(0, front),)
    made.read(body.first, body.start, body.last, body.end)
    places = _Places(text, joined.anchors)
    notices = [*project.notices, *joined.notices, *_notices(places, lexed, tree, made.too_deep)]
    if joined.removed:
        size = sum(end - start for start, end in joined.removed)
        what = (
            f'{len(joined.removed):,} comments with {size:,} characters were left out: `comments = "keep"` keeps them'
        )
        notices.append(Notice("latex-comments", what))
    if body.has_end:
        mark = tree.marks[body.last]
        rest = len(text[mark.end :].strip())
        if removed and not rest:
            removed += (Span(mark.start, mark.end),)
        else:
            made.paragraph(len(text), Detail(comment=True))
        if rest:
            notices.append(places.notice("latex-after-end", f"{rest} characters follow \\end{{document}}", mark.end))
    if removed:
        what = f'the preamble of {front} characters is metadata, not in chunks: `front_matter = "include"` keeps it'
        notices.append(Notice("latex-preamble", what))
    meta = {} if mode == "strip" else _meta(tree)
    return ParseResult(
        joined.text,
        made.blocks,
        _title(text, made.blocks, meta),
        meta,
        joined.anchors,
        removed=(*removed, *joined.removed),
        notices=tuple(notices),
    )


class _Places(NamedTuple):
    """Where offsets of the text stand in the source."""

    text: str
    anchors: Anchors | None

    def notice(self, code: str, message: str, at: int) -> Notice:
        place = self.anchors.at(at, at + 1) if self.anchors is not None else {}
        line = place["lines"][0] if "lines" in place else line_number(self.text, at)
        return Notice(code, message, f"{place['part']}, line {line}" if "part" in place else f"line {line}")


def _body(text: str, tree: LatexTree) -> _Body:
    """All of a fragment; of a document what its environment holds, and an abstract before it."""
    marks = tree.marks
    for position, mark in enumerate(marks):
        if mark.kind != BEGIN or mark.name not in ("document", "abstract"):
            continue
        if mark.name == "abstract":
            if not any(one.kind == BEGIN and one.name == "document" for one in marks[position:]):
                break
            return _Body(position, mark.start, len(marks), len(text), has_end=False)
        last = tree.partner.get(position)
        if last is None:
            return _Body(position + 1, mark.end, len(marks), len(text), has_end=False)
        return _Body(position + 1, mark.end, last, marks[last].start, has_end=True)
    return _Body(0, 0, len(marks), len(text), has_end=False)


def _meta(tree: LatexTree) -> dict[str, Any]:
    """What the document says of itself."""
    out: dict[str, Any] = {}
    for name in ("title", "date"):
        if words := plain_text(tree.meta.get(name, "")):
            out[name] = words
    if names := authors(tree.meta.get("author", "")):
        out["author"] = names
    return out


def _title(text: str, blocks: list[Block], meta: dict[str, Any]) -> str:
    """What `\\title` says, else the only heading of the first level."""
    if "title" in meta:
        return str(meta["title"])
    first = [block for block in blocks if block.kind == "heading" and block.level == 1]
    return heading_text(text, first[0]) if len(first) == 1 else ""


def _notices(places: _Places, lexed: LatexMarks, tree: LatexTree, too_deep: int) -> list[Notice]:
    """What was not read as it may be meant."""
    out: list[Notice] = []
    if lexed.inputs:
        out.append(Notice("latex-input", f"{lexed.inputs} commands name other files, which are not read"))
    if lexed.open_braces:
        out.append(Notice("latex-braces", f"{lexed.open_braces} braces have no partner: read as text"))
    if tree.open:
        what = f"{len(tree.open)} environments are begun or ended only: what is in them is read as if they were not"
        out.append(places.notice("latex-environments", what, tree.open[0]))
    if lexed.open_math:
        out.append(Notice("latex-math", f"{lexed.open_math} formulas have no end in their paragraph: read as text"))
    if lexed.catcodes:
        what = f"{lexed.catcodes} commands change what characters mean: they are read as usual"
        out.append(Notice("latex-catcode", what))
    if too_deep:
        out.append(Notice("latex-depth", f"{too_deep} environments are nested too deep: each is read as one block"))
    return out
