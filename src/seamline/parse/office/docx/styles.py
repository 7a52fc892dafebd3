"""Styles and lists of a Word document: which paragraphs are headings, captions, code or hidden, and what stands before
each item, counted as Word counts it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from seamline.parse.office.ooxml import attribute, child, is_on, name_of, number, value

_LONGEST_CHAIN = 50
"""Styles based on styles; a chain that comes back to itself ends here."""
_BODY_LEVEL = 9
"""The outline level that says: no heading."""
_HEADING = re.compile(
    r"(?:heading|ü?berschrift|titre|título|titulo|ttulo|titolo|encabezado|kop|rubrik|overskrift|otsikko|nagłówek|"
    r"nagwek|nadpis|заголовок|标题|標題|見出し|제목|címsor|cmsor|başlık|balk|titlu|naslov|επικεφαλίδα|judul|tiêu đề)"
    r"[ _-]?([1-9])(?: char| zchn| car)?"
)
_TITLE = frozenset((
    "title", "titel", "titre", "título", "titulo", "titolo", "tittel", "otsikko", "tytuł", "název", "заголовок",
    "标题", "標題", "表題", "제목", "başlık",
))  # fmt: skip
_CAPTION = re.compile(
    r"caption|beschriftung|légende|lgende|leyenda|legenda|didascalia|bijschrift|beskrivning|billedtekst|bildetekst|"
    r"kuvaotsikko|podpis|название объекта|题注|圖表標號|図表番号|캡션|caption \w+|(?:figure|table|image) ?caption"
)
_CODE = re.compile(
    r".*\b(?:source ?code|code ?block|sourcecode|verbatim|preformatted|html preformatted|macro text)\b.*|code|"
    r"code \w+|htmlpreformatted|plain ?text code"
)
_CONTENTS = re.compile(r"(?:toc|verzeichnis|tm|contents|inhalt\w*|tabla de contenido|оглавление|目录|目次) ?([1-9])")
_QUOTE = re.compile(
    r"(?:intense |block )?(?:quote|quotation|zitat|citation|cita|citazione|citat|цитата|引用)|block text"
)
_CONTINUED = re.compile(r"list ?continue ?\d?|listenfortsetzung ?\d?")
_MONO = re.compile(
    r"courier.*|consolas|menlo|monaco|monospace|.*\bmono\b.*|lucida console|andale mono|fira code|source code pro"
)


@dataclass(frozen=True, slots=True)
class ParagraphStyle:
    """What one style says itself."""

    name: str
    based_on: str
    outline: int | None
    numbering: str
    level: str
    hidden: bool | None
    mono: bool


@dataclass(frozen=True, slots=True)
class ParagraphLook:
    """What a paragraph of a style is, after all that the style is based on."""

    kind: str = "paragraph"
    """heading, title, caption, code, contents, quote, continued or paragraph."""
    level: int = 0
    numbering: str = ""
    """The list its style puts it into, empty for none."""
    list_level: str = ""
    hidden: bool = False
    mono: bool = False


_PLAIN = ParagraphLook()


class DocxStyles:
    """The styles of a document, by id."""

    def __init__(self, root: Any | None) -> None:
        self._styles: dict[str, ParagraphStyle] = {}
        self._looks: dict[str, ParagraphLook] = {"": _PLAIN}
        self._usual = ""
        for one in [] if root is None else root:
            if name_of(one) == "w:style":
                self._add(one)

    def _add(self, one: Any) -> None:
        key = attribute(one, "styleId")
        outline = value(one, "w:pPr", "w:outlineLvl")
        numbering = child(one, "w:pPr", "w:numPr")
        self._styles[key] = ParagraphStyle(
            value(one, "w:name").casefold() or key.casefold(),
            value(one, "w:basedOn"),
            number(outline, 0, _BODY_LEVEL, _BODY_LEVEL) if outline else None,
            "" if numbering is None else value(numbering, "w:numId"),
            "" if numbering is None else value(numbering, "w:ilvl"),
            is_on(one, "w:rPr", "w:vanish"),
            is_mono(child(one, "w:rPr")),
        )
        if attribute(one, "type") == "paragraph" and attribute(one, "default") in ("1", "true", "on"):
            self._usual = key

    def look(self, key: str) -> ParagraphLook:
        """What paragraphs of a style are; one that is not there counts by its name."""
        key = key or self._usual
        if key not in self._looks:
            self._looks[key] = self._resolve(key)
        return self._looks[key]

    def numbering_of(self, key: str) -> str:
        """The list that a numbering style stands for."""
        return next((one.numbering for one in self._chain(key) if one.numbering), "")

    def _chain(self, key: str) -> Iterator[ParagraphStyle]:
        for _ in range(_LONGEST_CHAIN):
            one = self._styles.get(key)
            if one is None:
                return
            yield one
            key = one.based_on

    def _resolve(self, key: str) -> ParagraphLook:
        chain = list(self._chain(key)) or [ParagraphStyle(key.casefold(), "", None, "", "", None, False)]
        kind, level = _kind(key, chain)
        listed = next((one for one in chain if one.numbering), None)
        hidden = next((one.hidden for one in chain if one.hidden is not None), False)
        mono = any(one.mono for one in chain)
        if listed is None:
            return ParagraphLook(kind, level, hidden=hidden, mono=mono)
        list_level = next((one.level for one in chain if one.level), "")
        return ParagraphLook(kind, level, listed.numbering, list_level, hidden, mono)


def is_mono(properties: Any | None) -> bool:
    """Whether run properties ask for a font of equal widths."""
    fonts = None if properties is None else child(properties, "w:rFonts")
    return fonts is not None and _MONO.fullmatch(attribute(fonts, "ascii").casefold()) is not None


def _kind(key: str, chain: list[ParagraphStyle]) -> tuple[str, int]:
    """The kind and level of a style's paragraphs: by outline level first, else by name, its own before its base's."""
    outline = next((one.outline for one in chain if one.outline is not None), None)
    if outline is not None and outline < _BODY_LEVEL:
        return "heading", outline + 1
    for position, one in enumerate(chain):
        kind, level = _kind_by_name(one.name)
        if kind == "paragraph" and position == 0:
            kind, level = _kind_by_name(key.casefold())
        if kind == "heading" and outline is not None:
            continue  # based on a heading, but says that it is none
        if kind != "paragraph" and (position == 0 or kind != "title"):
            return kind, level
    return "paragraph", 0


def _kind_by_name(name: str) -> tuple[str, int]:
    if found := _HEADING.fullmatch(name):
        return "heading", int(found[1])
    if name in _TITLE:
        return "title", 1
    if found := _CONTENTS.fullmatch(name):
        return "contents", int(found[1])
    for pattern, kind in ((_CAPTION, "caption"), (_CODE, "code"), (_QUOTE, "quote"), (_CONTINUED, "continued")):
        if pattern.fullmatch(name):
            return kind, 0
    return "paragraph", 0


_LEVELS = 9
_MOST = 1_000_000
_LONGEST_LABEL = 40
_PLACE = re.compile(r"%([1-9])")
_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
    (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_BIGGEST_ROMAN = 3999


@dataclass(frozen=True, slots=True)
class NumberingLevel:
    """How one level of a list is numbered."""

    start: int = 1
    format: str = "decimal"
    text: str = ""
    restarts: bool = True
    legal: bool = False
    style: str = ""


@dataclass(frozen=True, slots=True)
class _List:
    """A use of a list: its pattern, and what it changes about it."""

    pattern: str
    levels: dict[int, NumberingLevel]
    starts: dict[int, int]


class DocxNumbering:
    """The lists of a document and how far each has counted."""

    def __init__(self, root: Any | None, styles: DocxStyles) -> None:
        self._patterns: dict[str, dict[int, NumberingLevel]] = {}
        self._links: dict[str, str] = {}
        self._lists: dict[str, _List] = {}
        self._counts: dict[str, list[int | None]] = {}
        self._begun: set[tuple[str, int]] = set()
        self._styles = styles
        for one in [] if root is None else root:
            if name_of(one) == "w:abstractNum":
                self._pattern(one)
            elif name_of(one) == "w:num":
                self._list(one)

    def _pattern(self, one: Any) -> None:
        key = attribute(one, "abstractNumId")
        self._patterns[key] = dict(_level(each) for each in one if name_of(each) == "w:lvl")
        if link := value(one, "w:numStyleLink"):
            self._links[key] = link

    def _list(self, one: Any) -> None:
        levels: dict[int, NumberingLevel] = {}
        starts: dict[int, int] = {}
        for change in one:
            if name_of(change) != "w:lvlOverride":
                continue
            index = number(attribute(change, "ilvl"), 0, _LEVELS - 1, 0)
            levels |= dict(_level(each) for each in change if name_of(each) == "w:lvl")
            if start := value(change, "w:startOverride"):
                starts[index] = number(start, 0, _MOST, 1)
        self._lists[attribute(one, "numId")] = _List(value(one, "w:abstractNumId"), levels, starts)

    def level_of(self, key: str, given: str, style: str) -> int:
        """The level, from 0, that a paragraph has in a list: as it says, else the one that is tied to its style."""
        if given:
            return number(given, 0, _LEVELS - 1, 0)
        if style and (used := self._find_list(key)) is not None:
            levels = self._patterns.get(used.pattern, {})
            return next((index for index, one in levels.items() if one.style == style), 0)
        return 0

    def label(self, key: str, index: int) -> str | None:
        """What stands before the next item of a list: `-` for a bullet, a number, or None where there is nothing."""
        used = self._find_list(key)
        if used is None:
            return None
        levels = {**self._patterns.get(used.pattern, {}), **used.levels}
        counts = self._counts.setdefault(used.pattern, [None] * _LEVELS)
        for each, start in used.starts.items():
            if (key, each) not in self._begun and each <= index:
                self._begun.add((key, each))
                counts[each] = start - 1
        for each in range(index):
            if counts[each] is None:
                counts[each] = levels.get(each, NumberingLevel()).start
        level = levels.get(index, NumberingLevel(format="bullet"))
        before = counts[index]
        counts[index] = level.start if before is None else before + 1
        for each in range(index + 1, _LEVELS):
            if levels.get(each, NumberingLevel()).restarts:
                counts[each] = None
                if (key, each) in self._begun:
                    counts[each] = used.starts[each] - 1
        return _format_label(level, levels, counts)

    def _find_list(self, key: str) -> _List | None:
        """A list; one that only names a numbering style is the list of that style."""
        used = self._lists.get(key)
        if used is not None and used.pattern in self._links:
            used = self._lists.get(self._styles.numbering_of(self._links[used.pattern]), used)
        return used


def _level(one: Any) -> tuple[int, NumberingLevel]:
    index = number(attribute(one, "ilvl"), 0, _LEVELS - 1, 0)
    return index, NumberingLevel(
        number(value(one, "w:start"), 0, _MOST, 1),
        value(one, "w:numFmt") or "decimal",
        value(one, "w:lvlText")[:_LONGEST_LABEL],
        value(one, "w:lvlRestart") != "0",
        bool(is_on(one, "w:isLgl")),
        value(one, "w:pStyle"),
    )


def _format_label(level: NumberingLevel, levels: dict[int, NumberingLevel], counts: list[int | None]) -> str | None:
    if level.format == "bullet":
        return "-"
    if not level.text.strip():
        return None

    def counted(found: re.Match[str]) -> str:
        index = int(found[1]) - 1
        one = levels.get(index, NumberingLevel())
        count = counts[index]
        return numeral(one.start if count is None else count, "decimal" if level.legal else one.format)

    return " ".join(_PLACE.sub(counted, level.text).split())[:_LONGEST_LABEL] or None


def numeral(count: int, written: str) -> str:
    """A number as a list writes it."""
    if count > 0 and written in ("lowerLetter", "upperLetter"):
        letter = chr(ord("a") + (count - 1) % 26) * min((count - 1) // 26 + 1, 10)
        return letter if written == "lowerLetter" else letter.upper()
    if 0 < count <= _BIGGEST_ROMAN and written in ("lowerRoman", "upperRoman"):
        roman = _roman(count)
        return roman if written == "lowerRoman" else roman.upper()
    if written == "decimalZero":
        return f"{count:02}"
    return "" if written == "none" else str(count)


def _roman(count: int) -> str:
    out = ""
    for size, letters in _ROMAN:
        times, count = divmod(count, size)
        out += letters * times
    return out
