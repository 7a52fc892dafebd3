"""The LanceDB store on object storage keeps the contract of all stores for writers, readers and versions. It reads
and searches by the code of the store in a folder, which `test_store_lance` holds to the rest of the contract."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from harness.object_store import fresh_place, object_store, set_environment
from seamline.records import Settings
from seamline.store.lance import LanceLimits
from seamline.store.lance.bucket_store import LanceBucketStore
from seamline.testing.stores import Site
from seamline.testing.stores.history import HistoryContract

pytestmark = pytest.mark.slow


class BucketSite:
    """A prefix of its own."""

    def __init__(self, limits: LanceLimits) -> None:
        self._url = fresh_place()
        self._limits = limits

    @property
    def script(self) -> str:
        return f"""
from datetime import timedelta
from seamline.store.lance import LanceLimits
from seamline.store.lance.bucket_store import LanceBucketStore
def open_store(settings):
    limits = LanceLimits({self._limits.count}, {self._limits.exact}, {self._limits.few})
    return LanceBucketStore.create({self._url!r}, settings, limits=limits)
"""

    def open(self, settings: Settings) -> LanceBucketStore:
        return LanceBucketStore.create(self._url, settings, limits=self._limits)


@pytest.fixture(scope="module", autouse=True)
def bucket() -> Iterator[None]:
    with object_store() as values, set_environment(values):
        yield


class TestLanceBucketIndexed(HistoryContract):
    """With every index of a large store in the smallest one, as soon as it is tidied."""

    @pytest.fixture(scope="class")
    @classmethod
    def sites(cls) -> Callable[[], Site]:
        return lambda: BucketSite(LanceLimits(count=0, exact=0, few=0))
