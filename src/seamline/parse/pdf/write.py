"""Passages -> the text, blocks and anchors of a document."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from seamline.parse.builder import DocumentBuilder, PlacedText
from seamline.parse.pdf.model import Box, PdfFigure, PdfPage, PdfPassage, PdfTable, PdfWord, TextLine, line_of, turn_box
from seamline.parse.pdf.paragraphs import Compounds, line_seam
from seamline.parse.pdf.tables import box_of, text_of
from seamline.types import Detail

_SURE = 0.999
_ICON = 0.01
"""A picture that covers less of its page, and has no caption, is an icon."""
_LONG = 80
"""A row of more characters may be cut between its cells: each has a place of its own."""
_DEEPEST = 6
"""Lists inside lists."""
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
            label = item.label if item.label[-1:] in ".)" else "-"
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
                held = [box_of(cell) if cell else None for cell in words]
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
