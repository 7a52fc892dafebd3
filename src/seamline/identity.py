"""Names for chunks that survive edits elsewhere in the document."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from hashlib import sha256

from seamline.native import WORDS


def collapse(text: str) -> str:
    """The text with every run of white space as one space, and none at its ends."""
    return " ".join(text.split())


def content_hash(text: str) -> str:
    """SHA-256 of the collapsed text."""
    return sha256(collapse(text).encode() if WORDS is None else WORDS.collapsed(text)).hexdigest()


class Namer:
    """Ids from the document's id, the content, and how often the same content came before."""

    def __init__(self, document_id: str) -> None:
        self._base = sha256(document_id.encode() + b"\0")
        self._seen: dict[str, int] = {}

    def name(self, digest: str) -> str:
        """The id of the next part whose content has this hash."""
        occurrence = self._seen.get(digest, 0)
        self._seen[digest] = occurrence + 1
        hasher = self._base.copy()
        hasher.update(f"{digest}\0{occurrence}".encode())
        return hasher.hexdigest()[:24]


class Names:
    """The ids of a document's chunks, worked out when the first of them is asked for.

    Hashing every body costs as much as packing it, and many callers only want the texts.
    """

    def __init__(self, document_id: str, text: str, bodies: Sequence[tuple[int, int]]) -> None:
        self._document_id = document_id
        self._text = text
        self._bodies = bodies

    @cached_property
    def hashes(self) -> Sequence[str]:
        """Content hash of every body, in order."""
        return [content_hash(self._text[start:end]) for start, end in self._bodies]

    @cached_property
    def ids(self) -> Sequence[str]:
        """Id of every chunk, in order."""
        namer = Namer(self._document_id)
        return [namer.name(digest) for digest in self.hashes]
