"""How a command ends: results to standard output or into a file that appears only when it is complete, JSON as one
object per line, and exit codes."""

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
from seamline.errors import ConfigError, SeamlineError


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
