"""The peers as contestants: those of `benchmarks.peers`, and two that add to a chunk what it cannot be read without."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchmarks.peers import PEERS, Peer, Piece, Pieces, counter, o200k
from benchmarks.quality.questions import Ref
from benchmarks.strategies.measures import Passage

_LEFT_OUT = ("chonkie Recursive on splintr", "llama-index Markdown")
"""The same cuts as another, and one that keeps no size."""


def place(text: str, pieces: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where pieces stand that come in order, by the characters that can be seen: some peers drop others."""
    at = [index for index, character in enumerate(text) if _is_seen(character)]
    bare = "".join([text[index] for index in at])
    start = 0
    for piece in pieces:
        wanted = "".join(filter(_is_seen, piece.strip("\ufffd")))  # a cut between tokens may break a character
        found = bare.find(wanted, start)
        if found < 0:
            raise ValueError(f"a peer gave text that the document does not have: {piece[:80]!r}")
        yield at[found], at[found + len(wanted) - 1] + 1
        start = found + 1  # the next may overlap it


def _is_seen(character: str) -> bool:
    return character.isprintable() and not character.isspace()


def passages(doc: str, text: str, pieces: Sequence[Piece]) -> list[Passage]:
    """Chunks of a peer with the spans it names, or with found ones where it names none that are right."""
    kept = [piece for piece in pieces if piece.text.strip()]
    if all(piece.start is not None and text[piece.start : piece.end] == piece.text for piece in kept):
        return [Passage(Ref(doc, piece.start or 0, piece.end or 0), piece.text) for piece in kept]
    spans = place(text, [piece.text for piece in kept])
    return [Passage(Ref(doc, *span), piece.text) for piece, span in zip(kept, spans, strict=True)]


def _headers(limit: int, rank_file: Path) -> Pieces:
    """LangChain's cut at headings, then by size; the headings above a chunk are put before it."""
    from langchain_text_splitters import MarkdownHeaderTextSplitter, RecursiveCharacterTextSplitter

    levels = [("#" * level, str(level)) for level in range(1, 7)]
    by_heading = MarkdownHeaderTextSplitter(levels, strip_headers=False)
    by_size = RecursiveCharacterTextSplitter(chunk_size=limit, chunk_overlap=0, length_function=counter(rank_file))

    def run(text: str) -> list[Piece]:
        bodies, paths = [], []
        for section in by_heading.split_text(text):
            path = " > ".join(section.metadata[level] for level in sorted(section.metadata))
            parts = [part for part in by_size.split_text(section.page_content) if part.strip()]
            bodies += parts
            paths += [path] * len(parts)
        spans = place(text, bodies)
        return [
            Piece(f"{path}\n\n{body}" if path else body, *span)
            for path, body, span in zip(paths, bodies, spans, strict=True)
        ]

    return run


def _tables(limit: int, rank_file: Path) -> Pieces:
    """chonkie with its TableChunker, which repeats the header of a table in each of its parts."""
    from chonkie import MarkdownChef, RecursiveChunker, TableChunker

    prose = RecursiveChunker(tokenizer=o200k(rank_file), chunk_size=limit)
    rows = TableChunker(tokenizer=o200k(rank_file), chunk_size=limit)
    chef = MarkdownChef()

    def around(text: str, start: int, end: int) -> Iterator[Piece]:
        if text[start:end].strip():
            for chunk in prose.chunk(text[start:end]):
                yield Piece(chunk.text, start + chunk.start_index, start + chunk.end_index)

    def run(text: str) -> list[Piece]:
        pieces: list[Piece] = []
        at = 0
        for table in chef.prepare_tables(text):
            body = text[table.start_index : table.end_index]
            parts = [chunk.text for chunk in rows.chunk(body)] if table.start_index >= at else []
            if not parts:
                continue
            pieces += around(text, at, table.start_index)
            head = "".join(body.splitlines(keepends=True)[:2])
            owned = [parts[0], *(part.removeprefix(head) for part in parts[1:])]
            for part, (start, end) in zip(parts, place(body, owned), strict=True):
                pieces.append(Piece(part, table.start_index + start, table.start_index + end))
            at = table.end_index
        return [*pieces, *around(text, at, len(text))]

    return run


def _added(name: str, package: str, pieces: Callable[[int, Path], Pieces]) -> Peer:
    def texts(limit: int, rank_file: Path) -> Callable[[str], list[str]]:
        split = pieces(limit, rank_file)
        return lambda text: [piece.text for piece in split(text)]

    return Peer(name, package, texts, pieces)


ADDED = (
    _added("langchain headers + path", "langchain-text-splitters", _headers),
    _added("chonkie Table", "chonkie", _tables),
)
CONTEXTUAL = {peer.name for peer in ADDED}
"""Whose text is more than the span it names."""


def installed() -> list[Peer]:
    every = (*(peer for name, peer in PEERS.items() if name not in _LEFT_OUT), *ADDED)
    return [peer for peer in every if peer.version]


def cut(peer: Peer, docs: dict[str, str], rank_file: Path, limit: int) -> list[Passage]:
    """All documents of a set by one peer."""
    assert peer.pieces is not None
    split = peer.pieces(limit, rank_file)
    if peer.name in CONTEXTUAL:
        return [
            Passage(Ref(doc, piece.start or 0, piece.end or 0), piece.text)
            for doc, text in docs.items()
            for piece in split(text)
            if piece.text.strip()
        ]
    return [passage for doc, text in docs.items() for passage in passages(doc, text, split(text))]
