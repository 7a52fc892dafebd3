"""The semantic splitters of chonkie and LlamaIndex, with the embedder that seamline is given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from seamline.protocols import Embedder

Cut = Callable[[str], list[int]]
"""From a text to the offsets at which its chunks start."""
Make = Callable[[float, int], Cut]
"""From a threshold and a window to that; the windows are what each library calls so."""

CHONKIE = 0.8
CHONKIE_WINDOW = 3
LLAMA = 95.0
LLAMA_WINDOW = 1
"""Thresholds and windows that the libraries come with."""


def chonkie(embedder: Embedder, tokenizer: Any, limit: int = 2048) -> Make:
    """SemanticChunker: local minima of a smoothed curve; the threshold is the share of minima that is left out."""
    return _chonkie(chonkie_embeddings(embedder, tokenizer), limit)


def chonkie_model2vec(limit: int = 2048) -> Make:
    """The same as it comes: model2vec embeds and counts. Its table is that of seamline's `static`."""
    import numpy as np
    from chonkie.embeddings import Model2VecEmbeddings
    from model2vec import StaticModel
    from tokenizers import Tokenizer

    from seamline.embed.static import FOLDER, TABLE, VOCABULARY

    tokenizer = Tokenizer.from_file(str(FOLDER / VOCABULARY))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    table = np.load(FOLDER / TABLE).astype(np.float32)
    return _chonkie(Model2VecEmbeddings(StaticModel(table, tokenizer, normalize=True)), limit)


def _chonkie(embeddings: Any, limit: int) -> Make:
    from chonkie import SemanticChunker

    def make(threshold: float, window: int) -> Cut:
        chunker = SemanticChunker(embeddings, threshold=threshold, chunk_size=limit, similarity_window=window)
        return lambda text: [chunk.start_index for chunk in chunker.chunk(text)]

    return make


def chonkie_embeddings(embedder: Embedder, tokenizer: Any) -> Any:
    """An embedder as chonkie wants one."""
    from chonkie.embeddings import BaseEmbeddings

    class Embeddings(BaseEmbeddings):  # type: ignore[misc]
        def embed(self, text: str) -> Any:
            return embedder.embed([text])[0]

        def embed_batch(self, texts: list[str]) -> Any:
            return list(embedder.embed(texts))

        @property
        def dimension(self) -> int:
            return embedder.dimensions

        def get_tokenizer(self) -> Any:
            return tokenizer

    return Embeddings()


def llama(embedder: Embedder) -> Make:
    """SemanticSplitterNodeParser: every distance above a percentile; it keeps no limit."""
    from llama_index.core.base.embeddings.base import BaseEmbedding
    from llama_index.core.node_parser import SemanticSplitterNodeParser
    from llama_index.core.schema import Document

    class Embedding(BaseEmbedding):  # type: ignore[misc]
        def _get_text_embedding(self, text: str) -> list[float]:
            return list(map(float, embedder.embed([text])[0]))

        def _get_text_embeddings(self, texts: Sequence[str]) -> list[list[float]]:
            return [list(map(float, row)) for row in embedder.embed(list(texts))]

        def _get_query_embedding(self, query: str) -> list[float]:
            return self._get_text_embedding(query)

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return self._get_text_embedding(query)

    def make(threshold: float, window: int) -> Cut:
        parser = SemanticSplitterNodeParser(
            embed_model=Embedding(embed_batch_size=2048),
            breakpoint_percentile_threshold=threshold,
            buffer_size=window,
        )

        def cut(text: str) -> list[int]:
            nodes = parser.get_nodes_from_documents([Document(text=text)])
            lengths = [0]
            for node in nodes:  # its nodes tile the text, and some come without an offset
                lengths.append(lengths[-1] + len(node.text))
            return lengths[:-1]

        return cut

    return make
