"""Files -> the sources of an index run, and the documents whose files are gone. Documents are named from the folder
around an index, or from the one it was made for."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from seamline.errors import ParseError, StoreError
from seamline.files import MAX_BYTES, File, expand, fence_around, read_file, shorten
from seamline.formats import LATEX
from seamline.recipe.ignore import FileChoice, LeftOut, ObjectRules
from seamline.remote.buckets import SCHEME, Bucket, is_bucket

if TYPE_CHECKING:
    from seamline.parse.latex.project import LatexProject


class IndexSource(NamedTuple):
    """One source that should be in the index."""

    doc: str
    """Name of the document."""
    read: Callable[[], bytes]
    """Its bytes; a SeamlineError says why there are none."""
    modified: datetime | None = None
    media_type: str | None = None
    meta: Mapping[str, Any] = MappingProxyType({})
    """Metadata that is given beside the bytes; it outranks the front matter."""
    encoding: str | None = None
    """Of a source that is not UTF-8."""
    gather: Callable[[bytes], LatexProject | None] | None = None
    """The files that LaTeX names, by its bytes."""
    url: str = ""
    """The address of an object that every machine can read; empty for a file."""


class Sources(NamedTuple):
    """What a run looks at."""

    candidates: list[IndexSource]
    failures: list[str]
    """Messages about paths that give nothing to read."""
    covers: Callable[[str], bool]
    """Whether a document must be among the candidates, or else is gone."""
    missing: frozenset[str]
    """Files that were named and are not there: gone, or never were."""
    left_out: Sequence[LeftOut]
    """What of folders is not wanted."""
    notices: list[str]
    """What was left out of folders; while candidates are read, what is to be said of that is added."""


@dataclass(frozen=True, slots=True)
class SourceLimits:
    """How far reading goes."""

    max_bytes: int | None = MAX_BYTES
    """Of one file; 0 or None is no limit."""
    follow_links: bool = False
    """Whether links are followed that lead out of the paths."""
    roots: Sequence[str] = ()
    """What links may lead to; the paths themselves, unless given."""
    choices: Sequence[FileChoice] = ()
    """Which files of folders are taken."""
    encoding: str | None = None
    """Of files that are not UTF-8."""
    apart: Sequence[str] = ()
    """Documents and folders of them that other sources bring: not gone where a folder around them lacks them."""


def sources(
    paths: Sequence[str],
    root: Path,
    *,
    media_type: str | None = None,
    bounds: SourceLimits | None = None,
    notices: list[str] | None = None,
) -> Sources:
    """The files that `paths` mean. A document is called by its path from `root`, with slashes. `notices` is a list that
    several looks add to; a new one, unless given.

    A folder with a part that cannot be read, or with nothing to read, accounts for no document: that is how a disk
    looks that is not mounted. A file that is named and not there is gone.
    """
    bounds = bounds or SourceLimits()
    fence = fence_around(bounds.roots or paths)
    candidates: dict[str, IndexSource] = {}
    places: dict[str, str] = {}
    failures: list[str] = []
    folders: list[str] = []
    gone: set[str] = set()
    skipped: list[str] = []
    left_out: dict[str, LeftOut] = {}
    notices = [] if notices is None else notices
    for path in paths:
        if path == "-":
            failures.append("-: an index needs files that can be read again; name a file or a folder")
            continue
        if is_bucket(path):
            found, left = list_objects(path, bounds, media_type)
            candidates |= {one.doc: one for one in found}
            left_out |= {one.path: one for one in left}
            folders += [path.rstrip("/")] if found else []
            failures += [] if found else [f"{path}: no objects to read there; --include, --exclude and formats count"]
            continue
        name = document_name(path, root)
        inputs = expand([path], fence=fence, follow_links=bounds.follow_links, choices=bounds.choices)
        left_out |= {one.path: one for one in inputs.left_out}
        failures += inputs.failures
        skipped += inputs.skipped
        if os.path.isdir(path):
            folders += [] if inputs.failures else [name]
        elif not os.path.lexists(path):
            gone.add(name)
            continue
        for file in inputs.files:
            if file is not None:
                doc = document_name(file.path, root)
                read = partial(_read, file, doc, bounds.max_bytes, notices)
                folder = Path(path) if os.path.isdir(path) else file.path.parent
                gather = partial(_gather, file.path, folder, media_type, bounds)
                modified = _modification_time(file.path)
                candidates.setdefault(
                    doc, IndexSource(doc, read, modified, media_type, encoding=bounds.encoding, gather=gather)
                )
                places[doc] = os.path.abspath(file.path)
    missing = frozenset(gone)
    notices += shorten(skipped)
    for doc, top in _parts_of_others(candidates, places).items():
        del candidates[doc]
        notices.append(f"{doc}: is a part of {document_name(top, root)} and indexed there")
    apart = [one for one in bounds.apart if any(is_below(one, folder) for folder in folders)]
    covers = partial(_is_covered, tuple(folders), missing, tuple(apart))
    taken = [one for one in left_out.values() if document_name(one.path, root) not in candidates]
    return Sources(list(candidates.values()), failures, covers, missing, taken, notices)


def list_objects(url: str, bounds: SourceLimits, media_type: str | None) -> tuple[list[IndexSource], list[LeftOut]]:
    """The objects below an address that are of a format which is looked for, and those that are not wanted. A document
    is called by its whole address."""
    from seamline.formats import walked_suffixes

    rules, suffixes = ObjectRules(bounds.choices), walked_suffixes()
    taken: list[IndexSource] = []
    left: list[LeftOut] = []
    for one in Bucket(url).list():
        doc = f"{url.rstrip('/')}/{one.key}"
        if reason := rules.reason(one.key):
            left.append(LeftOut(doc, *reason))
        elif not one.key.lower().endswith(suffixes):
            left.append(LeftOut(doc, "format"))
        else:
            read = partial(read_object, doc, bounds.max_bytes)
            modified = one.modified.replace(microsecond=0)
            taken.append(IndexSource(doc, read, modified, media_type, encoding=bounds.encoding, url=doc))
    return taken, left


@lru_cache(8)
def _bucket(name: str) -> Bucket:
    """Kept, with its connections."""
    return Bucket(f"{SCHEME}{name}")


def read_object(url: str, max_bytes: int | None) -> bytes:
    """The bytes of an object; a ParseError where it is gone or too large."""
    name, _, key = url.removeprefix(SCHEME).partition("/")
    found = _bucket(name).read(key, max_bytes)
    if found is None:
        raise ParseError("no such object any more: run again", url)
    return found.data


def join_sources(found: Sequence[Sources], notices: list[str]) -> Sources:
    """What several looks found, as one: a document is gone where one of them misses it and none has it. `notices` is
    the list that all of them add to."""
    candidates = {source.doc: source for one in reversed(found) for source in reversed(one.candidates)}
    order = list(dict.fromkeys(source.doc for one in found for source in one.candidates))
    return Sources(
        [candidates[doc] for doc in order],
        [failure for one in found for failure in one.failures],
        lambda doc: any(one.covers(doc) for one in found),
        frozenset().union(*(one.missing for one in found)),
        [left for one in found for left in one.left_out],
        notices,
    )


def document_name(path: str | Path, root: Path) -> str:
    """The path from `root`, with slashes on every system; an address of objects stays as it is."""
    if is_bucket(str(path)):
        return str(path)
    try:
        name = os.path.relpath(path, root)
    except ValueError:  # another drive of Windows
        name = os.path.abspath(path)
    return Path(name).as_posix()


def is_below(doc: str, folder: str) -> bool:
    """Whether a name is that of something in a folder."""
    return doc.startswith(f"{folder}/") if folder != "." else doc != "." and not doc.startswith("../")


def _is_covered(folders: tuple[str, ...], gone: frozenset[str], apart: tuple[str, ...], doc: str) -> bool:
    if doc in gone:
        return True
    kept = any(doc == one or is_below(doc, one) for one in apart)
    return not kept and any(folder == "." or doc.startswith(f"{folder}/") for folder in folders)


def _read(file: File, doc: str, max_bytes: int | None, notices: list[str]) -> bytes:
    data, told = read_file(file.path, max_bytes=max_bytes, real=file.real, name=doc)
    notices += [f"{doc}: {notice.message}" for notice in told]
    return data


def _gather(path: Path, folder: Path, media_type: str | None, bounds: SourceLimits, data: bytes) -> LatexProject | None:
    from seamline.parse import gather_project  # parsers are not needed where an index is only searched

    return gather_project(data, path, folder, media_type, bounds.encoding, bounds.max_bytes)


def _parts_of_others(candidates: Mapping[str, IndexSource], places: Mapping[str, str]) -> dict[str, str]:
    """Documents that are files of another one, and the path of that."""
    docs = [doc for doc in candidates if doc.lower().endswith(LATEX)]
    known = {places[doc]: doc for doc in docs}

    def project(place: str) -> LatexProject | None:
        source = candidates[known[place]]
        return source.gather(source.read()) if source.gather is not None else None

    from seamline.parse.latex.project import find_parts

    return {known[part]: top for part, top in find_parts(list(known), project).items()}


def _modification_time(path: Path) -> datetime | None:
    try:
        return datetime.fromtimestamp(int(path.stat().st_mtime), UTC)
    except (OSError, ValueError, OverflowError):  # gone since, or a time no calendar has
        return None


def folder_of(index: Path, way: str) -> Path:
    """The folder that names of documents start from, by the way to it from the index."""
    if "\0" in way or "\n" in way:
        raise StoreError(f"the index in {index} does not name the folder of its documents: index again")
    return Path(os.path.abspath(index / (way or "..")))


def way_to(root: Path, index: Path) -> str:
    """The way from an index to a folder, so that both can be moved together; empty for the folder around it."""
    here = os.path.abspath(index)
    if Path(os.path.abspath(root)) == Path(here).parent:
        return ""
    try:
        way = os.path.relpath(root, here)
    except ValueError:  # another drive of Windows
        way = os.path.abspath(root)
    return Path(way).as_posix()
