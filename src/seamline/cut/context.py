"""What a chunk repeats to be readable alone: the headings above it, and in source code the imports it uses. A
function stays whole rather than get its imports. Paths of chunks in source code are the scopes around them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import NamedTuple

from seamline.code_outline import CodeOutline, Import
from seamline.cut.atoms import Draft, context_text, render_chunk
from seamline.cut.sections import Section
from seamline.protocols import Tokenizer
from seamline.text.headings import cap_title, heading_text
from seamline.text.lines import counts_apart
from seamline.types import NO_DETAIL, Block, Context, Document


class HeadingContext(NamedTuple):
    """Headings as spans, as text, and how many tokens they have."""

    context: tuple[Context, ...] = ()
    text: str = ""
    tokens: int = 0


_NONE = HeadingContext()
_MARKDOWN = ("text/markdown", "text/mdx")


def root_title(document: Document) -> str:
    """The title that the front matter of Markdown gives, on one line and capped; empty where it gives none."""
    title = document.front_matter.get("title") if document.source.media_type in _MARKDOWN else None
    return cap_title(" ".join(title.split())) if isinstance(title, str) else ""


class HeadingContexts:
    """Finds and counts the headings above any place of a document, each set once."""

    def __init__(
        self,
        document: Document,
        starts: Sequence[int],
        sections: Sequence[Section],
        count: Callable[[str], int],
        most: int,
        title: str = "",
    ) -> None:
        self._text = document.text
        self._title = title
        self._blocks = document.blocks
        self._starts = starts
        self._sections = sections
        self._firsts = [section.first for section in sections]
        self._count = count
        self._most = most
        """Headings never take more tokens than this; 0 where the recipe wants none."""
        self._known: dict[tuple[bool, tuple[int, ...]], HeadingContext] = {}
        """Per path, below the title or not."""
        self.paths = heading_paths(document, sections, title)
        """Per section, the texts of the headings above its content, below the title unless one of them says it."""
        self._titled = [len(path) > len(section.path) for path, section in zip(self.paths, sections, strict=True)]
        """Per section, whether the title stands above its headings."""
        first = document.blocks[0] if document.blocks else None
        self._front = first.start if first is not None and first.kind == "front_matter" else -1
        """Where front matter starts that is in the text: the chunk that has it says the title."""
        self.bare: set[int] = set()
        """Starts of chunks that have no room for headings as context."""

    def at(self, section: int, start: int) -> HeadingContext:
        """What a chunk borrows that starts at `start` in a section."""
        _, _, _, path, above = self._sections[section]
        blocks = self._blocks
        if above == len(path) or blocks[path[-1]].start < start:
            headings = path
        elif start <= blocks[path[above]].start:
            headings = path[:above]
        else:
            headings = tuple([index for index in path if blocks[index].start < start])
        is_titled = self._titled[section] and start > self._front
        lead = self._known.get((is_titled, headings))
        if lead is None:
            lead = self._known[is_titled, headings] = self._made(headings, is_titled=is_titled)
        return lead if start not in self.bare else _NONE

    def tokens_at(self, starts: Sequence[int], first: int, last: int) -> list[int]:
        """Per start of a chunk in the sections [first, last), tokens of what it borrows."""
        if last - first > 1:
            return [self.at(self.section_at(start, first, last), start).tokens for start in starts]
        path = self._sections[first].path
        last_heading = max(self._blocks[path[-1]].start if path else -1, self._front)
        below = -1  # what all that starts after it borrows
        out: list[int] = []
        for start in starts:
            if start <= last_heading or start in self.bare:
                out.append(self.at(first, start).tokens)
                continue
            if below < 0:
                below = self.at(first, start).tokens
            out.append(below)
        return out

    def section_at(self, offset: int, first: int, last: int) -> int:
        """Which of the sections [first, last) holds an offset."""
        if last - first == 1:
            return first
        position = bisect_right(self._starts, offset) - 1
        return bisect_right(self._firsts, position) - 1

    def _made(self, headings: tuple[int, ...], *, is_titled: bool) -> HeadingContext:
        """Headings as context; the outermost give way where all would take too much."""
        if not self._most:
            return _NONE
        blocks = self._blocks
        root = (Context("heading", 0, 0, f"# {self._title}\n\n"),) if is_titled else ()
        context = (*root, *[Context("heading", blocks[i].start, blocks[i].end, "\n\n") for i in headings])
        while context:
            text = context_text(self._text, context)
            tokens = self._count(text)
            if tokens <= self._most:
                return HeadingContext(context, text, tokens)
            context = context[1:]
        return _NONE


def heading_paths(document: Document, sections: Sequence[Section], title: str = "") -> list[tuple[str, ...]]:
    """Per section, the texts of the headings above its content, below the title unless one of them says it."""
    text, blocks = document.text, document.blocks
    headings = {index for section in sections for index in section.path}
    titles = {index: cap_title(heading_text(text, blocks[index])) for index in headings}
    paths = [tuple([titles[index] for index in section.path]) for section in sections]
    if not title:
        return paths
    said = title.casefold()
    saying = {one for one in titles.values() if one.casefold() == said}
    return [path if saying and not saying.isdisjoint(path) else (title, *path) for path in paths]


class ScopePaths:
    """Names of the scopes around chunks, which are asked about in their order: blocks are looked at once."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self._blocks = blocks
        self._at = 0
        self._around: list[Block] = []

    def of(self, start: int, end: int, first: int, last: int) -> tuple[str, ...]:
        """The names around a body that touches the blocks [first, last), outermost first. `first` is a scope."""
        blocks = self._blocks
        at = max(self._at, first)
        while at < last and blocks[at].start <= start:
            if blocks[at].kind == "scope":
                self._around = [one for one in self._around if one.end > blocks[at].start]
                self._around.append(blocks[at])
            at += 1
        self._at = at
        names = [_name(one) for one in self._around if one.start <= start and end <= one.end]
        return tuple([name for name in names if name])


