"""Does every line of a chunk, read alone, play the role that it plays in the document?

Another CommonMark parser (markdown-it-py; no code is shared with seamline) reads each document of markdown.jsonl, and
then every chunk by itself. A line that is code, a table row, a heading, HTML, the start of a list item or text in the
document must be so in the chunk that owns it. Beside seamline stand the peers, in the same run.
"""

from __future__ import annotations

import re
import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt

from benchmarks import engine
from benchmarks.checks import FRONT_MATTER
from benchmarks.common import Sample, markdown, options, progress, ranks, save, table, verdict
from benchmarks.peers import PEERS, STS_MARKDOWN, Piece

LIMITS = (64, 128, 256, 512, 1024)
OTHERS = (STS_MARKDOWN, "langchain Markdown", "langchain Recursive", "chonkie Recursive")
MOST = {64: 0.5}
NONE = 0.05
"""Percent of chunks that may fail at a limit; at those not named less than what one decimal shows."""

LEAVES = {
    "fence": "code",
    "code_block": "code",
    "html_block": "html",
    "heading_open": "heading",
    "table_open": "table",
    "paragraph_open": "text",
    "hr": "rule",
}
_END = re.compile(r"\r\n?|\n")


class Owned(NamedTuple):
    """A chunk as it is read: its text, and which part of that is which part of the document."""

    text: str
    at: int
    """Where the part that it owns starts in its text."""
    start: int
    """And in the document."""
    end: int


class Change(NamedTuple):
    """A line that plays another role alone."""

    path: str
    line: int
    """Its number in the document, from 1."""
    was: str
    now: str
    text: str
    """Of the chunk."""


@dataclass
class Tally:
    """One splitter at one limit."""

    who: str
    limit: int
    chunks: int = 0
    unplaced: int = 0
    """Chunks that say nothing of where they stand, and are not judged."""
    failed: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    """Per role and what became of it, in how many chunks."""
    shown: list[Change] = field(default_factory=list)

    @property
    def percent(self) -> float:
        return 100 * self.failed / max(self.chunks, 1)


@cache
def reader(mdx: bool) -> MarkdownIt:
    """CommonMark with tables; MDX has no indented code."""
    parser = MarkdownIt("commonmark").enable("table")
    return parser.disable("code") if mdx else parser


def starts_of(text: str) -> list[int]:
    return [0, *(found.end() for found in _END.finditer(text))]


def roles(text: str, *, mdx: bool) -> list[str]:
    """The role of each line; empty for blank ones and for link definitions, which are no block."""
    count = len(starts_of(text))
    out = [""] * count
    env: dict[str, object] = {}
    for token in reader(mdx).parse(_END.sub("\n", text), env):
        role = LEAVES.get(token.type)
        if token.type == "list_item_open" and token.map:
            out[token.map[0]] = "list"
        elif role and token.map:
            first, last = token.map
            for line in range(first, min(last, count)):
                if role != "text" or not out[line]:  # an item that starts with text is a list line
                    out[line] = role
    return out


def changes(sample: Sample, known: Sequence[str], starts: Sequence[int], piece: Owned, free: int) -> Iterator[Change]:
    """The lines of a chunk whose role is another one than in the document; `free` is where front matter ends."""
    alone = roles(piece.text, mdx=sample.path.endswith(".mdx"))
    own = starts_of(piece.text)
    line = bisect_right(starts, piece.start) - 1
    while line < len(starts) and starts[line] < piece.end:
        begin = max(starts[line], piece.start)
        stop = min(starts[line + 1] if line + 1 < len(starts) else len(sample.text), piece.end)
        shown = sample.text[begin:stop]
        if shown.strip() and begin >= free:
            first = begin + len(shown) - len(shown.lstrip())
            here = alone[bisect_right(own, piece.at + first - piece.start) - 1]
            part = begin > starts[line] or sample.text[stop : stop + 1].strip() != ""
            if not _same(known[line], here, part=part):
                yield Change(sample.path, line + 1, known[line] or "none", here or "none", piece.text)
        line += 1


def _same(was: str, now: str, *, part: bool) -> bool:
    """Part of a line is judged too; one that lost its list mark, or got it back, is text still."""
    return was == now or (part and {was, now} <= {"list", "text"})


