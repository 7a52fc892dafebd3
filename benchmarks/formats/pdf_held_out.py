"""PDF that no rule was tuned on: headings, tables, order and words of documents made here, in 30 layouts.

    pip install reportlab fpdf2
    python -m benchmarks.formats.pdf_held_out [--keep DIR] [--show NAME]

A document is a list of parts (headings, paragraphs, lists, tables), which a layout sets: one, two or three columns,
headings that are larger, bold, in capitals, in italics or in colour, numbered by digits, Roman numbers or paragraph
signs; slides; a bill. What is true follows from the parts, so nobody reads it off the result.

What is judged:
- headings: how many there are, found by their text, found too many; found with the right level.
- tables: exact rows x columns, and the share of cells that stand in a row with the first cell of their own.
- order: the share of neighbouring paragraphs, which are numbered through, that follow each other in the text.
- words: the share of all words that are in the text; running heads and page numbers are none of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from benchmarks.common import options, save, table
from benchmarks.formats.pdf_layouts import LAYOUTS
from benchmarks.formats.pdf_words import Part, Rows
from seamline.parse import parse_bytes
from seamline.testing.parsers import check_document
from seamline.text.tables import tables
from seamline.types import Document

_WORD = re.compile(r"\w+")
_MARK = re.compile(r"Passage (\d+)")


class Judged(NamedTuple):
    """How one document was read."""

    name: str
    headings: int
    found: int
    extra: int
    levels: int
    tables: int
    shapes: int
    cells: float
    order: float
    words: float


def judged(name: str, parts: Sequence[Part], document: Document) -> Judged:
    text = document.text
    true = Counter((part.level, _plain(part.text)) for part in parts if part.kind == "heading")
    seen = Counter((b.level, _plain(text[b.start : b.end])) for b in document.blocks if b.kind == "heading")
    named, shown = _texts(true), _texts(seen)
    found = (named & shown).total()
    drawn = [part.rows for part in parts if part.rows]
    marks = [int(mark) for mark in _MARK.findall(text)]
    pairs = list(pairwise(range(1, sum("Passage" in part.text for part in parts) + 1)))
    words = Counter(_WORD.findall(" ".join(part.words for part in parts).lower()))
    kept = words & Counter(_WORD.findall(text.lower()))
    return Judged(
        name,
        true.total(),
        found,
        shown.total() - found,
        (true & seen).total(),
        len(drawn),
        _shapes(drawn, document),
        _cells(drawn, document),
        len(set(pairs) & set(pairwise(marks))) / max(len(pairs), 1) if pairs else 1.0,
        kept.total() / words.total(),
    )


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(text)).lower()


def _texts(headings: Counter[tuple[int, str]]) -> Counter[str]:
    out: Counter[str] = Counter()
    for (_, text), count in headings.items():
        out[text] += count
    return out


def _shapes(drawn: Sequence[Rows], document: Document) -> int:
    found = Counter((len(one.header) + len(one.body), len(one.columns)) for one in tables(document))
    return (Counter((len(rows), len(rows[0])) for rows in drawn) & found).total()


def _cells(drawn: Sequence[Rows], document: Document) -> float:
    """The share of cells that stand in a row of a table together with the first cell of theirs."""
    rows = [set(cells) for one in tables(document) for cells in one.split_all([*one.header, *one.body])]
    wanted = [(row[0], cell) for own in drawn for row in own for cell in row]
    return sum(any({*pair} <= row for row in rows) for pair in wanted) / len(wanted) if wanted else 1.0


def main() -> int:
    parser = options(__doc__)
    parser.add_argument("--keep", type=Path, metavar="DIR", help="write the documents there")
    parser.add_argument("--show", metavar="NAME", help="print what is read of the documents whose name holds this")
    args = parser.parse_args()
    results = []
    for layout in LAYOUTS:
        data = layout.make(layout.parts)
        if args.keep:
            args.keep.mkdir(parents=True, exist_ok=True)
            (args.keep / f"{layout.name.replace(' ', '-')}.pdf").write_bytes(data)
        document = parse_bytes(data, uri=f"{layout.name}.pdf")
        check_document(document)
        results.append(judged(layout.name, layout.parts, document))
        if args.show and args.show in layout.name:
            print(document.text, *document.notices, sep="\n")
    print(table(Judged._fields, results))
    headings, found, extra, levels = (sum(column) for column in zip(*(one[1:5] for one in results), strict=True))
    recall, precision = found / headings, found / (found + extra)
    print(f"headings: recall {recall:.3f}, precision {precision:.3f}, found with their level {levels / headings:.3f}")
    print(f"tables: {sum(one.shapes for one in results)} of {sum(one.tables for one in results)} by exact shape")
    save(args.json, "pdf_held_out", [one._asdict() for one in results])
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
