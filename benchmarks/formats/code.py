"""Source code: how fast it is parsed beside tree-sitter alone, and whether functions that fit are ever cut.

Judged: every file keeps the contract, no function within the limit is cut at 256 and 512 tokens, and parsing takes at
most 1.5 times what tree-sitter takes to make its tree (CPU time in this process, best of three for every file).
"""

from __future__ import annotations

import gc
import importlib
import os
import time
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import seamline
from benchmarks.common import Sample, options, save, stream, table, verdict
from seamline.parse import parse_text
from seamline.parse.code import document as code
from seamline.parse.code.detect import language_of
from seamline.parse.parser_types import ParseInput
from seamline.recipe.recipe import Recipe
from seamline.testing.parsers import check_document
from seamline.tokens import load
from seamline.types import NO_DETAIL, Document

LIMITS = (256, 512)
TIMES = 1.5
_ROUNDS = 3

Count = Callable[[str], int]


def main() -> int:
    arguments = options(__doc__).parse_args()
    os.environ["SEAMLINE_ISOLATE"] = "0"
    samples = list(stream(arguments.data / "code.jsonl"))
    count = load("o200k_base").count
    times, speed = speeds(samples)
    broken, cut, kept = fidelity(samples, count)
    rest = splitters(samples, count)
    save(arguments.json, "code", {"speed": speed, "kept": kept, "splitters": rest})
    return 0 if times <= TIMES and not broken and not cut else 1


def best(work: Callable[[], Any]) -> float:
    """CPU seconds of the quickest of a few runs."""
    times = []
    for _ in range(_ROUNDS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def speeds(samples: Sequence[Sample]) -> tuple[float, list[Any]]:
    """Both passes over every file, by language; how many times as long as tree-sitter alone ours takes."""
    totals: dict[str, list[float]] = defaultdict(lambda: [0.0] * 6)
    gc.disable()
    reading = Recipe().reading  # blocks alone, as the default strategy wants them
    for sample in samples:
        language = language_of(sample.text, sample.path)
        raw, data = ParseInput(b"", sample.text, sample.path, reading=reading), sample.text.encode()
        codes = [notice.code for notice in code.parse(raw).notices]
        parser = code._parser(language) if language else None
        figures = (
            1,
            "no-grammar" not in codes,
            "syntax" in codes,
            len(data),
            best(lambda parser=parser, data=data: parser and parser.parse(data)),
            best(lambda raw=raw: code.parse(raw)),
        )
        for name in (language.name if language else "no grammar", "all"):
            totals[name] = [a + b for a, b in zip(totals[name], figures, strict=True)]
    gc.enable()
    headers = ("language", "files", "by grammar", "with errors", "tree-sitter MB/s", "seamline MB/s", "times")
    rows = [
        (name, int(files), f"{known / files:.0%}", int(errors), size / bare / 1e6, size / ours / 1e6, ours / bare)
        for name, (files, known, errors, size, bare, ours) in sorted(totals.items())
    ]
    print(table(headers, rows))
    times = totals["all"][5] / totals["all"][4]
    print(f"at most {TIMES} times tree-sitter alone: {verdict(times <= TIMES)}\n")
    return times, rows


def fidelity(samples: Sequence[Sample], count: Count) -> tuple[int, int, list[Any]]:
    """Files that break the contract, and functions within the limit that are cut."""
    broken = 0
    functions = {limit: [0, 0] for limit in LIMITS}
    for sample in samples:
        document = read(sample)
        try:
            check_document(document)
        except AssertionError as error:
            broken += 1
            print(f"{sample.path}: {error}")
        for limit in LIMITS:
            starts = [chunk.start for chunk in seamline.chunk(document, limit=limit)]
            functions[limit] = [
                a + b for a, b in zip(functions[limit], torn(document, starts, limit, count), strict=True)
            ]
    rows = [(limit, fit, cut, verdict(not cut)) for limit, (fit, cut) in functions.items()]
    print(table(("limit", "functions that fit", "of them cut", ""), rows))
    print(f"{broken} of {len(samples)} files break the contract: {verdict(not broken)}\n")
    return broken, sum(cut for _, cut in functions.values()), rows


def read(sample: Sample, recipe: Recipe | None = None) -> Document:
    """A source as it is read for a recipe; for none, with all that any recipe may ask for."""
    reading = recipe.reading if recipe else None
    return parse_text(sample.text, uri=sample.path, media_type="code", reading=reading)


def torn(document: Document, starts: Sequence[int], limit: int, count: Count) -> tuple[int, int]:
    """How many functions fit, and inside how many of them, after their first word, a chunk starts."""
    fit = cut = 0
    for block in document.blocks:
        if (block.detail or NO_DETAIL).type not in ("function", "method"):
            continue
        if count(document.text[block.start : block.end]) <= limit:
            fit += 1
            after = bisect_right(starts, block.start)
            inside = after < len(starts) and starts[after] < block.end
            cut += inside and bool(document.text[block.start : starts[after]].strip())
    return fit, cut


def splitters(samples: Sequence[Sample], count: Count) -> list[Any]:
    """Parsing and cutting together at 512 tokens, beside a splitter that knows grammars too."""
    limit = LIMITS[-1]
    size = sum(len(sample.text.encode()) for sample in samples)
    ours = time.process_time()
    for sample in samples:
        seamline.chunk(read(sample, Recipe()), limit=limit)
    ours = time.process_time() - ours
    rows: list[Any] = [("seamline", size / ours / 1e6, 0, "see above")]
    try:
        splitter = importlib.import_module("semantic_text_splitter").CodeSplitter
    except ModuleNotFoundError:
        rows.append(("semantic-text-splitter", "not installed", None, None))
    else:
        rows.append(("semantic-text-splitter", *_peer(samples, splitter, limit, count, size)))
    print(table(("parse and cut at 512 tokens", "MB/s", "over the limit", "functions cut"), rows))
    return rows


def _peer(samples: Sequence[Sample], splitter: Any, limit: int, count: Count, size: int) -> tuple[float, int, str]:
    made: dict[str, Any] = {}
    spent = 0.0
    over = fit = cut = 0
    for sample in samples:
        language = language_of(sample.text, sample.path)
        if language is None:
            continue
        if language.name not in made:
            grammar = getattr(importlib.import_module(language.package), language.grammar)()
            made[language.name] = splitter.from_callback(grammar, count, limit)
        start = time.process_time()
        pieces = made[language.name].chunk_indices(sample.text)
        spent += time.process_time() - start
        over += sum(count(piece) > limit for _, piece in pieces)
        more = torn(read(sample), [at for at, _ in pieces], limit, count)
        fit, cut = fit + more[0], cut + more[1]
    return size / spent / 1e6, over, f"{cut} of {fit}"


if __name__ == "__main__":
    raise SystemExit(main())
