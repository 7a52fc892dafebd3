"""LangChain as its guides put it together: Chroma or FAISS, a BM25 retriever, and both in an ensemble.

Each comes twice. Plain: all chunks are added, under ids made of the file's name and the chunk's number, so that a
second run replaces chunks and does not add them again; what a shorter document leaves behind stays. Indexed: through
the indexing API, which remembers the hashes of chunks in a database and adds and deletes only what differs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from chromadb.config import Settings
from langchain_chroma import Chroma
from langchain_classic.indexes import SQLRecordManager
from langchain_classic.retrievers import EnsembleRetriever
from langchain_community.docstore.in_memory import InMemoryDocstore
from langchain_community.retrievers import BM25Retriever
from langchain_community.vectorstores import FAISS
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.indexing import index

from benchmarks.compose.side import Cited, K, Kind, Written
from benchmarks.compose.split import split
from benchmarks.compose.vectors import DIMENSIONS, Vectors

BATCH = 5000
"""Chroma takes 5,461 at once."""


class BundledEmbeddings(Embeddings):
    """The bundled model, as LangChain takes one."""

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return self._vectors.of(texts).tolist()  # type: ignore[no-any-return]

    def embed_query(self, text: str) -> list[float]:
        return self._vectors.of([text])[0].tolist()  # type: ignore[no-any-return]


def documents(docs: Path, *, named: bool) -> list[Document]:
    """The chunks of a folder. The indexing API makes ids of its own, so that only others are named."""
    return [
        Document(
            piece.text,
            metadata={"source": piece.source, **piece.fields},
            id=f"{piece.source}#{piece.number}" if named else None,
        )
        for piece in split(docs)
    ]


class _Ensemble:
    """What Chroma and FAISS have in common: BM25 beside them, and their documents."""

    kinds: tuple[Kind, ...] = ("dense", "bm25", "hybrid", "filtered")
    _store: Any

    def open(self) -> None:
        """The BM25 retriever cannot be saved: it is made of all chunks every time."""
        self._words = BM25Retriever.from_documents(self._documents(), k=K)
        both = [self._store.as_retriever(search_kwargs={"k": K}), self._words]
        self._both = EnsembleRetriever(retrievers=both, weights=[0.5, 0.5])

    def ask(self, kind: Kind, question: str, shelf: str) -> list[str]:
        match kind:
            case "bm25":
                found = self._words.invoke(question)
            case "hybrid":
                found = self._both.invoke(question)[:K]
            case "filtered":
                found = self._filtered(question, shelf)
            case _:
                found = self._store.similarity_search(question, K)
        return [document.page_content for document in found]

    def chunks(self) -> Iterator[tuple[str, str]]:
        yield from ((document.page_content, document.metadata["shelf"]) for document in self._documents())

    def citations(self) -> Iterator[Cited]:
        for document in self._documents():
            yield Cited(str(document.id), document.metadata["source"], document.page_content)

    def resolve(self, keys: Iterable[str]) -> Mapping[str, str]:
        return {str(found.id): found.page_content for found in self._store.get_by_ids(list(keys))}

    def upkeep(self) -> None:
        """Nothing is told."""

    def _documents(self) -> list[Document]:
        raise NotImplementedError

    def _filtered(self, question: str, shelf: str) -> list[Document]:
        raise NotImplementedError


class OnChroma(_Ensemble):
    def __init__(self, place: Path, vectors: Vectors) -> None:
        quiet = Settings(anonymized_telemetry=False, is_persistent=True, persist_directory=str(place))
        self._store = Chroma("docs", BundledEmbeddings(vectors), client_settings=quiet)

    def ingest(self, docs: Path) -> Written:
        found = documents(docs, named=True)
        for at in range(0, len(found), BATCH):
            self._store.add_documents(found[at : at + BATCH])
        return Written(self._store._collection.count(), len(found), 0)

    def _documents(self) -> list[Document]:
        held = self._store.get()
        rows = zip(held["ids"], held["documents"], held["metadatas"], strict=True)
        return [Document(text, metadata=about, id=id) for id, text, about in rows]

    def _filtered(self, question: str, shelf: str) -> list[Document]:
        return self._store.similarity_search(question, K, filter={"shelf": shelf})  # type: ignore[no-any-return]


class OnChromaIndexed(OnChroma):
    def __init__(self, place: Path, vectors: Vectors) -> None:
        super().__init__(place, vectors)
        self._manager = records(place)

    def ingest(self, docs: Path) -> Written:
        added, removed = indexed(docs, self._manager, self._store)
        return Written(self._store._collection.count(), added, removed)


class OnFaiss(_Ensemble):
    def __init__(self, place: Path, vectors: Vectors) -> None:
        self._place = place
        self._embeddings = BundledEmbeddings(vectors)

    def ingest(self, docs: Path) -> Written:
        found = documents(docs, named=True)
        self._store = FAISS.from_documents(found, self._embeddings)
        self._store.save_local(str(self._place))
        return Written(len(found), len(found), 0)

    def open(self) -> None:
        self._load()
        super().open()

    def resolve(self, keys: Iterable[str]) -> Mapping[str, str]:
        held = {str(document.id): document.page_content for document in self._documents()}
        return {key: held[key] for key in keys if key in held}

    def _load(self) -> None:
        self._store = FAISS.load_local(str(self._place), self._embeddings, allow_dangerous_deserialization=True)

    def _documents(self) -> list[Document]:
        held = self._store.docstore._dict.items()
        return [Document(found.page_content, metadata=found.metadata, id=id) for id, found in held]

    def _filtered(self, question: str, shelf: str) -> list[Document]:
        """FAISS has no filter: LangChain fetches so many, 20 unless it is told, and drops what does not fit."""
        every = self._store.index.ntotal
        return self._store.similarity_search(  # type: ignore[no-any-return]
            question, K, filter={"shelf": shelf}, fetch_k=every
        )


class OnFaissIndexed(OnFaiss):
    def __init__(self, place: Path, vectors: Vectors) -> None:
        super().__init__(place, vectors)
        self._manager = records(place)

    def ingest(self, docs: Path) -> Written:
        if (self._place / "index.faiss").exists():
            self._load()
        else:
            self._store = self._empty()
        added, removed = indexed(docs, self._manager, self._store)
        self._store.save_local(str(self._place))
        return Written(self._store.index.ntotal, added, removed)

    def _empty(self) -> FAISS:
        import faiss

        return FAISS(self._embeddings, faiss.IndexFlatL2(DIMENSIONS), InMemoryDocstore(), {})


def records(place: Path) -> SQLRecordManager:
    """Where the indexing API remembers what it wrote."""
    manager = SQLRecordManager("docs", db_url=f"sqlite:///{place / 'records.sqlite'}")
    manager.create_schema()
    return manager


def indexed(docs: Path, manager: SQLRecordManager, store: Any) -> tuple[int, int]:
    """Bring a store up to date with a folder; how many chunks were added and removed."""
    done = index(documents(docs, named=False), manager, store, batch_size=1000, cleanup="full", key_encoder="blake2b")
    return done["num_added"] + done["num_updated"], done["num_deleted"]
