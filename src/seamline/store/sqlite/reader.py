"""One state of an embedded index: the truth as it is now, and the structures that find things in it.

A filter is SQL over the truth: keys and values are both bound, never written into a statement.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from seamline.errors import StoreError
from seamline.filters.tree import META, All, Filter, Not, Operator, Test, can_hold, stored_test, type_of, type_of_field
from seamline.filters.tree import Any as Either
from seamline.records import Levels, Scored
from seamline.store import codec
from seamline.store.changes import check_query
from seamline.store.codec import unpack_head, unpack_layout
from seamline.store.sqlite.corpus import Corpus, CorpusMatches
from seamline.store.sqlite.database import Database, unseal
from seamline.store.sqlite.segments import COLUMNS
from seamline.store.sqlite.structures import StructuresDamaged, derived_damage
from seamline.store.sqlite.truth import (
    LACKING,
    PATH,
    heads_of,
    keeps_lacking,
    lacking_ids,
    marks,
    pages,
    plain_value,
    read_embedded,
    read_entries,
    read_parts,
    read_vectors,
)
from seamline.store.sqlite.words import least_of_best
from seamline.text.words import asked_words, typed_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from seamline.filters.tree import Filter
    from seamline.records import Entry, EntryVectors, Head, Parts, Settings, Vector, VectorKind, Version
    from seamline.store.sqlite.upkeep import Search


_NULLABLE = ("authority", "coherence", "created_at")
_SIGNS = {"=": "=", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">=", "in": "="}
_DEEPEST = 300
"""Levels of brackets; SQLite's own parser takes 1,000."""


class SqliteCondition(NamedTuple):
    """A condition on rows of `entries`, with the values for its question marks."""

    sql: str
    values: tuple[Any, ...] = ()


TRUE, FALSE = SqliteCondition("1"), SqliteCondition("0")


def condition(where: Filter | None, levels: Levels) -> SqliteCondition:
    """A filter and levels as one condition. Every comparison is true or false, never null."""
    parts = [] if levels is None else [_level(levels)]
    if where is not None:
        parts.append(_translate(where, 0))
    return _join(parts, "AND")


def _level(levels: Collection[int]) -> SqliteCondition:
    wanted = sorted({level for level in levels if abs(level) < 1 << 62})
    return SqliteCondition(f"level IN ({','.join('?' * len(wanted))})", tuple(wanted)) if wanted else FALSE


def _translate(where: Filter, depth: int) -> SqliteCondition:
    if depth > _DEEPEST:
        raise StoreError(f"the filter is nested more than {_DEEPEST} deep: say the same with fewer brackets")
    match where:
        case Not(inner):
            found = _translate(inner, depth + 1)
            return SqliteCondition(f"NOT ({found.sql})", found.values)
        case All(parts):
            return _join([_translate(part, depth + 1) for part in parts], "AND")
        case Either(parts):
            return _join([_translate(part, depth + 1) for part in parts], "OR")
        case Test():
            return _test(stored_test(where)) if can_hold(where) else FALSE


def _join(parts: Sequence[SqliteCondition], operator: str) -> SqliteCondition:
    """Conditions in a balanced tree of brackets: a thousand of them side by side are as deep as ten."""
    left = [*parts]
    while len(left) > 1:
        pairs = [left[at : at + 2] for at in range(0, len(left), 2)]
        left = [
            SqliteCondition(
                f"({f' {operator} '.join(part.sql for part in pair)})", sum((part.values for part in pair), ())
            )
            if len(pair) > 1
            else pair[0]
            for pair in pairs
        ]
    return left[0] if left else (TRUE if operator == "AND" else FALSE)


def _test(test: Test) -> SqliteCondition:
    if test.field.startswith(META):
        return _term(codec.text_bytes(test.field.removeprefix(META)), test)
    if test.field == "path":
        return _term(PATH, test) if test.operator != "exists" else TRUE
    if test.operator == "exists":
        return SqliteCondition(f"{test.field} IS NOT NULL") if test.field in _NULLABLE else TRUE
    kind = type_of_field(test.field)
    values = [value for value in _values(test) if type_of(value) == kind]
    return _join([_column(test.field, test.operator, plain_value(value)) for value in values], "OR")


def _values(test: Test) -> Sequence[Any]:
    return test.value if isinstance(test.value, tuple) else (test.value,)


