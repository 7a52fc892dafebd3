"""What is said where a package is missing that only an extra brings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from seamline.errors import MissingExtra

INDEX = "pip install 'seamline[index]'"
POSTGRES = "pip install 'seamline[postgres]'"
_PACKAGES = ("numpy", "pyarrow", "lancedb", "onnxruntime", "tokenizers", "py3langid")
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
        raise MissingExtra(what, f"pip install 'seamline[{extra}]'") from error
