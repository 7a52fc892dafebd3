"""Single words: what is answered of misspelt ones, of words without a meaning, and of other words for what is said.

    seamline index DOCS --index FOLDER        (the documents of markdown.jsonl as files)
    python -m benchmarks.quality.spelling FOLDER

A word counts as `said` where one of the best passages holds it, as `read` where a notice names the word that is meant.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Sequence

import seamline
from benchmarks.common import table

MISSPELT = (
    "kuberntes enviroment deploymnet conatiner namepsace volum secert configuraton useStaet replicaste docusuarus "
    "sidebr borow lifetim clousre tratis iterater componet hoook rendring schedular autosclaing ingres certficate "
    "authetication permisions plugn navbr markdwon transalation ownrship macrro refrence paniking concurency threds "
    "mutx chanel slector liveness-prob"
)
OTHER = (
    "passwords login refactor vegetarian teardown encryption firewall backup uptime outage latency bottleneck hosting "
    "spreadsheet dashboards monitoring billing undo rewind clock leak segfault race deadlock nullable polymorphism "
    "inheritance lambda coroutine multithreading dropdown tooltip modal checkbox spinner breadcrumbs changelog colour "
    "dark mobile quota throttling audit compliance GDPR tenancy"
)
NONSENSE = (
    "zzxqy qwrtz blorptang xkcdvv flurbmix gnarfle vopliq trazzik mungwump snorfle yblik qqq zorp wibblefrotz kjhgf "
    "asdfgh plumbus grobnik dringle xyzzy fnord quuxly tlhingan brzdk"
)
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def drawn(rng: random.Random, words: int) -> str:
    """So many words of 4 to 9 letters."""
    return " ".join("".join(rng.choices(_LETTERS, k=rng.randint(4, 9))) for _ in range(words))


def count(index: seamline.Index, queries: Sequence[str]) -> tuple[int, ...]:
    """How many queries there are, and of how many a word is said, is read, and anything is shown."""
    seen: Counter[str] = Counter()
    for query in queries:
        results = index.search(query, k=5)
        is_read = any(notice.code == "misspelt" for notice in results.notices)
        seen["read"] += is_read
        seen["said"] += bool(results.evidence and results.evidence.coverage and not is_read)
        seen["shown"] += bool(results.hits)
    return len(queries), seen["said"], seen["read"], seen["shown"]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("index", help="folder of an index")
    args = parser.parse_args()
    rng = random.Random(5)
    kinds = {
        "misspelt": MISSPELT.split(),
        "other words": OTHER.split(),
        "without a meaning, written": NONSENSE.split(),
        "without a meaning, drawn": [drawn(rng, 1) for _ in range(40)],
        "1 to 4 of them": [drawn(rng, rng.randint(1, 4)) for _ in range(150)],
    }
    with seamline.open_index(args.index) as index:
        rows = [(kind, *count(index, queries)) for kind, queries in kinds.items()]
    print(table(("words", "queries", "said", "read", "shown"), rows))


if __name__ == "__main__":
    main()
