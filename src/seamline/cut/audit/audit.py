"""The audit: finished chunks against the contract, whoever made them.

It knows nothing of atoms, packers or splitters. It reads what a chunk says of itself, the document's blocks, and the
tokenizer; so it judges records from a file as it judges chunks fresh from `seamline.chunk`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from seamline.cut.audit.ground import Ground, Seen
from seamline.cut.audit.rules import CHECKS, VISIBLE, changed_role, quoted, torn_text
from seamline.tokens import TokenizerLike, load
from seamline.types import Chunk, Context, Document

RULES: Mapping[str, str] = MappingProxyType(
    {
        "malformed": "a record lacks a field, or its spans are not in the document",
        "over-limit": "the text has more tokens than the limit",
        "wrong-count": "`tokens` is not the tokenizer's own count of the text",
        "coverage": "some text of the document is in no body",
        "overlap-of-bodies": "a body is empty, or does not come after the body before it",
        "wrong-span": "the text is not its context, body and closing put together",
        "torn-fence": "the text holds half a fenced code block",
        "torn-markup": "the text holds half a formula or half a comment",
        "headless-table": "table rows stand without the table's header",
        "dangling-heading": "the body ends in a heading whose content is in the next chunk",
        "mid-sentence": "the body starts inside a sentence that would fit the limit",
        "cut-grapheme": "a body starts or ends inside one user-perceived character",
        "changed-role": "a line of Markdown is something else when the chunk is read alone",
        "duplicate-id": "two chunks have the same id",
        "torn-level": "a chunk of a higher level is not made of whole chunks of the level below",
    }
)
"""What the audit looks for, each in one line."""


class Violation(NamedTuple):
    """One place where a chunk breaks the contract."""

    rule: str
    """A key of `RULES`."""
    message: str
    """What was expected and what is there, with the line."""
    chunk_index: int
    """Position of the chunk in its document; -1 for text before the first chunk."""
    chunk_id: str
    doc: str
    """Id of the document."""


def audit(
    chunks: Sequence[Chunk], *, limit: int | Sequence[int], tokenizer: TokenizerLike = "o200k_base"
) -> list[Violation]:
    """All violations among chunks, which may come from several documents. Levels may have limits of their own."""
    groups: dict[tuple[str, str], list[Chunk]] = {}
    for chunk in chunks:
        groups.setdefault((chunk.doc_id, chunk.document.text), []).append(chunk)
    out: list[Violation] = []
    ids: set[str] = set()
    for group in groups.values():
        document = group[0].document
        out.extend(_by_level([_seen(chunk) for chunk in group], document, limit, tokenizer, ids))
    return out


def audit_records(
    records: Sequence[Mapping[str, object]],
    document: Document | None,
    *,
    limit: int | Sequence[int],
    tokenizer: TokenizerLike = "o200k_base",
) -> list[Violation]:
    """All violations among the records (`Chunk.to_dict()`) of one document.

    Without the document only sizes, order, ids and fences can be judged.
    """
    out: list[Violation] = []
    seen: list[Seen] = []
    for position, record in enumerate(records):
        try:
            seen.append(_read(record, position))
        except _Malformed as problem:
            out.append(_malformed(record, position, str(problem)))
    return out + _by_level(seen, document, limit, tokenizer, set())


def _by_level(
    chunks: Sequence[Seen],
    document: Document | None,
    limit: int | Sequence[int],
    tokenizer: TokenizerLike,
    ids: set[str],
) -> list[Violation]:
    """Every level holds the contract by itself, and is made of the one below."""
    levels: dict[int, list[Seen]] = {0: []}
    for chunk in chunks:
        levels.setdefault(chunk.level, []).append(chunk)
    out: list[Violation] = []
    below: list[Seen] = []
    for level, group in sorted(levels.items()):
        most = limit if isinstance(limit, int) else limit[min(level, len(limit) - 1)]
        out.extend(_judge(group, document, most, tokenizer, ids))
        if level:
            out.extend(_violation("torn-level", message, chunk) for chunk, message in _torn(group, below))
        below = group
    return out


def _torn(above: Sequence[Seen], below: Sequence[Seen]) -> Iterator[tuple[Seen, str]]:
    """Chunks that start or end inside one of the level below."""
    starts, ends = {chunk.start for chunk in below}, {chunk.end for chunk in below}
    for chunk in above:
        if chunk.start not in starts or chunk.end not in ends:
            yield chunk, f"its body, {chunk.start} to {chunk.end}, cuts a chunk of level {chunk.level - 1}"


def _judge(
    chunks: Sequence[Seen], document: Document | None, limit: int, tokenizer: TokenizerLike, ids: set[str]
) -> list[Violation]:
    """Every rule on the chunks of one document; `ids` are those met before."""
    count = load(tokenizer).count
    size = None if document is None else len(document.text)
    bad = {at: problem for at, chunk in enumerate(chunks) if (problem := _misplaced(chunk, size))}
    out = [_violation("malformed", problem, chunks[at]) for at, problem in bad.items()]
    chunks = [chunk for at, chunk in enumerate(chunks) if at not in bad]
    ground = None if document is None else Ground(document, count, limit)
    before: Seen | None = None
    for chunk in chunks:
        found = [*_alone(chunk, count(chunk.text), limit, ids), *_in_document(ground, chunk, before)]
        out.extend(_violation(rule, message, chunk) for rule, message in found)
        before = chunk
    out.extend(_violation("overlap-of-bodies", message, chunk) for chunk, message in _overlaps(chunks))
    if ground is not None:
        nobody = Seen(-1, "", ground.document.id, 0, 0, "", 0, (), "")
        out.extend(_violation("coverage", message, chunk or nobody) for chunk, message in _coverage(ground, chunks))
    return out


def _alone(chunk: Seen, tokens: int, limit: int, ids: set[str]) -> Iterator[tuple[str, str]]:
    """What needs no document: size and id."""
    if tokens > limit:
        yield "over-limit", f"expected at most {limit} tokens, got {tokens}"
    if tokens != chunk.tokens:
        yield "wrong-count", f"says {chunk.tokens} tokens, the tokenizer counts {tokens}"
    if chunk.id in ids:
        yield "duplicate-id", f"another chunk has the id {chunk.id}"
    ids.add(chunk.id)


def _violation(rule: str, message: str, chunk: Seen) -> Violation:
    return Violation(rule, message, chunk.position, chunk.id, chunk.doc)


def _in_document(ground: Ground | None, chunk: Seen, before: Seen | None) -> Iterator[tuple[str, str]]:
    """What is judged by the document; of the text itself, where that is missing or says something else."""
    whole = chunk.text
    if ground is not None:
        whole = ground.lead(chunk) + ground.text[chunk.start : chunk.end] + chunk.closing
        found = [one for check in CHECKS for one in check(ground, chunk, before)]
        yield from found
        if not found:  # what is torn is something else alone, and is told once
            yield from changed_role(ground, chunk)
    if whole != chunk.text:
        pairs = enumerate(zip(whole, chunk.text, strict=False))
        at = next((i for i, (a, b) in pairs if a != b), min(len(whole), len(chunk.text)))
        yield "wrong-span", f"expected {quoted(whole[at:])!r} at {at} of the text, got {quoted(chunk.text[at:])!r}"
    if ground is None or whole != chunk.text:
        yield from (("torn-fence", message) for message in torn_text(chunk.text))


# --- all bodies together ---------------------------------------------------------------------------------------------


def _overlaps(chunks: Sequence[Seen]) -> Iterator[tuple[Seen, str]]:
    """Bodies that are empty, or start before the ones before them end."""
    reached = 0
    for chunk in chunks:
        if chunk.start == chunk.end:
            yield chunk, f"the body at {chunk.start} is empty"
        if chunk.start < reached:
            yield chunk, f"expected a start >= {reached}, where the bodies before it end, got {chunk.start}"
        reached = max(reached, chunk.end)


def _coverage(ground: Ground, chunks: Sequence[Seen]) -> Iterator[tuple[Seen | None, str]]:
    """Text in no body, with the chunk before it."""
    taken: list[tuple[int, int, Seen | None]] = [(s.start, s.end, None) for s in ground.document.removed]
    taken.extend((chunk.start, chunk.end, chunk) for chunk in chunks)
    at = 1 if ground.text.startswith("\ufeff") else 0
    last: Seen | None = None
    for start, end, chunk in [*sorted(taken, key=lambda t: t[:2]), (len(ground.text), len(ground.text), None)]:
        lost = VISIBLE.search(ground.text, at, start) if at < start else None
        if lost:
            stop = len(ground.text[lost.start() : start].rstrip()) + lost.start()
            here = quoted(ground.text[lost.start() : stop])
            yield last, f"{ground.line(lost.start())}: {stop - lost.start()} characters in no body: {here!r}"
        at = max(at, end)
        last = chunk or last


# --- from chunks and records ---------------------------------------------------------------------------------------


class _Malformed(Exception):
    """Why a record cannot be judged."""


def _seen(chunk: Chunk) -> Seen:
    return Seen(
        chunk.index,
        chunk.id,
        chunk.doc_id,
        chunk.start,
        chunk.end,
        chunk.text,
        chunk.tokens,
        chunk.context,
        chunk.closing,
        chunk.level,
    )


def _read(record: object, position: int) -> Seen:
    if not isinstance(record, Mapping):
        raise _Malformed(f"expected an object, got {quoted(repr(record))}")
    index = record.get("index", position)
    return Seen(
        index if type(index) is int else position,
        _text(record, "id"),
        _text(record, "doc"),
        _number(record, "start"),
        _number(record, "end"),
        _text(record, "text"),
        _number(record, "tokens"),
        tuple(_contexts(record)),
        _text(record, "closing"),
        _number(record, "level") if "level" in record else 0,
    )


def _contexts(record: Mapping[object, object]) -> Iterator[Context]:
    items = record.get("context")
    if not isinstance(items, list | tuple):
        raise _Malformed(f"expected a list at `context`, got {_what(record, 'context')}")
    for item in items:
        if not isinstance(item, Mapping):
            raise _Malformed(f"expected objects in `context`, got {quoted(repr(item))}")
        added = _text(item, "added") if "added" in item else ""
        yield Context(_text(item, "role"), _number(item, "start"), _number(item, "end"), added)


def _text(record: Mapping[object, object], key: str) -> str:
    value = record.get(key)
    if not isinstance(value, str):
        raise _Malformed(f"expected a string at `{key}`, got {_what(record, key)}")
    return value


def _number(record: Mapping[object, object], key: str) -> int:
    value = record.get(key)
    if not isinstance(value, int) or isinstance(value, bool):
        raise _Malformed(f"expected a whole number at `{key}`, got {_what(record, key)}")
    return value


def _what(record: Mapping[object, object], key: str) -> str:
    return quoted(repr(record[key])) if key in record else "nothing"


def _malformed(record: object, position: int, problem: str) -> Violation:
    fields: Mapping[object, object] = record if isinstance(record, Mapping) else {}
    name, doc = fields.get("id"), fields.get("doc")
    return Violation(
        "malformed",
        problem,
        position,
        name if isinstance(name, str) else "",
        doc if isinstance(doc, str) else "",
    )


def _misplaced(chunk: Seen, size: int | None) -> str:
    """Why the spans of a chunk cannot be in a text of `size` code points; empty where they can."""
    spans = [("body", chunk.start, chunk.end), *((f"{c.role} context", c.start, c.end) for c in chunk.context)]
    for name, start, end in spans:
        if not 0 <= start <= end:
            return f"expected 0 <= start <= end, got start={start} end={end} in the {name}"
        if size is not None and end > size:
            return f"expected end <= {size}, the length of the document, got {end} in the {name}"
    return ""
