"""Engines of words behind one protocol: build from texts, open, ask the best rows, replace rows."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

PER_DOCUMENT, SHELVES = 10, 100
_BATCH = 10_000

Texts = Callable[[int, int], list[str]]


def batches(size: int, texts: Texts, step: int = _BATCH) -> Iterator[tuple[range, list[str]]]:
    for first in range(0, size, step):
        rows = range(first, min(first + step, size))
        yield rows, texts(rows.start, rows.stop)


def _shelf(row: int) -> int:
    return row // PER_DOCUMENT % SHELVES


class Tantivy:
    """Words with counts, a row that is indexed and fast, and the shelf as a word to filter by."""

    packages = ("tantivy",)

    def __init__(self, folder: Path) -> None:
        import tantivy

        self._tantivy = tantivy
        self._folder = folder

    def build(self, size: int, texts: Texts) -> None:
        t = self._tantivy
        builder = t.SchemaBuilder()
        builder.add_text_field("words", stored=False, tokenizer_name="whitespace", index_option="freq")
        builder.add_unsigned_field("row", stored=False, indexed=True, fast=True)
        builder.add_text_field("shelf", stored=False, tokenizer_name="raw", index_option="basic")
        self._folder.mkdir(parents=True)
        writer = t.Index(builder.build(), path=str(self._folder)).writer(heap_size=200_000_000, num_threads=1)
        for rows, some in batches(size, texts):
            for row, text in zip(rows, some, strict=True):
                writer.add_document(self._document(row, text))
        writer.commit()
        writer.wait_merging_threads()

    def _document(self, row: int, text: str) -> Any:
        document = self._tantivy.Document()
        document.add_text("words", text)
        document.add_unsigned("row", row)
        document.add_text("shelf", str(_shelf(row)))
        return document

    def open(self) -> None:
        self._index = self._tantivy.Index.open(str(self._folder))
        self._schema = self._index.schema
        self.searcher = self._index.searcher()

    def query(self, words: Sequence[str]) -> Any:
        t = self._tantivy
        terms = [t.Query.term_query(self._schema, "words", word, index_option="freq") for word in words]
        return t.Query.boolean_query([(t.Occur.Should, term) for term in terms])

    def _hits(self, query: Any, k: int) -> tuple[list[int], list[float]]:
        hits = self.searcher.search(query, k, count=False).hits
        rows = self.searcher.fast_field_values("row", [address for _, address in hits])
        return rows, [score for score, _ in hits]

    def ask(self, words: Sequence[str], k: int) -> tuple[list[int], list[float]]:
        return self._hits(self.query(words), k)

    def filtered(self, words: Sequence[str], shelf: int, rows: Any, k: int) -> list[int]:
        t = self._tantivy
        return self._within(words, t.Query.term_query(self._schema, "shelf", str(shelf), index_option="basic"), k)

    def by_rows(self, words: Sequence[str], shelf: int, rows: Any, k: int) -> list[int]:
        return self._within(words, self._tantivy.Query.term_set_query(self._schema, "row", rows.tolist()), k)

    def by_overfetch(self, words: Sequence[str], shelf: int, rows: Any, k: int) -> list[int]:
        """Take more hits until enough lie among the rows: 30 times k, then 300 times, then all."""
        allowed, query = set(rows.tolist()), self.query(words)
        found: list[int] = []
        for limit in (30 * k, 300 * k, max(1, self.searcher.num_docs)):
            hits = self._hits(query, limit)[0]
            found = [row for row in hits if row in allowed][:k]
            if len(found) == k or len(hits) < limit:
                break
        return found

    def _within(self, words: Sequence[str], narrow: Any, k: int) -> list[int]:
        t = self._tantivy
        clauses = [(t.Occur.Must, self.query(words)), (t.Occur.Must, t.Query.boost_query(narrow, 0.0))]
        return self._hits(t.Query.boolean_query(clauses), k)[0]

    def edit(self, rows: Sequence[int], old: Sequence[str], texts: Sequence[str]) -> None:
        t = self._tantivy
        index = t.Index.open(str(self._folder))
        writer = index.writer(heap_size=15_000_000, num_threads=1)
        # delete_documents_by_term makes a signed term of the row, which an unsigned field does not hold: nothing goes
        writer.delete_documents_by_query(t.Query.term_set_query(index.schema, "row", list(rows)))
        for row, text in zip(rows, texts, strict=True):
            writer.add_document(self._document(row, text))
        writer.commit()
        writer.wait_merging_threads()


class Fts5:
    """SQLite's own: contentless, so a delete needs the old text; positions are kept, as bm25() counts from them."""

    packages = ()

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def build(self, size: int, texts: Texts) -> None:
        self._folder.mkdir(parents=True)
        self.open()
        self._db.execute(
            "CREATE VIRTUAL TABLE words USING fts5(text, content='',"
            " tokenize=\"unicode61 remove_diacritics 0 categories 'L* M* N* Co' tokenchars '._-'\")"
        )
        for rows, some in batches(size, texts):
            with self._db:
                self._db.executemany("INSERT INTO words(rowid, text) VALUES (?, ?)", zip(rows, some, strict=True))
        with self._db:
            self._db.execute("INSERT INTO words(words) VALUES ('optimize')")
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def open(self) -> None:
        self._db = sqlite3.connect(self._folder / "words.db")
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA mmap_size=4000000000")
        self._db.execute("CREATE TEMP TABLE chosen(row INTEGER PRIMARY KEY)")

    def ask(self, words: Sequence[str], k: int) -> tuple[list[int], list[float]]:
        asked = " OR ".join(f'"{word}"' for word in words)
        found = self._db.execute("SELECT rowid, rank FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?", (asked, k))
        rows = found.fetchall()
        return [row for row, _ in rows], [-rank for _, rank in rows]

    def filtered(self, words: Sequence[str], shelf: int, rows: Any, k: int) -> list[int]:
        """The `+` keeps SQLite from asking the index of words once for every row: that takes seconds."""
        asked = " OR ".join(f'"{word}"' for word in words)
        self._db.execute("DELETE FROM chosen")
        self._db.executemany("INSERT INTO chosen VALUES (?)", ((row,) for row in rows.tolist()))
        found = self._db.execute(
            "SELECT rowid FROM words WHERE words MATCH ? AND +rowid IN (SELECT row FROM chosen) ORDER BY rank LIMIT ?",
            (asked, k),
        )
        return [row for (row,) in found]

    def edit(self, rows: Sequence[int], old: Sequence[str], texts: Sequence[str]) -> None:
        self.open()
        with self._db:
            gone = "INSERT INTO words(words, rowid, text) VALUES ('delete', ?, ?)"
            self._db.executemany(gone, zip(rows, old, strict=True))
            self._db.executemany("INSERT INTO words(rowid, text) VALUES (?, ?)", zip(rows, texts, strict=True))
        self._db.close()


