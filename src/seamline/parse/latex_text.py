"""What LaTeX says in plain words: titles and names without their macros."""

from __future__ import annotations

import re
import unicodedata

_TOKEN = re.compile(
    r"%[^\r\n]*(?:\r\n?|\n)?[ \t]*|\\([A-Za-z@]+)\*?[ \t]*|\\(\r\n|[\s\S])?|[{}$~]|---?|``|''|[^\\{}$~%`'-]+|[\s\S]"
)
_DROPPED = frozenset(
    "footnote footnotetext footnotemark thanks label cite citep citet index vspace hspace orcid email inst affil hfill"
    " vskip".split()
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


def plain(source: str, line_break: str = " ") -> str:
    """The words of a title or name: macros go, their arguments stay, accents become letters."""
    out: list[str] = []
    accent = ""
    math = after_group = False
    depth = dropping = 0  # the depth from which on everything goes with the command that asked for it
    drop_next = False
    after = 0
    for match in _TOKEN.finditer(source):
        token, word, sign = match[0], match[1], match[2]
        if token[0] == "%" or match.start() < after:
            continue
        if token == "{":
            depth += 1
            if drop_next and not dropping:
                dropping = depth
            elif after_group and out and not dropping:
                out.append(" ")  # two arguments are two words
            drop_next = after_group = False
            continue
        if token == "}":
            if dropping and depth <= dropping:
                dropping = 0
            depth -= 1
            after_group = True
            continue
        after_group = False
        if dropping:
            continue
        if token == "$":
            math = not math
        elif word:
            drop_next = word in _DROPPED
            if word in _ACCENTS:
                accent = _ACCENTS[word]
            else:
                out.append(_LETTERS.get(word, " " if word in _SPACES else word if math else ""))
            if drop_next and (option := _OPTION.match(source, match.end())):
                after = option.end()
            drop_next = drop_next and source.startswith("{", max(after, match.end()))
        elif token[0] == "\\":
            if sign in _ACCENTS and not math:
                accent = _ACCENTS[sign]
            elif sign == "\\":
                out.append(line_break)
            elif sign:
                out.append(sign if not sign.isspace() and sign not in "-/,;:!()[]" else " " if sign.isspace() else "")
        else:
            words = _SIGNS.get(token, token)
            out.append(words[0] + accent + words[1:] if accent else words)
            accent = ""
    return _SPACE.sub(" ", unicodedata.normalize("NFC", "".join(out))).strip()


def authors(source: str) -> list[str]:
    """The authors, each with what stands below the name."""
    found = (plain(one, ", ").strip(" ,") for one in _AUTHORS.split(source))
    return [re.sub(r"(?:\s*,)+", ",", one) for one in found if one]
