"""An index as Parquet files and back: everything is the same, and nothing is overwritten."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from harness.library import Library
from harness.postgres import shared_server
from seamline.cli.main import main
from seamline.errors import ConfigError, StoreError
from seamline.index import transfer
from seamline.index.transfer import export_index, import_index
from seamline.protocols import Store
from seamline.records import Entry
from seamline.search.citations import resolve
from seamline.store import codec, open_store
from seamline.store.memory import MemoryStore
from seamline.testing.entries import DIMENSIONS, entries, with_parts
from seamline.testing.stores.site import put_entries

PAGES = {
    "a.md": "---\ntags: [x, y]\nrank: 3\ndate: 2024-05-06\n---\n"
    "# Alpha\n\nThe first page tells of alpha.\n\n## Ünï\n\nMore.\n",
    "b.md": "# Beta\n\nThe second page tells of beta.\n",
    "gone.md": "# Gone\n\nThis page is deleted after a while.\n",
    "old.md": "# Name\n\nThis page is renamed, and its text stays as it was before.\n",
}


@pytest.fixture
def library() -> Library:
    """Edits, a deletion, a deletion that was taken back, and a rename."""
    found = Library(PAGES, dual=True)
    found.hold({**PAGES, "a.md": PAGES["a.md"] + "\n## Later\n\nA section that was added.\n"})
    found.hold({"a.md": PAGES["a.md"].replace("first", "very first"), "new.md": PAGES["old.md"]})
    found.hold({**found.texts, "b.md": PAGES["b.md"]})
    return found


def contents(store: Store) -> dict[str, Any]:
    """All that a store says of what it holds."""
    with store.reader() as reader:
        heads = list(reader.heads())
        return {
            "heads": heads,
            "entries": list(reader.select(vectors=True)),
            "versions": [reader.version(head.doc, number) for head in heads for number in reader.versions(head.doc)],
            "owners": {
                place.id: reader.owner(place.id)
                for head in heads
                for number in reader.versions(head.doc)
                for place in reader.version(head.doc, number).places  # type: ignore[union-attr]
            },
            "digests": {head.doc: dict(reader.digests(head.doc)) for head in heads},
            "checksums": {head.doc: dict(reader.checksums(head.doc)) for head in heads},
            "seals": {head.doc: dict(reader.seals(head.doc)) for head in heads},
        }


def entries_of(store: Store) -> list[Entry]:
    with store.reader() as reader:
        return list(reader.select(vectors=True))


def keys(store: Store) -> Iterator[str]:
    with store.reader() as reader:
        for head in reader.heads():
            for number in reader.versions(head.doc):
                version = reader.version(head.doc, number)
                assert version is not None
                yield from (f"{place.id}@{number}" for place in version.places)


@pytest.mark.parametrize("scheme", ["", "lance:"])
@pytest.mark.parametrize(("weight", "format"), [(1, "parquet"), (16 << 20, "parquet"), (20_000, "lance")])
def test_there_and_back(
    library: Library, tmp_path: Path, scheme: str, weight: int, format: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transfer, "_WEIGHT", weight)
    counts = export_index(library.store, tmp_path / "tables", format=format)
    place = f"{scheme}{tmp_path / 'index'}"
    assert import_index(tmp_path / "tables", place) == counts
    assert counts.documents == 5
    store = open_store(place)
    try:
        assert contents(store) == contents(library.store)
        assert store.settings == library.store.settings
        assert not list(store.verify())
        cited = list(keys(library.store))
        assert len(cited) > 10
        with library.store.reader() as before, store.reader() as after:
            assert [resolve(after, key) for key in cited] == [resolve(before, key) for key in cited]
            for query in ("alpha", "renamed", "added", "deleted"):
                assert after.matching(query, 9, levels=None) == before.matching(query, 9, levels=None)
    finally:
        store.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["index", "tables"]
    assert (tmp_path / "tables").stat().st_mode & 0o777 == 0o700


@pytest.fixture
def parted() -> MemoryStore:
    """An index of entries of which some have parts."""
    store = MemoryStore(replace(Library().store.settings, dimensions=DIMENSIONS))
    made = [with_parts(one) for one in entries("a.md", *(f"Text {number}." for number in range(20)))]
    assert 0 < sum(one.parts is not None for one in made) < len(made)
    put_entries(store, "a.md", made)
    put_entries(store, "b.md", entries("b.md", "Without parts."))
    return store


@pytest.mark.parametrize("scheme", ["", "lance:"])
@pytest.mark.parametrize(("weight", "format"), [(1, "parquet"), (16 << 20, "lance")])
def test_parts_there_and_back(
    parted: MemoryStore, tmp_path: Path, scheme: str, weight: int, format: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transfer, "_WEIGHT", weight)
    place = f"{scheme}{tmp_path / 'index'}"
    counts = export_index(parted, tmp_path / "tables", format=format)
    assert import_index(tmp_path / "tables", place) == counts
    store = open_store(place)
    try:
        assert contents(store) == contents(parted)
        known = {one.id: one.parts.tolist() for one in entries_of(parted) if one.parts is not None}
        with store.reader() as reader:
            found = reader.parts([one.id for one in entries_of(parted)])
        assert {id: parts.tolist() for id, parts in found.items()} == known
        assert not list(store.verify())
    finally:
        store.close()


@pytest.mark.parametrize("format", ["parquet", "lance"])
def test_an_export_from_before_there_were_parts(parted: MemoryStore, tmp_path: Path, format: str) -> None:
    tables = tmp_path / "tables"
    export_index(parted, tables, format=format)
    if format == "lance":
        import lancedb

        lancedb.connect(tables).open_table("chunks").drop_columns(["parts"])
    else:
        change_rows(tables, "chunks.parquet", lambda table: table.drop_columns(["parts"]))
    import_index(tables, str(tmp_path / "index"))
    store = open_store(str(tmp_path / "index"))
    try:
        assert entries_of(store) == [replace(one, parts=None) for one in entries_of(parted)]
    finally:
        store.close()


def test_parts_that_are_damaged_are_refused(parted: MemoryStore, tmp_path: Path) -> None:
    import pyarrow as pa

    whole = codec.pack_parts(next(one.parts for one in entries_of(parted) if one.parts is not None))
    for number, wrong in enumerate((b"", whole[:-1], bytes(4) + whole[4:], (4).to_bytes(4, "little") + whole[4:])):
        tables = tmp_path / f"tables{number}"
        export_index(parted, tables)

        def damage(table: Any, wrong: bytes = wrong) -> Any:
            at = table.schema.get_field_index("parts")
            return table.set_column(at, "parts", pa.array([wrong] * len(table), pa.binary()))

        change_rows(tables, "chunks.parquet", damage)
        with pytest.raises(StoreError, match="parts"):
            import_index(tables, str(tmp_path / "index"))
        assert not (tmp_path / "index").exists()


def test_an_imported_index_goes_on(library: Library, tmp_path: Path) -> None:
    export_index(library.store, tmp_path / "tables")
    import_index(tmp_path / "tables", str(tmp_path / "index"))
    library.store = open_store(str(tmp_path / "index"))  # type: ignore[assignment]
    try:
        library.hold({**library.texts, "b.md": PAGES["b.md"] + "\nAn edit.\n"})
        with library.store.reader() as reader:
            head = reader.head("b.md")
            assert head is not None
            assert not head.deleted
            assert reader.versions("b.md") == list(range(1, head.version + 1))
    finally:
        library.store.close()


def test_nothing_is_overwritten(library: Library, tmp_path: Path) -> None:
    tables = tmp_path / "tables"
    export_index(library.store, tables)
    kept = {path.name: path.read_bytes() for path in tables.iterdir()}
    with pytest.raises(StoreError, match="nothing is overwritten"):
        export_index(library.store, tables)
    assert {path.name: path.read_bytes() for path in tables.iterdir()} == kept
    import_index(tables, str(tmp_path / "index"))
    with pytest.raises(StoreError, match="nothing is overwritten"):
        import_index(tables, str(tmp_path / "index"))
    (tmp_path / "other.importing").mkdir()
    with pytest.raises(StoreError, match="left by a run that was stopped"):
        import_index(tables, str(tmp_path / "other"))
    assert (tmp_path / "other.importing").exists()


def damage_bytes(tables: Path) -> None:
    data = bytearray((tables / "chunks.parquet").read_bytes())
    data[len(data) // 3] ^= 255
    (tables / "chunks.parquet").write_bytes(data)


def cut_off(tables: Path) -> None:
    data = (tables / "versions.parquet").read_bytes()
    (tables / "versions.parquet").write_bytes(data[: len(data) // 2])


def change_rows(tables: Path, name: str, change: Any) -> None:
    import pyarrow.parquet as pq

    pq.write_table(change(pq.read_table(tables / name)), tables / name)


def test_damage_is_refused_and_nothing_is_left(library: Library, tmp_path: Path) -> None:
    def newer(tables: Path) -> None:
        about = json.loads((tables / "index.json").read_text())
        (tables / "index.json").write_text(json.dumps({**about, "format": 2}))

    damages = [
        (damage_bytes, "cannot be read|damaged"),
        (cut_off, "cannot be read"),
        (newer, "another version of Seamline"),
        (lambda tables: (tables / "index.json").unlink(), "no index.json"),
        (lambda tables: change_rows(tables, "chunks.parquet", lambda t: t.slice(1)), r"a\.md: its rows"),
        (lambda tables: change_rows(tables, "versions.parquet", lambda t: t.slice(1)), "expected version 1"),
        (lambda tables: change_rows(tables, "documents.parquet", lambda t: t.slice(0, 4)), "not in the order"),
        (lambda tables: change_rows(tables, "chunks.parquet", lambda t: t.drop_columns(["text"])), "column text"),
    ]
    for number, (damage, message) in enumerate(damages):
        tables = tmp_path / f"tables{number}"
        export_index(library.store, tables)
        damage(tables)
        with pytest.raises(StoreError, match=message):
            import_index(tables, str(tmp_path / "index"))
        assert not [path.name for path in tmp_path.iterdir() if path.name.startswith("index")]


def test_a_text_that_parquet_cannot_hold_is_named(tmp_path: Path) -> None:
    library = Library(PAGES)
    with library.store.reader() as reader:
        head = reader.head("b.md")
    assert head is not None
    object.__setattr__(head, "title", "half \ud800")
    with pytest.raises(StoreError, match=r"b\.md: a lone surrogate"):
        export_index(library.store, tmp_path / "tables")
    assert not list(tmp_path.iterdir())


def test_the_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.md").write_text(PAGES["a.md"])
    assert main(["index", "a.md", "--embedder", "hash"]) == 0
    assert main(["export", "tables"]) == 0
    assert "1 document, 1 version, " in capsys.readouterr().err
    assert main(["import", "tables"]) == 1
    assert "is there already" in capsys.readouterr().err
    assert main(["import", "tables", "--index", "copy"]) == 0
    capsys.readouterr()
    assert main(["search", "alpha", "--index", "copy", "--json"]) == 0
    found = json.loads(capsys.readouterr().out.splitlines()[0])
    assert main(["search", "alpha", "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[0]) == found


def test_datasets_of_lance(library: Library, tmp_path: Path) -> None:
    """What LanceDB opens, and what is refused."""
    import lancedb

    counts = export_index(library.store, tmp_path / "tables", format="lance")
    tables = lancedb.connect(tmp_path / "tables")
    chunks = tables.open_table("chunks")
    assert chunks.count_rows() == counts.chunks
    row = chunks.search().where("vector IS NOT NULL").limit(1).to_list()[0]
    assert chunks.search(row["vector"], vector_column_name="vector").limit(1).to_list()[0]["id"] == row["id"]
    tables.drop_table("versions")
    with pytest.raises(StoreError, match=r"versions.lance: cannot be read: no such dataset"):
        import_index(tmp_path / "tables", str(tmp_path / "index"))
    assert not (tmp_path / "index").exists()
    with pytest.raises(ConfigError, match="expected one of parquet, lance"):
        export_index(library.store, tmp_path / "more", format="orc")
    manifest = tmp_path / "tables" / "index.json"
    manifest.write_text(manifest.read_text().replace('"lance"', '"orc"'))
    with pytest.raises(ConfigError, match="got 'orc'"):
        import_index(tmp_path / "tables", str(tmp_path / "index"))


def test_data_frames(library: Library, tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    export_index(library.store, tmp_path / "tables")
    chunks = pd.read_parquet(tmp_path / "tables/chunks.parquet")
    versions = pd.read_parquet(tmp_path / "tables/versions.parquet")
    places = versions.explode("places")
    places = pd.concat(
        [places[["doc", "number", "text"]], pd.json_normalize(places["places"]).set_index(places.index)], axis=1
    )
    assert set(chunks["id"]) <= set(places["id"])
    assert len(chunks["vector"].iloc[0]) == library.store.settings.dimensions


def test_into_postgresql_and_back(library: Library, tmp_path: Path) -> None:
    export_index(library.store, tmp_path / "tables")
    url = shared_server().url(query=f"schema=e_{uuid4().hex}")
    counts = import_index(tmp_path / "tables", url)
    with pytest.raises(StoreError, match="there is an index at this address already"):
        import_index(tmp_path / "tables", url)
    store = open_store(url)
    try:
        assert contents(store) == contents(library.store)
        assert export_index(store, tmp_path / "again") == counts
    finally:
        store.close()
