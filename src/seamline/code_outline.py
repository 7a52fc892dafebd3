"""What a syntax tree says of source code beside its blocks: statements and what is between their brackets, what is
imported, and where names are used. A parser gives it along with a document; nobody reads the text for it again."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from seamline.errors import ConfigError


class Statement(NamedTuple):
    """A statement, an element of a list, or a line of a literal: what starts a line of its own."""

    start: int
    """Where it starts with the comments and attributes above it."""
    code: int
    """Where its code starts, after comments."""
    begin: int
    """The start of the line with its first word after decorators, annotations and attributes."""
    end: int
    kind: str
    """The type of its node in the grammar."""
    groups: int
    """Index of its first group; those of the next statement follow its last."""


class Group(NamedTuple):
    """What stands on lines of its own inside a statement: between brackets, under a header that ends in a colon, in
    a chain of calls or in a literal."""

    start: int
    """Of a header that ends in a colon: where it starts with the comments above it. Of a literal: where its closing
    quote ends. -1 elsewhere."""
    head: int
    """Of such a header: the start of its line. Of a literal: where its opening quote starts. -1 elsewhere."""
    open: int
    """After the bracket, colon or quote that opens it; where a chain is called on something: the end of that."""
    close: int
    """At the bracket or quote that closes it; the end of what is under a colon or in a chain."""
    kind: str
    """The type of its node in the grammar, or `CHAIN`, `LITERAL`."""
    closers: str
    """The bracket that closes it, and those of all brackets around it in its statement."""
    statements: int
    """Index of the first statement in it; those of the next group follow its last."""


CHAIN, LITERAL = "chain", "literal"
"""Kinds of groups that are not between brackets."""


class Import(NamedTuple):
    """One import statement, or one line of a group."""

    start: int
    end: int
    names: tuple[str, ...]
    """What it binds."""
    group: tuple[int, int, int] | None = None
    """Of a line of a group: where `import (` starts and ends, and where its `)` stands."""


class Name(NamedTuple):
    """A name at a place."""

    start: int
    text: str


@dataclass(frozen=True)
class CodeOutline:
    """The outline of one source. One that was read without a grammar has a language at most."""

    language: str = ""
    statements: Sequence[Statement] = field(default=(), repr=False)
    """Level by level: first those at the top, then those of the first group, the second, ..."""
    groups: Sequence[Group] = field(default=(), repr=False)
    """In the order of the statements that they are parts of."""
    imports: tuple[Import, ...] = field(default=(), repr=False)
    uses: Sequence[Name] = field(default=(), repr=False)
    """Names that are looked up outside of functions: in Python all of them, elsewhere those that are imported."""
    stores: Sequence[Name] = field(default=(), repr=False)
    """Variables of modules and classes; Python alone."""
    calls: Sequence[Name] = field(default=(), repr=False)
    """Names that are called."""
    own: Sequence[Name] = field(default=(), repr=False)
    """Names that are spoken of as members of the same object: `self.name`."""
    branches: Sequence[int] = field(default=(), repr=False)
    """Where control branches."""
    is_left_out: bool = False
    """Whether all but the language was left out, as the reading asked for no more."""

    @property
    def is_read(self) -> bool:
        """Whether its statements are known."""
        return bool(self.statements)

    def check(self) -> None:
        """Raise a ConfigError where statements and names are asked for that the reading left out."""
        if self.is_left_out:
            raise ConfigError(
                "expected a document read with the recipe that it is cut and enriched by, got one read by a recipe"
                " that needs no statements and names: pass the same recipe to `read`, or none",
                "$.strategy",
            )

    def top(self) -> Sequence[Statement]:
        """The statements that no other holds."""
        return self.statements[: self.groups[0].statements] if self.groups else self.statements

    def groups_of(self, index: int) -> range:
        """Indices of the groups of a statement."""
        after = self.statements[index + 1].groups if index + 1 < len(self.statements) else len(self.groups)
        return range(self.statements[index].groups, after)

    def inside(self, index: int) -> range:
        """Indices of the statements in a group."""
        after = self.groups[index + 1].statements if index + 1 < len(self.groups) else len(self.statements)
        return range(self.groups[index].statements, after)

    @cached_property
    def _imports_of(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for index, one in enumerate(self.imports):
            for name in one.names:
                found.setdefault(name, []).append(index)
        return found

    @cached_property
    def _imported(self) -> list[Name]:
        return [use for use in self.uses if use.text in self._imports_of]

    def imported_names(self, start: int, end: int) -> tuple[str, ...]:
        """Imported names that a range uses, in order of their first use."""
        return tuple(dict.fromkeys([name for _, name in between(self._imported, start, end)]))

    def imports_used(self, start: int, end: int) -> list[Import]:
        """Imports that bind what a range uses, but for those inside it."""
        found = {index for name in self.imported_names(start, end) for index in self._imports_of[name]}
        return [one for index in sorted(found) if not start <= (one := self.imports[index]).start < end]


def between(names: Sequence[Name], start: int, end: int) -> Sequence[Name]:
    """The names that start in a range."""
    return names[bisect_left(names, (start, "")) : bisect_left(names, (end, ""))]
