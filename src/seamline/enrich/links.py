r"""From words of a chunk to the chunk they speak of: `Figure 3`, `\ref{fig:pump}`, `[here](#setup)` to captions
with numbers, numbered headings, labels and anchors; and from tables to the text about them.

A wrong link is worse than none: where two things have one number, words that name it point at neither, and
words about another document (`Figure 3 of Smith et al.`, `RFC 7231, Section 5.3`) point at nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from seamline.facts import Link
from seamline.formats import BY_MEDIA_TYPE, BY_NAME
from seamline.text.captions import NUMBER, WORD, Label, caption, kind_of
from seamline.text.headings import heading_text
from seamline.text.tables import Table, tables
from seamline.types import NO_DETAIL, Block, Chunk, Document

_NAMES = 2
"""Columns that a paragraph beside a table names where it speaks of it."""
_SHORT = 3
_LONG = 5
"""Letters of a column's name that is looked for, and that one of them has: `id` is in many words."""
_ON_PAGE = 3
"""Figures or tables of a page above which standing on one page says little."""


def links(chunks: Sequence[Chunk]) -> dict[str, tuple[Link, ...]]:
    """Per id of a chunk, where its words point, in order; chunks without links are left out. Chunks may be of several
    documents; words never point from one to another."""
    by_document: dict[int, list[Chunk]] = defaultdict(list)
    for chunk in chunks:
        if chunk.level == 0:
            by_document[id(chunk.document)].append(chunk)
    out: dict[str, tuple[Link, ...]] = {}
    for some in by_document.values():
        out |= _Linker(some[0].document, some).links()
    return out


