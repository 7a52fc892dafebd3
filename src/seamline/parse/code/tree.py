"""A syntax tree -> blocks: scopes around what they hold, imports, runs of statements.

What starts a line may start a block. Of a node that is large, the children that start lines become blocks inside it,
and so on: no language needs a rule of its own but for what declares something.

Parts of a scope or a file as they come: small statements put together, comments at their places.
"""

from __future__ import annotations

import re
from functools import cache

from seamline.parse.code.languages import CLASSES, CLOSED_BY_WORD, HOLDERS, Language
from seamline.parse.code.places import WHITE, Places
from seamline.parse.code.scopes import Declarations, Declared, Node
from seamline.text.graphemes import is_boundary
from seamline.types import Block, Detail, Enclosure

OPEN = 700
"""Bytes above which what is inside a node is told apart."""
_RUN = 200
"""Bytes above which a node is looked through for lines that start in it."""
_LEAST = 24
"""The same in a class."""
_LONG = 1000
"""Bytes of one line, above which blocks may start inside it."""
DEPTH = 24
"""Blocks inside each other. What is nested deeper is not told apart."""
_INLINE = 48
"""Nodes inside each other that are looked through for one that starts a line."""
_BLOCK = Detail(type="block")
_BLANKS = re.compile(r"[ \t]*")
_REQUIRED = 300
"""Bytes of a statement that may ask for a file."""

Piece = tuple[int, Node, str]
"""Where a block would start, the node that it starts with, and its type; None for the opening of a scope."""


