"""Paragraphs of OpenDocument files -> their text: spans, links, notes, frames, and what is not to be read."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from seamline.parse.docx_text import linked
from seamline.parse.odf_names import child, get, name_of
from seamline.parse.odf_styles import OdfStyles
from seamline.parse.ooxml import number
from seamline.parse.pieces import Picture

_MOST_SPACES = 100
"""Of one run; more say nothing."""
_SKIPPED = frozenset((
    "text:tracked-changes", "text:bookmark-start", "text:bookmark-end", "text:change-start", "text:change-end",
    "text:change", "office:forms", "text:sequence-decls", "text:variable-decls", "text:user-field-decls",
    "office:event-listeners",
))  # fmt: skip
_SIGNS = {"text:tab": "\t", "text:line-break": "\n", "text:soft-page-break": ""}


@dataclass(slots=True)
class OdfLine:
    """What a paragraph holds."""

    parts: list[str] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    boxes: list[Any] = field(default_factory=list)
    """Text boxes, tables and shapes that are anchored here."""
    notes: list[tuple[str, str]] = field(default_factory=list)
    words: int = 0
    """Characters that are no picture."""

    @property
    def text(self) -> str:
        return "".join(self.parts)


class OdfLines:
    """Reads paragraphs, and counts what it leaves out."""

    def __init__(self, styles: OdfStyles) -> None:
        self._styles = styles
        self.left_out: Counter[str] = Counter()
        self.notes: dict[str, Any] = {}
        """The bodies of notes by the key a line gives."""
        self._noted: Counter[bool] = Counter()

    def read(self, paragraph: Any) -> OdfLine:
        line = OdfLine()
        stack: list[Any] = []
        _push(paragraph, stack)
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                line.parts.append(item)
                line.words += len(item.strip())
            elif isinstance(item, tuple):
                _close_link(line.parts, *item)
            else:
                self._element(item, line, stack)
        return line

    def _element(self, element: Any, line: OdfLine, stack: list[Any]) -> None:
        name = name_of(element)
        if not name or name in _SKIPPED:
            return
        if name == "text:s":
            line.parts.append(" " * number(get(element, "text:c"), 1, _MOST_SPACES, 1))
        elif name in _SIGNS:
            line.parts.append(_SIGNS[name])
        elif name == "text:note":
            self._note(element, line)
        elif name in ("office:annotation", "office:annotation-end"):
            self.left_out["comments"] += name == "office:annotation"
        elif name in ("text:hidden-text", "text:hidden-paragraph") or (
            name == "text:span" and self._styles.is_hidden(get(element, "text:style-name"))
        ):
            self.left_out["hidden"] += sum(len(text) for text in element.itertext())
        elif name == "text:a":
            stack.append((len(line.parts), get(element, "xlink:href")))
            _push(element, stack)
        elif name == "drawing:frame":
            self.frame(element, line)
        elif name.startswith("drawing:") and name != "drawing:a":
            line.boxes.append(element)
        else:
            _push(element, stack)

    def _note(self, element: Any, line: OdfLine) -> None:
        body = child(element, "text:note-body")
        if body is not None:
            is_end = get(element, "text:note-class") == "endnote"
            self._noted[is_end] += 1
            label = f"{'e' if is_end else ''}{self._noted[is_end]}"
            self.notes[label] = body
            line.notes.append((label, label))
            line.parts.append(f"[^{label}]")

    def frame(self, frame: Any, line: OdfLine) -> None:
        """A picture with its description, or a box that holds blocks."""
        alt = " ".join(_described(frame).split())
        kind = ""
        for one in frame:
            name = name_of(one)
            if name in ("drawing:text-box", "table:table"):
                line.boxes.append(one)
                kind = "box"
            elif name == "drawing:image" and not kind:
                kind = "picture"
                line.pictures.append(Picture(alt, get(one, "xlink:href")))
            elif name == "drawing:object":
                kind = "object"
                line.pictures.append(Picture(alt, get(one, "xlink:href"), "object"))
        if alt and kind in ("picture", ""):
            target = next((one.target for one in line.pictures if one.kind == "picture"), "").rpartition("/")[2]
            line.parts.append(f"![{alt}]({target})" if target else f"[{alt}]")
        elif kind == "picture":
            self.left_out["pictures"] += 1
            line.pictures.pop()


def _described(frame: Any) -> str:
    for name in ("svg-compatible:desc", "svg-compatible:title"):
        found = child(frame, name)
        if found is not None and found.text:
            return str(found.text)
    return ""


def _push(element: Any, stack: list[Any]) -> None:
    """Put the content of an element on the stack, its first on top."""
    for one in reversed(element):
        if one.tail:
            stack.append(one.tail)
        stack.append(one)
    if element.text:
        stack.append(element.text)


def _close_link(parts: list[str], start: int, address: str) -> None:
    text = "".join(parts[start:])
    parts[start:] = [linked(text, address)]
