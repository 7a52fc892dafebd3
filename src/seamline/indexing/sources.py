"""Files -> the candidates of an index run, and the documents whose files are gone."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple

from seamline.errors import ParseError
from seamline.files import expand
from seamline.formats import WALKED
from seamline.indexing.run import Candidate


class Sources(NamedTuple):
    """What a run looks at."""

    candidates: list[Candidate]
    failures: list[str]
    """Messages about paths that give nothing to read."""
    covers: Callable[[str], bool]
    """Whether a document must be among the candidates, or else is gone."""
    missing: frozenset[str]
    """Files that were named and are not there: gone, or never were."""


def sources(paths: Sequence[str], root: Path, *, media_type: str | None = None) -> Sources:
    """The files that `paths` mean. A document is called by its path from `root`, with slashes.

    A folder with a part that cannot be read, or with nothing to read, accounts for no document: that is how a disk
    looks that is not mounted. A file that is named and not there is gone.
    """
    candidates: dict[str, Candidate] = {}
    failures: list[str] = []
    folders: list[str] = []
    gone: set[str] = set()
    for path in paths:
        if path == "-":
            failures.append("-: an index needs files that can be read again; name a file or a folder")
            continue
        name = document_name(path, root)
        inputs = expand([path], WALKED)
        failures += inputs.failures
        if os.path.isdir(path):
            folders += [] if inputs.failures else [name]
        elif not os.path.lexists(path):
            gone.add(name)
            continue
        for file in inputs.files:
            if file is not None:
                candidate = _candidate(file, root, media_type)
                candidates.setdefault(candidate.doc, candidate)
    missing = frozenset(gone)
    return Sources(list(candidates.values()), failures, partial(_covered, tuple(folders), missing), missing)


def document_name(path: str | Path, root: Path) -> str:
    """The path from `root`, with slashes on every system."""
    try:
        name = os.path.relpath(path, root)
    except ValueError:  # another drive of Windows
        name = os.path.abspath(path)
    return Path(name).as_posix()


def _covered(folders: tuple[str, ...], gone: frozenset[str], doc: str) -> bool:
    return doc in gone or any(folder == "." or doc.startswith(f"{folder}/") for folder in folders)


def _candidate(path: Path, root: Path, media_type: str | None) -> Candidate:
    name = document_name(path, root)
    return Candidate(name, partial(_read, path, name), _modified(path), media_type)


def _read(path: Path, name: str) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise ParseError("no such file: check the name and the folder it is named from", name) from None
    except OSError as error:
        raise ParseError(f"cannot be read: {error.strerror}", name) from None


def _modified(path: Path) -> datetime | None:
    try:
        return datetime.fromtimestamp(int(path.stat().st_mtime), UTC)
    except (OSError, ValueError, OverflowError):  # gone since, or a time no calendar has
        return None