def _name(scope: Block) -> str:
    return (scope.detail or NO_DETAIL).name or ""


_SHARE = 8
"""An eighth of the limit is kept free for imports."""


def import_reserve(document: Document, limit: int) -> int:
    """Tokens to keep free while packing."""
    return limit // _SHARE if any(block.detail and block.detail.imports for block in document.blocks) else 0


class ImportContext:
    """Adds imports to the drafts of one document."""

    def __init__(self, document: Document, outline: CodeOutline, tokenizer: Tokenizer, limit: int) -> None:
        self._text = document.text
        self._outline = outline
        self._count = tokenizer.count
        self._limit = limit
        self._indents = outline.language == "python"
        self._tokens: dict[Import, int] = {}
        self._additive = tokenizer.additive
        self._lines: dict[tuple[int, int], int] = {}

    def add(self, drafts: Sequence[Draft]) -> list[Draft]:
        return [self._added(draft) for draft in drafts]

    def _added(self, draft: Draft) -> Draft:
        used = self._outline.imports_used(draft.start, draft.end)
        if not used or (self._indents and self._is_indented(draft)):
            return draft
        room = self._limit - draft.tokens
        while used:
            while used and sum(map(self._cost, used)) > room:
                used.remove(max(used, key=self._cost))  # many short lines rather than a long one
            lines = self._contexts(used)
            context = (*lines, *draft.context)
            if self._adds_up(draft):
                tokens = draft.tokens + sum(map(self._exact, lines))
            else:
                tokens = self._count(render_chunk(self._text, draft.start, draft.end, context, draft.closing))
            if tokens <= self._limit:
                return draft._replace(context=context, tokens=tokens)
            room -= tokens - self._limit
        return draft

    def _adds_up(self, draft: Draft) -> bool:
        """Whether counts before and after the start of a draft add up exactly: imports end their lines."""
        first = draft.context[0] if draft.context else None
        start = first.start if first else draft.start
        if first and first.start == first.end:
            return False
        return self._additive and counts_apart(self._text, start)

    def _exact(self, context: Context) -> int:
        key = (context.start, context.end)
        if key not in self._lines:
            self._lines[key] = self._count(self._text[context.start : context.end] + context.added)
        return self._lines[key]

    def _is_indented(self, draft: Draft) -> bool:
        """Whether its text starts further right than an import may stand."""
        first = draft.context[0].start if draft.context else draft.start
        return self._text[first] in " \t"

    def _cost(self, one: Import) -> int:
        if one not in self._tokens:
            self._tokens[one] = self._count(self._text[one.start : one.end]) + 1
        return self._tokens[one]

    def _contexts(self, used: Sequence[Import]) -> list[Context]:
        """Import lines in order, those of a group between its brackets."""
        out: list[Context] = []
        group = None
        for one in used:
            if one.group != group:
                out += self._closed(group)
                group = one.group
                if group:
                    out.append(Context("import", group[0], group[1], "\n"))
            out.append(Context("import", one.start, one.end, "\n"))
        return out + self._closed(group)

    def _closed(self, group: tuple[int, int, int] | None) -> list[Context]:
        return [Context("import", group[2], group[2] + 1, "\n")] if group else []