class Lance:
    """LanceDB's inverted index, with a bitmap for the filter."""

    packages = ("lancedb", "pyarrow", "lance_namespace", "lance_namespace_urllib3_client", "pydantic", "pydantic_core")

    def __init__(self, folder: Path) -> None:
        os.environ["LANCEDB_LOG"] = "error"
        import lancedb
        import pyarrow as pa

        self._lancedb, self._pa, self._folder = lancedb, pa, folder

    def build(self, size: int, texts: Texts) -> None:
        from lancedb.index import FTS, Bitmap, BTree

        table = None
        for rows, some in batches(size, texts, 50_000):
            batch = self._rows(list(rows), some)
            if table is None:
                table = self._lancedb.connect(str(self._folder)).create_table("words", batch)
            else:
                table.add(batch)
        plain = {"lower_case": False, "stem": False, "remove_stop_words": False, "ascii_folding": False}
        words = FTS(base_tokenizer="whitespace", with_position=False, max_token_length=None, **plain)
        table.create_index("text", config=words)
        table.create_index("shelf", config=Bitmap())
        table.create_index("row", config=BTree())

    def _rows(self, rows: Sequence[int], texts: Sequence[str]) -> Any:
        pa = self._pa
        shelves = pa.array([_shelf(row) for row in rows], pa.int32())
        return pa.table({"row": pa.array(rows, pa.int64()), "shelf": shelves, "text": pa.array(texts)})

    def open(self) -> None:
        self._table = self._lancedb.connect(str(self._folder)).open_table("words")

    def _search(self, words: Sequence[str]) -> Any:
        return self._table.search(" ".join(words), query_type="fts").select(["row", "_score"])

    def ask(self, words: Sequence[str], k: int) -> tuple[list[int], list[float]]:
        found = self._search(words).limit(k).to_arrow()
        return found["row"].to_pylist(), found["_score"].to_pylist()

    def filtered(self, words: Sequence[str], shelf: int, rows: Any, k: int) -> list[int]:
        found = self._search(words).where(f"shelf = {shelf}", prefilter=True).limit(k).to_arrow()
        return found["row"].to_pylist()  # type: ignore[no-any-return]

    def edit(self, rows: Sequence[int], old: Sequence[str], texts: Sequence[str]) -> None:
        self.open()
        self._table.delete(f"row IN ({', '.join(map(str, rows))})")
        self._table.add(self._rows(list(rows), texts))


