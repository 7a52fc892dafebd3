"""Lists from paragraphs that only say their level: how office formats write them."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import NamedTuple

from seamline.parse.build import Builder, Place, Words

_DEEPEST = 9
"""Levels of nesting; deeper items stand on this one."""


class _Level(NamedTuple):
    level: int
    key: str
    list: AbstractContextManager[None]
    item: AbstractContextManager[None]


class Outline:
    """Writes items one after another, and opens and closes the lists around them."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._open: list[_Level] = []

    @property
    def is_open(self) -> bool:
        return bool(self._open)

    def item(self, level: int, label: str, words: Words, place: Place | None = None, key: str = "") -> None:
        """An item on a level, from 0; items of another `key` on the same level begin another list."""
        level = min(level, _DEEPEST)
        while self._open and (self._open[-1].level > level or self._is_other(level, key)):
            self._close()
        around = self._open[-1] if self._open else None
        if around is not None and around.level == level:
            around.item.__exit__(None, None, None)
            self._open[-1] = around._replace(item=self._entered(self._builder.item(label)))
        else:
            inner = self._entered(self._builder.list())
            self._open.append(_Level(level, key, inner, self._entered(self._builder.item(label))))
        self._builder.paragraph(words, place)

    def continued(self, words: Words, place: Place | None = None) -> None:
        """Another paragraph of the last item."""
        self._builder.paragraph(words, place)

    def close(self) -> None:
        """End all lists."""
        while self._open:
            self._close()

    def _is_other(self, level: int, key: str) -> bool:
        return self._open[-1].level == level and self._open[-1].key != key

    def _close(self) -> None:
        last = self._open.pop()
        last.item.__exit__(None, None, None)
        last.list.__exit__(None, None, None)

    @staticmethod
    def _entered(context: AbstractContextManager[None]) -> AbstractContextManager[None]:
        context.__enter__()
        return context
