"""The store in PostgreSQL keeps the contract of every store, on a real server."""

from __future__ import annotations

from collections.abc import Callable
from uuid import uuid4

import pytest

from harness.postgres import shared_server
from seamline.records import Settings
from seamline.store.postgres.schema import PostgresLimits
from seamline.store.postgres.store import PostgresStore
from seamline.testing.stores import Site, StoreContract
from seamline.testing.stores.searching import SearchingContract
from seamline.testing.stores.writing import SequenceContract


class PostgresSite:
    """A schema of its own in a database that all tests share."""

    def __init__(self, limits: PostgresLimits) -> None:
        self._url = shared_server().url(query=f"schema=contract_{uuid4().hex}")
        self._limits = limits

    @property
    def script(self) -> str:
        return f"""
from seamline.store.postgres.store import PostgresStore
from seamline.store.postgres.schema import PostgresLimits
def open_store(settings):
    return PostgresStore.create({self._url!r}, settings, limits={self._limits!r})
"""

    def open(self, settings: Settings) -> PostgresStore:
        return PostgresStore.create(self._url, settings, limits=self._limits)


class TestPostgres(StoreContract):
    @pytest.fixture(scope="class")
    @classmethod
    def sites(cls) -> Callable[[], Site]:
        return lambda: PostgresSite(PostgresLimits())


class TestPostgresIndexed(SearchingContract, SequenceContract):
    """With what a large store has in the smallest one: packed words, HNSW, and no filter that is narrow."""

    @pytest.fixture(scope="class")
    @classmethod
    def sites(cls) -> Callable[[], Site]:
        small = PostgresLimits(exact_below=1, fold_at=2, worth_folding=1, scattered=2, few=0)
        return lambda: PostgresSite(small)
