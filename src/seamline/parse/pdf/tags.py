"""The tags of a page: which of its text is a heading, by the document's own word."""

from __future__ import annotations

import ctypes
from typing import Any

_MOST = 5_000
"""Elements of a page's tree that are looked at."""
_ROLES = {"H1", "H2", "H3", "H4", "H5", "H6", "Title"}


def roles(page: Any) -> dict[int, str]:
    """What the marked content of a page is, by its number: only titles and headings of a level."""
    import pypdfium2.raw as raw

    tree = raw.FPDF_StructTree_GetForPage(page)
    if not tree:
        return {}
    out: dict[int, str] = {}
    try:
        count = raw.FPDF_StructTree_CountChildren(tree)
        stack = [(raw.FPDF_StructTree_GetChildAtIndex(tree, index), "") for index in range(min(count, _MOST))]
        seen = 0
        while stack and seen < _MOST:
            element, above = stack.pop()
            seen += 1
            if element:
                role = _role(element) or above
                if role:
                    _collect(element, role, out)
                children = min(raw.FPDF_StructElement_CountChildren(element), _MOST)
                stack += [(raw.FPDF_StructElement_GetChildAtIndex(element, at), role) for at in range(children)]
    finally:
        raw.FPDF_StructTree_Close(tree)
    return out


def _role(element: Any) -> str:
    import pypdfium2.raw as raw

    buffer = (ctypes.c_ushort * 16)()
    size = raw.FPDF_StructElement_GetType(element, buffer, 32)
    name = bytes(buffer)[: max(size - 2, 0)].decode("utf-16-le", "replace") if size <= 32 else ""
    return name if name in _ROLES else ""


def _collect(element: Any, role: str, out: dict[int, str]) -> None:
    import pypdfium2.raw as raw

    for index in range(min(max(raw.FPDF_StructElement_CountChildren(element), 0), _MOST)):
        number = raw.FPDF_StructElement_GetChildMarkedContentID(element, index)
        if number >= 0:
            out[number] = role
