"""Reading everything of an embedded index and comparing it with what was written, a document at a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from seamline.errors import StoreError
from seamline.records import Problem
from seamline.store.codec import unpack_entry
from seamline.store.lance.filter import coded, decoded, quoted
from seamline.store.lance.reader import LanceReader
from seamline.store.lance.rows import GONE, VECTORS, id_of, vectors_of
from seamline.store.verify import verify_reader

if TYPE_CHECKING:
    from seamline.records import Entry, Head, Vector


class WholeReader(LanceReader):
    """Reads much at once, for whoever reads everything: a document in one go, all heads, seals and owners in another.
    One by one each takes 3 ms."""

    _doc = ""
    """The document that was read last."""
    _entries_of: Mapping[str, Entry] = {}
    _digests_of: Mapping[str, str] = {}

    def heads(self) -> Iterator[Head]:
        found = list(super().heads())
        self._heads = {head.doc: head for head in found}
        return iter(found)

    def checksums(self, doc: str) -> Mapping[str, str]:
        """Of a document, whose entries and digests are known from here on."""
        asked = f"(level >= 0 AND doc = {quoted(coded(doc))})"
        found = self._columns(asked, ["key", "digest", "checksum", "body", *VECTORS.values()])
        ids = [id_of(key) for key in found["key"].to_pylist()]
        rows = zip(ids, found["body"].to_pylist(), *(vectors_of(found, name) for name in VECTORS.values()), strict=True)
        self._doc, self._entries_of = doc, dict(_readable(rows))
        self._digests_of = dict(zip(ids, found["digest"].to_pylist(), strict=True))
        return dict(zip(ids, found["checksum"].to_pylist(), strict=True))

    def digests(self, doc: str) -> Mapping[str, str]:
        return self._digests_of if doc == self._doc else super().digests(doc)

    def entries(self, ids: Iterable[str], *, vectors: bool = False) -> dict[str, Entry]:
        wanted = list(ids)
        found = {id: self._entries_of[id] for id in wanted if id in self._entries_of}
        missing = [id for id in wanted if id not in found]
        return found | super().entries(missing, vectors=vectors)

    def seals(self, doc: str) -> Mapping[int, str]:
        latest = self._latest(doc)
        return {number: seal for number, seal in self._seals.get(doc, {}).items() if number <= latest}

    def owner(self, id: str) -> str | None:
        if id in self._entries_of:
            return self._entries_of[id].doc
        return self._owners.get(id) or super().owner(id)

    @cached_property
    def _seals(self) -> Mapping[str, Mapping[int, str]]:
        found: dict[str, dict[int, str]] = defaultdict(dict)
        for row in self._of_versions("number > 0", ["doc", "number", "seal"]):
            found[decoded(row["doc"])][row["number"]] = row["seal"]
        return found

    @cached_property
    def _owners(self) -> Mapping[str, str]:
        """Of entries that were removed."""
        return {id_of(row["key"]): decoded(row["doc"]) for row in self._read(f"level = {GONE}", ["key", "doc"])}


def _readable(rows: Iterable[tuple[str, bytes, Vector | None, Vector | None]]) -> Iterator[tuple[str, Entry]]:
    """Entries by id. Those that cannot be read are left out: they are asked for again, one by one."""
    for id, body, vector, summary_vector in rows:
        try:
            yield id, unpack_entry(body, vector, summary_vector)
        except StoreError:
            continue


def verify_rows(reader: LanceReader) -> Iterator[Problem]:
    """Every entry and version that is not what was written; what cannot be read at all is a problem too."""
    try:
        yield from verify_reader(reader)
    except StoreError as error:
        yield Problem("entries", str(error))
