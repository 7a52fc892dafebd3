"""Are rows of HTML tables in Markdown found together with their header?

The tables of markdown.jsonl that have a header (a first row of `th`) are read by Python's own HTML parser; no code is
shared with seamline. Each row below is asked for by its first cell and the name of a column, over the chunks of all
documents that hold tables, by BM25. It counts as found where one of the first five chunks holds all cells of the row
and all cells of the header, as text; as whole where any chunk of its document does. `--alone` leaves out the peers: the
same script over an older tree gives the figures before.
"""

from __future__ import annotations

import html
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import NamedTuple

from benchmarks import engine
from benchmarks.common import Sample, markdown, options, progress, ranks, save, table
from benchmarks.peers import PEERS, STS_MARKDOWN

LIMITS = (128, 256, 512)
OTHERS = (STS_MARKDOWN, "langchain Markdown", "langchain Recursive", "chonkie Recursive")
FIRST = 5
_TAG = re.compile(r"<[^<>]*>")
_WORD = re.compile(r"\w+")
_CODE = re.compile(r"^(```+|~~~+).*?^\1[ \t]*$", re.MULTILINE | re.DOTALL)


class Row(NamedTuple):
    """A row of a table with a header."""

    path: str
    header: tuple[str, ...]
    cells: tuple[str, ...]


class TableRows(HTMLParser):
    """The tables of a page, row by row; what is nested in a cell is its text."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[list[list[tuple[str, bool]]]] = []
        self._depth = 0
        self._cell: list[str] | None = None
        self._is_header = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self._depth += 1
            if self._depth == 1:
                self.tables.append([])
        if self._depth != 1:
            return
        if tag == "tr":
            self._end_cell()
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self._end_cell()
            self._cell, self._is_header = [], tag == "th"

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th", "tr", "table") and self._depth == 1:
            self._end_cell()
        if tag == "table":
            self._depth = max(self._depth - 1, 0)

    def handle_data(self, data: str) -> None:
        if self._cell is not None:
            self._cell.append(data)

    def _end_cell(self) -> None:
        if self._cell is not None and self.tables and self.tables[-1]:
            self.tables[-1][-1].append((words(" ".join(self._cell)), self._is_header))
        self._cell = None


def words(text: str) -> str:
    """What a text says, without tags and marks."""
    return " ".join(_WORD.findall(html.unescape(_TAG.sub(" ", text)).lower()))


def rows_of(sample: Sample) -> list[Row]:
    """The rows below a header, of all tables outside of code."""
    reader = TableRows()
    reader.feed(_CODE.sub("", sample.text))
    out = []
    for rows in reader.tables:
        filled = [row for row in rows if any(cell for cell, _ in row)]
        if len(filled) < 3 or not all(is_header for _, is_header in filled[0]) or len(filled[0]) < 2:
            continue
        header = tuple(cell for cell, _ in filled[0] if cell)
        for row in filled[1:]:
            cells = tuple(cell for cell, _ in row if cell)
            if len(cells) > 1 and header and sum(map(len, cells)) < 600:
                out.append(Row(sample.path, header, cells))
    return out


@dataclass
class Bm25:
    """Chunks by their words."""

    texts: list[str] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    places: dict[str, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))

    def add(self, text: str) -> None:
        counts = Counter(text.split())
        for word, count in counts.items():
            self.places[word].append((len(self.texts), count))
        self.texts.append(text)
        self.lengths.append(sum(counts.values()))

    def find(self, query: str) -> list[str]:
        average = sum(self.lengths) / max(len(self.lengths), 1)
        scores: dict[int, float] = defaultdict(float)
        for word in set(query.split()):
            found = self.places.get(word, ())
            weight = math.log(1 + (len(self.texts) - len(found) + 0.5) / (len(found) + 0.5))
            for at, count in found:
                scores[at] += weight * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * self.lengths[at] / average))
        best = sorted(scores, key=lambda at: (-scores[at], at))[:FIRST]
        return [self.texts[at] for at in best]


def holds(text: str, row: Row) -> bool:
    padded = f" {text} "
    return all(f" {cell} " in padded for cell in (*row.header, *row.cells))


def judge(split: Callable[[Sample], list[str]], samples: Sequence[Sample], rows: Sequence[Row]) -> tuple[int, int, int]:
    """How many rows are whole, how many are found, and the number of chunks."""
    index = Bm25()
    by_path: dict[str, list[str]] = {}
    for sample in samples:
        by_path[sample.path] = [words(text) for text in split(sample)]
        for text in by_path[sample.path]:
            index.add(text)
    whole = sum(any(holds(text, row) for text in by_path[row.path]) for row in rows)
    found = sum(any(holds(text, row) for text in index.find(f"{row.cells[0]} {row.header[-1]}")) for row in rows)
    return whole, found, len(index.texts)


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--limits", type=int, nargs="+", default=LIMITS)
    parser.add_argument("--alone", action="store_true", help="without the peers")
    args = parser.parse_args()
    samples = [sample for sample in markdown(args.data) if "<table" in sample.text]
    rows = [row for sample in samples for row in rows_of(sample)]
    figures = []
    for limit in args.limits:
        splits: dict[str, Callable[[Sample], list[str]]] = {
            "seamline": lambda sample, limit=limit: [  # type: ignore[misc]
                chunk.text for chunk in engine.chunks(sample.text, sample.media_type, limit)
            ]
        }
        for name in () if args.alone else OTHERS:
            peer = PEERS[name]
            if peer.version is not None and peer.pieces is not None:
                pieces = peer.pieces(limit, ranks(args.data))
                splits[name] = lambda sample, pieces=pieces: [one.text for one in pieces(sample.text)]  # type: ignore[misc]
        for who, split in splits.items():
            progress(f"{who} at {limit}")
            whole, found, count = judge(split, samples, rows)
            figures.append(
                {"who": who, "limit": limit, "chunks": count, "whole": whole, "found": found, "rows": len(rows)}
            )
    progress("")
    shown = []
    for one in figures:
        shares = [f"{100 * one[key] / len(rows):.1f}%" for key in ("whole", "found")]
        shown.append((one["who"], one["limit"], one["chunks"], *shares))
    print(f"{len(rows)} rows of tables with a header in {len({row.path for row in rows})} documents")
    print(table(("splitter", "limit", "chunks", "with header", f"in the first {FIRST}"), shown))
    save(args.json, "html_tables", figures)


if __name__ == "__main__":
    main()
