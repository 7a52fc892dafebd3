"""Whether the compiled cut makes the chunks that the Python one makes, of every text of the data and the hostile set.

A difference is a bug in one of the two. Every token count is compared too: chunks hold their own.
"""

from __future__ import annotations

from benchmarks import engine
from benchmarks.common import need, options, progress, save, table, verdict
from benchmarks.speed.parity import Tally, seen, texts

LARGEST = 100_000  # characters: each text is cut six times by the Python path
SETTINGS = [(tokenizer, limit) for tokenizer in ("o200k_base", "cl100k_base", "estimate") for limit in (512, 64)]


def main() -> int:
    args = options(__doc__).parse_args()
    cuts = {setting: engine.cuts(*setting) for setting in SETTINGS}
    if any(compiled is None for _, compiled in cuts.values()):
        print("seamline._cuts is not in use: build it with `pip install -e .`, and unset SEAMLINE_NATIVE")
        return 2
    tallies = dict.fromkeys(SETTINGS, Tally())
    done = 0
    for _, text in texts(need(args.data)):
        if len(text) > LARGEST:
            continue
        document = engine.document(text)
        for setting, (python, compiled) in cuts.items():
            tallies[setting] = tallies[setting].plus(seen(document, python, compiled))
        done += 1
        progress(f"{done} texts")
    progress("")
    rows = [(*setting, *tally, tally.python / max(tally.compiled, 1e-9)) for setting, tally in tallies.items()]
    head = ("tokenizer", "limit", "texts", "differ", "left to Python", "Python s", "compiled s", "times as fast")
    print(table(head, rows))
    same = not any(tally.differ for tally in tallies.values())
    print(f"\nthe same chunks: {verdict(same)}")
    save(args.json, "parity_cuts", {f"{name} {limit}": t._asdict() for (name, limit), t in tallies.items()})
    return 0 if same else 1


if __name__ == "__main__":
    raise SystemExit(main())
