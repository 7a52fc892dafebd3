"""Which names Python code uses from outside its functions: loads that no parameter, local or comprehension shadows.

What a name means is decided as the language does: a name that is bound anywhere in a function is local to all of it,
classes are seen from their own body alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from seamline.code_outline import Import, Name
from seamline.parse.code.languages import word_set
from seamline.parse.code.places import Places
from seamline.parse.code.scopes import Node

_LOAD, _STORE, _PATTERN, _WALRUS, _SKIP = range(5)
"""What becomes of the names in a node."""
_FIRST = {
    "assignment": _STORE,
    "augmented_assignment": _STORE,
    "named_expression": _WALRUS,
    "keyword_argument": _SKIP,
}
"""Nodes whose first child is not simply looked up."""
_TARGETS = word_set(
    "pattern_list tuple_pattern list_pattern list_splat_pattern tuple list parenthesized_expression list_splat"
    " as_pattern_target expression_list dictionary_splat_pattern"
)
"""Nodes that hold targets."""
_PARAMETERS = word_set(
    "default_parameter typed_parameter typed_default_parameter list_splat_pattern dictionary_splat_pattern"
    " tuple_pattern identifier"
)
_COMPREHENSIONS = word_set("list_comprehension set_comprehension dictionary_comprehension generator_expression")


class Scope:
    """A module, class, function, lambda or comprehension."""

    __slots__ = ("bound", "free", "kind", "parent", "shared")

    def __init__(self, kind: str, parent: Scope | None) -> None:
        self.kind = kind
        self.parent = parent
        self.bound: set[str] = set()
        self.free: set[str] = set()
        """Names that it says are global or of a function around it."""
        self.shared = set[str]()
        """Those that it says are global."""


_Task = tuple[Node, Scope, int]


class PythonNames:
    """Looks at every name of one syntax tree."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._data = places.data
        self._loads: list[tuple[int, str, Scope]] = []
        self._stores: list[tuple[int, str]] = []
        self.imports: list[Import] = []
        self._special: dict[str, Callable[[Node, Scope], Sequence[_Task]]] = {
            "function_definition": self._function,
            "lambda": self._function,
            "class_definition": self._class,
            "import_statement": self._import,
            "import_from_statement": self._import,
            "future_import_statement": self._import,
            "global_statement": self._declare,
            "nonlocal_statement": self._declare,
            "delete_statement": self._delete,
            "as_pattern": self._alias,
            "for_statement": self._loop,
            "for_in_clause": self._loop,
            "type_alias_statement": self._type,
            **dict.fromkeys(_COMPREHENSIONS, self._comprehension),
        }

    def uses(self) -> list[Name]:
        """Names that are looked up in the module, or are built in."""
        point = self._places.point
        return sorted(Name(point(at), name) for at, name, scope in self._loads if _is_global(name, scope))

    def stores(self) -> list[Name]:
        """Names that the module and its classes bind: what others may speak of."""
        point = self._places.point
        return sorted(Name(point(at), name) for at, name in self._stores)

    def read(self, root: Node) -> None:
        stack: list[_Task] = [(root, Scope("module", None), _LOAD)]
        while stack:
            node, scope, role = stack.pop()
            kind = node.type
            if kind == "identifier":
                self._identifier(node, scope, role)
                continue
            children = node.children
            if not children or role == _SKIP:
                continue
            if role == _PATTERN:
                stack.extend(self._pattern(node, kind, scope))
            elif role == _STORE and kind not in _TARGETS:  # an element or a member of something
                stack.append((node, scope, _LOAD))
            elif role == _LOAD and kind in self._special:
                stack.extend(self._special[kind](node, scope))
            elif kind == "case_pattern":
                stack.extend([(one, scope, _PATTERN) for one in children])
            elif kind == "attribute":
                stack.append((children[0], scope, _LOAD))
            elif kind in _FIRST:
                stack.append((children[0], scope, _FIRST[kind]))
                stack.extend([(one, scope, _LOAD) for one in children[1:]])
            else:
                stack.extend([(one, scope, role) for one in children])
        self.imports.sort()

    def _identifier(self, node: Node, scope: Scope, role: int) -> None:
        name = self._text(node)
        if role == _LOAD:
            self._loads.append((node.start_byte, name, scope))
        elif role != _SKIP:
            while role == _WALRUS and scope.kind == "comprehension" and scope.parent is not None:
                scope = scope.parent
            self._store(node, name, scope)

    def _store(self, node: Node, name: str, scope: Scope) -> None:
        scope.bound.add(name)
        if scope.kind in ("module", "class"):
            self._stores.append((node.start_byte, name))

    def _text(self, node: Node) -> str:
        return self._places.string(node.start_byte, node.end_byte)

    # --- statements and expressions with rules of their own -------------------------------------------------------

    def _function(self, node: Node, scope: Scope) -> list[_Task]:
        inner, part = Scope("def", scope), node.child_by_field_name
        out = _tasks((part("name"), scope, _STORE), (part("return_type"), scope, _LOAD), (part("body"), inner, _LOAD))
        if (types := part("type_parameters")) is not None:
            out += self._type_parameters(types, scope, inner)
        if (parameters := part("parameters")) is not None:
            out += self._parameters(parameters, scope, inner)
        return out

    def _class(self, node: Node, scope: Scope) -> list[_Task]:
        inner, part = Scope("class", scope), node.child_by_field_name
        out = _tasks((part("name"), scope, _STORE), (part("superclasses"), scope, _LOAD), (part("body"), inner, _LOAD))
        if (types := part("type_parameters")) is not None:
            out += self._type_parameters(types, scope, inner)
        return out

    def _loop(self, node: Node, scope: Scope, inner: Scope | None = None) -> list[_Task]:
        """`for target in ...`; the target may be of another scope."""
        left = node.child_by_field_name("left")
        rest = [one for one in node.named_children if one != left]
        return _tasks((left, inner or scope, _STORE), *[(one, scope, _LOAD) for one in rest])

    def _parameters(self, node: Node, outer: Scope, inner: Scope) -> list[_Task]:
        """Names of parameters; their defaults and types are looked up outside."""
        out: list[_Task] = []
        for one in node.named_children:
            if one.type == "identifier":
                out.append((one, inner, _STORE))
            elif one.type in _PARAMETERS:
                name, *rest = one.named_children
                out.append((name, inner, _STORE))
                out += [(other, outer, _LOAD) for other in rest]
        return out

    def _type_parameters(self, node: Node, outer: Scope, inner: Scope) -> list[_Task]:
        """Names of types; their bounds are looked up outside."""
        out: list[_Task] = []
        for one in node.named_children:
            while one.type == "type" and one.named_children:
                one = one.named_children[0]
            if one.type == "constrained_type":
                name, *rest = one.named_children
                out += [(other, outer, _LOAD) for other in rest]
                one = name
            first = one
            while first.type != "identifier" and first.named_children:
                first = first.named_children[0]
            if first.type == "identifier":
                out.append((first, inner, _STORE))
        return out

    def _type(self, node: Node, scope: Scope) -> list[_Task]:
        """`type Name[T] = ...`."""
        inner = Scope("def", scope)
        name, *rest = node.named_children
        while name.type in ("type", "generic_type") and name.named_children:
            for one in name.named_children[1:]:
                rest += [task[0] for task in self._type_parameters(one, scope, inner) if task[2] == _LOAD]
                for bound, _, role in self._type_parameters(one, scope, inner):
                    if role == _STORE:
                        inner.bound.add(self._text(bound))
            name = name.named_children[0]
        return [(name, scope, _STORE), *[(one, inner, _LOAD) for one in rest]]

    def _import(self, node: Node, scope: Scope) -> list[_Task]:
        names = []
        is_from = node.type == "import_from_statement"
        for at, child in enumerate(node.children):
            if node.field_name_for_child(at) != "name":
                continue
            alias = child.child_by_field_name("alias")
            path = self._text(alias if alias is not None else child)
            names.append(path if alias is not None or is_from else path.partition(".")[0])
        scope.bound.update(names)
        if scope.kind == "module" and names and node.type != "future_import_statement":
            self.imports.append(Import(*self._places.span(node.start_byte, node.end_byte), tuple(names)))
        return []

    def _declare(self, node: Node, scope: Scope) -> list[_Task]:
        names = [self._text(one) for one in node.named_children if one.type == "identifier"]
        scope.free.update(names)
        if node.type == "global_statement":
            scope.shared.update(names)
        return []

    def _delete(self, node: Node, scope: Scope) -> list[_Task]:
        return [(one, scope, _STORE) for one in node.named_children]

    def _alias(self, node: Node, scope: Scope) -> list[_Task]:
        """`value as target`."""
        value, *targets = node.named_children
        return [(value, scope, _LOAD), *[(one, scope, _STORE) for one in targets]]

    def _comprehension(self, node: Node, scope: Scope) -> list[_Task]:
        """All of it is inside but for what the first `for` goes through."""
        inner = Scope("comprehension", scope)
        out: list[_Task] = []
        is_first = True
        for child in node.named_children:
            if child.type == "for_in_clause" and is_first:
                is_first = False
                out += self._loop(child, scope, inner)
            else:
                out.append((child, inner, _LOAD))
        return out

    def _pattern(self, node: Node, kind: str, scope: Scope) -> list[_Task]:
        """What a `case` binds: bare names but `_`, not those with dots, of classes or of their keywords."""
        children = node.named_children
        if kind == "dotted_name":
            is_value = len(children) > 1
            name = self._text(children[0])
            return [] if name == "_" else [(children[0], scope, _LOAD if is_value else _STORE)]
        if kind == "class_pattern":
            first = children[0].named_children[0] if children[0].named_children else children[0]
            return [(first, scope, _LOAD), *[(one, scope, _PATTERN) for one in children[1:]]]
        if kind == "keyword_pattern":
            return [(one, scope, _PATTERN) for one in children[1:]]
        return [(one, scope, _PATTERN) for one in children if self._text(one) != "_"]


def _tasks(*tasks: tuple[Node | None, Scope, int]) -> list[_Task]:
    """Those whose node is there."""
    return [task for task in tasks if task[0] is not None]


def _is_global(name: str, scope: Scope) -> bool:
    here: Scope | None = scope
    while here is not None and here.kind != "module":
        if here.kind != "class" or here is scope:
            if name in here.free:
                return _declared_global(name, here)
            if name in here.bound:
                return False
        here = here.parent
    return True


def _declared_global(name: str, scope: Scope) -> bool:
    """Of a name that a scope declares to be of outside: whether no function around it has it."""
    here = scope.parent
    while here is not None and here.kind != "module":
        if here.kind != "class" and name in here.bound and name not in here.free:
            return name in scope.shared
        here = here.parent
    return True
