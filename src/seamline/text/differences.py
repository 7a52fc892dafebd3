"""Two texts compared word by word: runs that both have, and runs that only one of them has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

Kind = Literal["same", "gone", "new"]

_MOST_DIFFERENCES = 4_000_000
"""Pairs of words up to which texts are compared word by word, and pairs of lines beyond that; half a second."""
# Runs of letters and digits, but single characters of scripts that put no spaces between words.
_WORD = re.compile(r"[^\W\u0e00-\u0eff\u1000-\u109f\u2e80-\ua4cf\uf900-\ufaff]+|\n|[^\S\n]+|.", re.DOTALL)
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


class DiffRun(NamedTuple):
    """A run of words that both texts have, or only one of them."""

    kind: Kind
    text: str


def differences(before: str, after: str) -> list[DiffRun] | None:
    """Pieces that make up `before` without the new ones, and `after` without those that are gone."""
    for unit in (_WORD, _LINE):
        left, right = unit.findall(before), unit.findall(after)
        if len(left) * len(right) <= _MOST_DIFFERENCES:
            return list(_pieces(left, right))
    return None


def _pieces(left: list[str], right: list[str]) -> Iterator[DiffRun]:
    """What both have, and what one of them has; words that were replaced side by side are one piece."""
    gone = new = between = ""
    for tag, i, j, k, m in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        before, after = "".join(left[i:j]), "".join(right[k:m])
        if tag == "equal":
            if gone and new and before.isspace() and "\n" not in before:
                between = before
                continue
            yield from _nonempty_runs(gone, new, before)
            gone = new = ""
        elif between and tag == "replace":
            gone, new = gone + between + before, new + between + after
        else:
            yield from _nonempty_runs(gone, new, between)
            gone, new = before, after
        between = ""
    yield from _nonempty_runs(gone, new, between)


def _nonempty_runs(gone: str, new: str, same: str) -> Iterator[DiffRun]:
    pieces = (DiffRun("gone", gone), DiffRun("new", new), DiffRun("same", same))
    return (piece for piece in pieces if piece.text)
