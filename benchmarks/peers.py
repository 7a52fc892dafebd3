"""The peers: every one as a function from text to chunks, exact o200k_base tokens at a given limit.

`python -m benchmarks.peers` prints which are installed.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.common import LIMIT, options, ranks, table

# The public pattern of o200k_base (tiktoken_ext.openai_public); the vocabulary comes from the rank file.
O200K = "|".join(
    [
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    ]
)


class Piece(NamedTuple):
    """A peer's chunk; the span is what the peer says it is, None where it says nothing."""

    text: str
    start: int | None = None
    end: int | None = None


Texts = Callable[[str], list[str]]
Pieces = Callable[[str], list[Piece]]


class Peer(NamedTuple):
    name: str
    package: str
    """Name on PyPI."""
    texts: Callable[[int, Path], Texts]
    """From a limit and the rank file to the cheapest call that yields the chunks' texts."""
    pieces: Callable[[int, Path], Pieces] | None = None
    """The call that yields spans as well, where the peer has one."""
    limited: bool = True
    """Whether it can keep a token limit at all."""
    note: str = ""

    @property
    def version(self) -> str | None:
        try:
            return version(self.package)
        except PackageNotFoundError:
            return None


@cache
def o200k(rank_file: Path) -> Any:
    """tiktoken's o200k_base without its download."""
    import tiktoken

    pairs = (line.split() for line in rank_file.read_bytes().splitlines() if line)
    merges = {base64.b64decode(token): int(rank) for token, rank in pairs}
    return tiktoken.Encoding("o200k_base", pat_str=O200K, mergeable_ranks=merges, special_tokens={})


def counter(rank_file: Path) -> Callable[[str], int]:
    encode = o200k(rank_file).encode_ordinary
    return lambda text: len(encode(text))


def _sts(kind: str) -> Callable[[int, Path], Texts]:
    def build(limit: int, _: Path) -> Texts:
        import semantic_text_splitter as sts

        return getattr(sts, kind).from_tiktoken_model("gpt-4o", limit).chunks  # type: ignore[no-any-return]

    return build


def _sts_pieces(kind: str) -> Callable[[int, Path], Pieces]:
    def build(limit: int, _: Path) -> Pieces:
        import semantic_text_splitter as sts

        split = getattr(sts, kind).from_tiktoken_model("gpt-4o", limit).chunk_indices
        return lambda text: [Piece(piece, at, at + len(piece)) for at, piece in split(text)]

    return build


def _chonkie_pieces(kind: str) -> Callable[[int, Path], Pieces]:
    def build(limit: int, rank_file: Path) -> Pieces:
        import chonkie

        chunker = getattr(chonkie, kind)(tokenizer=o200k(rank_file), chunk_size=limit)
        return lambda text: [Piece(c.text, c.start_index, c.end_index) for c in chunker.chunk(text)]

    return build


def _chonkie(kind: str) -> Callable[[int, Path], Texts]:
    def build(limit: int, rank_file: Path) -> Texts:
        import chonkie

        chunker = getattr(chonkie, kind)(tokenizer=o200k(rank_file), chunk_size=limit)
        return lambda text: [c.text for c in chunker.chunk(text)]

    return build


def _chonkie_splintr(limit: int, _: Path) -> Texts:
    import chonkie
    import splintr

    encode = splintr.Tokenizer.from_pretrained("o200k_base").encode_ordinary
    chunker = chonkie.RecursiveChunker(tokenizer=lambda text: len(encode(text)), chunk_size=limit)
    return lambda text: [c.text for c in chunker.chunk(text)]


def _langchain(kind: str) -> Callable[[int, Path], Texts]:
    def build(limit: int, rank_file: Path) -> Texts:
        import langchain_text_splitters as langchain

        splitter = getattr(langchain, kind)(chunk_size=limit, chunk_overlap=0, length_function=counter(rank_file))
        return splitter.split_text  # type: ignore[no-any-return]

    return build


def _langchain_pieces(kind: str) -> Callable[[int, Path], Pieces]:
    def build(limit: int, rank_file: Path) -> Pieces:
        import langchain_text_splitters as langchain

        splitter = getattr(langchain, kind)(
            chunk_size=limit, chunk_overlap=0, length_function=counter(rank_file), add_start_index=True
        )

        def run(text: str) -> list[Piece]:
            found = ((d.page_content, d.metadata["start_index"]) for d in splitter.create_documents([text]))
            return [Piece(piece, at, at + len(piece)) for piece, at in found]

        return run

    return build