def _column(field: str, operator: Operator, value: Any) -> SqliteCondition:
    if field == "doc":
        name = _comparison("name", operator, value)
        return SqliteCondition(f"document IN (SELECT number FROM documents WHERE {name.sql})", name.values)  # noqa: S608
    found = _comparison(field, operator, value)
    return SqliteCondition(f"({field} IS NOT NULL AND {found.sql})", found.values) if field in _NULLABLE else found


def _comparison(column: str, operator: Operator, value: Any) -> SqliteCondition:
    if operator == "starts":
        # No byte of a text is 255, so this is the first value behind all that start with the prefix.
        return SqliteCondition(f"({column} >= ? AND {column} < ?)", (value, value + b"\xff"))
    if operator == "contains":  # of bytes, and no character of UTF-8 starts inside another
        return SqliteCondition(f"instr({column}, ?) > 0", (value,)) if value else TRUE
    if operator == "ends":
        long = f"length({column}) >= {len(value)}"  # of nothing, substr is null
        return SqliteCondition(f"({long} AND substr({column}, -{len(value)}) = ?)", (value,)) if value else TRUE
    if operator == "glob":
        return SqliteCondition(f"seamline_glob(?, {column})", (value,))
    return SqliteCondition(f"{column} {_SIGNS[operator]} ?", (value,))


def _term(name: bytes, test: Test) -> SqliteCondition:
    """A comparison of a heading or a field of the front matter."""
    if test.operator == "exists":
        return _held("name = ?", (name,))
    if test.operator == "has":
        return _held("name = ? AND type = 'list' AND value = ?", (name, codec.text_bytes(str(test.value))))
    parts = []
    for value in _values(test):
        kind = type_of(value)
        if kind is not None and kind != "list":
            compared = _comparison("value", test.operator, plain_value(value))
            parts.append(_held(f"name = ? AND type = ? AND {compared.sql}", (name, kind, *compared.values)))
    return _join(parts, "OR")


def _held(terms: str, values: tuple[Any, ...]) -> SqliteCondition:
    held = f"SELECT row FROM holders WHERE term IN (SELECT number FROM terms WHERE {terms})"  # noqa: S608 - ours
    return SqliteCondition(f"row IN ({held})", values)


FEW = 4_096
"""Entries that a filter lets through up to which their vectors are read from the truth and compared one by one."""

Look = Callable[[Corpus, Database | None], CorpusMatches]


