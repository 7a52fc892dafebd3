"""LanceDB used directly: a table with a full-text index, hybrid queries with its RRF reranker, as its guides show.

What has to be embedded and deleted on a later run is for the user to find out; here ids are hashes of the file's name
and the text, so that one look at the ids tells. Vectors are compared one by one: the guides advise an index from some
100,000 rows on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from hashlib import blake2b
from pathlib import Path
from typing import Any

import lancedb
from lancedb.index import FTS
from lancedb.rerankers import RRFReranker

from benchmarks.compose.side import Cited, K, Kind, Written
from benchmarks.compose.split import Piece, split
from benchmarks.compose.vectors import Vectors


class OnLance:
    kinds: tuple[Kind, ...] = ("dense", "bm25", "hybrid", "filtered")

    def __init__(self, place: Path, vectors: Vectors) -> None:
        self._vectors = vectors
        self._base = lancedb.connect(str(place))
        self._place = place

    def ingest(self, docs: Path) -> Written:
        pieces = {_id(piece): piece for piece in split(docs)}
        if not (self._place / "docs.lance").exists():
            self._table = self._base.create_table("docs", self._rows(pieces))
            self._table.create_index("text", config=FTS())
            return Written(len(pieces), len(pieces), 0)
        self._table = self._base.open_table("docs")
        known = set(self._table.search().select(["id"]).to_arrow()["id"].to_pylist())
        new = {id: piece for id, piece in pieces.items() if id not in known}
        gone = known - pieces.keys()
        if new:
            self._table.merge_insert("id").when_not_matched_insert_all().execute(self._rows(new))
        if gone:
            self._table.delete(_either(gone))
        if new or gone:
            self._table.optimize()
        return Written(len(pieces), len(new), len(gone))

    def open(self) -> None:
        self._table = self._base.open_table("docs")

    def ask(self, kind: Kind, question: str, shelf: str) -> list[str]:
        found = self._query(kind, question, shelf).limit(K).to_list()
        return [row["text"] for row in found]

    def _query(self, kind: Kind, question: str, shelf: str) -> Any:
        match kind:
            case "bm25":
                return self._table.search(question, query_type="fts")
            case "hybrid":
                both = self._table.search(query_type="hybrid").vector(self._vectors.of([question])[0]).text(question)
                return both.rerank(RRFReranker())
            case "filtered":
                near = self._table.search(self._vectors.of([question])[0]).distance_type("cosine")
                return near.where(f"shelf = '{shelf}'")
        return self._table.search(self._vectors.of([question])[0]).distance_type("cosine")

    def chunks(self) -> Iterator[tuple[str, str]]:
        held = self._table.search().select(["text", "shelf"]).to_arrow()
        yield from zip(held["text"].to_pylist(), held["shelf"].to_pylist(), strict=True)

    def citations(self) -> Iterator[Cited]:
        """The id, and the version of the table it was seen in: LanceDB can go back to it."""
        for row in self._table.search().select(["id", "source", "text"]).to_list():
            yield Cited(f"{row['id']}@{self._table.version}", row["source"], row["text"])

    def resolve(self, keys: Iterable[str]) -> Mapping[str, str]:
        asked = {key: key.split("@") for key in keys}
        number = int(next(iter(asked.values()))[1])
        if number in {version["version"] for version in self._table.list_versions()}:
            self._table.checkout(number)
        held = self._table.search().select(["id", "text"]).to_arrow()
        texts = dict(zip(held["id"].to_pylist(), held["text"].to_pylist(), strict=True))
        self._table.checkout_latest()
        return {key: texts[id] for key, (id, _) in asked.items() if id in texts}

    def upkeep(self) -> None:
        """`optimize` removes versions that are a week old."""
        self._table.optimize(cleanup_older_than=timedelta(0))

    def _rows(self, pieces: Mapping[str, Piece]) -> list[dict[str, Any]]:
        vectors = self._vectors.of([piece.text for piece in pieces.values()])
        return [
            {"id": id, "source": piece.source, "shelf": piece.fields["shelf"], "text": piece.text, "vector": vector}
            for (id, piece), vector in zip(pieces.items(), vectors, strict=True)
        ]


def _id(piece: Piece) -> str:
    return blake2b(f"{piece.source}\0{piece.text}".encode(), digest_size=16).hexdigest()


def _either(ids: Iterable[str]) -> str:
    return f"id IN ({', '.join(repr(id) for id in ids)})"
