"""The embedded store keeps the contract of all stores."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from seamline.records import Settings
from seamline.store.sqlite import SqliteStore
from seamline.store.sqlite.structures import SqliteLimits
from seamline.testing.stores import Site, StoreContract


class SqliteSite:
    """A folder."""

    def __init__(self, folder: Path, limits: SqliteLimits) -> None:
        self._folder = folder / "index"
        self._limits = limits

    @property
    def script(self) -> str:
        return f"""
from seamline.store.sqlite import SqliteStore
from seamline.store.sqlite.structures import SqliteLimits
def open_store(settings):
    return SqliteStore.create({str(self._folder)!r}, settings, limits={self._limits!r})
"""

    def open(self, settings: Settings) -> SqliteStore:
        return SqliteStore.create(str(self._folder), settings, limits=self._limits)


class TestSqlite(StoreContract):
    @pytest.fixture(scope="class")
    @classmethod
    def sites(cls, tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Site]:
        return lambda: SqliteSite(tmp_path_factory.mktemp("store"), SqliteLimits())


class TestSqliteArranged(StoreContract):
    """With structures for the smallest index, brought up to date with every change."""

    @pytest.fixture(scope="class")
    @classmethod
    def sites(cls, tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Site]:
        return lambda: SqliteSite(tmp_path_factory.mktemp("store"), SqliteLimits(few=0, many=0, burst=0))
