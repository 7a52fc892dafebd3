"""The rows of each chunk in other words, so that a question in words finds them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import groupby

from seamline.derived import Derived, Holders
from seamline.enrich.tables.bounded import texts
from seamline.enrich.tables.sentences import check_template
from seamline.enrich.tables.write import writer
from seamline.protocols import Tokenizer
from seamline.recipe import Recipe
from seamline.tables.read import Row, Table, tables
from seamline.types import Chunk, Document, Span


def rows_text(document: Document, chunks: Sequence[Chunk], recipe: Recipe, tokenizer: Tokenizer) -> list[Derived]:
    """Per chunk and table, the rows that start in it, written as `tabular.rows` says; several texts where they are too
    long for one. A table that stands so in the document already is not written again."""
    found = tables(document)
    if recipe.tabular.rows == "sentence":
        check_template(found, recipe.tabular.template)
    chunks = [chunk for chunk in chunks if chunk.level == 0]
    starts = [chunk.start for chunk in chunks]
    out: list[Derived] = []
    for table in found if chunks else ():
        if {"markdown": table.is_markdown, "json": table.is_json}.get(recipe.tabular.rows):
            continue
        again = Rewriter(table, "rows", Holders(chunks), recipe, tokenizer)
        for _, group in groupby(table.rows(), key=lambda row: bisect_right(starts, row.span.start)):
            out += again.texts(list(group))
    return out


class Rewriter:
    """Writes rows of one table in other words."""

    def __init__(self, table: Table, kind: str, holders: Holders, recipe: Recipe, tokenizer: Tokenizer) -> None:
        self._table = table
        self._kind = kind
        self._holders = holders
        self._head, self._write = writer(table, recipe)
        self._limit = recipe.budget.limit
        self._count = tokenizer.count

    def texts(self, rows: Sequence[Row], title: str = "") -> Iterator[Derived]:
        """Texts of some rows, under a title, within the limit; empty rows are left out."""
        lines, kept = [], []
        for row in rows:
            if line := self._write(row):
                lines.append(line)
                kept.append(row)
        head = "\n".join(part for part in (title, self._head) if part)
        document = self._table.document
        for text, held in texts(head, lines, self._limit, self._count):
            spans = joined(document.text, [row.span for row in kept[held.start : held.stop]])
            if of := self._holders.of(spans):
                yield Derived(document, self._kind, text, spans, of, tokens=self._count(text))


def joined(text: str, spans: Sequence[Span]) -> tuple[Span, ...]:
    """Spans of rows in order, those of neighbours as one."""
    out: list[Span] = []
    for span in spans:
        between = text[out[-1].end : span.start] if out and span.start - out[-1].end < 8 else "x"
        if out and not between.strip(" \t\r\n,>|"):
            out[-1] = Span(out[-1].start, span.end)
        else:
            out.append(span)
    return tuple(out)
