"""The rows of each chunk in other words, so that a question in words finds them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
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
    out: list[Derived] = []
    if not chunks:
        return out
    holders, starts = Holders(chunks), [chunk.start for chunk in chunks]
    for table in found:
        if {"markdown": table.is_markdown, "json": table.is_json}.get(recipe.tabular.rows):
            continue
        for _, group in groupby(table.rows(), key=lambda row: bisect_right(starts, row.span.start)):
            out += rewritten(table, list(group), "rows", "", holders, recipe, tokenizer)
    return out


def rewritten(
    table: Table, rows: Sequence[Row], kind: str, title: str, holders: Holders, recipe: Recipe, tokenizer: Tokenizer
) -> list[Derived]:
    """Texts of some rows of a table, under a title, within the limit."""
    head, write = writer(table, recipe)
    lines, kept = [], []
    for row in rows:
        if line := write(row):
            lines.append(line)
            kept.append(row)
    head = "\n".join(part for part in (title, head) if part)
    out: list[Derived] = []
    for text, held in texts(head, lines, recipe.budget.limit, tokenizer.count):
        spans = joined(table, [row.span for row in kept[held.start : held.stop]])
        if of := holders.of(spans):
            out.append(Derived(table.document, kind, text, spans, of, tokens=tokenizer.count(text)))
    return out


def joined(table: Table, spans: Sequence[Span]) -> tuple[Span, ...]:
    """Spans of rows in order, those of neighbours as one."""
    text = table.document.text
    out: list[Span] = []
    for span in spans:
        between = text[out[-1].end : span.start] if out and span.start - out[-1].end < 8 else "x"
        if out and not between.strip(" \t\r\n,>|"):
            out[-1] = Span(out[-1].start, span.end)
        else:
            out.append(span)
    return tuple(out)
