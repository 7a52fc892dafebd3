"""LaTeX source -> the marks its structure is made of, in one pass and without running a single macro.

Comments, `\\verb`, verbatim environments and what `\\iffalse` hides are stepped over; braces are paired. Every
character is looked at a fixed number of times, whatever the source: what has no end is looked for once.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from seamline.text.lines import line_end

BEGIN, END, CODE, HIDDEN, HEAD, ITEM, ROW, RULE, BLANK, DEFINE, META, GROUP = range(12)
"""What a mark is: an environment's begin and end; verbatim text; what is never typeset; a section command; an item; the
end of a table's row; a rule between rows; a blank line; a definition; title, author or date; an argument that stays
in its paragraph, such as a footnote."""

SECTIONS = ("part", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph")
_RANKS = {name: rank for rank, name in enumerate(SECTIONS)} | {"addpart": 0, "addchap": 1, "addsec": 2, "minisec": 4}
_ENDINGS = ("subsubsection", "subsection", "section", "chapter")
"""Commands of a class or of the author's own that end so are read as such: `\\olsection`, `\\mychapter`."""
_NO_SECTIONS = ("the", "At", "ref", "every", "new", "list", "begin", "end", "set")


def name_set(text: str) -> frozenset[str]:
    """The words of a text, as a set of names."""
    return frozenset(text.split())


_RULES = name_set(
    "hline toprule midrule bottomrule cline cmidrule specialrule Xhline addlinespace"
    " endhead endfirsthead endfoot endlastfoot"
)
_DEFINES = {
    **dict.fromkeys(("newcommand", "renewcommand", "providecommand", "DeclareRobustCommand"), 2),
    **dict.fromkeys(("DeclareMathOperator", "NewDocumentCommand", "RenewDocumentCommand"), 2),
    **dict.fromkeys(("newenvironment", "renewenvironment", "NewDocumentEnvironment"), 3),
    **dict.fromkeys(("def", "gdef", "edef", "xdef"), 1),
    **dict.fromkeys(("AtBeginDocument", "AtEndDocument", "AtBeginSection", "newtheoremstyle"), 1),
}
"""Commands whose arguments define something, and how many arguments in braces they have."""
_META = frozenset(("title", "author", "date"))
_GROUPS = frozenset(("footnote", "footnotetext", "thanks", "marginpar", "endnote"))
_INPUTS = name_set(
    "input include subfile subfileinclude import subimport includefrom verbatiminput VerbatimInput lstinputlisting"
    " inputminted bibliography addbibresource includepdf"
)
_DATA = name_set("verbatiminput VerbatimInput lstinputlisting inputminted bibliography addbibresource includepdf")
"""Those of them that name no LaTeX."""
_VERBS = frozenset(("verb", "lstinline", "mintinline", "Verb"))
_ADDRESSES = frozenset(("url", "href", "path", "nolinkurl"))
_VERBATIM = name_set(
    "verbatim Verbatim BVerbatim LVerbatim SaveVerbatim lstlisting minted alltt verbatimtab filecontents pycode"
    " sageblock luacode pygmented tcblisting"
)
_HIDING = frozenset(("comment",))
_NEW_VERBATIM = frozenset(("lstnewenvironment", "newminted", "DefineVerbatimEnvironment", "newtcblisting"))
_MOST_NAMES = 64

_MARK = re.compile(
    r"%[^\r\n]*|\\([A-Za-z@]+)\*?|\\(?:\r\n|[\s\S])?|[{}]|\$\$?|(?:\r\n|\n|\r(?!\n))[ \t]*(?=[\r\n])", re.ASCII
)
_NAME = re.compile(r"[ \t]*\{[ \t]*([^{}\\%\s]{1,60}?)[ \t]*\}")
_NAMED = re.compile(r"\*?[ \t]*(?:\[[^\]{}\r\n]{0,60}\])?[ \t]*\{([A-Za-z@]{1,40})\}")
_CONDITION = re.compile(r"\\(if(?!thenelse|f(?![a-z@])|def(?!ined))[A-Za-z@]*|fi)(?![A-Za-z@])")
_ADDRESS = re.compile(r"\{[^{}\s]*\}")
_INLINE = re.compile(r"(?:\[[^\]\r\n]{0,200}\])?(?:\{[A-Za-z0-9+#-]{1,40}\}(?=[^\sA-Za-z]))?")
_RULE_REST = re.compile(r"(?:\([^()\r\n]{0,20}\))?(?:\[[^\[\]\r\n]{0,40}\])?(?:\{[^{}\r\n]{0,40}\}){0,3}")
_ROW_REST = re.compile(r"\*?(?:[ \t]*\[[^\[\]\r\n]{0,40}\])?")


