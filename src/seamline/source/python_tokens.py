"""Tokens of Python: what there is, which brackets belong together, what an import binds, what is in an f-string."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from seamline.source.marks import STRING

TOKEN = re.compile(
    rf"(?s:(?P<string>(?:[rRbBuUfF]|[rR][bBfF]|[bBfF][rR])?(?:{STRING})))"
    r"|(?P<name>[^\W\d]\w*+)|(?P<number>0[xX][\da-fA-F_]++|(?:\d|\.\d)(?:[eE][+-](?=\d)|[\w.])*+)|(?P<comment>#[^\r\n]*+)"
    r"|(?P<op>:=|->|\.\.\.|[=!<>]=|(?:\*\*|//|<<|>>|[-+*/%@&|^])=?|[:=,.;~<>!])|(?P<open>[(\[{])|(?P<close>[)\]}])"
)
_CONVERSION = re.compile(r"!\s*[rsa]\s*[:}]")


class Token(NamedTuple):
    kind: str
    text: str
    start: int


def partners(tokens: Sequence[Token]) -> dict[int, int]:
    """Per opening bracket, where it is closed: at the end, where it is not."""
    out: dict[int, int] = {}
    waiting: list[int] = []
    for index, token in enumerate(tokens):
        if token.kind == "open":
            waiting.append(index)
        elif token.kind == "close" and waiting:
            out[waiting.pop()] = index
    for index in waiting:
        out[index] = len(tokens)
    return out


def bindings(tokens: Sequence[Token]) -> Iterator[tuple[str, Token]]:
    """(what is imported, the name it is bound to) of an import statement; nothing for a star."""
    is_from = bool(tokens) and tokens[0].text == "from"
    start = next((i for i, token in enumerate(tokens) if token.text == "import"), len(tokens)) + 1
    part: list[Token] = []
    for token in (*tokens[start:], Token("op", ",", -1)):
        if token.text not in (",", "(", ")"):
            part.append(token)
            continue
        if token.text == "," and part:
            names = [one for one in part if one.kind == "name"]
            if names:
                bound = names[-1] if is_from or any(one.text == "as" for one in names) else names[0]
                yield "".join(one.text for one in part if one.text != "as"), bound
        if token.text == ",":
            part = []


def fields(text: str, raw: bool) -> Iterator[tuple[int, int]]:
    """Ranges of the expressions in an f-string."""
    at, end = 0, len(text)
    while at < end:
        mark = text[at]
        if mark == "\\" and not raw:
            close = text.find("}", at) if text.startswith("\\N{", at) else -1
            at = close + 1 if close >= 0 else at + 2
        elif mark == "{" and text.startswith("{{", at):
            at += 2
        elif mark == "{":
            stop, after = _field(text, at + 1)
            yield at + 1, stop
            at = after
        else:
            at += 1


def _field(text: str, at: int) -> tuple[int, int]:
    """Where an expression in an f-string ends, and where to go on: in its format, which may hold others."""
    depth = 0
    lambdas = 0
    for token in TOKEN.finditer(text, at):
        mark = token[0]
        if token.lastgroup == "open":
            depth += 1
        elif token.lastgroup == "close":
            if not depth:
                return token.start(), token.end()
            depth -= 1
        elif mark == "lambda":
            lambdas += 1
        elif not depth and mark == ":":
            return token.start(), token.end()
        elif not depth and mark == ":=":
            return token.start(), token.start() + 1
        elif not depth and mark == "!" and _CONVERSION.match(text, token.start()):
            return token.start(), token.end() + 1
    return len(text), len(text)
