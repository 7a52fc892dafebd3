"""Claims by rules beside labelled atomic facts: precision, share of facts found, and what confidence is worth.

A claim is right where it says what one labelled fact says. What is true but holds several facts at once, says a fact
again or cannot be read alone counts as wrong. `--show` prints every difference of the half that is for choosing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

from benchmarks.claims.labels import HALVES, Item, items, pair
from benchmarks.common import options, save, table
from seamline.enrich.derive import derive
from seamline.facts import Derived
from seamline.parse import parse_text
from seamline.pipeline import chunk_document, make_runtime
from seamline.recipe.recipe import Recipe
from seamline.recipe.strategies import Propositions

PRECISION, FOUND = 0.9, 0.7
STEPS = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95)


class Read(NamedTuple):
    """The claims of one item, and which facts they state."""

    item: Item
    claims: list[Derived]
    pairs: dict[int, int]


def main() -> int:
    parser = options(__doc__)
    parser.add_argument("--half", choices=HALVES, action="append", help="only this half")
    parser.add_argument("--show", action="store_true", help="every difference of the half that is for choosing")
    given = parser.parse_args()
    figures: dict[str, Any] = {}
    passed = True
    for half in given.half or HALVES:
        read = [_read(item) for item in items() if item.half == half]
        print(f"\n## {half}: {len(read)} sentences\n")
        if given.show and half == "chosen":
            _show(read)
        kept = [_from(one, 0.5) for one in read]
        print(_by_kind(kept))
        precision, found = _figures(kept)
        figures[half] = {"precision": precision, "found": found, "calibration": _calibration(read)}
        print(table(("confidence", "claims", "right", "mean confidence"), figures[half]["calibration"]))
        good = precision >= PRECISION and found >= FOUND
        print(f"{'pass' if good else 'FAIL'}: precision {precision:.3f} (bar {PRECISION}), found {found:.3f} ({FOUND})")
        passed = passed and (good or half == "chosen")
    save(given.json, "claims", figures)
    return 0 if passed else 1


def _read(item: Item) -> Read:
    before = f"{item.before} " if item.before else ""
    document = parse_text(f"{before}{item.text}\n", media_type="text/markdown")
    recipe = Recipe(strategy="propositions", propositions=Propositions(dedup=2.0, confidence=0.0))
    runtime = make_runtime(recipe)
    made = derive(document, chunk_document(document, recipe, runtime), recipe, runtime)
    claims = [claim for claim in made.texts if max(span.end for span in claim.spans) > len(before)]
    return Read(item, claims, pair([claim.text for claim in claims], item.facts))


def _from(read: Read, least: float) -> Read:
    claims = [claim for claim in read.claims if claim.confidence >= least]
    return Read(read.item, claims, pair([claim.text for claim in claims], read.item.facts))


def _figures(read: Sequence[Read]) -> tuple[float, float]:
    right = sum(len(one.pairs) for one in read)
    return right / sum(len(one.claims) for one in read), right / sum(len(one.item.facts) for one in read)


def _by_kind(read: Sequence[Read]) -> str:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for one in read:
        for kind in (one.item.kind, "all"):
            counts[kind].update(sentences=1, facts=len(one.item.facts), claims=len(one.claims), right=len(one.pairs))
    rows = [
        (kind, c["sentences"], c["facts"], c["claims"], c["right"], _share(c, "claims"), _share(c, "facts"))
        for kind, c in sorted(counts.items(), key=lambda pair: pair[0] == "all")
    ]
    return table(("kind", "sentences", "facts", "claims", "right", "precision", "found"), rows)


def _share(counts: Counter[str], of: str) -> str:
    return f"{counts['right'] / counts[of]:.2f}" if counts[of] else "-"


def _calibration(read: Sequence[Read]) -> list[tuple[str, int, str, str]]:
    """How many of the claims of each confidence are right; unsure ones included."""
    judged = [(claim.confidence, at in one.pairs) for one in read for at, claim in enumerate(one.claims)]
    rows = []
    for low, high in zip(STEPS, (*STEPS[1:], 1.01), strict=True):
        some = [(sure, right) for sure, right in judged if low <= sure < high]
        if some:
            share = sum(right for _, right in some) / len(some)
            mean = sum(sure for sure, _ in some) / len(some)
            rows.append((f"{low} to {min(1.0, high)}", len(some), f"{share:.2f}", f"{mean:.2f}"))
    return rows


def _show(read: Sequence[Read]) -> None:
    for one in read:
        wrong = [claim for at, claim in enumerate(one.claims) if at not in one.pairs]
        missed = [fact for to, fact in enumerate(one.item.facts) if to not in one.pairs.values()]
        if wrong or missed:
            print(f"[{one.item.kind}] {one.item.before} | {one.item.text}")
            for claim in wrong:
                print(f"    wrong  {claim.confidence:.2f} {claim.text}")
            for fact in missed:
                print(f"    missed      {fact[0]}")


if __name__ == "__main__":
    raise SystemExit(main())
