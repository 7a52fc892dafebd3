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
from seamline.formats import LATEX, format_named, format_names
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
    "leave_out_parts",
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


def leave_out_parts(inputs: Inputs, *, encoding: str | None = None, max_bytes: int | None = MAX_BYTES) -> Inputs:
    """Inputs without the files of LaTeX that others of them name: those are read with these."""
    files = [file for file in inputs.files if file is not None and file.path.suffix.lower() in LATEX]
    if len(files) < 2:
        return inputs
    import os

    from seamline.parse import gather_project
    from seamline.parse.latex.project import LatexProject, find_parts

    known = {os.path.abspath(file.path): file for file in files}

    def project(place: str) -> LatexProject | None:
        file = known[place]
        data = read_file(file.path, max_bytes=max_bytes, real=file.real).data
        return gather_project(data, file.path, file.path.parent, None, encoding, max_bytes)

    parts = {known[part]: known[top] for part, top in find_parts(list(known), project).items()}
    told = [f"{part.path.as_posix()}: is a part of {top.path.as_posix()} and read there" for part, top in parts.items()]
    kept = [file for file in inputs.files if file is None or file not in parts]
    return inputs._replace(files=kept, skipped=[*inputs.skipped, *told])


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
