"""An index as tables and back: documents, versions with their texts, and chunks with their vectors.

A folder holds three tables, each ordered by document, and `index.json`. Both ways read and write some rows at a time.
Old versions are written again in their order through the same `Writer` as any
change, so that every store can be imported into, and checks what it gets.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from seamline.errors import ConfigError, IndexMissing, StoreError
from seamline.index.config import SCHEMA, recipe_of
from seamline.index.table_files import GrowingTable, TableFormat, table_format
from seamline.protocols import Reader, Store, Writer
from seamline.records import Change, Entry, EntryPlace, Head, Settings, Version
from seamline.store import codec, create_store, is_address, open_store
from seamline.text.words import ANALYZER

if TYPE_CHECKING:
    import pyarrow as pa

FORMAT = 1
"""Of the tables: a change that an older Seamline would read wrongly makes it one more."""
MANIFEST = "index.json"
DOCUMENTS, VERSIONS, CHUNKS = "documents", "versions", "chunks"
_WEIGHT = 16 << 20
"""About how many bytes are held before they are written: a row group of a table, or a batch of changes."""
_VECTORS = ("vector", "summary_vector")
_LATER = ("parts",)
"""Columns that an export of an older Seamline lacks."""


class TransferCounts(NamedTuple):
    """What was written."""

    documents: int
    """Those that are gone included."""
    versions: int
    chunks: int
    """Entries of all levels: chunks, sections and texts about chunks."""


# --- out -------------------------------------------------------------------------------------------------------------


def export_index(store: Store, folder: str | Path, *, format: str = "parquet") -> TransferCounts:
    """Write one state of an index into a new folder, which appears when all of it is there; `format` is parquet or
    lance. A StoreError where something is there already, or a text cannot be written."""
    files = table_format(format)
    target = Path(folder)
    _refuse_existing(target)
    with _staged(target, ".exporting") as staging:
        os.mkdir(staging, 0o700)  # it holds the texts of the index, which only its owner may read
        with store.reader() as reader:
            counts = _write_tables(reader, store.settings, staging, files)
        about = {"format": FORMAT, "tables": files.name, **counts._asdict()}
        about["settings"] = json.loads(codec.pack_settings(store.settings))
        (staging / MANIFEST).write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
    return counts


def _write_tables(reader: Reader, settings: Settings, folder: Path, format: TableFormat) -> TransferCounts:
    documents = versions = chunks = 0
    schemas = _schemas(settings.dimensions)
    with ExitStack() as files:
        tables = {
            name: _TableWriter(format.create(format.path(folder, name), schema), schema)
            for name, schema in schemas.items()
        }
        for table in tables.values():
            files.callback(table.finish)
        for head in reader.heads():
            documents += 1
            tables[DOCUMENTS].add(_head_row(head), 200)
            for number in reader.versions(head.doc):
                version = reader.version(head.doc, number)
                if version is None:
                    raise StoreError(f"{head.doc}: version {number} cannot be read: run `seamline doctor --verify`")
                versions += 1
                tables[VERSIONS].add(_version_row(version), 4 * len(version.text) + 200 * len(version.places))
        for entry in reader.select(vectors=True):
            chunks += 1
            tables[CHUNKS].add(_entry_row(entry), _weigh_entry(entry, settings.dimensions))
    return TransferCounts(documents, versions, chunks)


class _TableWriter:
    """A table that is written some rows at a time."""

    def __init__(self, file: GrowingTable, schema: pa.Schema) -> None:
        self._schema = schema
        self._rows: list[dict[str, Any]] = []
        self._weight = 0
        self._file = file

    def add(self, row: dict[str, Any], weight: int) -> None:
        self._rows.append(row)
        self._weight += weight
        if self._weight >= _WEIGHT:
            self._flush()

    def finish(self) -> None:
        try:
            self._flush()
        finally:
            self._file.close()

    def _flush(self) -> None:
        import pyarrow as pa

        rows, self._rows, self._weight = self._rows, [], 0
        try:
            table = pa.Table.from_pylist(rows, schema=self._schema)
        except UnicodeEncodeError:
            wrong = next(row["doc"] for row in rows if not _is_unicode(row))
            raise StoreError(
                f"{wrong}: a lone surrogate in its text, which no table can hold: repair or remove the document"
            ) from None
        self._file.write_table(table)


def _is_unicode(row: Mapping[str, Any]) -> bool:
    try:
        json.dumps(
            {name: value for name, value in row.items() if name not in _VECTORS}, default=str, ensure_ascii=False
        ).encode()
    except UnicodeEncodeError:
        return False
    return True


def _head_row(head: Head) -> dict[str, Any]:
    return {name: getattr(head, name) for name in Head.__dataclass_fields__}


def _version_row(version: Version) -> dict[str, Any]:
    places = [
        {**place._asdict(), "anchor": json.dumps(place.anchor), "path": [*place.path]} for place in version.places
    ]
    return {**{name: getattr(version, name) for name in Version.__dataclass_fields__}, "places": places}


def _entry_row(entry: Entry) -> dict[str, Any]:
    row = {name: getattr(entry, name) for name in Entry.__dataclass_fields__}
    parts = None if entry.parts is None else codec.pack_parts(entry.parts)
    return {**row, "path": [*entry.path], "meta": codec.pack_meta(entry.meta), "parts": parts}


def _weigh_entry(entry: Entry, dimensions: int) -> int:
    parts = 0 if entry.parts is None else entry.parts.nbytes
    return 4 * len(entry.text) + 8 * dimensions + parts + 1000


def _schemas(dimensions: int) -> dict[str, pa.Schema]:
    """The columns of each table: the fields of `Head`, `Version` and `Entry`."""
    import pyarrow as pa

    text, whole, time, texts = pa.string(), pa.int64(), pa.timestamp("us", "UTC"), pa.list_(pa.string())
    vector = pa.list_(pa.float32(), dimensions)
    place = {"id": text, "level": whole, "start": whole, "end": whole, "anchor": text, "path": texts}
    head: dict[str, Any] = {"version": whole, "entries": whole, "chunks": whole, "tokens": whole, "indexed_at": time}
    head["deleted"] = pa.bool_()
    version: dict[str, Any] = {"number": whole, "indexed_at": time}
    version["places"] = pa.list_(pa.struct(list(place.items())))
    entry: dict[str, Any] = dict.fromkeys(("level", "lead", "tail", "tokens", "sketch"), whole)
    entry |= {"path": texts, "updated_at": time, "created_at": time, "authority": pa.float64()}
    entry |= {"coherence": pa.float64(), "vector": vector, "summary_vector": vector}
    entry["parts"] = pa.binary()
    kinds: tuple[type[Head] | type[Version] | type[Entry], ...] = (Head, Version, Entry)
    tables = dict(zip((DOCUMENTS, VERSIONS, CHUNKS), zip(kinds, (head, version, entry), strict=True), strict=True))
    return {
        name: pa.schema([(field, types.get(field, text)) for field in kind.__dataclass_fields__])
        for name, (kind, types) in tables.items()
    }


# --- in --------------------------------------------------------------------------------------------------------------


def import_index(folder: str | Path, place: str, *, root: str = "") -> TransferCounts:
    """Make an index at a place of what `export_index` wrote. A StoreError where an index is there already, or the
    tables are not whole. `root` is that of `create_store`. No model is loaded, and no source is followed.

    A folder appears when all of it is there. In a database, an import that fails leaves the documents until then.
    """
    source = Path(folder)
    settings, expected, format = _manifest(source)
    files = table_format(format)
    scheme, local = ("lance:", place.removeprefix("lance:")) if place.startswith("lance:") else ("", place)
    if is_address(place) and not scheme:
        if place.startswith("memory:"):
            raise ConfigError("an index in memory would end with its import: name a folder or a database")
        _refuse_index(place)
        return _fill(create_store(place, settings), source, expected, files)
    _refuse_existing(Path(local))
    Path(local).absolute().parent.mkdir(parents=True, exist_ok=True)
    with _staged(Path(local), ".importing") as staging:
        return _fill(create_store(f"{scheme}{staging}", settings, root=root), source, expected, files)


def _manifest(folder: Path) -> tuple[Settings, TransferCounts, str]:
    path = folder / MANIFEST
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
        version = about["format"]
        counts = TransferCounts(*(int(about[name]) for name in TransferCounts._fields))
        settings = codec.unpack_settings(json.dumps(about["settings"]))
        format = str(about.get("tables", "parquet"))
    except FileNotFoundError:
        raise StoreError(f"{folder}: no {MANIFEST} there: name a folder that `seamline export` made") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StoreError(f"{path}: cannot be read: {error}") from error
    if version != FORMAT or settings.schema != SCHEMA or settings.analyzer != ANALYZER:
        raise StoreError(f"{folder}: exported by another version of Seamline: index the documents again")
    recipe_of(settings)  # refuses a recipe that is none
    return settings, counts, format


def _fill(store: Store, folder: Path, expected: TransferCounts, format: TableFormat) -> TransferCounts:
    """Write all tables of a folder into an empty store, and close it."""
    with ExitStack() as stack:
        stack.callback(store.close)
        tables = _TableReader(folder, store.settings, format)
        writer = stack.enter_context(store.writer())
        batch: list[Change] = []
        weight = 0
        for change in tables.changes():
            batch.append(change)
            weight += _weigh(change, store.settings.dimensions)
            if weight >= _WEIGHT:
                _apply(writer, batch)
                batch, weight = [], 0
        _apply(writer, batch)
        counts = TransferCounts(*(tables.read[name] for name in (DOCUMENTS, VERSIONS, CHUNKS)))
        if counts != expected:
            raise StoreError(f"{folder}: expected {expected}, found {counts}: export again")
        writer.tidy()
    return counts


def _weigh(change: Change, dimensions: int) -> int:
    text = 4 * len(change.version.text) if change.version else 0
    return sum(_weigh_entry(entry, dimensions) for entry in change.put) + text + 1000


def _apply(writer: Writer, changes: Iterable[Change]) -> None:
    """Write changes in their order, in few transactions: one holds at most one change of a document."""
    left = list(changes)
    while left:
        now: dict[str, Change] = {}
        later = []
        for change in left:
            if now.setdefault(change.head.doc, change) is not change:
                later.append(change)
        writer.apply([*now.values()])
        left = later


class _TableReader:
    """The tables of a folder, read beside each other by document."""

    def __init__(self, folder: Path, settings: Settings, format: TableFormat) -> None:
        self._folder = folder
        self._settings = settings
        self._format = format
        self.read = dict.fromkeys((DOCUMENTS, VERSIONS, CHUNKS), 0)
        self._waiting: dict[str, dict[str, Any] | None] = {}

    def changes(self) -> Iterator[Change]:
        """What makes the index, one version after the other."""
        rows = {name: self._rows(name) for name in (VERSIONS, CHUNKS)}
        self._waiting = {name: next(found, None) for name, found in rows.items()}

        def of(name: str, doc: str) -> Iterator[dict[str, Any]]:
            while (row := self._waiting[name]) is not None and row["doc"] == doc:
                yield row
                self._waiting[name] = next(rows[name], None)

        for row in self._rows(DOCUMENTS):
            head = self._value(DOCUMENTS, lambda row=row: Head(**row))  # type: ignore[misc]
            yield from self._document(head, of(VERSIONS, head.doc), of(CHUNKS, head.doc))
        for name, left in self._waiting.items():
            if left is not None:
                path = self._format.path(self._folder, name)
                raise StoreError(f"{path}: rows of {left['doc']} are not in the order of {DOCUMENTS}")

    def _document(
        self, head: Head, versions: Iterator[dict[str, Any]], entries: Iterator[dict[str, Any]]
    ) -> Iterator[Change]:
        before: set[str] = set()
        number = 0
        for row in versions:
            number += 1
            version = self._value(VERSIONS, lambda row=row: _version_of(row))  # type: ignore[misc]
            if version.number != number:
                raise StoreError(f"{head.doc}: expected version {number} in {VERSIONS}, got {version.number}")
            ids = {place.id for place in version.places}
            if number == head.version and not head.deleted:
                put = tuple(self._value(CHUNKS, lambda row=row: Entry(**row)) for row in entries)  # type: ignore[misc]
                if ids != {entry.id for entry in put}:  # or a stand-in of an older version would stay
                    raise StoreError(f"{head.doc}: its rows in {CHUNKS} are not those of version {number}")
                after = head
            else:
                put = tuple(_stand_in(version, place) for place in version.places)
                after = _head_of(version)
            yield Change(after, number - 1, version, put, tuple(sorted(before - ids)))
            before = ids
        if number != head.version:
            raise StoreError(f"{head.doc}: expected versions 1 to {head.version} in {VERSIONS}, found {number}")
        if head.deleted:
            yield Change(head, head.version, drop=tuple(sorted(before)))

    def _rows(self, name: str) -> Iterator[dict[str, Any]]:
        path = self._format.path(self._folder, name)
        wanted = _schemas(self._settings.dimensions)[name].names
        try:
            for batch in self._format.read(path, wanted, _LATER):
                for row in _batch_rows(batch):
                    self.read[name] += 1
                    yield row
        except (OSError, ValueError, RuntimeError) as error:  # what pyarrow and LanceDB raise
            raise StoreError(f"{path}: cannot be read: {error}") from error

    def _value(self, name: str, make: Callable[[], Any]) -> Any:
        try:
            return make()
        except (TypeError, ValueError, KeyError, AttributeError) as error:
            raise StoreError(f"{self._format.path(self._folder, name)}: a row cannot be read: {error}") from error


def _batch_rows(batch: pa.RecordBatch) -> Iterator[dict[str, Any]]:
    """Rows as the fields of a record; vectors as arrays, which are not made of one Python number each."""
    vectors = [name for name in _VECTORS if name in batch.schema.names]
    for number, row in enumerate(batch.drop_columns(vectors).to_pylist() if vectors else batch.to_pylist()):
        for name in vectors:
            value = batch.column(name)[number]
            row[name] = value.values.to_numpy(zero_copy_only=False).astype("<f4") if value.is_valid else None
        if "meta" in row:
            row |= {"meta": codec.unpack_meta(row["meta"]), "path": tuple(row["path"])}
        if row.get("parts") is not None:
            row["parts"] = codec.unpack_parts(row["parts"])
        yield row


def _version_of(row: Mapping[str, Any]) -> Version:
    places = tuple(
        EntryPlace(**{**place, "anchor": json.loads(place["anchor"]), "path": tuple(place["path"])})
        for place in row["places"]
    )
    return Version(**{**row, "places": places})


def _head_of(version: Version) -> Head:
    """The head that a document had while a version was its current one, as far as the versions tell."""
    return Head(
        doc=version.doc,
        version=version.number,
        revision=version.revision,
        uri=version.uri,
        title=version.title,
        entries=len(version.places),
        chunks=sum(place.level == 0 for place in version.places),
        tokens=0,
        indexed_at=version.indexed_at,
    )


def _stand_in(version: Version, place: EntryPlace) -> Entry:
    """An entry of an old version, which is replaced or dropped by the next: an index keeps only its place."""
    return Entry(
        id=place.id,
        doc=version.doc,
        level=place.level,
        parent="",
        kind="paragraph",
        title="",
        path=(),
        text="",
        lead=0,
        tail=0,
        tokens=0,
        content_hash="",
        sketch=0,
        updated_at=version.indexed_at,
    )


# --- places ----------------------------------------------------------------------------------------------------------


def _refuse_existing(path: Path) -> None:
    if os.path.lexists(path):
        raise StoreError(f"{path} is there already, and nothing is overwritten: name another place, or remove it first")


def _refuse_index(url: str) -> None:
    try:
        open_store(url).close()
    except IndexMissing:
        return
    raise StoreError("there is an index at this address already, and nothing is overwritten: name another schema")


@contextmanager
def _staged(target: Path, suffix: str) -> Iterator[Path]:
    """Where a folder is made before it takes its name; nothing is left of it where that fails."""
    staging = target.with_name(target.name + suffix)
    if os.path.lexists(staging):
        raise StoreError(f"{staging} was left by a run that was stopped: remove it first")
    try:
        yield staging
        os.rename(staging, target)
    except OSError as error:
        raise StoreError(f"{target}: cannot be written: {error.strerror or error}") from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)
