"""Everything Seamline raises on purpose.

SeamlineError                 a message for people: what is wrong, where, and what to do
├── ConfigError               a recipe or option that cannot work; `path` names it, as in $.budget.limit
│   ├── BudgetError           target, limit and floor that cannot hold together
│   └── TrustError            a service, a model file or an owner that a found file leads to and nobody allowed
├── ParseError                a source that cannot be read; `source` and `where` name the place
│   └── ParserGaveUp          a parser that failed or was stopped: of a text, only the structure is lost
├── ProviderError             a model or service that failed; `retryable` says whether again may help
├── StoreError                an index that refuses
│   ├── IndexMissing          no index at the address that was given
│   └── IndexBusy             another process writes to the index now
└── MissingExtra              an optional part that is not installed; names the install command

Beside them: what is said where a package is missing that only an extra brings, and panics of libraries written in Rust
as errors of ours. A panic reaches Python as an exception that is no `Exception` and whose class cannot be imported:
each library has its own, in a module of the same name. Left alone it would pass every handler and end a batch because
of one document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from types import TracebackType


class SeamlineError(Exception):
    """Base of every error raised on purpose; its text is fit to show to a user."""


class ConfigError(SeamlineError):
    """A recipe or option that cannot work."""

    def __init__(self, message: str, path: str = "") -> None:
        super().__init__(f"{message} - at `{path}`" if path else message)
        self.path = path


def rename(error: ConfigError, names: Mapping[str, str], filter_name: str) -> ConfigError:
    """The same refusal in words of who asked: `names` says what the settings at these paths are called there, and
    `filter_name` what the filter is."""
    message = str(error).removesuffix(f" - at `{error.path}`")
    if error.path == "$.query":
        return ConfigError(message)
    if re.fullmatch(r"column \d+", error.path):
        return ConfigError(f"{filter_name}: {message}, at {error.path}")
    name = names.get(error.path)
    return ConfigError(f"{name}: {message}") if name else error


class BudgetError(ConfigError):
    """Target, limit and floor that cannot hold together."""


class TrustError(ConfigError):
    """A service, a model file or an owner that a found file leads to and that the user has not allowed."""


class ParseError(SeamlineError):
    """A source that cannot be read."""

    def __init__(self, message: str, source: str = "", where: str = "") -> None:
        place = ", ".join(part for part in (source, where) if part)
        super().__init__(f"{place}: {message}" if place else message)
        self.reason = message
        self.source = source
        self.where = where


class ParserGaveUp(ParseError):
    """A parser that failed or was stopped by a limit. A source that is text is then cut as plain text."""


class ProviderError(SeamlineError):
    """A model or service that failed."""

    def __init__(self, message: str, *, retryable: bool = False) -> None:
        super().__init__(message)
        self.retryable = retryable


class StoreError(SeamlineError):
    """An index that refuses to be read or written."""


class IndexMissing(StoreError):
    """There is no index at the address that was given."""


class IndexBusy(StoreError):
    """Another process writes to the index now: again may help."""


class MissingExtra(SeamlineError):
    """An optional part that is not installed."""

    def __init__(self, what: str, command: str) -> None:
        super().__init__(f"{what} is not installed: run `{command}`")
        self.what = what
        self.command = command


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
def index_imports() -> Iterator[None]:
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
        if error is not None and (ours := panic_error(self._library, error, self._error)):
            raise ours from None


def panic_error(library: str, error: BaseException, kind: type[SeamlineError] = ParseError) -> SeamlineError | None:
    """The error of ours that stands for a panic; None for every other exception."""
    if not is_panic(type(error)):
        return None
    said = str(error).strip().partition("\n")[0][:_LONGEST]
    return kind(f"{library} failed on this text ({said}): {_REMEDY}")


def is_panic(kind: type[BaseException]) -> bool:
    """Whether an exception of this class is what a panic becomes."""
    return kind.__module__ in _MODULES


_REMEDY = "leave the document out or change the text, and report it, as this is a fault of the library"
