"""The least that makes code valid which is taken from between brackets: a few tokens for all the headers around it.

What may stand between two brackets is told by the node of the grammar that they belong to.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Wrap(NamedTuple):
    """What stands before and after statements that are read alone."""

    opening: str = ""
    close: str = ""
    final: str | None = None
    """What stands after the last of them, where that is not the same."""
    inner: bool = False
    """Whether it needs what makes the statement valid that it is a part of."""
    tight: tuple[str, str] | None = None
    """A shorter one that serves for one function."""


BARE = Wrap()
_CALL = Wrap("f(", ");")
_NO_COMMA = Wrap("f(", "\n_);", ");")
"""Arguments of languages in which no comma may stand after the last."""
_LIST = Wrap("[", "];")
_BLOCK = Wrap("{", "}")
_CLASS = Wrap("class _ {", "}", tight=("class _{", "}"))
_SCRIPT_CLASS = _CLASS._replace(tight=("-{", "}"))
_ENUM = Wrap("enum _ {", "}")
_MEMBERS = Wrap("interface _ {", "}")
_LITERAL = Wrap("_ = T{", "}")
_ANNOTATION = Wrap("@A({", "}) class _ {}")
_STRUCT = Wrap("struct X {", "}")
_SWITCH = Wrap("switch {", "}")
_Wraps = Mapping[str, Wrap]

_RUST: _Wraps = {
    "token_tree(": Wrap("x!(", ");"),
    "token_tree[": Wrap("x![", "];"),
    "token_tree{": Wrap("x! {", "}"),
    "match_block": Wrap("match x {", "}"),
    "use_list": Wrap("use {", "};"),
    "field_declaration_list": _STRUCT,
    "ordered_field_declaration_list": Wrap("struct X(", ");"),
    "enum_variant_list": Wrap("enum X {", "}"),
    "declaration_list": BARE,
    "field_initializer_list": Wrap("X {", "};"),
    "(": _CALL,
    "[": _LIST,
    "{": _BLOCK,
}
_GO: _Wraps = {
    "argument_list": Wrap("f(", ")"),
    "parenthesized_expression": Wrap("f(", ")"),
    "field_declaration_list": Wrap("type _ struct {", "}"),
    "interface_type": Wrap("type _ interface {", "}"),
    "select_statement": Wrap("select {", "}"),
    "expression_switch_statement": _SWITCH,
    "type_switch_statement": _SWITCH,
    "literal_value": _LITERAL,
    "parameter_list": Wrap("func _(", ") {}"),
}
_JAVA: _Wraps = {
    "annotation_argument_list": _ANNOTATION,
    "element_value_array_initializer": _ANNOTATION,
    "enum_body": _ENUM,
    "class_body": _CLASS,
    "interface_body": _CLASS,
    "annotation_type_body": _CLASS,
    "switch_block": Wrap("switch (0) {", "}"),
    "array_initializer": Wrap("int[] _ = {", "};"),
    "formal_parameters": Wrap("void f(", "\n_ _) {}", ") {}"),
    "(": _NO_COMMA,
}
_SCRIPT: _Wraps = {
    "named_imports": Wrap("import {", "} from '';"),
    "export_clause": Wrap("export {", "};"),
    "enum_body": _ENUM,
    "interface_body": _MEMBERS,
    "object_type": _MEMBERS,
    "class_body": _SCRIPT_CLASS,
    "switch_body": Wrap("switch (_) {", "}"),
    "object": Wrap("({", "});"),
    "formal_parameters": Wrap("function _(", ") {}"),
    "(": Wrap("_(", ");"),
    "[": _LIST,
}
_OTHERS: _Wraps = {
    "enum_class_body": _ENUM,
    "enumerator_list": _ENUM,
    "enum_member_declaration_list": _ENUM,
    "class_body": _CLASS,
    "protocol_body": _CLASS,
    "template_body": _CLASS,
    "field_declaration_list": _CLASS,
    "declaration_list": _CLASS,
    "(": _NO_COMMA,
}
_BY_LANGUAGE: Mapping[str, _Wraps] = {
    "rust": _RUST,
    "go": _GO,
    "java": _JAVA,
    "javascript": _SCRIPT,
    "typescript": _SCRIPT,
    "tsx": _SCRIPT,
}
_OPENERS = {")": "(", "]": "[", "}": "{"}
_KEYED = frozenset(("pair", "keyed_element", "field_initializer"))


def wrap_of(language: str, kind: str, closer: str) -> Wrap:
    """What makes statements valid that stand between the brackets of a node."""
    wraps = _BY_LANGUAGE.get(language, _OTHERS)
    opener = _OPENERS[closer]
    return wraps.get(kind) or wraps.get(kind + opener) or wraps.get(opener) or BARE


def wrap_of_rest(language: str, kind: str, opening: str, close: str, final: str | None = None) -> Wrap:
    """What makes the rest of a statement valid that is shown without its start: a key stays a key, an arm an arm."""
    if kind in _KEYED:
        opening = f"x: {opening}"
    elif kind == "match_arm":
        opening = f"_ => {opening}"
    return Wrap(opening, close, final, inner=True)


def openers(closers: str) -> str:
    """What a row of closing brackets closes."""
    return "".join("f(" if one == ")" else _OPENERS[one] for one in reversed(closers) if one in _OPENERS)
