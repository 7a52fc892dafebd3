"""The stores that the crash and damage harnesses know, with the limits that make a small index a large one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from seamline.protocols import Store
from seamline.records import Settings


@dataclass(frozen=True, slots=True)
class StoreKind:
    """How a store is made and opened in a folder."""

    name: str
    create: Callable[[Path, Settings], Store]
    """Make one, or open the one that is there."""
    open: Callable[[Path], Store]
    """A StoreError says why it cannot be opened."""
    open_large: Callable[[Path], Store]
    """As `open`, with every structure of a large index in a small one."""
    forgets: bool
    """Whether it can erase documents."""


def _lance() -> StoreKind:
    from seamline.store.lance.search import LanceLimits
    from seamline.store.lance.store import LanceStore

    large = LanceLimits(count=0, exact=0, few=0)
    return StoreKind(
        "lance",
        lambda folder, settings: LanceStore.create(str(folder / "store"), settings),
        lambda folder: LanceStore.open(str(folder / "store")),
        lambda folder: LanceStore.open(str(folder / "store"), limits=large),
        forgets=False,
    )


def _sqlite() -> StoreKind:
    from seamline.store.sqlite import SqliteStore
    from seamline.store.sqlite.structures import SqliteLimits

    large = SqliteLimits(few=0, many=0, burst=0, exact=0)
    return StoreKind(
        "sqlite",
        lambda folder, settings: SqliteStore.create(str(folder), settings),
        lambda folder: SqliteStore.open(str(folder)),
        lambda folder: SqliteStore.open(str(folder), limits=large),
        forgets=True,
    )


STORES: dict[str, Callable[[], StoreKind]] = {"lance": _lance, "sqlite": _sqlite}
"""By the name that commands use; a store is only imported when it is asked for."""
