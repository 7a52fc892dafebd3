"""What stands in a text beside what it says: references, notes to its authors, footnote marks and citations."""

from __future__ import annotations

import re
from collections.abc import Sequence

_NOTE = re.compile(
    r"\W*(?:"
    r"(?:TO[D]O|FIX[M]E|XXX|TBD|TBC|HACK|WIP)\b"
    r"|@to[d]o\b"
    r"|notes? (?:to|for) (?:the )?(?:\w+ )?"
    r"(?:reviewers?|authors?|editors?|self|translators?|maintainers?|contributors?|writers?)\b"
    r"|(?:reviewers?|editors?|authors?|translators?|maintainers?)(?:['’]s?)?(?: note)?(?: (?:to|for)[^:.]{0,40})?:"
    r"|lorem ipsum\b"
    r")",
    re.IGNORECASE,
)
_LOUD = re.compile(r"\W*(?:to[d]o|fix[m]e|xxx|tbd|tbc|hack|wip)\b")
"""The same words in small letters are words of a sentence, as in `hack the planet`."""

_LIST = re.compile(
    r"(?:references|bibliography|works cited|literature(?: cited)?|sources|further reading|see also|citations"
    r"|notes and references|external links)\W*",
    re.IGNORECASE,
)
"""Headings of lists of references."""

_NAMES = r"[^\W\d_a-z][\w’'-]+"
_SIGNS = (
    # An entry's number, as in `[12]` and `1.`, before a name.
    rf"^\W{{0,3}}\[?\d{{1,3}}[\].)]\s+(?:[^\W\d_a-z]\.|{_NAMES},|https?:)",
    # Initials: `K. Brandt`, `Holm, P.`, `Varga A, Lind S.`
    rf"(?:^|[\s,;(])(?:(?:[^\W\d_a-z]\.[ -]?){{1,3}}{_NAMES}|{_NAMES},? (?:[^\W\d_a-z]\.[ -]?){{1,3}}"
    rf"|{_NAMES} [^\W\d_a-z]{{1,2}}(?=[,.]))",
    # A year where references have it: `(2004).`, `, 2019,`, `; 1998.`, `2011;34`.
    r"\((?:19|20)\d\d[a-z]?\)[.,:]|[,;:] (?:19|20)\d\d[.,;)]|(?:19|20)\d\d;\d",
    # Pages and volumes.
    r"\bpp?\. ?\d|\b\d+\(\d+\)|\b\d+:\d+[-–]\d+|\bvol\. ?\d|, \d{1,4}[-–]\d{1,4}\.?$|\b\d{2,4}-\d{2}\b",
    # Where it can be found.
    r"\bdoi:|\barxiv:|\bisbn\b|\bissn\b|\(accessed |\bretrieved (?:on|from)\b",
    # Who published it.
    r"\bproc\.|\bconf\.|\bjournal of\b|\btechnical report\b|\buniv\.|\b\d(?:st|nd|rd|th) edn?\b|\beds?\."
    r"|\beditors\.|: [^\W\d_a-z]\w+(?: \w+)? press\b|\bpress; \d|\bet al\b",
)
_REFERENCE = [re.compile(sign, re.IGNORECASE if at in (4, 5) else 0) for at, sign in enumerate(_SIGNS)]
_ALWAYS = re.compile(
    r"\W*(?:ibid\b|op\. ?cit\b|see also\b|cf\. |arxiv:\S+|doi:\S+|(?:\[\d+\]\s*)?https?://\S+\s*(?:\(accessed[^)]*\))?\.?$)",
    re.IGNORECASE,
)

_CITED = (
    re.compile(r"\s?\[(?:\d{1,3}|[a-z]|[*†‡]|n\. ?\d+|note \d+|citation needed)(?:\s?[,;–-]\s?\d{1,3}){0,9}\](?!\()"),
    re.compile(r"(?<=[\w.,;:!?)”\"°%])[¹²³⁴-⁹⁰]{1,3}(?=[\s.,;:)]|$)(?<![mk][²³])"),
    re.compile(r"(?<=[a-z.,;:!?)”\"])[†‡]+"),
    re.compile(
        r"\s?\((?:see|cf\.|compare)(?: also)? "
        r"(?:note|footnote|chapter|section|fig(?:ure|\.)|table|appendix|page|p\.)[^()]{0,60}\)", re.IGNORECASE
    ),
    re.compile(
        rf"\s?\((?:see |e\.g\.,? |cf\. )?{_NAMES}[^()]{{0,80}}?,? (?:19|20)\d\d[a-z]?(?:, pp?\. ?[\d–-]+)?"
        rf"(?:; ?{_NAMES}[^();]{{0,80}}?,? (?:19|20)\d\d[a-z]?){{0,9}}\)"
    ),
)  # fmt: skip
_LEADING = re.compile(r"^(?:\\?[*†‡]+\s+|\[\^?\w{1,9}\]:?\s+|:\s+|(?:NOTE|Note|N\.B\.|NB):\s+)")


def is_note(text: str) -> bool:
    """Whether a paragraph is meant for those who write the text."""
    return bool(_NOTE.match(text)) and not _LOUD.match(text)


def is_reference(text: str, has_verb: bool) -> bool:
    """Whether a paragraph names a source and says nothing about it. A paragraph with a verb needs more signs."""
    if _ALWAYS.match(text):
        return True
    signs = sum(bool(sign.search(text)) for sign in _REFERENCE)
    return signs >= (4 if has_verb else 2)


def is_reference_list(headings: Sequence[str]) -> bool:
    """Whether a section lists references, by its heading."""
    return bool(headings) and _LIST.fullmatch(headings[-1].strip()) is not None


def without_marks(text: str) -> str:
    """A sentence without the marks of footnotes, the citations in brackets and what announces a note."""
    text = _LEADING.sub("", text, count=1)
    for mark in _CITED:
        text = mark.sub("", text)
    return " ".join(text.split())
