"""LlamaIndex: a node parser, a reader of files and a retriever over an index."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

from seamline.adapters.cutting import DocumentNames, ErrorHandler, cut_files, cut_text, recipe_of, recipe_text
from seamline.adapters.metadata import HEADINGS, FlatMetadata, chunk_parts, foreign_metadata, hit_parts, restore_record
from seamline.api.index import Index
from seamline.api.sources import MAX_BYTES
from seamline.errors import needed
from seamline.recipe.recipe import Recipe
from seamline.search.hits import Hit
from seamline.search.options import SearchOptions
from seamline.types import Chunk

with needed("llama-index-core", "llama-index"):
    from llama_index.core.bridge.pydantic import BeforeValidator, Field
    from llama_index.core.node_parser import NodeParser
    from llama_index.core.readers.base import BaseReader
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import (
        BaseNode,
        Document,
        MetadataMode,
        NodeRelationship,
        NodeWithScore,
        QueryBundle,
        RelatedNodeInfo,
        TextNode,
    )

__all__ = ["SeamlineNodeParser", "SeamlineNodeRetriever", "SeamlineReader", "from_node", "to_node"]

_TEMPLATES = {"metadata_template": "{value}", "text_template": "{metadata_str}\n\n{content}"}
"""With `headings` alone this makes the embed view."""


def to_node(chunk: Chunk, *, source: BaseNode | None = None) -> TextNode:
    """A chunk as a node: its neighbours, section and document are relationships; an embedding model reads it under its
    title and headings, a language model as it is shown. `source` is the document that it is of. Values of its
    metadata go before those of the chunk, whose own are in its record all the same."""
    id, text, own = chunk_parts(chunk)
    start, end = chunk.body
    return TextNode(
        id_=id,
        text=text,
        start_char_idx=start,
        end_char_idx=end,
        relationships=_relationships(chunk, source),
        **_seen_metadata(own, source),
        **_TEMPLATES,
    )


def from_node(node: BaseNode) -> dict[str, Any]:
    """What a node was made of: `Chunk.to_dict()`, or `Hit.to_dict()`."""
    return restore_record(node.get_content(MetadataMode.NONE), node.metadata)


def _seen_metadata(own: FlatMetadata, source: BaseNode | None) -> dict[str, Any]:
    """Metadata, and which of it models do not see: all that is ours, and what the source hides."""
    if source is None:
        metadata: dict[str, Any] = dict(own)
        hidden_embed: list[str] = []
        hidden_llm: list[str] = []
    else:
        metadata = {**own, **foreign_metadata(source.metadata)}
        hidden_embed, hidden_llm = source.excluded_embed_metadata_keys, source.excluded_llm_metadata_keys
    return {
        "metadata": metadata,
        "excluded_embed_metadata_keys": sorted({*own, *hidden_embed} - {HEADINGS}),
        "excluded_llm_metadata_keys": sorted({*own, *hidden_llm}),
    }


def _relationships(chunk: Chunk, source: BaseNode | None) -> dict[NodeRelationship, Any]:
    document = RelatedNodeInfo(node_id=chunk.doc_id) if source is None else source.as_related_node_info()
    found: dict[NodeRelationship, Any] = {NodeRelationship.SOURCE: document}
    for kind, id in (
        (NodeRelationship.PREVIOUS, chunk.previous),
        (NodeRelationship.NEXT, chunk.next),
        (NodeRelationship.PARENT, chunk.parent),
    ):
        if id:
            found[kind] = RelatedNodeInfo(node_id=id)
    if chunk.children:
        found[NodeRelationship.CHILD] = [RelatedNodeInfo(node_id=id) for id in chunk.children]
    return found


class SeamlineNodeParser(NodeParser):
    """Cuts documents by a recipe: along their structure, within an exact token limit.

    Ids of nodes derive from the ids of documents: those that keep theirs keep those of their nodes.
    """

    recipe: Annotated[str, BeforeValidator(recipe_text)] = Field(
        default="",
        description="A Recipe, the name of a preset or the text of a `seamline.toml`; empty for the defaults.",
    )
    media_type: str = Field(default="", description="Of the texts; empty for Markdown.")
    id_func: Any = Field(default=None, exclude=True, description="Not used: ids derive from content.")

    @classmethod
    def class_name(cls) -> str:
        return "SeamlineNodeParser"

    def _parse_nodes(self, nodes: Sequence[BaseNode], show_progress: bool = False, **_kwargs: Any) -> list[BaseNode]:
        recipe, names = recipe_of(self.recipe), DocumentNames()
        return [
            to_node(one, source=node)
            for node in nodes
            for one in cut_text(
                node.get_content(MetadataMode.NONE),
                id=names.name(node.node_id),
                recipe=recipe,
                media_type=self.media_type or None,
            )
        ]

    def _postprocess_parsed_nodes(self, nodes: list[BaseNode], parent_doc_map: dict[str, Document]) -> list[BaseNode]:
        """As they are: places and neighbours are known, where LlamaIndex would search for the text."""
        return nodes


class SeamlineReader(BaseReader):
    """Loads files of every format as chunks with page, lines, time or cells; also for `file_extractor` of a
    `SimpleDirectoryReader`."""

    def __init__(
        self,
        *,
        recipe: Recipe | str | None = None,
        max_bytes: int | None = MAX_BYTES,
        on_error: ErrorHandler | None = None,
    ) -> None:
        """A file that cannot be read is raised, or handed to `on_error` while the others go on."""
        self._recipe, self._max_bytes, self._on_error = recipe, max_bytes, on_error

    def lazy_load_data(
        self, file: str | Path | Sequence[str | Path], extra_info: dict[str, Any] | None = None
    ) -> Iterator[Document]:
        """The chunks of a file, a folder or several; `extra_info` is added to the metadata of each."""
        paths = [file] if isinstance(file, str | Path) else list(file)
        extra = extra_info or {}
        for chunk in cut_files(paths, recipe=self._recipe, max_bytes=self._max_bytes, on_error=self._on_error):
            node = to_node(chunk)
            yield Document(
                id_=node.node_id,
                text=node.text,
                metadata={**node.metadata, **extra},
                excluded_embed_metadata_keys=[*node.excluded_embed_metadata_keys, *extra],
                excluded_llm_metadata_keys=[*node.excluded_llm_metadata_keys, *extra],
                relationships=node.relationships,
                **_TEMPLATES,
            )


class SeamlineNodeRetriever(BaseRetriever):
    """Searches an index; each node carries its score and the key of its citation."""

    def __init__(
        self,
        index: Index,
        *,
        k: int = 5,
        where: str = "",
        options: SearchOptions | None = None,
        adaptive: bool = False,
    ) -> None:
        """`where` is a filter such as `language = "en"`. With `adaptive`, the kind of question decides how many
        passages are found and how wide they are."""
        super().__init__()
        self._index, self._k, self._where, self._options, self._adaptive = index, k, where, options, adaptive

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        results = self._index.search(
            query_bundle.query_str, k=self._k, where=self._where, options=self._options, adaptive=self._adaptive
        )
        return [NodeWithScore(node=_hit_node(hit), score=hit.score) for hit in results.hits]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)


def _hit_node(hit: Hit) -> TextNode:
    id, text, own = hit_parts(hit)
    found: dict[NodeRelationship, Any] = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id=hit.citation.doc)}
    if hit.entry.parent:
        found[NodeRelationship.PARENT] = RelatedNodeInfo(node_id=hit.entry.parent)
    return TextNode(
        id_=id,
        text=text,
        start_char_idx=hit.citation.start,
        end_char_idx=hit.citation.end,
        relationships=found,
        **_seen_metadata(own, None),
        **_TEMPLATES,
    )
