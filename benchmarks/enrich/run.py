"""What each fact costs, and whether it tells what it says: entities by labelled sentences, measures by known damage.

Self-containedness: chunks of books against the same chunks without their first sentence, each read as a text of its
own. Coherence, difference and boundary: real chunks against cuts at random places.
"""

from __future__ import annotations

import random
import re
import sys
import time
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.harness.labelled import labelled

from benchmarks.common import ROOT, Sample, markdown, options, progress, prose, save, table
from seamline.enrich.facts import MAKERS, enrich
from seamline.errors import MissingExtra
from seamline.parse import parse_text
from seamline.pipeline import chunk_document, make_runtime
from seamline.recipe.recipe import Recipe
from seamline.runtime import Runtime
from seamline.text.sentences import sentence_starts
from seamline.types import Chunk, Span

NOW = datetime(2026, 11, 15, tzinfo=UTC)
SENTENCES = ROOT / "tests" / "fixtures" / "entities"


def main() -> int:
    parser = options(__doc__)
    parser.add_argument("--documents", type=int, default=30, help="of Markdown, to time facts on")
    parser.add_argument("--signal", default="minilm", help="the embedder of coherence")
    parser.add_argument("--most", type=int, default=300, help="chunks of books that are judged")
    parser.add_argument("--costs", action="store_true", help="only what each fact costs")
    given = parser.parse_args()
    books = prose(given.data)
    figures: dict[str, Any] = {}
    rng = random.Random(1)
    samples = rng.sample(markdown(given.data), given.documents)
    print(_costs(figures, samples, given.signal))
    if not given.costs:
        print("", _entities(figures), "", sep="\n")
        print(_measures(figures, books, samples, given.signal, given.most, rng))
    save(given.json, "enrich", figures)
    return 0


# --- cost ----------------------------------------------------------------------------------------------------------


def _costs(figures: dict[str, Any], samples: Sequence[Sample], signal: str) -> str:
    chunks = [chunk_document(parse_text(sample.text, media_type=sample.media_type), Recipe()) for sample in samples]
    count, size = sum(map(len, chunks)), sum(len(some[0].document.text) for some in chunks if some)
    rows = []
    for name in ("none", *MAKERS):
        progress(f"cost of {name}")
        recipe = Recipe(enrich=() if name == "none" else (name,), signal=signal)
        parts = make_runtime(recipe)
        _all(chunks[:1], recipe, parts)  # models and tables are loaded once, not per chunk
        begin = time.process_time()
        _all(chunks, recipe, parts)
        seconds = time.process_time() - begin
        figures.setdefault("cost", {})[name] = round(1e6 * seconds / count, 1)
        rows.append((name, f"{1e6 * seconds / count:.1f}", f"{size / 1e6 / max(seconds, 1e-9):.1f}"))
    progress("")
    columns = ("fact", "ms of processor time per 1,000 chunks", "MB/s")
    return f"{count} chunks, {size / 1e6:.1f} MB\n" + table(columns, rows)


def _all(chunks: Sequence[Sequence[Chunk]], recipe: Recipe, parts: Runtime) -> None:
    for some in chunks:
        enrich(some, recipe, parts, now=NOW, starts=sentence_starts)


# --- entities ------------------------------------------------------------------------------------------------------


def _entities(figures: dict[str, Any]) -> str:
    rows = []
    for ner in ("rules", "spacy"):
        for file in ("tuned.txt", "held-out.txt"):
            try:
                counts = _counted(SENTENCES / file, Recipe(enrich=("entities",), ner=ner))  # type: ignore[arg-type]
            except MissingExtra:
                rows.append((ner, file, "not installed", "", "", ""))
                continue
            precision, recall = counts["right"] / counts["found"], counts["right"] / counts["there"]
            spans = counts["placed"] / counts["there"]
            figures.setdefault("entities", {})[f"{ner}, {file}"] = [round(x, 3) for x in (precision, recall, spans)]
            rows.append((ner, file, str(counts["there"]), f"{precision:.3f}", f"{recall:.3f}", f"{spans:.3f}"))
    return table(("names by", "sentences", "entities", "precision", "recall", "recall of spans"), rows)


def _counted(file: Path, recipe: Recipe) -> Counter[str]:
    counts: Counter[str] = Counter()
    for text, marked in labelled(file):
        chunks = chunk_document(parse_text(text + "\n"), recipe)
        got = {(e.start, e.end, e.type) for c in chunks if c.facts for e in c.facts.entities or ()}
        placed = {one[:2] for one in got} & {one[:2] for one in marked}
        counts.update(right=len(got & marked), found=len(got), there=len(marked), placed=len(placed))
    return counts


# --- measures ------------------------------------------------------------------------------------------------------


