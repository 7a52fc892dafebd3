"""Source code by the code strategy: functions whole, chunks that are valid, exactly the imports they use, and the cost.

Judged at 128, 256, 512 and 1,024 tokens, function by function:

- no function or method that fits the limit is cut;
- every chunk of a Python file parses with `ast`, as it is or dedented, but for those that hold a part of a single
  statement (or header) above the limit, which are counted apart;
- in other languages, no chunk of a file without errors has errors of its own, but for those that hold a part of a
  single literal, comment or line above the limit, which are counted apart;
- the imports in a Python chunk are those that `ast` and `symtable` say its body uses; what is left out for want of
  room is in its facts;
- parsing and cutting take at most twice as long as by structure (CPU time, best of three, in this process).
"""

from __future__ import annotations

import ast
import importlib
import os
import textwrap
import time
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import seamline
from benchmarks.code.reference import Loads, imported
from benchmarks.common import Sample, options, save, stream, table, verdict
from benchmarks.formats.code import read, torn
from seamline.enrich.code import code_facts
from seamline.parse.code import document as code
from seamline.parse.code.detect import language_of
from seamline.recipe.recipe import Recipe
from seamline.tokens import load
from seamline.types import Budget, Chunk, Document

LIMITS = (128, 256, 512, 1024)
TIMES = 2.0
_ROUNDS = 3
Count = Callable[[str], int]


def main() -> int:
    arguments = options(__doc__).parse_args()
    os.environ["SEAMLINE_ISOLATE"] = "0"
    samples = list(stream(arguments.data / "code.jsonl"))
    count = load("o200k_base").count
    documents = [(sample, read(sample)) for sample in samples]
    kept = wholeness(documents, count)
    valid = validity(documents, count)
    used = imports(documents)
    cost = speed(samples)
    save(arguments.json, "code-strategy", {"whole": kept[1], "valid": valid[1], "imports": used[1], "cost": cost[1]})
    return 0 if kept[0] and valid[0] and used[0] and cost[0] else 1


