"""Where an index lives: one protocol, and a backend for each kind of address."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from seamline import registry
from seamline.errors import ConfigError

if TYPE_CHECKING:
    from seamline.protocols import Store, StoreBackend
    from seamline.records import Settings

_ADDRESSES = "a folder, s3://BUCKET/PREFIX, lance:FOLDER, postgresql://USER@HOST/DATABASE, or memory:"


def is_address(place: str) -> bool:
    """Whether a place is an address, and not the folder of an index with all that is kept beside its store."""
    return "://" in place or place.startswith(("lance:", "memory:"))


def open_store(url: str) -> Store:
    """The index at an address. A StoreError says why it cannot be opened, a ConfigError that it is no address."""
    with registry.blame(_plugin_of(url)):
        return _backend(url).open(url)


def create_store(url: str, settings: Settings, *, root: str = "") -> Store:
    """Make an index at an address, or open the one that is there, if it was made with the same settings. `root` is the
    way from a new folder to the one that names of documents start from; without it, that is the folder around it."""
    with registry.blame(_plugin_of(url)):
        return _backend(url).create(url, settings, root=root)


def _backend(url: str) -> StoreBackend:
    """What opens and makes the stores of an address."""
    if not url:
        raise ConfigError(f"no address of an index: expected {_ADDRESSES}")
    scheme = _scheme(url)
    found = cast("StoreBackend | None", registry.find(registry.STORES, scheme))
    if found is None or (scheme == "memory" and url != "memory:"):
        more = "".join(f", {plugin.name}://..." for plugin in registry.plugins(registry.STORES))
        raise ConfigError(f"an index cannot live at {scheme}://: expected {_ADDRESSES}{more}")
    return found


def _plugin_of(url: str) -> registry.Plugin | None:
    return registry.plugin_named(registry.STORES, _scheme(url))


def _scheme(url: str) -> str:
    """The kind of an address; empty for a path."""
    name, mark, _ = url.partition("://")
    if url == "memory:":
        return "memory"
    if url.startswith("lance:") and url != "lance:":
        return "lance"
    return name if mark and name.isidentifier() else ""
