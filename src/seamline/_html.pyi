"""The nodes of a page one after the other, in C: the loop of `seamline.parse.html_walk.Walk.run`."""

from collections.abc import Callable
from typing import Any

def walk(
    root: Any, walk: Any, parts: list[str], enter: dict[str, Callable[..., Any]], element: type, text: type, /
) -> None:
    """Pass all nodes below `root`: text is added to `parts`, an element in `enter` does what that says at its start,
    and what it gives back at its end."""