def ours(limit: int) -> Callable[[Sample], list[Owned]]:
    def run(sample: Sample) -> list[Owned]:
        out = []
        for chunk in engine.chunks(sample.text, sample.media_type, limit, "optimal"):
            lead = len(chunk.text) - len(chunk.closing) - (chunk.end - chunk.start)
            out.append(Owned(chunk.text, lead, chunk.start, chunk.end))
        return out

    return run


def theirs(name: str, limit: int, rank_file: Path) -> Callable[[Sample], list[Owned]] | None:
    peer = PEERS[name]
    if peer.version is None or peer.pieces is None:
        return None
    split = peer.pieces(limit, rank_file)

    def placed(piece: Piece) -> Owned:
        if piece.start is None or piece.start < 0:
            return Owned(piece.text, 0, -1, -1)
        return Owned(piece.text, 0, piece.start, piece.start + len(piece.text))

    return lambda sample: [placed(piece) for piece in split(sample.text)]


def judge(
    who: str, limit: int, split: Callable[[Sample], list[Owned]], samples: Sequence[Sample], known: Sequence[list[str]]
) -> Tally:
    tally = Tally(who, limit)
    for sample, document in zip(samples, known, strict=True):
        starts = starts_of(sample.text)
        front = FRONT_MATTER.match(sample.text)
        for piece in split(sample):
            tally.chunks += 1
            if piece.start < 0 or sample.text[piece.start : piece.end] not in piece.text:
                tally.unplaced += 1
                continue
            found = list(changes(sample, document, starts, piece, front.end() if front else 0))
            tally.failed += bool(found)
            for kind in {f"{change.was} -> {change.now}" for change in found}:
                tally.kinds[kind] += 1
            tally.shown += found[:1]
    return tally


def whole(sample: Sample) -> list[str]:
    """The roles of a document's lines, its front matter read as blank lines."""
    text = sample.text
    if front := FRONT_MATTER.match(text):
        text = re.sub(r"[^\r\n]", " ", text[: front.end()]) + text[front.end() :]
    return roles(text, mdx=sample.path.endswith(".mdx"))


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--limits", type=int, nargs="+", default=LIMITS)
    parser.add_argument("--alone", action="store_true", help="without the peers")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every Nth document only")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print N of our failing chunks per limit")
    args = parser.parse_args()
    samples = markdown(args.data)[:: args.every]
    known = [whole(sample) for sample in samples]
    tallies: list[Tally] = []
    for limit in args.limits:
        splits = {"seamline": ours(limit)}
        for name in () if args.alone else OTHERS:
            if split := theirs(name, limit, ranks(args.data)):
                splits[name] = split
        for who, split in splits.items():
            progress(f"{who} at {limit}")
            began = time.perf_counter()
            tallies.append(judge(who, limit, split, samples, known))
            progress(f"{who} at {limit}: {time.perf_counter() - began:.0f} s")
    progress("")
    rows = []
    for tally in tallies:
        bar = verdict(tally.percent < MOST.get(tally.limit, NONE)) if tally.who == "seamline" else ""
        kinds = ", ".join(f"{kind} {count}" for kind, count in tally.kinds.most_common(4))
        rows.append((tally.who, tally.limit, tally.chunks, tally.failed, f"{tally.percent:.2f}%", bar, kinds))
    print(table(("splitter", "limit", "chunks", "changed", "share", "bar", "most often"), rows))
    _show([tally for tally in tallies if tally.who == "seamline"], args.show)
    save(
        args.json,
        "roles",
        [
            {
                "who": tally.who,
                "limit": tally.limit,
                "chunks": tally.chunks,
                "unplaced": tally.unplaced,
                "failed": tally.failed,
                "kinds": dict(tally.kinds),
                "where": [f"{c.path}:{c.line} {c.was} -> {c.now}" for c in tally.shown][:200],
            }
            for tally in tallies
        ],
    )
    if any(tally.percent >= MOST.get(tally.limit, NONE) for tally in tallies if tally.who == "seamline"):
        raise SystemExit(1)


def _show(tallies: Sequence[Tally], most: int) -> None:
    """Our failing chunks, spread over all kinds."""
    for tally in tallies if most else ():
        for change in tally.shown[:: max(1, len(tally.shown) // most)][:most]:
            print(f"\n--- {tally.limit}: {change.path}:{change.line} {change.was} -> {change.now}\n{change.text}")


if __name__ == "__main__":
    main()
