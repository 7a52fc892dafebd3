"""The store in PostgreSQL keeps the contract of every store, on a real server."""

from __future__ import annotations

from collections.abc import Callable
from uuid import uuid4

import pytest

from seamline.records import Settings
from seamline.store.postgres import PostgresStore
from seamline.testing.postgres import shared_server
from seamline.testing.stores import Site, StoreContract


class PostgresSite:
    """A schema of its own in a database that all tests share."""

    def __init__(self, url: str) -> None:
        self._url = url

    @property
    def script(self) -> str:
        return (
            "from seamline.store.postgres import PostgresStore\n"
            f"def open_store(settings): return PostgresStore.create({self._url!r}, settings)\n"
        )

    def open(self, settings: Settings) -> PostgresStore:
        return PostgresStore.create(self._url, settings)


class TestPostgresStore(StoreContract):
    @pytest.fixture(scope="class")
    @classmethod
    def sites(cls) -> Callable[[], Site]:
        server = shared_server()
        return lambda: PostgresSite(server.url(query=f"schema=contract_{uuid4().hex}"))
