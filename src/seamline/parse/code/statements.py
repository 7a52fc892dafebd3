"""A syntax tree -> statements, level by level: what starts a line at the top of a file, between brackets that stand on
lines of their own, under a colon, in a chain of calls, in a literal of several lines.

Every grammar gives brackets as first and last child of the node whose elements they hold, so languages need no rules
of their own but for the few names below.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from seamline.code_outline import CHAIN, LITERAL, Group, Statement
from seamline.parse.code.languages import Language, word_set
from seamline.parse.code.places import WHITE, Places
from seamline.parse.code.scopes import DECORATION, Node

READ = word_set("python javascript typescript tsx java go rust c cpp csharp kotlin swift scala php")
"""Languages whose statements are told apart."""
_CLOSERS = {"(": ")", "[": "]", "{": "}"}
_SEPARATORS = frozenset((",", ";"))
_THROUGH = word_set(
    "statement_list statements enum_body_declarations import_list ERROR"
    " preproc_ifdef preproc_if preproc_else preproc_elif preproc_elifdef"
)
"""Nodes whose children count as children of the node around them."""
_STRUNG = frozenset(("concatenated_string", "ERROR"))
"""The same between brackets of Python."""
_CLAUSES = word_set("elif_clause else_clause except_clause except_group_clause finally_clause")
_COMPOUND = word_set(
    "if_statement for_statement while_statement try_statement with_statement match_statement case_clause"
    " function_definition class_definition decorated_definition"
)
"""Statements of Python that hold others."""
_LABELLED = word_set(
    "switch_case switch_default expression_case type_case communication_case default_case case_statement"
    " default_statement switch_block_statement_group switch_section switch_entry"
)
"""Statements under a label that ends in a colon."""
_OPAQUE = re.compile(r"string|heredoc|comment|pattern$")
"""Nodes that are not looked into."""
_GROUPING = frozenset(("parenthesized_expression",))
_LEADING = re.compile(rb"\??\.(?!\.)|&&|\|\|?|\?\?|\+(?!\+)|\?(?![.:])")
"""What a line starts with that is chained to the line before it."""
_MARKS = b".?&|+"
_TRAILING = frozenset((".", "&&", "||", "+"))
"""What a line ends with that the next one is chained to."""
_QUOTE = re.compile(r'b?c?r(#*)"|R"([^()\\\s]*)\(|"""|@?"|`')
_PLACE = re.compile(r"substitution|interpolation|interpolated_expression")
_BREAK = re.compile(rb"\r\n?|\n")
_DEEPEST = 48
"""Levels, and brackets open at once, that are told apart."""


class _Item(NamedTuple):
    """A statement to be."""

    start: int
    code: int
    begin: int
    end: int
    nodes: Sequence[Node]
    found: Sequence[_Found] | None = None
    """Its groups, where they are known."""


class _Found(NamedTuple):
    """A group to be."""

    start: int
    head: int
    open: int
    close: int
    kind: str
    closers: str
    content: Sequence[Node] = ()
    items: Sequence[_Item] | None = None
    """Its statements, where they are known."""
    lead: int = -1
    """Where comments start that stand before the first statement, outside of what holds it."""


class _Link(NamedTuple):
    """A line that is chained to what is before it."""

    start: int
    first: int
    before: int


@cache
def _is_opaque(kind: str) -> bool:
    return _OPAQUE.search(kind) is not None