def _measures(
    figures: dict[str, Any],
    books: Sequence[Sample],
    samples: Sequence[Sample],
    signal: str,
    most: int,
    rng: random.Random,
) -> str:
    real, manuals = (
        [chunk_document(parse_text(one.text, media_type=one.media_type), Recipe()) for one in some]
        for some in (books, samples)
    )
    rows = []
    for name, (whole, damaged) in {
        "self-contained, words alone": _beheaded(real, most, rng, alone=True),
        "self-contained, in its document": _beheaded(real, most, rng, alone=False),
        **{f"{name} of books": pair for name, pair in _random(real, signal, most, rng).items()},
        **{f"{name} of manuals": pair for name, pair in _random(manuals, signal, most, rng).items()},
    }.items():
        area = auc(whole, damaged)
        figures.setdefault("auc", {})[name] = round(area, 3)
        means = (sum(some) / len(some) for some in (whole, damaged))
        rows.append((name, len(whole), len(damaged), *(f"{mean:.3f}" for mean in means), f"{area:.3f}"))
    return table(("measure", "real", "damaged", "mean of real", "of damaged", "AUC"), rows)


def _beheaded(
    real: Sequence[Sequence[Chunk]], most: int, rng: random.Random, *, alone: bool
) -> tuple[list[float], list[float]]:
    """Chunks of three sentences or more, and the same without their first."""
    flat = [chunk for some in real for chunk in some if chunk.kind == "paragraph"]
    whole: list[float] = []
    damaged: list[float] = []
    for chunk in rng.sample(flat, min(most, len(flat))):
        starts = sentence_starts(chunk.document.text, chunk.start, chunk.end)
        if len(starts) < 3:
            continue
        text = chunk.document.text
        later = next((at for at in starts[1:] if text[at : at + 1].strip()), starts[1])
        if alone:
            whole.append(_contained(_only(text[chunk.start : chunk.end])))
            damaged.append(_contained(_only(text[later : chunk.end])))
        else:
            whole.append(_contained(chunk))
            damaged.append(_contained(replace(chunk, body=Span(later, chunk.end), seam="sentence")))
    return whole, damaged


def _only(text: str) -> Chunk:
    return chunk_document(parse_text(text, media_type="text/markdown"), Recipe())[0]


def _contained(chunk: Chunk) -> float:
    (value,) = _values([chunk], "self-contained", "hash", "self_contained")
    return value


def _values(chunks: Sequence[Chunk], name: str, signal: str, field: str) -> list[float]:
    recipe = Recipe(enrich=(name,), signal=signal)
    found = enrich(chunks, recipe, make_runtime(recipe), now=NOW, starts=sentence_starts)
    return [getattr(chunk.facts, field) for chunk in found]


def _random(
    real: Sequence[Sequence[Chunk]], signal: str, most: int, rng: random.Random
) -> dict[str, tuple[list[float], list[float]]]:
    """Real chunks, and as many of about the same sizes whose ends were moved to some word or sentence inside."""
    out: dict[str, tuple[list[float], list[float]]] = {}
    runs = [some[: max(3, most // len(real))] for some in real if len(some) > 2]
    moved = {kind: [_moved(some, rng, kind) for some in runs] for kind in ("words", "sentences")}
    for name, field in (("boundary", "boundary"), ("coherence", "coherence"), ("coherence", "distinct")):
        progress(f"{field} of real and random chunks")
        whole = [value for some in runs for value in _values(some, name, signal, field)]
        for kind, chunks in moved.items():
            damaged = [value for some in chunks for value in _values(some, name, signal, field)]
            out[f"{field}, random {kind}"] = whole, damaged
    progress("")
    return out


def _moved(chunks: Sequence[Chunk], rng: random.Random, kind: str) -> list[Chunk]:
    """As many chunks over the same text, each cut moved into the middle half of the chunk after it."""
    text, low, high = chunks[0].document.text, chunks[0].start, chunks[-1].end
    cuts = []
    for chunk in chunks[1:]:
        quarter = (chunk.end - chunk.start) // 4
        near = _places(text, chunk, kind, chunk.start + quarter, chunk.end - quarter)
        cuts.append(rng.choice(near) if near else chunk.start)
    out = []
    for index, (start, end) in enumerate(pairwise((low, *cuts, high))):
        stop = start + len(text[start:end].rstrip())
        if start < stop:
            seam = ("word" if kind == "words" else "sentence") if index else "start"
            out.append(replace(chunks[0], body=Span(start, stop), index=index, seam=seam))
    return out


def _places(text: str, chunk: Chunk, kind: str, low: int, high: int) -> list[int]:
    if kind == "words":
        return [word.start() for word in re.compile(r"\b\w").finditer(text, low, high)]
    return [at for at in sentence_starts(text, chunk.start, chunk.end) if low <= at < high]


def auc(real: Sequence[float], damaged: Sequence[float]) -> float:
    """How often a real one has more than a damaged one; half a point where both have the same."""
    ordered = sorted(damaged)
    wins = sum((bisect_left(ordered, one) + bisect_right(ordered, one)) / 2 for one in real)
    return wins / len(real) / len(damaged)


if __name__ == "__main__":
    sys.exit(main())
