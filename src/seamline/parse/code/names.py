"""A syntax tree -> what is imported, where that is used, what is called, and where control branches."""

from __future__ import annotations

import re
from collections.abc import Iterator

from seamline.code_outline import Import, Name
from seamline.parse.code.languages import Language
from seamline.parse.code.places import Places
from seamline.parse.code.scopes import Node

_THROUGH = frozenset("import_list preproc_ifdef preproc_if".split())
_IMPORTS = {
    "java": "import_declaration",
    "kotlin": "import",
    "php": "namespace_use_declaration",
    "swift": "import_declaration",
    "scala": "import_declaration",
    "javascript": "import_statement",
    "typescript": "import_statement",
    "tsx": "import_statement",
    "rust": "use_declaration extern_crate_declaration",
    "go": "import_declaration",
}
"""Nodes that bind names, by language."""
_NAME = re.compile(r"identifier$|^name$")
_NOT_USED = frozenset("property_identifier field_identifier statement_identifier label_name".split())
"""Names that stand for nothing outside of what is before them."""
_PATH = re.compile(r"^(?:scoped_|qualified_|nested_)|^(?:namespace_name|identifier|import_declaration)$")
_WILDCARDS = frozenset("asterisk use_wildcard namespace_wildcard *".split())
_RENAMED = frozenset(("as", "=>"))
_CALLS = frozenset(
    "call call_expression method_invocation new_expression object_creation_expression invocation_expression"
    " function_call function_call_expression".split()
)
_CALLED = ("function", "constructor", "type", "name", "method")
"""Fields that hold what is called."""
_RECEIVERS = ("object", "receiver")
_MEMBERS = frozenset(
    "attribute member_expression field_access field_expression method_invocation navigation_expression"
    " member_access_expression scoped_identifier call".split()
)
_SAME = frozenset((b"self", b"this"))
_BRANCHES = frozenset("if for while case catch guard && ||".split())
_PYTHON_BRANCHES = frozenset("if elif for while except and or case".split())
_TERNARY = frozenset("ternary_expression conditional_expression".split())
_NESTED = 16
"""Lists of imported names inside each other."""
_VERSION = re.compile(r"v\d+\Z")


