"""Where an index lives: one protocol, and a backend for each kind of address."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seamline.errors import ConfigError, IndexMissing

if TYPE_CHECKING:
    from seamline.protocols import Store
    from seamline.records import Settings

_ADDRESSES = "a folder, lance:FOLDER, postgresql://USER@HOST/DATABASE, or memory:"


def is_address(place: str) -> bool:
    """Whether a place is an address, and not the folder of an index with all that is kept beside its store."""
    return "://" in place or place.startswith(("lance:", "memory:"))


def open_store(url: str) -> Store:
    """The index at an address. A StoreError says why it cannot be opened, a ConfigError that it is no address."""
    match _scheme(url):
        case "":
            from seamline.store.sqlite import SqliteStore

            return SqliteStore.open(url)
        case "lance":
            from seamline.store.lance import LanceStore

            return LanceStore.open(url)
        case "postgresql":
            from seamline.store.postgres.store import PostgresStore

            return PostgresStore.open(url)
    raise IndexMissing("an index in memory ends with its process: make it anew")


def create_store(url: str, settings: Settings, *, root: str = "") -> Store:
    """Make an index at an address, or open the one that is there, if it was made with the same settings. `root` is the
    way from a new folder to the one that names of documents start from; without it, that is the folder around it."""
    match _scheme(url):
        case "":
            from seamline.store.sqlite import SqliteStore

            return SqliteStore.create(url, settings, root=root)
        case "lance":
            from seamline.store.lance import LanceStore

            return LanceStore.create(url, settings)
        case "postgresql":
            from seamline.store.postgres.store import PostgresStore

            return PostgresStore.create(url, settings)
    from seamline.store.memory import MemoryStore

    return MemoryStore(settings)


def _scheme(url: str) -> str:
    """The kind of an address; empty for a path."""
    name, mark, _ = url.partition("://")
    known = {"postgresql": "postgresql", "postgres": "postgresql"}
    if url == "memory:":
        return "memory"
    if url.startswith("lance:") and url != "lance:":
        return "lance"
    if mark and name in known:
        return known[name]
    if mark and name.isidentifier():
        raise ConfigError(f"an index cannot live at {name}://: expected {_ADDRESSES}")
    if not url:
        raise ConfigError(f"no address of an index: expected {_ADDRESSES}")
    return ""
