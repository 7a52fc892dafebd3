"""Statements of an outline as they are cut: with the clauses that a part of them has to repeat and to close."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from seamline.code_outline import CHAIN, LITERAL, CodeOutline, Group
from seamline.cut.split.code_wraps import BARE, Wrap, openers, wrap_of, wrap_of_rest
from seamline.text.lines import line_start, next_line
from seamline.types import Context


class CodeClause(NamedTuple):
    """A part of a statement with a header and what is under it: `if x:`, `else:`, `class Point {`."""

    start: int
    """Where it starts: with the comments and decorators above its header."""
    head: tuple[int, int]
    """The header that what is under it needs, up to its colon or bracket."""
    body: int
    """Where what is under the header starts."""
    end: int
    """Where what is under the header ends: at its closing bracket, or where the next clause starts."""
    group: int
    """Index of what is under the header in the outline."""
    kind: str
    """The kind of the statement."""
    before: tuple[Context, ...] = ()
    """What stands for the clauses before it, so that it can be read without them."""
    close: str = ""
    """What ends the statement where a text stops inside the clause."""
    short: Context | None = None
    """The header in a few tokens, where there is no room for all of it."""
    filler: str = ""
    """What stands under the header where nothing else does, for languages that want a statement there."""
    final: str | None = None
    """What ends the statement after the last one under the header, where that is not the same as `close`."""
    shut: bool = False
    """Whether what is last under the header ends the statement too, brackets and all."""


class CodeNode(NamedTuple):
    """One statement."""

    start: int
    """With the comments and decorators above it."""
    code: int
    """Where its code starts, after comments."""
    end: int
    """Where its code ends."""
    statement: int
    """Index of it in the outline; -1 where it is nothing but comments."""
    clauses: tuple[CodeClause, ...] = ()
    """None where it holds no other statements, all of it stands on one line, or nobody asked yet."""
    tail: int = -1
    """Where what closes its last clause starts; -1 where nothing does."""
    doc: Context | None = None
    """The first line of its docstring, or what stands for the constants of an enum before its methods."""


_COMMAS = frozenset(("python", "javascript", "typescript", "tsx", "go", "rust", "kotlin", "php"))
"""Languages in which a list may end in a comma wherever it stands."""
_ENUMS = frozenset(("java", "kotlin"))
"""Those in which the constants of an enum end in a semicolon where methods follow."""
_TRIES = {
    **dict.fromkeys(("javascript", "typescript", "tsx", "java", "csharp", "kotlin", "scala", "php"), " finally {}"),
    "cpp": " catch (...) {}",
}
"""What makes a `try` valid that nothing else follows."""
_PARAMETERS = frozenset(("parameters", "formal_parameters", "parameter_list", "function_value_parameters"))
_NAMING = frozenset(("named_imports", "export_clause"))
"""Names between brackets that the module follows which they are from."""
_LONG = 3
"""Characters per token of the room that a header may take whose parameters stay together."""
_HEADERS = 8
"""Headers of one statement that are repeated."""
_DECORATOR = re.compile(r"[ \t]*@[\w.]+\s*\(")
_CLASS = re.compile(r"[\s)]*(?:(?:export|default|abstract)\s+)*class\b")
_OTHERWISE = re.compile(r"[ \t]*\}\s*(?:else|catch|finally|except)\b")
_NAMED = re.compile(
    r"[ \t]*(?:[\w(:)]++[ \t]++)*?"
    r"((?:class|interface|struct|enum|trait|impl|namespace|module|object|record|mod|fn|func|function)[ \t]+\w+)"
    r"(?=[^\w<])"
)
_NEXT = re.compile(r"\s*\}[)\]]*\s*\{+\s*")
"""A header that only goes on with another block."""
_ARM = re.compile(r"\s*(=>|->)")
_LINK = re.compile(r"\??\.(?!\.)|&&|\|\|?|\?\?|\+(?!\+)|\?(?![.:])")
_LINKED = re.compile(r"(?:\.|&&|\|\||\+)\Z")
_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)?")

_WORD = re.compile(r"[ \t\f]*((?:async[ \t]+)?\w+)")
_DEFINED = re.compile(r"[ \t\f]*((?:async[ \t]+)?def[ \t]+\w+|class[ \t]+\w+)")
_QUOTE = re.compile(r"[rRuU]?(\"\"\"|'''|\"|')")
_SHORT = {
    **dict.fromkeys(("if", "while", "with", "match", "elif", "except", "async with"), " ...:\n"),
    **dict.fromkeys(("for", "async for"), " _ in ...:\n"),
    "case": " _:\n",
}
"""What makes a header of Python of its first word."""
_SHOWN = 120
"""Characters of a header that is not repeated whole before what follows it."""


class CodeNodes:
    """The statements of one document."""

    def __init__(self, text: str, outline: CodeOutline) -> None:
        self._text = text
        self._outline = outline
        self._language = outline.language
        self.is_python = outline.language == "python"
        self._starts = [statement.start for statement in outline.top()]

    def nodes(self, start: int, end: int) -> Sequence[CodeNode] | None:
        """Statements that tile a range; None where the range does not start with one."""
        low = max(0, bisect_right(self._starts, start) - 1)
        found = [node for node in self._made(range(low, bisect_left(self._starts, end))) if node.code < end]
        if found and found[0].start < start:
            if start <= found[0].code:
                found[0] = found[0]._replace(start=start)
            elif found[0].end > start:
                return None
            else:
                found = found[1:]
        if not found and not self.is_python:  # comments alone
            return [CodeNode(start, start, end, -1)]
        return found or None

    def _made(self, indices: range) -> list[CodeNode]:
        return [
            CodeNode(*self._outline.statements[index][:2], self._outline.statements[index].end, index)
            for index in indices
        ]

    def under(self, clause: CodeClause) -> Sequence[CodeNode]:
        """The statements under a header."""
        nodes = [node for node in self._made(self._outline.inside(clause.group)) if node.start < clause.end]
        if nodes and self._outline.groups[clause.group].closers:
            nodes[0] = nodes[0]._replace(start=min(clause.body, nodes[0].code))
        return nodes

    def opened(self, node: CodeNode, until: int, room: int, *, by_brackets: bool = True) -> CodeNode:
        """A statement with its clauses. A header that may take more than `room` tokens is opened as well."""
        indices = self._outline.groups_of(node.statement) if node.statement >= 0 else range(0)
        if node.clauses or not indices:
            return node
        if self._outline.groups[indices[0]].head >= 0 and self._outline.groups[indices[0]].kind != LITERAL:
            return self._headed(node, indices, until)
        return self._bracketed(node, indices, room) if by_brackets else node

    def least(self, clause: CodeClause) -> Wrap | None:
        """What makes statements under a header valid without any header; None where they stand alone as they are."""
        if self.is_python:
            return None
        group = self._outline.groups[clause.group]
        if group.kind == LITERAL:
            quote = self._text[group.head : group.open]
            opening = openers(group.closers) + quote
            return wrap_of_rest(self._language, clause.kind, opening, clause.close.strip("\n"))
        if group.kind == CHAIN:
            linked = (
                _LINKED.search(self._text, clause.head[0], clause.head[1]) if clause.close.startswith("\n_") else None
            )
            shown = f"x{linked[0] if linked else ''}"
            return wrap_of_rest(self._language, clause.kind, shown, clause.close.lstrip("\n"), clause.final)
        if not group.closers:
            return BARE
        wrap = wrap_of(self._language, group.kind, group.closers[0])
        if not clause.shut:
            return wrap
        closers = (clause.final or "").strip()  # the last of the statements brings all closing brackets along
        inmost = wrap.opening.removeprefix("_ = ") or openers(closers[0])
        return Wrap(openers(closers[1:]) + inmost, clause.close.strip(), closers, inner=True)

    # --- headers that end in a colon ------------------------------------------------------------------------------

    def _headed(self, node: CodeNode, indices: range, until: int) -> CodeNode:
        groups = [self._outline.groups[index] for index in indices]
        kind = self._outline.statements[node.statement].kind
        ends = [*[group.start for group in groups[1:]], until]
        clauses = []
        for place, (index, group, end) in enumerate(zip(indices, groups, ends, strict=True)):
            inside = self._outline.inside(index)
            first = self._outline.statements[inside[0]] if inside else None
            clause = CodeClause(
                group.start if place else node.start,
                (group.head, group.open),
                first.start if first else end,
                end,
                index,
                kind,
            )
            if self.is_python:
                clause = clause._replace(
                    before=self._needed(groups, place),
                    close=f"\n{self._blanks(group.head)}finally: ..." if not place and kind == "try_statement" else "",
                    short=self._shortened(group),
                    filler=f"\n{self._blanks(first.begin) if first else ''}...",
                )
            clauses.append(clause)
        return node._replace(clauses=tuple(clauses), doc=self._docstring(indices[0]) if self.is_python else None)

    def _needed(self, groups: Sequence[Group], place: int) -> tuple[Context, ...]:
        """The header of the first clause with nothing in it; `else` after `try` needs an `except` as well."""
        if not place:
            return ()
        needed = [groups[0]]
        if groups[0].kind == "try_statement" and groups[place].kind == "else_clause":
            needed += [one for one in groups[1:place] if one.kind.startswith("except")][-1:]
        return tuple(self._empty(one) for one in needed)

    def _empty(self, group: Group) -> Context:
        """A header with nothing under it; a long one by its first word."""
        opens = self._text[group.open - 1] == ":"
        short = self._shortened(group) if group.open - group.head > _SHOWN else None
        if short is not None and opens:
            return short._replace(added=short.added.rstrip() + " ...\n")
        return Context("scope", group.head, group.open, " ...\n" if opens else "\n")

    def _shortened(self, group: Group) -> Context | None:
        if named := _DEFINED.match(self._text, group.head):
            return Context("scope", group.head, named.end(), ":\n" if named[1].startswith("class") else "(*_):\n")
        word = _WORD.match(self._text, group.head)
        added = _SHORT.get(" ".join(word[1].split())) if word else None
        return Context("scope", group.head, word.end(), added) if word and added else None

    def _docstring(self, index: int) -> Context | None:
        """The first line of a function's docstring, closed."""
        text, inside = self._text, self._outline.inside(index)
        if self._outline.groups[index].kind != "function_definition" or not inside:
            return None
        first = self._outline.statements[inside[0]]
        quote = _QUOTE.match(text, first.code)
        if quote is None or text.find(quote[1], quote.end()) + len(quote[1]) != first.end:
            return None  # none, or more than one string
        said = re.compile(r"\s*+[^\r\n]*").match(text, quote.end(), first.end)
        end = said.end() if said else first.end
        if end == first.end:
            return Context("docstring", first.begin, first.end, "\n")
        end = quote.end() + len(text[quote.end() : end].rstrip())
        if end == quote.end() or text[end - 1] in "\\\"'":
            return None
        return Context("docstring", first.begin, end, quote[1] + "\n")

    # --- brackets, literals and chains ----------------------------------------------------------------------------

    def _bracketed(self, node: CodeNode, indices: range, room: int) -> CodeNode:
        text, outline = self._text, self._outline
        statement = outline.statements[node.statement]
        chain = indices[-1] if outline.groups[indices[-1]].kind == CHAIN else -1
        begin = statement.begin
        clauses: list[CodeClause] = []
        others: set[str] = set()  # headers of clauses but the first, `else` and the like aside
        for index, closers in self._chosen(node, indices, room):
            group = outline.groups[index]
            head = (begin, group.open)
            said = text[begin : group.open].strip()
            end = line_start(text, group.close)
            shut = bool(text[end : group.close].strip())
            blanks = self._blanks(begin)
            ending = self._ending(node, group, statement.kind)
            final = f"\n{blanks}{closers}{ending}"
            clauses.append(
                CodeClause(
                    begin if clauses else node.start,
                    head,
                    next_line(text, group.open, len(text)),
                    node.end if shut else end,
                    index,
                    statement.kind,
                    self._before(clauses, others, said),
                    final if closers[0] == "}" or self._language in _COMMAS else f"\n{blanks}_{closers}{ending}",
                    self._short(head),
                    "\n_"
                    if group.kind in ("parenthesized_expression", "tuple_expression") and not self.is_python
                    else "",
                    final,
                    shut,
                )
            )
            if len(clauses) > 1 and not _OTHERWISE.match(said):
                others.add(said)
            begin = clauses[-1].end
        self._complete(clauses, node)
        literal = next((index for index in indices if outline.groups[index].kind == LITERAL), -1)
        if not clauses and literal >= 0:
            inside = outline.inside(literal)
            group = outline.groups[literal]
            ending = self._ending(node, group, statement.kind)
            last = f"\n{text[group.close : group.start]}{group.closers}{ending}"
            clauses.append(
                CodeClause(
                    node.start,
                    (begin, group.open),
                    outline.statements[inside[0]].start,
                    outline.groups[chain].open if chain >= 0 else node.end,
                    literal,
                    statement.kind,
                    close=last,
                    final=last,
                    shut=True,
                )
            )
            begin = outline.statements[inside[-1]].start
        if chain >= 0:
            clauses.append(self._chain(node, chain, begin, clauses, others))
        tail = clauses[-1].end if clauses and not clauses[-1].shut else -1
        return node._replace(clauses=tuple(clauses), tail=tail, doc=self._separator(clauses))

    def _chosen(self, node: CodeNode, indices: range, room: int) -> Iterator[tuple[int, str]]:
        """Brackets that are opened, each with what closes all that is open. Those before a block are its header, but
        for parameters that leave no room for anything else."""
        groups = self._outline.groups
        found = [index for index in indices if groups[index].kind not in (CHAIN, LITERAL)]
        last = max([groups[index].open for index in found if groups[index].closers[0] == "}"], default=-1)
        most = node.code + _LONG * room if self._language in _COMMAS and not self.is_python else len(self._text)
        for index in found:
            group = groups[index]
            if group.closers[0] == "}" or group.close > last:
                arm = _ARM.match(self._text, group.close + 1)
                if arm is None or (arm[1] == "->" and self._language not in _ENUMS):
                    yield index, group.closers
            elif group.close > most and group.kind in _PARAMETERS:
                yield index, f"{group.closers[0]} {{}}{group.closers[1:]}"

    def _ending(self, node: CodeNode, group: Group, kind: str) -> str:
        """What ends a statement after its brackets."""
        if group.kind in _NAMING:
            return self._text[group.close + 1 : node.end]
        if kind == "do_statement":
            return " while (0);"
        return self._text[node.end - 1] if self._text[node.end - 1] in ";," else ""

    def _complete(self, clauses: list[CodeClause], node: CodeNode) -> None:
        """Adds to what closes a clause what has to follow it: another block, an end of `try`, a class to decorate."""
        text = self._text
        following = 0
        for index in range(len(clauses) - 1, -1, -1):
            clauses[index] = _ended(clauses[index], "{}" * following)
            following = min(following + 1, _HEADERS) if _NEXT.fullmatch(text, *clauses[index].head) else 0
        if len(clauses) > 1 and text.startswith("try", node.code):
            clauses[0] = _ended(clauses[0], _TRIES.get(self._language, ""))
        if clauses and _DECORATOR.match(text, clauses[0].head[0]):
            close = self._outline.groups[clauses[0].group].close
            is_class = self._language in _ENUMS or _CLASS.match(text, close + 1)
            clauses[0] = _ended(clauses[0], " class _ {}" if is_class else " _;")

    def _before(self, clauses: Sequence[CodeClause], others: set[str], head: str) -> tuple[Context, ...]:
        """Headers that open what the next header closes: the first alone, where the others only go on with it."""
        rest = clauses[1:] if others - {head} else ()
        if len(rest) > _HEADERS:
            return ()
        return tuple(Context("scope", *clause.head, "\n") for clause in (*clauses[:1], *rest))

    def _short(self, head: tuple[int, int]) -> Context | None:
        named = _NAMED.match(self._text, *head)
        if named is None or self._text[head[1] - 1] != "{":
            return None
        return Context("scope", named.start(1), named.end(), "() {\n" if named[1].startswith("f") else " {\n")

    def _separator(self, clauses: Sequence[CodeClause]) -> Context | None:
        """What stands for the constants of an enum before its methods."""
        if not clauses or self._language not in _ENUMS or not clauses[0].kind.startswith("enum"):
            return None
        ends = [self._outline.statements[index].end for index in self._outline.inside(clauses[0].group)]
        after = next((end for end in ends if self._text[end - 1] == ";"), -1)
        return Context("scope", after, after, ";\n") if after >= 0 else None

    def _chain(
        self, node: CodeNode, index: int, begin: int, clauses: Sequence[CodeClause], others: set[str]
    ) -> CodeClause:
        """The calls of a chain as statements under what they are called on."""
        text, statement = self._text, self._outline.statements[node.statement]
        group = self._outline.groups[index]
        first = self._outline.statements[self._outline.inside(index)[0]]
        ahead = not _LINK.match(text, first.code)  # the lines before say that they go on
        ending = self._ending(node, group, statement.kind)
        is_after = bool(clauses) and clauses[-1].shut  # what it is called on stands with the clause before
        return CodeClause(
            first.start if is_after else begin if clauses else node.start,
            (begin, group.open),
            first.start,
            node.end,
            index,
            statement.kind,
            self._before(clauses, others, text[begin : group.open].strip()) if clauses else (),
            f"\n_{ending}" if ahead else f"\n{ending}" if ending else "",
            final="",
            shut=True,
        )

    def _blanks(self, at: int) -> str:
        end = at
        while end < len(self._text) and self._text[end] in " \t":
            end += 1
        return self._text[at:end]


def _ended(clause: CodeClause, added: str) -> CodeClause:
    final = None if clause.final is None else clause.final + added
    return clause._replace(close=clause.close + added, final=final)
