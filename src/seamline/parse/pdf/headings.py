"""Which paragraphs are headings, and of which level: by tags, bookmarks, size, weight and numbering."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from heapq import nlargest
from typing import NamedTuple

from seamline.parse.pdf.model import PdfPassage
from seamline.text.captions import caption

_NUMBERING = re.compile(
    r"(?:\d{1,2}(?:\.\d{1,2}){0,4}\.?|[A-Z]\.\d{1,2}(?:\.\d{1,2})*|[IVX]{1,5}\.|\u00a7\s?\d+)(?=\s)"
)
_LABEL = re.compile(r"\(?\d")
_PARTS = re.compile(r"\d{1,2}(?:\.\d{1,2}){1,4}\.?\s+[^\W\d_]")
_SENTENCE = re.compile(r"[.;,:!?\u3002\uff0c][\"'\u201d\u2019)]*$")
_QUESTION = re.compile(r"[?\uff1f][\"'\u201d\u2019)]*$")
_SPACE = re.compile(r"\W+")
_LARGER = 1.1
"""A heading is larger than the text by this, or else bold, or set apart in another way."""
_TITLE = 1.3
"""Text that is larger than others by this is a heading, whatever follows."""
_LONGEST = 200
_SHORT = 90
_DEEPEST = 6
_ALIKE = 0.95
"""Sizes that differ by less are of one level."""
_LIST, _RUN_ON = 4, 0.5
"""So many lines of a look are a list, where more than this share of them follow each other."""
_AGAIN = 3
"""A line that stands at one place of so many pages heads none of them."""


class HeadingLook(NamedTuple):
    """What headings of one level have in common; the first of two looks in ascending order is the higher level."""

    smallness: float
    plain: bool
    lower: bool
    slanted: bool


class Bookmarks(NamedTuple):
    """The bookmarks of a document: levels by (page, title) and by title alone."""

    at: Mapping[tuple[int, str], int]
    anywhere: Mapping[str, int]

    def level(self, one: PdfPassage) -> int:
        """Of the bookmark that names a passage; 0 where none does."""
        title = comparison_key(f"{one.label} {one.text}")
        return self.at.get((one.page, title)) or self.anywhere.get(title, 0)


class KnownNames(NamedTuple):
    """What is known of names in a document before its headings are."""

    outline: Bookmarks
    title: str = ""
    """What the file says it is called."""
    running: frozenset[str] = frozenset()
    """Running heads, as they are compared: they may be the name of a series, and no heading where that stands large."""


def comparison_key(text: str) -> str:
    """Text as it is compared: letters and digits alone."""
    return _SPACE.sub("", text).lower()


class UsualLook(NamedTuple):
    """What most text looks like."""

    size: float
    bold: bool
    font: str


def find_headings(passages: Sequence[PdfPassage], size: float, named: KnownNames) -> list[PdfPassage]:
    """Passages with headings told from paragraphs; `size` is that of most text."""
    usual = _usual_look(passages, size)
    title = comparison_key(named.title)
    largest = nlargest(2, [0.0, 0.0, *(one.size for one in passages if one.page == 1)])
    known: dict[int, int] = {}
    found: list[int] = []
    for index, one in enumerate(passages):
        if one.aside or one.kind not in ("paragraph", "item") or not any(c.isalnum() for c in one.text):
            continue
        level = (
            _tagged_level(one) or named.outline.level(one) or int(len(title) > 3 and comparison_key(one.text) == title)
        )
        if level:
            known[index] = level
            found.append(index)
        elif not _is_masthead(one, named, largest, usual) and _stands_out(passages, index, usual):
            found.append(index)
    found = sorted([*found, *_find_alike(passages, found)])
    found = _without_lists(passages, found, known, usual)
    levels = _levels(passages, found, known)
    return [_as_heading(one, levels[index]) if index in levels else one for index, one in enumerate(passages)]


def _is_masthead(one: PdfPassage, named: KnownNames, largest: Sequence[float], usual: UsualLook) -> bool:
    """Whether text that runs over the pages names a series or a house where it stands large. Where nothing else on the
    first page is nearly as large, it is the title; `largest` are the two largest sizes there. A single word over a
    title is a logo."""
    if comparison_key(one.text) not in named.running:
        return False
    if one.page > 1 or one.size < largest[0] or one.size < _TITLE * largest[1]:
        return True
    return len(one.text.split()) == 1 and largest[1] >= _TITLE * usual.size


def _without_lists(
    passages: Sequence[PdfPassage], found: Sequence[int], known: Mapping[int, int], usual: UsualLook
) -> list[int]:
    """Headings without those that head nothing. Where most lines of a look stand right above another of the same, they
    are a list; a line that stands at the same place of page after page is a mark of the page."""
    members: dict[HeadingLook, list[int]] = {}
    marks: dict[tuple[str, int], list[int]] = {}
    for index in found:
        if index not in known:
            one = passages[index]
            members.setdefault(look_of(one), []).append(index)
            marks.setdefault((comparison_key(one.text), round(one.box.top / 6)), []).append(index)
    gone = {index for own in marks.values() if len({passages[i].page for i in own}) >= _AGAIN for index in own}
    for look, own in members.items():
        held = set(own)
        is_small = -look.smallness < _TITLE * usual.size
        if is_small and len(own) >= _LIST and sum(index + 1 in held for index in own) > _RUN_ON * len(own):
            gone |= held
    return [index for index in found if index not in gone]


def _find_alike(passages: Sequence[PdfPassage], found: Sequence[int]) -> list[int]:
    """Single lines in italics or capitals that look like headings found, but without white space above."""
    known = set(found)
    looks = {look_of(passages[index]) for index in found if _is_slanted_or_upper(passages[index])}
    return [
        index
        for index, one in enumerate(passages)
        if index not in known
        and one.kind == "paragraph"
        and looks
        and _is_slanted_or_upper(one)
        and look_of(one) in looks
        and _is_set_apart(passages, index, is_alike=True)
    ]


def _is_slanted_or_upper(one: PdfPassage) -> bool:
    return len(one.lines) == 1 and len(one.text) <= _SHORT and (one.share("italic") > 0.95 or one.text.isupper())


def title_of(passages: Sequence[PdfPassage]) -> str:
    """The first heading of the first level, where it stands on the first page and has no number."""
    for one in passages:
        if one.kind == "heading" and one.level == 1:
            return one.text if one.page == 1 and not _depth(one) else ""
    return ""


def _tagged_level(one: PdfPassage) -> int:
    """The level that the tags of the document give a passage, or 0."""
    roles = Counter(word.role for line in one.lines for word in line.words)
    role = max(roles, key=lambda name: roles[name])
    if role == "Title":
        return 1
    return int(role[1]) if len(role) == 2 and role[0] == "H" and role[1] in "123456" else 0


def _usual_look(passages: Sequence[PdfPassage], size: float) -> UsualLook:
    bold = total = 0
    fonts: Counter[str] = Counter()
    for one in passages:
        for line in one.lines:
            for word in line.words:
                total += len(word.text)
                bold += len(word.text) if word.style.bold else 0
                fonts[word.style.font] += len(word.text)
    return UsualLook(size, bold > 0.5 * total, max(fonts, key=lambda font: (fonts[font], font), default=""))


def _stands_out(passages: Sequence[PdfPassage], index: int, usual: UsualLook) -> bool:
    one = passages[index]
    size = usual.size
    text = one.text
    if len(text) > _LONGEST or len(one.lines) > 3 or not any(c.isalpha() for c in text):
        return False
    if one.size >= _LARGER * size:
        if one.kind == "item" and len(one.lines) > 1:
            return False
        return len(text) > 1 and (
            one.size >= _TITLE * size or one.share("bold") > 0.9 or _is_followed_by_text(passages, index, size)
        )
    if one.size < 0.95 * size or len(one.lines) > 2 or len(text) > _SHORT:
        return False
    if _SENTENCE.search(text) and not (_QUESTION.search(text) and _is_answered(passages, index)):
        return False
    if index + 1 < len(passages) and _is_run_on(passages[index + 1], one):
        return False
    if one.share("bold") > 0.95 and not usual.bold:
        return one.kind == "paragraph" or bool(_LABEL.match(one.label))
    if len(one.lines) == 1 and _LABEL.match(one.label) and "" != one.lines[0].font != usual.font:
        return True
    return (
        _is_set_apart(passages, index) or _is_of_another_font(passages, index, usual) or _is_numbered(passages, index)
    )


def _is_numbered(passages: Sequence[PdfPassage], index: int) -> bool:
    """A line like the text around it, with white space above, that a number of several parts makes a heading, or its
    capitals behind one."""
    one = passages[index]
    following = passages[index + 1] if index + 1 < len(passages) else None
    if len(one.lines) > 1 or one.gap <= 0.4 * one.size or following is None or following.kind != "paragraph":
        return False
    return bool(_PARTS.match(one.text)) or (_LABEL.match(one.label) is not None and one.text.isupper())


def _is_of_another_font(passages: Sequence[PdfPassage], index: int, usual: UsualLook) -> bool:
    """A line in a font of its own over text in the usual one, with white space above it, that is no caption."""
    one = passages[index]
    if one.kind != "paragraph" or len(one.lines) > 1 or index + 1 >= len(passages) or one.gap <= 0.4 * one.size:
        return False
    font, following = one.lines[0].font, passages[index + 1]
    if font in ("", usual.font) or one.share("mono") > 0.5 or one.share("italic") > 0.5 or not one.text[0].isupper():
        return False
    if following.kind != "paragraph" or following.page != one.page or len(following.lines) < 2:
        return False
    return all(line.font == usual.font for line in following.lines) and caption(one.text) is None


def _is_followed_by_text(passages: Sequence[PdfPassage], index: int, size: float) -> bool:
    """Whether text follows a line that is but a little larger: names and dates under a title have none."""
    following = passages[index + 1] if index + 1 < len(passages) else None
    return following is not None and following.lines != [] and following.size < _LARGER * size


def _is_answered(passages: Sequence[PdfPassage], index: int) -> bool:
    """Whether a bold line has text under it that is not bold, as questions have that head an answer."""
    if passages[index].share("bold") <= 0.95 or index + 1 >= len(passages):
        return False
    following = passages[index + 1]
    return following.kind in ("paragraph", "item") and following.share("bold") < 0.5


def _is_run_on(following: PdfPassage, one: PdfPassage) -> bool:
    """Whether the next passage is more of the same: a list of bold lines is no row of headings."""
    return following.kind == one.kind == "item" and following.share("bold") > 0.95


def _is_set_apart(passages: Sequence[PdfPassage], index: int, *, is_alike: bool = False) -> bool:
    """A line in italics or capitals that text follows at once."""
    one = passages[index]
    if one.kind != "paragraph" or len(one.lines) > 1 or index + 1 >= len(passages):
        return False
    following = passages[index + 1]
    if following.kind not in ("paragraph", "item") or following.share("italic") > 0.5 or following.page != one.page:
        return False
    if not (is_alike or one.gap > 0.4 * one.size):
        return False
    text = one.text
    names = [word for word in text.split() if len(word) > 3]
    is_title = bool(names) and sum(word[0].isupper() for word in names) >= 0.6 * len(names)
    if one.share("italic") > 0.95 and (is_title or _depth(one)):
        return True
    return text.isupper() and len(text) > 4 and not text[0].isdigit()


def look_of(one: PdfPassage) -> HeadingLook:
    text = one.text
    return HeadingLook(
        -round(one.size * 2) / 2, one.share("bold") <= 0.9, not text.isupper(), one.share("italic") > 0.9
    )


def _depth(one: PdfPassage) -> int:
    """How deep a number reaches: 2 for 3.1; 0 where there is none."""
    found = _NUMBERING.match(f"{one.label} {one.text}" if one.label else one.text)
    return found.group().strip(".").count(".") + 1 if found else 0


def _levels(passages: Sequence[PdfPassage], found: Sequence[int], known: Mapping[int, int]) -> dict[int, int]:
    """The level of each heading: as tags and bookmarks say, and for others by their look among those."""
    looks = {index: look_of(passages[index]) for index in found}
    told: dict[HeadingLook, Counter[int]] = {}
    for index, level in known.items():
        told.setdefault(looks[index], Counter())[level] += 1
    levels: dict[HeadingLook, int] = {}
    last = 0
    above: HeadingLook | None = None
    for look in sorted(set(looks.values())):
        if look in told:
            last = told[look].most_common(1)[0][0]
        elif above is None or not _is_same_level(above, look):
            last += 1
        levels[look] = last
        above = look
    shallow: dict[HeadingLook, int] = {}
    for index in found:
        if depth := _depth(passages[index]):
            shallow[looks[index]] = min(depth, shallow.get(looks[index], depth))
    if not known and _is_small_title(passages, found, looks, levels):
        levels = {look: level + 1 for look, level in levels.items()}
        levels[looks[found[0]]] = 1
    out: dict[int, int] = {}
    for index in found:
        look = looks[index]
        deeper = max(_depth(passages[index]) - shallow.get(look, 0), 0) if index not in known else 0
        out[index] = min(known.get(index, levels[look] + deeper), _DEEPEST)
    return out


def _is_same_level(above: HeadingLook, look: HeadingLook) -> bool:
    """Whether two looks differ by less than a reader sees: a hair in size, and nothing else."""
    return above[1:] == look[1:] and -look.smallness > _ALIKE * -above.smallness


def _is_small_title(
    passages: Sequence[PdfPassage],
    found: Sequence[int],
    looks: Mapping[int, HeadingLook],
    levels: Mapping[HeadingLook, int],
) -> bool:
    """Whether a document opens with a title that is no larger than what follows: it looks like no other heading."""
    if not found or found[0] != 0 or passages[0].page != 1 or _depth(passages[0]):
        return False
    own = looks[0]
    return levels[own] > 1 and sum(look == own for look in looks.values()) == 1


def _as_heading(one: PdfPassage, level: int) -> PdfPassage:
    """A heading; the number of an item is part of it."""
    return PdfPassage("heading", one.lines, level, label=one.label, mark=one.mark, gap=one.gap)
