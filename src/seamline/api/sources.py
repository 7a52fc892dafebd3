"""What can be read: files, folders and streams as a caller names them, the formats there are, and their documents."""

from __future__ import annotations

from seamline.files import (
    MAX_BYTES,
    STDIN,
    STDIN_NAME,
    File,
    Inputs,
    expand,
    fence_around,
    out_of_memory,
    read_file,
    read_stream,
    shorten,
)
from seamline.formats import format_named, format_names
from seamline.recipe.ignore import REASONS, FileChoice, LeftOut
from seamline.recipe.recipe import Recipe
from seamline.remote.buckets import Bucket, is_bucket
from seamline.types import Document

__all__ = [
    "MAX_BYTES",
    "REASONS",
    "STDIN",
    "STDIN_NAME",
    "File",
    "FileChoice",
    "Inputs",
    "LeftOut",
    "check_encoding",
    "expand",
    "fence_around",
    "format_named",
    "format_names",
    "holds_objects",
    "is_bucket",
    "out_of_memory",
    "parse_bytes",
    "parse_file",
    "read_file",
    "read_stream",
    "shorten",
]


def parse_file(
    file: File,
    recipe: Recipe,
    *,
    media_type: str | None = None,
    encoding: str | None = None,
    max_bytes: int | None = MAX_BYTES,
) -> Document:
    """The document in a file, which is read from where it was found or not at all."""
    from seamline import parse

    return parse.parse_file(
        file.path,
        media_type=media_type,
        encoding=encoding,
        reading=recipe.reading,
        max_bytes=max_bytes,
        real=file.real,
    )


def parse_bytes(data: bytes, recipe: Recipe, *, media_type: str | None = None, encoding: str | None = None) -> Document:
    """The document that a stream held."""
    from seamline import parse

    return parse.parse_bytes(data, media_type=media_type, encoding=encoding, reading=recipe.reading)


def check_encoding(name: str | None) -> None:
    """Refuse the name of an encoding that Python does not know."""
    from seamline.parse.decode import decode

    decode(b"", encoding=name)


def holds_objects(url: str) -> bool:
    """Whether anything is below an address of objects."""
    return next(Bucket(url).list(), None) is not None
