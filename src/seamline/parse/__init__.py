"""Bytes or text -> `Document`: decoded text, blocks with spans, metadata."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from seamline.errors import ParseError
from seamline.headings import heading_text
from seamline.parse.blocks import blank, parse_blocks
from seamline.parse.decode import check_encodable, decode, encoded
from seamline.parse.front_matter import split
from seamline.parse.masked import front_block, interleave, jsx_blocks
from seamline.types import Block, Document, Notice, Source, Span

MARKDOWN, MDX, PLAIN = "text/markdown", "text/mdx", "text/plain"
SUFFIXES = {
    ".md": MARKDOWN,
    ".markdown": MARKDOWN,
    ".mdown": MARKDOWN,
    ".mkd": MARKDOWN,
    ".mdx": MDX,
    ".txt": PLAIN,
    ".text": PLAIN,
}
"""File name endings that are read, and as what."""


def parse_text(
    text: str,
    *,
    id: str | None = None,
    uri: str = "",
    media_type: str | None = None,
    front_matter: str = "metadata",
    sha256: str = "",
) -> Document:
    """A document from text. Its id is `id`, else its uri, else derived from the text."""
    document_id = id or uri or _text_id(text)
    if id or uri:
        check_encodable(text, uri)
    media_type = media_type or MARKDOWN
    if media_type not in (MARKDOWN, MDX, PLAIN):
        known = f"{MARKDOWN}, {MDX} or {PLAIN}"
        raise ParseError(f"no parser for {media_type}: expected {known}", uri)
    source = Source(uri, media_type, sha256)
    if media_type == PLAIN:
        from seamline.parse.plain import plain_blocks

        return Document(document_id, source, text, plain_blocks(text))
    return _markdown(text, document_id, source, front_matter)


def parse_file(
    path: Path, *, media_type: str | None = None, encoding: str | None = None, front_matter: str = "metadata"
) -> Document:
    """A document from a file; its id is the path as given."""
    uri = path.as_posix()
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise ParseError("no such file: check the name and the folder it is named from", uri) from None
    except IsADirectoryError:
        raise ParseError("is a directory: name files in it, or pass it to `seamline chunk`", uri) from None
    except OSError as error:
        raise ParseError(f"cannot be read: {error.strerror}", uri) from None
    return parse_bytes(data, uri=uri, media_type=media_type, encoding=encoding, front_matter=front_matter)


def parse_bytes(
    data: bytes,
    *,
    uri: str = "",
    media_type: str | None = None,
    encoding: str | None = None,
    front_matter: str = "metadata",
) -> Document:
    """A document from the bytes of a file."""
    text = decode(data, source=uri, encoding=encoding)
    media_type = media_type or SUFFIXES.get(Path(uri).suffix.lower(), MARKDOWN if not uri else PLAIN)
    digest = hashlib.sha256(data).hexdigest()
    return parse_text(text, uri=uri, media_type=media_type, front_matter=front_matter, sha256=digest)


def _text_id(text: str) -> str:
    """A name for text that came without one; refuses what cannot be encoded, as `check_encodable` does."""
    digest = hashlib.sha256()
    for piece in encoded(text, ""):
        digest.update(piece)
    return "text-" + digest.hexdigest()[:16]


def _markdown(text: str, document_id: str, source: Source, mode: str) -> Document:
    head = split(text) if text[:4].lstrip("\ufeff")[:3] in ("---", "+++") else None
    data: dict[str, Any] = {}
    notices: tuple[Notice, ...] = ()
    removed: tuple[Span, ...] = ()
    after = 0
    masked: list[Block] = []
    if head is not None:
        after, data = head.end, head.data
        if head.notice is not None or mode == "include":
            # Front matter in the text is one more top-level block without children, as masked blocks are.
            masked.append(front_block(text, head.start, head.end))
            notices = () if head.notice is None else (head.notice,)
        else:
            removed = (Span(head.start, head.end),)
            data = {} if mode == "strip" else data
    shown = text
    if source.media_type == MDX:
        from seamline.parse.mdx import mask

        hidden = mask(blank(text, 0, after))
        shown = hidden.text
        masked += jsx_blocks(text, hidden.blocks)
    blocks = interleave(parse_blocks(shown, after), masked)
    return Document(
        document_id,
        source,
        text,
        blocks,
        title=_title(text, blocks, data),
        front_matter=data,
        removed=removed,
        notices=notices,
    )


def _title(text: str, blocks: list[Block], data: dict[str, Any]) -> str:
    """The front matter's title, else the first heading when it is of level 1."""
    if isinstance(data.get("title"), str):
        return str(data["title"])
    for block in blocks:
        if block.kind == "heading":
            return heading_text(text, block) if block.level == 1 else ""
    return ""
