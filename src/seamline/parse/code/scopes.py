"""What a node declares: its name, what it is, and where its signature stands."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from seamline.parse.code.languages import FUNCTIONS, Language
from seamline.parse.code.places import Places

Node = Any
"""A node of tree-sitter, which has no types here."""

_BODY = re.compile(
    r"(?:^|_)(?:body|block)$|(?:declaration|enumerator|accessor|statement)_list$|^(?:object_type|compound_statement)$"
)
_NAMED = re.compile(
    r"identifier$|^(?:name|constant|word|selectors|alias|STag|EmptyElemTag|(?:dotted|bare|quoted)_key)$"
)
_NAMING = frozenset(("object_reference", "signature", "type_head", "variable_list"))
"""Nodes that start with a name."""
_LOOSE = frozenset(("elixir", "julia", "xml"))
"""Languages in which a name has no node of its own."""
_WRAPPED = 3
"""Nodes between a wrapper and what it wraps: `const x = () => ...` has two."""
_ASSIGNED = frozenset(("variable_declarator", "assignment_expression", "assignment_statement"))
_FIELDS = ("field_definition", "public_field_definition")
_WORD = re.compile(r"[\w.$:!?]+")
_LONGEST = 80
_TAIL = 8
_BRACE = ord("{")
DECORATION = re.compile(r"annotation|attribute|decorator")


class Declared(NamedTuple):
    """A declaration."""

    inside: Node
    """The node that holds what it is made of."""
    type: str
    """class, function, method, struct, ...: what it is."""
    name: str
    start: int
    """Where its signature starts, after decorators."""
    end: int
    """Where its signature ends, `{` or `:` included; its start where it has none to show."""


class Declarations:
    """Finds what the nodes of one source declare."""

    def __init__(self, places: Places, language: Language) -> None:
        self._places = places
        self._language = language

    def of(self, node: Node) -> Declared | None:
        """What a node declares, itself or as the wrapper of a declaration; places are in bytes."""
        language = self._language
        inner, kind = node, language.scopes.get(node.type, "")
        if not kind and node.type in language.wraps:
            inner, kind = self._wrapped(node)
        if not kind and language.calls and node.type == "call":
            kind = language.calls.get(self._called(node), "")
        if not kind or kind == "import":
            return None
        if node.type in _FIELDS and not _is_function(node.child_by_field_name("value")):
            return None
        body = _body(inner)
        if body is None and self._places.data.find(b"\n", node.start_byte, node.end_byte) < 0:
            return None  # a line such as `struct Point;` only names something
        start, end = self._signature(node, inner, body)
        name = self._name(inner) or self._string(start, min(end, start + _LONGEST)).rstrip(" {")
        inside = body if body is not None and self._is_rest(body, end, node.end_byte) else node
        return Declared(inside, self._sharper(inner, kind), name, start, end)

    def _is_rest(self, body: Node, start: int, end: int) -> bool:
        """Whether a body is all that follows a signature, but for a mark or two."""
        at = body.start_byte
        return end - body.end_byte < _TAIL and (at <= start or self._places.data[start:at].isspace())

    def is_import(self, node: Node) -> bool:
        language = self._language
        if node.type in language.imports:
            return True
        if not language.calls or node.type != "call":
            return False
        return language.calls.get(self._called(node)) == "import"

    def _wrapped(self, node: Node) -> tuple[Node, str]:
        """The one declaration inside a wrapper, and what it is."""
        named = None
        for _ in range(_WRAPPED):
            inner = [one for one in node.named_children if self._counts(one)]
            if len(inner) != 1:
                break
            node = inner[0]
            if node.type in _ASSIGNED:
                named = node
            elif node.type in FUNCTIONS and named is not None:
                return named, "class" if node.type == "class" else "function"
            elif kind := self._language.scopes.get(node.type):
                return node, kind
        return node, ""

    def _counts(self, node: Node) -> bool:
        kind = node.type
        scopes = self._language.scopes
        return kind in scopes or kind in FUNCTIONS or kind in _ASSIGNED or kind in self._language.wraps

    def _called(self, node: Node) -> str:
        target = node.child(0)
        return self._text(target) if target is not None and target.type == "identifier" else ""

    def _sharper(self, node: Node, kind: str) -> str:
        """What exactly it is, where the grammar has one node for several."""
        of = None
        if self._language.name == "go" and kind == "type":
            of = node.child_by_field_name("type")
            return {"struct_type": "struct", "interface_type": "interface"}.get(of.type, kind) if of else kind
        if self._language.name == "swift" and kind == "class":
            of = node.child_by_field_name("declaration_kind")
        if self._language.name == "kotlin" and kind == "class":
            return _kotlin_kind(node)
        return self._text(of) if of else kind

    # --- names ----------------------------------------------------------------------------------------------------

    def _name(self, node: Node) -> str:
        if node.type == "impl_item":
            trait, target = node.child_by_field_name("trait"), node.child_by_field_name("type")
            return " for ".join(self._text(one) for one in (trait, target) if one is not None)
        found = (
            node.child_by_field_name("name")
            or node.child_by_field_name("property")
            or self._declarator(node)
            or self._first_name(node)
        )
        name = self._text(found) if found is not None else ""
        if self._language.name in _LOOSE:
            naming = node.type in ("element", "call") or (found is not None and found.type in _NAMING)
            word = _WORD.search(name) if naming else None
            return word[0] if word else name
        if self._language.name == "go" and (receiver := node.child_by_field_name("receiver")) is not None:
            of = _WORD.findall(self._text(receiver).split("[")[0])
            name = f"{of[-1]}.{name}" if of else name
        return name

    def _declarator(self, node: Node) -> Node | None:
        """The innermost declarator, as in `char *(*name)(int)`."""
        found = node.child_by_field_name("declarator")
        for _ in range(8):
            inner = None if found is None else found.child_by_field_name("declarator")
            if inner is None:
                break
            found = inner
        return found or node.child_by_field_name("left") or node.child_by_field_name("key")

    def _first_name(self, node: Node) -> Node | None:
        """The first child that is a name; of a call, what it is called with."""
        inside = node.named_children
        if node.type == "call":
            return inside[1] if len(inside) > 1 else None
        if inside and inside[0].type == "signature":
            return inside[0]  # Julia: what is called in it is the name
        for one in inside:
            if _NAMED.search(one.type):
                return one
        return next((one for one in inside if one.type in _NAMING), None)

    def _text(self, node: Node) -> str:
        start = node.start_byte
        return self._string(start, min(node.end_byte, start + 4 * _LONGEST))[:_LONGEST]

    def _string(self, start: int, end: int) -> str:
        return " ".join(self._places.string(start, end).split())

    # --- signatures -----------------------------------------------------------------------------------------------

    def _signature(self, node: Node, inner: Node, body: Node | None) -> tuple[int, int]:
        places = self._places
        first = inner if node.type == "decorated_definition" else node
        start = self._undecorated(first).start_byte
        if body is None:
            end = places.line_end(start, node.end_byte)
        else:
            end = _opened(body, start, places.data)
        line = places.line_start(start)
        return (line if line >= 0 else start), places.trim(start, end)

    def _undecorated(self, node: Node) -> Node:
        """The first node of a declaration that is no annotation."""
        if self._places.data[node.start_byte] not in b"@[#":
            return node
        for one in node.children:
            parts = one.children if "modifier" in one.type and one.child_count else [one]
            for part in parts:
                if not DECORATION.search(part.type):
                    return part
        return node


def _opened(body: Node, start: int, data: bytes) -> int:
    """Where a body is open: after its brace, or before its first line and the comments above that."""
    end: int = body.start_byte
    if data.startswith((b"{", b"do"), end):
        return end + (1 if data[end] == _BRACE else 2)
    before = body.prev_sibling if b"\n" in data[start:end].rstrip() else None
    while before is not None and "comment" in before.type and before.start_byte > start:
        end, before = before.start_byte, before.prev_sibling
    return end


def _kotlin_kind(node: Node) -> str:
    """Kotlin has one node for classes, interfaces and enumerations."""
    words = {one.type for one in node.children if not one.is_named}
    holders = [one for one in node.children if one.type == "modifiers"]
    modifiers = {word.decode() for one in holders for word in one.text.split()}
    if "interface" in words:
        return "interface"
    return "enum" if "enum" in words or "enum" in modifiers else "class"


def _is_function(value: Node | None) -> bool:
    return value is not None and value.type in FUNCTIONS


def _body(node: Node) -> Node | None:
    """The part of a declaration that holds what it is made of."""
    found = node.child_by_field_name("body")
    if found is not None or node.child_count > 64:
        return found
    for field in ("value", "right"):
        value = node.child_by_field_name(field)
        if _is_function(value):
            return _body(value)
    inside = [one for one in node.named_children if _BODY.search(one.type)]
    return inside[-1] if inside else None
