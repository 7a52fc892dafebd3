"""Filters as people write them: `language = "en" and not kind in ("code", "table")`, and back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple

from seamline.errors import ConfigError
from seamline.filters.check import DEEPEST, LONGEST, MOST_TERMS, binding, check_filter, objection, short, unknown_field
from seamline.filters.tree import FIELDS, FRESHNESS, META, All, Any, Filter, Not, Operator, Test, Value

_TOKEN = re.compile(
    r"""
    (?P<space>\s+)
  | (?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
  | (?P<time>[0-9]{4}-[0-9]{2}-[\w:.+-]*)
  | (?P<number>[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![\w.]))
  | (?P<mark><=|>=|!=|==|[=<>(),])
  | (?P<quoted>meta\.(?P<name>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'))
  | (?P<meta>meta\.\w[\w.-]*)
  | (?P<word>[^\W\d]\w*)
    """,
    re.VERBOSE | re.DOTALL,
)
_BARE_NAME = re.compile(r"\w[\w.-]*")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "\\": "\\", '"': '"', "'": "'"}
_SIGNS: tuple[Operator, ...] = ("=", "!=", "<", "<=", ">", ">=", "has", "starts", "ends", "contains", "glob")
_OPERATORS: dict[str, Operator] = {"==": "=", **{sign: sign for sign in _SIGNS}}
_KEYWORDS = frozenset({"and", "or", "not", "in", "exists", "true", "false"} | {*_SIGNS[6:]})
_LITERALS = frozenset({"text", "number", "time"})
_WHOLE = 1e15
"""Below this a whole number is written without a point."""
_EXAMPLE = 'such as language = "en"'


class _Token(NamedTuple):
    kind: str
    """text, time, number, mark, field, word, keyword; `end` behind the last."""
    text: str
    column: int
    """From 1."""


def parse_filter(text: str) -> Filter:
    """The filter that a text means; a ConfigError with the column where it is none.

    `not` binds closer than `and`, `and` closer than `or`. `true` lets everything through, `false` nothing.
    """
    if len(text) > LONGEST:
        raise ConfigError(f"expected a filter of at most {LONGEST:,} characters, got {len(text):,}")
    return _Parser(text).whole()


def to_text(filter: Filter) -> str:
    """A text that `parse_filter` reads as this filter. `All` and `Any` of a single part are that part."""
    check_filter(filter)
    return _written(filter, 0)


class _Parser:
    """Reads tokens from left to right; every method reads one part of the grammar."""

    def __init__(self, text: str) -> None:
        self._tokens = list(_tokens(text))
        self._at = 0
        self._terms = 0

    def whole(self) -> Filter:
        if self._next.kind == "end":
            raise ConfigError(f"expected a filter, {_EXAMPLE}, got nothing", "column 1")
        found = self._either(0)
        if self._next.kind != "end":
            raise self._unexpected("`and`, `or` or the end")
        return found

    @property
    def _next(self) -> _Token:
        return self._tokens[self._at]

    def _take(self, *texts: str) -> _Token | None:
        """The next token if it is one of these marks or keywords."""
        token = self._next
        if token.kind in ("mark", "keyword") and token.text in texts:
            self._at += 1
            return token
        return None

    def _either(self, depth: int) -> Filter:
        parts = [self._both(depth)]
        while self._take("or"):
            parts.append(self._both(depth))
        return parts[0] if len(parts) == 1 else Any(tuple(parts))

    def _both(self, depth: int) -> Filter:
        parts = [self._single(depth)]
        while self._take("and"):
            parts.append(self._single(depth))
        return parts[0] if len(parts) == 1 else All(tuple(parts))

    def _single(self, depth: int) -> Filter:
        if depth > DEEPEST:
            raise ConfigError(f"expected a filter at most {DEEPEST} deep", _place(self._next))
        if self._take("not"):
            return Not(self._single(depth + 1))
        if self._take("("):
            inner = self._either(depth + 1)
            self._need(")")
            return inner
        if self._take("true"):
            return All(())
        if self._take("false"):
            return Any(())
        if self._take("exists"):
            return self._tested(self._field(), "exists", True)
        return self._comparison()

    def _comparison(self) -> Filter:
        field = self._field()
        negated = self._take("not")
        if self._take("in"):
            found = self._tested(field, "in", tuple(self._list()))
            return Not(found) if negated else found
        sign = None if negated else self._take(*_OPERATORS)
        if sign is None:
            raise self._unexpected(
                "`in`" if negated else f"an operator: {' '.join(_SIGNS[:6])} in {' '.join(_SIGNS[6:])}"
            )
        at = self._next
        return self._tested(field, _OPERATORS[sign.text], self._value(), at)

    def _tested(self, field: _Token, operator: Operator, value: Value, at: _Token | None = None) -> Test:
        test = Test(field.text, operator, value)
        self._count(field)
        if wrong := objection(test):
            raise ConfigError(wrong, _place(at or field))
        return test

    def _field(self) -> _Token:
        token = self._next
        if token.kind != "field":
            raise self._unexpected(f"a field, {_EXAMPLE}")
        self._at += 1
        if token.text not in (*FIELDS, FRESHNESS) and not token.text.startswith(META):
            raise ConfigError(unknown_field(token.text), _place(token))
        return token

    def _list(self) -> Iterator[str | float | bool | datetime]:
        self._need("(")
        if self._take(")"):
            return
        while True:
            self._count(self._next)
            yield self._value()
            if not self._take(","):
                break
        self._need(")", "`,` or `)`")

    def _value(self) -> str | float | bool | datetime:
        token = self._next
        if token.kind not in _LITERALS and token.text not in ("true", "false"):
            raise self._unexpected("a value: a text in quotes, a number, a date, true or false")
        self._at += 1
        match token.kind:
            case "text":
                return token.text
            case "number":
                return float(token.text)
            case "time":
                return _moment(token)
        return token.text == "true"

    def _need(self, mark: str, said: str = "") -> None:
        if not self._take(mark):
            raise self._unexpected(said or f"`{mark}`")

    def _count(self, at: _Token) -> None:
        self._terms += 1
        if self._terms > MOST_TERMS:
            raise ConfigError(f"expected a filter of at most {MOST_TERMS:,} terms", _place(at))

    def _unexpected(self, wanted: str) -> ConfigError:
        got = "the end" if self._next.kind == "end" else short(self._next.text)
        return ConfigError(f"expected {wanted}, got {got}", _place(self._next))


def _place(token: _Token) -> str:
    return f"column {token.column}"


def _tokens(text: str) -> Iterator[_Token]:
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise ConfigError(_unreadable(text[at:]), f"column {at + 1}")
        if match.lastgroup != "space":
            yield _token(match)
        at = match.end()
    yield _Token("end", "", at + 1)


def _token(match: re.Match[str]) -> _Token:
    text, column = match[0], match.start() + 1
    match match.lastgroup:
        case "text":
            return _Token("text", _unquote(text, column), column)
        case "quoted":
            return _Token("field", META + _unquote(match["name"], column + len(META)), column)
        case "meta":
            return _Token("field", text, column)
        case "word" if text.lower() in _KEYWORDS:
            return _Token("keyword", text.lower(), column)
        case "word":
            return _Token("field", text, column)
    return _Token(str(match.lastgroup), text, column)


def _unreadable(rest: str) -> str:
    if rest[0] in "\"'":
        return f"expected a {rest[0]} at the end of the text, got none"
    return f"expected a field, an operator or a value, got {short(rest.split()[0])}"


def _unquote(text: str, column: int) -> str:
    def character(match: re.Match[str]) -> str:
        code = match[1]
        if len(code) > 1:
            number = int(code[1:], 16)
            if number <= 0x10FFFF:
                return chr(number)
        elif code in _ESCAPES:
            return _ESCAPES[code]
        known = "\\n \\t \\r \\0 \\\\ \\\" \\' \\uXXXX \\UXXXXXXXX"
        raise ConfigError(f"expected one of {known}, got {short(match[0])}", f"column {column + match.start() + 1}")

    return _ESCAPE.sub(character, text[1:-1])


def _moment(token: _Token) -> datetime:
    """A date is its midnight; what has no offset is in UTC."""
    try:
        found = datetime.fromisoformat(token.text)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise ConfigError(
            f"expected a date such as 2024-01-31 or 2024-01-31T12:00Z, got {token.text}", _place(token)
        ) from error


def _written(filter: Filter, least: int) -> str:
    """The text of a filter, in parentheses where it does not hold together as closely as `least`."""
    if binding(filter) < least:
        return f"({_written(filter, 0)})"
    match filter:
        case Test():
            return _test(filter)
        case Not(inner):
            return f"not {_written(inner, 2)}"
        case All(()):
            return "true"
        case Any(()):
            return "false"
        case All((inner,)) | Any((inner,)):
            return _written(inner, least)
        case All(parts):
            return " and ".join(_written(part, 2) for part in parts)
        case Any(parts):
            return " or ".join(_written(part, 1) for part in parts)


def _test(test: Test) -> str:
    name = test.field[len(META) :] if test.field.startswith(META) else ""
    field = test.field if test.field in (*FIELDS, FRESHNESS) or _BARE_NAME.fullmatch(name) else META + _quote(name)
    if test.operator == "exists":
        return f"exists {field}"
    if isinstance(test.value, tuple):
        return f"{field} in ({', '.join(_literal(value) for value in test.value)})"
    return f"{field} {test.operator} {_literal(test.value)}"


def _literal(value: str | float | bool | datetime) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return _quote(value)
        case datetime():
            return (value if value.tzinfo else value.replace(tzinfo=UTC)).isoformat()
    if abs(value) < _WHOLE and value == int(value):
        return str(int(value))
    return repr(value).replace("inf", "1e999")


def _quote(text: str) -> str:
    """The text in quotes, with escapes for what cannot be seen."""
    return f'"{"".join(map(_escape, text))}"'


def _escape(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    code = ord(character)
    return character if character.isprintable() else f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