class _Linker:
    """Finds the links between the chunks of one document."""

    def __init__(self, document: Document, chunks: Sequence[Chunk]) -> None:
        self._document = document
        self._chunks = chunks
        self._starts = [chunk.start for chunk in chunks]
        self._targets = Targets(document)
        self._found: dict[int, dict[tuple[str, int], Link]] = defaultdict(dict)

    def links(self) -> dict[str, tuple[Link, ...]]:
        self._pointers()
        self._neighbours()
        self._named_columns()
        self._pages()
        ids = [chunk.id for chunk in self._chunks]
        return {
            ids[at]: tuple(sorted(found.values(), key=lambda link: link[2:]))
            for at, found in sorted(self._found.items())
        }

    def _at(self, offset: int) -> int:
        """The number of the chunk that holds a place, or of the next; -1 where there is none."""
        at = bisect_right(self._starts, offset) - 1
        if at >= 0 and self._chunks[at].end > offset:
            return at
        return at + 1 if at + 1 < len(self._chunks) else -1

    def _add(self, kind: str, start: int, end: int, target: int) -> bool:
        """A link from the words of a span, unless it points into their own chunk; the first of several counts."""
        source = self._at(start)
        if source < 0 or target < 0 or source == target:
            return False
        text = " ".join(self._document.text[start:end].split())
        self._found[source].setdefault((kind, target), Link(kind, text, start, end, self._chunks[target].id))
        return True

    # --- words that name something --------------------------------------------------------------------------------

    def _pointers(self) -> None:
        targets = self._targets
        for one in pointers(self._document):
            if one.start in targets.own:
                continue
            places = targets.named.get(one.name) if one.name else self._numbered(one.kind, one.number)
            chunks = {self._at(place) for place in places or ()}
            if not places or len(chunks) != 1:
                continue
            kind = one.kind or targets.kind_at(min(places))
            kind = "section" if kind == "appendix" else kind
            target = chunks.pop()
            if self._add(kind, one.start, one.end, target) and kind == "table":
                self._back(min(places), self._at(one.start))

    def _numbered(self, kind: str, number: str) -> set[int]:
        """Where a thing with a number is; part 3a of it where the thing itself is not cut into parts."""
        found = self._targets.numbered.get((kind, number))
        if found is None and number[-1:].isalpha() and len(number) > 1:
            found = self._targets.numbered.get((kind, number[:-1]))
        return found or set()

    def _back(self, place: int, target: int) -> None:
        """From a table to the text that names it: from its caption, where that is in the same chunk."""
        label = self._targets.labels.get(place)
        start, end = (label.start, label.end) if label else (place, place)
        if label is None or self._at(label.start) != self._at(place):
            start, end = place, self._line_end(place)
        self._add("discusses", start, end, target)

    def _line_end(self, start: int) -> int:
        text = self._document.text
        end = text.find("\n", start)
        return min(len(text) if end < 0 else end, start + 200)

    # --- neighbours -----------------------------------------------------------------------------------------------

    def _neighbours(self) -> None:
        """The table below, where there is one directly below."""
        document = self._document
        tops = [document.blocks[top] for top in document.tops]
        starts = [block.start for block in tops]
        for near in neighbours(document):
            at = bisect_right(starts, near.start) - 1
            beside = at + 1 if near.after else at - 1
            if at < 0 or tops[at].kind != "paragraph" or not 0 <= beside < len(tops) or tops[beside].kind != near.kind:
                continue
            place = tops[beside].start if near.after else tops[beside].end - 1
            kind = "listing" if near.kind == "code" else near.kind
            self._add(kind, near.start, near.end, self._at(place))

    def _named_columns(self) -> None:
        """A table and the paragraph before or after it that names columns of it."""
        document = self._document
        numbers = {top: position for position, top in enumerate(document.tops)}
        for table in tables(document):
            position = numbers.get(table.index)
            if position is None:
                continue
            for beside, edge in ((position - 1, table.span.start), (position + 1, table.span.end - 1)):
                if 0 <= beside < len(numbers):
                    self._discussed(table, edge, document.blocks[document.tops[beside]])

    def _discussed(self, table: Table, edge: int, block: Block) -> None:
        if block.kind != "paragraph" or block.start in self._targets.labels:
            return
        words = list(_columns_named(table, self._document.text[block.start : block.end]))
        if len(words) < _NAMES or max(end - start for start, end in words) < _LONG:
            return
        start, end = min(words)
        here = self._at(block.start + start)
        if self._add("discusses", block.start + start, block.start + end, self._at(edge)):
            row = (table.header or table.body)[0] if edge == table.span.start else table.body[-1]
            self._add("discusses", row.start, self._line_end(row.start), here)

    # --- pages ----------------------------------------------------------------------------------------------------

    def _pages(self) -> None:
        """Figures and tables that stand on one page."""
        if self._document.anchors is None:
            return
        shown: dict[int, dict[str, list[Block]]] = defaultdict(lambda: {"figure": [], "table": []})
        for block in self._document.blocks:
            if block.kind in ("figure", "table"):
                pages = self._page(block.start), self._page(block.end - 1)
                if pages[0] and pages[0] == pages[1]:
                    shown[pages[0]][block.kind].append(block)
        for found in shown.values():
            if len(found["figure"]) <= _ON_PAGE and len(found["table"]) <= _ON_PAGE:
                for figure in found["figure"]:
                    for table in found["table"]:
                        self._on_page(figure, table)

    def _page(self, offset: int) -> int:
        """The page a place is on; 0 where that is not known."""
        runs = self._document.anchors.runs_in(offset, offset + 1) if self._document.anchors is not None else ()
        return next((int(run.place["page"]) for run in runs if "page" in run.place), 0)

    def _on_page(self, figure: Block, table: Block) -> None:
        for one, other in ((figure, table), (table, figure)):
            label = self._targets.labels.get(one.start)
            inside = label is not None and self._at(label.start) == self._at(one.start)
            start, end = (label.start, label.end) if label and inside else (one.start, self._line_end(one.start))
            self._add("page", start, end, self._at(other.start))


def _columns_named(table: Table, text: str) -> Iterator[tuple[int, int]]:
    """Where the names of a table's columns stand in a text, each once."""
    for column in table.columns[:100]:
        name = column.name.strip("`*_ ")
        if len(name) >= _SHORT and not name.startswith("column ") and any(map(str.isalpha, name)):
            found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE)
            if found:
                yield found.span()


