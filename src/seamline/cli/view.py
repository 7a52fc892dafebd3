"""Chunks for people: a header for each document, then every chunk with its size, place and text, in lines that are
wrapped, painted and without control characters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from seamline.cli.terminal import TerminalStyle, clip, clip_middle, columns, plural, visible
from seamline.text.lines import LINE_END
from seamline.types import Chunk, Document, Span

if TYPE_CHECKING:
    from seamline.api.batch import DocumentChunks
    from seamline.api.recipes import Recipe


_BODY_LINES = 6
_CONTEXT_LINES = 4
_BAR = 10
_INDENT = " " * 6


class ChunkView(NamedTuple):
    """What of a chunk is shown."""

    style: TerminalStyle
    full: bool = False
    """All lines in full, instead of the first few."""
    explain: bool = False


class ChunkLine(NamedTuple):
    """A line of a chunk's text, or the part of one that has one owner."""

    mark: str
    """body, borrowed or added."""
    text: str


def render(name: str, document: Document, made: DocumentChunks, look: ChunkView) -> str:
    """A document, its chunks, and what was written about them."""
    from seamline.api.explain import explain  # not needed where hits are shown

    chunks, recipe = made.chunks, made.recipe
    lines = [_header(name, document, chunks, look.style)]
    if look.explain and made.reasons:
        lines += [f"{_INDENT}{look.style.paint(line, 'yellow')}" for line in _strategy_lines(made)]
    lines.append("")
    for chunk in chunks:
        lines.append(_title(chunk, recipe, look.style))
        if look.explain:
            lines.extend(f"{_INDENT}{look.style.paint(visible(line), 'yellow')}" for line in explain(chunk, recipe))
        if not chunk.level or look.full:  # its text is that of its children, which follow
            lines.extend(_text(chunk, look))
        lines.append("")
    if made.about:
        lines += [*_about(made, look), ""]
    return "\n".join(lines) + "\n"


def _strategy_lines(made: DocumentChunks) -> list[str]:
    """Which strategy, and why."""
    from seamline.api.recipes import StrategyChoice

    return [
        f"strategy: {StrategyChoice(made.recipe).strategy}",
        *(f"because: {visible(reason)}" for reason in made.reasons),
    ]


def _about(made: DocumentChunks, look: ChunkView) -> Iterator[str]:
    """Texts about chunks, each with the numbers of the chunks."""
    style = look.style
    numbers = {chunk.id: f"{chunk.index + 1}{'^' * chunk.level}" for chunk in made.chunks}
    for one in made.about:
        of = ", ".join(numbers[id] for id in one.of[:4]) + (", …" if len(one.of) > 4 else "")
        text = visible(" ".join(one.text.split()) if not look.full else one.text)
        line = f"{one.kind} of {of}: {text}"
        yield style.paint(style.mark("  ✎ ", "  * "), "dim") + (line if look.full else clip(line, style.width - 4))


def _header(name: str, document: Document, chunks: Sequence[Chunk], style: TerminalStyle) -> str:
    dot = style.mark(" · ", " - ")
    parts = [style.paint(visible(name), "bold")]
    if document.title:
        parts.append(clip(visible(document.title), 60))
    leaves = [chunk for chunk in chunks if not chunk.level]
    parts.append(plural(len(leaves), "chunk"))
    if len(leaves) < len(chunks):
        parts.append(f"{len(chunks) - len(leaves)} above them")
    if leaves:
        sizes = [chunk.tokens for chunk in leaves]
        parts.append(f"tokens {min(sizes)} min, {sum(sizes) / len(sizes):.0f} mean, {max(sizes)} max")
    return dot.join(parts)


def _title(chunk: Chunk, recipe: Recipe, style: TerminalStyle) -> str:
    first, last = chunk.lines
    place = f"line {first}" if first == last else f"lines {first}-{last}"
    number = style.paint(f"{chunk.index + 1:>4}", "bold")
    bar = _bar(chunk.tokens, recipe.limits[chunk.level], style)
    what = f"level {chunk.level}, {plural(len(chunk.children), 'part')}" if chunk.level else chunk.kind
    facts = f"{chunk.tokens:>5} tokens  {place}  {what}"
    crumb = visible(chunk.breadcrumb)
    fits = 4 + 2 + _BAR + 1 + columns(facts) + 2 + columns(crumb) <= style.width
    lead = "  " if fits else f"\n{_INDENT}"  # on a line of its own where there is no room beside the rest
    crumb = crumb if fits else clip_middle(crumb, style.width - len(_INDENT))
    return f"{number}  {bar} {facts}{lead if crumb else ''}{style.paint(crumb, 'cyan')}"


