"""Names for chunks that survive edits elsewhere in the document."""

from __future__ import annotations

from hashlib import sha256

_OTHER_WHITE = str.maketrans(dict.fromkeys("\t\r\x0b\x0c\x1c\x1d\x1e\x1f", " "))


def collapse(text: str) -> str:
    """The text with every run of white space as one space, and none at its ends."""
    if not text.isascii():
        return " ".join(text.split())
    # The same as above for ASCII, at a third of the cost: no list of words is made.
    text = text.replace("\n", " ")
    if not text.isprintable():
        text = text.translate(_OTHER_WHITE)
    for run in ("        ", "    ", "  "):
        while run in text:
            text = text.replace(run, " ")
    return text.strip(" ")


def content_hash(text: str) -> str:
    """SHA-256 of the collapsed text."""
    return sha256(collapse(text).encode()).hexdigest()


class Namer:
    """Ids from the document's id, the content, and how often the same content came before."""

    def __init__(self, document_id: str) -> None:
        self._base = sha256(document_id.encode() + b"\0")
        self._seen: dict[str, int] = {}

    def name(self, digest: str) -> str:
        """The id of the next chunk whose content has this hash."""
        occurrence = self._seen.get(digest, 0)
        self._seen[digest] = occurrence + 1
        hasher = self._base.copy()
        hasher.update(f"{digest}\0{occurrence}".encode())
        return hasher.hexdigest()[:24]