def recipe(limit: int, strategy: str = "code") -> Recipe:
    return Recipe(strategy=strategy, budget=Budget(limit * 15 // 16, limit))  # type: ignore[arg-type]


def cut(document: Document, limit: int) -> list[Chunk]:
    return seamline.chunk(document, recipe=recipe(limit))


# --- functions -------------------------------------------------------------------------------------------------------


def wholeness(documents: Sequence[tuple[Sample, Document]], count: Count) -> tuple[bool, list[Any]]:
    """Functions that fit and are cut, by us and by a splitter that knows grammars."""
    rows: list[Any] = []
    for limit in LIMITS:
        totals: Counter[str] = Counter()
        for sample, document in documents:
            chunks = cut(document, limit)
            totals["broken"] += bool(seamline.audit(chunks, limit=limit))
            fit, torn_here = torn(document, [chunk.start for chunk in chunks], limit, count)
            totals.update(chunks=len(chunks), fit=fit, cut=torn_here)
            theirs = peer(sample, limit, count)
            if theirs is not None:
                totals["theirs"] += torn(document, theirs, limit, count)[1]
        rows.append((limit, totals["chunks"], totals["broken"], totals["fit"], totals["cut"], totals["theirs"]))
    print(
        table(("limit", "chunks", "files that break the contract", "functions that fit", "cut", "cut by a peer"), rows)
    )
    ok = not any(row[2] or row[4] for row in rows)
    print(f"no function that fits is cut: {verdict(ok)} (the peer: semantic-text-splitter)\n")
    return ok, rows


_SPLITTERS: dict[tuple[str, int], Any] = {}


def peer(sample: Sample, limit: int, count: Count) -> list[int] | None:
    """Where semantic-text-splitter starts its chunks; None where it is not installed or knows no grammar."""
    language = language_of(sample.text, sample.path)
    if language is None:
        return None
    if (language.name, limit) not in _SPLITTERS:
        try:
            splitter = importlib.import_module("semantic_text_splitter").CodeSplitter
        except ModuleNotFoundError:
            return None
        grammar = getattr(importlib.import_module(language.package), language.grammar)()
        _SPLITTERS[language.name, limit] = splitter.from_callback(grammar, count, limit)
    return [at for at, _ in _SPLITTERS[language.name, limit].chunk_indices(sample.text)]


# --- validity --------------------------------------------------------------------------------------------------------


def validity(documents: Sequence[tuple[Sample, Document]], count: Count) -> tuple[bool, list[Any]]:
    rows: list[Any] = []
    for limit in LIMITS:
        by: dict[str, Counter[str]] = defaultdict(Counter)
        for sample, document in documents:
            language = language_of(sample.text, sample.path)
            if language is None:
                continue
            chunks = cut(document, limit)
            if language.name == "python":
                found = python(document, chunks, limit, count)
            else:
                found = others(document, chunks, code._parser(language), limit, count)
            by[language.name].update(found)
        for name, totals in sorted(by.items()):
            kinds = ("valid", "dedented", "over", "invalid", "unjudged")
            rows.append((limit, name, *(totals[kind] for kind in kinds)))
    headers = (
        "limit",
        "language",
        "valid",
        "once dedented",
        "part of what is over the limit",
        "invalid",
        "source invalid",
    )
    print(table(headers, rows))
    ok = not any(row[5] for row in rows)
    print(f"no chunk is invalid: {verdict(ok)}\n")
    return ok, rows


def python(document: Document, chunks: Sequence[Chunk], limit: int, count: Count) -> Iterator[str]:
    try:
        over = list(large_statements(document, limit, count))
    except SyntaxError:
        yield from ["unjudged"] * len(chunks)
        return
    for chunk in chunks:
        first, last = chunk.lines
        if parses(chunk.text):
            yield "valid"
        elif parses(textwrap.dedent(chunk.text)):
            yield "dedented"
        else:
            yield "over" if any(low <= last and first <= high for low, high in over) else "invalid"


def parses(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return True


def large_statements(document: Document, limit: int, count: Count) -> Iterator[tuple[int, int]]:
    """Lines of simple statements and headers that do not fit a chunk."""
    lines = document.text.splitlines(keepends=True)
    for node in ast.walk(ast.parse(document.text)):
        if not isinstance(node, ast.stmt):
            continue
        body = getattr(node, "body", None)
        first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])
        last = body[0].lineno - 1 if body else node.end_lineno or node.lineno
        if last >= first and count("".join(lines[first - 1 : last]).rstrip()) > limit:
            yield first, last


def others(document: Document, chunks: Sequence[Chunk], parser: Any, limit: int, count: Count) -> Iterator[str]:
    root = parser.parse(document.text.encode()).root_node
    if root.has_error:
        yield from ["unjudged"] * len(chunks)
        return
    over = list(large_leaves(root, limit, count))
    for chunk in chunks:
        first, last = chunk.lines
        if not parser.parse(f"{chunk.text}\n".encode()).root_node.has_error:  # Go wants the last line ended
            yield "valid"
        else:
            yield "over" if any(low <= last and first <= high for low, high in over) else "invalid"


def large_leaves(root: Any, limit: int, count: Count) -> Iterator[tuple[int, int]]:
    """Lines of literals and comments, and of statements without blocks, that do not fit a chunk."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.end_byte - node.start_byte <= limit:
            continue
        whole = not node.children or "string" in node.type or "comment" in node.type
        if whole and count(node.text.decode()) > limit:
            yield node.start_point[0] + 1, node.end_point[0] + 1
        else:
            waiting.extend(node.children)


# --- imports ---------------------------------------------------------------------------------------------------------


def imports(documents: Sequence[tuple[Sample, Document]]) -> tuple[bool, list[Any]]:
    """Imports in the text and in the facts of Python chunks, against what Python says the bodies use."""
    known = []
    for sample, document in documents:
        if sample.path.endswith(".py"):
            try:
                known.append((document, sorted(Loads(document.text).found), imported(document.text)))
            except SyntaxError:
                continue
    rows: list[Any] = []
    for limit in LIMITS:
        totals: Counter[str] = Counter()
        for document, loads, statements in known:
            for chunk in cut(document, limit):
                totals.update(judged(chunk, loads, statements))
        shown = totals["shown"] / max(1, totals["needed"])
        rows.append((limit, totals["needed"], totals["wrong"], totals["missed"], f"{shown:.1%}"))
    print(
        table(("limit", "import statements used", "repeated but not used", "in no fact", "repeated in the text"), rows)
    )
    ok = not any(row[2] or row[3] for row in rows)
    print(f"exactly those that are used: {verdict(ok)}\n")
    return ok, rows


def judged(
    chunk: Chunk, loads: Sequence[tuple[int, str]], statements: dict[str, list[tuple[int, int]]]
) -> dict[str, int]:
    """Statements that a chunk needs, of them those its text repeats, repeated ones it does not need, missing names."""
    low, high = bisect_left(loads, (chunk.start, "")), bisect_left(loads, (chunk.end, ""))
    names = {name for _, name in loads[low:high] if name in statements}
    first, last = chunk.lines
    needed = {lines for name in names for lines in statements[name] if not first <= lines[0] <= last}
    document = chunk.document
    shown = {document.lines_of(context.span) for context in chunk.context if context.role == "import"}
    facts = set(code_facts(chunk).imports)
    return {
        "needed": len(needed),
        "shown": len(needed & shown),
        "wrong": len(shown - needed) + len(facts - names),
        "missed": len(names - facts),
    }


# --- cost ------------------------------------------------------------------------------------------------------------


def speed(samples: Sequence[Sample]) -> tuple[bool, list[Any]]:
    """Parsing and cutting, by structure and by the code strategy, one after the other in one run."""
    size = sum(len(sample.text.encode()) for sample in samples)
    rows: list[Any] = []
    for limit in (256, 512):
        best: dict[str, float] = {}
        for _ in range(_ROUNDS):
            for strategy in ("structural", "code"):
                start = time.process_time()
                by = recipe(limit, strategy)
                for sample in samples:
                    seamline.chunk(read(sample, by), recipe=by)
                spent = time.process_time() - start
                best[strategy] = min(spent, best.get(strategy, spent))
        times = best["code"] / best["structural"]
        rows.append((limit, size / best["structural"] / 1e6, size / best["code"] / 1e6, times))
    print(table(("limit", "by structure MB/s", "by scopes MB/s", "times"), rows))
    ok = all(row[3] <= TIMES for row in rows)
    print(f"at most {TIMES:.0f} times: {verdict(ok)}\n")
    return ok, rows


if __name__ == "__main__":
    raise SystemExit(main())