@cache
def _kinds(language: Language) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Types of nodes that are looked through, of those that are only imports, and of those that may declare."""
    calls = ("call",) if language.calls else ()
    telling = frozenset((*language.scopes, *language.wraps, *calls))
    return language.through | {"ERROR"}, language.imports - telling, telling


class Tree:
    """Makes blocks of one syntax tree. Places are in bytes until a block is made."""

    def __init__(self, places: Places, language: Language) -> None:
        self._places = places
        self._data = places.data
        self._language = language
        self._declarations = Declarations(places, language)
        self._through, self._imports, self._telling = _kinds(language)
        self.deep = 0
        """How many places are nested too deep to be told apart."""

    def blocks(self, root: Node) -> list[Block]:
        """All blocks in pre-order."""
        out: list[Block] = []
        data = self._data
        start = 3 if data.startswith(b"\xef\xbb\xbf") else 0
        while start < len(data) and data[start] in b" \t\r\n":
            start += 1
        if start == len(data):
            return out
        tops = self._parts(self._pieces(root, start, -1), len(data), is_top=True)
        stack = [(part, -1, 0, "") for part in reversed(tops)]
        is_ascii, span = self._places.is_ascii, self._places.span
        while stack:
            part, parent, depth, around = stack.pop()
            first, last, detail, node, declared = part
            if not is_ascii:
                first, last = span(first, last)
            if first == last:  # a byte of a character, or what a grammar only supposes at the end
                continue
            inner = self._inside(part, depth) if node is not None else ()
            if declared is None and len(inner) < 2:
                out.append(Block("code", first, last, 0, parent, detail))
                continue
            detail = self._detail(declared, around, last) if declared else _BLOCK
            out.append(Block("scope", first, last, 0, parent, detail))
            if len(inner) > 1:
                of = declared.type if declared else around
                index = len(out) - 1
                depth += 1
                stack.extend([(one, index, depth, of) for one in reversed(inner)])
        return out

    def _detail(self, declared: Declared, around: str, last: int) -> Detail:
        """What a scope adds whose block ends at `last`."""
        of = "method" if declared.type == "function" and around in CLASSES else declared.type
        start, end = self._places.span(declared.start, declared.end)
        enclosure = Enclosure(start, end, self._close(start, last)) if start < end else None
        return Detail(enclosure, declared.name, of)

    def _close(self, start: int, last: int) -> str:
        """What closes a scope of a language that opens it by a word, indented as it is; nothing elsewhere."""
        text = self._places.text
        if self._language.name not in CLOSED_BY_WORD or not text.endswith("end", start, last):
            return ""
        blanks = _BLANKS.match(text, start)
        return f"\n{blanks[0] if blanks else ''}end"

    def _inside(self, part: Part, depth: int) -> list[Part]:
        """The parts of a part that is worth it: a class, or anything large."""
        start, end, _, node, declared = part
        holds = declared is not None and declared.type in HOLDERS
        if end - start <= OPEN and not holds:
            return []
        if depth >= DEPTH:
            self.deep += 1
            return []
        floor = declared.end if declared else node.start_byte + 1
        return self._parts(self._pieces(node, start, floor, _LEAST if holds else _RUN), end, is_top=False)

    # --- where blocks may start -----------------------------------------------------------------------------------

    def _pieces(self, node: Node, start: int, floor: int, least: int = _RUN) -> list[Piece]:
        """The nodes inside a node that start lines, and its opening up to `floor`; where none does, that alone."""
        line_start, find, through = self._places.line_start, self._data.find, self._through
        out: list[Piece] = [(start, None, "")] if floor >= 0 else []
        last = start if floor >= 0 else -1
        line = edge = -1  # where the line ends that the last node starts on
        is_long = False
        stack = [iter(node.children)]
        while stack:
            for child in stack[-1]:
                end = child.end_byte
                if end <= floor:
                    continue
                at = child.start_byte
                begin = -1
                if at > line:  # not on the line of the node before
                    begin = line_start(at)
                    line = find(b"\n", at)
                    line = line if line >= 0 else len(self._data)
                    if line != edge:
                        edge, is_long = line, line - at > _LONG
                if begin > last and at >= floor:
                    if at == end:
                        continue
                    kind = child.type
                    if kind in through and len(stack) < _INLINE and child.child_count:
                        stack.append(iter(child.children))
                        line = at - 1
                        break
                    if child.is_named or not out or self._starts(at):
                        out.append((begin, child, kind))
                        last = begin
                elif is_long and begin < 0 and at >= floor and self._parts_line(child, last):
                    out.append((at, child, child.type))
                    last = at
                elif (end - at > least or at < floor) and self._goes_on(at, end, floor):
                    if len(stack) < _INLINE:
                        stack.append(iter(child.children))
                        line = at - 1
                        break
                    self.deep += end - at > _LONG
            else:
                stack.pop()
        if not out and start < len(self._data):
            out.append((start, None, ""))
        elif out and out[0][0] > start:
            out[0] = (start, *out[0][1:])
        return out

    def _parts_line(self, node: Node, last: int) -> bool:
        """Whether a node inside a long line is far enough from the last piece, and does not start with a mark on the
        character before it."""
        at, places = node.start_byte, self._places
        if not node.is_named or at - last <= _RUN:
            return False
        return places.is_ascii or is_boundary(places.text, places.point(at))

    def _goes_on(self, start: int, end: int, floor: int) -> bool:
        """Whether lines start inside a node, or it is one long line."""
        return start < floor or end - start > _LONG or self._data.find(b"\n", start, end) >= 0

    def _starts(self, at: int) -> bool:
        """Whether a line that starts with a mark or keyword goes on: `} else {` does, `});` does not."""
        return CLOSER.match(self._data, at) is None

    # --- what they are put together to ----------------------------------------------------------------------------

    def _parts(self, pieces: list[Piece], end: int, *, is_top: bool) -> list[Part]:
        places, data, telling, prefixes = self._places, self._data, self._telling, self._language.prefixes
        gather = Gathering(places, is_top)
        lead = -1  # where comments and decorators of the next piece start
        ends = [*(piece[0] for piece in pieces[1:]), end]
        # In an error, a grammar may give blanks a node.
        shown = [piece for piece, after in zip(pieces, ends, strict=True) if places.trim(piece[0], after) > piece[0]]
        afters = [*(piece[0] for piece in shown[1:]), end]
        for (start, node, kind), after in zip(shown, afters, strict=True):
            until = after
            while until > start and data[until - 1] in WHITE:
                until -= 1
            if node is None:
                gather.alone(start, until)
                continue
            begin = start if lead < 0 else lead
            if kind in prefixes or "comment" in kind:
                if after < end and ("comment" not in kind or not places.blank_between(until, after)):
                    lead = begin
                    continue
                gather.remark(begin, until)
            elif kind in self._imports or (is_top and self._asks_for_file(start, until)):
                gather.imports(begin, start, until)
            elif kind in telling and (kind not in self._language.wraps or data.find(b"\n", start, until) >= 0):
                self._telling_part(gather, node, begin, start, after, until)
            elif until - start > OPEN and self._goes_on(start, until, 0):
                gather.large(begin, start, until, node)
            elif kind == "expression_statement" and gather.is_opening and self._is_docstring(node):
                gather.docstring(begin, until)
            else:
                gather.statement(begin, start, until)
            lead = -1
        return gather.done()

    def _asks_for_file(self, start: int, until: int) -> bool:
        """Whether a statement is a call that reads another file, as `require` does."""
        requires = self._language.requires
        return requires is not None and until - start < _REQUIRED and requires.match(self._data, start) is not None

    def _telling_part(self, gather: Gathering, node: Node, begin: int, start: int, after: int, until: int) -> None:
        if declared := self._declarations.of(node):
            end = max(node.end_byte, start + 1)
            stop = self._places.line_end(end - 1, after)
            if stop - end > _RUN:
                stop = end  # a long line goes on with something else
            stop = self._places.trim(start, stop)
            gather.scope((begin, stop, None, declared.inside, declared))
            if stop < until:
                gather.rest(stop, until)
        elif self._declarations.is_import(node):
            gather.imports(begin, start, until)
        elif until - start > OPEN and self._goes_on(start, until, 0):
            gather.large(begin, start, until, node)
        else:
            gather.statement(begin, start, until)

    def _is_docstring(self, node: Node) -> bool:
        inner = node.child(0) if self._language.name == "python" else None
        return inner is not None and inner.type in ("string", "concatenated_string")


_RUN_LENGTH = 200
"""Bytes of statements that are put together inside a scope."""
_TOP_RUN = 800
"""Bytes of statements that are put together at the top."""
CLOSER = re.compile(rb"[^\w\r\n/#]*(?:(?:end|fi|done|esac)\b|//|/\*|#|[\r\n]|\Z)")
"""A line that only closes what is open, and may say so in a comment."""
_IMPORTS = Detail(imports=True)
_HEADER = Detail(header=True)


Part = tuple[int, int, Detail | None, Node, Declared | None]
"""A block to be: its start and end in bytes, its attributes, what it may be opened to, what that declares. A plain
tuple, as one is made for every few lines."""


class Gathering:
    """Collects the parts of one node."""

    def __init__(self, places: Places, is_top: bool) -> None:
        self._places = places
        self._count = places.data.count
        self._most = _TOP_RUN if is_top else _RUN_LENGTH
        self._is_top = is_top
        self._out: list[Part] = []
        self._run = (0, 0)

    @property
    def is_opening(self) -> bool:
        """Whether a docstring may come: after a signature, or first in a file."""
        return not self._run[1] and (not self._out if self._is_top else len(self._out) == 1)

    def done(self) -> list[Part]:
        self._flush()
        return self._out

    def alone(self, start: int, end: int) -> None:
        """The opening of a scope."""
        self._flush()
        if start < end:
            self._out.append((start, end, None, None, None))

    def scope(self, part: Part) -> None:
        self._flush()
        self._out.append(part)

    def rest(self, start: int, end: int) -> None:
        """What stands after a scope and before the next piece: inside a scope, marks that close it are left out."""
        data = self._places.data
        while start < end and data[start] in b" \t\r\n":
            start += 1
        if start < end and (self._is_top or not CLOSER.match(data, start, end)):
            self.statement(start, start, end)

    def remark(self, start: int, end: int) -> None:
        """A comment by itself; the first of a file is its header."""
        if self._is_top and self._is_first():
            self._out.append((start, end, _HEADER, None, None))
        else:
            self.statement(start, start, end)

    def imports(self, begin: int, start: int, end: int) -> None:
        begin = self._header(begin, start)
        last = self._out[-1] if self._out and not self._run[1] else None
        if last is not None and last[2] is _IMPORTS:
            self._out[-1] = (last[0], end, _IMPORTS, None, None)
            return
        self._flush()
        self._out.append((begin, end, _IMPORTS, None, None))

    def docstring(self, start: int, end: int) -> None:
        """Of a scope, it stays with the signature; of a file, it is the header."""
        self._flush()
        if self._is_top:
            self._out.append((start, end, _HEADER, None, None))
        else:
            first = self._out.pop()
            self._out.append((first[0], end, None, None, None))

    def large(self, begin: int, start: int, end: int, node: Node) -> None:
        begin = self._header(begin, start)
        self._flush()
        self._out.append((begin, end, None, node, None))

    def statement(self, begin: int, start: int, end: int) -> None:
        first, last = self._run
        if not last:
            self._run = (self._header(begin, start) if self._is_top else begin, end)
            return
        if end - first > self._most or (
            self._count(b"\n", last, begin) > 1 and (not self._is_top or last - first > self._most // 3)
        ):
            self._out.append((first, last, None, None, None))
            first = begin
        self._run = (first, end)

    def _header(self, begin: int, start: int) -> int:
        """Where a piece starts without the comment above it, if that is the header of the file."""
        if not (self._is_top and begin < start and self._is_first()):
            return begin
        self._out.append((begin, self._places.trim(begin, start), _HEADER, None, None))
        return start

    def _is_first(self) -> bool:
        return not self._out and not self._run[1]

    def _flush(self) -> None:
        first, last = self._run
        if last:
            self._out.append((first, last, None, None, None))
            self._run = (0, 0)