class Zvec:
    """zvec's full-text index, with an inverted index for the filter."""

    packages = ("zvec",)

    def __init__(self, folder: Path) -> None:
        import zvec

        self._zvec, self._folder = zvec, folder
        zvec.init(log_level=zvec.LogLevel.ERROR, query_threads=1, optimize_threads=1)

    def build(self, size: int, texts: Texts) -> None:
        z = self._zvec
        fields = [
            z.FieldSchema("row", z.DataType.INT64),
            z.FieldSchema("shelf", z.DataType.INT64, index_param=z.InvertIndexParam()),
            z.FieldSchema("text", z.DataType.STRING, index_param=z.FtsIndexParam("whitespace", [])),
        ]
        self._folder.parent.mkdir(parents=True, exist_ok=True)
        one = z.VectorSchema("none", z.DataType.VECTOR_FP32, 1, index_param=z.FlatIndexParam())
        table = z.create_and_open(str(self._folder), z.CollectionSchema("words", fields=fields, vectors=[one]))
        for rows, some in batches(size, texts, 1000):
            table.insert([self._doc(row, text) for row, text in zip(rows, some, strict=True)])
        table.flush()
        table.optimize()
        table.close()

    def _doc(self, row: int, text: str) -> Any:
        fields = {"row": row, "shelf": _shelf(row), "text": text}
        return self._zvec.Doc(id=str(row), fields=fields, vectors={"none": [1.0]})

    def open(self) -> None:
        self._table = self._zvec.open(str(self._folder), self._zvec.CollectionOption(read_only=True))

    def _query(self, words: Sequence[str]) -> Any:
        return self._zvec.Query("text", fts=self._zvec.Fts(match_string=" ".join(words)))

    def ask(self, words: Sequence[str], k: int) -> tuple[list[int], list[float]]:
        found = self._table.query(self._query(words), topk=k, output_fields=["row"])
        return [doc.field("row") for doc in found], [doc.score for doc in found]

    def filtered(self, words: Sequence[str], shelf: int, rows: Any, k: int) -> list[int]:
        found = self._table.query(self._query(words), topk=k, filter=f"shelf = {shelf}", output_fields=["row"])
        return [doc.field("row") for doc in found]

    def edit(self, rows: Sequence[int], old: Sequence[str], texts: Sequence[str]) -> None:
        table = self._zvec.open(str(self._folder))
        table.upsert([self._doc(row, text) for row, text in zip(rows, texts, strict=True)])
        table.flush()
        table.close()


class Numpy:
    """Postings in memory-mapped arrays, exact; an edit is a new segment and a list of removed rows."""

    packages = ("numpy", "numpy.libs")

    def __init__(self, folder: Path) -> None:
        from benchmarks.engines import postings

        self._postings, self._folder = postings, folder

    def build(self, size: int, texts: Texts) -> None:
        parts = (some for _, some in batches(size, texts, 50_000))
        self._postings.write(self._folder / "segment-000", 0, parts)

    def open(self) -> None:
        self._opened = self._postings.Postings(self._folder)

    def ask(self, words: Sequence[str], k: int) -> tuple[list[int], list[float]]:
        rows, scores = self._opened.search(words, k)
        return rows.tolist(), scores.tolist()

    def filtered(self, words: Sequence[str], shelf: int, rows: Any, k: int) -> list[int]:
        return self._opened.search(words, k, rows)[0].tolist()  # type: ignore[no-any-return]

    def edit(self, rows: Sequence[int], old: Sequence[str], texts: Sequence[str]) -> None:
        """New rows take numbers of their own, behind all others."""
        import numpy as np

        self.open()
        removed = self._folder / "removed.npy"
        gone = np.load(removed) if removed.exists() else np.zeros(0, np.int64)
        name = self._folder / f"segment-{len(self._opened.segments):03d}"
        self._postings.write(name, self._opened.size, [texts])
        np.save(self._folder / "new.npy", np.concatenate([gone, np.array(rows)]))
        os.replace(self._folder / "new.npy", removed)


ENGINES = {"numpy": Numpy, "tantivy": Tantivy, "fts5": Fts5, "lancedb": Lance, "zvec": Zvec}
"""numpy first: it also finds the candidates for the exact answers that the others are held against."""


def cold(name: str, folder: str, question: str) -> dict[str, float]:
    """What one search of a command costs from nothing: CPU seconds of import, and of all."""
    words = json.loads(Path(question).read_text())["words"]
    before = time.process_time()
    engine = ENGINES[name](Path(folder))
    imported = time.process_time()
    engine.open()
    engine.ask(words, 10)
    return {"import": imported - before, "all": time.process_time()}
