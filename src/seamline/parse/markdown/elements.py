"""The elements of HTML inside Markdown: tables with their rows, and whatever else is cut at element ends.

CommonMark sees HTML as blocks that end at a blank line. Here their tags are read, so that a part can be put between
the tags around it; an element that goes on over several blocks, such as `<details>` around Markdown, holds them all,
unless there is a heading among them: sections come first. Nothing is an error: an element that nothing closes reaches
to the end of its block, a closing tag that nothing opens is text. Tags that cost too much to read are text as well, so
hostile HTML takes linear time.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from seamline.native import KERNELS
from seamline.text.lines import trimmed
from seamline.text.markup import BLOCK_ELEMENTS, RAW_ELEMENTS
from seamline.types import NO_DETAIL, Block, Detail, Enclosure

_TAG = re.compile(
    r"""</?[A-Za-z][\w.:-]*+
    (?:[^<>"'{}]++|"[^"]*+"|'[^']*+'|\{\{[^{}]*+\}\}|\{[^{}]*+(?:\{[^{}]*+\}[^{}]*+)*+\})*+>""",
    re.VERBOSE,
)
_HEAD = re.compile(r"<(?:(!--)|(/?)([A-Za-z][\w.:-]*+))")
_VOID = frozenset(
    (
        "area",
        "base",
        "basefont",
        "br",
        "col",
        "embed",
        "frame",
        "hr",
        "img",
        "input",
        "link",
        "meta",
        "param",
        "source",
        "track",
        "wbr",
    )
)
_CELLS = frozenset(("td", "th"))
_GROUPS = frozenset(("thead", "tbody", "tfoot"))
_IMPLIED: dict[str, frozenset[str]] = {
    **dict.fromkeys(_CELLS, _CELLS | {"p"}),
    **dict.fromkeys(("dt", "dd"), frozenset(("dt", "dd", "p"))),
    **dict.fromkeys(_GROUPS, _CELLS | _GROUPS | {"tr", "p"}),
    "tr": _CELLS | {"tr", "p"},
    "li": frozenset(("li", "p")),
}
"""Which open elements end where another starts, as HTML has it."""
_DEEPEST = 24
"""Elements inside each other that are told apart."""
_SMALL = 48
"""Characters of an element that is not told apart from the text around it."""
_LONGEST = 8000
"""Characters of a tag."""
_KEY = 160
"""Characters that the first cell of a row may have and stand beside all others."""
_COLUMN_NAME = 40
"""Characters of the name of a column, at most, in a row that nothing else tells from others."""
_LINE_ENDS = "\r\n"
_PLACES = tuple(map(Detail._fields.index, ("enclosure", "name", "header_end")))
"""Of what the kernel writes into the detail of an element."""


_Tag = tuple[str, str, int, int, bool]
"""A tag that opens or closes an element: its name in small letters and as written, start, end, whether it closes."""


class _Node:
    """An element, and what is in it: other elements, and the indices of blocks that are no HTML."""

    __slots__ = ("children", "end", "name", "open_end", "start", "written")

    def __init__(self, name: str, written: str, start: int, open_end: int, end: int) -> None:
        self.name = name
        self.written = written
        self.start = start
        self.open_end = open_end
        self.end = end
        self.children: list[_Node | int] = []

    @property
    def elements(self) -> Iterator[_Node]:
        return (child for child in self.children if isinstance(child, _Node))


def add_elements(text: str, blocks: list[Block]) -> list[Block]:
    """Blocks in which HTML has its elements as blocks of their own."""
    if "html" not in {block[0] for block in blocks}:
        return blocks
    if KERNELS is not None and (found := KERNELS.add_elements(text, blocks, Block, Enclosure, NO_DETAIL, _PLACES)):
        return found  # type: ignore[no-any-return]
    return _Reader(text, blocks).run()


class _Reader:
    """Reads the HTML of one document."""

    def __init__(self, text: str, blocks: list[Block]) -> None:
        self.text = text
        self.blocks = blocks
        self.out: list[Block] = []
        self._after: dict[int, int] = {}
        """Per block of a region, where the next one's blocks begin."""
        self.allowance = 2 * len(text) + 10_000
        """Characters that may be read in vain."""
        self.opened: set[str] = set()
        """Names of the elements with lines of their own that were met, beside those of HTML blocks."""

    def run(self) -> list[Block]:
        blocks = self.blocks
        tops = [index for index, block in enumerate(blocks) if block.parent < 0]
        after = [*tops[1:], len(blocks)]
        tags = [self._tags(blocks[top]) if blocks[top].kind == "html" and self._is_html(top) else [] for top in tops]
        position = 0
        for first, last in [*_regions(self.blocks, tops, tags), (len(tops), len(tops))]:
            for place in range(position, first):
                self._alone(tops[place], after[place], tags[place])
            if first < len(tops):
                self._region(tops[first : last + 1], after, tags[first : last + 1], first)
            position = last + 1
        return self.out

    def _is_html(self, index: int) -> bool:
        """Whether a block is HTML with tags; comments are cut by rules of their own."""
        kind, start, end, *_ = self.blocks[index]
        return kind == "html" and not self.text.startswith("<!--", start + self._indent(start, end))

    def _indent(self, start: int, end: int) -> int:
        at = start
        while at < end and self.text[at] in " \t\ufeff":
            at += 1
        return at - start

    # --- tags ------------------------------------------------------------------------------------------------

    def _tags(self, block: Block) -> list[_Tag]:
        """The tags of a block that give it structure; most are passed over by their names."""
        text, until, opened, out = self.text, block.start, self.opened, []
        for head in _HEAD.finditer(text, block.start, block.end):
            at = head.start()
            if at < until:
                continue
            comment, slash, written = head.groups()
            if comment:
                close = text.find("-->", at + 4, block.end)
                until = block.end if close < 0 else close + 3
                continue
            name = written.lower()
            is_block = name in BLOCK_ELEMENTS
            if slash:
                if (is_block or name in opened) and (close := text.find(">", at, block.end)) > 0 and name not in _VOID:
                    out.append((name, written, at, close + 1, True))
                continue
            if name in _VOID or not (is_block or self._starts_line(at, block.start)):
                continue
            end = self._tag_end(at, block.end)
            if end < 0 or text[end - 2] == "/":
                until = max(end, at)
                continue
            if not is_block:
                if not self._ends_line(end, block.end):
                    continue
                opened.add(name)
            until = end
            out.append((name, written, at, end, False))
            if name in RAW_ELEMENTS:
                close = _find_close(text, written, end, block.end)
                until = block.end if close < 0 else close
        return out

    def _tag_end(self, at: int, end: int) -> int:
        """After a tag; -1 where it has no end, or too many were looked for in vain."""
        end = min(end, at + _LONGEST)
        found = _TAG.match(self.text, at, end) if self.allowance > 0 else None
        if found is None:
            self.allowance -= end - at
        return found.end() if found else -1

    def _starts_line(self, at: int, start: int) -> bool:
        while at > start and self.text[at - 1] in " \t":
            at -= 1
        return at == start or self.text[at - 1] in _LINE_ENDS

    def _ends_line(self, at: int, end: int) -> bool:
        while at < end and self.text[at] in " \t":
            at += 1
        return at == end or self.text[at] in _LINE_ENDS

    # --- trees -----------------------------------------------------------------------------------------------

    def _alone(self, top: int, after: int, tags: list[_Tag]) -> None:
        """One top-level block with what is in it."""
        if tags:
            self._emit(self._tree([(top, tags)]), -1)
            return
        moved = len(self.out) - top
        if after - top == 1 or not moved:
            self.out += self.blocks[top:after]
            return
        for kind, start, end, level, parent, detail in self.blocks[top:after]:
            self.out.append(Block(kind, start, end, level, parent + moved if parent >= 0 else -1, detail))

    def _region(self, tops: list[int], after: list[int], tags: list[list[_Tag]], first: int) -> None:
        """Several top-level blocks that an element goes over."""
        self._after = {top: after[first + place] for place, top in enumerate(tops)}
        self._emit(self._tree(list(zip(tops, tags, strict=True))), -1)

    def _tree(self, parts: list[tuple[int, list[_Tag]]]) -> _Node:
        """The elements of neighbouring blocks. The root stands for all of them."""
        start, end = self.blocks[parts[0][0]].start, self.blocks[parts[-1][0]].end
        root = _Node("", "", start, start, end)
        stack = [root]
        names: defaultdict[str, int] = defaultdict(int)
        for top, tags in parts:
            if not self._is_html(top):
                stack[min(len(stack) - 1, _DEEPEST)].children.append(top)
            for name, written, opening, after, closes in tags:
                if closes:  # the innermost element of that name, and those that were left open in it
                    if names[name]:
                        while stack[-1].name != name:
                            self._end(stack, names, opening)
                        self._end(stack, names, after)
                    continue
                implied = _IMPLIED.get(name)
                while implied and stack[-1].name in implied:
                    self._end(stack, names, opening)
                node = _Node(name, written, opening, after, end)
                if len(stack) <= _DEEPEST:  # deeper ones are text of the last that is not
                    stack[-1].children.append(node)
                stack.append(node)
                names[name] += 1
        return root

    def _end(self, stack: list[_Node], names: dict[str, int], at: int) -> None:
        node = stack.pop()
        names[node.name] -= 1
        node.end = trimmed(self.text, node.open_end, at)

    # --- blocks ----------------------------------------------------------------------------------------------

    def _emit(self, root: _Node, parent: int) -> None:
        """Append the blocks of a tree. An element that fills it stands for it."""
        start, end = root.start, root.end
        nodes = list(root.elements)
        if len(nodes) == 1 and len(root.children) == 1 and nodes[0].end == end:
            lead = self.text[start : nodes[0].start]
            if not lead.strip(" \t\ufeff"):
                self._element(nodes[0], parent, start)
                return
        home = len(self.out)
        self.out.append(Block("html", start, end, 0, parent))
        self._children(root, home, start)

    def _children(self, node: _Node, home: int, after: int) -> None:
        """Append what is in an element; what starts before `after` is repeated with its opening and not told apart."""
        for child in node.children:
            if isinstance(child, int):
                self._markdown(child, home)
            elif child.name not in _GROUPS and self._is_kept(child, node, after):
                self._element(child, home, child.start)
            elif child.children:
                self._children(child, home, after)

    def _is_kept(self, node: _Node, around: _Node, after: int) -> bool:
        """Whether an element is worth a block: a large one, a row, a cell of a large row."""
        large = around if node.name in _CELLS else node
        return node.start >= after and (large.end - large.start > _SMALL or node.name in ("table", "tr"))

    def _element(self, node: _Node, parent: int, start: int) -> None:
        kind, after, header_end = "html", node.open_end, None
        if node.name == "table":
            rows, heads = self._header_of(node)
            if rows:
                kind = "table"
                header_end = trimmed(self.text, node.start, rows[heads].start) if heads else node.start
        elif node.name == "tr" and parent >= 0 and self.out[parent].kind == "table":
            kind, after = "row", _key_end(node) or after
        elif node.name == "details":
            after = _summary_end(node) or after
        enclosure = Enclosure(node.start, after, f"</{node.written}>")
        home = len(self.out)
        self.out.append(Block(kind, start, node.end, 0, parent, Detail(enclosure, node.written, header_end=header_end)))
        self._children(node, home, after)

    def _header_of(self, table: _Node) -> tuple[list[_Node], int]:
        """The rows of a table and how many of them are its header: those in a head, or of names of columns."""
        rows: list[_Node] = []
        heads = 0
        for child in table.elements:
            name = child.name
            inside = [child] if name == "tr" else []
            if name in _GROUPS:
                inside = [row for row in child.elements if row.name == "tr"]
            if name == "thead" and heads == len(rows):
                heads += len(inside)
            rows += inside
        while heads < len(rows) and all(one.name == "th" for one in rows[heads].elements):
            heads += 1
        if not heads and len(rows) > 1 and self._names_columns(rows[0], rows[1]):
            heads = 1
        return rows, heads if heads < len(rows) else 0

    def _names_columns(self, first: _Node, second: _Node) -> bool:
        """Whether a row of ordinary cells reads as a header: one short text for each cell of the row below."""
        cells = list(first.elements)
        if len(cells) < 2 or len(cells) != len(list(second.elements)):
            return False
        if any(cell.end - cell.open_end > _LONGEST for cell in cells):
            return False
        texts = [_TAG.sub("", self.text[cell.open_end : cell.end]).strip() for cell in cells]
        return all(0 < len(text) <= _COLUMN_NAME for text in texts)

    def _markdown(self, top: int, home: int) -> None:
        """A block that is no HTML, with all that is in it."""
        moved = len(self.out) - top
        for block in self.blocks[top : self._after[top]]:
            self.out.append(block._replace(parent=home if block.parent < 0 else block.parent + moved))


def _regions(blocks: list[Block], tops: list[int], tags: list[list[_Tag]]) -> list[tuple[int, int]]:
    """Runs of top-level blocks, as first and last position, in which elements go over more than one."""
    found: list[tuple[int, int]] = []
    stack: list[tuple[str, int]] = []
    names: defaultdict[str, int] = defaultdict(int)
    for position, top in enumerate(tops):
        if blocks[top].kind == "heading":
            stack.clear()
            names.clear()
        for name, _, _, _, closes in tags[position]:
            if not closes:
                stack.append((name, position))
                names[name] += 1
            elif names[name]:
                while True:
                    opened, first = stack.pop()
                    names[opened] -= 1
                    if opened == name:
                        break
                if first < position:
                    while found and found[-1][1] >= first:
                        first = min(first, found.pop()[0])
                    found.append((first, position))
    return found


def _find_close(text: str, name: str, at: int, end: int) -> int:
    """Where the closing tag of an element starts that holds no others."""
    for form in (f"</{name}", f"</{name.upper()}"):
        found = text.find(form, at, end)
        if found >= 0:
            return found
    return -1


def _key_end(row: _Node) -> int:
    """Where the first cell of a row ends, if it is small and there are others; else 0."""
    cells = [cell for cell in row.elements if cell.name in _CELLS]
    first = next(iter(cells), None)
    if first is None or len(cells) < 2 or first.end - first.start > _KEY or _holds_markdown(first):
        return 0
    return first.end


def _summary_end(details: _Node) -> int:
    """Where the summary ends that details start with, if it is short; else 0."""
    first = next(details.elements, None)
    return first.end if first and first.name == "summary" and first.end - details.start <= _KEY else 0


def _holds_markdown(node: _Node) -> bool:
    return any(isinstance(child, int) or _holds_markdown(child) for child in node.children)
