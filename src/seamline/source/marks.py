"""Comments, strings and brackets of languages with braces, as far as finding statements needs them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

STRING = (
    r'"""(?:[^"\\]|\\.|"(?!""))*+(?:"""|\\?\Z)'
    r"|'''(?:[^'\\]|\\.|'(?!''))*+(?:'''|\\?\Z)"
    r'|"(?:[^"\\\r\n]|\\(?:\r\n|.))*+(?:"|\\?\Z)?'
    r"|'(?:[^'\\\r\n]|\\(?:\r\n|.))*+(?:'|\\?\Z)?"
)
"""A string of Python without its prefix; one that is not closed ends with its line, or with the text."""
_COMMENT = r"//[^\r\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)"
_DOUBLE = r'"(?:[^"\\\r\n]|\\.)*+"?'
_SINGLE = r"'(?:[^'\\\r\n]|\\.)*+'?"
_TRIPLE = r'"""(?:[^"\\]|\\.|"(?!""))*+(?:"""|\\?\Z)'
_CHARACTER = r"'(?:\\(?:u\{[^}'\r\n]*\}|[^\r\n][^'\r\n]{0,8})|[^\\'\r\n])'"
_TEMPLATE = r"`(?:[^`\\$]|\\.|\$(?!\{)|\$\{(?:[^{}`]|\{[^{}`]*\}|`(?:[^`\\]|\\.)*+`){0,64}+\})*+(?:`|\\?\Z)?"
_REGEX = r"(?:(?<=[=(,:;!&|?{}\[\n])|(?<=return))[ \t]*+/(?![/*])(?:[^/\\\r\n\[]|\\.|\[(?:[^\]\\\r\n]|\\.)*+\])++/\w*+"
_RAW = r'b?r(?P<hashes>#++)".*?(?:"(?P=hashes)|\Z)|b?r"[^"]*+"?|b?"(?:[^"\\]|\\.)*+"?'


class Braces(NamedTuple):
    """What is known of a language with braces."""

    strings: str
    """A pattern of its literals."""
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
    "cpp": _PLAIN._replace(tries=" catch (...) {}", strings=rf'R"(?P<bar>[^()\\\s]*+)\(.*?(?:\)(?P=bar)"|\Z)|{_PLAIN.strings}'),
    "csharp": _PLAIN._replace(tries=" finally {}", strings=rf'@"(?:[^"]|"")*+"?|{_TRIPLE}|{_PLAIN.strings}'),
    "kotlin": Braces(f"{_TRIPLE}|{_DOUBLE}|{_SINGLE}", newlines=True, commas=True, enums=True, tries=" finally {}"),
    "swift": Braces(f"{_TRIPLE}|{_DOUBLE}", newlines=True),
    "scala": Braces(f"{_TRIPLE}|{_DOUBLE}|{_CHARACTER}", newlines=True, tries=" finally {}"),
    "python": Braces(STRING, commas=True, comments=r"#[^\r\n]*+", strung=True),
    "php": Braces(f"{_DOUBLE}|{_SINGLE}", commas=True, tries=" finally {}", comments=rf"{_COMMENT}|#(?!\[)[^\r\n]*+"),
}
_CLOSERS = {"(": ")", "[": "]", "{": "}"}
_MADE: dict[str, re.Pattern[str]] = {}


def pattern(language: str) -> re.Pattern[str]:
    """Finds comments, literals, brackets and line ends."""
    if language not in _MADE:
        rules = LANGUAGES[language]
        _MADE[language] = re.compile(
            rf"(?P<comment>{rules.comments})|(?P<string>{rules.strings})|(?P<open>[(\[{{])|(?P<close>[)\]}}])"
            r"|(?P<line>\r\n?|\n)",
            re.DOTALL,
        )
    return _MADE[language]


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
    """The brackets and lines of one range. `matched` says whether every bracket has its partner."""

    def __init__(self, text: str, start: int, end: int, language: str) -> None:
        self.places: list[int] = []
        self.partner: list[int] = []
        self.lines: list[Line] = []
        self.matched = True
        self._scan(text, start, end, pattern(language))

    def _scan(self, text: str, start: int, end: int, marks: re.Pattern[str]) -> None:
        around: list[int] = []
        begin = first = start  # of the line, and of its code
        code = last = start  # where code was last seen to end, and where the last mark ends
        blank = True
        before = start
        for mark in marks.finditer(text, start, end):
            kind, at = mark.lastgroup, mark.start()
            between = text[last:at]
            stripped = between.rstrip()
            if blank and (stripped or kind != "line"):
                first = last + len(between) - len(between.lstrip())
                blank = False
                is_comment = kind == "comment" and not stripped
                self.lines.append(Line(begin, first, around[-1] if around else -1, before, is_comment))
            if stripped:
                code = last + len(stripped)
                if self.lines and self.lines[-1].is_comment and self.lines[-1].start == begin:
                    self.lines[-1] = self.lines[-1]._replace(is_comment=False)
            last = mark.end()
            if kind == "line":
                begin, blank, before = last, True, code
                continue
            if kind == "comment":
                continue
            code = last
            if kind == "open":
                around.append(len(self.places))
                self.places.append(at)
                self.partner.append(-1)
            elif kind == "close":
                self._close(text, at, around)
        rest = text[last:end]
        if blank and rest.strip():
            first = last + len(rest) - len(rest.lstrip())
            self.lines.append(Line(begin, first, around[-1] if around else -1, before, False))
        self.matched = self.matched and not around

    def _close(self, text: str, at: int, around: list[int]) -> None:
        index = len(self.places)
        self.places.append(at)
        self.partner.append(-1)
        if around and _CLOSERS[text[self.places[around[-1]]]] == text[at]:
            opener = around.pop()
            self.partner[opener], self.partner[index] = index, opener
        else:
            self.matched = False
