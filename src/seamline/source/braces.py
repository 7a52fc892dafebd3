"""Languages with braces by their brackets and lines: where statements start, and what opens and closes around them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence

from seamline.source.brackets import LINKED, REOPENED, Opener
from seamline.source.marks import (
    LANGUAGES,
    Braces,
    Line,
    Marks,
)
from seamline.source.nodes import Clause, Node
from seamline.source.quoted import Quoted
from seamline.source.wraps import (
    BARE,
    Wrap,
    openers,
    wrap_of,
    wrap_of_rest,
)
from seamline.types import Block

_GOES_ON = re.compile(
    r"(?:else|catch|finally|where|extends|implements|instanceof|satisfies|as|in|of|is)\b|[.?:,)\]=|/%{>]|&&|\+(?!\+)|->"
)
"""What a line starts with that goes on with the statement before it."""
_LABEL = re.compile(r"(?:case\b[^\r\n{}]*?|default[ \t]*)(:)[ \t]*(?:(?://|/\*)[^\r\n]*)?(?=[\r\n])")
_LABELS = ("case", "default")
_ENDED = re.compile(r"[\w\"'`)\]}]|\+\+|--")
_QUOTED = re.compile(r"[a-zA-Z]{0,2}[\"']")
_ATTACHED = "@#"
_FUNCTIONS = ("function", "method")


class BraceLines:
    """The statements of one source in a language with braces."""

    def __init__(self, text: str, language: str, blocks: Sequence[Block] = ()) -> None:
        self._text = text
        self._language = language
        self.text = text
        self.rules: Braces = LANGUAGES[language]
        self.is_rust = language == "rust"
        self.is_go = language == "go"
        self._bodies = sorted(_bodies(text, blocks))
        self._known: dict[tuple[int, int], Sequence[Node] | None] = {}

    def nodes(self, start: int, end: int) -> Sequence[Node] | None:
        if (start, end) not in self._known:
            self._known[start, end] = self._read(start, end, self._bodies)
        return self._known[start, end]

    def _read(self, start: int, end: int, bodies: Sequence[tuple[int, int]]) -> Sequence[Node] | None:
        marks = Marks(self._text, start, end, self._language, bodies)
        return Region(self, marks).nodes(-1, start, end) or None if marks.matched else None

    def opened(self, node: Node, until: int, room: int) -> Node:
        if not isinstance(node.place, Region):
            return node
        if closed := node.place.closed(node):
            low, high = bisect_left(self._bodies, (node.code, 0)), bisect_left(self._bodies, (node.end, 0))
            bodies = [body for body in self._bodies[low:high] if body[0] not in closed]
            inside = self._read(node.code, node.end, bodies)
            if inside is None or len(inside) > 1 or not isinstance(inside[0].place, Region):
                return node._replace(place=None)
            return inside[0].place.opened(inside[0]._replace(start=node.start), room)
        return node.place.opened(node, room)

    def under(self, clause: Clause) -> Sequence[Node]:
        place = clause.place
        if isinstance(place, Quoted):
            return place.nodes
        if isinstance(place, tuple):
            region, bracket = place
            return region.inside(bracket, clause)  # type: ignore[no-any-return]
        return place  # type: ignore[return-value]

    def least(self, clause: Clause) -> Wrap | None:
        if self.rules.strung:
            return None
        head = self._text[clause.head[0] : clause.head[1]]
        if clause.before and REOPENED.fullmatch(head):
            head = self._text[clause.before[0].start : clause.before[0].end] + head
        if isinstance(clause.place, Quoted):
            return wrap_of_rest(self._language, head, clause.place.opening, clause.place.close)
        if isinstance(clause.place, tuple):
            under = self.under(clause)
            first = self._text[under[0].code : under[0].end] if under else ""
            wrap = wrap_of(self._language, head, first)
            return self._last_of(clause, wrap) if clause.shut else wrap
        if not clause.shut:
            return BARE
        linked = LINKED.search(head, len(head) - 2) if clause.close.startswith("\n_") else None
        shown = f"x{linked[0] if linked else ''}"
        return wrap_of_rest(self._language, head, shown, clause.close.lstrip("\n"), clause.final)

    def _last_of(self, clause: Clause, wrap: Wrap) -> Wrap:
        """What makes statements valid of which the last brings all closing brackets along."""
        assert clause.final is not None
        closers = clause.final.strip()
        inmost = wrap.opening.removeprefix("_ = ") or openers(closers[0])
        return Wrap(openers(closers[1:]) + inmost, clause.close.strip(), closers, inner=True)


def _bodies(text: str, blocks: Sequence[Block]) -> Iterator[tuple[int, int]]:
    """The brackets around the bodies of functions that stand on lines of their own."""
    for block in blocks:
        detail = block.detail
        if block.kind != "scope" or not detail or detail.type not in _FUNCTIONS or not detail.enclosure:
            continue
        opening, close = detail.enclosure.end - 1, block.end - 1
        if text[opening] == "{" and text[close] == "}" and text[opening + 1] in "\r\n":
            line = max(text.rfind("\n", opening, close), text.rfind("\r", opening, close)) + 1
            if text[line:close].isspace() or line == close:
                yield opening, close


class Region:
    """What stands between brackets, statement by statement, found when it is asked for."""

    def __init__(self, source: BraceLines, marks: Marks) -> None:
        self._source = source
        self._text = source.text
        self._marks = marks
        self._lines: dict[int, list[Line]] = defaultdict(list)
        for line in marks.lines:
            self._lines[line.around].append(line)
        self._opener = Opener(source.text, marks, source.rules, self._lines)

    def nodes(self, bracket: int, start: int, end: int) -> list[Node]:
        """The statements inside a bracket, -1 for all of the range."""
        text = self._text
        lines = [line for line in self._lines[bracket] if line.first >= start and line.start < end]
        items = self._items(lines, bracket)
        if not items:
            return []
        bounds = [*[item[0] for item in items[1:]], end]
        ends = [*[item[2] for item in items[1:]], end]
        stops = [min(stop, max(ended, item[1] + 1)) for item, stop, ended in zip(items, bounds, ends, strict=True)]
        nodes = [
            Node(lead, code, self._stop(code, stop) if text[stop - 1].isspace() else stop, (), -1, None, self)
            for (lead, code, _), stop in zip(items, stops, strict=True)
        ]
        if nodes:
            nodes[0] = nodes[0]._replace(start=start)
        return self._labelled(nodes, bounds)

    def inside(self, bracket: int, clause: Clause) -> list[Node]:
        """The statements between a bracket and its partner."""
        close = self._marks.places[self._marks.partner[bracket]]
        return self.nodes(bracket, clause.body, min(close, clause.end))

    # --- where statements start -----------------------------------------------------------------------------------

    def _items(self, lines: Sequence[Line], bracket: int) -> list[tuple[int, int, int]]:
        """(start with comments, start of code, end of the code before) of every statement."""
        starts = self._starts_rule(lines, bracket)
        out: list[tuple[int, int, int]] = []
        lead = -1
        begun: Line | None = None
        last: Line | None = None
        for line in lines:
            if line.is_comment:
                lead = line.start if lead < 0 else lead
                continue
            if begun is None or starts(begun, last, line):
                out.append((lead if lead >= 0 else line.start, line.first, line.before))
                begun = line
            lead, last = -1, line
        if not out and lead >= 0:
            out.append((lead, lead, lead))
        return out

    def _starts_rule(self, lines: Sequence[Line], bracket: int):  # type: ignore[no-untyped-def]
        text, places = self._text, self._marks.places
        if bracket >= 0 and self._source.rules.enums and self._opener.opened_by("enum", bracket):
            return self._after_constant
        if bracket >= 0 and self._source.is_rust and self._opener.opened_by("match", bracket):
            return self._after_arm
        ends = [text[line.before - 1] for line in lines if not line.is_comment][1:]
        opener = text[places[bracket]] if bracket >= 0 else "{"
        if "," in ends and all(end in ",}]" for end in ends):
            return self._after_comma
        if (opener != "{" or self._source.rules.strung) and bracket >= 0 and not self._source.is_go:
            return self._after_comma
        return self._after_statement

    def _after_comma(self, begun: Line, last: Line, line: Line) -> bool:
        end = self._text[line.before - 1]
        if self._source.rules.strung:
            return end == "," or (end in "\"'" and _QUOTED.match(self._text, line.first) is not None)
        return end == "," or (end == "}" and not _GOES_ON.match(self._text, line.first))

    def _after_arm(self, begun: Line, last: Line, line: Line) -> bool:
        return self._after_comma(begun, last, line) and not self._text.startswith("if ", line.first)

    def _after_constant(self, begun: Line, last: Line, line: Line) -> bool:
        return self._text[line.before - 1] == "," or self._after_statement(begun, last, line)

    def _after_statement(self, begun: Line, last: Line, line: Line) -> bool:
        text = self._text
        end = text[line.before - 1]
        if end == ";" or (text.startswith(_LABELS, line.first) and _LABEL.match(text, line.first)):
            return True
        if self._source.rules.directives and "#" in (text[line.first], text[last.first]):
            return not text.endswith("\\", last.first, line.before)
        if end == ":":
            return _LABEL.match(text, last.first) is not None
        if _GOES_ON.match(text, line.first) and not (end == "}" and text[line.first] == "{"):
            return False
        if end == "}":
            return not (text.startswith("while", line.first) and text.startswith("do", begun.first))
        if not self._source.rules.newlines or text[last.first] in _ATTACHED:
            return False
        return _ENDED.match(text, line.before - (2 if end in "+-" else 1)) is not None and text[line.first] not in "(["

    # --- statements and their clauses -----------------------------------------------------------------------------

    def _stop(self, start: int, end: int) -> int:
        while end > start + 1 and self._text[end - 1].isspace():
            end -= 1
        return end

    def closed(self, node: Node) -> set[int]:
        """The brackets of a statement that were passed over, and not as a part of what is inside another."""
        return self._opener.closed(node.code, node.end) if self._marks.closed else set()

    def opened(self, node: Node, room: int) -> Node:
        """A statement by its clauses."""
        return self._opener.opened(node, self, room)

    def _labelled(self, nodes: Sequence[Node], ends: Sequence[int]) -> list[Node]:
        """Statements under the label of their case."""
        text = self._text
        if not any(text.startswith(_LABELS, node.code) for node in nodes):
            return list(nodes)
        out: list[Node] = []
        index = 0
        while index < len(nodes):
            node = nodes[index]
            label = _LABEL.match(text, node.code)
            first = index + 1
            index += 1
            if label is None:
                out.append(node)
                continue
            while index < len(nodes) and (more := _LABEL.match(text, nodes[index].code)):
                label, first = more, index + 1
                index += 1
            while index < len(nodes) and not _LABEL.match(text, nodes[index].code):
                index += 1
            if first == index:
                out.append(node)
                continue
            head = (self._opener.line_start(node.code), label.end(1))
            under = nodes[first:index]
            out.append(
                Node(
                    node.start,
                    node.code,
                    under[-1].end,
                    (Clause(node.start, head, under[0].start, ends[index - 1], (), "", None, "", list(under)),),
                )
            )
        return out
