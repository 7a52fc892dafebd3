"""Where the values of a JSON text begin and end.

The decoder of the standard library finds the end of a value; it recurses, so texts that nest too deep are told apart
before. Of large texts the ends are found by counting brackets, as decoded values take ten times the memory of the text.
"""

from __future__ import annotations

import re
from array import array
from itertools import accumulate
from json import JSONDecodeError, JSONDecoder
from typing import Any, NamedTuple

LARGE = 16_000_000
"""Characters of a text whose nested values are not decoded."""
_PIECE = 1 << 20

_SPACE = re.compile(r"[ \t\r\n]*+")
_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_BRACKETS = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|([\[{])|([\]}])', re.DOTALL)
_STEPS = {**dict.fromkeys(range(256)), ord("["): "\x01", ord("{"): "\x01", ord("]"): "\xff", ord("}"): "\xff"}


class Broken(NamedTuple):
    """Where a text is no JSON any more, and why."""

    at: int
    why: str


class Member(NamedTuple):
    """One value of a container."""

    start: int
    """Of its key; of the value itself in an array."""
    value: int
    end: int


class Contents(NamedTuple):
    """What a container holds."""

    members: list[Member]
    end: int
    """After its closing bracket; after the last whole member where it is broken."""
    broken: Broken | None = None


class _BrokenError(Exception):
    def __init__(self, at: int, why: str) -> None:
        self.broken = Broken(at, why)


class Reader:
    """Reads values of a text at given places."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.constants = 0
        """How many values were NaN or Infinity, which are no JSON."""
        self._decoder = JSONDecoder(strict=False, parse_constant=self._constant)
        self._tolerant = JSONDecoder(strict=False, parse_constant=self._constant, parse_int=_integer)
        self._is_large = len(text) > LARGE

    def skip(self, at: int) -> int:
        """The first place from `at` on that is no white space."""
        found = _SPACE.match(self.text, at)
        return found.end() if found else at

    def decode(self, at: int) -> tuple[Any, int]:
        """The value at a place and its end; a `Broken` as value where there is none."""
        try:
            return self._decode(self.text, at)
        except _BrokenError as error:
            return error.broken, at

    def whole(self, start: int, end: int) -> Any:
        """The value that fills a span, a `Broken` where none does. Only the span is looked at: an error about a text
        counts all its lines, and a text may have as many errors as lines."""
        piece = self.text[start:end].strip(" \t\r\n")
        try:
            value, stop = self._decode(piece, 0)
        except _BrokenError as error:
            return error.broken
        return value if stop == len(piece) else Broken(start + stop, "text after the end of the value")

    def contents(self, at: int) -> Contents:
        """The members of the array or object that opens at a place."""
        members: list[Member] = []
        is_object = self.text[at] == "{"
        close = "}" if is_object else "]"
        end = at + 1
        try:
            at = self.skip(end)
            if self.text.startswith(close, at):
                return Contents(members, at + 1)
            while True:
                start = at
                if is_object:
                    at = self._key(at)
                member = Member(start, at, self._end(at))
                members.append(member)
                end = member.end
                at = self.skip(end)
                if self.text.startswith(close, at):
                    return Contents(members, at + 1)
                if not self.text.startswith(",", at):
                    raise _BrokenError(at, f"expected a comma or {close}")
                at = self.skip(at + 1)
        except _BrokenError as error:
            return Contents(members, end, error.broken)

    def _key(self, at: int) -> int:
        """Past a key and its colon, where its value starts."""
        found = _STRING.match(self.text, at)
        if found is None:
            raise _BrokenError(at, "expected a key in quotes")
        at = self.skip(found.end())
        if not self.text.startswith(":", at):
            raise _BrokenError(at, "expected a colon")
        return self.skip(at + 1)

    def _end(self, at: int) -> int:
        if not self._is_large or not self.text.startswith(("[", "{"), at):
            return self._decode(self.text, at)[1]
        depth = 0
        for found in _BRACKETS.finditer(self.text, at):
            depth += (found.lastindex == 1) - (found.lastindex == 2)
            if depth == 0:
                return found.end()
        raise _BrokenError(len(self.text), "a bracket is never closed")

    def _decode(self, text: str, at: int) -> tuple[Any, int]:
        try:
            return self._decoder.raw_decode(text, at)
        except JSONDecodeError as error:
            raise _BrokenError(error.pos, error.msg) from None
        except ValueError:  # an integer of more digits than Python turns into a number
            return self._tolerant.raw_decode(text, at)
        except RecursionError:
            raise _BrokenError(at, "nested too deep") from None

    def _constant(self, name: str) -> None:
        self.constants += 1


def _integer(digits: str) -> int:
    return int(digits) if len(digits) < 1000 else 0


def deepest(text: str) -> int:
    """How deep brackets nest outside strings; nothing recurses."""
    left = _STRING.sub("", text)
    depth = most = 0
    for start in range(0, len(left), _PIECE):
        brackets = re.sub(r"[^\[\]{}]+", "", left[start : start + _PIECE])
        if brackets:
            steps = array("b", brackets.translate(_STEPS).encode("latin-1"))
            levels = list(accumulate(steps, initial=depth))
            most, depth = max(most, *levels), levels[-1]
    return most