class StatementReader:
    """Finds the statements of one syntax tree. Places are in bytes until all are found."""

    def __init__(self, places: Places, language: Language) -> None:
        self._places = places
        self._data = places.data
        self._is_python = language.name == "python"
        self._prefixes = language.prefixes
        self._statements: list[Statement] = []
        self._groups: list[tuple[int, int, int, int, str, str]] = []

    def read(self, root: Node) -> tuple[list[Statement], list[Group]]:
        find, statements, groups = self._data.find, self._statements, self._groups
        firsts: list[int] = []
        waiting: deque[tuple[Sequence[_Item], int]] = deque([(self._items(root.children, "", ""), 0)])
        while waiting:
            items, depth = waiting.popleft()
            firsts.append(len(statements))
            for item in items:
                start, code, begin, end, nodes, known = item
                statements.append(Statement(start, code, begin, end, nodes[0].type if nodes else "", len(groups)))
                if known is None and nodes and find(b"\n", code, end) >= 0:
                    known = self._found(item)
                for one in known or ():
                    groups.append(one[:6])
                    waiting.append((self._inside(one) if depth < _DEEPEST else (), depth + 1))
        found = [Group(*group, first) for group, first in zip(groups, firsts[1:], strict=True)]
        if self._places.is_ascii:
            return statements, found
        point = self._places.point
        return (
            [Statement(point(a), point(b), point(c), point(d), kind, first) for a, b, c, d, kind, first in statements],
            [
                Group(a if a < 0 else point(a), b if b < 0 else point(b), point(c), point(d), kind, closers, first)
                for a, b, c, d, kind, closers, first in found
            ],
        )

    def _inside(self, found: _Found) -> Sequence[_Item]:
        if found.items is not None:
            return found.items
        return self._items(found.content, found.kind, found.closers[:1], found.lead)

    # --- where statements start -----------------------------------------------------------------------------------

    def _items(self, nodes: Sequence[Node], kind: str, closer: str, lead: int = -1) -> list[_Item]:
        """Statements among the children of a node, each with the comments above it."""
        out: list[_Item] = []
        parts: list[Node] = []
        data, prefixes = self._data, self._prefixes
        line_start, find = self._places.line_start, data.find
        before: Node = None  # the last node that is no comment
        last = ""  # its type
        remark = -1  # where the last comment ends
        start = code = begin = end = 0  # of the statement that `parts` are of
        is_prefixed = False  # whether only attributes of it have been seen
        edge = -1  # where the line ends that the last node starts on
        for node, type_ in self._flat(nodes, kind):
            at, stop = node.start_byte, node.end_byte
            if at == stop:
                continue
            line = -1
            if at > edge:  # not on the line of the node before
                line = line_start(at)
                edge = find(b"\n", at)
                edge = edge if edge >= 0 else len(data)
            if "comment" in type_:
                if line >= 0:
                    lead = line if lead < 0 else lead
                    remark = stop
                continue
            first = at
            if line < 0 and lead >= 0 and data.find(b"\n", remark, at) < 0:
                line = first = max(lead, data.rfind(b"\n", 0, at) + 1)  # after a comment on its line
            if is_prefixed:
                if line >= 0 and data.find(b"\n", before.start_byte, end) < 0:
                    begin = line
                is_prefixed = type_ in prefixes
                parts.append(node)
            elif not parts or (line >= 0 and self._is_start(node, type_, before, last, kind, closer)):
                if parts:
                    out.append(self._item(start, code, begin, end, parts))
                begin = line if line >= 0 else at
                start, code, parts = begin if lead < 0 else lead, first, [node]
                is_prefixed = type_ in prefixes
            else:
                parts.append(node)
            end, lead, before, last = stop, -1, node, type_
        if parts:
            out.append(self._item(start, code, begin, end, parts))
        elif lead >= 0:
            out.append(_Item(lead, lead, lead, self._places.trim(lead, remark), ()))
        return out

    def _item(self, start: int, code: int, begin: int, end: int, nodes: Sequence[Node]) -> _Item:
        if self._data[code] in b"@[":
            begin = self._undecorated(nodes[0], begin)
        if self._data[end - 1] in WHITE:
            end = self._places.trim(code + 1, end)
        return _Item(start, code, begin, end, nodes)

    def _undecorated(self, node: Node, begin: int) -> int:
        """The line of the first word of a statement after the decorators and annotations that take a line each."""
        if node.type in self._prefixes:
            return begin
        waiting = list(reversed(node.children))
        while waiting:
            child = waiting.pop()
            if child.type == "modifiers":
                waiting.extend(reversed(child.children))
            elif not self._is_above(child):
                line = self._places.line_start(child.start_byte)
                return line if line >= 0 else begin
        return begin

    def _is_above(self, node: Node) -> bool:
        """Whether a node is a comment, or a decorator or annotation of one line."""
        if DECORATION.search(node.type):
            return self._data.find(b"\n", node.start_byte, node.end_byte) < 0
        return "comment" in node.type

    def _is_start(self, node: Node, type_: str, before: Node, last: str, kind: str, closer: str) -> bool:
        """Whether a node that starts its line starts a statement, after another of type `last`."""
        if type_ in _SEPARATORS:
            return False
        if last in _SEPARATORS:
            return True
        if kind == "token_tree":
            return closer == "}" and last == "token_tree" and self._data[before.end_byte - 1] in b"}" and node.is_named
        if closer in (")", "]") or (self._is_python and closer):
            return type_.endswith("_spec") or (self._is_python and type_ == last == "string")
        return bool(before.is_named and (node.is_named or type_[:1] == "#" or type_[:1].isalpha()))

    def _flat(self, nodes: Sequence[Node], kind: str) -> Iterable[tuple[Node, str]]:
        """Nodes with their types, and the children of those that are looked through."""
        through = _STRUNG if self._is_python and kind else _THROUGH
        types = [node.type for node in nodes]
        if through.isdisjoint(types):
            return zip(nodes, types, strict=True)
        out = []
        waiting = list(reversed(nodes))
        while waiting:
            node = waiting.pop()
            if node.type in through:
                waiting.extend(reversed(node.children))
            else:
                out.append((node, node.type))
        return out

    # --- what is inside them --------------------------------------------------------------------------------------

    def _found(self, item: _Item) -> list[_Found]:
        """The groups of a statement."""
        if self._is_python:
            if item.nodes[0].type in _COMPOUND:
                return self._suites(item.nodes[0], item)
            return self._brackets(item)[0]
        if label := self._label(item):
            return [label]
        groups, links = self._brackets(item)
        if not links or any(one.closers == "}" and one.open > links[0].first for one in groups):
            return groups
        return self._chained(item, groups, links)

    def _suites(self, node: Node, item: _Item) -> list[_Found]:
        """The blocks of a statement of Python, each under its header."""
        if node.type == "decorated_definition":
            node = node.child_by_field_name("definition")
            if node is None:
                return []
        found = self._suite(node, item.start, item.begin)
        out = [found] if found else []
        lead = -1
        for child in node.children if found else ():
            if "comment" in child.type:
                line = self._places.line_start(child.start_byte)
                lead = line if lead < 0 else lead
            elif child.type in _CLAUSES:
                line = self._places.line_start(child.start_byte)
                clause = self._suite(child, lead if lead >= 0 else line, line, may_be_empty=True)
                if line < 0 or clause is None:
                    return []
                out.append(clause)
                lead = -1
            else:
                lead = -1
        return out

    def _suite(self, node: Node, start: int, head: int, *, may_be_empty: bool = False) -> _Found | None:
        """What is under a header; where it stands behind the colon, nothing is."""
        lead = colon = -1
        for child in node.children:
            if child.type == ":":
                colon = child.end_byte
            elif "comment" in child.type and colon >= 0:
                lead = self._places.line_start(child.start_byte) if lead < 0 else lead
            elif child.type == "block" and colon >= 0:
                end, inside = child.end_byte, child.children
                if not inside or self._places.line_start(inside[0].start_byte) < 0:
                    stop = self._places.trim(colon, end)
                    return _Found(start, head, stop, stop, node.type, "") if may_be_empty else None
                return _Found(start, head, colon, end, node.type, "", inside, None, lead)
        return None

    def _label(self, item: _Item) -> _Found | None:
        """What is under the label of a case."""
        node = item.nodes[0]
        if node.type not in _LABELLED:
            return None
        children = node.children
        for index, child in enumerate(children):
            if child.type == ":" or (child.type == "case_switch_label" and self._data[child.end_byte - 1] in b":"):
                content = children[index + 1 :]
                code = [one for one in content if "comment" not in one.type and one.start_byte < one.end_byte]
                if not code or self._places.line_start(code[0].start_byte) < 0:
                    return None
                return _Found(item.start, item.begin, child.end_byte, item.end, node.type, "", content)
        return None

    def _brackets(self, item: _Item) -> tuple[list[_Found], list[_Link]]:
        """The outermost brackets of a statement whose elements stand on lines of their own, literals of several lines,
        and the links of a chain."""
        find = self._data.find
        out: list[_Found] = []
        links: tuple[list[_Link], list[_Link]] = ([], [])
        # Siblings, those still to look at, what closes the brackets around them, and a group that follows them: always
        # (-1), or only if no more than so many were found by then.
        stack: list[tuple[Sequence[Node], Iterator[tuple[int, Node]], str, _Found | None, int]] = []
        stack.append((item.nodes, enumerate(item.nodes), "", None, 0))
        line = -1  # where the line ends that the last node starts on
        while stack:
            siblings, rest, closers, outer, count = stack[-1]
            for index, node in rest:
                at, end = node.start_byte, node.end_byte
                if at > line:
                    line = find(b"\n", at)
                    line = line if line >= 0 else len(self._data)
                    if index and not closers and not self._is_python:
                        self._link(siblings, index, links)
                if end <= line:
                    continue
                kind = node.type
                if _is_opaque(kind):
                    if not self._is_python and kind != "concatenated_string" and "string" in kind:
                        out += self._literal(node, closers, item.end)
                    continue
                children = node.children
                opener = self._opener(children)
                if opener < 0 or len(closers) >= _DEEPEST:
                    stack.append((children, enumerate(children), closers, None, 0))
                    break
                inner = _CLOSERS[children[opener].type] + closers
                group = self._group(children, opener, kind, inner, item.end)
                if group is None or kind in _GROUPING:
                    stack.append((children, enumerate(children), inner, group, len(out)))
                else:
                    stack.append((children, enumerate(children[:opener]), closers, group, -1))
                break
            else:
                stack.pop()
                if outer is not None and count in (-1, len(out)):
                    out.append(outer)
        return out, links[0] or links[1]

    def _link(self, siblings: Sequence[Node], index: int, links: tuple[list[_Link], list[_Link]]) -> None:
        """Note a node that starts its line, if that is chained to the line before: by what it starts with, or by what
        that ends with."""
        node = siblings[index]
        at = node.start_byte
        line = self._places.line_start(at)
        if line < 0 or "comment" in node.type:
            return
        while index > 1 and "comment" in siblings[index - 1].type:
            index -= 1
            above = self._places.line_start(siblings[index].start_byte)
            line = above if above >= 0 else line
        before = siblings[index - 1]
        mark = self._data[at : at + 1]
        link = _Link(line, at, before.end_byte)
        if mark in _MARKS and _LEADING.match(self._data, at) and (mark in b".?" or not node.is_named):
            links[0].append(link)
        elif before.type in _TRAILING:
            links[1].append(link)

    def _opener(self, children: Sequence[Node]) -> int:
        """Which child opens a bracket that the last one closes; -1 where none does."""
        last = children[-1].type if children else ""
        if last not in (")", "]", "}"):
            return -1
        for index, child in enumerate(children):
            if _CLOSERS.get(child.type) == last and not child.is_named:
                return index
        return -1

    def _group(self, children: Sequence[Node], opener: int, kind: str, closers: str, stop: int) -> _Found | None:
        """A bracket whose elements stand on lines of their own; in the last line of a statement it may be closed right
        after them."""
        content = children[opener + 1 : -1]
        at, close = children[opener].end_byte, children[-1].start_byte
        line = self._data.find(b"\n", at, close)
        ahead = [one for one in content if one.start_byte < line]  # on the line of the bracket
        if line < 0 or len(ahead) == len(content) or not all("comment" in one.type for one in ahead):
            return None
        if self._places.line_start(close) < 0 and self._data.find(b"\n", close, stop) >= 0:
            return None
        return _Found(-1, -1, at, close, kind, closers, content)

    def _literal(self, node: Node, closers: str, stop: int) -> list[_Found]:
        """The lines of a literal but the first, the last with all that follows; none starts in a place for a value."""
        start, end = node.start_byte, node.end_byte
        quote = _QUOTE.match(self._places.string(start, min(end, start + 80)))
        if quote is None:
            return []
        at = start + len(quote[0])
        close = f'"{quote[1]}' if quote[1] is not None else f'){quote[2]}"' if quote[2] is not None else quote[0][-1:]
        close = '"""' if quote[0] == '"""' else close
        if not self._data.endswith(close.encode(), at, end):
            return []
        places = [
            at,
            *[edge for one in node.children if _PLACE.search(one.type) for edge in (one.start_byte, one.end_byte)],
        ]
        starts = [found.end() for found in _BREAK.finditer(self._data, at, end)]
        starts = [one for one in starts if one < stop and bisect_left(places, one) % 2]
        if not starts:
            return []
        bounds = zip(starts, [*starts[1:], stop], strict=True)
        items = [_Item(one, one, one, until, (), ()) for one, until in bounds]
        return [_Found(end, start, at, end - len(close), LITERAL, closers, (), items)]

    def _chained(self, item: _Item, groups: Sequence[_Found], links: Sequence[_Link]) -> list[_Found]:
        """The groups before the first link, and the links as statements, with the groups that are in each."""
        ends = [*[link.before for link in links[1:]], item.end]
        opens = [one.open for one in groups]
        items = [
            _Item(
                link.start,
                link.first,
                link.start,
                end,
                (),
                groups[bisect_left(opens, link.first) : bisect_left(opens, end)],
            )
            for link, end in zip(links, ends, strict=True)
        ]
        chain = _Found(-1, -1, links[0].before, item.end, CHAIN, "", (), items)
        return [*groups[: bisect_left(opens, links[0].first)], chain]
