"""The tree of an HTML page, from its first node to its last, as blocks.

One loop with a stack of its own goes through all nodes: text is collected until an element breaks the flow, and is then
a block. What an element does is one function in a table; elements that are not in it stand inside lines.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Container, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from seamline.parse.builder import CAPTION
from seamline.parse.html.flow import HtmlFlow, HtmlLists
from seamline.parse.html.places import HtmlPlaces
from seamline.parse.html.tables import is_layout, read_rows, read_table
from seamline.parse.html.tags import (
    APART,
    BLOCKS,
    HEADINGS,
    VERBATIM,
    inline_text,
    language,
    picture_text,
    replacement_text,
    size_of,
    tex_of,
)
from seamline.types import Detail

if TYPE_CHECKING:
    from turbohtml import Element, Node

_HEAVY = "h1,h2,h3,h4,h5,h6,table,ul,ol,dl,pre,blockquote"
"""What is no part of a heading, even where the page has it in one."""

Leave = Callable[["HtmlWalker", "Element"], None]


def _sized(size: tuple[float, float] | None) -> Detail | None:
    return Detail(size=size) if size else None


class HtmlWalker:
    """One pass over a page."""

    def __init__(self, flow: HtmlFlow, places: HtmlPlaces, pictures: Container[str] = (), folder: str = "") -> None:
        """`pictures` are files beside the page, whose own folder is `folder`."""
        self._pictures = pictures
        self._folder = folder
        self._flow = flow
        self._places = places
        self._lists = HtmlLists(flow)
        self._parts: list[str] = []
        """Text since the last block."""
        self._breaks: list[int] = []
        """Where lines are broken, as counts of parts before."""
        self._kinds = ["paragraph"]
        """What running text is, by the elements around it."""
        self._level = 0
        self._id = ""
        """Of the nearest element around that has one."""
        self._inner_id = ""
        """The first inside the text since the last block."""
        self.first_heading = ""
        """Text of the first h1."""
        self.deepest = 0
        """How many elements are around a node, at most."""
        self.ragged = self.cut = 0
        """Tables whose rows could not stand under each other, or whose cells claim too much."""
        self._image_size: tuple[float, float] | None = None
        """Of the picture in a figure that is still being read."""

    def run(self, root: Node) -> None:
        """All blocks below a node."""
        from turbohtml import Element, Text

        parts, known = self._parts, _ENTER.get
        stack: list[tuple[Iterator[Node], Leave | None, Element | None, str]] = []
        nodes = iter(root.children)
        while True:
            for node in nodes:
                if type(node) is Text:
                    text = node.data
                    if parts or not text.isspace():
                        parts.append(text)
                    continue
                if type(node) is Element:
                    enter = known(node.tag)
                    if enter is not None:
                        around = self._id
                        if (leave := enter(self, node)) is not None:
                            stack.append((nodes, leave, node, around))
                            nodes = iter(node.children)
                            break
                        continue
                    if not self._inner_id:
                        self._inner_id = node.attr("id") or ""
                if children := node.children:
                    stack.append((nodes, None, None, ""))
                    nodes = iter(children)
                    break
            else:
                if not stack:
                    break
                self.deepest = max(self.deepest, len(stack))
                nodes, done, element, around = stack.pop()
                if done is not None and element is not None:
                    done(self, element)
                    self._id = around
        self._places.finish()

    def _note_id(self, element: Element) -> None:
        """The id of an element inside a line is that of the block, unless there was one before."""
        self._inner_id = self._inner_id or element.attr("id") or ""

    # --- running text ---------------------------------------------------------------------------------------------

    def _flush(self, element: Element, *, is_end: bool) -> None:
        """The text so far is a block that ends at a tag."""
        if self._parts:
            self._write(element, is_end=is_end)
        self._places.pass_tag(element, is_end=is_end)

    def _write(self, element: Element, *, is_end: bool) -> None:
        if self._breaks:
            texts = self._texts()
        else:
            text = " ".join("".join(self._parts).split())
            texts = [[text]] if text else []
        self._parts.clear()
        self._breaks.clear()
        size, self._image_size = self._image_size, None
        if not texts:
            return
        place = self._places.around(element, is_end=is_end, name=self._name(element if is_end else None))
        kind = self._kinds[-1]
        for lines in texts:
            if kind == "caption":
                self._flow.paragraph(" ".join(lines), place, detail=CAPTION)
            elif kind == "heading":
                self._heading(self._level, " ".join(lines), place)
            elif len(lines) > 1:
                self._flow.lines(lines, place, kind)
            else:
                self._flow.paragraph(lines[0], place, kind, _sized(size) if kind == "figure" else None)

    def _texts(self) -> list[list[str]]:
        """The text so far, in which lines are broken: paragraphs, which two breaks divide, of lines."""
        parts, breaks = self._parts, self._breaks
        out: list[list[str]] = [[]]
        for start, end in zip([0, *breaks], [*breaks, len(parts)], strict=True):
            text = " ".join("".join(parts[start:end]).split())
            if text:
                out[-1].append(text)
            elif out[-1]:
                out.append([])
        return [lines for lines in out if lines]

    def _name(self, element: Element | None) -> str:
        """The id to cite a block by: its own, the first inside it, else of the nearest element around."""
        own = element.attr("id") if element is not None else ""
        inner, self._inner_id = self._inner_id, ""
        return own or inner or self._id

    # --- blocks ---------------------------------------------------------------------------------------------------

    def _block(self, element: Element) -> Leave:
        """Anything that stands on lines of its own."""
        if self._parts:
            self._write(element, is_end=False)
        self._places.pass_tag(element, is_end=False)
        self._id = element.attr("id") or self._id
        return HtmlWalker._end

    def _end(self, element: Element) -> None:
        if self._parts:
            self._write(element, is_end=True)
        self._places.pass_tag(element, is_end=True)

    def _enter_heading(self, element: Element) -> Leave | None:
        self._flush(element, is_end=False)
        level = HEADINGS[element.tag]
        if element.select_one(_HEAVY) is not None:
            self._level = level
            self._kinds.append("heading")
            return HtmlWalker._end_kind
        if text := inline_text(element):
            self._heading(level, text, self._places.of(element, self._heading_name(element)))
        self._places.pass_tag(element, is_end=True)
        return None

    def _heading(self, level: int, text: str, place: Mapping[str, Any]) -> None:
        if level == 1 and not self.first_heading:
            self.first_heading = text
        self._flow.heading(level, text, place)

    def _heading_name(self, element: Element) -> str:
        if not element.attr("id") and not self._inner_id and (inner := element.select_one("[id]")) is not None:
            self._note_id(inner)
        return self._name(element)

    def _figure(self, element: Element) -> Leave:
        self._block(element)
        self._kinds.append("figure")
        return HtmlWalker._end_kind

    def _end_kind(self, element: Element) -> None:
        self._flush(element, is_end=True)
        self._kinds.pop()

    def _caption(self, element: Element) -> Leave | None:
        """In a figure beside the picture; alone where that holds a table or code, and in no figure."""
        if self._kinds[-1] != "figure":
            return self._block(element)
        if element.parent is not None and element.parent.select_one("table,pre") is not None:
            self._block(element)
            self._kinds.append("caption")
            return HtmlWalker._end_kind
        self._parts.append(" ")
        self._note_id(element)
        return HtmlWalker._space

    def _space(self, element: Element) -> None:
        self._parts.append(" ")

    def _apart(self, element: Element) -> Leave:
        self._parts.append(" ")
        self._note_id(element)
        return HtmlWalker._space

    def _image(self, element: Element) -> None:
        """In its line, or a figure where it leads one: what follows is about it, and no part of the same sentence."""
        shown = picture_text(element.attr("alt"), element.attr("class"), element.attr("src"))
        self._note_id(element)
        source = (element.attr("src") or "").strip()
        file = posixpath.normpath(posixpath.join(self._folder, source)) if self._pictures and source else ""
        if file and file in self._pictures:
            self._file_image(element, shown, source, file)
            return
        leads = not any(part and not part.isspace() for part in self._parts)
        if not shown or not leads or self._kinds[-1] != "paragraph" or not shown.startswith(("[", "![")):
            self._parts.append(shown)
            self._image_size = self._image_size or size_of(element)
            return
        self._parts.clear()
        self._breaks.clear()
        place = self._places.of(element, self._name(element))
        self._flow.paragraph(shown, place, "figure", _sized(size_of(element)))

    def _file_image(self, element: Element, shown: str, source: str, file: str) -> None:
        """An image that is a file beside the page: a figure that says which, also without an alternative text."""
        name = posixpath.basename(file)
        shown = shown if shown.startswith("![") else f"![{name}]({source})"
        if self._kinds[-1] == "paragraph" and not any(part and not part.isspace() for part in self._parts):
            self._parts.clear()
            self._breaks.clear()
            detail = Detail(name=name, image=file, size=size_of(element))
            self._flow.paragraph(shown, self._places.of(element, self._name(element)), "figure", detail)
        else:
            self._parts.append(shown)

    def _line_break(self, element: Element) -> None:
        self._breaks.append(len(self._parts))
        self._parts.append(" ")

    def _input(self, element: Element) -> None:
        self._parts.append(replacement_text(element, "input") or "")

    def _math(self, element: Element) -> None:
        if element.attr("display") == "block" and (tex := tex_of(element)):
            self._flush(element, is_end=False)
            self._flow.math(tex, self._places.of(element, self._name(element)))
            self._places.pass_tag(element, is_end=True)
        else:
            self._parts.append(replacement_text(element, "math") or "")

    def _no_frames(self, element: Element) -> None:
        """Text for those who see no frames, which the parser leaves as markup."""
        from turbohtml import parse_fragment

        self._parts.append(inline_text(parse_fragment(element.text)))

    def _rule(self, element: Element) -> None:
        self._flush(element, is_end=False)
        self._flow.rule(self._places.of(element, self._name(element)))

    def _code(self, element: Element) -> None:
        self._flush(element, is_end=False)
        if source := _verbatim(element).rstrip():
            self._flow.code(source, language(element), self._places.of(element, self._name(element)))
        self._places.pass_tag(element, is_end=True)

    # --- lists and quotes -----------------------------------------------------------------------------------------

    def _enter_list(self, element: Element) -> Leave:
        self._block(element)
        self._lists.enter(element)
        return HtmlWalker._end_list

    def _end_list(self, element: Element) -> None:
        self._flush(element, is_end=True)
        self._lists.leave()

    def _item(self, element: Element) -> Leave:
        self._block(element)
        self._lists.item(element)
        return HtmlWalker._end_item

    def _end_item(self, element: Element) -> None:
        self._end(element)
        self._lists.end_item()

    def _term(self, element: Element) -> Leave:
        self._block(element)
        self._lists.term(element)
        return HtmlWalker._end

    def _quote(self, element: Element) -> Leave:
        self._block(element)
        self._flow.push("quote")
        return HtmlWalker._end_quote

    def _end_quote(self, element: Element) -> None:
        self._flush(element, is_end=True)
        self._flow.pop()

    # --- tables ---------------------------------------------------------------------------------------------------

    def _table(self, element: Element) -> Leave | None:
        if is_layout(element):
            return self._block(element)
        self._flush(element, is_end=False)
        name = self._name(element)
        if (caption := element.select_one("caption")) is not None and (text := inline_text(caption)):
            self._flow.paragraph(text, self._places.of(caption, name), detail=CAPTION)
        elements, groups = read_rows(element)
        table = read_table(groups)
        for title, number in table.titles:
            row = elements[number]
            self._flow.paragraph(title, self._places.of(row, row.attr("id") or name), detail=CAPTION)
        found = [[self._row_place(elements[number], name) for number in numbers] for numbers in table.origins]
        self._places.pass_tag(element, is_end=True)
        places = [rows[0] if len(rows) == 1 else _hull(rows) for rows in found]
        self.cut += table.is_cut
        self.ragged += table.is_ragged
        if table.is_ragged:
            for cells, place in zip(table.rows, places, strict=True):
                self._flow.lines([" | ".join(cells)], place or {})
        else:
            self._flow.table(table.rows, places)
        return None

    def _row_place(self, row: Element, name: str) -> Mapping[str, Any]:
        """The place of a row; the last of its group ends with it, if it is not closed itself."""
        place = self._places.of(row, row.attr("id") or name)
        if row.parent is not None and all(getattr(node, "tag", "") != "tr" for node in row.next_siblings):
            self._places.pass_tag(row.parent, is_end=True)
        return place


def _hull(places: list[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The place of all rows that a header is made of; none where it had to be made up."""
    if not places:
        return None
    first, last = places[0], places[-1]
    return {**first, **{key: [first[key][0], last[key][1]] for key in ("source", "lines") if key in first}}


