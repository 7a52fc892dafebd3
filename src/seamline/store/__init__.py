"""Where an index lives: one protocol, and a backend for each kind of address."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seamline.errors import ConfigError, IndexMissing

if TYPE_CHECKING:
    from seamline.protocols import Store
    from seamline.records import Settings

_ADDRESSES = "a folder, postgresql://USER@HOST/DATABASE, or memory:"


def open_store(url: str) -> Store:
    """The index at an address. A StoreError says why it cannot be opened, a ConfigError that it is no address."""
    match _scheme(url):
        case "":
            from seamline.store.sqlite import SqliteStore

            return SqliteStore.open(url)
        case "postgresql":
            from seamline.store.postgres import PostgresStore

            return PostgresStore.open(url)
    raise IndexMissing("an index in memory ends with its process: make it anew")


def create_store(url: str, settings: Settings) -> Store:
    """Make an index at an address, or open the one that is there, if it was made with the same settings."""
    match _scheme(url):
        case "":
            from seamline.store.sqlite import SqliteStore

            return SqliteStore.create(url, settings)
        case "postgresql":
            from seamline.store.postgres import PostgresStore

            return PostgresStore.create(url, settings)
    from seamline.store.memory import MemoryStore

    return MemoryStore(settings)


def _scheme(url: str) -> str:
    """The kind of an address; empty for a path."""
    name, mark, _ = url.partition("://")
    known = {"postgresql": "postgresql", "postgres": "postgresql"}
    if url == "memory:":
        return "memory"
    if mark and name in known:
        return known[name]
    if mark and name.isidentifier():
        raise ConfigError(f"an index cannot live at {name}://: expected {_ADDRESSES}")
    if not url:
        raise ConfigError(f"no address of an index: expected {_ADDRESSES}")
    return ""
