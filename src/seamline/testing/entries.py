"""Entries, versions, changes and filters for tests: builders for examples, and Hypothesis strategies for laws.

Needs `hypothesis` and `numpy`, which the `dev` extra brings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import strategies as st

from seamline.filters.tree import DERIVED_FIELDS, FIELDS, META, ORDERED, All, Any, Filter, Not, Operator, Test, Value
from seamline.records import Change, Entry, EntryPlace, Head, MetaValue, Settings, Version
from seamline.store.codec import digest
from seamline.text.words import ANALYZER

if TYPE_CHECKING:
    from seamline.protocols import Reader
    from seamline.records import Vector

DIMENSIONS = 8
NOON = datetime(2024, 5, 17, 12, 0, 0, 250_001, tzinfo=UTC)
SETTINGS = Settings(
    schema=1,
    recipe='[budget]\nlimit = 512 # "quoted"\n',
    fingerprint="f" * 16,
    embedder="axes",
    dimensions=DIMENSIONS,
    embedding="e" * 16,
    analyzer=ANALYZER,
    dual=True,
    options={"shadows": "on", "Überschrift": "'\u0000"},
)
WEIRD = (
    "'); drop table entries; --",
    'quote " and \\ and % and _ and `',
    "nul\x00inside",
    "\x00",
    "lone \ud800 high",
    "lone \udfff low",
    "👩‍👩‍👧‍👦 emoji",
    "\u202eright to left\u202c עברית",
    "line\nend\r\ntab\t\x0b\x85\u2028",
    "ünï=cödé",
    "$1 :name %s {0} ?",
    "null",
    " ",
    "ﷺ",
    "𐐷 beyond the BMP",
    "\uffff\U0010ffff",
)
"""Strings that break what builds queries out of strings."""


def vector(*parts: float) -> Vector:
    """The parts as a vector of length 1, filled up with zeros."""
    row = np.zeros(DIMENSIONS, dtype=np.float64)
    row[: len(parts)] = parts
    unit: Vector = (row / np.linalg.norm(row)).astype(np.float32)
    return unit


AXES = tuple(
    vector(*row)
    for row in (
        *(tuple(float(i == at) * sign for i in range(DIMENSIONS)) for at in range(DIMENSIONS) for sign in (1, -1)),
        *((1, 1, 1, 1), (1, 1, -1, -1), (1, -1, 1, -1), (-1, -1, -1, 1), (0, 0, 1, 1, 1, 1), (0, 0, 0, 0, 1, 1, 1, -1)),
    )
)
"""Vectors whose cosines are exact in any arithmetic, multiples of 0.25: ties are ties everywhere."""


def entry(doc: str, body: str, *, lead: str = "", tail: str = "", level: int = 0, occurrence: int = 0) -> Entry:
    """An entry of a document with this body, and an id that follows from both."""
    text = lead + body + tail
    content = sha256(body.encode("utf-8", "surrogatepass")).hexdigest()
    named = f"{doc}\0{level}\0{content}\0{occurrence}".encode("utf-8", "surrogatepass")
    return Entry(
        id=sha256(named).hexdigest()[:24],
        doc=doc,
        level=level,
        parent="",
        kind="section" if level else "paragraph",
        title=f"Title of {doc}",
        path=("Handbook", "Retries"),
        text=text,
        lead=len(lead),
        tail=len(tail),
        tokens=len(text.split()),
        content_hash=content,
        sketch=int(content[:15], 16) - (1 << 59),
        updated_at=NOON,
        vector=AXES[int(content[:4], 16) % len(AXES)],
    )


def with_parts(one: Entry) -> Entry:
    """The entry, two in three with parts: equal ones where vectors are equal."""
    axis = next((n for n, row in enumerate(AXES) if one.vector is not None and np.array_equal(row, one.vector)), 0)
    rows = [np.arange(DIMENSIONS) - axis, np.full(DIMENSIONS, axis - 128)]
    return replace(one, parts=np.array(rows[: axis % 3], np.int8)) if axis % 3 else one


def entries(doc: str, *bodies: str) -> tuple[Entry, ...]:
    """One chunk per body; equal bodies get ids of their own."""
    return tuple(entry(doc, body, occurrence=bodies[:n].count(body)) for n, body in enumerate(bodies))


def revise(reader: Reader, doc: str, now: Sequence[Entry], *, at: datetime = NOON, title: str = "T") -> Change:
    """The change that makes these the entries of a document, in this order: only what differs is written."""
    head = reader.head(doc)
    return change(doc, now, head.version if head else 0, reader.digests(doc), at=at, title=title)


def change(
    doc: str,
    now: Sequence[Entry],
    base: int = 0,
    stored: Mapping[str, str] | None = None,
    *,
    at: datetime = NOON,
    title: str = "T",
) -> Change:
    """The change from a version and its digests to these entries; of a new document, where there are none."""
    stored = stored or {}
    version = version_of(doc, base + 1, now, at=at, title=title)
    chunks = [one for one in now if one.level == 0]
    head = Head(
        doc=doc,
        version=version.number,
        revision=version.revision,
        uri=version.uri,
        title=version.title,
        entries=len(now),
        chunks=len(chunks),
        tokens=sum(one.tokens for one in chunks),
        indexed_at=at,
    )
    put = tuple(one for one in now if stored.get(one.id) != digest(one))
    drop = tuple(sorted(stored.keys() - {one.id for one in now}))
    return Change(head, base, version, put, drop)


def version_of(doc: str, number: int, now: Sequence[Entry], *, at: datetime = NOON, title: str = "T") -> Version:
    """A version whose text is the bodies of its chunks, one below the other."""
    text = ""
    places = []
    for one in now:
        start = len(text)
        if one.level == 0:
            text += one.body + "\n\n"
        end = start + len(one.body) if one.level == 0 else start
        places.append(EntryPlace(one.id, one.level, start, end, {"lines": [1, 1 + number]}, one.path))
    revision = sha256(repr((text, number)).encode()).hexdigest()
    return Version(doc, number, revision, title, f"file:{doc}", text, at, tuple(places))


def erase(reader: Reader, doc: str, *, moved_to: str = "", at: datetime = NOON) -> Change:
    """The change that deletes a document."""
    head = reader.head(doc)
    assert head is not None, f"{doc} was never indexed"
    gone = replace(head, entries=0, chunks=0, tokens=0, indexed_at=at, deleted=True, moved_to=moved_to)
    return Change(gone, head.version, None, (), tuple(sorted(reader.digests(doc))))


def plain(one: Entry) -> dict[str, object]:
    """All fields of an entry as values that can be compared; vectors and parts as lists."""
    arrays = ("vector", "summary_vector", "parts")
    packed = {name: None if (rows := getattr(one, name)) is None else rows.tolist() for name in arrays}
    names = [name for name in Entry.__slots__ if name not in arrays and name != "meta"]
    return {**{name: getattr(one, name) for name in names}, "meta": repr(sorted(one.meta.items())), **packed}


# Strategies

VOCABULARY = (
    *("retry", "retries", "budget", "webhook", "seam", "the", "of", "429", "maxRetry_count", "os.path", "naïve"),
    *("日本語", "ภาษาไทย", "Straße", "and", "don't"),
)
DOCS = ("guides/a.md", "guides/b.md", "notes/ü ' \x00.md", "ghost\ud800.md")
NAMES = (*DERIVED_FIELDS.values(), "team", "reviewed", "score", "my key", "quote\"'", "nul\x00", "mixed", "")


def texts() -> st.SearchStrategy[str]:
    """A short text out of few words, so that texts share them; now and then something weird, or nothing."""
    word = st.one_of(st.sampled_from(VOCABULARY), st.sampled_from(VOCABULARY), st.sampled_from(WEIRD))
    return st.lists(word, max_size=12).map(" ".join)


def labels() -> st.SearchStrategy[str]:
    """Short texts for fields: few, so that they meet, and any at all, so that nothing is taken for granted."""
    known = st.sampled_from(("", "en", "de", "infra", "Infra", "Retries", "code", *WEIRD))
    return st.one_of(known, known, st.text(st.characters(exclude_categories=["Cs"]), max_size=8))


def moments() -> st.SearchStrategy[datetime]:
    near = st.integers(-3, 3).map(lambda n: NOON + timedelta(microseconds=n))
    # `fold` means nothing in UTC, and no store keeps it.
    return st.one_of(near, st.datetimes(timezones=st.just(UTC)).map(lambda moment: moment.replace(fold=0)))


def numbers() -> st.SearchStrategy[float]:
    return st.one_of(st.sampled_from((0.0, -0.0, 1.0, 2.5, 200.0)), st.floats(allow_nan=False))


def meta_values() -> st.SearchStrategy[MetaValue]:
    return st.one_of(labels(), numbers(), st.booleans(), moments(), st.lists(labels(), max_size=3).map(tuple))


def metas() -> st.SearchStrategy[dict[str, MetaValue]]:
    return st.dictionaries(st.sampled_from(NAMES), meta_values(), max_size=4)


@st.composite
def changed(draw: st.DrawFn, doc: str, number: int) -> Entry:
    """An entry of a document; `number` makes its id, so that a later draw is an edit of the same entry."""
    level = draw(st.sampled_from((0, 0, 0, 1, 2)))
    made = entry(doc, draw(texts()), lead=draw(st.sampled_from(("", "# H\n\n"))), level=level)
    return replace(
        made,
        id=f"{doc}#{number}",
        kind=draw(st.sampled_from(("paragraph", "code", "table"))),
        path=tuple(draw(st.lists(labels(), max_size=3))),
        tokens=draw(st.sampled_from((0, 1, 199, 200, 2**31 - 1))),
        created_at=draw(st.one_of(st.none(), moments())),
        updated_at=draw(moments()),
        language=draw(labels()),
        authority=draw(st.sampled_from((0.0, 0.5, 1.0))),
        coherence=draw(st.sampled_from((None, 0.0, 0.25, 1.0))),
        summary=draw(texts()),
        meta=draw(metas()),
        vector=draw(st.sampled_from((None, *AXES))),
        summary_vector=draw(st.sampled_from((None, *AXES))),
    )


def filters() -> st.SearchStrategy[Filter]:
    """Filters of any shape, in the form that parsing gives: `and` and `or` of no part or of two or more."""

    def wider(inner: st.SearchStrategy[Filter]) -> st.SearchStrategy[Filter]:
        parts = st.lists(inner, min_size=2, max_size=3).map(tuple)
        return st.one_of(inner.map(Not), parts.map(All), parts.map(Any))

    leaf: st.SearchStrategy[Filter] = st.one_of(comparisons(), comparisons(), st.sampled_from((All(()), Any(()))))
    return st.recursive(leaf, wider, max_leaves=6)


def comparisons() -> st.SearchStrategy[Test]:
    """Single tests that fit their field."""
    return st.one_of(st.sampled_from(sorted(FIELDS)), st.sampled_from(NAMES).map(META.__add__)).flatmap(_comparison)


def _comparison(field: str) -> st.SearchStrategy[Test]:
    kind = FIELDS.get(field)
    values: dict[str, st.SearchStrategy[Value]] = {
        "text": st.one_of(labels(), st.sampled_from(DOCS)),
        "number": numbers(),
        "time": moments(),
        "flag": st.booleans(),
    }
    ways: list[st.SearchStrategy[Test]] = [st.just(Test(field, "exists", True))]
    for name, value in values.items():
        if kind in (None, name):
            operators: tuple[Operator, ...] = ("=", "!=", "<", "<=", ">", ">=") if name in ORDERED else ("=", "!=")
            ways.append(st.builds(Test, st.just(field), st.sampled_from(operators), value))
            ways.append(st.builds(Test, st.just(field), st.just("in"), st.lists(value, max_size=3).map(tuple)))
    if kind in (None, "list"):
        ways.append(st.builds(Test, st.just(field), st.just("has"), labels()))
    if kind in (None, "text"):
        pieces = st.lists(st.one_of(labels(), st.sampled_from(("*", "**", "**/", "?", "/", ".md"))), max_size=4)
        looking: tuple[Operator, ...] = ("starts", "ends", "contains", "glob")
        ways.append(st.builds(Test, st.just(field), st.sampled_from(looking), st.one_of(labels(), pieces.map("".join))))
    return st.one_of(ways)
