"""Changing an embedded index: one transaction per call, and the search structures brought up to date behind it.

After documents are erased no file of the index holds their text, nor anything made of it; what a file system, a disk or
a copy keeps of older files is beyond this. What an index remembers of models, vectors by text and answers by question,
is in the truth as well; losing one costs the time to make it again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np

from seamline.errors import StoreError
from seamline.records import Embedding
from seamline.store import codec
from seamline.store.changes import Current, check_changes, check_vectors, fill_vectors
from seamline.store.codec import pack_entry, pack_head, pack_layout, unpack_head
from seamline.store.sqlite.database import Damaged, Database, ReaderPool, seal, unseal
from seamline.store.sqlite.truth import (
    NOT_YET,
    IndexState,
    Term,
    heads_of,
    marks,
    new_mark,
    pack_vector,
    pages,
    prove_vector,
    read_entries,
    row_key,
    seal_parts,
    state_of,
    terms_of,
    unseal_parts,
)

if TYPE_CHECKING:
    from seamline.records import Change, Entry, Head, Parts, Settings, Vector, Version


_ENTRY = (
    "INSERT INTO entries (id, document, level, parent, title, kind, language, tokens, authority, coherence, created_at,"
    " updated_at, vector, summary_vector, terms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


class SqliteWriter:
    """The right to change a SqliteStore."""

    def __init__(
        self,
        truth: Database,
        settings: Settings,
        acknowledge: Callable[[IndexState], None],
        tidy: Callable[[bool], None],
    ) -> None:
        """`acknowledge` is told of every state that is durable; `tidy` brings the structures up to date, at the end of
        a run or in its middle."""
        self._truth: Database | None = truth
        self._settings = settings
        self._acknowledge = acknowledge
        self._tidy = tidy

    def apply(self, changes: Sequence[Change]) -> None:
        """Write all changes or, where one is refused or fails, none. One that returned is on the disk."""
        truth = self._open()
        with truth.transaction():
            current = _current(truth, [change.head.doc for change in changes])
            check_changes(changes, current.__getitem__, self._settings)
            if not changes:
                return
            state = IndexState(state_of(truth).counter + 1, new_mark())
            truth.run("INSERT INTO changes (counter, mark) VALUES (?, ?)", state)
            rows = _EntryRows(truth, state.counter, dual=self._settings.dual)
            for change in changes:
                _write_document(truth, rows, change)
        self._acknowledge(state)
        self._tidy(False)

    def add_vectors(self, entries: Sequence[Entry]) -> int:
        """Give entries the vectors that they lack; how many were given something. Each becomes a new row, so that
        search structures see it as they see an edit."""
        truth, dual = self._open(), self._settings.dual
        check_vectors(entries, self._settings)
        given = {entry.id: entry for entry in entries}
        with truth.transaction():
            filled: list[tuple[int, Entry]] = []
            for page in pages(map(codec.text_bytes, given)):
                for stored in read_entries(truth, f"e.id IN ({marks(page)})", page, vectors=True):
                    if entry := fill_vectors(stored.entry, stored.digest, given[stored.entry.id], dual=dual):
                        filled.append((stored.document, entry))
            if not filled:
                return 0
            state = IndexState(state_of(truth).counter + 1, new_mark())
            truth.run("INSERT INTO changes (counter, mark) VALUES (?, ?)", state)
            rows = _EntryRows(truth, state.counter, dual=dual)
            rows.remove([entry.id for _, entry in filled])
            for document, entry in filled:
                rows.write(document, entry)
        self._acknowledge(state)
        self._tidy(False)
        return len(filled)

    def tidy(self) -> None:
        """Bring the search structures up to date where enough is new, and give back space."""
        self._open()
        self._tidy(True)

    def close(self) -> None:
        """Give the right back; another call of this writer is refused."""
        self._truth = None

    def _open(self) -> Database:
        if self._truth is None:
            raise StoreError("this writer was given back: take a new one from the store")
        return self._truth


def _write_document(truth: Database, rows: _EntryRows, change: Change) -> None:
    """One change of a document, inside a transaction."""
    number = _write_head(truth, change.head)
    rows.remove([*change.drop, *(entry.id for entry in change.put)])
    truth.run_many(
        "INSERT OR REPLACE INTO gone (id, document) VALUES (?, ?)",
        [(codec.text_bytes(id), number) for id in change.drop],
    )
    for entry in change.put:
        rows.write(number, entry)
    if change.version is not None:
        _write_version(truth, number, change.version)


def _write_head(truth: Database, head: Head) -> int:
    """The number of the document."""
    name = codec.text_bytes(head.doc)
    sealed = seal(pack_head(head), name)
    number = truth.value("SELECT number FROM documents WHERE name = ?", (name,))
    if number is None:
        return truth.insert("INSERT INTO documents (name, head) VALUES (?, ?)", (name, sealed))
    truth.run("UPDATE documents SET head = ? WHERE number = ?", (sealed, number))
    return int(number)


def _write_version(truth: Database, document: int, version: Version) -> None:
    key = (codec.text_bytes(version.doc), version.number.to_bytes(8, "little"))
    truth.run(
        "INSERT INTO versions (document, number, seal, layout, text) VALUES (?, ?, ?, ?, ?)",
        (
            document,
            version.number,
            codec.seal(version),
            seal(pack_layout(version), *key),
            seal(codec.pack_text(version.text), *key),
        ),
    )


class _EntryRows:
    """The rows of entries, changed inside a transaction of this number."""

    def __init__(self, truth: Database, counter: int, *, dual: bool) -> None:
        self._truth = truth
        self._counter = counter
        self._dual = dual
        self._known: dict[Term, int] = {}

    def remove(self, ids: Sequence[str]) -> None:
        """Remove the entries of these ids that exist, whatever replaces them."""
        for page in pages(map(codec.text_bytes, ids)):
            asked = f"SELECT row, terms FROM entries WHERE id IN ({marks(page)})"  # noqa: S608 - only marks
            found = self._truth.rows(asked, page)
            for row, terms in found:
                held = np.frombuffer(terms, "<u4").tolist()
                self._truth.run_many("DELETE FROM holders WHERE term = ? AND row = ?", [(term, row) for term in held])
            rows = [(row,) for row, _ in found]
            self._truth.run_many("DELETE FROM bodies WHERE row = ?", rows)
            self._truth.run_many("DELETE FROM entries WHERE row = ?", rows)
            self._truth.run_many(
                "INSERT INTO removed (row, counter) VALUES (?, ?)", [(row, self._counter) for (row,) in rows]
            )

    def write(self, document: int, entry: Entry) -> None:
        """A new row for an entry of the document of this number."""
        terms = self._terms(entry)
        key, digest = codec.text_bytes(entry.id), codec.digest(entry)
        row = self._truth.insert(
            _ENTRY,
            (
                key,
                document,
                entry.level,
                *map(codec.text_bytes, (entry.parent, entry.title, entry.kind, entry.language)),
                entry.tokens,
                _number(entry.authority),
                _number(entry.coherence),
                None if entry.created_at is None else codec.microseconds(entry.created_at),
                codec.microseconds(entry.updated_at),
                _vector_number(self._truth, entry.vector, entry.searched, entry.parts),
                _vector_number(self._truth, entry.summary_vector, entry.summary if self._dual else ""),
                np.array(terms, "<u4").tobytes(),
            ),
        )
        body = seal(pack_entry(entry), row_key(row))
        values = (row, digest, codec.checksum(entry, digest), body)
        self._truth.run("INSERT INTO bodies (row, digest, checksum, body) VALUES (?, ?, ?, ?)", values)
        self._truth.run_many("INSERT INTO holders (term, row) VALUES (?, ?)", [(term, row) for term in terms])
        self._truth.run("DELETE FROM gone WHERE id = ?", (key,))

    def _terms(self, entry: Entry) -> list[int]:
        """Numbers of what an entry can be filtered by."""
        return [self._term(term) for term in terms_of(entry)]

    def _term(self, term: Term) -> int:
        if term not in self._known:
            number = self._truth.value("SELECT number FROM terms WHERE name = ? AND type = ? AND value = ?", term)
            if number is None:
                number = self._truth.insert("INSERT INTO terms (name, type, value) VALUES (?, ?, ?)", term)
            self._known[term] = int(number)
        return self._known[term]


def _vector_number(truth: Database, vector: Vector | None, text: str, parts: Parts | None = None) -> int | None:
    """What stands for a vector of this text in its column."""
    if vector is None:
        return NOT_YET if text else None
    return store_vector(truth, vector, parts)


def store_vector(truth: Database, vector: Vector, parts: Parts | None = None) -> int:
    """The number of a vector, which is stored once with its parts however often it is used: texts of equal vectors have
    equal parts."""
    digest, data = pack_vector(vector)
    found = truth.value("SELECT number FROM vectors WHERE digest = ?", (digest,))
    number = (
        truth.insert("INSERT INTO vectors (digest, vector) VALUES (?, ?)", (digest, data))
        if found is None
        else int(found)
    )
    if parts is not None:
        truth.run("INSERT OR REPLACE INTO parts (vector, parts) VALUES (?, ?)", (number, seal_parts(number, parts)))
    return number


def _current(truth: Database, docs: Sequence[str]) -> dict[str, Current]:
    """What is stored of these documents."""
    found = dict.fromkeys(docs, Current(None, ()))
    for doc, (number, sealed) in heads_of(truth, docs).items():
        head = unpack_head(unseal(sealed, "the head of a document", codec.text_bytes(doc)))
        ids = truth.rows("SELECT id FROM entries WHERE document = ?", (number,))
        found[doc] = Current(head, {codec.text_of(id) for (id,) in ids})
    return found


def _number(value: float | None) -> float | None:
    """NaN is as good as missing for a filter."""
    return value if value is not None and value == value else None


_OF_A_DOCUMENT = (
    "DELETE FROM holders WHERE row IN (SELECT row FROM entries WHERE document = ?)",
    "DELETE FROM bodies WHERE row IN (SELECT row FROM entries WHERE document = ?)",
    "DELETE FROM entries WHERE document = ?",
    "DELETE FROM gone WHERE document = ?",
    "DELETE FROM versions WHERE document = ?",
    "DELETE FROM documents WHERE number = ?",
)
# Vectors and answers that no entry uses are of texts nobody knows any more: perhaps of those that are erased.
_OF_NOBODY = (
    "DELETE FROM terms WHERE number NOT IN (SELECT term FROM holders)",
    "DELETE FROM vectors WHERE number NOT IN (SELECT vector FROM entries WHERE vector IS NOT NULL"
    " UNION SELECT summary_vector FROM entries WHERE summary_vector IS NOT NULL)",
    "DELETE FROM parts WHERE vector NOT IN (SELECT number FROM vectors)",
    "DELETE FROM embeddings WHERE vector NOT IN (SELECT number FROM vectors)",
    "DELETE FROM answers",
    "DELETE FROM removed",
    "DELETE FROM changes",
)


def erase(truth: Database, docs: Sequence[str]) -> list[str]:
    """Erase documents with all their versions; the names of those that were there. Search structures made before are
    of another history afterwards."""
    found = heads_of(truth, docs)
    if not found:
        return []
    truth.run("PRAGMA secure_delete = ON")
    with truth.transaction():
        counter = state_of(truth).counter + 1
        for number, _ in found.values():
            for statement in _OF_A_DOCUMENT:
                truth.run(statement, (number,))
        for statement in _OF_NOBODY:
            truth.run(statement)
        _forget_moves(truth, found.keys())
        truth.run("INSERT INTO changes (counter, mark) VALUES (?, ?)", (counter, new_mark()))
    truth.run("VACUUM")
    truth.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    return sorted(found)


def _forget_moves(truth: Database, docs: Collection[str]) -> None:
    """No document was moved to one that is erased."""
    for number, name, sealed in truth.rows("SELECT number, name, head FROM documents"):
        head = unpack_head(unseal(sealed, "the head of a document", name))
        if head.moved_to in docs:
            kept = seal(pack_head(replace(head, moved_to="")), codec.text_bytes(head.doc))
            truth.run("UPDATE documents SET head = ? WHERE number = ?", (kept, number))


class SqliteVectors:
    """Vectors by embedder and text."""

    def __init__(self, truths: ReaderPool) -> None:
        self._truths = truths

    def get(self, fingerprint: str, texts: Sequence[str], dimensions: int) -> dict[str, Embedding]:
        """What is known of those texts, whole and of this many dimensions."""
        keys = {_key(fingerprint, text): text for text in texts}
        rows: list[tuple[bytes, bytes, bytes, int, bytes | None]] = []
        with self._truths.lend() as truth:
            for page in pages(keys):
                rows += truth.rows(
                    "SELECT e.key, v.digest, v.vector, v.number, p.parts FROM embeddings e"  # noqa: S608 - only marks
                    " JOIN vectors v ON v.number = e.vector LEFT JOIN parts p ON p.vector = v.number"
                    f" WHERE e.key IN ({marks(page)})",
                    page,
                )
        found: dict[str, Embedding] = {}
        for key, digest, data, number, parts in rows:
            if len(data) == 4 * dimensions:
                vector = np.frombuffer(prove_vector(digest, data), "<f4").astype(np.float32)
                found[keys[key]] = Embedding(vector, None if parts is None else unseal_parts(number, parts))
        return found

    def put(self, fingerprint: str, texts: Sequence[str], made: Sequence[Embedding]) -> None:
        """Keep what was made of these texts, all of it or, where this fails, nothing."""
        with self._truths.lend() as truth, truth.transaction():
            rows = [(_key(fingerprint, text), store_vector(truth, *one)) for text, one in zip(texts, made, strict=True)]
            truth.run_many("INSERT OR REPLACE INTO embeddings (key, vector) VALUES (?, ?)", rows)


class SqliteAnswers:
    """Answers of language models by key."""

    def __init__(self, truths: ReaderPool) -> None:
        self._truths = truths

    def get(self, key: bytes) -> bytes | None:
        """A known answer; None for one that is missing or damaged."""
        with self._truths.lend() as truth:
            found = truth.value("SELECT answer FROM answers WHERE key = ?", (key,))
        try:
            return None if found is None else unseal(found, "an answer", key)
        except Damaged:
            return None  # asked again, and written anew

    def put(self, key: bytes, answer: bytes) -> None:
        """Keep an answer."""
        with self._truths.lend() as truth, truth.transaction():
            values = (key, seal(answer, key))
            truth.run("INSERT OR REPLACE INTO answers (key, answer) VALUES (?, ?)", values)


def _key(fingerprint: str, text: str) -> bytes:
    content = sha256(text.encode("utf-8", "surrogatepass")).digest()
    return sha256(fingerprint.encode() + b"\0" + content).digest()
