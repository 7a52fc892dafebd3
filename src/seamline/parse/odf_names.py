"""Names of OpenDocument XML: `text:p` for what stands in a long namespace."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from seamline.parse.xml import at_path

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
    return at_path(element, path, name_of)
