"""Glob patterns: `*`, `**`, `?` and sets of characters, compared in time that grows with the text and not with the ways
to match it. Ignore files come from folders that nobody vouched for, and a regular expression can be made to take hours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple

PartKind = Literal["text", "one", "run", "any", "folders", "set"]
MOST_STATES = 10_000
"""Steps of a pattern that are remembered; then it starts to learn again."""


class GlobPart(NamedTuple):
    """One step of a pattern."""

    kind: PartKind
    """`text`: these characters. `one`: a character that is no slash. `run`: any number of those. `any`: any number of
    characters. `folders`: nothing, or any number of characters up to a slash. `set`: one character of a set."""
    text: str = ""
    accepts: Callable[[str], bool] | None = None
    """Of a set."""


def glob_parts(pattern: str) -> list[GlobPart]:
    """The steps of a glob in a filter: `*` is any run of characters without `/`, `**` any run at all, `**/` any number
    of whole folders, `?` one character that is no `/`. Every other character stands for itself."""
    parts: list[GlobPart] = []
    at = 0
    while at < len(pattern):
        if pattern.startswith("**/", at) and (at == 0 or pattern[at - 1] == "/"):
            parts.append(GlobPart("folders"))
            at += 3
        elif pattern.startswith("**", at):
            parts.append(GlobPart("any"))
            at += 2
        elif pattern[at] in "*?":
            parts.append(GlobPart("run" if pattern[at] == "*" else "one"))
            at += 1
        else:
            end = next((n for n in range(at, len(pattern)) if pattern[n] in "*?"), len(pattern))
            parts.append(GlobPart("text", pattern[at:end]))
            at = end
    return parts


def wildcards(pattern: str) -> int:
    """How many steps of a glob in a filter are not plain text."""
    return sum(part.kind != "text" for part in glob_parts(pattern))


class Glob:
    """A pattern that whole texts are compared with: an automaton whose states are found when they are needed."""

    def __init__(self, parts: Sequence[GlobPart]) -> None:
        self._steps: list[tuple[Callable[[str], bool], bool]] = []
        """What each step takes, and whether it may take any number."""
        self._choices: set[int] = set()
        """Steps that take nothing: what comes next is the run of folders behind them, or what is behind that."""
        for part in parts:
            if part.kind == "folders":
                self._choices.add(len(self._steps))
            self._steps += _steps(part)
        self._start = self._close(1)
        self._known: dict[tuple[int, str], int] = {}

    def matches(self, text: str) -> bool:
        """Whether the pattern means this text as a whole."""
        state = self._start
        for character in text:
            key = (state, character)
            following = self._known.get(key)
            if following is None:
                if len(self._known) >= MOST_STATES:
                    self._known.clear()
                following = self._known[key] = self._advance(state, character)
            if not following:
                return False
            state = following
        return bool(state >> len(self._steps))

    def _advance(self, state: int, character: str) -> int:
        """The steps that may come next, as bits, after those that may be now took a character."""
        found = 0
        for at in _bits(state):
            if at < len(self._steps):
                takes, loops = self._steps[at]
                if takes(character):
                    found |= 1 << (at if loops else at + 1)
        return self._close(found)

    def _close(self, state: int) -> int:
        """With the steps behind those that may take nothing."""
        for at in range(len(self._steps)):
            if state >> at & 1:
                if self._steps[at][1]:
                    state |= 1 << (at + 1)
                if at in self._choices:
                    state |= 1 << (at + 1) | 1 << (at + 3)
        return state


def _bits(state: int) -> Iterator[int]:
    while state:
        low = state & -state
        yield low.bit_length() - 1
        state ^= low


def _steps(part: GlobPart) -> list[tuple[Callable[[str], bool], bool]]:
    match part.kind:
        case "text":
            return [(character.__eq__, False) for character in part.text]
        case "one":
            return [("/".__ne__, False)]
        case "run":
            return [("/".__ne__, True)]
        case "any":
            return [(_anything, True)]
        case "folders":
            return [(_nothing, False), (_anything, True), ("/".__eq__, False)]
    assert part.accepts is not None
    return [(part.accepts, False)]


def _anything(character: str) -> bool:
    return True


def _nothing(character: str) -> bool:
    return False


class RegexUnits(NamedTuple):
    """How a store's regular expressions speak of the texts it keeps, which may be escaped."""

    any: str
    """One character of the original text."""
    inside: str
    """One that is no slash."""
    slash: str
    literal: Callable[[str], str]
    """These characters."""


_META = re.compile(r"[\\.+*?()|\[\]{}^$]")


def escape_regex(text: str) -> str:
    """Characters that mean themselves in the regular expressions of PostgreSQL and of Rust. Not `re.escape`: a
    backslash before another character has a meaning there, or is an error."""
    return _META.sub(r"\\\g<0>", text)


def to_regex(parts: Sequence[GlobPart], units: RegexUnits) -> str:
    """The pattern as a regular expression from the start of a text to its end."""
    written = {
        "one": units.inside,
        "run": f"{units.inside}*",
        "any": f"{units.any}*",
        "folders": f"(?:{units.any}*{units.slash})?",
    }
    return "^" + "".join(units.literal(p.text) if p.kind == "text" else written[p.kind] for p in parts) + "$"


def text_parts(operator: str, value: str) -> list[GlobPart]:
    """What `ends`, `contains` and `glob` ask of a text."""
    if operator == "glob":
        return glob_parts(value)
    inner = [GlobPart("any"), GlobPart("text", value)]
    return inner if operator == "ends" else [*inner, GlobPart("any")]
