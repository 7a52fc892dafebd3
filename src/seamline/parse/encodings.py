"""The encoding of bytes that are not UTF-8, for formats whose files are known to come in old ones."""

from __future__ import annotations

from seamline.types import Notice

_SAMPLE = 200_000
_SURE = 0.35
"""Below this the guess is one among many; 0.38 and up were right for all samples of Chinese, Japanese and Korean."""
ENCODED = frozenset(("csv", "tsv", "html", "srt", "vtt"))
"""Formats whose files often come in the encoding of an old program."""


def guessed(data: bytes) -> tuple[str, Notice] | None:
    """The encoding that bytes most likely have, where one stands out; None where nobody can say."""
    if _is_utf8(data):
        return None
    try:
        import chardet
    except ModuleNotFoundError:
        return None
    found = chardet.detect(data[:_SAMPLE])
    name, sure = found["encoding"], found["confidence"]
    if not name or sure < _SURE or not _decodes(data, name):
        return None
    message = f"is not UTF-8; read as {name} ({sure:.0%} sure): name it with --encoding if that is wrong"
    return name, Notice("encoding-guessed", message)


def _is_utf8(data: bytes) -> bool:
    return _decodes(data, "utf-8")


def _decodes(data: bytes, name: str) -> bool:
    try:
        data.decode(name)
    except (UnicodeDecodeError, LookupError):
        return False
    return True
