"""What LaTeX says in plain words: titles and names without their macros."""

from __future__ import annotations

import re
import unicodedata

from seamline.parse.latex.lex import name_set

_TOKEN = re.compile(
    r"%[^\r\n]*(?:\r\n?|\n)?[ \t]*|\\([A-Za-z@]+)\*?[ \t]*|\\(\r\n|[\s\S])?|[{}$~]|---?|``|''|[^\\{}$~%`'-]+|[\s\S]"
)
_DROPPED = name_set(
    "footnote footnotetext footnotemark thanks label cite citep citet index vspace hspace orcid email inst affil hfill"
    " vskip"
)
"""Commands that go with their argument."""
_LETTERS = {
    "L": "Ł", "l": "ł", "O": "Ø", "o": "ø", "AE": "Æ", "ae": "æ", "OE": "Œ", "oe": "œ", "AA": "Å", "aa": "å",
    "ss": "ß", "i": "ı", "j": "ȷ", "LaTeX": "LaTeX", "TeX": "TeX", "BibTeX": "BibTeX", "ldots": "…", "dots": "…",
    "textendash": "–", "textemdash": "—", "textbackslash": "\\", "textasciitilde": "~", "copyright": "©", "S": "§",
}  # fmt: skip
_ACCENTS = {
    "`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", "=": "\u0304", "u": "\u0306", ".": "\u0307",
    '"': "\u0308", "r": "\u030a", "H": "\u030b", "v": "\u030c", "d": "\u0323", "c": "\u0327", "k": "\u0328",
    "b": "\u0331",
}  # fmt: skip
_SIGNS = {"---": "—", "--": "–", "``": "“", "''": "”", "~": " ", "`": "‘", "'": "’"}
_SPACES = frozenset(("quad", "qquad", "newline", "linebreak", "par", "and", "And", "AND"))
_SPACE = re.compile(r"\s+")
_OPTION = re.compile(r"\[[^\[\]]{0,60}\]")
_AUTHORS = re.compile(r"\\(?:and|And|AND)(?![A-Za-z@])")


def plain_text(source: str, line_break: str = " ") -> str:
    """The words of a title or name: macros go, their arguments stay, accents become letters."""
    reader = _Reader(source, line_break)
    for match in _TOKEN.finditer(source):
        if match[0][0] != "%" and match.start() >= reader.after:
            reader.take(match)
    return _SPACE.sub(" ", unicodedata.normalize("NFC", "".join(reader.out))).strip()


class _Reader:
    """Takes a title piece by piece."""

    def __init__(self, source: str, line_break: str) -> None:
        self.source = source
        self.line_break = line_break
        self.out: list[str] = []
        self.after = 0
        """What comes before this is done with."""
        self._accent = ""
        self._in_math = False
        self._depth = 0
        self._dropped = 0
        """The depth from which on everything goes with the command that it belongs to; 0 where nothing does."""
        self._drop_next = False
        self._after_group = False

    def take(self, match: re.Match[str]) -> None:
        piece = match[0]
        if piece in "{}":
            self._brace(piece)
            return
        self._after_group = False
        if self._dropped:
            return
        if piece == "$":
            self._in_math = not self._in_math
        elif match[1]:
            self._command(match[1], match.end())
        elif piece[0] == "\\":
            self._sign(match[2] or "")
        else:
            text = _SIGNS.get(piece, piece)
            self.out.append(text[0] + self._accent + text[1:] if self._accent else text)
            self._accent = ""

    def _brace(self, piece: str) -> None:
        if piece == "}":
            if self._dropped and self._depth <= self._dropped:
                self._dropped = 0
            self._depth -= 1
            self._after_group = True
            return
        self._depth += 1
        if self._drop_next and not self._dropped:
            self._dropped = self._depth
        elif self._after_group and not self._dropped:
            self.out.append(" ")  # two arguments are two words
        self._drop_next = self._after_group = False

    def _command(self, word: str, end: int) -> None:
        if word in _ACCENTS:
            self._accent = _ACCENTS[word]
            return
        if word in _DROPPED:
            option = _OPTION.match(self.source, end)
            self.after = option.end() if option else end
            self._drop_next = self.source.startswith("{", self.after)
            return
        self.out.append(_LETTERS.get(word, " " if word in _SPACES else word if self._in_math else ""))

    def _sign(self, sign: str) -> None:
        """A backslash and one sign."""
        if sign in _ACCENTS and not self._in_math:
            self._accent = _ACCENTS[sign]
        elif sign == "\\":
            self.out.append(self.line_break)
        elif sign.isspace():
            self.out.append(" ")
        elif sign not in "-/,;:!()[]":
            self.out.append(sign)


def authors(source: str) -> list[str]:
    """The authors, each with what stands below the name."""
    found = (plain_text(one, ", ").strip(" ,") for one in _AUTHORS.split(source))
    return [re.sub(r"(?:\s*,)+", ",", one) for one in found if one]
