"""A syntax tree -> blocks: scopes around what they hold, imports, runs of statements.

What starts a line may start a block. Of a node that is large, the children that start lines become blocks inside it,
and so on: no language needs a rule of its own but for what declares something.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from seamline.parse.code_languages import CLASSES, Language
from seamline.parse.code_places import Places, blank_between, trim
from seamline.parse.code_scopes import Declarations, Declared, Node
from seamline.types import Block

OPEN = 240
"""Code points above which what is inside a node is told apart."""
_RUN = 200
"""Code points of statements that are put together inside a scope."""
_TOP_RUN = 800
"""Code points of statements that are put together at the top."""
_LONG = 1000
"""Code points of one line, above which blocks may start inside it."""
DEPTH = 24
"""Blocks inside each other. What is nested deeper is not told apart."""
_INLINE = 48
"""Nodes inside each other that are looked through for one that starts a line."""
_CLOSERS = frozenset(("end", "fi", "done", "esac"))
_FIRST_WORD = re.compile(r"[^\w\r\n]*(\w+)")
_IMPORTS = {"imports": True}
_HEADER = {"header": True}


class Piece(NamedTuple):
    """A node, and where the block that starts with it would start."""

    start: int
    node: Node
    """None for the opening of a scope."""


class Part(NamedTuple):
    """A block to be."""

    start: int
    end: int
    attrs: dict[str, Any] | None = None
    node: Node = None
    """What it may be opened to; None where that is nothing."""
    declared: Declared | None = None


class Tree:
    """Makes blocks of one syntax tree."""

    def __init__(self, places: Places, language: Language) -> None:
        self._places = places
        self._text = places.text
        self._language = language
        self._declarations = Declarations(places, language)
        self.deep = 0
        """How many places are nested too deep to be told apart."""

    def blocks(self, root: Node) -> list[Block]:
        """All blocks in pre-order."""
        out: list[Block] = []
        start, end = 0, len(self._text)
        while start < end and self._text[start] in " \t\r\n\ufeff":
            start += 1
        tops = self._parts(self._pieces(root, start, -1), end, "", is_top=True)
        stack = [(part, -1, 0, "") for part in reversed(tops)]
        while stack:
            part, parent, depth, around = stack.pop()
            inner = self._inside(part, depth, around)
            kind = "scope" if part.declared or len(inner) > 1 else "code"
            out.append(Block(kind, part.start, part.end, 0, parent, self._attrs(part, around, kind)))
            if len(inner) > 1:
                of = part.declared.type if part.declared else around
                stack.extend([(one, len(out) - 1, depth + 1, of) for one in reversed(inner)])
        return out

    def _attrs(self, part: Part, around: str, kind: str) -> dict[str, Any] | None:
        declared = part.declared
        if declared is None:
            return {"type": "block"} if kind == "scope" else part.attrs
        of = "method" if declared.type == "function" and around in CLASSES else declared.type
        attrs: dict[str, Any] = {"name": declared.name, "type": of}
        if declared.start < declared.end:
            attrs["frame"] = (declared.start, declared.end, "")
        return attrs

    def _inside(self, part: Part, depth: int, around: str) -> list[Part]:
        """The parts of a part that is worth it: a class, or anything large."""
        if part.node is None:
            return []
        declared = part.declared
        holds = declared is not None and declared.type in CLASSES
        if part.end - part.start <= OPEN and not holds:
            return []
        if depth >= DEPTH:
            self.deep += 1
            return []
        floor = declared.end if declared else self._places.at(part.node.start_byte) + 1
        pieces = self._pieces(part.node, part.start, floor)
        return self._parts(pieces, part.end, declared.type if declared else around, is_top=False)

    # --- where blocks may start -----------------------------------------------------------------------------------

    def _pieces(self, node: Node, start: int, floor: int) -> list[Piece]:
        """The nodes inside a node that start lines, and its opening up to `floor`; where none does, that alone."""
        places, through = self._places, self._language.through
        out: list[Piece] = [Piece(start, None)] if floor >= 0 else []
        last = start if floor >= 0 else -1
        stack = [(child, 0) for child in reversed(node.children)]
        while stack:
            child, level = stack.pop()
            at, end = places.at(child.start_byte), places.at(child.end_byte)
            if end <= floor or at == end:
                continue
            begin = places.line_start(at) if at >= floor else -1
            if begin > last:
                if level < _INLINE and (child.type in through or child.type == "ERROR") and child.child_count:
                    stack.extend([(one, level + 1) for one in reversed(child.children)])
                elif child.is_named or not out or self._starts(at):
                    out.append(Piece(begin, child))
                    last = begin
            elif begin < 0 and at - last > _LONG and child.is_named and at >= floor:
                out.append(Piece(at, child))
                last = at
            elif level < _INLINE and (at < floor or self._is_large(at, end)):
                stack.extend([(one, level + 1) for one in reversed(child.children)])
        if not out and start < len(self._text):
            out.append(Piece(start, None))
        elif out and out[0].start > start:
            out[0] = Piece(start, out[0].node)
        return out

    def _is_large(self, start: int, end: int) -> bool:
        return end - start > _RUN and (end - start > _LONG or self._text.find("\n", start, end) >= 0)

    def _starts(self, at: int) -> bool:
        """Whether a line that starts with a mark or keyword goes on: `} else {` does, `});` does not."""
        word = _FIRST_WORD.match(self._text, at)
        return word is not None and word[1] not in _CLOSERS

    # --- what they are put together to ----------------------------------------------------------------------------

    def _parts(self, pieces: list[Piece], end: int, around: str, *, is_top: bool) -> list[Part]:
        gather = _Gathering(self._text, _TOP_RUN if is_top else _RUN, is_top)
        lead = -1  # where comments and decorators of the next piece start
        for index, (start, node) in enumerate(pieces):
            is_last = index + 1 == len(pieces)
            after = end if is_last else pieces[index + 1].start
            until = trim(self._text, start, after)
            begin = start if lead < 0 else lead
            if node is None:
                gather.alone(begin, until)
                continue
            kind = node.type
            if kind in self._language.prefixes or "comment" in kind:
                lead = begin
                if not is_last and ("comment" not in kind or not blank_between(self._text, until, after)):
                    continue
                lead = -1
                gather.remark(begin, until)
                continue
            lead = -1
            if declared := self._declarations.of(node):
                stop = self._line_of_end(node, start, after)
                gather.scope(Part(begin, stop, None, node, declared))
                gather.rest(stop, until)
            elif self._declarations.is_import(node):
                gather.imports(begin, start, until)
            elif index < 2 and self._is_docstring(node):
                gather.docstring(begin, until)
            elif self._is_large(start, until) and until - start > OPEN:
                gather.large(begin, start, until, node)
            else:
                gather.statement(begin, start, until)
        return gather.done()

    def _line_of_end(self, node: Node, start: int, after: int) -> int:
        """The end of the line that a node ends in: what stands there belongs to it."""
        end = self._places.at(node.end_byte)
        return trim(self._text, start, min(after, self._places.line_end(max(end - 1, start), after)))

    def _is_docstring(self, node: Node) -> bool:
        if self._language.name != "python" or node.type != "expression_statement":
            return False
        inner = node.child(0)
        return inner is not None and inner.type in ("string", "concatenated_string")


class _Gathering:
    """Parts as they come, small statements put together."""

    def __init__(self, text: str, most: int, is_top: bool) -> None:
        self._text = text
        self._most = most
        self._is_top = is_top
        self._out: list[Part] = []
        self._run = (0, 0)

    def done(self) -> list[Part]:
        self._flush()
        return self._out

    def alone(self, start: int, end: int) -> None:
        """The opening of a scope."""
        self._flush()
        if start < end:
            self._out.append(Part(start, end))

    def scope(self, part: Part) -> None:
        self._flush()
        self._out.append(part)

    def rest(self, start: int, end: int) -> None:
        """What stands after a scope and before the next piece: inside a scope, marks that close it are left out."""
        while start < end and self._text[start].isspace():
            start += 1
        word = _FIRST_WORD.search(self._text, start, end) if start < end else None
        if start < end and (self._is_top or (word is not None and word[1] not in _CLOSERS)):
            self.statement(start, start, end)

    def remark(self, start: int, end: int) -> None:
        """A comment by itself; the first of a file is its header."""
        if self._is_top and self._is_first():
            self._out.append(Part(start, end, _HEADER))
        else:
            self.statement(start, start, end)

    def imports(self, begin: int, start: int, end: int) -> None:
        begin = self._header(begin, start)
        last = self._out[-1] if self._out and self._run == (0, 0) else None
        if last is not None and last.attrs is _IMPORTS:
            self._out[-1] = last._replace(end=end)
            return
        self._flush()
        self._out.append(Part(begin, end, _IMPORTS))

    def docstring(self, start: int, end: int) -> None:
        """Of a scope, it stays with the signature; of a file, it is the header."""
        self._flush()
        if self._is_top:
            self._out.append(Part(start, end, _HEADER))
        else:
            first = self._out.pop()
            self._out.append(Part(first.start, end))

    def large(self, begin: int, start: int, end: int, node: Node) -> None:
        begin = self._header(begin, start)
        self._flush()
        self._out.append(Part(begin, end, None, node))

    def statement(self, begin: int, start: int, end: int) -> None:
        begin = self._header(begin, start)
        first, last = self._run
        if last:
            blank = blank_between(self._text, last, begin)
            if end - first > self._most or (blank and (not self._is_top or last - first > self._most // 3)):
                self._flush()
                first = begin
        else:
            first = begin
        self._run = (first, end)

    def _header(self, begin: int, start: int) -> int:
        """Where a piece starts without the comment above it, if that is the header of the file."""
        if not (self._is_top and begin < start and self._is_first()):
            return begin
        self._out.append(Part(begin, trim(self._text, begin, start), _HEADER))
        return start

    def _is_first(self) -> bool:
        return not self._out and self._run == (0, 0)

    def _flush(self) -> None:
        first, last = self._run
        if last:
            self._out.append(Part(first, last))
            self._run = (0, 0)
