"""How a command ends: results to standard output or into a file that appears only when it is complete, JSON as one
object per line or as a table, and exit codes."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from seamline.cli.terminal import escape_json
from seamline.errors import ConfigError, MissingExtra, SeamlineError


class Output:
    """Text in one encoding to one place. Close it with `keep` false and a file stays as it was before."""

    def __init__(self, path: Path | None, *, encoding: str = "utf-8") -> None:
        self.path = path
        self._encoding = encoding
        self._temporary: str | None = None
        self._file = sys.stdout.buffer if path is None else self._opened(path)

    @property
    def _name(self) -> str:
        return "standard output" if self.path is None else str(self.path)

    def write(self, text: str) -> None:
        """Write, in one piece as far as the system allows."""
        try:
            self._file.write(text.encode(self._encoding, "backslashreplace"))
            if self.path is None:
                self._file.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise self._unwritten(error) from None

    def close(self, *, keep: bool) -> None:
        """Finish; a file gets its name now."""
        if self.path is None:
            return
        try:
            self._file.close()
            if self._temporary and keep:
                os.replace(self._temporary, os.path.realpath(self.path))
                self._temporary = None
        except OSError as error:
            raise self._unwritten(error) from None
        finally:
            self._discard()

    def abandon(self) -> None:
        """Drop everything, whatever state it is in."""
        if self.path is None:
            return
        with suppress(OSError):
            self._file.close()
        self._discard()

    def _discard(self) -> None:
        if self._temporary:
            with suppress(OSError):
                os.unlink(self._temporary)
            self._temporary = None

    def _unwritten(self, error: OSError) -> WriteError:
        return WriteError(f"{self._name}: cannot be written: {error.strerror}; free some space or choose another place")

    def _opened(self, path: Path) -> BinaryIO:
        """A new file beside `path`, to be renamed; devices and pipes are written directly."""
        if path.is_dir():
            raise ConfigError(f"--output: expected a file, got the folder {path}; name a file in it")
        try:
            if path.exists() and not path.is_file():
                return open(path, "wb")
            real = Path(os.path.realpath(path))
            handle, self._temporary = tempfile.mkstemp(".tmp", f".{real.name[:100]}.", real.parent)
            os.chmod(handle, _mode(real))
            return open(handle, "wb")
        except OSError as error:
            self._discard()
            raise ConfigError(
                f"--output: {path} cannot be written: {error.strerror}; check the folder and its permissions"
            ) from None


class TableOutput(Output):
    """JSON lines into a file that is a table: Parquet, Arrow or separated values, by its ending."""

    def __init__(self, path: Path) -> None:
        from seamline.api.tables import open_table  # what writes tables is not loaded for other outputs

        super().__init__(path)
        try:
            self._table = open_table(self._file, path.suffix.lower())
        except MissingExtra:
            super().abandon()
            raise

    def write(self, text: str) -> None:
        """Write the records of JSON lines."""
        from seamline.api.tables import rows_of

        try:
            self._table.add(rows_of(text))
        except OSError as error:
            raise self._unwritten(error) from None

    def close(self, *, keep: bool) -> None:
        """Finish the table, then the file."""
        try:
            self._table.finish()
        except OSError as error:
            raise self._unwritten(error) from None
        super().close(keep=keep)

    def abandon(self) -> None:
        """Drop everything; a library that writes the end of its file later would complain that this is closed."""
        with suppress(OSError, ValueError):
            self._table.finish()
        super().abandon()


LINES, TABLES, TEXTS = (".jsonl", ".ndjson"), (".parquet", ".arrow", ".csv"), (".txt", ".text", ".log", "")
"""Endings of files of JSON lines, of tables, and of text for people."""


def is_json_output(path: Path | None, *, asked: bool) -> bool:
    """Whether records are written, for programs, and not text for people; `asked` is whether --json was given. An
    ending that says nothing known is refused: a file is what its name says."""
    suffix = path.suffix.lower() if path is not None else ""
    if suffix in (*LINES, *TABLES):
        return True
    if suffix in TEXTS or (asked and suffix == ".json"):
        return asked
    known = ", ".join((*LINES, *TABLES, *TEXTS[:-1]))
    raise ConfigError(f"--output: expected a name that ends in one of {known}, got {path}")


def open_output(path: Path | None, *, encoding: str) -> Output:
    """Where results go: standard output, a file of text, or a table."""
    if path is not None and path.suffix.lower() in TABLES:
        return TableOutput(path)
    return Output(path, encoding=encoding)


def print_text(text: str) -> None:
    """Text for people, to standard output."""
    Output(None, encoding=sys.stdout.encoding or "utf-8").write(text)


def _mode(path: Path) -> int:
    """The permissions of the file that is replaced, else those a new file gets."""
    try:
        return path.stat().st_mode & 0o7777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


DONE = 0
FAILED = 1
"""Some inputs failed; the rest is done."""
USAGE = 2
"""Options or configuration that cannot work; nothing is done."""
INTERNAL = 70
"""A fault of seamline itself (EX_SOFTWARE)."""
INTERRUPTED = 130
"""128 + SIGINT."""
TERMINATED = 143
"""128 + SIGTERM."""


class Terminated(KeyboardInterrupt):
    """SIGTERM arrived: the same clean-up as after Ctrl-C."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C or SIGTERM in the middle of a batch; its text says how far it came."""

    def __init__(self, message: str, cause: KeyboardInterrupt) -> None:
        super().__init__(message)
        self.code = code_of(cause)


def code_of(cause: KeyboardInterrupt) -> int:
    """The exit code that a signal means."""
    return TERMINATED if isinstance(cause, Terminated) else INTERRUPTED


class WriteError(SeamlineError):
    """Results that could not be written."""


class WorkerDied(SeamlineError):
    """A process of the pool ended before its work did."""


_encode = json.JSONEncoder(ensure_ascii=False).encode


def json_line(value: Mapping[str, object]) -> str:
    """The value as one line for every reader, its end included, in which nothing can move a terminal's cursor."""
    return f"{escape_json(_encode(value))}\n"
