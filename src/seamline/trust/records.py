"""What the user trusts, one file for each folder and target, kept in the user's own configuration."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

from seamline.errors import ConfigError
from seamline.trust.user_config import config_folder, read_private, write_private

FOLDER = "trust"
OWNER = "owner"
"""The target of a folder whose files are used although they belong to another user."""
_INDEX = ".seamline"


@dataclass(frozen=True, slots=True)
class TrustRecord:
    """Files of this folder may name this target."""

    folder: str
    """The real path of a folder, or the address of a database without secrets."""
    target: str
    """The address of a service, the real path of a file, or `owner`."""
    key: bool = False
    """Whether SEAMLINE_API_KEY goes there as well."""


def trust_folder(place: str | os.PathLike[str]) -> str:
    """The folder that trust is kept for: the one around a `.seamline`, so that an index and the seamline.toml beside it
    are trusted together. Links are followed: what counts is where the files are. An address stays as it is."""
    if "://" in str(place):
        return str(place)
    real = os.path.realpath(place)
    return os.path.dirname(real) if os.path.basename(real) == _INDEX else real


def records_of(folder: str) -> list[TrustRecord]:
    """What is trusted for one folder."""
    return [record for record in _read(f"{_digest(folder)}-*.json") if record.folder == folder]


def all_records() -> list[TrustRecord]:
    """What is trusted for any folder, in order."""
    return sorted(_read("*.json"), key=lambda record: (record.folder, record.target))


def add_record(record: TrustRecord) -> None:
    """Trust a target for a folder from now on."""
    write_private(_path(record), json.dumps(asdict(record), ensure_ascii=False) + "\n")


def remove_record(record: TrustRecord) -> None:
    """Trust it no longer."""
    path = _path(record)
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be removed ({error.strerror}); make its folder writable") from None


def _home() -> Path | None:
    folder = config_folder()
    return folder / FOLDER if folder else None


def _path(record: TrustRecord) -> Path:
    home = _home()
    if home is None:
        raise ConfigError("expected a folder for your configuration, got none; set HOME or XDG_CONFIG_HOME")
    return home / f"{_digest(record.folder)}-{_digest(record.target)}.json"


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _read(pattern: str) -> Iterator[TrustRecord]:
    home = _home()
    for path in sorted(home.glob(pattern)) if home else ():
        text = read_private(path)
        if text is not None:
            yield _record(path, text)


def _record(path: Path, text: str) -> TrustRecord:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        data = None
    match data:
        case {"folder": str(folder), "target": str(target), "key": bool(key)}:
            return TrustRecord(folder, target, key)
    raise ConfigError(f"{path}: expected what `seamline trust` writes; remove the file and trust again")
