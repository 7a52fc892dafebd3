"""Styles of OpenDocument files: what paragraphs are, what is hidden, how lists are numbered; and the short names of
its XML, such as `text:p` for what stands in a long namespace.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from seamline.parse.office.docx.styles import numeral
from seamline.parse.office.ooxml import number
from seamline.parse.xml import element_at

_LONGEST_CHAIN = 50
_ESCAPED = re.compile(r"_([0-9a-f]{2})_")
_KINDS = (
    (re.compile(r"title|titel|titre|título|titolo"), "title"),
    (re.compile(r"(?:source ?code|code|preformatted ?text|source ?text|html ?preformatted)"), "code"),
    (re.compile(r"quotations?|block ?quotation|quote|zitat"), "quote"),
    (re.compile(r"caption|illustration|figure|table|drawing|abbildung|tabelle"), "caption"),
    (re.compile(r"list ?\d? cont\.|list ?contents"), "continued"),
)
_FORMATS = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman", "1": "decimal"}
_MOST = 1_000_000
_DEEPEST = 10


@dataclass(frozen=True, slots=True)
class ListLevel:
    """How one level of a list is numbered."""

    format: str = ""
    prefix: str = ""
    suffix: str = ""
    start: int = 1
    shown: int = 1
    """How many levels the number shows."""


@dataclass(frozen=True, slots=True)
class _Style:
    parent: str
    name: str
    hidden: bool


class OdfStyles:
    """The styles of a document and of its template."""

    def __init__(self, *roots: Any | None) -> None:
        self._styles: dict[str, _Style] = {}
        self._lists: dict[str, dict[int, ListLevel]] = {}
        self._kinds: dict[str, str] = {}
        for root in roots:
            for group in [] if root is None else root:
                if name_of(group) in ("office:styles", "office:automatic-styles"):
                    self._read(group)

    def _read(self, group: Any) -> None:
        for one in group:
            name = name_of(one)
            if name == "style:style":
                text = child(one, "style:text-properties")
                self._styles[get(one, "style:name")] = _Style(
                    get(one, "style:parent-style-name"),
                    get(one, "style:display-name") or get(one, "style:name"),
                    text is not None and get(text, "text:display") == "none",
                )
            elif name == "text:list-style":
                self._lists[get(one, "style:name")] = dict(_level(each) for each in one)

    def kind(self, key: str) -> str:
        """What paragraphs of a style are: title, code, quote, caption, continued or paragraph."""
        if key not in self._kinds:
            self._kinds[key] = self._kind(key)
        return self._kinds[key]

    def _kind(self, key: str) -> str:
        for _ in range(_LONGEST_CHAIN):
            style = self._styles.get(key)
            name = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), style.name if style else key).casefold()
            for pattern, kind in _KINDS:
                if pattern.fullmatch(name):
                    return kind
            if style is None or not style.parent:
                break
            key = style.parent
        return "paragraph"

    def is_hidden(self, key: str) -> bool:
        style = self._styles.get(key)
        return style is not None and style.hidden

    def label(self, key: str, counts: list[int]) -> str:
        """What stands before an item, by the counts of all levels down to its own."""
        levels = self._lists.get(key, {})
        own = levels.get(len(counts), ListLevel())
        if not own.format:
            return "-"
        first = max(len(counts) - own.shown, 0)
        numbers = [
            numeral(count, _FORMATS.get(levels.get(at, own).format, "decimal"))
            for at, count in enumerate(counts[first:], first + 1)
        ]
        return f"{own.prefix}{'.'.join(numbers)}{own.suffix}".strip()[:40] or "-"

    def start(self, key: str, level: int) -> int:
        return self._lists.get(key, {}).get(level, ListLevel()).start


def _level(one: Any) -> tuple[int, ListLevel]:
    level = number(get(one, "text:level"), 1, _DEEPEST, 1)
    if not name_of(one).endswith("number"):
        return level, ListLevel()
    return level, ListLevel(
        get(one, "style:num-format"),
        get(one, "style:num-prefix"),
        get(one, "style:num-suffix"),
        number(get(one, "text:start-value"), 0, _MOST, 1),
        number(get(one, "text:display-levels"), 1, _DEEPEST, 1),
    )


_SPACE = "urn:oasis:names:tc:opendocument:xmlns:"
_OTHERS = {
    "http://www.w3.org/1999/xlink": "xlink",
    "http://purl.org/dc/elements/1.1/": "dc",
    "http://www.w3.org/1998/Math/MathML": "math",
}
_SPACES = {prefix: space for space, prefix in _OTHERS.items()}


@lru_cache(maxsize=4096)
def short(tag: str) -> str:
    """`text:p`, `table:table-row`, `drawing:frame`; other namespaces are `?`."""
    space, closed, name = tag.rpartition("}")
    if not closed:
        return name
    space = space[1:]
    if space.startswith(_SPACE):
        return f"{space[len(_SPACE) :].partition(':')[0]}:{name}"
    return f"{_OTHERS.get(space, '?')}:{name}"


def name_of(element: Any) -> str:
    """The short name of an element; empty for what is none."""
    tag = element.tag
    return short(tag) if isinstance(tag, str) else ""


@lru_cache(maxsize=256)
def _full(name: str) -> str:
    prefix, _, base = name.partition(":")
    return f"{{{_SPACES.get(prefix) or f'{_SPACE}{prefix}:1.0'}}}{base}"


def get(element: Any, name: str) -> str:
    """An attribute by its short name; empty where there is none."""
    found = element.get(_full(name))
    return "" if found is None else str(found)


def child(element: Any, *path: str) -> Any | None:
    """The element at a path of short names, the first of each."""
    return element_at(element, path, name_of)
