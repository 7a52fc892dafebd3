"""Which names Python code uses from outside its functions: loads that no parameter, local or comprehension shadows.

Statements are read token by token, scopes by indentation. What a name means is decided as the language does: a name
that is bound anywhere in a function is local to all of it, classes are seen from their own body alone.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

from seamline.source.python_lines import Line, PythonLines
from seamline.source.python_statement import Scope, Statement
from seamline.source.python_tokens import TOKEN, Token

_QUOTED = re.compile(r"[\"'#\\]")
_BLANK_DOT = re.compile(r"\.\s")
_SPECIAL = frozenset(("import", "from", "global", "nonlocal", "del", "type", "case", "@"))


class Used(NamedTuple):
    """A name at a place."""

    start: int
    name: str


class PythonNames:
    """Reads the statements of one source; with `wanted`, only those that speak of one of these names."""

    def __init__(self, text: str, lines: PythonLines, wanted: frozenset[str] | None = None) -> None:
        self._text = text
        self._lines = lines.lines
        self._stops = lines.stops
        self._loads: list[tuple[int, str, Scope]] = []
        self.shared: list[Used] = []
        """Names that the module and its classes bind: what others may speak of."""
        self._wanted = wanted
        self._near = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(wanted)))})\b") if wanted else None
        self.module = Scope("module", None)
        if wanted is None or wanted:
            self._read()

    def used(self) -> list[Used]:
        """Names that are looked up in the module, or are built in."""
        return sorted(Used(start, name) for start, name, scope in self._loads if _is_global(name, scope))

    def _read(self) -> None:
        scopes: list[tuple[int, Scope]] = [(len(self._lines), self.module)]
        wanted = self._wanted_lines()
        text = self._text
        for index, line in enumerate(self._lines):
            while scopes[-1][0] <= index:
                scopes.pop()
            scope = scopes[-1][1]
            opens = line.word if line.word in ("class", "def") else "def" if line.word.endswith(" def") else ""
            inner = Scope(opens, scope) if opens or line.word.endswith("def") else scope
            if wanted is None:
                Statement(self, self._tokens(line), scope, inner).read()
            elif found := wanted.get(index):
                if inner is scope and scope.kind != "class" and self._is_plain(line, found):
                    self._loads += [(at, text[at:end], scope) for at, end in found]
                else:
                    Statement(self, self._tokens(line), scope, inner).read()
            if inner is not scope and self._stops[index] > index + 1:
                scopes.append((self._stops[index], inner))

    def _wanted_lines(self) -> dict[int, list[tuple[int, int]]] | None:
        """Where wanted names may stand, by line; None for all lines."""
        if self._near is None:
            return None
        starts = [line.start for line in self._lines]
        out: dict[int, list[tuple[int, int]]] = {}
        for found in self._near.finditer(self._text):
            out.setdefault(bisect_right(starts, found.start()) - 1, []).append(found.span())
        return out

    def _is_plain(self, line: Line, found: list[tuple[int, int]]) -> bool:
        """Whether all that is found on a line is surely looked up: before a dot or a bracket, outside of strings."""
        text = self._text
        if line.word in _SPECIAL or _QUOTED.search(text, line.first, line.end):
            return False
        return all(
            line.first <= at and end < line.end and text[end] in ".([" and text[at - 1] != "." for at, end in found
        ) and not _BLANK_DOT.search(text, line.first, line.end)

    def _tokens(self, line: Line) -> list[Token]:
        found = TOKEN.finditer(self._text, line.first, line.end)
        return [Token(one.lastgroup or "", one[0], one.start()) for one in found if one.lastgroup != "comment"]

    def load(self, token: Token, scope: Scope) -> None:
        if self._wanted is None or token.text in self._wanted:
            self._loads.append((token.start, token.text, scope))

    def store(self, token: Token, scope: Scope) -> None:
        scope.bound.add(token.text)
        if scope.kind in ("module", "class"):
            self.shared.append(Used(token.start, token.text))


def _is_global(name: str, scope: Scope) -> bool:
    here: Scope | None = scope
    while here is not None and here.kind != "module":
        if here.kind != "class" or here is scope:
            if name in here.free and name not in here.bound:
                return _declared_global(name, here)
            if name in here.bound:
                return name in here.free and _declared_global(name, here)
        here = here.parent
    return True


def _declared_global(name: str, scope: Scope) -> bool:
    """Of a name that a scope declares to be of outside: whether no function around it has it."""
    here = scope.parent
    while here is not None and here.kind != "module":
        if here.kind != "class" and name in here.bound and name not in here.free:
            return f"global {name}" in scope.free
        here = here.parent
    return True
