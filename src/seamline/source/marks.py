"""Comments, strings and brackets of languages with braces, as far as finding statements needs them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

STRING = (
    r'"""(?:[^"\\]++|\\.|"(?!""))*+(?:"""|\\?\Z)'
    r"|'''(?:[^'\\]++|\\.|'(?!''))*+(?:'''|\\?\Z)"
    r'|"(?:[^"\\\r\n]++|\\(?:\r\n|.))*+(?:"|\\?\Z)?'
    r"|'(?:[^'\\\r\n]++|\\(?:\r\n|.))*+(?:'|\\?\Z)?"
)
"""A string of Python without its prefix; one that is not closed ends with its line, or with the text."""
_COMMENT = r"//[^\r\n]*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z)"
_DOUBLE = r'"(?:[^"\\\r\n]++|\\.)*+"?'
_SINGLE = r"'(?:[^'\\\r\n]++|\\.)*+'?"
_TRIPLE = r'"""(?:[^"\\]++|\\.|"(?!""))*+(?:"""|\\?\Z)'
_CHARACTER = r"'(?:\\(?:u\{[^}'\r\n]*\}|[^\r\n][^'\r\n]{0,8})|[^\\'\r\n])'"
_TEMPLATE = r"`(?:[^`\\$]++|\\.|\$(?!\{)|\$\{(?:[^{}`]|\{[^{}`]*\}|`(?:[^`\\]++|\\.)*+`){0,64}+\})*+(?:`|\\?\Z)?"
_REGEX = (
    r"/(?:(?<=[=(,:;!&|?{}\[\n]/)|(?<=[=(,:;!&|?] /)|(?<=return /))(?![/*])"
    r"(?:[^/\\\r\n\[]++|\\.|\[(?:[^\]\\\r\n]++|\\.)*+\])++/\w*+"
)
_RAW = r'r(?P<hashes>#++)".*?(?:"(?P=hashes)|\Z)|r"[^"]*+"?|"(?:[^"\\]++|\\.)*+"?'


class Braces(NamedTuple):
    """What is known of a language with braces."""

    strings: str
    """A pattern of its literals. Every alternative starts with a plain character: such patterns are found fast."""
    newlines: bool = False
    """Whether a line end may end a statement."""
    commas: bool = False
    """Whether a list may end in a comma wherever it stands."""
    comments: str = _COMMENT
    enums: bool = False
    """Whether the constants of an enum end in a semicolon where methods follow."""
    tries: str = ""
    """What makes a `try` valid that nothing else follows."""
    strung: bool = False
    """Whether strings that follow each other are one."""
    directives: bool = False
    """Whether lines that start with `#` stand for themselves."""


_SCRIPT = Braces(f"{_DOUBLE}|{_SINGLE}|{_TEMPLATE}|{_REGEX}", newlines=True, commas=True, tries=" finally {}")
_PLAIN = Braces(f"{_DOUBLE}|{_SINGLE}", directives=True)
LANGUAGES: Mapping[str, Braces] = {
    "javascript": _SCRIPT,
    "typescript": _SCRIPT,
    "tsx": _SCRIPT,
    "java": Braces(f"{_TRIPLE}|{_DOUBLE}|{_SINGLE}", enums=True, tries=" finally {}"),
    "go": Braces(f"{_DOUBLE}|{_CHARACTER}|`[^`]*+`?", newlines=True, commas=True),
    "rust": Braces(f"{_RAW}|{_CHARACTER}", commas=True),
    "c": _PLAIN,
    "cpp": _PLAIN._replace(
        tries=" catch (...) {}", strings=rf'R"(?P<bar>[^()\\\s]*+)\(.*?(?:\)(?P=bar)"|\Z)|{_PLAIN.strings}'
    ),
    "csharp": _PLAIN._replace(tries=" finally {}", strings=rf'@"(?:[^"]++|"")*+"?|{_TRIPLE}|{_PLAIN.strings}'),
    "kotlin": Braces(f"{_TRIPLE}|{_DOUBLE}|{_SINGLE}", newlines=True, commas=True, enums=True, tries=" finally {}"),
    "swift": Braces(f"{_TRIPLE}|{_DOUBLE}", newlines=True),
    "scala": Braces(f"{_TRIPLE}|{_DOUBLE}|{_CHARACTER}", newlines=True, tries=" finally {}"),
    "python": Braces(STRING, commas=True, comments=r"#[^\r\n]*+", strung=True),
    "php": Braces(f"{_DOUBLE}|{_SINGLE}", commas=True, tries=" finally {}", comments=rf"{_COMMENT}|#(?!\[)[^\r\n]*+"),
}
CLOSERS = {"(": ")", "[": "]", "{": "}"}
_MADE: dict[str, re.Pattern[str]] = {}


def pattern(language: str) -> re.Pattern[str]:
    """Finds comments, literals, brackets and line ends."""
    if language not in _MADE:
        rules = LANGUAGES[language]
        brackets = r"\(|\[|\{|\)|\]|\}|\r\n?|\n"
        _MADE[language] = re.compile(rf"{rules.comments}|{rules.strings}|{brackets}", re.DOTALL)
    return _MADE[language]


def literals(text: str, start: int, end: int, rules: Braces) -> Iterator[tuple[int, int]]:
    """Where the literals of a range start and end."""
    for mark in re.compile(rf"({rules.comments})|(?P<literal>{rules.strings})", re.DOTALL).finditer(text, start, end):
        if mark["literal"]:
            yield mark.span()


class Line(NamedTuple):
    """A line of text that starts outside of literals and comments."""

    start: int
    first: int
    """Of its first mark."""
    around: int
    """Index of the bracket it is inside of, -1 outside of all."""
    before: int
    """Where the code before it ends."""
    is_comment: bool


class Marks:
    """The brackets and lines of one range. `matched` says whether every bracket has its partner.

    Of `bodies`, pairs of a bracket and its partner in order, those in the range are passed over: nothing between them
    is known, and `closed` holds the first bracket of each.
    """

    def __init__(self, text: str, start: int, end: int, language: str, bodies: Sequence[tuple[int, int]] = ()) -> None:
        self.places: list[int] = []
        self.partner: list[int] = []
        self.lines: list[Line] = []
        self.closed: set[int] = set()
        self.matched = True
        self._scan(text, start, end, pattern(language), list(self._parts(text, start, end, bodies)))

    def _parts(self, text: str, start: int, end: int, bodies: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """What is not passed over: up to the opening bracket of each body, from the line of its closing one on."""
        for index in range(bisect_left(bodies, (start, 0)), len(bodies)):
            opening, close = bodies[index]
            if close >= end:
                if opening >= end:
                    break
                continue
            if opening < start:
                continue
            yield start, opening + 1
            self.closed.add(opening)
            start = max(text.rfind("\n", opening, close), text.rfind("\r", opening, close)) + 1
        yield start, end

    def _scan(self, text: str, start: int, end: int, marks: re.Pattern[str], parts: Sequence[tuple[int, int]]) -> None:
        """Reads the parts of a range."""
        around: list[int] = []
        inside = -1  # the last of `around`
        lines, places, partner = self.lines, self.places, self.partner
        before = code = start  # where code ended before the line, and so far
        begin = last = start  # of the line; after the last mark
        fresh = True  # whether nothing was seen on the line yet
        remarked = False  # whether nothing but a comment was seen on it
        for low, high in parts:
            if low > start:
                begin, last, fresh, before = low, low, True, code
            for mark in marks.finditer(text, low, high):
                at, after = mark.span()
                kind = text[at]
                stop = at
                while stop > last and text[stop - 1] in " \t":
                    stop -= 1
                is_line = kind in "\r\n"
                if stop > last:
                    code = stop
                elif is_line:  # nothing since the last mark
                    begin = last = after
                    fresh, before = True, code
                    continue
                is_remark = kind in "/#" and is_comment_at(text, at)
                if fresh:
                    bare = text[last : at + 1].lstrip(" \t\f\v")
                    remarked = is_remark and stop == last
                    lines.append(Line(begin, at + 1 - len(bare), inside, before, remarked))
                    fresh = False
                elif remarked and not (is_remark and stop == last):
                    lines[-1] = lines[-1]._replace(is_comment=False)
                    remarked = False
                last = after
                if is_line:
                    begin, fresh, before = last, True, code
                elif kind in "([{":
                    inside = len(places)
                    around.append(inside)
                    places.append(at)
                    partner.append(-1)
                    code = last
                elif kind in ")]}":
                    code = last
                    if around and CLOSERS[text[places[inside]]] == kind:
                        around.pop()
                        partner[inside] = len(places)
                        partner.append(inside)
                        inside = around[-1] if around else -1
                    else:
                        partner.append(-1)
                        self.matched = False
                    places.append(at)
                elif not is_remark:
                    code = last
        rest = text[last:end]
        if fresh and rest.strip():
            first = last + len(rest) - len(rest.lstrip())
            lines.append(Line(begin, first, inside, before, False))
        self.matched = self.matched and not around


def is_comment_at(text: str, at: int) -> bool:
    """Whether a mark that is no bracket is a comment."""
    return text[at] == "#" or text.startswith(("//", "/*"), at)
