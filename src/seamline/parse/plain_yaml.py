"""The YAML that most front matter is written in, read without a YAML library: five times faster, and the same values.

Keys, nested by indentation, with words, numbers, dates, quoted text, lists of such, and `>` or `|` text. Whatever goes
beyond that, or only might, is `Unusual`: then the library reads it.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Any

Line = tuple[int, str, bool]
"""Columns of indentation, what follows them, and whether lines without text stand before it."""

MOST_COLUMNS = 16
"""So no more levels than that."""

# Line ends but LF, control characters, half characters and byte order marks mean something to YAML, or are not in it.
_UNUSUAL = re.compile(r"[^\n\x20-\x7e\xa1-\u2027\u2030-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010fffd]")
_KEY = re.compile(r"([A-Za-z_][\w.-]*):(?: +|$)", re.ASCII)
_WORDS = re.compile(r"(?:[^\W\d_]|[/(]|\./)(?:[^:#]|:(?=[^ ])|(?<=[^ ])#)*\Z")
_NUMBER = re.compile(r"(?:0|[1-9]\d{0,17})(\.\d+)?\Z", re.ASCII)
_DATE = re.compile(r"\d{4}-\d\d-\d\d\Z", re.ASCII)
_DOTTED = re.compile(r"\d+(?:[./]\d+){2,}\Z", re.ASCII)
_QUOTED = re.compile(r"\"[^\"\\]*\"\Z|'[^']*'\Z")
_FLOW = re.compile(r"\[(?: *(?:[A-Za-z][\w ./-]*|\d{1,9}|\"[^\"\\,]*\")(?: *,(?! *\])|(?= *\])))* *\]\Z", re.ASCII)
_TEXT = {">": (" ", "\n"), ">-": (" ", ""), "|": ("\n", "\n"), "|-": ("\n", "")}
"""How the lines of a text are joined, and what ends it."""
_CONSTANTS = {
    spelling: value
    for value, words in ((True, ("yes", "true", "on")), (False, ("no", "false", "off")), (None, ("null",)))
    for word in words
    for spelling in (word, word.capitalize(), word.upper())
}
"""What looks like a word and is none."""


class Unusual(Exception):
    """Not for this reader."""


def load(content: str) -> dict[str, Any]:
    """The values of front matter that is a mapping, as JSON has them; dates in ISO form."""
    if "\t" in content or _UNUSUAL.search(content):
        raise Unusual
    reader = _Reader(_lines(content), ends_in_line="\n" not in content[-1:])
    if reader.lines[0][0]:
        raise Unusual
    values = reader.mapping(0)
    if reader.at < len(reader.lines) - 1:
        raise Unusual
    return values


def _lines(content: str) -> list[Line]:
    """The lines that say something, and one that ends everything."""
    lines: list[Line] = []
    follows_gap = False
    has_text = ">" in content or "|" in content
    for line in content.split("\n"):
        text = line.lstrip(" ")
        if not text or text[0] == "#":
            follows_gap = True
            if line and has_text:
                raise Unusual  # it may be part of a text
        else:
            lines.append((len(line) - len(text), text, follows_gap))
            follows_gap = False
    return [*lines, (-1, "", follows_gap)]


class _Reader:
    """A place in the lines."""

    def __init__(self, lines: list[Line], ends_in_line: bool) -> None:
        self.lines = lines
        self.ends_in_line = ends_in_line
        self.at = 0

    def mapping(self, indent: int) -> dict[str, Any]:
        out: dict[str, Any] = {}
        columns, text, _ = self.lines[self.at]
        while columns == indent and (key := _KEY.match(text)) and key[1] not in _CONSTANTS:
            self.at += 1
            value = text[key.end() :].rstrip(" ")
            if not value:
                out[key[1]] = self._below(indent, may_be_level=True)
            elif value in _TEXT:
                out[key[1]] = self._text(indent, value)
            else:
                out[key[1]] = self._scalar(value, indent)
            columns, text, _ = self.lines[self.at]
        if columns > indent or not out:
            raise Unusual
        return out

    def sequence(self, indent: int) -> list[Any]:
        out: list[Any] = []
        columns, text, _ = self.lines[self.at]
        while columns == indent and (text.startswith("- ") or text == "-"):
            inner = text[1:].lstrip(" ")
            column = indent + len(text) - len(inner)
            if not inner:
                self.at += 1
                out.append(self._below(indent, may_be_level=False))
            elif inner.startswith("- ") or _KEY.match(inner):
                if column > MOST_COLUMNS:
                    raise Unusual
                self.lines[self.at] = (column, inner, False)
                out.append(self.sequence(column) if inner[0] == "-" else self.mapping(column))
            else:
                self.at += 1
                out.append(self._scalar(inner.rstrip(" "), indent))
            columns, text, _ = self.lines[self.at]
        if columns > indent:
            raise Unusual
        return out

    def _below(self, indent: int, *, may_be_level: bool) -> Any:
        """What is nested under a line; a list may stand at its key's own level."""
        columns, text, _ = self.lines[self.at]
        is_list = text.startswith("- ") or text == "-"
        if columns > MOST_COLUMNS:
            raise Unusual
        if columns > indent:
            return self.sequence(columns) if is_list else self.mapping(columns)
        return self.sequence(columns) if is_list and may_be_level and columns == indent else None

    def _text(self, indent: int, style: str) -> str:
        """Lines of equal indentation, joined."""
        inner, parts = self.lines[self.at][0], []
        while (line := self.lines[self.at])[0] > indent:
            if line[0] != inner or line[2]:
                raise Unusual
            parts.append(line[1])
            self.at += 1
        if not parts:
            raise Unusual
        between, end = _TEXT[style]
        is_last = self.at == len(self.lines) - 1
        return between.join(parts) + ("" if is_last and self.ends_in_line else end)

    def _scalar(self, value: str, indent: int) -> Any:
        if self.lines[self.at][0] > indent:
            raise Unusual  # it goes on below
        return _plain(value)


def _plain(value: str) -> Any:
    if _WORDS.match(value):
        if value[-1] == ":":
            raise Unusual
        return _CONSTANTS.get(value, value)
    if _QUOTED.match(value):
        return value[1:-1]
    if number := _NUMBER.match(value):
        return float(value) if number[1] else int(value)
    if _DATE.match(value):
        return _date(value)
    if _DOTTED.match(value):
        return value
    if _FLOW.match(value):
        return [_plain(item.strip(" ")) for item in value[1:-1].split(",") if item.strip(" ")]
    raise Unusual


def _date(value: str) -> str:
    try:
        return date.fromisoformat(value).isoformat()
    except ValueError:
        raise Unusual from None
