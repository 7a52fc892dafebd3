"""The commands on an index in PostgreSQL, as a user types them."""

from __future__ import annotations

import json
from uuid import uuid4

import pytest
from psycopg import sql

from harness.endpoint import serving
from harness.postgres import shared_server
from seamline.embed.hashing import HashEmbedder

SECRET = "hunter2-s3cret"


@pytest.fixture
def place() -> str:
    """The address of an index that is not there yet, with a password that nobody needs."""
    return shared_server().url(password=SECRET, query=f"schema=cli_{uuid4().hex}")


def test_from_nothing_to_a_citation(warm, write, place: str) -> None:
    write("docs/a.md")
    write("docs/b.md", "# Bees\n\nAbout bees and wasps.\n")
    made = warm("index", "docs", "--index", place, "--embedder", "hash")
    assert (made.code, made.err) == (0, "")
    assert made.out.startswith("2 of 2 documents added, 3 chunks embedded\n")
    assert warm("index", "docs", "--index", place).out.startswith("nothing changed: 0 of 2 documents")
    write("docs/b.md", "# Bees\n\nAbout bees, wasps and hornets.\n")
    assert warm("index", "docs", "--index", place).out.startswith("1 of 2 documents changed")
    found = json.loads(warm("search", "hornets", "-k", "1", "--index", place, "--json").out)
    hit = found["hits"][0]
    assert hit["label"] == "docs/b.md:1-3 § Bees"
    cited = warm("cite", hit["id"], "--index", place)
    assert cited.code == 0
    assert "hornets" in cited.out
    filtered = json.loads(warm("search", "deliveries", "--where", 'doc = "docs/a.md"', "--index", place, "--json").out)
    assert {one["citations"][0]["doc"] for one in filtered["hits"]} == {"docs/a.md"}
    for ended in (made, cited, warm("stats", "--index", place), warm("doctor", "--verify", "--index", place)):
        assert ended.code == 0
        assert SECRET not in ended.out + ended.err


def test_a_document_is_forgotten(warm, write, place: str) -> None:
    write("docs/a.md")
    write("docs/b.md", "# Bees\n\nAbout bees and wasps.\n")
    assert warm("index", "docs", "--index", place, "--embedder", "hash").code == 0
    ended = warm("forget", "docs/b.md", "--index", place)
    assert ended.code == 0
    assert "replicas and its backups" in ended.err
    assert "b.md" not in warm("ls", "--index", place).out
    assert warm("search", "wasps", "--index", place, "--legs", "bm25").out == ""
    assert warm("doctor", "--index", place).code == 0


def test_an_index_that_is_not_there(warm, place: str) -> None:
    ended = warm("search", "bees", "--index", place)
    assert ended.code == 1
    assert len(ended.lines) == 1
    assert "no index in schema" in ended.err
    assert "seamline index" in ended.err
    assert SECRET not in ended.err


def test_a_server_that_does_not_answer(warm, write) -> None:
    write("docs/a.md")
    ended = warm("index", "docs", "--index", f"postgresql://ada:{SECRET}@127.0.0.1:1/db", "--embedder", "hash")
    assert ended.code != 0
    assert len(ended.lines) == 1
    assert "cannot reach the index at postgresql://ada@127.0.0.1:1/db" in ended.err
    assert "Traceback" not in ended.err
    assert SECRET not in ended.out + ended.err


def test_damage_is_told(warm, write, place: str) -> None:
    write("docs/a.md")
    assert warm("index", "docs", "--index", place, "--embedder", "hash").code == 0
    with shared_server().connect() as connection:
        table = sql.Identifier(place.rpartition("=")[2], "bodies")
        connection.execute(sql.SQL("UPDATE {} SET text = replace(text, 'a', 'b')").format(table))
    ended = warm("doctor", "--verify", "--index", place)
    assert ended.code == 1
    assert "checksum differs" in ended.out + ended.err


def test_a_service_that_only_a_database_names_gets_nothing(warm, write, place: str, tmp_path) -> None:
    """Whoever may write to the schema decides what its settings say."""
    write("docs/a.md")
    with serving(HashEmbedder()) as service:
        made = warm("index", "docs", "--index", place, "--embedder", f"openai:hash@{service.url}")
        assert made.code == 0, made.err
        service.asked.clear()
        victim = {"XDG_CONFIG_HOME": str(tmp_path / "victim"), "SEAMLINE_API_KEY": SECRET}
        ended = warm("search", "deliveries", "--index", place, env=victim)
        assert (ended.code, service.asked) == (2, [])
        assert SECRET not in ended.err
        assert warm("stats", "--index", place, env=victim).code == 0
        assert warm("trust", place, service.url, env=victim).code == 0
        assert service.url in warm("trust", place, env=victim).out
        assert warm("search", "deliveries", "--index", place, env=victim).code == 0
        assert [asked.headers.get("authorization") for asked in service.asked] == [None]
