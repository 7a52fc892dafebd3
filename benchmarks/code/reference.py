"""What Python itself says: which names a source looks up in its module, by `ast` and `symtable`."""

from __future__ import annotations

import ast
import symtable
from bisect import bisect_right
from collections import defaultdict
from typing import Any

_COMPREHENSIONS = {
    ast.ListComp: "listcomp",
    ast.SetComp: "setcomp",
    ast.DictComp: "dictcomp",
    ast.GeneratorExp: "genexpr",
}
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Loads(ast.NodeVisitor):
    """(offset, name) of every load that is resolved in the module; one in an f-string counts as at its start."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.found: list[tuple[int, str]] = []
        data = text.encode()
        self._rows = [0]
        for line in data.splitlines(keepends=True):
            self._rows.append(self._rows[-1] + len(line))
        self._ascii = text.isascii()
        self._data = data
        self._tables = [symtable.symtable(text, "source", "exec")]
        self._children: dict[int, tuple[Any, list[Any]]] = {}  # tables are kept: ids of dead ones come back
        self._fixed: int | None = None
        self.visit(ast.parse(text))

    def offset(self, node: Any) -> int:
        at = self._rows[node.lineno - 1] + node.col_offset
        return at if self._ascii else len(self._data[:at].decode())

    def _enter(self, name: str, line: int) -> Any:
        """The table of a scope inside the current one: by its first line, or in order."""
        table = self._tables[-1]
        if id(table) not in self._children:
            self._children[id(table)] = (table, list(table.get_children()))
        known = self._children[id(table)][1]
        same = [child for child in known if child.get_name() == name]
        found = next((child for child in same if child.get_lineno() == line), same[0] if same else None)
        if found is None:
            raise LookupError(f"no table of {name} in line {line}")
        known.remove(found)
        return found

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load) and self._is_global(node.id):
            self.found.append((self.offset(node) if self._fixed is None else self._fixed, node.id))

    def _is_global(self, name: str) -> bool:
        for index in range(len(self._tables) - 1, 0, -1):
            table = self._tables[index]
            if table.get_type() == "class" and index < len(self._tables) - 1:
                continue
            try:
                symbol = table.lookup(name)
            except KeyError:
                continue
            return bool(symbol.is_global())
        return True

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        outer = self._fixed
        self._fixed = self.offset(node) if outer is None else outer
        self.generic_visit(node)
        self._fixed = outer

    def _function(self, node: Function, name: str) -> None:
        arguments = node.args
        for one in getattr(node, "decorator_list", ()):
            self.visit(one)
        for default in (*arguments.defaults, *arguments.kw_defaults):
            if default is not None:
                self.visit(default)
        every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg)
        for argument in every:
            if argument is not None and argument.annotation is not None:
                self.visit(argument.annotation)
        if getattr(node, "returns", None) is not None:
            self.visit(node.returns)  # type: ignore[union-attr, arg-type]
        self._tables.append(self._enter(name, node.lineno))
        for part in node.body if isinstance(node.body, list) else [node.body]:
            self.visit(part)
        self._tables.pop()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._function(node, node.name)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._function(node, node.name)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._function(node, "lambda")

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for one in (*node.decorator_list, *node.bases, *node.keywords):
            self.visit(one)
        self._tables.append(self._enter(node.name, node.lineno))
        for part in node.body:
            self.visit(part)
        self._tables.pop()

    def _comprehension(self, node: Any) -> None:
        first, *rest = node.generators
        self.visit(first.iter)
        self._tables.append(self._enter(_COMPREHENSIONS[type(node)], node.lineno))
        for part in (first.target, *first.ifs, *rest):
            self.visit(part)
        for name in ("key", "value", "elt"):
            if hasattr(node, name):
                self.visit(getattr(node, name))
        self._tables.pop()

    def visit_ListComp(self, node: ast.ListComp) -> None:
        self._comprehension(node)

    def visit_SetComp(self, node: ast.SetComp) -> None:
        self._comprehension(node)

    def visit_DictComp(self, node: ast.DictComp) -> None:
        self._comprehension(node)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> None:
        self._comprehension(node)


def imported(text: str) -> dict[str, list[tuple[int, int]]]:
    """Per name that a module's own statements import, the lines of those statements."""
    out: dict[str, list[tuple[int, int]]] = defaultdict(list)
    waiting: list[Any] = [ast.parse(text)]
    while waiting:
        node = waiting.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import | ast.ImportFrom):
                if isinstance(child, ast.ImportFrom) and child.module == "__future__":
                    continue
                for alias in child.names:
                    name = alias.asname or (
                        alias.name if isinstance(child, ast.ImportFrom) else alias.name.split(".")[0]
                    )
                    if name != "*":
                        out[name].append((child.lineno, child.end_lineno or child.lineno))
            elif isinstance(child, ast.stmt | ast.excepthandler) and not isinstance(
                child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
            ):
                waiting.append(child)
    return out


def line_of(starts: list[int], offset: int) -> int:
    return bisect_right(starts, offset)
