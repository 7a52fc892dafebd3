"""LangChain: a text splitter, a loader of files and a retriever over an index."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from seamline.adapters.cutting import DocumentNames, ErrorHandler, cut_files, cut_text
from seamline.adapters.metadata import HEADINGS, chunk_parts, embed_text, foreign_metadata, hit_parts, restore_record
from seamline.api.index import Index
from seamline.api.sources import MAX_BYTES
from seamline.errors import needed
from seamline.recipe.recipe import Recipe
from seamline.search.options import SearchOptions
from seamline.types import Chunk

with needed("langchain-core", "langchain"):
    from langchain_core.callbacks import CallbackManagerForRetrieverRun
    from langchain_core.document_loaders import BaseLoader
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from langchain_text_splitters import TextSplitter
    from pydantic import ConfigDict

__all__ = ["SeamlineLoader", "SeamlineRetriever", "SeamlineTextSplitter", "from_document", "to_document"]

Content = Literal["prompt", "embed"]
"""Which view of a chunk is the `page_content`: LangChain embeds and shows the same text."""


def to_document(chunk: Chunk, *, content: Content = "prompt", metadata: dict[str, Any] | None = None) -> Document:
    """A chunk as a document of LangChain. Values of `metadata` go before those of the
    chunk, whose own are in its record all the same."""
    id, text, own = chunk_parts(chunk)
    page = text if content == "prompt" else embed_text(text, own)
    return Document(id=id, page_content=page, metadata={**own, **(metadata or {})})


def from_document(document: Document) -> dict[str, Any]:
    """What a document was made of: `Chunk.to_dict()`, or `Hit.to_dict()`."""
    above, text = document.metadata.get(HEADINGS), document.page_content
    return restore_record(text.removeprefix(f"{above}\n\n") if above else text, document.metadata)


class SeamlineTextSplitter(TextSplitter):
    """Cuts texts by a recipe: along their structure, within an exact token limit.

    Ids of chunks derive from the id or the `source` of a document, so they stay the same from run to run.
    """

    def __init__(
        self,
        recipe: Recipe | str | None = None,
        *,
        media_type: str | None = None,
        content: Content = "prompt",
    ) -> None:
        """`recipe` is a Recipe or the name of a preset. Texts are Markdown unless `media_type` says otherwise."""
        super().__init__()
        self._recipe, self._media_type, self._content = recipe, media_type, content

    def split_text(self, text: str) -> list[str]:
        """The chunks of a text, as texts."""
        return [document.page_content for document in self.create_documents([text])]

    def create_documents(self, texts: list[str], metadatas: list[dict[Any, Any]] | None = None) -> list[Document]:
        """The chunks of texts, each with the metadata of its text."""
        every = metadatas or [{}] * len(texts)
        return self.split_documents(
            Document(page_content=text, metadata=metadata) for text, metadata in zip(texts, every, strict=True)
        )

    def split_documents(self, documents: Iterable[Document]) -> list[Document]:
        """The chunks of documents, each with the metadata of its document."""
        names = DocumentNames()
        return [cut for document in documents for cut in self._split(document, names)]

    def _split(self, document: Document, names: DocumentNames) -> list[Document]:
        metadata = foreign_metadata(document.metadata)
        id = names.name(document.id or str(metadata.get("source", "")))
        chunks = cut_text(document.page_content, id=id, recipe=self._recipe, media_type=self._media_type)
        return [to_document(one, content=self._content, metadata=metadata) for one in chunks]


class SeamlineLoader(BaseLoader):
    """Loads files and folders of every format as chunks with page, lines, time or cells."""

    def __init__(
        self,
        paths: str | Path | Sequence[str | Path],
        *,
        recipe: Recipe | str | None = None,
        content: Content = "prompt",
        max_bytes: int | None = MAX_BYTES,
        on_error: ErrorHandler | None = None,
    ) -> None:
        """A file that cannot be read is raised, or handed to `on_error` while the others go on."""
        self._paths = [paths] if isinstance(paths, str | Path) else list(paths)
        self._recipe, self._content, self._max_bytes, self._on_error = recipe, content, max_bytes, on_error

    def lazy_load(self) -> Iterator[Document]:
        """The chunks, file by file; `source` is the path."""
        cut = cut_files(self._paths, recipe=self._recipe, max_bytes=self._max_bytes, on_error=self._on_error)
        for chunk in cut:
            yield to_document(chunk, content=self._content, metadata={"source": chunk.document.source.uri})


class SeamlineRetriever(BaseRetriever):
    """Searches an index; each document carries its score and the key of its citation."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    index: Index
    k: int = 5
    """How many passages are found."""
    where: str = ""
    """A filter such as `language = "en"`."""
    options: SearchOptions | None = None
    adaptive: bool = False
    """Whether the kind of question decides how wide passages are."""

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None, where: str | None = None
    ) -> list[Document]:
        results = self.index.search(
            query,
            k=self.k if k is None else k,
            where=self.where if where is None else where,
            options=self.options,
            adaptive=self.adaptive,
        )
        return [_hit_document(*hit_parts(hit), score=hit.score) for hit in results.hits]


def _hit_document(id: str, text: str, metadata: dict[str, Any], *, score: float) -> Document:
    return Document(id=id, page_content=text, metadata={**metadata, "score": score})
