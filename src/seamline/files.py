"""Paths as given -> the files to read, in an order that never changes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from seamline.errors import ConfigError

SKIPPED_FOLDERS = frozenset(("node_modules", "__pycache__"))
"""Not entered, and neither are hidden folders such as .git and .venv."""

STDIN = None
"""The input that `-` stands for."""


class Inputs(NamedTuple):
    """What a command line names."""

    files: list[Path | None]
    """Files to read, `STDIN` among them."""
    failures: list[str]
    """Messages about paths that give nothing to read."""

    @property
    def total(self) -> int:
        return len(self.files) + len(self.failures)


def expand(arguments: Sequence[str], suffixes: Sequence[str], output: Path | None = None) -> Inputs:
    """Files as they are named, folders as the matching files in them; each file once, `output` never."""
    files: list[Path | None] = []
    failures: list[str] = []
    seen: set[str] = {os.path.realpath(output)} if output else set()
    if output:
        _refuse_overwriting(arguments, output)
    for argument in arguments:
        if argument == "-":
            if STDIN in files:
                raise ConfigError("-: given twice, but standard input can be read once")
            files.append(STDIN)
            continue
        before = len(failures)
        found = _files_of(argument, suffixes, failures)
        if not found and len(failures) == before:
            failures.append(f"{argument}: no files to read in this folder; `seamline chunk --help` says which are")
        for file in found:
            if (name := os.path.abspath(file)) in seen or (output and os.path.realpath(file) in seen):
                continue
            seen.add(name)
            if _is_text(file):
                files.append(file)
            else:
                failures.append(f"{file}: the name is not valid UTF-8 and cannot be an id; rename it")
    return Inputs(files, failures)


def _refuse_overwriting(arguments: Sequence[str], output: Path) -> None:
    for argument in arguments:
        if os.path.isfile(argument) and os.path.realpath(argument) == os.path.realpath(output):
            raise ConfigError(f"--output: {output} is also an input; write to another file")


def _files_of(argument: str, suffixes: Sequence[str], failures: list[str]) -> list[Path]:
    if not argument:
        raise ConfigError("expected a path, got an empty one; name a file, a folder or - for standard input")
    path = Path(argument)
    return list(_walk(path, suffixes, failures)) if path.is_dir() else [path]


def _walk(folder: Path, suffixes: Sequence[str], failures: list[str]) -> Iterator[Path]:
    """Matching files of a folder and those below, by name. Links to folders are followed once, and never inward."""
    root = os.path.realpath(folder)
    stack = [_entries(folder, failures)]
    seen = {root}
    while stack:
        entry = next(stack[-1], None)
        if entry is None:
            stack.pop()
        elif _is_dir(entry):
            if _enters(entry, root, seen):
                stack.append(_entries(Path(entry.path), failures))
        elif entry.name.lower().endswith(tuple(suffixes)) and _is_readable(entry):
            yield Path(entry.path)


def _entries(folder: Path, failures: list[str]) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            shown = [entry for entry in entries if not entry.name.startswith(".")]
    except OSError as error:
        failures.append(f"{folder}: cannot be read: {error.strerror}")
        return iter(())
    return iter(sorted(shown, key=lambda entry: entry.name))


def _is_dir(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself
        return False


def _is_readable(entry: os.DirEntry[str]) -> bool:
    """Files, and links that lead nowhere: those fail with their name. A pipe or device in a folder would hang."""
    try:
        return entry.is_file() or not os.path.exists(entry.path)
    except OSError:
        return True


def _enters(entry: os.DirEntry[str], root: str, seen: set[str]) -> bool:
    if entry.name in SKIPPED_FOLDERS:
        return False
    if not entry.is_symlink():
        return True
    real = os.path.realpath(entry.path)
    inward = os.path.commonpath((real, root)) in (real, root)  # reached anyway, or it holds us: a loop
    if inward or real in seen:
        return False
    seen.add(real)
    return True


def _is_text(path: Path) -> bool:
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    return True
