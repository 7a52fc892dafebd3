"""One logical line of Python, token by token: which names it binds, and which it looks up."""

from __future__ import annotations

import keyword
from collections.abc import Collection, Iterator, Sequence
from typing import Protocol

from seamline.source.python_tokens import (
    TOKEN,
    Token,
    bindings,
    fields,
    partners,
)

_KEYWORDS = frozenset(keyword.kwlist)
_AUGMENTED = frozenset(("+=", "-=", "*=", "/=", "//=", "%=", "@=", "&=", "|=", "^=", ">>=", "<<=", "**="))
_ASSIGNS = frozenset(("=", ":", *_AUGMENTED))
_DEEPEST = 100
"""Brackets and lambdas inside each other that are looked into."""
_COMPOUND = frozenset(("if", "elif", "else", "while", "try", "finally", "for", "with", "except", "def", "class"))


class Scope:
    """A module, class, function, lambda or comprehension."""

    __slots__ = ("bound", "free", "kind", "parent")

    def __init__(self, kind: str, parent: Scope | None) -> None:
        self.kind = kind
        self.parent = parent
        self.bound: set[str] = set()
        self.free: set[str] = set()
        """Names that it says are global or of a function around it."""


class Noted(Protocol):
    """Takes note of names."""

    def load(self, token: Token, scope: Scope) -> None: ...

    def store(self, token: Token, scope: Scope) -> None: ...


