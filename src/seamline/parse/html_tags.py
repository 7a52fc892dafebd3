"""What elements of HTML are to a reader: the ones that break the flow of text, and what is shown for the others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from turbohtml import Element, Node

HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = """
address article aside body caption center dd details dialog dir div dl dt fieldset figcaption figure footer form
frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav noframes ol p plaintext pre search
section summary table tbody td template tfoot th thead tr ul xmp
"""
BLOCKS = frozenset(_BLOCKS.split())
"""Elements that stand on lines of their own."""
APART = frozenset(("button", "optgroup", "option", "select", "textarea", "text", "title", "desc", "foreignObject"))
"""Elements inside a line that a reader sees apart from the words beside them; the last four are of drawings."""
VERBATIM = frozenset(("pre", "listing", "xmp", "plaintext"))
_MATH_IMAGE = re.compile(r"\b(?:math|tex|latex|mwe-math)", re.IGNORECASE)
_ADDRESS = re.compile(r"(?!data:)[^\s<>\x00-\x1f]{1,300}", re.IGNORECASE)
"""Of an image: longer ones, and those that are the image, say nothing to a reader."""
_SHOWN_INPUTS = frozenset(("submit", "button", "reset", "text", "search", "email", "url", "tel", "number", "date"))
_LANGUAGE = re.compile(r"(?:lang(?:uage)?|highlight(?:-source|-text)?|brush|src)[-:]\s*([A-Za-z0-9_+#.-]+)")
_LANGUAGES = """
bash c cpp csharp css go html java javascript js json kotlin lua perl php python r ruby rust scala sh sql swift toml ts
typescript xml yaml
"""
_BARE_LANGUAGES = frozenset(_LANGUAGES.split())
_OUTER = 2
"""A class of the element around code that is no more than the name of a language says nothing of it."""


def replaced(node: Element, tag: str) -> str | None:
    """What a reader sees in place of an element that has no text of its own; None where its content is shown."""
    if tag == "img":
        return alternative(node)
    if tag == "br":
        return " "
    if tag == "math":
        return formula(node)
    if tag == "input":
        return field_text(node.attr("type"), node.attr("value"))
    return None


REPLACED = frozenset(("img", "br", "math", "input"))


def field_text(kind: str | None, value: str | None) -> str:
    """What a form shows in a field."""
    return f" {value or ''} " if (kind or "text").lower() in _SHOWN_INPUTS else ""


def alternative(image: Element) -> str:
    """The text that stands for an image."""
    return image_text(image.attr("alt"), image.attr("class"))


def image_text(told: str | None, classes: str | None) -> str:
    """An alternative text in brackets, as browsers without images show it, but for signs and math."""
    alt = " ".join((told or "").split())
    if not alt:
        return ""
    if is_sign(alt):
        return alt
    if _MATH_IMAGE.search(classes or ""):
        return f"${alt}$"
    return f"[{alt}]"


def picture_text(told: str | None, classes: str | None, source: str | None) -> str:
    """The same for an image in running text, where its address is kept beside it if it has one that can be told."""
    shown, address = image_text(told, classes), (source or "").strip()
    if not shown.startswith("[") or "](" in shown or not _ADDRESS.fullmatch(address):
        return shown
    return f"!{shown}({address.replace('(', '%28').replace(')', '%29')})"


def is_sign(alt: str) -> bool:
    """Whether an image stands for a character, such as an emoji."""
    return len(alt) <= 2 or not any(map(str.isalnum, alt))


def formula(math: Element) -> str:
    """A formula as TeX where its author gave that, else its characters."""
    if tex := tex_of(math):
        return f" ${tex}$ "
    return " ".join(text for text in ("".join(part.split()) for part in math.strings) if text)


def tex_of(math: Element) -> str:
    note = math.select_one('annotation[encoding*="tex" i]')
    return " ".join((note.text if note is not None else math.attr("alttext") or "").split())


def inline_text(root: Element) -> str:
    """All text in an element on one line: blocks inside it become words apart, images what stands for them."""
    children = root.children
    if len(children) == 1 and not children[0].children:
        return " ".join(children[0].text.split()) if not hasattr(children[0], "tag") else _shown(children)
    return _shown(children)


def _shown(children: tuple[Node, ...] | list[Node]) -> str:
    from turbohtml import Element, Text

    out: list[str] = []
    stack: list[tuple[Iterator[Node], str]] = []
    nodes, after = iter(children), ""
    while True:
        for node in nodes:
            if type(node) is Text:
                out.append(node.data)
            elif type(node) is Element:
                tag = node.tag
                if tag in REPLACED:
                    out.append(replaced(node, tag) or "")
                    continue
                stack.append((nodes, after))
                after = " " if tag in BLOCKS or tag in APART else ""
                out.append(after)
                nodes = iter(node.children)
                break
            elif node.children:  # the content of a template that is shown
                stack.append((nodes, after))
                nodes, after = iter(node.children), " "
                break
        else:
            out.append(after)
            if not stack:
                return " ".join("".join(out).split())
            nodes, after = stack.pop()


Marks = tuple[str | None, str | None, str | None]
"""What an element says of the language of code: `data-lang`, `data-language` and `class`."""


def language(block: Element) -> str:
    """The language of code, from the classes that highlighters leave on it and the elements around it."""
    inner, outer = block.select_one("code"), block.parent
    return told_language(
        (_marks(inner) if inner is not None else None, _marks(block), _marks(outer) if hasattr(outer, "attr") else None)
    )


def _marks(element: Any) -> Marks:
    return element.attr("data-lang"), element.attr("data-language"), element.attr("class")


def told_language(marks: tuple[Marks | None, Marks | None, Marks | None]) -> str:
    """The same, from what the element in the code says, that of the code and the one around."""
    for index, one in enumerate(marks):
        if one is None:
            continue
        if told := one[0] or one[1]:
            return _word(told)
        classes = one[2] or ""
        if (found := _LANGUAGE.search(classes)) is not None:
            return _word(found[1])
        if index < _OUTER and (bare := [name for name in classes.split() if name.lower() in _BARE_LANGUAGES]):
            return _word(bare[0])
    return ""


def _word(name: str) -> str:
    """A name that can stand behind a fence."""
    name = name.strip().lower()
    return name if re.fullmatch(r"[a-z0-9_+#.-]{1,30}", name) and name not in ("none", "text", "default") else ""
