"""Haystack: components that split documents, convert files and search an index."""

# Without `from __future__ import annotations`: Haystack compares the types of what it connects.
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from seamline.adapters.cutting import DocumentNames, cut_files, cut_text, recipe_of, recipe_text
from seamline.adapters.metadata import chunk_parts, foreign_metadata, hit_parts, restore_record
from seamline.api.index import FOLDER, Index, open_index
from seamline.errors import ConfigError, needed
from seamline.filters.language import to_text
from seamline.filters.tree import FIELDS, META, All, Filter, Not, Operator, Test
from seamline.filters.tree import Any as AnyOf
from seamline.recipe.recipe import Recipe
from seamline.types import Chunk

with needed("haystack-ai", "haystack"):
    from haystack import Document, component, default_from_dict, default_to_dict

__all__ = [
    "SeamlineDocumentRetriever",
    "SeamlineDocumentSplitter",
    "SeamlineFileConverter",
    "from_document",
    "to_document",
    "where_of",
]

_COMPARISONS: Mapping[str, Operator] = {"==": "=", ">": ">", ">=": ">=", "<": "<", "<=": "<=", "in": "in"}
_NEGATIONS: Mapping[str, Operator] = {"!=": "=", "not in": "in"}


def to_document(chunk: Chunk, *, meta: dict[str, Any] | None = None) -> Document:
    """A chunk as a document of Haystack. Embedders read it under its title and headings with
    `meta_fields_to_embed=["headings"]`. Values of `meta` go before those of the chunk,
    whose own are in its record all the same."""
    id, text, own = chunk_parts(chunk)
    return Document(id=id, content=text, meta={**own, **(meta or {})})


def from_document(document: Document) -> dict[str, Any]:
    """What a document was made of: `Chunk.to_dict()`, or `Hit.to_dict()`."""
    return restore_record(document.content or "", document.meta)


@component
class SeamlineDocumentSplitter:
    """Cuts documents by a recipe: along their structure, within an exact token limit."""

    def __init__(self, recipe: Recipe | str = "", media_type: str = "") -> None:
        """`recipe` is a Recipe, the name of a preset or the text of a `seamline.toml`. Texts are Markdown unless
        `media_type` says otherwise."""
        self.recipe = recipe_text(recipe)
        self.media_type = media_type

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """The chunks of documents, each with the meta of its document and `source_id`."""
        names = DocumentNames()
        return {"documents": [cut for document in documents for cut in self._split(document, names)]}

    def _split(self, document: Document, names: DocumentNames) -> list[Document]:
        if document.content is None:
            raise ConfigError(f"expected documents with text, got {document.id} without content")
        chunks = cut_text(
            document.content,
            id=names.name(document.id),
            recipe=recipe_of(self.recipe),
            media_type=self.media_type or None,
        )
        meta = {**foreign_metadata(document.meta), "source_id": document.id}
        return [to_document(one, meta=meta) for one in chunks]


@component
class SeamlineFileConverter:
    """Converts files of every format into chunks with page, lines, time or cells."""

    def __init__(self, recipe: Recipe | str = "") -> None:
        """`recipe` is a Recipe, the name of a preset or the text of a `seamline.toml`."""
        self.recipe = recipe_text(recipe)

    @component.output_types(documents=list[Document])
    def run(self, sources: list[str | Path], meta: dict[str, Any] | None = None) -> dict[str, list[Document]]:
        """The chunks of files and of the files in folders; `meta` is added to each."""
        cut = cut_files(sources, recipe=recipe_of(self.recipe))
        return {
            "documents": [
                to_document(chunk, meta={**(meta or {}), "file_path": chunk.document.source.uri}) for chunk in cut
            ]
        }


@component
class SeamlineDocumentRetriever:
    """Searches an index, which is opened when it is first needed. It is a Haystack `TextRetriever`."""

    def __init__(self, place: str = FOLDER, top_k: int = 10, filters: dict[str, Any] | None = None) -> None:
        """`place` is a folder or an address, as `open_index` takes it."""
        self.place = place
        self.top_k = top_k
        self.filters = filters
        self._index: Index | None = None

    def warm_up(self) -> None:
        """Open the index."""
        if self._index is None:
            self._index = open_index(self.place)

    @component.output_types(documents=list[Document])
    def run(
        self, query: str, filters: dict[str, Any] | None = None, top_k: int | None = None
    ) -> dict[str, list[Document]]:
        """The best passages, each with its score; `filters` and `top_k` replace those of the component."""
        self.warm_up()
        assert self._index is not None
        settled = self.filters if filters is None else filters
        where = where_of(settled) if settled else ""
        results = self._index.search(query, k=self.top_k if top_k is None else top_k, where=where)
        documents = []
        for hit in results.hits:
            id, text, meta = hit_parts(hit)
            documents.append(Document(id=id, content=text, meta=dict(meta), score=hit.score))
        return {"documents": documents}

    def close(self) -> None:
        """Close the index."""
        if self._index is not None:
            self._index.close()
            self._index = None

    def to_dict(self) -> dict[str, Any]:
        """For pipelines in YAML."""
        plain: dict[str, Any] = default_to_dict(self, place=self.place, top_k=self.top_k, filters=self.filters)
        return plain

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "SeamlineDocumentRetriever":
        """What `to_dict` made."""
        made: SeamlineDocumentRetriever = default_from_dict(cls, data)
        return made


def where_of(filters: Mapping[str, Any]) -> str:
    """A filter of Haystack as one of Seamline's. `meta.kind` is the field `kind`; `meta.meta_team`, as the metadata of
    chunks has it, is `meta.team` of the front matter, and so is a name that is no field."""
    return to_text(_filter(filters))


def _filter(filters: Mapping[str, Any]) -> Filter:
    operator = str(filters.get("operator", ""))
    if operator in ("AND", "OR", "NOT"):
        parts = tuple(_filter(part) for part in filters.get("conditions", ()))
        return AnyOf(parts) if operator == "OR" else All(parts) if operator == "AND" else Not(All(parts))
    if "field" not in filters or operator not in {*_COMPARISONS, *_NEGATIONS}:
        raise ConfigError(f"expected a filter of Haystack with field, operator and value, got {dict(filters)!r}")
    field, value = _field(str(filters["field"])), _value(filters.get("value"))
    if operator in _NEGATIONS:
        return Not(Test(field, _NEGATIONS[operator], value))
    return Test(field, _COMPARISONS[operator], value)


def _field(name: str) -> str:
    plain = name.removeprefix(META)
    return plain if plain in FIELDS else META + plain.removeprefix("meta_")


def _value(value: object) -> Any:
    """Lists as tuples, and dates as moments."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        return tuple(_value(part) for part in value)
    if isinstance(value, str) and value[:4].isdigit() and value[4:5] == "-":
        try:
            return datetime.fromisoformat(value)
        except ValueError:
            return value
    return value
