"""What is said where a package is missing that only an extra brings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from seamline.errors import MissingExtra


def command(extra: str) -> str:
    """What installs an extra."""
    return f"pip install 'seamline[{extra}]'"


INDEX = command("index")
LANCE = command("lance")
POSTGRES = command("postgres")
READERS = {
    "turbohtml": ("html", "reads web pages"),
    "pypdfium2": ("pdf", "reads PDF"),
    "lxml": ("office", "reads DOCX, ODT, PPTX and EPUB"),
    "python-calamine": ("office", "reads spreadsheets"),
    "tree-sitter": ("code", "reads source code"),
    "pyarrow": ("tables", "reads Parquet"),
    "rapidocr": ("ocr", "reads scans and pictures"),
    "faster-whisper": ("audio", "reads recordings"),
}
"""Packages that read formats: the extra that brings each, and what it is for."""
_PACKAGES = ("numpy", "apsw", "onnxruntime", "tokenizers")
"""What an index needs and the rest of Seamline does not."""


@contextmanager
def installed() -> Iterator[None]:
    """Around imports of what an index needs: a package that is not there is a MissingExtra."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name not in _PACKAGES:
            raise
        raise MissingExtra(f"{error.name}, which an index needs,", INDEX) from error


@contextmanager
def needed(what: str, extra: str) -> Iterator[None]:
    """Around the import of a library that only an extra brings; `what` names it and what it is for."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise MissingExtra(what, command(extra)) from error
