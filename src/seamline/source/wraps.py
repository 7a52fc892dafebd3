"""The least that makes code valid which is taken from between brackets: a few tokens for all the headers around it.

What may stand between two brackets is told by the header that ends with the first of them. The tables here are read
from the top; the first pattern that the end of a header matches counts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
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
_Rules = Sequence[tuple[re.Pattern[str], Wrap]]


def _rules(*rules: tuple[str, Wrap]) -> _Rules:
    return [(re.compile(pattern, re.DOTALL), wrap) for pattern, wrap in rules]


_PATH = r"(?:[\w>]+(?:::|\.))*[A-Z]\w*(?:::<[^{}()]*>)?"
_TYPED = r"\b(?:class|struct|interface|trait|protocol|extension|object|record|union|namespace|impl|mod)\b[^=;(){}]*"
_NOT_LAST = "\n_)"
_CALL = Wrap("f(", ");")
_LIST = Wrap("[", "];")
_CLASS = Wrap("class _ {", "}", tight=("class _{", "}"))
_ENUM = Wrap("enum _ {", "}")

_LITERAL = Wrap("_ = T{", "}")
"""What holds elements of Go."""

_RUST = _rules(
    (r"!\s*\(\Z", Wrap("x!(", ");")),
    (r"!\s*\[\Z", Wrap("x![", "];")),
    (r"!\s*(?:\w+\s*)?\{\Z", Wrap("x! {", "}")),
    (r"\(\Z", _CALL),
    (r"\[\Z", _LIST),
    (r"\bmatch\b[^{};]*\{\Z", Wrap("match x {", "}")),
    (r"\buse\b[^;]*\{\Z", Wrap("use {", "};")),
    (r"\bstruct\b[^;(){}]*\{\Z", Wrap("struct X {", "}")),
    (r"\benum\b[^;(){}]*\{\Z", Wrap("enum X {", "}")),
    (r"\b(?:impl|trait|mod|extern)\b[^;(){}]*\{\Z", BARE),
    (r"->\s*[^;{}=|]*\{\Z|\b(?:if|while|for|in|match)\b[^;{}]*\{\Z", Wrap("{", "}")),
    (rf"{_PATH}\s*\{{\Z", Wrap("X {", "};")),
    (r"", Wrap("{", "}")),
)
_GO = _rules(
    (r"\b(?:import|const|var|type)\s*\(\Z", BARE),
    (r"\(\Z", Wrap("f(", ")")),
    (r"\bstruct\s*\{\Z", Wrap("type _ struct {", "}")),
    (r"\binterface\s*\{\Z", Wrap("type _ interface {", "}")),
    (r"\bselect\s*\{\Z", Wrap("select {", "}")),
    (r"\bswitch\b[^{}]*\{\Z", Wrap("switch {", "}")),
    (r"\S\{\Z|(?:\A|[,:])\s*\{\Z", _LITERAL),
    (r"", BARE),
)
_JAVA = _rules(
    (r"@[\w.]+\s*\((?:\s*\{)?\Z", Wrap("@A({", "}) class _ {}")),
    (r"\(\Z", Wrap("f(", _NOT_LAST + ";", ");")),
    (r"\benum\b[^;(){}]*\{\Z", _ENUM),
    (rf"{_TYPED}\{{\Z|\bnew\s[^;{{}}()]*\([^()]*(?:\([^()]*\)[^()]*)*\)\s*\{{\Z", _CLASS),
    (r"\bswitch\s*\([^{}]*\)\s*\{\Z", Wrap("switch (0) {", "}")),
    (r"(?:[=(,\]]|\A)\s*\{\Z", Wrap("int[] _ = {", "};")),
    (r"", BARE),
)
_SCRIPT = _rules(
    (r"@[\w.]+\s*\(\s*\{\Z", Wrap("@_({", "}) class _ {}")),
    (r"\(\Z", Wrap("_(", ");")),
    (r"\[\Z", Wrap("[", "];")),
    (r"\bimport\b[^;(){}]*\{\Z", Wrap("import {", "} from '';")),
    (r"\bexport(?:\s+type)?\s*\{\Z", Wrap("export {", "};")),
    (r"\benum\b[^;(){}]*\{\Z", _ENUM),
    (r"\binterface\b[^;()]*\{\Z|\btype\b[^;()]*=\s*\{\Z", Wrap("interface _ {", "}")),
    (r"(?<![.\w])class\b[^;]*\{\Z", _CLASS._replace(tight=("-{", "}"))),
    (r"\bswitch\s*\([^{}]*\)\s*\{\Z", Wrap("switch (_) {", "}")),
    (r"\bfunction\b[^=]*\{\Z", BARE),
    (r"(?:=>|\)|\b(?:else|try|finally|do|static)|\A)\s*\{\Z|\)\s*:.*\{\Z|\b(?:namespace|module)\b[^;]*\{\Z", BARE),
    (r"", Wrap("({", "});")),
)
_OTHERS = _rules(
    (r"\(\Z", Wrap("f(", _NOT_LAST + ";", ");")),
    (r"\benum\b[^;(){}]*\{\Z", _ENUM),
    (rf"{_TYPED}\{{\Z", _CLASS),
    (r"", BARE),
)
_BY_LANGUAGE: Mapping[str, _Rules] = {
    "rust": _RUST,
    "go": _GO,
    "java": _JAVA,
    "javascript": _SCRIPT,
    "typescript": _SCRIPT,
    "tsx": _SCRIPT,
}
_ENDS_IN_SEMICOLON = Wrap("interface _ {", "}")
_PARAMETER = re.compile(r"(?:(?:public|private|protected|readonly)\s+)*\w+\??:\s")
_PARAMETERS = Wrap("function _(", ") {}")
_REMARKS = re.compile(r"//[^\r\n]*+|/\*(?:[^*]|\*(?!/))*+\*/")
_KEY = re.compile(r"\s*[\w$.\"'\[\]-]+\??\s*:(?!:)\s")
_ARM = re.compile(r"[^|]*=>")
_CLOSED = re.compile(r"\{[^{}]*\}")
_NESTED = 3
_STRING = re.compile(r'"(?:[^"\\\r\n]|\\.)*+"')
_STRINGS = re.compile(r"\"(?:[^\"\\\r\n]|\\.)*+\"|'(?:[^'\\\r\n]|\\.)*+'|`[^`]*+`")
_FAR = 400
"""Characters of a header that are looked at."""


def wrap_of(language: str, head: str, first: str) -> Wrap:
    """What makes statements valid that stand under a header; `first` is the first of them."""
    said = _REMARKS.sub("", head)
    said = (_STRING if language == "rust" else _STRINGS).sub('""', said)
    for _ in range(_NESTED):
        said = _CLOSED.sub("_", said)
    said = said[-_FAR:]
    found = next(wrap for pattern, wrap in _BY_LANGUAGE.get(language, _OTHERS) if pattern.search(said))
    if found.opening == "({" and first.endswith(";"):
        return _ENDS_IN_SEMICOLON  # members of a type, not of an object
    if found is _LITERAL and not first.endswith(","):
        return BARE  # a block
    if found.opening == "_(" and _PARAMETER.match(first):
        return _PARAMETERS
    return found


def wrap_of_rest(language: str, head: str, opening: str, close: str, final: str | None = None) -> Wrap:
    """What makes the rest of a statement valid that is shown without its start: a key stays a key, an arm an arm."""
    if _KEY.match(head):
        opening = f"x: {opening}"
    elif language == "rust" and _ARM.match(head):
        opening = f"_ => {opening}"
    return Wrap(opening, close, final, inner=True)


_OPENERS = {")": "f(", "]": "[", "}": "{"}


def openers(closers: str) -> str:
    """What a row of closing brackets closes."""
    return "".join(_OPENERS[one] for one in reversed(closers) if one in _OPENERS)
