"""LanceDB as this store uses it: quiet, and with errors that a user can act on."""

from __future__ import annotations

import errno
import os
import re
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TYPE_CHECKING, Any

from seamline.errors import MissingExtra, StoreError
from seamline.extras import LANCE
from seamline.store.disk_errors import REMEDIES

if TYPE_CHECKING:
    from pathlib import Path


_DAMAGED = "run `seamline doctor --verify` to see what is damaged"
_PANICS = ("pyo3_async_runtimes", "pyo3_runtime")
"""Modules of the exceptions that a panic of the engine becomes."""

_NUMBER = re.compile(r"os error (\d+)")
"""The numbers in LanceDB's messages are the system's own."""


def _loaded() -> Any:
    """The module `lancedb`; a MissingExtra where it is not installed."""
    # It writes warnings of its own to stderr, such as that a partition of vectors is empty; whoever wants them says so.
    os.environ.setdefault("LANCEDB_LOG", "error")
    try:
        import lancedb
    except ImportError as error:
        raise MissingExtra("the vector store LanceDB", LANCE) from error
    return lancedb


lancedb = _loaded()


class _Told(AbstractContextManager[None]):
    """Turns errors into StoreErrors on the way out."""

    def __init__(self, doing: str, otherwise: str) -> None:
        self._doing = doing
        self._otherwise = otherwise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # pyarrow's errors are ValueErrors, OSErrors and RuntimeErrors too.
        if isinstance(error, OSError | RuntimeError | ValueError | TimeoutError):
            raise StoreError(f"{self._doing}: {_reason(error, self._otherwise)}") from error
        if kind is not None and kind.__module__ in _PANICS:
            raise StoreError(f"{self._doing}: the engine met something it cannot read: {_DAMAGED}") from error


def report_errors(doing: str, otherwise: str = _DAMAGED) -> AbstractContextManager[None]:
    """Turn what LanceDB and the system say into a StoreError that starts with what could not be done. `otherwise` is
    what to do where the reason does not tell.

    A panic of the engine is one too: damaged files cause some. Its class has no name that could be imported, and one
    kind is no Exception at all.
    """
    return _Told(doing, otherwise)


def _reason(error: Exception, otherwise: str) -> str:
    said = str(error)
    if isinstance(error, OSError) and error.errno:
        said = f"{error.strerror} (os error {error.errno})"
    number = int(found[1]) if (found := _NUMBER.search(said)) else errno.ENOSPC if "No space left" in said else 0
    remedy = REMEDIES.get(number, otherwise)
    # The engine adds the place in its own source, and sometimes a whole stack, behind what it has to say.
    short = re.split(r",? ?/\S*\.rs:\d|\n", said.strip(), maxsplit=1)[0].strip(" ,.:")
    return f"{short[:200] or type(error).__name__}: {remedy}"


def connect(folder: Path) -> Any:
    """The tables of a folder."""
    with report_errors(f"cannot open the index in {folder}"):
        return lancedb.connect(str(folder))