def _llama_sentences(limit: int, rank_file: Path) -> Texts:
    from llama_index.core.node_parser import SentenceSplitter

    splitter = SentenceSplitter(chunk_size=limit, chunk_overlap=0, tokenizer=o200k(rank_file).encode_ordinary)
    return splitter.split_text  # type: ignore[no-any-return]


def _llama_nodes(parser: Any) -> Pieces:
    from llama_index.core import Document

    def run(text: str) -> list[Piece]:
        nodes = parser.get_nodes_from_documents([Document(text=text)])
        return [Piece(node.text, node.start_char_idx, node.end_char_idx) for node in nodes]

    return run


def _llama_sentence_pieces(limit: int, rank_file: Path) -> Pieces:
    from llama_index.core.node_parser import SentenceSplitter

    encode = o200k(rank_file).encode_ordinary
    return _llama_nodes(SentenceSplitter(chunk_size=limit, chunk_overlap=0, tokenizer=encode))


def _llama_markdown_pieces(_: int, __: Path) -> Pieces:
    from llama_index.core.node_parser import MarkdownNodeParser

    return _llama_nodes(MarkdownNodeParser())


def _llama_markdown(limit: int, rank_file: Path) -> Texts:
    run = _llama_markdown_pieces(limit, rank_file)
    return lambda text: [piece.text for piece in run(text)]


def _semchunk(limit: int, rank_file: Path) -> Texts:
    import semchunk

    return semchunk.chunkerify(counter(rank_file), limit)  # type: ignore[no-any-return]


def _semchunk_pieces(limit: int, rank_file: Path) -> Pieces:
    import semchunk

    split = semchunk.chunkerify(counter(rank_file), limit)

    def run(text: str) -> list[Piece]:
        pieces, spans = split(text, offsets=True)
        return [Piece(piece, *span) for piece, span in zip(pieces, spans, strict=True)]

    return run


STS_MARKDOWN = "semantic-text-splitter Markdown"
CHONKIE_RECURSIVE = "chonkie Recursive"

PEERS = {
    peer.name: peer
    for peer in (
        Peer(STS_MARKDOWN, "semantic-text-splitter", _sts("MarkdownSplitter"), _sts_pieces("MarkdownSplitter")),
        Peer(
            "semantic-text-splitter Text",
            "semantic-text-splitter",
            _sts("TextSplitter"),
            _sts_pieces("TextSplitter"),
        ),
        Peer(CHONKIE_RECURSIVE, "chonkie", _chonkie("RecursiveChunker"), _chonkie_pieces("RecursiveChunker")),
        Peer("chonkie Recursive on splintr", "chonkie", _chonkie_splintr, note="its splitter, our tokenizer"),
        Peer("chonkie Token", "chonkie", _chonkie("TokenChunker"), _chonkie_pieces("TokenChunker")),
        Peer(
            "langchain Recursive",
            "langchain-text-splitters",
            _langchain("RecursiveCharacterTextSplitter"),
            _langchain_pieces("RecursiveCharacterTextSplitter"),
        ),
        Peer(
            "langchain Markdown",
            "langchain-text-splitters",
            _langchain("MarkdownTextSplitter"),
            _langchain_pieces("MarkdownTextSplitter"),
        ),
        Peer("llama-index Sentence", "llama-index-core", _llama_sentences, _llama_sentence_pieces),
        Peer(
            "llama-index Markdown",
            "llama-index-core",
            _llama_markdown,
            _llama_markdown_pieces,
            limited=False,
            note="has no limit",
        ),
        Peer("semchunk", "semchunk", _semchunk, _semchunk_pieces),
    )
}


def main() -> None:
    args = options(__doc__).parse_args()
    sample = "# Title\n\n" + "A sentence of seven words or so. " * 300
    rows = []
    for peer in PEERS.values():
        count = len(peer.texts(LIMIT, ranks(args.data))(sample)) if peer.version else None
        rows.append((peer.name, peer.version or "not installed", count, peer.note))
    print(table(("peer", "version", "chunks of a sample", "note"), rows))


if __name__ == "__main__":
    main()
