"""The files and folders that an index follows, remembered between runs.

A local index keeps those inside its own folder of documents in `sources.json`, by their paths from there, so that both
can be moved together. What could gain power by that (a path elsewhere, links that lead out, sources of a database)
is kept in the user's own configuration: a folder that was found cannot make a run read anything but itself.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from hashlib import sha256
from pathlib import Path

from seamline.errors import ConfigError, StoreError
from seamline.files import read_bytes
from seamline.index.sources import SourceLimits, Sources, document_name, join_sources, sources
from seamline.recipe.ignore import FileChoice, is_taken
from seamline.trust.records import trust_folder
from seamline.trust.user_config import config_folder, read_private, write_private

FILE_NAME = "sources.json"
_FOLDER = "sources"
_MOST_BYTES = 16 << 20
MOST = 5_000
"""Sources that are remembered; who names more files one by one should name their folder."""


@dataclass(frozen=True, slots=True)
class FollowedSource:
    """A file or a folder that was indexed, and how."""

    path: str
    """From the folder that names of documents start from, with slashes: `docs`, or `../notes` beside it."""
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    """Globs of what is taken and left out."""
    base: str = "."
    """The folder that globs with a slash start from, written as the path is."""
    ignore: bool = True
    """Whether ignore files count."""
    encoding: str = ""
    media_type: str = ""
    follow_links: bool = False

    @property
    def is_inside(self) -> bool:
        """Whether the path stays in the folder that names start from."""
        return not (os.path.isabs(self.path) or self.path == ".." or self.path.startswith("../"))

    def holds(self, doc: str) -> bool:
        """Whether a document is this file or in this folder."""
        return doc == self.path or doc.startswith("" if self.path == "." else f"{self.path}/")

    def choice(self, root: Path) -> FileChoice:
        """Which files of the folder are taken."""
        return FileChoice(self.include, self.exclude, str(root / self.base), self.ignore)


class SourceList:
    """The sources of one index."""

    def __init__(self, place: str, folder: Path | None, root: Path) -> None:
        """`place` is the address of the index, `folder` that of a local one."""
        self._file = folder / FILE_NAME if folder is not None else None
        self._root = root
        own = config_folder()
        digest = sha256(trust_folder(place).encode("utf-8", "surrogateescape")).hexdigest()[:32]
        self._own = own / _FOLDER / f"{digest}.json" if own else None

    def load(self) -> list[FollowedSource]:
        """What is remembered, by path."""
        kept = [record for record in self._load_shared() if record.is_inside and not record.follow_links]
        if self._own is not None and (text := read_private(self._own)) is not None:
            for one in _parse(text, self._own):
                path, base = (document_name(place, self._root) for place in (one.path, one.base))
                kept.append(replace(one, path=path, base=base))
        return sorted({record.path: record for record in kept}.values(), key=lambda record: record.path)

    def save(self, records: Iterable[FollowedSource]) -> None:
        """Remember these and no others."""
        shared: list[FollowedSource] = []
        own: list[FollowedSource] = []
        for record in records:
            (shared if self._file and record.is_inside and not record.follow_links else own).append(record)
        if self._file is not None and (shared or self._file.exists()):
            try:
                write_private(self._file, _written(shared))
            except ConfigError as error:
                raise StoreError(str(error)) from None
        if self._own is not None and (own or self._own.exists()):
            whole = [replace(one, path=self._absolute(one.path), base=self._absolute(one.base)) for one in own]
            write_private(self._own, _written(whole))

    def _absolute(self, path: str) -> str:
        return Path(os.path.abspath(self._root / path)).as_posix()

    def _load_shared(self) -> list[FollowedSource]:
        if self._file is None:
            return []
        try:
            text = read_bytes(self._file, _MOST_BYTES).decode()
        except (FileNotFoundError, NotADirectoryError):
            return []
        except (OSError, UnicodeDecodeError) as error:
            raise StoreError(f"{self._file}: cannot be read ({error}); remove it and name the sources again") from None
        return _parse(text, self._file)


def _written(records: Sequence[FollowedSource]) -> str:
    plain = FollowedSource("")
    rows = [
        {name: value for name, value in asdict(one).items() if name == "path" or value != getattr(plain, name)}
        for one in records
    ]
    return json.dumps({"sources": rows}, ensure_ascii=False, indent=1) + "\n"


def _parse(text: str, path: Path) -> list[FollowedSource]:
    try:
        rows = json.loads(text)["sources"]
        return [_record(row) for row in rows]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise StoreError(f"{path}: expected a list of sources; remove it and name the sources again") from None


_TYPES = {"include": list, "exclude": list, "ignore": bool, "follow_links": bool}


def _record(row: dict[str, object]) -> FollowedSource:
    known = {field.name for field in fields(FollowedSource)}
    for name, value in row.items():
        texts = value if isinstance(value, list) else [] if isinstance(value, bool) else [value]
        if (
            name not in known
            or not isinstance(value, _TYPES.get(name, str))
            or not all(isinstance(text, str) and "\0" not in text for text in texts)
        ):
            raise ValueError(name)
    return FollowedSource(**{k: tuple(v) if isinstance(v, list) else v for k, v in row.items()})  # type: ignore[arg-type]


def merge(known: Sequence[FollowedSource], new: Sequence[FollowedSource], root: Path) -> list[FollowedSource]:
    """The sources after a run over `new`. A file that a folder brings anyway is not remembered beside it."""
    merged = {record.path: record for record in (*known, *new)}
    folders = [one for one in merged.values() if os.path.isdir(root / one.path)]
    return [one for one in merged.values() if one in folders or not any(_brings(f, one, root) for f in folders)]


def _brings(folder: FollowedSource, file: FollowedSource, root: Path) -> bool:
    if not folder.holds(file.path) or (folder.encoding, folder.media_type) != (file.encoding, file.media_type):
        return False
    real = os.path.realpath(root / folder.path)
    return is_taken(
        os.path.join(real, os.path.relpath(root / file.path, root / folder.path)), real, [folder.choice(root)]
    )


# --- runs over them --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """How a caller wants paths to be indexed. Where nothing is said, what is remembered of a path holds."""

    include: Sequence[str] | None = None
    exclude: Sequence[str] | None = None
    ignore: bool = True
    encoding: str | None = None
    media_type: str | None = None
    follow_links: bool = False
    base: str = "."

    @property
    def is_silent(self) -> bool:
        given = (self.include, self.exclude, self.encoding, self.media_type)
        return self.ignore and not self.follow_links and all(one is None for one in given)

    def records(self, paths: Sequence[str], root: Path, known: Sequence[FollowedSource]) -> list[FollowedSource]:
        """What these paths are as sources."""
        names = [document_name(path, root) for path in paths]
        if not self.is_silent:
            return [self._record(name) for name in names]
        return [self._remembered(name, known) for name in names]

    def _remembered(self, name: str, known: Sequence[FollowedSource]) -> FollowedSource:
        """As the path itself was indexed, or the nearest folder around it. Links out of a path that is named are only
        followed where that is said again."""
        around = max((one for one in known if one.holds(name)), key=lambda one: len(one.path), default=None)
        if around is None:
            return self._record(name)
        return replace(around, path=name, follow_links=around.follow_links and around.path != name)

    def _record(self, name: str) -> FollowedSource:
        return FollowedSource(
            name,
            tuple(self.include or ()),
            tuple(self.exclude or ()),
            self.base,
            self.ignore,
            self.encoding or "",
            self.media_type or "",
            self.follow_links,
        )


@dataclass(frozen=True, slots=True)
class SourceRun:
    """A look at sources: what is the same for all of them."""

    root: Path
    known: Sequence[FollowedSource]
    """All that the index follows: what one of them brings is not gone where a folder around it lacks it."""
    max_bytes: int | None
    roots: Sequence[str]
    """What links may lead to."""
    also: Sequence[FileChoice]
    """Choices that every file must meet, beside those of its source."""

    def find(self, paths: Mapping[str, FollowedSource]) -> Sources:
        """The files of these paths, each by its own options."""
        names = {record.path for record in paths.values()}
        apart = [record.path for record in self.known if record.path not in names]
        found: list[Sources] = []
        notices: list[str] = []
        for record, same in _groups(paths).items():
            bounds = SourceLimits(
                self.max_bytes,
                record.follow_links,
                self.roots,
                [*self.also, record.choice(self.root)],
                record.encoding or None,
                apart,
            )
            media_type = record.media_type or None
            found.append(sources(same, self.root, media_type=media_type, bounds=bounds, notices=notices))
        return join_sources(found, notices)

    def refresh(self, paths: Mapping[str, FollowedSource], *, prune: bool) -> tuple[Sources, list[FollowedSource]]:
        """The files of all sources, and the sources that are given up since they are gone."""
        there = {path: record for path, record in paths.items() if os.path.lexists(path)}
        gone = [record for path, record in paths.items() if path not in there]
        found = self.find(there)
        if not prune:
            told = [
                f"{path}: this source is gone; its documents stay until `seamline sources move {path} NEW` says where"
                " it is now, or `seamline index --prune` removes them"
                for path, record in paths.items()
                if record in gone
            ]
            return found._replace(failures=[*found.failures, *told]), []
        alone = [self.covers_alone(record, list(there.values())) for record in gone]
        return found._replace(covers=lambda doc: found.covers(doc) or any(one(doc) for one in alone)), gone

    def covers_alone(self, record: FollowedSource, others: Sequence[FollowedSource]) -> Callable[[str], bool]:
        """Whether a document is of this source and of no other, as far as names tell."""
        return lambda doc: record.holds(doc) and not any(one.holds(doc) for one in others)


def _groups(paths: Mapping[str, FollowedSource]) -> dict[FollowedSource, list[str]]:
    """Paths that are indexed in the same way are looked at together."""
    groups: dict[FollowedSource, list[str]] = {}
    for path, record in paths.items():
        groups.setdefault(replace(record, path=""), []).append(path)
    return groups


def find_source(known: Sequence[FollowedSource], path: str | Path, root: Path) -> FollowedSource:
    """The source that a path means, from the current folder or as it is listed."""
    names = (document_name(path, root), Path(path).as_posix())
    for record in known:
        if record.path in names:
            return record
    listed = ", ".join(record.path for record in known[:5]) or "none"
    raise StoreError(f"{path}: no source of this index; there are {listed}{', ...' if len(known) > 5 else ''}")


def display_path(path: Path) -> str:
    """A path as a person in the current folder would type it."""
    try:
        near = os.path.relpath(path)
    except ValueError:  # another drive of Windows
        return str(path)
    return near if near.count("..") <= 2 else os.path.abspath(path)
