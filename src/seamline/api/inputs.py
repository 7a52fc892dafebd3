"""What a document is read from: text, bytes, a path or an open file, each with the name that its format is told by."""

from __future__ import annotations

from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import IO, BinaryIO, NamedTuple, cast

from seamline.errors import ParseError
from seamline.files import limit_of, out_of_memory, read_file, read_stream
from seamline.formats import format_of_suffix

Readable = str | bytes | bytearray | memoryview | Path | IO[str] | IO[bytes]
"""What a document is read from."""
_SAMPLE = 4096
"""Code points of a text that its format is told by."""


class SourceContent(NamedTuple):
    """What a source holds, and what it is called."""

    name: str
    """Empty where it has no name."""
    content: str | bytes


def content_of(source: Readable, filename: str | None, max_bytes: int | None) -> SourceContent | Path:
    """The content of a source; of a file that goes by its own name, its path. `filename` outranks every other name."""
    name = filename or ""
    if isinstance(source, Path) or (isinstance(source, str) and names_file(source)):
        path = Path(source)
        return path if filename is None else SourceContent(name, read_file(path, max_bytes=max_bytes).data)
    if isinstance(source, str):
        return SourceContent(name, source)
    if isinstance(source, bytes | bytearray | memoryview):
        data = read_stream(BytesIO(source), max_bytes=max_bytes, name=name or "the bytes")
        return SourceContent(name, data)
    if not hasattr(source, "read"):
        raise ParseError(f"expected text, bytes, a path or an open file, got {type(source).__name__}", name)
    given = getattr(source, "name", "")
    name = name or (Path(given).as_posix() if isinstance(given, str | PathLike) else "")
    return SourceContent(name, _read_open(source, max_bytes, name or "the open file"))


def sniff_text(text: str, name: str) -> str | None:
    """The media type of a text by its name; None where it has none."""
    if not name:
        return None
    from seamline.parse.sniff import sniff

    return sniff(text[:_SAMPLE].encode("utf-8", "replace"), name)


def charset_of(media_type: str | None) -> str | None:
    """The encoding that a media type names: `text/html; charset=latin-1`."""
    parameters = (media_type or "").split(";")[1:]
    pairs = (part.strip().partition("=") for part in parameters)
    return next((value.strip("\"' ") for key, _, value in pairs if key.strip().lower() == "charset"), None)


def names_file(source: str) -> bool:
    """Whether a string is the path of a file rather than a text. One that looks like a path must name a file."""
    if len(source) > 1024 or "\n" in source:
        return False
    suffix = Path(source).suffix.lower()
    # The end of a sentence is no suffix, and plugins are not looked for because of it.
    if any(character.isspace() for character in suffix) or format_of_suffix(suffix) is None:
        return False
    try:
        exists = Path(source).is_file()
    except (OSError, ValueError):
        return False
    if not exists and not any(character.isspace() for character in source):
        raise ParseError("no such file: check the name, or end the string with a line break if it is a text", source)
    return exists


def _read_open(stream: IO[str] | IO[bytes], max_bytes: int | None, name: str) -> str | bytes:
    """What is left of an open file: text of one that was opened as text, else bytes."""
    try:
        if not isinstance(stream.read(0), str):
            return read_stream(cast("BinaryIO", stream), max_bytes=max_bytes, name=name)
        limit = limit_of(max_bytes)
        text = str(stream.read(-1 if limit is None else limit + 1))
        if limit is not None and len(text.encode("utf-8", "surrogatepass")) > limit:
            raise ParseError(f"has more than {limit:,} bytes, which is the limit: raise it with max_bytes", name)
        return text
    except MemoryError:
        raise out_of_memory(name) from None
    except (OSError, ValueError) as error:  # ValueError: it is closed, or no text in its encoding
        raise ParseError(f"cannot be read: {getattr(error, 'strerror', None) or error}", name) from None
