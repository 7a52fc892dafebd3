"""Which index a command means: the one that is named, the nearest one, or a new one beside the documents; and the keys
that its services are asked with."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from seamline.api import is_address
from seamline.cli.options import StoreOnce
from seamline.errors import ConfigError, IndexMissing, index_imports

if TYPE_CHECKING:
    from seamline.api.index import Index, IndexConfig
    from seamline.api.trust import Keys, Trust


def add_place_options(parser: argparse.ArgumentParser) -> None:
    """Where the index is, and what opening it may need."""
    where = parser.add_argument_group("which index")
    where.add_argument(
        "--index",
        action=StoreOnce,
        metavar="PLACE",
        help="a folder, postgresql://USER@HOST/DATABASE?schema=NAME, s3://BUCKET/PREFIX, or lance:FOLDER"
        " (the nearest .seamline upward)",
    )
    where.add_argument(
        "--api-key-env",
        metavar="NAME",
        help="environment variable with the key of the index's service (SEAMLINE_API_KEY_HOST)",
    )


def existing(named: str | None) -> str:
    """The index to read: the one that is named, else the nearest."""
    with index_imports():
        import numpy  # noqa: F401 - what every index needs, before it is looked for

        from seamline.api.index import FOLDER, find_index

    if named is not None:
        return _check_place(named)
    found = find_index(Path.cwd())
    if found is None:
        raise IndexMissing(
            f"no {FOLDER} in this folder or above: make an index with `seamline index PATH`, or name one with --index"
        )
    return display_path(found)


def place_for(named: str | None, paths: Sequence[str]) -> str:
    """The index to write documents into: named, nearest, in the current folder if it holds them, or beside them."""
    with index_imports():
        import numpy  # noqa: F401 - what every index needs, before it is looked for

        from seamline.api.index import FOLDER, find_index

    if named is not None:
        return _check_place(named)
    here = Path.cwd()
    found = find_index(here)
    if found is not None:
        return display_path(found)
    if all(_is_inside(path, here) for path in paths):
        return FOLDER
    return display_path(Path(os.path.abspath(paths[0])).parent / FOLDER)


def keys_of(variable: str | None = None) -> Keys:
    """The keys of a command: that of the variable which it names, those of hosts, and the one without a host."""
    from seamline.api.trust import PLAIN, Keys

    if variable is not None and not os.environ.get(variable):
        raise ConfigError(f"--api-key-env: the environment variable {variable} is not set or empty")
    given = os.environ[variable] if variable is not None else ""
    return Keys(given, os.environ.get(PLAIN, ""), personal=True)


def root_for(named: str | None, paths: Sequence[str]) -> Path | None:
    """What names of documents start from in a new index that was named: the current folder if it holds them, else the
    folder around them. An index that was not named stands in that folder anyway, and an address has none."""
    if named is None or is_address(named):
        return None
    here = Path.cwd()
    if all(_is_inside(path, here) for path in paths):
        return here
    try:
        return Path(os.path.commonpath([os.path.dirname(os.path.abspath(path)) for path in paths]))
    except ValueError:  # several drives of Windows
        return None


def open_place(
    args: argparse.Namespace,
    place: str,
    config: IndexConfig | None = None,
    root: Path | None = None,
    trust: Trust | None = None,
) -> Index:
    """The index at a place; a new one where there is none and a config is given. `trust`: what the command names."""
    keys = keys_of(args.api_key_env)
    try:
        with index_imports():
            from seamline.api.index import open_index

            return open_index(place, config=config, root=root, key=keys, trust=trust)
    except IndexMissing:
        if is_address(place):
            raise
        raise IndexMissing(
            f"there is no index in {place}: make one with `seamline index PATH --index {place}`"
        ) from None


def display_path(path: Path) -> str:
    """A path as a person in the current folder would type it."""
    try:
        near = os.path.relpath(path)
    except ValueError:  # another drive of Windows
        return str(path)
    return near if near.count("..") <= 2 else str(path)


def _is_inside(path: str, folder: Path) -> bool:
    try:
        return os.path.commonpath((os.path.abspath(path), folder)) == str(folder)
    except ValueError:  # another drive of Windows
        return False


def _check_place(place: str) -> str:
    if not place:
        forms = "a folder, postgresql://USER@HOST/DATABASE, s3://BUCKET/PREFIX or lance:FOLDER"
        raise ConfigError(f"--index: expected {forms}, got nothing")
    if place == "memory:":
        raise ConfigError("--index: an index in memory ends with its command: name a folder or a database")
    if not is_address(place) and os.path.exists(place) and not os.path.isdir(place):
        raise ConfigError(f"--index: expected the folder of an index, got the file {place}")
    return place


def answers_file() -> Path:
    """Where answers of language models are kept between runs, beside other things that can be had again."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(base, "seamline")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder / "answers.db"
