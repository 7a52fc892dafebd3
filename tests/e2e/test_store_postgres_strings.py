"""Texts and names that look like queries are nothing but texts and names in PostgreSQL."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import quote
from uuid import uuid4

import pytest

from harness.postgres import Running, shared_server
from seamline.filters.tree import Test
from seamline.records import Entry
from seamline.store import create_store, open_store
from seamline.store.postgres.schema import PostgresLimits
from seamline.store.postgres.store import PostgresStore
from seamline.testing.entries import AXES, SETTINGS, WEIRD, entry, revise
from seamline.testing.stores.site import put, tidy

EVERYWHERE = ("parent", "kind", "title", "content_hash", "language", "summary", "before", "after")


@pytest.fixture(scope="module")
def server() -> Running:
    return shared_server()


@pytest.fixture
def url(server: Running) -> str:
    """An address where nothing is yet."""
    return server.url(query=f"schema=e_{uuid4().hex}")


@pytest.mark.parametrize("text", [*WEIRD, "seamline; DROP SCHEMA public CASCADE; --", "$$; SELECT 1; $$", "%(a)s %%"])
def test_no_text_is_ever_a_query(server: Running, url: str, text: str) -> None:
    """In every field, as every filter and as a search, beside a bystander that has to stay."""
    store = create_store(url, SETTINGS)
    bystander = put(store, "bystander.md", "stays")[0]
    weird: Entry = replace(
        entry(f"d{text}", "the body"),
        **dict.fromkeys(EVERYWHERE, text),
        id=f"i{text}",
        text=f"{text} the body",
        lead=len(text) + 1,
        path=(text, text),
        meta={text: text, f"list{text}": (text,)},
    )
    with store.reader() as reader:
        made = revise(reader, weird.doc, [weird], title=text)
    with store.writer() as writer:
        writer.apply([made])
    tidy(store)
    with store.reader() as reader:
        for field in ("id", "doc", "parent", "kind", "title", "language"):
            assert [one.id for one in reader.select(Test(field, "=", getattr(weird, field)))] == [weird.id]
            assert [hit.id for hit in reader.near(AXES[0], 9, where=Test(field, "=", getattr(weird, field)))] == [
                weird.id
            ]
        assert [one.id for one in reader.select(Test("path", "has", text))] == [weird.id]
        assert [one.id for one in reader.select(Test(f"meta.{text}", "=", text))] == [weird.id]
        assert [one.id for one in reader.select(Test(f"meta.{text}", "starts", text))] == [weird.id]
        assert [one.id for one in reader.select(Test(f"meta.list{text}", "has", text))] == [weird.id]
        reader.matching(text, 9)
        assert reader.owner(weird.id) == weird.doc
        assert reader.entries([bystander.id, weird.id]).keys() == {bystander.id, weird.id}
    assert list(store.verify()) == []
    store.close()


@pytest.mark.parametrize(
    "schema",
    [
        'a"; DROP SCHEMA public CASCADE; --',
        "it's",
        "Ünï cödé",
        "a.b",
        "a,b",
        '""',
        "UPPER",
        "select",
        "%s",
        "\\",
    ],
)
def test_any_name_of_a_schema(server: Running, schema: str) -> None:
    with server.database() as name:
        address = server.url(name, query=f"schema={quote(schema)}")
        store = PostgresStore.create(address, SETTINGS, limits=PostgresLimits(exact_below=1))
        put(store, "a.md", "one")
        tidy(store)
        with store.reader() as reader:
            assert reader.near(AXES[0], 1)
        assert store.size() > 0
        assert list(store.verify()) == []
        store.close()
        again = open_store(address)
        with again.reader() as reader:
            assert reader.count() == 1
        again.close()
        with server.connect(name) as connection:
            found = connection.execute("SELECT nspname FROM pg_namespace WHERE nspname !~ '^(pg_|information)'")
            assert {row[0] for row in found} == {schema, "public"}
