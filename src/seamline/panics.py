"""Panics of libraries written in Rust, as errors of ours.

A panic reaches Python as an exception that is no `Exception` and whose class cannot be imported: each library has its
own, in a module of the same name. Left alone it would pass every handler and end a batch because of one document.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from types import TracebackType

from seamline.errors import ParseError, SeamlineError

_MODULES = ("pyo3_runtime", "pyo3_async_runtimes")
_LONGEST = 200
"""Code points of a panic's message: it may quote the text that it is about."""


def report_panics(library: str, error: type[SeamlineError] = ParseError) -> AbstractContextManager[None]:
    """Raise an error of ours in place of a panic; every other exception passes. One object serves any number of calls
    and threads."""
    return _Reported(library, error)


class _Reported(AbstractContextManager[None]):
    """Turns panics into errors on the way out."""

    def __init__(self, library: str, error: type[SeamlineError]) -> None:
        self._library = library
        self._error = error

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None and is_panic(kind):
            said = str(error).strip().partition("\n")[0][:_LONGEST]
            raise self._error(f"{self._library} failed on this text ({said}): {_REMEDY}") from None


def is_panic(kind: type[BaseException]) -> bool:
    """Whether an exception of this class is what a panic becomes."""
    return kind.__module__ in _MODULES


_REMEDY = "leave the document out or change the text, and report it, as this is a fault of the library"
