"""Edit stability: which share of chunk ids survives a one-paragraph change, insertion or deletion.

Documents of 20+ chunks at the default recipe, seeded places, peers beside it: their ids are the SHA-256 of the
chunk's text, the best a store can do without help.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from statistics import mean
from typing import NamedTuple

from benchmarks import engine
from benchmarks.checks import scan
from benchmarks.common import LIMIT, markdown, need, options, percentile, progress, prose, ranks, save, table, verdict
from benchmarks.peers import PEERS

SEED = 20
LEAST_CHUNKS = 20
BAR = 0.9
PLAIN = re.compile(r"[A-Za-z*_`\[(\"']")
Ids = Callable[[str], list[str]]


class Edit(NamedTuple):
    kind: str
    before: str
    after: str


class Survival(NamedTuple):
    """One edit: how many ids there were, and how many of them are still there."""

    kind: str
    chunks: int
    kept: int

    @property
    def share(self) -> float:
        return self.kept / self.chunks


def paragraphs(text: str) -> list[tuple[int, int]]:
    """Spans of plain paragraphs: runs of lines between blank ones that start with a letter, outside fences."""
    found, run = [], []
    for line in (*scan(text)[0], None):
        if line and line.text.strip():
            run.append(line)
            continue
        body = "\n".join(each.text for each in run)
        if len(body) >= 80 and PLAIN.match(body) and not any(each.fenced for each in run):
            found.append((run[0].start, run[-1].start + len(run[-1].text)))
        run = []
    return found


def change(text: str, span: tuple[int, int], _: str) -> str:
    """Three words of the paragraph become others."""
    words = text[span[0] : span[1]].split(" ")
    middle = len(words) // 2
    return (
        text[: span[0]] + " ".join([*words[:middle], "quite another wording", *words[middle + 3 :]]) + text[span[1] :]
    )


def insert(text: str, span: tuple[int, int], fresh: str) -> str:
    return text[: span[0]] + fresh + "\n\n" + text[span[0] :]


def delete(text: str, span: tuple[int, int], _: str) -> str:
    return text[: span[0]] + text[span[1] :].lstrip("\r\n")


EDITS = {"change": change, "insert": insert, "delete": delete}


def edits(texts: Sequence[str], fresh: Sequence[str], places: int) -> Iterator[Edit]:
    """The same edits on every run and for every contestant."""
    dice = random.Random(SEED)
    for text in texts:
        spans = paragraphs(text)
        for span in dice.sample(spans, min(places, len(spans))):
            new = dice.choice(fresh)
            yield from (Edit(kind, text, edit(text, span, new)) for kind, edit in EDITS.items())


def survivals(ids: Ids, work: Sequence[Edit]) -> list[Survival]:
    """Equal contents may repeat, so ids are compared as multisets."""
    known: dict[str, Counter[str]] = {}
    found = []
    for edit in work:
        if edit.before not in known:
            known[edit.before] = Counter(ids(edit.before))
        before = known[edit.before]
        found.append(Survival(edit.kind, before.total(), (before & Counter(ids(edit.after))).total()))
    return found


def hashed(split: Callable[[str], list[str]]) -> Ids:
    return lambda text: [hashlib.sha256(piece.encode()).hexdigest() for piece in split(text)]


def row(name: str, found: Sequence[Survival]) -> tuple[object, ...]:
    cells: list[object] = [
        name,
        f"{mean(s.chunks for s in found):.1f}",
        f"{mean(s.chunks - s.kept for s in found):.2f}",
    ]
    for kind in (*EDITS, None):
        shares = [s.share for s in found if kind in (s.kind, None)]
        cells += [f"{mean(shares):.1%}", f"{percentile(shares, 0.1):.1%}"]
    return tuple(cells)


HEADERS = (
    "who",
    "chunks",
    "lost per edit",
    "change mean",
    "p10",
    "insert mean",
    "p10",
    "delete mean",
    "p10",
    "all mean",
    "p10",
)


def main() -> int:
    parser = options(__doc__)
    parser.add_argument("--places", type=int, default=5, help="edited paragraphs per document (default 5)")
    args = parser.parse_args()
    if not engine.installed():
        parser.error("seamline is not installed: run `pip install -e .`")
    data = need(args.data)
    texts = [s.text for s in markdown(data) if len(engine.ids(s.text)) >= LEAST_CHUNKS]
    fresh = [s.text[a:b] for s in prose(data) for a, b in paragraphs(s.text) if b - a < 1200]
    work = list(edits(texts, fresh, args.places))
    print(f"{len(texts)} documents of {LEAST_CHUNKS}+ chunks, {len(work)} edits, limit {LIMIT}\n")
    found = {"seamline": survivals(engine.ids, work)}
    for name, peer in PEERS.items():
        if peer.version and name != "chonkie Recursive on splintr":  # cuts as chonkie Recursive does
            progress(name)
            found[name] = survivals(hashed(peer.texts(LIMIT, ranks(data))), work)
    progress("")
    print(table(HEADERS, [row(name, each) for name, each in found.items()]))
    print("\nnot installed:", ", ".join(name for name, peer in PEERS.items() if not peer.version) or "none")
    means = {name: mean(s.share for s in each) for name, each in found.items()}
    limited = {name: share for name, share in means.items() if name not in PEERS or PEERS[name].limited}
    ours, best = means["seamline"], max(limited, key=lambda name: limited[name])
    print(f"kept >= {BAR:.0%}: {ours:.1%} {verdict(ours >= BAR)}")
    print(f"ahead of every peer with a limit: best is {best} {verdict(best == 'seamline')}")
    save(args.json, "stability", {name: [s._asdict() for s in each] for name, each in found.items()})
    return 0 if ours >= BAR and best == "seamline" else 1


if __name__ == "__main__":
    raise SystemExit(main())
