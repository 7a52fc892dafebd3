"""The contract on real documents: seamline's audit, and naive re-checks that know nothing of seamline.

Every document of markdown.jsonl, prose.jsonl and documents/mdx at limits 64, 128, 512 and 1024.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import engine
from benchmarks.checks import Finding, naive
from benchmarks.common import Sample, markdown, mdx, need, options, progress, prose, ranks, save, table
from benchmarks.peers import PEERS, Piece, counter

LIMITS = (64, 128, 512, 1024)
SHOWN = 12
RECHECKED = (
    "torn-fence",
    "headless-table",
    "dangling-heading",
    "over-limit",
    "wrong-count",
    "coverage",
    "wrong-span",
    "duplicate-id",
)
Count = Callable[[str], int]


@dataclass
class Tally:
    """What one pass over the documents found."""

    who: str
    limit: int
    chunks: int = 0
    seconds: float = 0.0
    audited: Counter[str] = field(default_factory=Counter)
    """By seamline's own audit."""
    rechecked: Counter[str] = field(default_factory=Counter)
    """By the naive checks."""
    examples: list[str] = field(default_factory=list)

    def add(self, found: Counter[str], rule: str, where: str) -> None:
        found[rule] += 1
        if found[rule] <= 3:
            self.examples.append(f"{self.who} {self.limit}: {rule}: {where}")

    @property
    def violations(self) -> int:
        return self.audited.total() + self.rechecked.total()


def seamline(samples: Sequence[Sample], limit: int, packer: str, count: Count) -> Tally:
    """Chunk, audit and re-check every document with one packer at one limit."""
    tally = Tally(f"seamline {packer}", limit)
    for sample in samples:
        start = time.process_time()
        try:
            chunks = engine.chunks(sample.text, sample.media_type, limit, packer)
            violations = engine.audit(chunks, limit)
        except Exception as error:
            tally.add(tally.audited, "crash", f"{sample.path} {type(error).__name__}: {error}")
            continue
        tally.seconds += time.process_time() - start
        tally.chunks += len(chunks)
        for violation in violations:
            tally.add(tally.audited, violation.rule, f"{sample.path} #{violation.chunk_index} {violation.message}")
        for finding in recheck(sample.text, chunks, limit, count):
            tally.add(tally.rechecked, finding.rule, f"{sample.path} #{finding.chunk} {finding.what} (re-check)")
    return tally


def recheck(text: str, chunks: Sequence[Any], limit: int, count: Count) -> Iterator[Finding]:
    """The naive checks, and what only seamline promises: counts, ids, what its text is made of."""
    yield from naive(text, [Piece(c.text, c.start, c.end) for c in chunks], limit, count)
    seen: set[str] = set()
    for index, chunk in enumerate(chunks):
        if chunk.tokens != count(chunk.text):
            yield Finding("wrong-count", index, f"says {chunk.tokens}, tiktoken counts {count(chunk.text)}")
        if chunk.id in seen:
            yield Finding("duplicate-id", index, chunk.id)
        seen.add(chunk.id)
        lead = "".join(text[c.start : c.end] + c.added for c in chunk.context)
        if chunk.text != lead + text[chunk.start : chunk.end] + chunk.closing:
            yield Finding("wrong-span", index, "text is not context + body + closing")


def peer(name: str, samples: Sequence[Sample], limit: int, rank_file: Path, count: Count) -> Tally:
    """The same naive checks over a peer's chunks."""
    tally = Tally(name, limit)
    split = PEERS[name].pieces
    assert split is not None
    run = split(limit, rank_file)
    for sample in samples:
        start = time.process_time()
        pieces = run(sample.text)
        tally.seconds += time.process_time() - start
        tally.chunks += len(pieces)
        for finding in naive(sample.text, pieces, limit, count):
            tally.add(tally.rechecked, finding.rule, f"{sample.path} #{finding.chunk} {finding.what}")
    return tally


def show(tallies: Sequence[Tally], rules: Sequence[str], which: str, title: str) -> None:
    headers = ("who", "limit", "chunks", "CPU s", *rules)
    rows = [
        (t.who, t.limit, t.chunks, f"{t.seconds:.1f}", *(getattr(t, which)[rule] for rule in rules)) for t in tallies
    ]
    print(f"\n{title}\n{table(headers, rows)}")


def main() -> int:
    parser = options(__doc__)
    parser.add_argument("--all", action="store_true", help="the packers fill and decay as well as optimal")
    parser.add_argument("--peers", action="store_true", help="the naive checks over the peers too, at limit 512")
    parser.add_argument("--limits", type=int, nargs="+", default=LIMITS)
    args = parser.parse_args()
    if not engine.installed():
        parser.error("seamline is not installed: run `pip install -e .`")
    data = need(args.data)
    count = counter(ranks(data))
    samples = [*markdown(data), *prose(data), *mdx(data)]
    tallies = []
    for packer in engine.PACKERS if args.all else engine.PACKERS[:1]:
        for limit in args.limits:
            progress(f"{packer} at {limit}")
            tallies.append(seamline(samples, limit, packer, count))
    progress("")
    rules = [*engine.rules(), "crash"]
    show(tallies, rules, "audited", f"{len(samples)} files: violations found by seamline's audit")
    show(tallies, RECHECKED, "rechecked", "violations found by naive re-checks without seamline")
    for example in [e for t in tallies for e in t.examples][:SHOWN]:
        print(f"  {example}")
    others = [
        peer(name, samples, 512, ranks(data), count)
        for name, p in PEERS.items()
        if args.peers and p.version and p.pieces
    ]
    if args.peers:
        show(others, RECHECKED, "rechecked", "the same naive re-checks over the peers")
        print("not installed:", ", ".join(n for n, p in PEERS.items() if not p.version) or "none")
    save(args.json, "contract", [vars(t) for t in (*tallies, *others)])
    return 1 if any(tally.violations for tally in tallies) else 0


if __name__ == "__main__":
    raise SystemExit(main())
