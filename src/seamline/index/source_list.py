"""The files and folders that an index follows, remembered between runs.

A local index keeps those inside its own folder of documents in `sources.json`, by their paths from there, so that both
can be moved together. What could gain power by that (a path elsewhere, links that lead out, sources of a database)
is kept in the user's own configuration: a folder that was found cannot make a run read anything but itself.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from hashlib import sha256
from pathlib import Path

from seamline.errors import ConfigError, StoreError
from seamline.files import read_bytes
from seamline.ignore import FileChoice, is_taken
from seamline.index.sources import document_name
from seamline.trust.records import trust_folder
from seamline.trust.user_config import config_folder, read_private, write_private

FILE_NAME = "sources.json"
_FOLDER = "sources"
_MOST_BYTES = 16 << 20
MOST = 5_000
"""Sources that are remembered; who names more files one by one should name their folder."""


@dataclass(frozen=True, slots=True)
class SourceRecord:
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

    def load(self) -> list[SourceRecord]:
        """What is remembered, by path."""
        kept = [record for record in self._load_shared() if record.is_inside and not record.follow_links]
        if self._own is not None and (text := read_private(self._own)) is not None:
            kept += [
                replace(record, **{name: document_name(getattr(record, name), self._root) for name in ("path", "base")})
                for record in _parse(text, self._own)
            ]
        return sorted({record.path: record for record in kept}.values(), key=lambda record: record.path)

    def save(self, records: Iterable[SourceRecord]) -> None:
        """Remember these and no others."""
        shared, own = [], []
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

    def _load_shared(self) -> list[SourceRecord]:
        if self._file is None:
            return []
        try:
            text = read_bytes(self._file, _MOST_BYTES).decode()
        except (FileNotFoundError, NotADirectoryError):
            return []
        except (OSError, UnicodeDecodeError) as error:
            raise StoreError(f"{self._file}: cannot be read ({error}); remove it and name the sources again") from None
        return _parse(text, self._file)


def _written(records: Sequence[SourceRecord]) -> str:
    plain = SourceRecord("")
    rows = [
        {name: value for name, value in asdict(one).items() if name == "path" or value != getattr(plain, name)}
        for one in records
    ]
    return json.dumps({"sources": rows}, ensure_ascii=False, indent=1) + "\n"


def _parse(text: str, path: Path) -> list[SourceRecord]:
    try:
        rows = json.loads(text)["sources"]
        return [_record(row) for row in rows]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise StoreError(f"{path}: expected a list of sources; remove it and name the sources again") from None


_TYPES = {"include": list, "exclude": list, "ignore": bool, "follow_links": bool}


def _record(row: dict[str, object]) -> SourceRecord:
    known = {field.name for field in fields(SourceRecord)}
    for name, value in row.items():
        texts = value if isinstance(value, list) else [] if isinstance(value, bool) else [value]
        if (
            name not in known
            or not isinstance(value, _TYPES.get(name, str))
            or not all(isinstance(text, str) and "\0" not in text for text in texts)
        ):
            raise ValueError(name)
    return SourceRecord(**{k: tuple(v) if isinstance(v, list) else v for k, v in row.items()})  # type: ignore[arg-type]


def merge(known: Sequence[SourceRecord], new: Sequence[SourceRecord], root: Path) -> list[SourceRecord]:
    """The sources after a run over `new`. A file that a folder brings anyway is not remembered beside it."""
    merged = {record.path: record for record in (*known, *new)}
    folders = [one for one in merged.values() if os.path.isdir(root / one.path)]
    return [one for one in merged.values() if one in folders or not any(_brings(f, one, root) for f in folders)]


def _brings(folder: SourceRecord, file: SourceRecord, root: Path) -> bool:
    if not folder.holds(file.path) or (folder.encoding, folder.media_type) != (file.encoding, file.media_type):
        return False
    real = os.path.realpath(root / folder.path)
    return is_taken(
        os.path.join(real, os.path.relpath(root / file.path, root / folder.path)), real, [folder.choice(root)]
    )
