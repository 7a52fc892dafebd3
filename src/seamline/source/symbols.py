"""What a source defines and calls: its scopes by qualified names, names by place, and where control branches."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from seamline.source.marks import LANGUAGES
from seamline.source.nodes import Outline
from seamline.source.python_lines import PythonLines
from seamline.source.python_names import PythonNames, Used
from seamline.types import NO_DETAIL, Document


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BUILT_IN = _words(
    "abs all any ascii bin bool bytearray bytes callable chr classmethod complex dict dir divmod"
    " enumerate eval exec filter float format frozenset getattr globals hasattr hash hex id input int"
    " isinstance issubclass iter len list locals map max memoryview min next object oct open ord pow print"
    " property range repr reversed round set setattr slice sorted staticmethod str sum super tuple type"
    " vars zip Exception ValueError TypeError KeyError IndexError AttributeError RuntimeError"
    " NotImplementedError StopIteration OSError NotImplemented Ellipsis __name__ __file__ self cls this"
)
"""Names that say nothing about what code needs."""
_PYTHON_BRANCH = r"(?P<branch>\b(?:if|elif|for|while|except|and|or|case)\b)"
_BRANCH = r"(?P<branch>\b(?:if|for|while|case|catch|guard)\b|&&|\|\||(?<=\s)\?(?=\s))"
_BRANCHES = {"python": _PYTHON_BRANCH, "rust": _BRANCH.replace("&&", "&&|=>")}
"""In Rust, every arm of a `match` is a branch."""
_CALLED = r"(?<![\w.$])(?P<called>[A-Za-z_$][\w$]*)(?=\s*\()|\b(?:this|self)(?:\.|::)(?P<own>[A-Za-z_]\w*)"
_WORDS = _words("if for while switch return catch match with elif and or not in function fn func def class new import")


class Symbol(NamedTuple):
    """A class, function or the like."""

    start: int
    end: int
    name: str
    """Qualified: `Store.open`."""
    type: str
    parent: int
    """Index of the symbol around it, -1 for none."""
    signature: tuple[int, int]


class Symbols:
    """The symbols of one document, and the names its code speaks of."""

    def __init__(self, document: Document, outline: Outline | None) -> None:
        self._text = document.text
        self._outline = outline
        self._language = document.language
        self.all = list(_symbols(document))
        self._starts = [one.start for one in self.all]

    def around(self, start: int, end: int) -> int:
        """The innermost symbol that holds a range, -1 for none."""
        index = bisect_right(self._starts, start) - 1
        while index >= 0 and self.all[index].end < end:
            index = self.all[index].parent if self.all[index].end > start else index - 1
        return index

    def inside(self, start: int, end: int) -> list[int]:
        """Symbols that start in a range, in order."""
        return list(range(bisect_left(self._starts, start), bisect_left(self._starts, end)))

    @cached_property
    def _python(self) -> tuple[list[Used], list[Used]]:
        """Names that are looked up in the module, and names that the module and its classes bind."""
        assert isinstance(self._outline, PythonLines)
        names = PythonNames(self._text, self._outline)
        return names.used(), sorted(names.shared)

    def defined(self, start: int, end: int) -> list[str]:
        """Names that a range defines: its symbols, and in Python the variables of modules and classes."""
        found = [(self.all[index].start, self.all[index].name) for index in self.inside(start, end)]
        plain = {name.rpartition(".")[2] for _, name in found}
        if isinstance(self._outline, PythonLines):
            stores = self._python[1]
            low, high = bisect_left(stores, (start, "")), bisect_left(stores, (end, ""))
            found += [(at, name) for at, name in stores[low:high] if name not in plain]
        return list(dict.fromkeys(name for _, name in sorted(found)))

    def used(self, start: int, end: int) -> list[str]:
        """Names that a range speaks of: those Python looks up in the module; elsewhere those that are called."""
        if isinstance(self._outline, PythonLines):
            loads = self._python[0]
            found = [one.name for one in loads[bisect_left(loads, (start, "")) : bisect_left(loads, (end, ""))]]
        else:
            found = [name for _, name, _ in self.calls(start, end)]
        return [name for name in dict.fromkeys(found) if name not in _BUILT_IN]

    def calls(self, start: int, end: int) -> list[tuple[int, str, bool]]:
        """(offset, name, whether of the same object) of what is called in a range, or spoken of as its own."""
        return [
            (one.start(), one["called"] or one["own"], bool(one["own"]))
            for one in _scanner(self._language, _CALLED).finditer(self._text, start, end)
            if one.lastgroup in ("called", "own") and one["called"] not in _WORDS
        ]

    def complexity(self, start: int, end: int) -> int:
        """Cyclomatic complexity of a range: one, and one more for every branch."""
        branch = _BRANCHES.get(self._language, _BRANCH)
        return 1 + sum(
            one.lastgroup == "branch" for one in _scanner(self._language, branch).finditer(self._text, start, end)
        )


def _symbols(document: Document) -> Iterator[Symbol]:
    names: dict[int, tuple[str, int]] = {-1: ("", -1)}
    count = 0
    for index, block in enumerate(document.blocks):
        detail = block.detail or NO_DETAIL
        around = names[block.parent]
        if block.kind != "scope" or detail.name is None:
            names[index] = around
            continue
        name = f"{around[0]}.{detail.name}" if around[0] else detail.name
        names[index] = (name, count)
        start, end = detail.enclosure[:2] if detail.enclosure else (block.start, block.start)
        yield Symbol(block.start, block.end, name, detail.type, around[1], (start, end))
        count += 1


_MADE: dict[tuple[str, str], re.Pattern[str]] = {}


def _scanner(language: str, wanted: str) -> re.Pattern[str]:
    """Finds something outside of comments and strings."""
    if (language, wanted) not in _MADE:
        rules = LANGUAGES.get(language)
        comments, strings = (rules.comments, rules.strings) if rules else (r"#[^\r\n]*+|--[^\r\n]*+", r'"[^"\r\n]*+"')
        _MADE[language, wanted] = re.compile(rf"(?P<comment>{comments})|(?P<string>{strings})|{wanted}", re.DOTALL)
    return _MADE[language, wanted]