class Statement:
    """The tokens of one logical line."""

    def __init__(self, names: Noted, tokens: Sequence[Token], scope: Scope, inner: Scope) -> None:
        self._names = names
        self._tokens = tokens
        self._scope = scope
        self._inner = inner
        self._partner = partners(tokens)
        self._depth = 0

    def read(self) -> None:
        at, end = 0, len(self._tokens)
        while at < end:
            if self._tokens[at].text == ";":
                at += 1
                continue
            at = self._one(at, end, self._scope)

    # --- statements -----------------------------------------------------------------------------------------------

    def _one(self, at: int, end: int, scope: Scope) -> int:
        """Read one statement; where the next one starts."""
        tokens = self._tokens
        word = tokens[at].text if tokens[at].kind == "name" else ""
        if word == "async" and at + 1 < end:
            at += 1
            word = tokens[at].text
        if tokens[at].text == "@":
            self._expression(at + 1, end, scope)
            return end
        if word in _COMPOUND or self._is_soft(word, at, end):
            return self._compound(word, at, end, scope)
        stop = self._find(at, end, (";",))
        if word in ("import", "from"):
            self._import(at, stop, scope)
        elif word in ("global", "nonlocal"):
            for token in tokens[at + 1 : stop]:
                if token.kind == "name":
                    scope.free.add(token.text)
                    if word == "global":
                        scope.free.add(f"global {token.text}")
        elif word == "del":
            self._targets(at + 1, stop, scope)
        elif word == "type" and at + 1 < stop and tokens[at + 1].kind == "name":
            self._type(at + 1, stop, scope)
        else:
            self._simple(at, stop, scope)
        return stop

    def _is_soft(self, word: str, at: int, end: int) -> bool:
        """Whether `match` or `case` is meant as a keyword."""
        if word not in ("match", "case") or at + 1 == end or self._find(at, end, (":",)) == end:
            return False
        after = self._tokens[at + 1]
        return after.kind not in ("op", "close") or after.text in ("-", "*", "~", "...")

    def _compound(self, word: str, at: int, end: int, scope: Scope) -> int:
        if word == "def":
            return self._def(at, end, scope)
        if word == "class":
            return self._class(at, end, scope)
        colon = self._find(at, end, (":",))
        first = at + 1
        if word == "for":
            middle = self._find(first, colon, ("in",))
            self._targets(first, middle, scope)
            self._expression(middle + 1, colon, scope)
        elif word in ("with", "except"):
            self._with(first, colon, scope)
        elif word == "case":
            guard = self._find(first, colon, ("if",))
            self._pattern(first, guard, scope)
            self._expression(guard, colon, scope)
        else:
            self._expression(first, colon, scope)
        return colon + 1

    def _def(self, at: int, end: int, scope: Scope) -> int:
        tokens = self._tokens
        self._names.store(tokens[at + 1], scope)
        inner = self._inner if self._inner is not scope else Scope("def", scope)
        at += 2
        if at < end and tokens[at].text == "[":
            self._parameters(at + 1, self._partner[at], scope, inner)
            at = self._partner[at] + 1
        if at < end and tokens[at].text == "(":
            self._parameters(at + 1, self._partner[at], scope, inner)
            at = self._partner[at] + 1
        colon = self._find(at, end, (":",))
        self._expression(at, colon, scope)
        return self._rest(colon + 1, end, inner)

    def _class(self, at: int, end: int, scope: Scope) -> int:
        tokens = self._tokens
        self._names.store(tokens[at + 1], scope)
        at += 2
        if at < end and tokens[at].text == "[":
            self._parameters(at + 1, self._partner[at], scope, self._inner)
            at = self._partner[at] + 1
        colon = self._find(at, end, (":",))
        self._expression(at, colon, scope)
        return self._rest(colon + 1, end, self._inner if self._inner is not scope else Scope("class", scope))

    def _rest(self, at: int, end: int, scope: Scope) -> int:
        """What stands behind the colon of a function or class."""
        while at < end:
            at = at + 1 if self._tokens[at].text == ";" else self._one(at, end, scope)
        return end

    def _import(self, at: int, end: int, scope: Scope) -> None:
        for _, bound in bindings(self._tokens[at:end]):
            scope.bound.add(bound.text)

    def _type(self, at: int, end: int, scope: Scope) -> None:
        self._names.store(self._tokens[at], scope)
        equals = self._find(at, end, ("=",))
        inner = Scope("def", scope)
        if at + 1 < equals:
            self._parameters(at + 2, equals - 1, scope, inner)
        self._expression(equals + 1, end, inner)

    def _simple(self, at: int, end: int, scope: Scope) -> None:
        """An expression, or an assignment of any kind."""
        marks = list(self._all(at, end, _ASSIGNS))
        if not marks:
            self._expression(at, end, scope)
            return
        if self._tokens[marks[0]].text == ":":
            self._targets(at, marks[0], scope)
            equals = marks[1] if len(marks) > 1 else end
            self._expression(marks[0] + 1, equals, scope)
            self._expression(equals + 1, end, scope)
            return
        for mark in marks:
            self._targets(at, mark, scope)
            at = mark + 1
        self._expression(at, end, scope)

    def _with(self, at: int, end: int, scope: Scope) -> None:
        """Expressions, each with a target after `as`."""
        last = end - 1
        if at < end and self._tokens[at].text == "(" and self._partner[at] == last and self._as(at + 1, last):
            at, end = at + 1, last
        while at < end:
            stop = self._find(at, end, (",",))
            middle = self._find(at, stop, ("as",))
            self._expression(at, middle, scope)
            self._targets(middle + 1, stop, scope)
            at = stop + 1

    def _as(self, at: int, end: int) -> bool:
        return self._find(at, end, ("as",)) < end

    # --- targets --------------------------------------------------------------------------------------------------

    def _targets(self, at: int, end: int, scope: Scope) -> None:
        """Names that are bound, but for what is before a dot, a bracket or a call."""
        tokens = self._tokens
        while at < end:
            token = tokens[at]
            after = tokens[at + 1].text if at + 1 < end else ""
            if token.kind == "name" and token.text not in _KEYWORDS and (not at or tokens[at - 1].text != "."):
                if after in (".", "[", "("):
                    self._names.load(token, scope)
                else:
                    self._names.store(token, scope)
            elif token.kind == "string":
                self._string(token, scope)
            elif token.kind == "open" and at and self._is_value(tokens[at - 1]):
                self._bracket(at, scope)
                at = self._partner[at]
            at += 1

    def _is_value(self, token: Token) -> bool:
        """Whether a bracket after a token is a call or a subscript."""
        return token.kind in ("name", "close", "string") and token.text not in _KEYWORDS

    def _pattern(self, at: int, end: int, scope: Scope) -> None:
        """What a `case` binds: bare names but `_`, not those with dots, calls or the keywords of classes."""
        tokens = self._tokens
        for index in range(at, end):
            token = tokens[index]
            if token.kind != "name" or token.text in _KEYWORDS or token.text == "_":
                continue
            before = tokens[index - 1].text
            after = tokens[index + 1].text if index + 1 < end else ""
            if before == "." or after == "=":
                continue
            if after in (".", "("):
                self._names.load(token, scope)
            else:
                self._names.store(token, scope)

    def _parameters(self, at: int, end: int, outer: Scope, inner: Scope) -> None:
        while at < end:
            stop = self._find(at, end, (",",))
            while at < stop and self._tokens[at].text in ("*", "**", "/"):
                at += 1
            if at < stop and self._tokens[at].kind == "name":
                self._names.store(self._tokens[at], inner)
                self._expression(at + 1, stop, outer)
            at = stop + 1

    # --- expressions ----------------------------------------------------------------------------------------------

    def _expression(self, at: int, end: int, scope: Scope, *, in_call: bool = False) -> None:
        tokens = self._tokens
        while at < end:
            token = tokens[at]
            if token.kind == "name":
                if token.text == "lambda":
                    at = self._lambda(at, end, scope)
                    continue
                self._name(at, end, scope, in_call=in_call)
            elif token.kind == "string":
                self._string(token, scope)
            elif token.kind == "open":
                self._bracket(at, scope)
                at = self._partner[at]
            at += 1

    def _name(self, at: int, end: int, scope: Scope, *, in_call: bool) -> None:
        token = self._tokens[at]
        before = self._tokens[at - 1].text if at else ""
        after = self._tokens[at + 1].text if at + 1 < end else ""
        if token.text in _KEYWORDS or before == "." or (in_call and after == "="):
            return
        if after == ":=":
            while scope.kind == "comprehension" and scope.parent is not None:
                scope = scope.parent
            self._names.store(token, scope)
        else:
            self._names.load(token, scope)

    def _bracket(self, at: int, scope: Scope) -> None:
        if self._depth == _DEEPEST:
            return
        self._depth += 1
        end = self._partner[at]
        first = self._find(at + 1, end, ("for",))
        if first < end:
            self._comprehension(at + 1, first, end, scope)
        else:
            self._expression(at + 1, end, scope, in_call=self._tokens[at].text == "(")
        self._depth -= 1

    def _comprehension(self, at: int, first: int, end: int, scope: Scope) -> None:
        inner = Scope("comprehension", scope)
        self._expression(at, first, inner)
        outer = scope
        at = first
        while at < end:
            middle = self._find(at + 1, end, ("in",))
            self._targets(at + 1, middle, inner)
            following = self._find(middle + 1, end, ("for",))
            condition = self._find(middle + 1, following, ("if",))
            self._expression(middle + 1, condition, outer)
            self._expression(condition, following, inner)
            outer = inner
            at = following

    def _lambda(self, at: int, end: int, scope: Scope) -> int:
        colon = next((i for i in self._level(at + 1, end) if self._tokens[i].text == ":"), end)
        inner = Scope("lambda", scope)
        if self._depth == _DEEPEST:
            return end
        self._depth += 1
        self._parameters(at + 1, colon, scope, inner)
        stop = self._find(colon + 1, end, (",", ":", "=", "for"))
        self._expression(colon + 1, stop, inner)
        self._depth -= 1
        return stop

    def _string(self, token: Token, scope: Scope) -> None:
        prefix = token.text[:3].split("'")[0].split('"')[0].lower()
        if "f" not in prefix:
            return
        for start, end in fields(token.text, "r" in prefix):
            found = TOKEN.finditer(token.text, start, end)
            inner = [Token(one.lastgroup or "", one[0], token.start + one.start()) for one in found]
            if inner:
                Statement(self._names, inner, scope, scope)._expression(0, len(inner), scope)

    # --- where things are -----------------------------------------------------------------------------------------

    def _level(self, at: int, end: int) -> Iterator[int]:
        """Tokens that are not inside brackets."""
        while at < end:
            yield at
            at = self._partner[at] + 1 if self._tokens[at].kind == "open" else at + 1

    def _all(self, at: int, end: int, texts: Collection[str]) -> Iterator[int]:
        """Where any of these stand, outside of brackets and of lambdas."""
        lambdas = 0
        for index in self._level(at, end):
            token = self._tokens[index]
            if token.text == "lambda":
                lambdas += 1
            elif lambdas and token.text == ":":
                lambdas -= 1
            elif token.text in texts and not lambdas and token.kind != "string":
                yield index

    def _find(self, at: int, end: int, texts: Collection[str]) -> int:
        return next(self._all(at, end, texts), end)
