"""Lists of HTML: bullets, numbers as the page counts them, and terms with what is said of them."""

from __future__ import annotations

import string
from dataclasses import dataclass
from typing import TYPE_CHECKING

from seamline.parse.html_flow import Flow

if TYPE_CHECKING:
    from turbohtml import Element

_ROMAN = ((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))
_LARGEST_ROMAN = 39
_LARGEST = 10**9


@dataclass(slots=True)
class _List:
    tag: str
    next: int
    """Number of the next item."""
    step: int
    style: str
    has_item: bool = False
    """Whether an item of terms is open."""
    is_defined: bool = False
    """Whether something was said of its terms: the next term is another item."""


class Lists:
    """The lists around the place where a page is read."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._lists: list[_List] = []

    def enter(self, element: Element) -> None:
        step = -1 if element.attr("reversed") is not None else 1
        start = number_told(element.attr("start"))
        if start is None:
            start = 1 if step > 0 else len([child for child in element.children if getattr(child, "tag", "") == "li"])
        self._lists.append(_List(element.tag, start, step, element.attr("type") or ""))
        self._flow.push("list")

    def leave(self) -> None:
        if self._lists.pop().has_item:
            self._flow.pop()
        self._flow.pop()

    def item(self, element: Element) -> None:
        """An item; one that is in no list is one of a list without a name."""
        here = self._lists[-1] if self._lists else None
        if here is None:
            self._flow.push("list")
        self._flow.push("item", _label(here, element) if here is not None and here.tag == "ol" else "-")

    def end_item(self) -> None:
        self._flow.pop()
        if not self._lists:
            self._flow.pop()

    def term(self, element: Element) -> None:
        """A term starts an item, and what is said of it stands in the same; both may come several times."""
        if not self._lists or self._lists[-1].tag != "dl":
            return
        here = self._lists[-1]
        is_term = element.tag == "dt"
        if here.has_item and is_term and here.is_defined:
            self._flow.pop()
            here.has_item = False
        if not here.has_item:
            self._flow.push("item", "-")
            here.has_item = True
        here.is_defined = not is_term


def _label(here: _List, element: Element) -> str:
    """The number of an item; those that follow count on from it."""
    number = number_told(element.attr("value"))
    if number is None:
        number = here.next
    here.next = number + here.step
    return counted(number, element.attr("type") or here.style) + "."


def number_told(told: str | None) -> int | None:
    """A number that an attribute gives."""
    if not told or not (digits := told.strip()).lstrip("+-").isdecimal() or len(digits) > 10:
        return None
    try:
        number = int(digits)
    except ValueError:  # signs between or after digits
        return None
    return number if abs(number) < _LARGEST else None


def counted(number: int, style: str) -> str:
    """A number as the page shows it: letters and Roman numbers where it asks for them and there are some."""
    if style in ("a", "A") and 1 <= number <= len(string.ascii_lowercase):
        letter = string.ascii_lowercase[number - 1]
        return letter.upper() if style == "A" else letter
    if style in ("i", "I") and 1 <= number <= _LARGEST_ROMAN:
        out = ""
        for value, sign in _ROMAN:
            out += sign * (number // value)
            number %= value
        return out.upper() if style == "I" else out
    return str(number)