_LOOK = 2000
"""Characters of a block that are looked at for a caption."""
_NESTED = 50
"""Blocks before a place that may be around it and are looked at."""
_PICTURE = re.compile(r"\s*(?:!\[|<(?:img|picture|figure|svg)\b)", re.IGNORECASE)
_ALT = re.compile(r"\s*!?\[([^\]\n]{1,300})\]")
_SECTION = re.compile(
    r"(?:(?:section|chapter|abschnitt|kapitel|chapitre)\s|§\s?)?(\d+(?:\.\d+){0,5})[.:)]?\s+\S", re.IGNORECASE
)
_APPENDIX = re.compile(r"(?:appendix|anhang|annexe?)\s+([A-Z]|\d+)\b", re.IGNORECASE)
_TAG = re.compile(r"\\tag\{(\d+(?:\.\d+)*)\}")
_NUMBERED = re.compile(r"\((\d+(?:\.\d+)*)\)\s*(?:\$\$)?\s*\Z")
_LABEL = re.compile(r"\\label\{([^{}\s]{1,100})\}")
_ID = re.compile(r"<\w{1,12}\s(?:[^<>]{0,200}\s)?(?:id|name)=[\"']?([^\"'\s<>]{1,100})")
_HEADING_ID = re.compile(r"\{\s?#([\w:.-]{1,100})[^{}]{0,100}\}\s*\Z")
_RST_TARGET = re.compile(r"\s*\.\. _(`[^`\n]{1,100}`|[^:`\n]{1,100}):\s*\Z")
_RST_NAME = re.compile(r"^[ \t]+:name: ([^\n]{1,100})$", re.MULTILINE)
_NOT_SLUG = re.compile(r"[^\w\- ]")
_SHOWN = {"figure": "figure", "table": "table", "code": "listing", "math": "equation", "heading": "section"}
"""Kinds of blocks -> what is said of them."""