def _bar(tokens: int, limit: int, style: TerminalStyle) -> str:
    """How much of the limit is used."""
    filled = min(_BAR, -(-tokens * _BAR // limit))
    full, empty = style.mark("█", "#"), style.mark("░", ".")
    return style.paint(full * filled, "green" if tokens <= limit else "red") + style.paint(
        empty * (_BAR - filled), "dim"
    )


def _text(chunk: Chunk, look: ChunkView) -> Iterator[str]:
    """The chunk's text, every line marked by whose it is."""
    lines = _lines(chunk)
    if not look.full:
        lines = _preview(lines)
    for line in lines:
        yield _render_line(line, look)


def _lines(chunk: Chunk) -> list[ChunkLine]:
    text = chunk.document.text
    runs = [("borrowed", text[c.start : c.end]) for c in chunk.context]
    added = [("added", c.added) for c in chunk.context]
    pieces = [piece for pair in zip(runs, added, strict=True) for piece in pair]
    pieces += [("body", chunk.render("body")), ("added", chunk.closing)]
    return [part for line in _split(pieces) for part in _by_owner(line)]


def _split(pieces: Sequence[tuple[str, str]]) -> Iterator[list[tuple[str, str]]]:
    """Pieces of text by line; those that meet on one line stay together."""
    line: list[tuple[str, str]] = []
    for owner, text in pieces:
        first, *rest = LINE_END.split(text)
        line.append((owner, first))
        for more in rest:
            yield line
            line = [(owner, more)]
    if any(text for _, text in line):
        yield line


def _by_owner(pieces: Sequence[tuple[str, str]]) -> list[ChunkLine]:
    """Where an overlap ends in the middle of a line, each side gets a line; blanks go with what is before them."""
    out: list[ChunkLine] = []
    for owner, text in pieces:
        if out and (out[-1].mark == owner or not text.strip()):
            out[-1] = ChunkLine(out[-1].mark, out[-1].text + text)
        elif text.strip():
            out.append(ChunkLine(owner, text))
    if out:
        return out
    return [ChunkLine("body" if any(owner == "body" for owner, _ in pieces) else "borrowed", "")]


def _preview(lines: Sequence[ChunkLine]) -> list[ChunkLine]:
    """The first lines of what is borrowed and of the body; all that is added."""
    borrowed = [line for line in lines if line.mark == "borrowed" and line.text]
    body = [line for line in lines if line.mark == "body"]
    before = _added_before(lines)
    after = [line for line in lines if line.mark == "added"][len(before) :]
    return [*_head(borrowed, _CONTEXT_LINES), *before, *_head(body, _BODY_LINES), *after]


def _added_before(lines: Sequence[ChunkLine]) -> list[ChunkLine]:
    """Added lines that stand before the body, as the rule under borrowed header cells does."""
    first = next((at for at, line in enumerate(lines) if line.mark == "body"), 0)
    return [line for line in lines[:first] if line.mark == "added"]


def _head(lines: Sequence[ChunkLine], most: int) -> list[ChunkLine]:
    if len(lines) <= most + 1:  # one line left over is shown as soon as counted
        return list(lines)
    return [*lines[:most], ChunkLine(lines[0].mark, f"… {len(lines) - most} more lines")]


def _render_line(line: ChunkLine, look: ChunkView) -> str:
    style = look.style
    marks = {"body": ("│", "|"), "borrowed": ("┆", ":"), "added": ("+", "+")}
    mark = style.paint(style.mark(*marks[line.mark]), "dim")
    text = visible(line.text)
    if not look.full:
        text = clip(text, style.width - len(_INDENT) - 2)
    if line.mark != "body":
        text = style.paint(text, "dim")
    return f"{_INDENT}{mark} {text}".rstrip()


_GOES_ON = re.compile(r"\r?\n(?=[^\W\d_])")
_NOTHING = re.compile(r"\s*(?:\|[ \t:|-]*)?")
"""A line that is blank, or the rule under the header of a table."""
_LONG = 60
"""Columns from which a line that prose goes on after was broken by its author's editor, and not for a reason."""
_BACK = 2000
"""How far back the start of such a line is looked for."""


def wrap(
    text: str, part: Span, marks: Sequence[Span], style: TerminalStyle, width: int, *, airy: bool = False
) -> Iterator[str]:
    """A part of a text in lines of at most so many columns: lines of a paragraph joined; blank lines and the rules of
    tables only where there is room for air."""
    flowing = _GOES_ON.sub(_join_lines, text)
    for line in _marked_lines(flowing, part):
        if not _NOTHING.fullmatch(flowing, line.start, line.end):
            yield from (paint_marks(flowing, row, marks, style) for row in _rows(flowing, line, width))
        elif airy:
            yield paint_marks(flowing, line, (), style)


def whole(text: str, marks: Sequence[Span], style: TerminalStyle) -> Iterator[str]:
    """All lines of a text as they are."""
    return (paint_marks(text, line, marks, style) for line in _marked_lines(text, Span(0, len(text))))


def paint_marks(text: str, part: Span, marks: Sequence[Span], style: TerminalStyle) -> str:
    """A part of one line, with what is marked in it standing out."""
    pieces, at = [], part.start
    for mark in marks:
        start, end = max(mark.start, at), min(mark.end, part.end)
        if start < end:
            pieces += [visible(text[at:start]), style.paint(visible(text[start:end]), "bold", "yellow")]
            at = end
    return "".join([*pieces, visible(text[at : part.end])]).rstrip()


def _marked_lines(text: str, part: Span) -> Iterator[Span]:
    at = part.start
    for end in LINE_END.finditer(text, part.start, part.end):
        yield Span(at, end.start())
        at = end.end()
    yield Span(at, part.end)


def _join_lines(line_end: re.Match[str]) -> str:
    """A line end inside a paragraph as blanks, so that no offset changes; any other as it is."""
    text, at = line_end.string, line_end.start()
    low = max(0, at - _BACK)
    line = text[max(text.rfind("\n", low, at), text.rfind("\r", low, at), low - 1) + 1 : at]
    prose = len(line) >= _LONG and line[0] not in "|#`~ \t"
    return " " * len(line_end.group()) if prose else line_end.group()


def _rows(text: str, line: Span, width: int) -> Iterator[Span]:
    """A line cut at spaces, or where there are none, at the width."""
    start, end = line
    while start < end:
        stop, space, used = start, start, 0
        while stop < end and (used := used + columns(visible(text[stop]))) <= width:
            space = stop if text[stop] == " " else space
            stop += 1
        if stop < end and text[stop] != " " and space > start:
            stop = space
        stop = max(stop, start + 1)
        yield Span(start, stop)
        start = stop
        while start < end and text[start] == " ":
            start += 1
