"""Languages with braces by their brackets and lines: where statements start, and what opens and closes around them."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence

from seamline.source.marks import LANGUAGES, Line, Marks
from seamline.source.nodes import Clause, Node
from seamline.types import Context

_CLOSERS = {"(": ")", "[": "]", "{": "}"}
_GOES_ON = re.compile(
    r"(?:else|catch|finally|where|extends|implements|instanceof|satisfies|as|in|of|is)\b|[.?:,)\]=|/%{]|&&|\+(?!\+)|->"
)
"""What a line starts with that goes on with the statement before it."""
_LINE_END = re.compile(r"[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/[ \t]*)?(?=[\r\n])")
_LABEL = re.compile(r"(?:case\b[^\r\n{}]*?|default[ \t]*)(:)[ \t]*(?:(?://|/\*)[^\r\n]*)?(?=[\r\n])")
_ENDED = re.compile(r"[\w\"'`)\]}]|\+\+|--")
_ATTRIBUTES = re.compile(r"(?:(?:@[\w.]++(?:\([^()\r\n]*\))?|#!?\[[^\r\n]*\]|//[^\r\n]*)[ \t]*(?:\r\n?|\n)[ \t]*)++")
"""Annotations on lines of their own."""
_OTHERWISE = re.compile(r"[ \t]*\}\s*(?:else|catch|finally|except)\b")
_NAMED = re.compile(
    r"[ \t]*(?:[\w(:)]++[ \t]++)*?"
    r"((?:class|interface|struct|enum|trait|impl|namespace|module|object|record|mod|fn|func|function)[ \t]+\w+)"
    r"(?=[^\w<])"
)
_NEXT = re.compile(r"\s*\}\s*\{\s*")
"""A header that only goes on with another block."""
_ENUM = re.compile(r"\benum\b")
_QUOTED = re.compile(r"[a-zA-Z]{0,2}[\"']")
_ATTACHED = "@#"
_HEADERS = 8
"""Headers of one statement that are repeated."""


class BraceLines:
    """The statements of one source in a language with braces."""

    def __init__(self, text: str, language: str) -> None:
        self._text = text
        self._language = language
        self._rules = LANGUAGES[language]
        self._last: tuple[int, int, Sequence[Node] | None] = (-1, -1, None)

    def nodes(self, start: int, end: int) -> Sequence[Node] | None:
        if self._last[:2] != (start, end):
            marks = Marks(self._text, start, end, self._language)
            found = Region(self, marks).nodes(-1, start, end) if marks.matched else None
            self._last = start, end, found or None
        return self._last[2]

    def opened(self, node: Node, until: int) -> Node:
        return node.place.opened(node) if isinstance(node.place, Region) else node

    def under(self, clause: Clause) -> Sequence[Node]:
        place = clause.place
        if isinstance(place, tuple):
            region, bracket = place
            return region.nodes(bracket, clause.body, clause.end)  # type: ignore[no-any-return]
        return place  # type: ignore[return-value]

    @property
    def text(self) -> str:
        return self._text

    @property
    def newlines(self) -> bool:
        return self._rules.newlines

    @property
    def commas(self) -> bool:
        return self._rules.commas

    @property
    def directives(self) -> bool:
        return self._rules.directives

    @property
    def tries(self) -> str:
        return self._rules.tries

    @property
    def enums(self) -> bool:
        return self._rules.enums

    @property
    def strung(self) -> bool:
        return self._rules.strung

    @property
    def is_go(self) -> bool:
        return self._language == "go"


class Region:
    """What stands between brackets, statement by statement, found when it is asked for."""

    def __init__(self, source: BraceLines, marks: Marks) -> None:
        self._source = source
        self._text = source.text
        self._marks = marks
        self._starts = [line.start for line in marks.lines]
        self._lines: dict[int, list[Line]] = defaultdict(list)
        for line in marks.lines:
            self._lines[line.around].append(line)

    def nodes(self, bracket: int, start: int, end: int) -> list[Node]:
        """The statements inside a bracket, -1 for all of the range."""
        lines = [line for line in self._lines[bracket] if line.start >= start or line.first >= start]
        lines = [line for line in lines if line.start < end]
        items = self._items(lines, bracket)
        if not items:
            return []
        bounds = [*[item[0] for item in items[1:]], end]
        ends = [*[item[2] for item in items[1:]], end]
        nodes = [
            Node(lead, code, self._stop(code, min(stop, max(ended, code + 1))), place=self)
            for (lead, code, _), stop, ended in zip(items, bounds, ends, strict=True)
        ]
        if nodes:
            nodes[0] = nodes[0]._replace(start=start)
        return self._labelled(nodes, bounds)

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
        ends = [text[line.before - 1] for line in lines if not line.is_comment][1:]
        opener = text[places[bracket]] if bracket >= 0 else "{"
        if "," in ends and all(end in ",}]" for end in ends):
            return self._after_comma
        if (opener != "{" or self._source.strung) and bracket >= 0 and not self._source.is_go:
            return self._after_comma
        return self._after_statement

    def _after_comma(self, begun: Line, last: Line, line: Line) -> bool:
        end = self._text[line.before - 1]
        if self._source.strung:
            return end == "," or (end in "\"'" and _QUOTED.match(self._text, line.first) is not None)
        return end == "," or (end == "}" and not _GOES_ON.match(self._text, line.first))

    def _after_statement(self, begun: Line, last: Line, line: Line) -> bool:
        text = self._text
        end = text[line.before - 1]
        if end == ";" or _LABEL.match(text, line.first):
            return True
        if self._source.directives and "#" in (text[line.first], text[last.first]):
            return not text.endswith("\\", last.first, line.before)
        if end == ":":
            return _LABEL.match(text, last.first) is not None
        if _GOES_ON.match(text, line.first) and not (end == "}" and text[line.first] == "{"):
            return False
        if end == "}":
            return not (text.startswith("while", line.first) and text.startswith("do", begun.first))
        if not self._source.newlines or text[last.first] in _ATTACHED:
            return False
        return _ENDED.match(text, line.before - (2 if end in "+-" else 1)) is not None and text[line.first] not in "(["

    # --- statements and their clauses -----------------------------------------------------------------------------

    def _stop(self, start: int, end: int) -> int:
        while end > start + 1 and self._text[end - 1].isspace():
            end -= 1
        return end

    def opened(self, node: Node) -> Node:
        """A statement by its clauses."""
        text, marks = self._text, self._marks
        start, code, stop = node[:3]
        ending = text[stop - 1] if text[stop - 1] in ";," else ""
        above = _ATTRIBUTES.match(text, code)
        begin = self._line_start(above.end() if above else code)
        clauses: list[Clause] = []
        others: set[str] = set()  # headers of clauses but the first, `else` and the like aside
        for index, closers in self._openers(code, stop):
            head = (begin, marks.places[index] + 1)
            said = text[begin : head[1]].strip()
            blanks = self._blanks(begin)
            clauses.append(
                Clause(
                    begin if clauses else start,
                    head,
                    self._after_line(head[1]),
                    self._line_start(marks.places[marks.partner[index]]),
                    self._before(clauses, others, said),
                    f"\n{blanks}{closers}{ending}",
                    self._short(head),
                    blanks,
                    (self, index),
                )
            )
            if len(clauses) > 1 and not _OTHERWISE.match(said):
                others.add(said)
            begin = clauses[-1].end
        following = 0
        for index in range(len(clauses) - 1, -1, -1):
            clauses[index] = clauses[index]._replace(close=clauses[index].close + "{}" * following)
            following = min(following + 1, _HEADERS) if _NEXT.fullmatch(text, *clauses[index].head) else 0
        if len(clauses) > 1 and self._source.tries and text.startswith("try", code):
            clauses[0] = clauses[0]._replace(close=clauses[0].close + self._source.tries)
        tail = clauses[-1].end if clauses else -1
        return node._replace(clauses=tuple(clauses), tail=tail, doc=self._separator(clauses), place=None)

    def _openers(self, start: int, end: int) -> Iterator[tuple[int, str]]:
        """Brackets of a statement whose inside stands on lines of its own, each with what closes all that is open."""
        text, marks = self._text, self._marks
        stack: list[str] = []
        index = bisect_left(marks.places, start)
        stop = bisect_left(marks.places, end)
        last = next((one for one in range(stop - 1, index - 1, -1) if self._is_block(one)), -1)
        while index < stop:
            partner = marks.partner[index]
            if partner < index:
                if stack:
                    stack.pop()
                index += 1
                continue
            stack.append(_CLOSERS[text[marks.places[index]]])
            if not self._is_opened(index):
                index += 1
                continue
            if stack[-1] == "}" or partner > last:  # else these are parameters, and a block follows
                yield index, "".join(reversed(stack))
            index = partner

    def _is_block(self, index: int) -> bool:
        at = self._marks.places[index]
        return self._text[at] == "{" and _LINE_END.match(self._text, at + 1) is not None

    def _before(self, clauses: Sequence[Clause], others: set[str], head: str) -> tuple[Context, ...]:
        """Headers that open what the next header closes: the first alone, where the others only go on with it."""
        rest = clauses[1:] if others - {head} else ()
        if len(rest) > _HEADERS:
            return ()
        return tuple(Context("scope", *clause.head, "\n") for clause in (*clauses[:1], *rest))

    def _short(self, head: tuple[int, int]) -> Context | None:
        named = _NAMED.match(self._text, *head)
        if named is None or self._text[head[1] - 1] != "{":
            return None
        return Context("scope", named.start(1), named.end(), "() {\n" if named[1].startswith("f") else " {\n")

    def _separator(self, clauses: Sequence[Clause]) -> Context | None:
        """What stands for the constants of an enum before its methods."""
        if not clauses or not self._source.enums or not _ENUM.search(self._text, *clauses[0].head):
            return None
        return Context("scope", clauses[0].head[1], clauses[0].head[1], ";\n")

    def _is_opened(self, index: int) -> bool:
        """Whether what is inside a bracket stands on lines of its own."""
        text, marks = self._text, self._marks
        at, close = marks.places[index], marks.places[marks.partner[index]]
        if text[at] != "{" and not self._source.commas:
            return False
        if not _LINE_END.match(text, at + 1):
            return False
        return not text[self._line_start(close) : close].strip() and bool(self._lines.get(index))

    def _line_start(self, at: int) -> int:
        return self._starts[bisect_right(self._starts, at) - 1]

    def _after_line(self, at: int) -> int:
        end = _LINE_END.match(self._text, at)
        stop = end.end() if end else at
        return stop + (2 if self._text.startswith("\r\n", stop) else 1)

    def _blanks(self, at: int) -> str:
        end = at
        while end < len(self._text) and self._text[end] in " \t":
            end += 1
        return self._text[at:end]

    def _labelled(self, nodes: Sequence[Node], ends: Sequence[int]) -> list[Node]:
        """Statements under the label of their case."""
        out: list[Node] = []
        text = self._text
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
            head = (self._line_start(node.code), label.end(1))
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
