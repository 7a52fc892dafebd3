"""The steps from the bytes of a PDF to text with headings, paragraphs, lists, tables and figures; the last one writes
passages as the text, blocks and anchors of a document."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from seamline.errors import ParseError
from seamline.parse.builder import DocumentBuilder, PlacedText
from seamline.parse.media.ocr import REMEDY, REVIEW, choose_engine
from seamline.parse.parser_types import ParseInput, ParseResult
from seamline.parse.pdf.figures import attach_captions, find_pictures, gather_pictures
from seamline.parse.pdf.headings import KnownNames, comparison_key, find_headings, title_of
from seamline.parse.pdf.model import (
    Box,
    PagePiece,
    PageSheet,
    PdfFigure,
    PdfPage,
    PdfPassage,
    PdfTable,
    PdfWord,
    TextLine,
    box_around,
    line_of,
    turn_box,
)
from seamline.parse.pdf.order import columns
from seamline.parse.pdf.pages import PageReader, read_scan
from seamline.parse.pdf.paragraphs import Compounds, is_typed, join_passages, line_seam, read_footnotes, read_passages
from seamline.parse.pdf.running import removal_notices, remove_running
from seamline.parse.pdf.side_boxes import insert_asides, take_side_boxes
from seamline.parse.pdf.source import find_flaws, open_in_turn, read_metadata, read_outline
from seamline.parse.pdf.tables import aligned_tables, ruled_tables, tables_between_rules, text_of
from seamline.types import Detail, Notice

_SURE = 0.999
_ICON = 0.01
"""A picture that covers less of its page, and has no caption, is an icon."""
_LONG = 80
"""A row of more characters may be cut between its cells: each has a place of its own."""
_DEEPEST = 6
"""Lists inside lists."""
_TICKED = {"\u2611": "- [x]", "\u2610": "- [ ]"}
"""Boxes of forms and lists that are to be ticked, as Markdown writes them."""
_MARK = re.compile(r"\d{1,3}|[*\u2020\u2021\u00a7\u00b6]{1,3}")


class PdfWriter:
    """Writes passages one after the other."""

    def __init__(self, pages: Sequence[PdfPage], compounds: Compounds, labels: set[tuple[int, str]]) -> None:
        self.builder = DocumentBuilder()
        self._pages = {page.number: page for page in pages}
        self._compounds = compounds
        self._labels = labels
        """Footnotes there are, by page and label."""

    def write(self, passages: Sequence[PdfPassage]) -> None:
        index = 0
        while index < len(passages):
            one = passages[index]
            if one.kind == "item":
                end = index
                while end < len(passages) and passages[end].kind == "item":
                    end += 1
                self._list(passages[index:end])
                index = end
                continue
            self._one(one)
            index += 1

    def _one(self, one: PdfPassage) -> None:
        if one.table is not None:
            self._table(one.table)
        elif one.kind == "heading":
            self.builder.heading(one.level, self._runs(one, lead=one.label), detail=self._sure(one))
        elif one.kind == "footnote":
            self.builder.paragraph(self._runs(one, lead=f"[^{one.label}]:"), kind="footnote", detail=self._sure(one))
        elif one.kind == "code":
            self._code(one)
        elif one.kind == "figure" and not one.lines:
            if one.figure is not None and self._is_large(one.figure):
                words = f"![{one.figure.alt or 'image'}]"
                self.builder.paragraph(words, self._place(one.figure.page, one.figure.box, 0), "figure")
        else:
            self.builder.paragraph(self._runs(one), kind=one.kind, detail=self._sure(one))

    def _is_large(self, figure: PdfFigure) -> bool:
        """Whether a picture without a word is worth one: icons are not."""
        page = self._pages[figure.page]
        return figure.box.width * figure.box.height > _ICON * page.width * page.height

    def _list(self, items: Sequence[PdfPassage]) -> None:
        """Items, those set further in below those before them."""
        builder = self.builder
        depths: list[float] = []
        opened: list[Any] = []

        def close(to: int) -> None:
            while len(opened) > to:
                opened.pop().__exit__(None, None, None)

        for item in items:
            while depths and item.indent < depths[-1] - 0.7 * item.size:
                depths.pop()
                close(2 * len(depths))
            if depths and item.indent <= depths[-1] + 0.7 * item.size:
                close(2 * len(depths) - 1)
            elif len(depths) < _DEEPEST:
                depths.append(item.indent)
                _open(opened, builder.list())
            else:
                close(2 * len(depths) - 1)
            label = item.label if item.label[-1:] in ".)" else _TICKED.get(item.label, "-")
            _open(opened, builder.item(label))
            builder.paragraph(self._runs(item), detail=self._sure(item))
        close(0)

    def _table(self, table: PdfTable) -> None:
        pages = [table.page_of(row) for row in range(len(table.rows))]
        texts = [[self._cell(words, page) for words in row] for row, page in zip(table.rows, pages, strict=True)]
        places: list[dict[str, Any] | list[dict[str, Any] | None]] = []
        for row, words, box, page in zip(texts, table.rows, table.places, pages, strict=True):
            if sum(map(len, row)) < _LONG:
                places.append(self._place(page, box, table.turn))
            else:
                held = [box_around(cell) if cell else None for cell in words]
                places.append([None if one is None else self._place(page, one, table.turn) for one in held])
        self.builder.table(texts, places)

    def _cell(self, words: Sequence[PdfWord], page: int) -> str:
        if not words:
            return ""
        line = line_of(page, list(words))
        return text_of([self._reference(word, line) for word in words])

    def _code(self, one: PdfPassage) -> None:
        left = min(line.left for line in one.lines)
        texts, places = [], []
        for line in one.lines:
            text, edges = _typed_line(line, left)
            texts.append(text)
            places.append(self._place(line.page, line.box, line.turn, edges))
        self.builder.code("\n".join(texts), places=places)

    def _sure(self, one: PdfPassage) -> Detail | None:
        """How sure a passage is that was read by sight."""
        words = [word for line in one.lines for word in line.words]
        total = sum(len(word.text) for word in words)
        sure = sum(word.sure * len(word.text) for word in words) / max(total, 1)
        return Detail(confidence=round(sure, 3)) if sure < _SURE else None

    def _runs(self, one: PdfPassage, lead: str = "") -> list[PlacedText]:
        runs: list[PlacedText] = []
        if lead:
            page, turn = one.lines[0].page, one.lines[0].turn
            runs.append(PlacedText(f"{lead} ", self._place(page, Box(*one.mark[1:5]), turn) if one.mark else None))
        last: PdfWord | None = None
        for line in one.lines:
            if last is not None:
                drops, between = line_seam(last, line.words[0], self._compounds)
                if drops:
                    runs[-1] = _shorter(runs[-1])
                if between:
                    runs[-1] = PlacedText(runs[-1].text + between, runs[-1].place)
            runs += self._line(line)
            last = line.words[-1]
        return runs

    def _line(self, line: TextLine) -> list[PlacedText]:
        """A line as one run with an edge for each character; as a run for each word where it does not run forward."""
        words = [self._reference(word, line) for word in line.words]
        if line.turn or any(word.edges is None for word in words):
            out = []
            for index, word in enumerate(words):
                follows = words[index + 1] if index + 1 < len(words) else None
                space = " " if follows is not None and not follows.glued else ""
                box = Box(word.left, word.top, word.right, word.bottom)
                out.append(PlacedText(word.text + space, self._place(line.page, box, line.turn, word.edges)))
            return out
        text: list[str] = []
        edges: list[float] = []
        for index, word in enumerate(words):
            if index and not word.glued:
                text.append(" ")
                edges.append(words[index - 1].right)
            text.append(word.text)
            edges += list(word.edges or ())[:-1]
        edges.append(words[-1].right)
        return [PlacedText("".join(text), self._place(line.page, line.box, 0, edges))]

    def _reference(self, word: PdfWord, line: TextLine) -> PdfWord:
        """A raised mark as a reference, where a footnote of the page has it as its label."""
        if word.style.size > 0.85 * line.size or word.base > line.base - 0.15 * line.size:
            return word
        found = _MARK.match(word.text)
        if found is None or (line.page, found.group()) not in self._labels or word.edges is None:
            return word
        end = found.end()
        if word.text[end : end + 1] == ")":
            end += 1
        edges = [*[word.edges[0]] * (found.end() + 3), *word.edges[end:]]
        return word._replace(text=f"[^{found.group()}]{word.text[end:]}", edges=edges)

    def _place(self, page: int, box: Box, turn: int, edges: Sequence[float] | None = None) -> dict[str, Any]:
        shown = box
        if turn:
            own = self._pages[page]
            size = (own.width, own.height) if turn % 2 == 0 else (own.height, own.width)
            shown, edges = turn_box(box, turn, *size), None
        place: dict[str, Any] = {"page": page, "box": [round(side, 2) for side in shown]}
        if edges is not None:
            place["edges"] = edges
        return place


def _open(opened: list[Any], manager: Any) -> None:
    manager.__enter__()
    opened.append(manager)


def _shorter(run: PlacedText) -> PlacedText:
    """A run without its last character, a hyphen."""
    text = run.text.rstrip(" ")[:-1]
    place = dict(run.place or {})
    if "edges" in place:
        place["edges"] = place["edges"][: len(text) + 1]
    return PlacedText(text, place)


def _typed_line(line: TextLine, left: float) -> tuple[str, list[float]]:
    """A line of code with its spaces, as wide as one of its characters each."""
    characters = sum(len(word.text) for word in line.words)
    width = max(sum(word.right - word.left for word in line.words) / max(characters, 1), 0.1)
    text: list[str] = []
    edges: list[float] = []
    at = left
    for index, word in enumerate(line.words):
        # Listings set every word apart: less than half a character is no space.
        spaces = min(max(int((word.left - at) / width + (0.5 if index == 0 else 0.4)), 0), 200)
        text.append(" " * spaces + word.text)
        own = word.edges if word.edges is not None else [word.left] * len(word.text) + [word.right]
        edges += [min(at, word.left)] * spaces + list(own[:-1])
        at = word.right
    return "".join(text), [*edges, line.words[-1].right]


_PATIENCE = 200
"""Pages after which more time is asked for: a book is long, and no page of it is slow."""
_USUAL = 1_000
"""Characters that a page is taken to hold which nobody could read, where no other page says."""


def parse(raw: ParseInput) -> ParseResult:
    """A PDF as text with headings, paragraphs, lists, tables and figures, each with its page and boxes."""
    document, pages, notices = _read(raw)
    title, meta = read_metadata(document)
    sight = _by_sight(document, pages, raw)
    notices += [*find_flaws(document, raw), *sight]
    size = _usual_size(pages)
    running = remove_running(pages, size)
    notices += removal_notices(running)
    found = _blocks(
        pages, size, KnownNames(read_outline(document), title, frozenset(comparison_key(line.text) for line in running))
    )
    text, blocks, anchors = _write(pages, found)
    notices += _remarks(pages)
    confidence = _confidence(pages)
    if confidence < REVIEW:
        notices.append(Notice("needs-review", f"the text is unsure (confidence {confidence:.2f}): have it looked at"))
    if not title:
        title = title_of(found)
    meta["pages"] = len(pages)
    return ParseResult(text, blocks, title, meta, anchors, notices=tuple(notices), confidence=confidence)


def _read(raw: ParseInput) -> tuple[Any, list[PdfPage], list[Notice]]:
    """The document in the first way to open it that gives pages, those, and what is wrong with the rest."""
    for document, notices in open_in_turn(raw):
        pages, more = _pages(document, raw)
        if pages:
            return document, pages, [*notices, *more]
    raise ParseError("no page of the PDF can be read, it is damaged: save or download it again", raw.uri)


def _pages(document: Any, raw: ParseInput) -> tuple[list[PdfPage], list[Notice]]:
    """All pages that can be read, and what is wrong with the rest."""
    count = len(document)
    reader = PageReader(document)
    pages: list[PdfPage] = []
    broken: list[int] = []
    room = raw.limits.characters
    for index in range(min(count, raw.limits.parts)):
        if index and index % _PATIENCE == 0:
            raw.ask_time(_PATIENCE / 20)
        page = reader.read(index, room)
        if page is None:
            broken.append(index + 1)
            continue
        pages.append(page)
        room -= page.characters
        if room <= 0:
            break
    notices: list[Notice] = []
    if not pages:
        return pages, notices
    if broken:
        notices.append(Notice("pages-unreadable", f"{len(broken)} of {count} pages are damaged", _list_pages(broken)))
    last = pages[-1].number
    if last < count and last not in broken and len(pages) + len(broken) < count:
        left = count - last
        notices.append(
            Notice("pages-left-out", f"{left} of {count} pages are past what one document may hold", f"page {last + 1}")
        )
    return pages, notices


def _by_sight(document: Any, pages: Sequence[PdfPage], raw: ParseInput) -> list[Notice]:
    """Read pages by OCR that are pictures or whose text says nothing, where an engine is there and allowed."""
    scans = [page for page in pages if page.scanned or page.garbled]
    if not scans:
        return []
    engine = choose_engine(raw.reading.ocr)
    if engine is None:
        return _unread_notices(scans, len(pages), is_off=raw.reading.ocr == "off")
    failed = []
    for page in scans:
        before = page.sheets, page.characters
        if read_scan(document, page, engine, raw) and page.characters:
            page.unreadable = page.unmapped = 0
            continue
        page.sure = 0.0
        page.sheets, page.characters = before
        failed.append(page.number)
    where = _list_pages([page.number for page in scans])
    notices = [Notice("ocr", f"{len(scans)} of {len(pages)} pages were read by OCR ({engine.name})", where)]
    if failed:
        notices.append(Notice("no-text", f"OCR found no text on {len(failed)} pages", _list_pages(failed)))
    return notices


def _unread_notices(scans: Sequence[PdfPage], count: int, *, is_off: bool) -> list[Notice]:
    """What is told of pages that only OCR could read, and none is at hand."""
    why = "OCR is off" if is_off else f"no OCR engine: {REMEDY}"
    notices = []
    for is_garbled, code, what in (
        (False, "no-text", "are pictures without text"),
        (True, "unreadable-text", "have text whose fonts do not say which characters they hold"),
    ):
        own = [page for page in scans if page.garbled == is_garbled]
        for page in own:
            page.sure = 0.0
        if own:
            where = _list_pages([page.number for page in own])
            notices.append(Notice(code, f"{len(own)} of {count} pages {what}; {why}", where))
    return notices


def _usual_size(pages: Sequence[PdfPage]) -> float:
    """The size of most text."""
    sizes: Counter[float] = Counter()
    for page in pages:
        for sheet in page.sheets:
            for line in sheet.lines:
                sizes[round(line.size * 2) / 2] += sum(len(word.text) for word in line.words)
    return max(sizes, key=lambda size: (sizes[size], size)) if sizes else 10.0


def _blocks(pages: Sequence[PdfPage], size: float, named: KnownNames) -> list[PdfPassage]:
    found: list[list[PdfPassage]] = []
    typed = is_typed([line for page in pages for sheet in page.sheets for line in sheet.lines])
    for page in pages:
        own: list[list[PdfPassage]] = []
        asides: list[list[PdfPassage]] = [_read_aside(lines, size) for lines in page.asides]
        for index, sheet in enumerate(page.sheets):
            shown, boxes = _columns(page, sheet, size, is_main=index == 0)
            asides += [_read_aside(lines, size) for lines in boxes]
            around = [box_around(lines) for lines in boxes]
            for column in shown:
                passages = read_passages(column, typed=typed, boxes=around)
                own.append(read_footnotes(attach_captions(passages), size, sheet.height))
        if not page.sheets and page.images and not page.scanned:
            own.append([PdfPassage("figure", figure=one) for one in find_pictures(page, [], size)[0]])
        found += insert_asides(own, asides)
    return find_headings(join_passages(found), size, named)


def _read_aside(lines: Sequence[TextLine], size: float) -> list[PdfPassage]:
    """What stands in a box or a note, as passages beside the text."""
    passages = [one for column in columns(lines, size) for one in read_passages(column)]
    for one in passages:
        one.aside = True
    return passages


def _columns(
    page: PdfPage, sheet: PageSheet, size: float, *, is_main: bool
) -> tuple[list[list[PagePiece]], list[list[TextLine]]]:
    """The columns of a sheet with its tables and figures, and the lines of each box beside them."""
    pieces: list[PagePiece] = []
    boxes: list[list[TextLine]] = []
    lines = sheet.lines
    if is_main and lines:
        rules = [turn_box(rule, (4 - sheet.turn) % 4, page.width, page.height) for rule in page.rules]
        boxes, lines = take_side_boxes(lines, rules, sheet.width * sheet.height)
        tables, lines = ruled_tables(lines, rules) if lines else ([], lines)
        more, lines = tables_between_rules(lines, rules, tables) if lines else ([], lines)
        pieces += [*tables, *more]
        if not sheet.turn and not page.scanned:
            shown, lines = find_pictures(page, lines, size)
            pieces += shown
    own = [aligned_tables(gather_pictures(column, size)) for column in columns([*pieces, *lines], size)]
    return own, boxes


def _write(pages: Sequence[PdfPage], found: Sequence[PdfPassage]) -> tuple[str, Any, Any]:
    compounds = Compounds()
    labels: set[tuple[int, str]] = set()
    for one in found:
        if one.kind == "footnote":
            labels.add((one.page, one.label))
        for line in one.lines:
            compounds.learn(line.words)
    writer = PdfWriter(pages, compounds, labels)
    writer.write(found)
    return writer.builder.finish()


def _remarks(pages: Sequence[PdfPage]) -> list[Notice]:
    """What a reader should know of the text."""
    out = []
    if hidden := sum(page.hidden for page in pages):
        where = _list_pages([page.number for page in pages if page.hidden])
        out.append(Notice("hidden-text", f"left out {hidden} characters that nobody sees on the page", where))
    if unreadable := sum(page.unreadable for page in pages):
        where = _list_pages([page.number for page in pages if page.unreadable])
        message = f"{unreadable} characters have no meaning outside the PDF's own fonts and read \ufffd"
        out.append(Notice("unreadable-characters", message, where))
    if notes := sum(page.notes for page in pages):
        where = _list_pages([page.number for page in pages if page.notes])
        out.append(
            Notice(
                "notes-left-out",
                f"{notes} notes, text boxes or form fields on pages with too many were not read",
                where,
            )
        )
    if unmapped := sum(page.unmapped for page in pages):
        where = _list_pages([page.number for page in pages if page.unmapped])
        message = f"the fonts of {unmapped} pieces of text do not say which characters they are: words may be wrong"
        out.append(Notice("unmapped-characters", message, where))
    if not any(page.characters for page in pages) and not any(page.scanned for page in pages):
        out.append(Notice("no-text", f"the PDF has no text: {len(pages)} pages are empty or drawn without letters"))
    return out


def _confidence(pages: Sequence[PdfPage]) -> float:
    """How sure the text is, by characters; pages that nobody could read count as one of the others."""
    read = [page.characters for page in pages if page.characters]
    usual = sum(read) / len(read) if read else _USUAL
    weights = [(page.characters or (usual if page.scanned else 0), page.sure) for page in pages]
    total = sum(weight for weight, _ in weights)
    return round(sum(weight * sure for weight, sure in weights) / total, 4) if total else 1.0


def _list_pages(numbers: Sequence[int]) -> str:
    """Page numbers for people."""
    told = ", ".join(map(str, numbers[:8])) + (", ..." if len(numbers) > 8 else "")
    return f"page {told}" if len(numbers) == 1 else f"pages {told}"