class Targets:
    """Per thing that can be pointed at, the places where it is; several where that is not clear."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.blocks = [block for block in document.blocks if block.kind != "row"]
        self._starts = [block.start for block in self.blocks]
        self.numbered: dict[tuple[str, str], set[int]] = defaultdict(set)
        """By kind and number."""
        self.named: dict[str, set[int]] = defaultdict(set)
        """By label, id or slug."""
        self.labels: dict[int, Label] = {}
        """Captions by the place of what they belong to; their own where that is not known."""
        self.own: set[int] = set()
        """Where the labels of captions start: they point at nothing."""
        self._captions()
        self._headings()
        self._equations()
        self._names()

    def kind_at(self, offset: int, default: str = "section") -> str:
        """What stands at a place: figure, table, listing, equation, section."""
        last = bisect_right(self._starts, offset) - 1
        for at in range(last, max(-1, last - _NESTED), -1):
            block = self.blocks[at]
            name = (block.detail or NO_DETAIL).name or ""
            if block.end > offset and (block.kind in _SHOWN or name.rstrip("*") in ("figure", "table")):
                return _SHOWN.get(block.kind) or name.rstrip("*")
            if block.parent < 0:
                break
        return default

    # --- captions -------------------------------------------------------------------------------------------------

    def _captions(self) -> None:
        weak: list[tuple[tuple[str, str], int]] = []
        for index, block in enumerate(self.blocks):
            if block.kind not in ("figure", "paragraph", "item", "quote"):
                continue
            start, label = self._label(block)
            if label is None:
                continue
            self.own.add(start + label.start)
            label = label._replace(start=start + label.start, end=start + label.end)
            if label.continued:
                continue
            key = (label.kind, label.number)
            shown = self._shown(index, label.kind)
            self.labels.setdefault(block.start if shown is None else shown, label)
            if shown is None:
                weak.append((key, block.start))
            else:
                self.numbered[key].add(shown)
        seen = set(self.numbered)
        for key, at in weak:  # a caption whose figure is not seen counts where no other has its number
            if key not in seen:
                self.numbered[key].add(at)

    def _label(self, block: Block) -> tuple[int, Label | None]:
        """The label of a block's caption, and where the text starts in which it was found."""
        text = self.document.text[block.start : min(block.end, block.start + _LOOK)]
        label = caption(text)
        if label is None and (alt := _ALT.match(text)):
            return block.start + alt.start(1), caption(alt[1])
        return block.start, label

    def _shown(self, index: int, kind: str) -> int | None:
        """Where the thing starts that a caption belongs to: the block itself, or a neighbour of its kind."""
        block = self.blocks[index]
        if block.kind == "figure" and kind != "table":
            return block.start
        near = (index + 1, index - 1) if kind == "table" else (index - 1, index + 1)
        for other in near:
            if 0 <= other < len(self.blocks) and self._shows(self.blocks[other], kind):
                return self.blocks[other].start
        return block.start if block.kind == "figure" else None

    def _shows(self, block: Block, kind: str) -> bool:
        if block.kind in ("paragraph", "html", "jsx"):
            return kind == "figure" and _PICTURE.match(self.document.text, block.start, block.end) is not None
        return _SHOWN.get(block.kind) == kind or (kind == "algorithm" and block.kind in ("code", "figure"))

    # --- headings, equations, names -------------------------------------------------------------------------------

    def _headings(self) -> None:
        slugs: Counter[str] = Counter()
        for block in self.blocks:
            if block.kind != "heading":
                continue
            title = heading_text(self.document.text, block)
            if found := _SECTION.match(title):
                self.numbered["section", found[1]].add(block.start)
            if found := _APPENDIX.match(title):
                self.numbered["appendix", found[1].upper()].add(block.start)
            if found := _HEADING_ID.search(self.document.text[block.start : block.end]):
                self.named[found[1]].add(block.start)
            slug = _NOT_SLUG.sub("", title.lower()).replace(" ", "-")
            times = slugs[slug]
            slugs[slug] += 1
            self.named[f"{slug}-{times}" if times else slug].add(block.start)
            self.named[f"title:{title.lower()}"].add(block.start)

    def _equations(self) -> None:
        for block in self.blocks:
            if block.kind == "math":
                text = self.document.text[block.start : block.end]
                found = [*_TAG.finditer(text), *filter(None, [_NUMBERED.search(text)])]
                for one in found:
                    self.numbered["equation", one[1]].add(block.start)

    def _names(self) -> None:
        text, form = self.document.text, form_of(self.document)
        code = [block for block in self.blocks if block.kind == "code"]
        starts = [block.start for block in code]
        for name, at in self._found(text, form):
            index = bisect_right(starts, at) - 1
            if index < 0 or code[index].end <= at:
                self.named[name].add(at)

    def _found(self, text: str, form: str) -> Iterator[tuple[str, int]]:
        if "\\label" in text:
            yield from ((found[1], found.start()) for found in _LABEL.finditer(text))
        if "<" in text and form in ("markdown", "mdx"):
            yield from ((found[1], found.start()) for found in _ID.finditer(text))
        if form == "rst":
            yield from ((found[1].strip().lower(), found.start()) for found in _RST_NAME.finditer(text))
            yield from self._rst_targets()

    def _rst_targets(self) -> Iterator[tuple[str, int]]:
        """Names above a block mean that block."""
        waiting: list[str] = []
        for block in self.blocks:
            found = (
                _RST_TARGET.match(self.document.text[block.start : block.end]) if block.kind == "reference" else None
            )
            if found:
                waiting.append(found[1].strip("`").lower())
            elif waiting:
                yield from ((name, block.start) for name in waiting)
                waiting = []


