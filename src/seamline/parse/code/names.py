"""A syntax tree -> what is imported, where that is used, what is called, and where control branches."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from seamline.code_outline import Import, Name
from seamline.parse.code.languages import Language, word_set
from seamline.parse.code.places import Places
from seamline.parse.code.python_names import PythonNames
from seamline.parse.code.scopes import Node

_THROUGH = word_set("import_list preproc_ifdef preproc_if")
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
_VARIABLES = word_set("lexical_declaration variable_declaration")
"""Nodes that may bind what `require` returns."""
_NO_VARIABLES = word_set("call_expression member_expression function_call expression_list string arguments")
_NAME = re.compile(r"identifier$|^name$")
_NOT_USED = word_set("property_identifier field_identifier statement_identifier label_name")
"""Names that stand for nothing outside of what is before them."""
_PATH = re.compile(r"^(?:scoped_|qualified_|nested_)|^(?:namespace_name|identifier|import_declaration)$")
_WILDCARDS = word_set("asterisk use_wildcard namespace_wildcard *")
_LIST = re.compile(r"_(?:list|selectors|group)$")
_RENAMED = frozenset(("as", "=>"))
_OPERATORS = '"&&" @branch "||" @branch'
_TOKENS = '["if" "for" "while" "case" "catch"] @branch ' + _OPERATORS
_SCRIPT = f"""(call_expression function: (identifier) @call) (new_expression constructor: (identifier) @call)
    (member_expression object: (this) property: (_) @own) {_TOKENS} (ternary_expression) @branch"""
_C = (
    """(call_expression function: (identifier) @call) ["if" "for" "while" "case"] @branch
    (conditional_expression) @branch """
    + _OPERATORS
)
_QUERIES = {
    "python": """(call function: (identifier) @call)
        (attribute object: (identifier) @self attribute: (identifier) @own (#eq? @self "self"))
        ["if" "elif" "for" "while" "except" "and" "or" "case"] @branch""",
    "javascript": _SCRIPT,
    "typescript": _SCRIPT,
    "tsx": _SCRIPT,
    "java": f"""(method_invocation !object name: (identifier) @call)
        (object_creation_expression type: (type_identifier) @call) (field_access object: (this) field: (_) @own)
        (method_invocation object: (this) name: (_) @own) {_TOKENS} (ternary_expression) @branch""",
    "go": '(call_expression function: (identifier) @call) ["if" "for" "case"] @branch ' + _OPERATORS,
    "rust": """(call_expression function: (identifier) @call)
        (call_expression function: (scoped_identifier name: (identifier) @call))
        (field_expression value: (self) field: (_) @own) ["if" "for" "while" "=>"] @branch """
    + _OPERATORS,
    "c": _C,
    "cpp": f"""{_C} (call_expression function: (qualified_identifier name: (identifier) @call))
        (new_expression type: (type_identifier) @call) "catch" @branch""",
    "csharp": f"""(invocation_expression function: (identifier) @call)
        (object_creation_expression type: (identifier) @call)
        {_TOKENS} (conditional_expression) @branch""",
    "kotlin": """(call_expression . (identifier) @call)
        (navigation_expression (this_expression) (identifier) @own)
        ["if" "for" "while" "catch"] @branch """
    + _OPERATORS,
    "swift": """(call_expression . (simple_identifier) @call)
        (navigation_expression (self_expression) (navigation_suffix (simple_identifier) @own))
        ["if" "for" "while" "case" "guard"] @branch """
    + _OPERATORS,
    "scala": """(call_expression function: (identifier) @call) ["if" "for" "while" "case" "catch"] @branch""",
    "php": f"""(function_call_expression function: (name) @call) (object_creation_expression (name) @call)
        {_TOKENS} (conditional_expression) @branch""",
    "ruby": """(call !receiver method: (identifier) @call) (call receiver: (self) method: (identifier) @own)
        ["if" "unless" "elsif" "while" "until" "when" "rescue"] @branch """
    + _OPERATORS,
    "lua": '(function_call name: (identifier) @call) ["if" "elseif" "for" "while"] @branch',
    "bash": '["if" "elif" "for" "while"] @branch (case_item) @branch ' + _OPERATORS,
    "elixir": "(call target: (identifier) @call)",
    "julia": '(call_expression . (identifier) @call) ["if" "elseif" "for" "while"] @branch',
}
"""What is called, members of the same object, and where control branches, by language."""
_NESTED = 16
"""Lists of imported names inside each other."""
_VERSION = re.compile(r"v\d+\Z")


class NameReader:
    """What a syntax tree says of names. Places are in code points."""

    def __init__(self, places: Places, language: Language) -> None:
        self._places = places
        self._data = places.data
        self._language = language.name
        self._requires = language.requires
        self.imports: list[Import] = []
        self.uses: list[Name] = []
        self.stores: list[Name] = []
        self.calls: list[Name] = []
        self.own: list[Name] = []
        self.branches: list[int] = []

    def bind(self, root: Node) -> None:
        """Find what is imported, and where names are looked up that are bound outside of functions."""
        if self._language == "python":
            names = PythonNames(self._places)
            names.read(root)
            self.imports, self.uses, self.stores = names.imports, names.uses(), names.stores()
        else:
            self._use(root, self._import(root))

    def call(self, root: Node, grammar: Any) -> None:
        """Find what is called, and where control branches."""
        found = _captures(self._language, grammar, root)
        self.calls = sorted(map(self._name, found.get("call", ())))
        self.own = sorted(map(self._name, found.get("own", ())))
        self.branches = sorted([self._places.point(node.start_byte) for node in found.get("branch", ())])

    def _use(self, root: Node, passed: Sequence[tuple[int, int]]) -> None:
        """Where imported names are looked up by themselves: not in imports, nor after a dot unless that is one of
        several."""
        names = {name.encode() for one in self.imports for name in one.names if name}
        cursor = root.walk()
        for at, end in sorted(place for name in names for place in _occurrences(self._data, name)):
            before = self._data[max(0, at - 2) : at]
            if before.endswith(b".") and before != b"..":
                continue  # a member
            node = _leaf(cursor, at)
            kind = node.type
            if not _NAME.search(kind) or kind in _NOT_USED or (node.start_byte, node.end_byte) != (at, end):
                continue
            around = bisect_right(passed, (at, end)) - 1
            if around < 0 or at >= passed[around][1]:
                self.uses.append(self._name(node))

    def _name(self, node: Node) -> Name:
        return Name(self._places.point(node.start_byte), self._text(node))

    def _text(self, node: Node) -> str:
        return self._places.string(node.start_byte, node.end_byte)

    # --- imports --------------------------------------------------------------------------------------------------

    def _import(self, root: Node) -> list[tuple[int, int]]:
        """Note what the file imports; where these statements stand."""
        kinds = _IMPORTS.get(self._language, "").split()
        passed: list[tuple[int, int]] = []
        waiting = list(reversed(root.children)) if kinds or self._requires else []
        while waiting:
            node = waiting.pop()
            if node.type in _THROUGH:
                waiting.extend(reversed(node.children))
            elif node.type in kinds:
                passed.append((node.start_byte, node.end_byte))
                if self._language == "go":
                    self.imports += self._packages(node)
                elif names := tuple(dict.fromkeys(self._bound(node, ""))):
                    self.imports.append(Import(*self._span(node), names))
            elif node.type in _VARIABLES and self._asks_for_file(node):
                passed.append((node.start_byte, node.end_byte))
                if names := tuple(dict.fromkeys(self._required(node))):
                    self.imports.append(Import(*self._span(node), names))
        return passed

    def _asks_for_file(self, node: Node) -> bool:
        """Whether variables are given what `require` returns."""
        return self._requires is not None and self._requires.match(self._data, node.start_byte) is not None

    def _required(self, node: Node) -> Iterator[str]:
        """The variables that are given it: one, or those that an object is taken apart into."""
        waiting = list(reversed(node.named_children))
        while waiting:
            one = waiting.pop()
            if one.type in ("identifier", "shorthand_property_identifier_pattern"):
                yield self._text(one)
            elif one.type == "pair_pattern":
                waiting += [value for value in (one.child_by_field_name("value"),) if value is not None]
            elif one.type not in _NO_VARIABLES:
                waiting.extend(reversed(one.named_children))

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
            elif kind in _WILDCARDS or (not _LIST.search(kind) and any(one.type in _WILDCARDS for one in children)):
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


def _occurrences(data: bytes, name: bytes) -> Iterator[tuple[int, int]]:
    """Where a name stands that is no part of a longer one. To compile a regular expression of all names of a file would
    take longer than these searches."""
    at = data.find(name)
    while at >= 0:
        end = at + len(name)
        after = data[end : end + 1]
        if not (data[at - 1 : at].isalnum() or after.isalnum() or after in (b"_", b"$")):
            yield at, end
        at = data.find(name, end)


def _leaf(cursor: Any, at: int) -> Node:
    """The leaf at a place, from the one before it: a search from the root would be quadratic in what nests deep."""
    node = cursor.node
    while not node.start_byte <= at < node.end_byte and cursor.goto_parent():
        node = cursor.node
    while cursor.goto_first_child_for_byte(at) is not None:
        pass
    return cursor.node


def _captures(language: str, grammar: Any, root: Node) -> dict[str, list[Node]]:
    if language not in _QUERIES:
        return {}
    import tree_sitter

    return tree_sitter.QueryCursor(_query(language, grammar)).captures(root)


@cache
def _query(language: str, grammar: Any) -> Any:
    import tree_sitter

    return tree_sitter.Query(grammar, _QUERIES[language])


def _packages(path: str) -> Iterator[str]:
    parts = [part for part in path.split("/") if part]
    if len(parts) > 1 and _VERSION.match(parts[-1]):
        parts.pop()
    name = re.sub(r"\.v\d+\Z", "", parts[-1]) if parts else path
    yield from dict.fromkeys((name, name.removeprefix("go-"), name.rpartition("-")[2]))
