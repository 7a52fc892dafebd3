"""What elements of HTML are to a reader: which break the flow of text, which are not shown, what stands for the others.

Scripts and what no reader sees are taken out before a page is read, and counted. Nothing else looks at whether an
element is shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from turbohtml import Document, Element, Node


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


def replacement_text(node: Element, tag: str) -> str | None:
    """What a reader sees in place of an element that has no text of its own; None where its content is shown."""
    if tag == "img":
        return image_alternative(node)
    if tag == "br":
        return " "
    if tag == "math":
        return formula(node)
    if tag == "input":
        return field_text(node.attr("type"), node.attr("value"))
    return None


REPLACED = frozenset(("img", "br", "math", "input"))


_PIXELS = re.compile(r"\s*([0-9]{1,6}(?:\.[0-9]{1,4})?)\s*(?:px|pt)?\s*\Z")
_STYLED = re.compile(r"(?:^|;)\s*(width|height)\s*:\s*([0-9]{1,6}(?:\.[0-9]{1,4})?)(?:px|pt)\s*(?=;|\Z)", re.IGNORECASE)


def size_of(node: Element) -> tuple[float, float] | None:
    """Width and height that a page gives an image, in pixels or points; 0 for one that it does not give."""
    styled = {name.lower(): value for name, value in _STYLED.findall(node.attr("style") or "")}
    sides = []
    for name in ("width", "height"):
        found = _PIXELS.match(node.attr(name) or "")
        sides.append(float(styled.get(name) or (found[1] if found else 0)))
    return (sides[0], sides[1]) if any(sides) else None


def field_text(kind: str | None, value: str | None) -> str:
    """What a form shows in a field."""
    return f" {value or ''} " if (kind or "text").lower() in _SHOWN_INPUTS else ""


def image_alternative(image: Element) -> str:
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
        return " ".join(children[0].text.split()) if not hasattr(children[0], "tag") else _shown_text(children)
    return _shown_text(children)


def _shown_text(children: tuple[Node, ...] | list[Node]) -> str:
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
                    out.append(replacement_text(node, tag) or "")
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


def language(block: Element) -> str:
    """The language of code, from what highlighters leave on the element in it, on itself and on the one around it."""
    outer = block.parent
    for element in (block.select_one("code"), block, outer):
        if not hasattr(element, "attr"):  # none, or the page itself
            continue
        if told := element.attr("data-lang") or element.attr("data-language"):
            return _word(told)
        classes = element.attr("class") or ""
        if (found := _LANGUAGE.search(classes)) is not None:
            return _word(found[1])
        bare = [name for name in classes.split() if name.lower() in _BARE_LANGUAGES]
        if bare and element is not outer:
            return _word(bare[0])
    return ""


def _word(name: str) -> str:
    """A name that can stand behind a fence."""
    name = name.strip().lower()
    return name if re.fullmatch(r"[a-z0-9_+#.-]{1,30}", name) and name not in ("none", "text", "default") else ""


_MACHINE = "script,style"
_UNSHOWN = (
    "noscript,template:not([shadowrootmode]),iframe,object,video,audio,canvas,noembed,datalist,"
    '[hidden]:not([hidden="until-found"]),[style*="none" i],[style*="hidden" i],[style*="font-size" i]'
)
_STYLED_AWAY = re.compile(
    r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?:px|pt|em|rem|%)?\s*(?:;|!|$))",
    re.IGNORECASE,
)
_ALWAYS = frozenset(("noscript", "template", "iframe", "object", "video", "audio", "canvas", "noembed", "datalist"))


class RemovedParts(NamedTuple):
    """What was taken out, in characters that are not white space."""

    elements: int = 0
    characters: int = 0


def drop_unshown(document: Document) -> RemovedParts:
    """Take out scripts, which nobody counts, and elements that no reader sees."""
    document.remove(_MACHINE)
    found = [element for element in document.select(_UNSHOWN) if _is_unshown(element)]
    return _take_out(found)


def _is_unshown(element: Element) -> bool:
    if element.tag in _ALWAYS or element.attr("hidden") is not None:
        return True
    return is_styled_away(element.attr("style") or "")


def is_styled_away(style: str) -> bool:
    """Whether a style hides its element."""
    return _STYLED_AWAY.search(style) is not None


def _take_out(found: list[Element]) -> RemovedParts:
    """From the last to the first, so that what is inside others is not counted twice."""
    count = size = 0
    for element in reversed(found):
        if text := _visible(element.text):
            count += 1
            size += text
        element.extract()
    return RemovedParts(count, size)


def _visible(text: str) -> int:
    return sum(map(len, text.split()))