class Names:
    """What one walk through a syntax tree finds. Places are in code points."""

    def __init__(self, places: Places, language: Language) -> None:
        self._places = places
        self._data = places.data
        self._language = language.name
        self._branching = _PYTHON_BRANCHES if language.name == "python" else _BRANCHES
        if language.name == "rust":
            self._branching |= {"=>"}  # every arm of a `match` is a branch
        self.imports: list[Import] = []
        self.uses: list[Name] = []
        self.stores: list[Name] = []
        self.calls: list[Name] = []
        self.own: list[Name] = []
        self.branches: list[int] = []

    def read(self, root: Node) -> None:
        is_python = self._language == "python"
        passed = set[int]() if is_python else self._imports(root)
        self._walk(root, passed, frozenset(name.encode() for one in self.imports for name in one.names))
        if is_python:
            from seamline.parse.code.python_names import PythonNames

            found = PythonNames(self._places)
            found.read(root)
            self.imports, self.uses, self.stores = found.imports, found.uses(), found.stores()
        for names in (self.calls, self.own, self.branches):
            names.sort()  # type: ignore[attr-defined]

    def _walk(self, root: Node, passed: set[int], wanted: frozenset[bytes]) -> None:
        """Look at every node but those in imports."""
        data, branching = self._data, self._branching
        stack = [root]
        while stack:
            node = stack.pop()
            children = node.children
            kind = node.type
            if not children:
                if kind in branching:
                    if not node.is_named:
                        self.branches.append(self._places.point(node.start_byte))
                elif wanted and data[node.start_byte : node.end_byte] in wanted and self._is_use(node, kind):
                    self.uses.append(self._name(node))
                continue
            if kind in _CALLS:
                self._call(node, children)
            elif kind in _TERNARY and self._language != "python":
                self.branches.append(self._places.point(node.start_byte))
            if kind in _MEMBERS and data[children[0].start_byte : children[0].end_byte] in _SAME:
                self._member(node, children)
            if passed and node.start_byte in passed and self._is_import(node):
                continue
            stack.extend(reversed(children))

    def _is_use(self, node: Node, kind: str) -> bool:
        """Whether a name is looked up by itself: not after a dot, unless that is one of several."""
        if not _NAME.search(kind) or kind in _NOT_USED:
            return False
        before = self._data[max(0, node.start_byte - 2) : node.start_byte]
        return not before.endswith(b".") or before == b".."

    def _call(self, node: Node, children: list[Node]) -> None:
        if any(node.child_by_field_name(field) is not None for field in _RECEIVERS):
            return
        called = next((one for one in map(node.child_by_field_name, _CALLED) if one is not None), None)
        called = called or next((one for one in children if one.is_named), children[0])
        if called.type in ("scoped_identifier", "qualified_identifier"):
            called = called.child_by_field_name("name") or called
        if _NAME.search(called.type) and not called.child_count:
            self.calls.append(self._name(called))

    def _member(self, node: Node, children: list[Node]) -> None:
        found = node.child_by_field_name("name") or node.child_by_field_name("method") or children[-1]
        if found.type == "navigation_suffix":
            found = found.children[-1]
        if _NAME.search(found.type):
            self.own.append(self._name(found))

    def _name(self, node: Node) -> Name:
        return Name(self._places.point(node.start_byte), self._text(node))

    def _text(self, node: Node) -> str:
        return self._places.string(node.start_byte, node.end_byte)

    # --- imports --------------------------------------------------------------------------------------------------

    def _is_import(self, node: Node) -> bool:
        return node.type in _IMPORTS.get(self._language, "").split()

    def _imports(self, root: Node) -> set[int]:
        """Note what the file imports; where these statements start."""
        passed = set()
        waiting = list(reversed(root.children)) if self._language in _IMPORTS else []
        while waiting:
            node = waiting.pop()
            if node.type in _THROUGH:
                waiting.extend(reversed(node.children))
            elif self._is_import(node):
                passed.add(node.start_byte)
                if self._language == "go":
                    self.imports += self._packages(node)
                elif names := tuple(dict.fromkeys(self._bound(node, ""))):
                    self.imports.append(Import(*self._span(node), names))
        return passed

    def _span(self, node: Node) -> tuple[int, int]:
        return self._places.span(node.start_byte, self._places.trim(node.start_byte, node.end_byte))

    def _bound(self, node: Node, around: str, depth: int = 0) -> Iterator[str]:
        """Names that an import binds; `around` is what `self` in a list stands for."""
        kind = node.type
        children = [one for one in node.children if "comment" not in one.type and "string" not in one.type]
        named = [one for one in children if one.is_named]
        if kind == "self":
            yield around
        elif not children:
            if _NAME.search(kind) and self._text(node) != "_":
                yield self._text(node)
        elif depth < _NESTED:
            if any(one.type in _RENAMED for one in children):
                named = named[-1:]
            elif kind in _WILDCARDS or any(one.type in _WILDCARDS for one in children):
                return
            elif _PATH.search(kind):  # what is taken from its end
                around = self._text(named[0]).rpartition(":")[2]
                named = named[-1:]
            elif kind == "namespace_use_declaration" and named[-1].type == "namespace_use_group":
                named = named[-1:]
            for one in named:
                yield from self._bound(one, around, depth + 1)

    def _packages(self, node: Node) -> Iterator[Import]:
        """Paths of Go, by the names their packages most likely have: the last part, without versions and `go-`."""
        specs, around = list(node.children), None
        if (group := next((one for one in specs if one.type == "import_spec_list"), None)) is not None:
            point = self._places.point
            specs = group.children
            around = (point(node.start_byte), point(specs[0].end_byte), point(specs[-1].start_byte))
        for spec in specs:
            path = spec.child_by_field_name("path") if spec.type == "import_spec" else None
            name = spec.child_by_field_name("name") if path is not None else None
            if path is None or (name is not None and self._text(name) in ("_", ".")):
                continue
            names = (self._text(name),) if name is not None else tuple(_packages(self._text(path).strip('"`')))
            start, end = self._span(spec if around else node)
            yield Import(start, end, names, around)


def _packages(path: str) -> Iterator[str]:
    parts = [part for part in path.split("/") if part]
    if len(parts) > 1 and _VERSION.match(parts[-1]):
        parts.pop()
    name = re.sub(r"\.v\d+\Z", "", parts[-1]) if parts else path
    yield from dict.fromkeys((name, name.removeprefix("go-"), name.rpartition("-")[2]))