class SqliteReader:
    """One state of a SqliteStore. Threads may share it."""

    def __init__(self, truth: Database, settings: Settings, search: Search) -> None:
        self._truth = truth
        self._settings = settings
        self._search = search

    def near(
        self, vector: Vector, k: int, *, where: Filter | None = None, levels: Levels = (0,), of: VectorKind = "text"
    ) -> list[Scored]:
        """The `k` entries with the highest cosine similarity: exactly in small indexes, almost always in large ones."""
        check_query(vector, self._settings)
        if k <= 0:
            return []
        given, column = np.asarray(vector, np.float32), COLUMNS[of]
        through = None if where is None else self._rows_of(where, levels)
        if through is not None and len(through) <= FEW:
            return self._order(*self._compare(through, given, column), k)
        found = self._find(lambda corpus, db: corpus.near(db, given, column, k, levels, through))
        return self._order(*self._compare_best(found, given, column, k), k)

    def matching(
        self, query: str, k: int, *, where: Filter | None = None, levels: Levels = (0,), every: bool = False
    ) -> list[Scored]:
        """The `k` entries with the highest BM25 score above 0, exactly; with `every`, of those that hold all words, and
        those side by side that the query has side by side."""
        asked = asked_words(query, self._settings.stemming, every=every)
        if k <= 0 or not asked:
            return []
        through = None if where is None else self._rows_of(where, levels)
        if through is not None and not len(through):
            return []
        typed = typed_words(query) if every else None
        found = self._find(lambda corpus, db: corpus.matching(db, asked, k, levels, through, typed=typed))
        return self._order(found.rows.tolist(), found.scores, k)

    def entries(self, ids: Iterable[str], *, vectors: bool = False) -> dict[str, Entry]:
        """The entries of these ids that exist."""
        wanted = list(dict.fromkeys(ids))
        found: dict[str, Entry] = {}
        for page in pages(map(codec.text_bytes, wanted)):
            found |= {e.id: e for e in self._entries(f"e.id IN ({marks(page)})", page, vectors)}
        return {id: found[id] for id in wanted if id in found}

    def vectors(self, ids: Iterable[str]) -> dict[str, EntryVectors]:
        """What of these entries that exist was embedded."""
        return {codec.text_of(id): found for id, found in read_embedded(self._truth, map(codec.text_bytes, ids))}

    def parts(self, ids: Iterable[str]) -> dict[str, Parts]:
        """The parts of those of these entries that have any."""
        return {codec.text_of(id): parts for id, parts in read_parts(self._truth, map(codec.text_bytes, ids))}

    def select(self, where: Filter | None = None, *, vectors: bool = False) -> Iterator[Entry]:
        """Every entry of any level that the filter lets through, by document and id."""
        sql, values = condition(where, None)
        rows = self._truth.rows(
            "SELECT e.row FROM entries e JOIN documents d ON d.number = e.document"  # noqa: S608 - bound
            f" WHERE e.row IN (SELECT row FROM entries WHERE {sql}) ORDER BY d.name, e.id",
            values,
        )
        for page in pages(row for (row,) in rows):
            found = {e.id: e for e in self._entries(f"e.row IN ({marks(page)})", page, vectors)}
            yield from sorted(found.values(), key=lambda e: (codec.text_bytes(e.doc), codec.text_bytes(e.id)))

    def count(self, where: Filter | None = None, *, levels: Levels = (0,)) -> int:
        sql, values = condition(where, levels)
        return int(self._truth.value(f"SELECT count(*) FROM entries WHERE {sql}", values))  # noqa: S608 - bound

    def missing_vectors(self) -> Iterator[str]:
        """The ids of entries that have yet to get a vector."""
        return map(codec.text_of, lacking_ids(self._truth)) if keeps_lacking(self._truth) else iter(())

    def count_missing_vectors(self, *, levels: Levels = (0,)) -> int:
        """How many those are."""
        if not keeps_lacking(self._truth):
            return 0
        sql, values = condition(None, levels)
        return int(self._truth.value(f"SELECT count(*) FROM entries WHERE {LACKING} AND {sql}", values))  # noqa: S608

    def head(self, doc: str) -> Head | None:
        return self._heads([doc]).get(doc)

    def heads(self) -> Iterator[Head]:
        """All documents ever indexed, by name."""
        rows = self._truth.rows("SELECT name, head FROM documents ORDER BY name")
        return (_head(name, head) for name, head in rows)

    def version(self, doc: str, number: int, *, text: bool = True) -> Version | None:
        document = self._document(doc)
        if document is None or not 0 < number < 1 << 62:
            return None
        columns = "layout, text" if text else "layout, NULL"
        found = self._truth.row(
            f"SELECT {columns} FROM versions WHERE document = ? AND number = ?",  # noqa: S608 - names of ours
            (document, number),
        )
        return None if found is None else _version(found[0], found[1], doc, number)

    def layouts(self, docs: Iterable[str]) -> dict[str, Version]:
        """The current version of each of these documents that is there now, without its text."""
        heads = {number: (doc, _head(codec.text_bytes(doc), head)) for doc, (number, head) in self._found(docs)}
        current = [(number, head.version) for number, (_, head) in heads.items() if not head.deleted]
        found: dict[str, Version] = {}
        for page in pages(current):
            pairs = ",".join(["(?, ?)"] * len(page))
            asked = f"SELECT document, layout FROM versions WHERE (document, number) IN (VALUES {pairs})"  # noqa: S608
            layouts = dict(self._truth.rows(asked, [*chain.from_iterable(page)]))
            for number, version in page:
                doc, _ = heads[number]
                found[doc] = _version(layouts.get(number), None, doc, version)
        return found

    def versions(self, doc: str) -> list[int]:
        return sorted(self.seals(doc))

    def owner(self, id: str) -> str | None:
        key = codec.text_bytes(id)
        name = self._truth.value(
            "SELECT name FROM documents WHERE number = coalesce((SELECT document FROM entries WHERE id = ?),"
            " (SELECT document FROM gone WHERE id = ?))",
            (key, key),
        )
        return None if name is None else codec.text_of(name)

    def digests(self, doc: str) -> Mapping[str, str]:
        return self._hashes(doc, "digest")

    def checksums(self, doc: str) -> Mapping[str, str]:
        return self._hashes(doc, "checksum")

    def seals(self, doc: str) -> Mapping[int, str]:
        rows = self._truth.rows("SELECT number, seal FROM versions WHERE document = ?", (self._document(doc),))
        return dict(rows)

    def _find(self, look: Look) -> CorpusMatches:
        """What a search of the structures finds; they are made anew where they turn out to be damaged."""
        try:
            return _look(look, *self._search.open())
        except StructuresDamaged as damage:
            return _look(look, *self._search.repair(damage))

    def _rows_of(self, where: Filter, levels: Levels) -> NDArray[np.int64]:
        """Rows that a filter lets through, ascending."""
        sql, values = condition(where, levels)
        if sql == FALSE.sql:
            return np.empty(0, np.int64)

        def read() -> NDArray[np.int64]:
            rows = self._truth.rows(f"SELECT row FROM entries WHERE {sql} ORDER BY row", values)  # noqa: S608 - bound
            return np.array([row for (row,) in rows], np.int64)

        return self._search.filtered(sql, values, read)

    def _compare(self, rows: NDArray[np.int64], vector: Vector, column: str) -> tuple[list[int], NDArray[np.float64]]:
        """Those of the rows that have a vector, and how near it is."""
        have, vectors = read_vectors(self._truth, rows.tolist(), column)
        if not have:
            return [], np.empty(0)
        # Row by row and not as one product: equal vectors get equal scores, wherever they stand in the matrix.
        return have, (vectors * vector).sum(axis=1, dtype=np.float64)

    def _compare_best(
        self, found: CorpusMatches, vector: Vector, column: str, k: int
    ) -> tuple[list[int], NDArray[np.float64]]:
        """Those of the rows that may be among the `k` nearest, and how near they are, by how near each is at most: the
        `k` that promise most, and then those that may be nearer than the last of them."""
        order = np.argsort(-found.scores, kind="stable")
        rows, scores = self._compare(found.rows[order[:k]], vector, column)
        left = order[k:]
        left = left[found.scores[left] >= least_of_best(scores, k)]
        more, scored = self._compare(found.rows[left], vector, column)
        return rows + more, np.concatenate((scores, scored))

    def _order(self, rows: Sequence[int], scores: NDArray[np.float64], k: int) -> list[Scored]:
        """The best `k`, equal ones by id."""
        if len(scores) > k:
            kept = np.flatnonzero(scores >= least_of_best(scores, k))
            rows, scores = [rows[at] for at in kept.tolist()], scores[kept]
        ids: dict[int, str] = {}
        for page in pages(rows):
            asked = f"SELECT row, id FROM entries WHERE row IN ({marks(page)})"  # noqa: S608 - only marks
            ids |= {row: codec.text_of(id) for row, id in self._truth.rows(asked, page)}
        found = [Scored(ids[row], float(score)) for row, score in zip(rows, scores, strict=True) if row in ids]
        return sorted(found, key=lambda scored: (-scored.score, scored.id))[:k]

    def _entries(self, where: str, values: Sequence[Any], vectors: bool) -> Iterator[Entry]:
        return (stored.entry for stored in read_entries(self._truth, where, values, vectors=vectors))

    def _found(self, docs: Iterable[str]) -> Iterable[tuple[str, tuple[int, bytes]]]:
        return heads_of(self._truth, [*dict.fromkeys(docs)]).items()

    def _heads(self, docs: Iterable[str]) -> dict[str, Head]:
        return {doc: _head(codec.text_bytes(doc), sealed) for doc, (_, sealed) in self._found(docs)}

    def _document(self, doc: str) -> int | None:
        number = self._truth.value("SELECT number FROM documents WHERE name = ?", (codec.text_bytes(doc),))
        return None if number is None else int(number)

    def _hashes(self, doc: str, column: str) -> dict[str, str]:
        rows = self._truth.rows(
            f"SELECT e.id, b.{column} FROM entries e JOIN bodies b ON b.row = e.row"  # noqa: S608 - a name of ours
            " WHERE e.document = ? ORDER BY e.id",
            (self._document(doc),),
        )
        return {codec.text_of(id): found for id, found in rows}


def _look(look: Look, corpus: Corpus, db: Database | None) -> CorpusMatches:
    with derived_damage(db.path if db else ""):
        return look(corpus, db)


def _head(name: bytes, sealed: bytes) -> Head:
    return unpack_head(unseal(sealed, "the head of a document", name))


def _version(layout: bytes | None, text: bytes | None, doc: str, number: int) -> Version:
    key = (codec.text_bytes(doc), number.to_bytes(8, "little"))
    plain = "" if text is None else codec.unpack_text(unseal(text, "the text of a version", *key))
    return unpack_layout(unseal(layout, "a version of a document", *key), plain)
