"""Other chunkers as baselines, where they are installed: each a function from a text to spans, at a limit of tokens
that our tokenizer counts. They are used as their documentation shows, without overlap."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from typing import Any, NamedTuple

from seamline.errors import ConfigError, MissingExtra

Count = Callable[[str], int]
CutSpans = Callable[[str], list[tuple[int, int]]]


class PeerChunker(NamedTuple):
    """A chunker of another project."""

    name: str
    module: str
    """What must be importable."""
    package: str
    """Its name on PyPI."""
    build: Callable[[int, Count], CutSpans]
    """From a limit and a counter of tokens to what cuts."""


def _langchain(limit: int, count: Count) -> CutSpans:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter(
        chunk_size=limit, chunk_overlap=0, length_function=count, add_start_index=True
    )

    def cut(text: str) -> list[tuple[int, int]]:
        found = ((one.metadata["start_index"], len(one.page_content)) for one in splitter.create_documents([text]))
        return [(start, start + size) for start, size in found if start >= 0]

    return cut


def _llama_index(limit: int, count: Count) -> CutSpans:
    from llama_index.core import Document
    from llama_index.core.node_parser import SentenceSplitter

    splitter: Any = SentenceSplitter(chunk_size=limit, chunk_overlap=0, tokenizer=lambda text: list(range(count(text))))

    def cut(text: str) -> list[tuple[int, int]]:
        nodes = splitter.get_nodes_from_documents([Document(text=text)])
        return [(node.start_char_idx, node.end_char_idx) for node in nodes if node.start_char_idx is not None]

    return cut


def _chonkie(limit: int, count: Count) -> CutSpans:
    import chonkie  # type: ignore[import-not-found, unused-ignore]

    chunker: Any = chonkie.RecursiveChunker(tokenizer=count, chunk_size=limit)
    return lambda text: [(one.start_index, one.end_index) for one in chunker.chunk(text)]


def _semantic_text_splitter(limit: int, count: Count) -> CutSpans:
    from semantic_text_splitter import MarkdownSplitter  # type: ignore[import-not-found, unused-ignore]

    splitter: Any = MarkdownSplitter.from_callback(count, limit)
    return lambda text: [(at, at + len(piece)) for at, piece in splitter.chunk_indices(text)]


PEERS: Mapping[str, PeerChunker] = {
    peer.name: peer
    for peer in (
        PeerChunker("langchain", "langchain_text_splitters", "langchain-text-splitters", _langchain),
        PeerChunker("llama-index", "llama_index.core", "llama-index-core", _llama_index),
        PeerChunker("chonkie", "chonkie", "chonkie", _chonkie),
        PeerChunker(
            "semantic-text-splitter", "semantic_text_splitter", "semantic-text-splitter", _semantic_text_splitter
        ),
    )
}


def installed_peers() -> list[str]:
    """The names of those that can be used."""
    return [name for name, peer in PEERS.items() if _is_installed(peer.module)]


def peer_chunker(name: str, limit: int, count: Count) -> CutSpans:
    """What cuts as a peer does; a MissingExtra where it is not installed."""
    if name not in PEERS:
        raise ConfigError(f"expected one of {', '.join(PEERS)}, got {name!r}")
    peer = PEERS[name]
    if not _is_installed(peer.module):
        raise MissingExtra(f"the baseline {name}", f"pip install {peer.package}")
    cut = peer.build(limit, count)
    return lambda text: list(_in_order(cut(text), text))


def _in_order(spans: list[tuple[int, int]], text: str) -> Iterator[tuple[int, int]]:
    """Spans that hold something, in order and each once."""
    for start, end in sorted(set(spans)):
        if text[start:end].strip():
            yield start, end


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # the package around it
        return False