class LatexMark(NamedTuple):
    """One mark of the source."""

    kind: int
    start: int
    end: int
    name: str = ""
    value: int = 0
    """Of a section command, 0 for a part to 6 for a subparagraph; of a definition, how many arguments it has; of
    verbatim text, where its `\\begin{...}` ends; of a begin and of a row, how many braces are open around it."""


class LatexMarks(NamedTuple):
    """What one pass over the source finds."""

    marks: list[LatexMark]
    closes: dict[int, int]
    """Offset of an opening brace -> offset of the brace that closes it."""
    blanks: list[int]
    """Where blank lines are, ascending."""
    inputs: int
    """How many commands name other files."""
    parts: list[tuple[str, int, int]]
    """Those of them that name LaTeX: their name, where they start and where their arguments do."""
    comments: list[tuple[int, int]]
    """From each `%` to the end of its line."""
    open_braces: int
    """Braces without a partner."""
    open_math: int
    """Formulas that a blank line or the end of the source leaves open."""
    catcodes: int
    """How many times the source changes what characters mean."""


def lex(text: str) -> LatexMarks:
    return _Lexer(text).run()


class _Lexer:
    def __init__(self, text: str) -> None:
        self.text = text
        self.marks: list[LatexMark] = []
        self.closes: dict[int, int] = {}
        self.blanks: list[int] = []
        self.braces: list[int] = []
        self.inputs = self.open_braces = self.open_math = self.catcodes = 0
        self.parts: list[tuple[str, int, int]] = []
        self.comments: list[tuple[int, int]] = []
        self.verbatim = set(_VERBATIM)
        self.absent: set[str] = set()
        """Ends that are nowhere in the rest of the source."""
        self.dollar = -1
        """How many marks there were when the formula in this paragraph began; -1 in text."""
        self.display = False
        self.line_end = 0

    def run(self) -> LatexMarks:
        text, search = self.text, _MARK.search
        braces, closes = self.braces, self.closes
        found = search(text)
        while found is not None:
            start, end = found.span()
            first = text[start]
            if first == "{":
                braces.append(start)
            elif first == "}":
                if braces:
                    closes[braces.pop()] = start
                else:
                    self.open_braces += 1
            elif first == "\\":
                end = self._command(found[1], start, end) if found[1] else self._symbol(start, end)
            elif first == "$":
                end = self._dollar(start, end)
            elif first == "%":
                self.comments.append((start, end))
            else:
                self._blank(start)
            found = search(text, end)
        self.open_braces += len(braces)
        self.open_math += self.dollar >= 0
        return LatexMarks(
            self.marks,
            closes,
            self.blanks,
            self.inputs,
            self.parts,
            self.comments,
            self.open_braces,
            self.open_math,
            self.catcodes,
        )

    def _add(self, kind: int, start: int, end: int, name: str = "", value: int = 0) -> int:
        self.marks.append(LatexMark(kind, start, end, name, value))
        return end

    # --- formulas and blank lines ---------------------------------------------------------------------------------

    def _blank(self, start: int) -> None:
        if self.dollar >= 0 or self.display:
            self.open_math += 1
        self.dollar, self.display = -1, False
        self.blanks.append(start)
        self._add(BLANK, start, start)

    def _dollar(self, start: int, end: int) -> int:
        if self.dollar >= 0:  # what stands in a formula of a paragraph is no structure
            del self.marks[self.dollar :]
            self.dollar = -1
            return start + 1
        if end - start == 2:
            self._add(END if self.display else BEGIN, start, end, "$$")
            self.display = not self.display
        elif not self.display:
            self.dollar = len(self.marks)
        return end

    def _symbol(self, start: int, end: int) -> int:
        """A backslash and one character that is no letter."""
        which = self.text[start + 1 : end]
        if which == "\\":
            rest = _ROW_REST.match(self.text, end)
            return self._add(ROW, start, rest.end() if rest else end, "", len(self.braces))
        if which == "[" and self.dollar < 0:
            return self._add(BEGIN, start, end, "\\[")
        if which == "]" and self.dollar < 0:
            return self._add(END, start, end, "\\[")
        return end

    # --- commands -------------------------------------------------------------------------------------------------

    def _command(self, name: str, start: int, end: int) -> int:
        if name in ("begin", "end"):
            return self._environment(name, start, end)
        if name in _VERBS:
            return self._verb(end)
        if name in _ADDRESSES:
            match = _ADDRESS.match(self.text, end)
            return match.end() if match else end
        if name in _RULES:
            rest = _RULE_REST.match(self.text, end)
            return self._add(RULE, start, rest.end() if rest else end, name)
        if name == "iffalse":
            return self._hidden(start, end)
        if name == "tabularnewline":
            return self._add(ROW, start, end, "", len(self.braces))
        if name.endswith("item") and not name.startswith(("new", "the")):
            return self._add(ITEM, start, end, name)
        if name in _DEFINES:
            return self._add(DEFINE, start, end, name, _DEFINES[name])
        if name in _META:
            return self._add(META, start, end, name)
        if name in _GROUPS:
            return self._add(GROUP, start, end, name)
        rank = _rank(name)
        if rank >= 0:
            return self._add(HEAD, start, end, name, rank)
        self._remember(name, start, end)
        return end

    def _remember(self, name: str, start: int, end: int) -> None:
        """What a command says of the rest of the source."""
        if name in _INPUTS or name.endswith("import"):
            self.inputs += 1
            if name not in _DATA:
                self.parts.append((name, start, end))
        elif name == "catcode":
            self.catcodes += 1
        elif name in _NEW_VERBATIM and len(self.verbatim) < _MOST_NAMES and (match := _NAMED.match(self.text, end)):
            self.verbatim.add(match[1] + ("code" if name == "newminted" else ""))

    def _environment(self, which: str, start: int, end: int) -> int:
        match = _NAME.match(self.text, end)
        if match is None:
            return end
        name = match[1]
        if which == "end":
            return self._add(END, start, match.end(), name)
        bare = name.rstrip("*")
        if (bare in self.verbatim or bare in _HIDING) and self.dollar < 0:
            close = self._find(f"\\end{{{name}}}", match.end())
            if close >= 0:
                return self._add(HIDDEN if bare in _HIDING else CODE, start, close, name, match.end())
        return self._add(BEGIN, start, match.end(), name, len(self.braces))

    def _find(self, what: str, start: int) -> int:
        """One past the next place that says so, -1 where none does."""
        if what in self.absent:
            return -1
        at = self.text.find(what, start)
        if at < 0:
            self.absent.add(what)
            return -1
        return at + len(what)

    def _verb(self, end: int) -> int:
        """Step over `\\verb|...|`; the second mark stands in the same line, or there is none."""
        match = _INLINE.match(self.text, end)
        at = match.end() if match else end
        mark = self.text[at : at + 1]
        if not mark.isascii() or mark.isspace() or mark.isalnum() or not mark:
            return end
        if self.line_end < at:
            self.line_end = line_end(self.text, at, len(self.text))
        close = self.text.find("}" if mark == "{" else mark, at + 1, min(self.line_end, at + 2000))
        return close + 1 if close >= 0 else end

    def _hidden(self, start: int, end: int) -> int:
        """Step over `\\iffalse ... \\fi`, with the conditions inside it."""
        if "\\fi" in self.absent:
            return end
        depth, at = 1, end
        while depth:
            found = _CONDITION.search(self.text, at)
            if found is None:
                self.absent.add("\\fi")
                return end
            depth += -1 if found[1] == "fi" else 1
            at = found.end()
        return self._add(HIDDEN, start, at, "iffalse")


def _rank(name: str) -> int:
    """Of a section command, -1 of others."""
    if name in _RANKS:
        return _RANKS[name]
    if name.endswith(_ENDINGS) and not name.startswith(_NO_SECTIONS):
        return _RANKS[next(ending for ending in _ENDINGS if name.endswith(ending))]
    return -1
