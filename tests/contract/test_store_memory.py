"""The store in memory keeps the contract of all stores."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from seamline.records import Settings
from seamline.store.codec import check_settings
from seamline.store.memory import MemoryStore
from seamline.testing.stores import Site, StoreContract


class MemorySite:
    """A variable. The store lives as long as it does."""

    script = ""

    def __init__(self) -> None:
        self._store: MemoryStore | None = None

    def open(self, settings: Settings) -> MemoryStore:
        if self._store is None:
            self._store = MemoryStore(settings)
        check_settings(self._store.settings, settings)
        return self._store


class TestMemory(StoreContract):
    @pytest.fixture(scope="class")
    @classmethod
    def sites(cls) -> Callable[[], Site]:
        return MemorySite
