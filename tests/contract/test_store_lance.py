"""The LanceDB store keeps the contract of all stores."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from seamline.records import Settings
from seamline.store.lance import LanceLimits, LanceStore
from seamline.testing.stores import Site, StoreContract


class LanceSite:
    """A folder."""

    def __init__(self, folder: Path, limits: LanceLimits) -> None:
        self._folder = folder / "index"
        self._limits = limits

    @property
    def script(self) -> str:
        return f"""
import datetime
from seamline.store.lance import LanceStore, LanceLimits
def open_store(settings):
    return LanceStore.create({str(self._folder)!r}, settings, limits={self._limits!r})
"""

    def open(self, settings: Settings) -> LanceStore:
        return LanceStore.create(str(self._folder), settings, limits=self._limits)


class TestLance(StoreContract):
    @pytest.fixture(scope="class")
    @classmethod
    def sites(cls, tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Site]:
        return lambda: LanceSite(tmp_path_factory.mktemp("store"), LanceLimits())


class TestLanceIndexed(StoreContract):
    """With every index of a large store in the smallest one, as soon as it is tidied."""

    @pytest.fixture(scope="class")
    @classmethod
    def sites(cls, tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Site]:
        return lambda: LanceSite(tmp_path_factory.mktemp("store"), LanceLimits(count=0, exact=0, few=0))