_SKIPPED = frozenset(("code", "front_matter", "math", "reference", "esm", "jsx", "heading", "scope"))
_PART = r"(?:(?-i:[a-h])(?!\w))?"
_WORDS = re.compile(
    rf"(?<![\w\\/.#-])(?:{WORD})[\s~\u00a0]{{0,3}}\(?(?P<number>{NUMBER}|(?<=\s)(?-i:[A-Z])(?!\w)){_PART}(?![\w/]|\.\d|-\w)",
    re.IGNORECASE,
)
_MORE = re.compile(
    rf"\)?\s{{0,2}}(?P<join>,\s?(?:and|und|et)|,|;|and|und|et|or|oder|&|to|bis|à|–|—|-)\s{{0,2}}\(?(?P<number>{NUMBER}){_PART}(?![\w/%]|\.\d|-\w|\s?(?:%|percent|mm|cm|km|ms|GB|MB|years|people|units|times)\b)",
    re.IGNORECASE,
)
_PLURAL = re.compile(r"(?:s|en|te|x|§§)\.?\Z", re.IGNORECASE)
"""Words after which several numbers may stand: `Table 2 and 3 chairs` names one table."""
_ELSEWHERE = re.compile(
    r"\)?,?\s{1,2}(?:of|in|from|by|von|aus|in der|de|du|des)\s"
    r"(?:the\s|an?\s|his\s|her\s|their\s|our\s|its\s)?"
    r"(?:\[|\(|refs?\b|(?!Section|Appendix|Chapter|Figure|Table|Part\b|This)(?-i:[A-Z])|"
    r"(?:original|supplement|supporting|online|previous|earlier|companion|full|long|extended|arxiv|same|act|"
    r"(?:\w+\s)?(?:paper|report|act|regulation|directive|specification|standard|manual|book|agreement|code|rfc))\b)"
    r"|\s?\[\d|\s\((?-i:[A-Z])\w+(?:\set\sal|,?\s\d{4})",
    re.IGNORECASE,
)
_FOREIGN = re.compile(
    r"(?:RFC\s?-?\d+|ISO[\s/\w-]{0,12}\d+|\[[^\]\n]{1,40}\]|et\sal\.?|\(\d{4}[a-z]?\)|(?<!\w)Act|U\.?S\.?C\.?|spec(?:ification)?)"
    r"[,;:]?\s{0,2}\(?(?:(?:see|cf\.|in|at|siehe|voir)\s)?\Z|\[[^\]\n]{1,40},\s?\Z|\b(?:their|his|her)\s\Z",
    re.IGNORECASE,
)
_TEX = re.compile(r"(?:[A-Z][a-z]{1,12}\.?[~ ])?\\(?:[cCvV]|auto|eq|page|name|full|title)?ref\*?\{([^{}\n]{1,300})\}")
_ANCHOR = re.compile(r"(?<!!)\[([^\[\]\n]{1,300})\]\(#([^()\s]{1,200})\)")
_ROLE = re.compile(r":(?:ref|numref):`(?:[^`<>\n]{1,200}<([^`<>\n]{1,100})>|([^`<>\n]{1,100}))`")
_TITLE = re.compile(r"(?<![`:\w])`([^`<>\n]{2,100})`_(?!_)")
_SHOWN_WORDS = "table|figure|diagram|chart|image|picture|screenshot|listing|snippet|code block|Tabelle|Abbildung"
_NEAR = re.compile(
    rf"\b(?P<thing>{_SHOWN_WORDS})\s(?P<where>below|above|unten|oben)\b|\b(?:following|folgende[rns]?)\s(?P<next>{_SHOWN_WORDS})\b",
    re.IGNORECASE,
)
_THINGS = {"table": "table", "tabelle": "table", "listing": "code", "snippet": "code", "code block": "code"}
_COMMENT = re.compile(r"(?<!\\)%")
_LINE = 2000
"""Characters of a line that are looked at."""
_MOST = 10
"""Numbers that `2 to 9` may mean."""


def form_of(document: Document) -> str:
    """The name of a document's format, however it was given; empty for one that is not known."""
    media = document.source.media_type
    one = BY_MEDIA_TYPE.get(media) or BY_NAME.get(media)
    return one.name if one else ""


class Pointer(NamedTuple):
    """Words that point at something."""

    start: int
    end: int
    kind: str
    """What they say it is; empty where they do not say."""
    number: str = ""
    name: str = ""
    """A label, an id or a slug."""


class Near(NamedTuple):
    """Words that point at a neighbour of their paragraph."""

    start: int
    end: int
    kind: str
    """The kind of block that is meant."""
    after: bool


