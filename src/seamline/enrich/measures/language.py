"""Which language a chunk is written in, natural or programming."""

from __future__ import annotations

import re

from seamline.enrich.language import detect, language, plain_prose
from seamline.enrich.measures.modality import modality
from seamline.enrich.work import Columns, Work
from seamline.types import Block, Chunk

LONG = 60
"""Letters of prose from which a chunk is asked for its own language; shorter ones have the document's."""
CERTAIN = 0.9
"""How sure the answer must be to stand against the document's."""

_INFO = re.compile(r"[ \t>]*(?:`{3,}|~{3,})[ \t]*\{?\.?([A-Za-z][\w+#.-]{0,30})")
_NAMES = {
    "py": "python",
    "js": "javascript",
    "ts": "typescript",
    "rs": "rust",
    "rb": "ruby",
    "sh": "bash",
    "yml": "yaml",
}
"""Short names that people write after a fence."""


def languages(work: Work) -> Columns:
    """ISO 639-1 code of prose; the name of the programming language for code; empty where neither can be told."""
    whole = ""
    known = False
    found: list[str] = []
    for chunk in work.chunks:
        own = _own(work, chunk)
        if own is None and not known:
            whole, known = language(work.document), True
        found.append(whole if own is None else own)
    return {"language": found}


def _own(work: Work, chunk: Chunk) -> str | None:
    """The language that the chunk itself tells; None where it is too short or unclear."""
    if modality(work, chunk.body) == "code":
        return _programming(work, chunk)
    code, sure = detect(plain_prose(work.document, chunk.body), LONG)
    return code if sure >= CERTAIN else None


def _programming(work: Work, chunk: Chunk) -> str:
    said = work.document.front_matter.get("programming_language")
    if isinstance(said, str):
        return said
    blocks = (block for block, _ in work.tops(chunk.body) if block.kind == "code")
    return next((name for block in blocks if (name := _named(work.document.text, block))), "")


def _named(text: str, block: Block) -> str:
    """What a block of code says of itself: by its parser, or after its fence."""
    said = (block.attrs or {}).get("language")
    if not isinstance(said, str):
        info = _INFO.match(text, block.start, block.end)
        said = info[1] if info else ""
    name = said.strip().lower()
    return _NAMES.get(name, name)
