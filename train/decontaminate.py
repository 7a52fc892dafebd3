"""Drop passages and queries that share text with the evaluation sets, and print what was shared.

    python train/decontaminate.py MINED_FOLDER EVALUATION_FOLDER ...

Evaluation text is every string of every .jsonl file below the given folders, and every text file. Text is compared as
word n-grams in lower case. A passage goes if two different runs of 13 words stand in the evaluation text too (one may
be a licence line or a command that everybody quotes), a query if it equals an evaluation question or shares 10 words.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_WORD = re.compile(r"\w+")
LONG, SHORT = 13, 10
_TEXT = {".md", ".mdx", ".rst", ".html", ".tex", ".txt", ".csv", ".eml", ".vtt", ".srt"}


def grams(text: str, size: int) -> Iterator[int]:
    words = _WORD.findall(text.lower())
    for at in range(len(words) - size + 1):
        yield hash(" ".join(words[at : at + size]))


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from strings(part)


def evaluation(folders: list[Path]) -> Iterator[str]:
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.suffix == ".jsonl":
                for line in path.read_text(encoding="utf-8").splitlines():
                    yield from strings(json.loads(line))
            elif path.suffix in _TEXT and path.is_file():
                yield path.read_text(encoding="utf-8", errors="replace")


def read(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mined", type=Path)
    parser.add_argument("evaluation", type=Path, nargs="+")
    args = parser.parse_args()
    long: set[int] = set()
    short: set[int] = set()
    whole: set[str] = set()
    for text in evaluation(args.evaluation):
        long.update(grams(text, LONG))
        short.update(grams(text, SHORT))
        if len(text) < 400:
            whole.add(" ".join(_WORD.findall(text.lower())))
    print(f"evaluation text: {len(long):,} runs of {LONG} words", flush=True)

    passages, queries = read(args.mined / "passages.jsonl.gz"), read(args.mined / "queries.jsonl.gz")
    gone, by_repo = set(), Counter[str]()
    for number, passage in enumerate(passages):
        if len({gram for gram in grams(passage["body"], LONG) if gram in long}) >= 2:
            gone.add(number)
            by_repo[passage["repo"]] += 1
    number_of: dict[int, int] = {}
    with gzip.open(args.mined / "passages.clean.jsonl.gz", "wt", encoding="utf-8", compresslevel=4) as file:
        for number, passage in enumerate(passages):
            if number not in gone:
                number_of[number] = len(number_of)
                file.write(json.dumps(passage, ensure_ascii=False) + "\n")
    kept = dropped = 0
    with gzip.open(args.mined / "queries.clean.jsonl.gz", "wt", encoding="utf-8", compresslevel=4) as file:
        for query in queries:
            same = " ".join(_WORD.findall(query["text"].lower())) in whole or any(
                g in short for g in grams(query["text"], SHORT)
            )
            if same or query["passage"] not in number_of:
                dropped += 1
                continue
            kept += 1
            query |= {"passage": number_of[query["passage"]], "origin": number_of.get(query["origin"], -1)}
            file.write(json.dumps(query, ensure_ascii=False) + "\n")
    print(f"passages: {len(gone)} of {len(passages)} dropped, by source {by_repo.most_common(12)}")
    print(f"queries: {dropped} of {kept + dropped} dropped")
    left = sum(len({g for g in grams(passages[n]["body"], LONG) if g in long}) >= 2 for n in number_of)
    print(f"check: {left} passages left that share two runs of {LONG} words with the evaluation sets")


if __name__ == "__main__":
    main()
