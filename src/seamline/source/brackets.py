"""Statements of languages with braces, opened: by the brackets in them, and by the calls that are chained to them."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence

from seamline.source.marks import (
    CLOSERS,
    Braces,
    Line,
    Marks,
)
from seamline.source.nodes import Clause, Node
from seamline.source.quoted import quoted_clause, quoted_end
from seamline.types import Context

LINE_END = re.compile(r"[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/[ \t]*)?(?=[\r\n])")
_ATTRIBUTES = re.compile(r"(?:(?:@[\w.]++(?:\([^()\r\n]*\))?|#!?\[[^\r\n]*\]|//[^\r\n]*)[ \t]*(?:\r\n?|\n)[ \t]*)++")
"""Annotations on lines of their own."""
_DECORATOR = re.compile(r"[ \t]*@[\w.]+\s*\(")
_OTHERWISE = re.compile(r"[ \t]*\}\s*(?:else|catch|finally|except)\b")
_NAMED = re.compile(
    r"[ \t]*(?:[\w(:)]++[ \t]++)*?"
    r"((?:class|interface|struct|enum|trait|impl|namespace|module|object|record|mod|fn|func|function)[ \t]+\w+)"
    r"(?=[^\w<])"
)
_NEXT = re.compile(r"\s*\}[)\]]*\s*\{+\s*")
"""A header that only goes on with another block."""
REOPENED = re.compile(r"\s*[)\]}]+\s*\{")
"""One that says nothing but that."""
_ENUM = re.compile(r"\benum\b")
_LINK = re.compile(r"\??\.(?!\.)|&&|\|\|?|\?\?|\+(?!\+)|\?(?![.:])")
"""What a line starts with that is chained to the line before it."""
LINKED = re.compile(r"(?<!\.)\.|&&|\|\||(?<!\+)\+")
"""What a line ends with that the next one is chained to."""
_CALLED = re.compile(r"[\w$)\]>!?](?<!\breturn)(?<!\bawait)\s*\Z")
_FROM = re.compile(r"\s*from\s*(?:'[^'\r\n]*'|\"[^\"\r\n]*\");?")
_DO = re.compile(r"do\s*\{")
_CLASS = re.compile(r"[\s)]*(?:(?:export|default|abstract)\s+)*class\b")
_ARM = re.compile(r"\s*(=>|->)")
_BODY = re.compile(r"[^{};()]*(?:\([^()]*\)[^{};()]*)?\{[ \t]*[\r\n]")
_ASKED = re.compile(r"\b(?:var|const|type|import|if|while|for|switch|match|catch|with|when|guard)\s*\Z")
_LONG = 3
"""Characters per token of the room that a header may take whose parameters stay together."""
_HEADERS = 8
"""Headers of one statement that are repeated."""


class Opener:
    """Finds the clauses of statements in one range."""

    def __init__(self, text: str, marks: Marks, rules: Braces, lines: Mapping[int, Sequence[Line]]) -> None:
        self._text = text
        self._marks = marks
        self._rules = rules
        self._lines = lines
        self._starts = [line.start for line in marks.lines]

    def opened(self, node: Node, place: object, room: int) -> Node:
        """A statement by its clauses, which name `place` as where they are from."""
        text, marks = self._text, self._marks
        start, code, stop = node[:3]
        ending = text[stop - 1] if text[stop - 1] in ";," else ""
        if text[stop - 1] in "'\";" and (said := self._from(code, stop)):
            ending = said
        elif _DO.match(text, code):
            ending = " while (0);"
        above = _ATTRIBUTES.match(text, code)
        begin = self.line_start(above.end() if above else code)
        links = [] if self._rules.strung else self._links(code, stop)
        until = links[0].before if links else stop
        clauses: list[Clause] = []
        others: set[str] = set()  # headers of clauses but the first, `else` and the like aside
        for index, closers in self._openers(code, until, stop, room):
            head = (begin, marks.places[index] + 1)
            said = text[begin : head[1]].strip()
            close = marks.places[marks.partner[index]]
            end = self.line_start(close)
            shut = bool(text[end:close].strip())
            blanks = self._blanks(begin)
            final = f"\n{blanks}{closers}{ending}"
            clauses.append(
                Clause(
                    begin if clauses else start,
                    head,
                    self._after_line(head[1]),
                    stop if shut else end,
                    self._before(clauses, others, said),
                    final if closers[0] == "}" or self._rules.commas else f"\n{blanks}_{closers}{ending}",
                    self._short(head),
                    "\n_" if closers[0] == ")" and not self._rules.strung and not self._is_call(index) else "",
                    (place, index),
                    final,
                    shut,
                )
            )
            if len(clauses) > 1 and not _OTHERWISE.match(said):
                others.add(said)
            begin = clauses[-1].end
        self._complete(clauses, code)
        if not clauses and (quoted := quoted_clause(text, node._replace(end=until), begin, marks, self._rules, ending)):
            clauses.append(quoted)
            begin = quoted_end(quoted)
        if links:
            clauses.append(self._chain(node, begin, links, clauses, others, ending, place))
        tail = clauses[-1].end if clauses and not clauses[-1].shut else -1
        return node._replace(clauses=tuple(clauses), tail=tail, doc=self._separator(clauses), place=None)

    def closed(self, start: int, end: int) -> set[int]:
        """Places of brackets between two offsets that were passed over, but for those inside one that is opened."""
        marks, out = self._marks, set()
        index, over = bisect_left(marks.places, start), bisect_left(marks.places, end)
        while index < over:
            if marks.places[index] in marks.closed:
                out.add(marks.places[index])
            elif marks.partner[index] > index and self._is_opened(index, -1):
                index = marks.partner[index]
            index += 1
        return out

    def _complete(self, clauses: list[Clause], code: int) -> None:
        """Adds to what closes a clause what has to follow it: another block, an end of `try`, a class to decorate."""
        text, marks = self._text, self._marks
        following = 0
        for index in range(len(clauses) - 1, -1, -1):
            clauses[index] = _ended(clauses[index], "{}" * following)
            following = min(following + 1, _HEADERS) if _NEXT.fullmatch(text, *clauses[index].head) else 0
        if len(clauses) > 1 and self._rules.tries and text.startswith("try", code):
            clauses[0] = _ended(clauses[0], self._rules.tries)
        if clauses and _DECORATOR.match(text, clauses[0].head[0]):
            close = marks.places[marks.partner[bisect_left(marks.places, clauses[0].head[1] - 1)]]
            is_class = self._rules.enums or _CLASS.match(text, close + 1)
            clauses[0] = _ended(clauses[0], " class _ {}" if is_class else " _;")

    # --- brackets -------------------------------------------------------------------------------------------------

    def _openers(self, start: int, end: int, stop: int, room: int) -> Iterator[tuple[int, str]]:
        """Brackets of a statement whose inside stands on lines of its own, each with what closes all that is open."""
        text, marks = self._text, self._marks
        stack: list[str] = []
        index = bisect_left(marks.places, start)
        over = bisect_left(marks.places, end)
        last = next((one for one in range(over - 1, index - 1, -1) if self._is_block(one)), -1)
        foot = self.line_start(stop - 1) if end == stop and not self._rules.strung else -1
        most = start + _LONG * room if self._rules.commas and not self._rules.strung else len(text)
        while index < over:
            partner = marks.partner[index]
            if partner < index:
                if stack:
                    stack.pop()
                index += 1
                continue
            stack.append(CLOSERS[text[marks.places[index]]])
            if not self._is_opened(index, foot) or self._only_groups(index, foot):
                index += 1
                continue
            is_inside = stack[-1] == "}" or partner > last  # else these are parameters, and a block follows
            if is_inside and not self._is_matched(partner):
                yield index, "".join(reversed(stack))
            elif marks.places[partner] > most and self._takes(index):
                yield index, "".join(reversed([*stack[:-1], " {}", stack[-1]]))
            index = partner

    def _is_matched(self, close: int) -> bool:
        """Whether what a bracket closes is a pattern, or what a function without a name takes."""
        arm = _ARM.match(self._text, self._marks.places[close] + 1)
        return arm is not None and (arm[1] == "=>" or self._rules.enums)

    def _takes(self, index: int) -> bool:
        """Whether a bracket holds the parameters of a function whose body follows."""
        at, close = self._marks.places[index], self._marks.places[self._marks.partner[index]]
        if self._text[at] != "(":
            return False
        return not _ASKED.search(self._text, max(0, at - 20), at) and _BODY.match(self._text, close + 1) is not None

    def _is_block(self, index: int) -> bool:
        at = self._marks.places[index]
        return self._text[at] == "{" and LINE_END.match(self._text, at + 1) is not None

    def _is_opened(self, index: int, foot: int) -> bool:
        """Whether what is inside a bracket stands on lines of its own; on the last line, at `foot`, it may be closed
        after what is inside."""
        text, marks = self._text, self._marks
        at, close = marks.places[index], marks.places[marks.partner[index]]
        if not LINE_END.match(text, at + 1) or not self._lines.get(index):
            return False
        line = self.line_start(close)
        return line == foot or not text[line:close].strip()

    def _is_call(self, index: int) -> bool:
        at = self._marks.places[index]
        return _CALLED.search(self._text, max(0, at - 20), at) is not None

    def _only_groups(self, index: int, foot: int) -> bool:
        """Whether a bracket is there for what is inside it alone, and that has brackets to open."""
        if self._rules.strung or self._text[self._marks.places[index]] != "(" or self._is_call(index):
            return False
        return any(
            self._marks.partner[one] > one and self._is_opened(one, foot)
            for one in range(index + 1, self._marks.partner[index])
        )

    def _from(self, code: int, stop: int) -> str:
        """What ends an import of some names: the module they are from."""
        if not self._text.startswith(("import", "export"), code):
            return ""
        found = _FROM.fullmatch(self._text, self._text.rfind("}", code, stop) + 1, stop)
        return found[0] if found else ""

    def opened_by(self, word: str, bracket: int) -> bool:
        """Whether a word stands before a bracket, on its line."""
        at = self._marks.places[bracket]
        line = self._text[self.line_start(at) : at]
        return word in line and re.search(rf"\b{word}\b[^{{}};]*\Z", line) is not None

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
        if not clauses or not self._rules.enums or not _ENUM.search(self._text, *clauses[0].head):
            return None
        opener = bisect_left(self._marks.places, clauses[0].head[1] - 1)
        ended = (line.before for line in self._lines.get(opener, ()) if self._text[line.before - 1] == ";")
        after = next(ended, -1)
        return Context("scope", after, after, ";\n") if after >= 0 else None

    # --- chains ---------------------------------------------------------------------------------------------------

    def _links(self, code: int, stop: int) -> list[Line]:
        """Lines of a statement that are chained to what is before them, by what they start with or that ends with."""
        around = self._line_at(code).around
        lines = self._lines.get(around, ())
        low = bisect_right(lines, code, key=_first)
        inner = [line for line in lines[low : bisect_left(lines, stop, key=_first)] if not line.is_comment]
        links = [line for line in inner if _LINK.match(self._text, line.first)]
        if not links:
            links = [line for line in inner if LINKED.match(self._text, line.before - _width(self._text, line.before))]
        if not links or self._blocks_after(links[0].first, stop):
            return []
        return links

    def _blocks_after(self, start: int, stop: int) -> bool:
        """Whether a block follows that is in no other bracket: then what is before it is a header."""
        marks = self._marks
        index, over = bisect_left(marks.places, start), bisect_left(marks.places, stop)
        while index < over:
            if self._is_block(index):
                return True
            index = max(index, marks.partner[index]) + 1
        return False

    def _chain(
        self,
        node: Node,
        begin: int,
        links: Sequence[Line],
        clauses: Sequence[Clause],
        others: set[str],
        ending: str,
        place: object,
    ) -> Clause:
        """The calls of a chain as statements under what they are called on."""
        text = self._text
        ahead = not _LINK.match(text, links[0].first)  # the lines before say that they go on
        starts = [self._remark_above(line) for line in links]
        ends = [*[line.before for line in links[1:]], node.end]
        under = [
            Node(start, line.first, end, place=place) for start, line, end in zip(starts, links, ends, strict=True)
        ]
        head = (begin, links[0].before)
        is_after = bool(clauses) and clauses[-1].shut  # what it is called on stands with the clause before
        return Clause(
            starts[0] if is_after else begin if clauses else node.start,
            head,
            starts[0],
            node.end,
            self._before(clauses, others, text[slice(*head)].strip()) if clauses else (),
            f"\n_{ending}" if ahead else f"\n{ending}" if ending else "",
            None,
            "",
            under,
            "",
            True,
        )

    def _remark_above(self, line: Line) -> int:
        """Where the comments above a line start."""
        at = bisect_right(self._starts, line.start) - 1
        while at > 0 and self._marks.lines[at - 1].is_comment and self._marks.lines[at - 1].around == line.around:
            at -= 1
        return self._starts[at]

    # --- places ---------------------------------------------------------------------------------------------------

    def _line_at(self, at: int) -> Line:
        return self._marks.lines[bisect_right(self._starts, at) - 1]

    def line_start(self, at: int) -> int:
        return self._starts[bisect_right(self._starts, at) - 1]

    def _after_line(self, at: int) -> int:
        end = LINE_END.match(self._text, at)
        stop = end.end() if end else at
        return stop + (2 if self._text.startswith("\r\n", stop) else 1)

    def _blanks(self, at: int) -> str:
        end = at
        while end < len(self._text) and self._text[end] in " \t":
            end += 1
        return self._text[at:end]


def _first(line: Line) -> int:
    return line.first


def _width(text: str, end: int) -> int:
    """Characters of the operator that ends at `end`."""
    return 2 if text.endswith(("&&", "||"), 0, end) else 1


def _ended(clause: Clause, added: str) -> Clause:
    final = None if clause.final is None else clause.final + added
    return clause._replace(close=clause.close + added, final=final)