class LinkProse:
    """Where a document has words that mean what they say: not in code, formulas and headings."""

    def __init__(self, document: Document) -> None:
        self._text = document.text if form_of(document) == "latex" else ""
        spans = sorted((block.start, block.end) for block in document.blocks if block.kind in _SKIPPED)
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in spans:
            if self._ends and start <= self._ends[-1]:
                self._ends[-1] = max(end, self._ends[-1])
            else:
                self._starts.append(start)
                self._ends.append(end)

    def holds(self, at: int) -> bool:
        index = bisect_right(self._starts, at) - 1
        return (index < 0 or self._ends[index] <= at) and not self._is_comment(at)

    def _is_comment(self, at: int) -> bool:
        """Whether a percent sign stands before a place on its line of LaTeX."""
        start = self._text.rfind("\n", max(0, at - _LINE), at) + 1
        return _COMMENT.search(self._text, start, at) is not None


def pointers(document: Document) -> Iterator[Pointer]:
    """All words of a document that name something by a number, a label or an anchor."""
    text = document.text
    prose = LinkProse(document)
    found = [*_numbers(text), *_labels(text, form_of(document))]
    yield from (one for one in sorted(found) if prose.holds(one.start))


def _numbers(text: str) -> Iterator[Pointer]:
    for found in _WORDS.finditer(text):
        kind = kind_of(found)
        if _is_foreign(text, found.start()):
            continue
        numbers = [(one, found.end()) for one in _range(found[kind], found["number"])]
        start, end = found.start(), found.end()
        while _PLURAL.search(found[kind]) and (more := _MORE.match(text, end)):
            numbers += [(one, more.end()) for one in _through(numbers[-1][0], more["join"], more["number"])]
            end = more.end()
        if not _ELSEWHERE.match(text, end):
            for number, stop in numbers:
                yield Pointer(start, stop, kind, _number(text, number, stop))


def _is_foreign(text: str, start: int) -> bool:
    return _FOREIGN.search(text[max(0, start - 60) : start]) is not None


def _number(text: str, number: str, stop: int) -> str:
    """A number with the letter of its part, `3a`, where there is one."""
    last = text[stop - 1]
    return (number + last if last.islower() and last.isalpha() and not number.endswith(last) else number).upper()


def _range(word: str, number: str) -> list[str]:
    """`Figures 2-4` are three; `Figure 2-4` is one."""
    first, dash, last = number.partition("-")
    if dash and _PLURAL.search(word) and (through := _through(first, dash, last)):
        return [first, *through]
    return [number]


def _through(first: str, join: str, last: str) -> list[str]:
    """The numbers that a joining word adds: all between two, for `2 to 5`."""
    if join in ("to", "bis", "à", "–", "—", "-") and first.isdigit() and last.isdigit():
        low, high = int(first), int(last)
        return [str(number) for number in range(low + 1, high + 1)] if low < high <= low + _MOST else []
    return [last]


def _labels(text: str, form: str) -> Iterator[Pointer]:
    if "ref" in text and "\\" in text:
        for found in _TEX.finditer(text):
            yield from (Pointer(*found.span(), "", name=name.strip()) for name in found[1].split(","))
    if form in ("markdown", "mdx"):
        yield from (Pointer(*found.span(), "", name=found[2]) for found in _ANCHOR.finditer(text))
    if form == "rst":
        yield from (Pointer(*found.span(), "", name=(found[1] or found[2]).lower()) for found in _ROLE.finditer(text))
        yield from (Pointer(*found.span(), "", name=f"title:{found[1].lower()}") for found in _TITLE.finditer(text))


def neighbours(document: Document) -> Iterator[Near]:
    """Words such as `the table below`, which mean a block beside their own."""
    prose = LinkProse(document)
    for found in _NEAR.finditer(document.text):
        if prose.holds(found.start()):
            thing = (found["thing"] or found["next"]).lower()
            after = found["where"] is None or found["where"].lower() in ("below", "unten")
            yield Near(*found.span(), _THINGS.get(thing, "figure"), after)