def _verbatim(element: Element) -> str:
    """Text line by line as it is."""
    if element.select_one("br") is None:
        return str(element.text)
    from turbohtml import Text

    return "".join(
        node.data if type(node) is Text else "\n" if getattr(node, "tag", "") == "br" else ""
        for node in element.descendants
    )


def _skip(walk: HtmlWalker, element: Element) -> None:
    """What is not part of the page."""


_ENTER: dict[str, Callable[[HtmlWalker, Any], Leave | None]] = {
    **dict.fromkeys(BLOCKS, HtmlWalker._block),
    **dict.fromkeys(APART, HtmlWalker._apart),
    **dict.fromkeys(HEADINGS, HtmlWalker._enter_heading),
    **dict.fromkeys(VERBATIM, HtmlWalker._code),
    **dict.fromkeys(("ul", "ol", "menu", "dir", "dl"), HtmlWalker._enter_list),
    **dict.fromkeys(("dt", "dd"), HtmlWalker._term),
    "li": HtmlWalker._item,
    "blockquote": HtmlWalker._quote,
    "figure": HtmlWalker._figure,
    "figcaption": HtmlWalker._caption,
    "table": HtmlWalker._table,
    "hr": HtmlWalker._rule,
    "br": HtmlWalker._line_break,
    "img": HtmlWalker._image,
    "input": HtmlWalker._input,
    "math": HtmlWalker._math,
    "noframes": HtmlWalker._no_frames,
    "head": _skip,
}
"""What each element does where it starts; the function it gives back is called where it ends, and none where its
content was taken care of."""
