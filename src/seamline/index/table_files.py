"""The tables of an export as files: one Parquet file for each, or one dataset of Lance.

Parquet has checksums in its pages, which are compared when it is read. Lance has none, but is what vector stores and
lakehouses open without a copy; it is written and read by LanceDB.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from seamline.errors import ConfigError, StoreError, needed

if TYPE_CHECKING:
    import pyarrow as pa

ROWS = 256
"""Rows that are read at once."""


class GrowingTable(Protocol):
    """A table that is being written."""

    def write_table(self, table: pa.Table) -> None: ...

    def close(self) -> None: ...


class TableFormat(Protocol):
    """How tables are kept in a folder."""

    name: str

    def path(self, folder: Path, table: str) -> Path:
        """Where a table is."""
        ...

    def create(self, path: Path, schema: pa.Schema) -> GrowingTable: ...

    def read(self, path: Path, columns: Sequence[str], optional: Collection[str]) -> Iterator[pa.RecordBatch]:
        """The rows in the order in which they were written, without those of the optional columns that the table lacks.
        A StoreError where another column is missing; OSError, ValueError and RuntimeError where a table cannot be
        read."""
        ...


class ParquetFormat:
    """Files by pyarrow."""

    name = "parquet"

    def __init__(self) -> None:
        with needed("pyarrow, which reads and writes Parquet,", "tables"):
            import pyarrow.parquet
        self._parquet: Any = pyarrow.parquet

    def path(self, folder: Path, table: str) -> Path:
        return folder / f"{table}.parquet"

    def create(self, path: Path, schema: pa.Schema) -> GrowingTable:
        made: GrowingTable = self._parquet.ParquetWriter(path, schema, compression="zstd", write_page_checksum=True)
        return made

    def read(self, path: Path, columns: Sequence[str], optional: Collection[str]) -> Iterator[pa.RecordBatch]:
        with self._parquet.ParquetFile(path, page_checksum_verification=True) as file:
            present = columns_of(path, columns, optional, file.schema_arrow.names)
            yield from file.iter_batches(batch_size=ROWS, columns=present)


class LanceFormat:
    """Datasets by LanceDB."""

    name = "lance"

    def __init__(self) -> None:
        with needed("LanceDB, which reads and writes Lance,", "lance"):
            import lancedb
        self._lancedb: Any = lancedb

    def path(self, folder: Path, table: str) -> Path:
        return folder / f"{table}.lance"

    def create(self, path: Path, schema: pa.Schema) -> GrowingTable:
        return _LanceFile(self._lancedb.connect(path.parent).create_table(path.stem, schema=schema))

    def read(self, path: Path, columns: Sequence[str], optional: Collection[str]) -> Iterator[pa.RecordBatch]:
        if not path.is_dir():
            raise FileNotFoundError(f"no such dataset: {path.name}")
        table = self._lancedb.connect(path.parent).open_table(path.stem)
        present = columns_of(path, columns, optional, table.schema.names)
        yield from table.search().select(present).to_batches(ROWS)


class _LanceFile:
    """A dataset that grows by a fragment for every piece."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def write_table(self, table: pa.Table) -> None:
        if table.num_rows:
            self._table.add(table)

    def close(self) -> None:
        """Nothing is to be done: every piece is there when it was written."""


def columns_of(path: Path, wanted: Sequence[str], optional: Collection[str], found: Sequence[str]) -> list[str]:
    """Those of the wanted columns that a table has. A StoreError where it lacks one that is not optional."""
    if lacking := [column for column in wanted if column not in found and column not in optional]:
        raise StoreError(f"{path}: the column {lacking[0]} is missing")
    return [column for column in wanted if column in found]


FORMATS: dict[str, type[ParquetFormat] | type[LanceFormat]] = {"parquet": ParquetFormat, "lance": LanceFormat}


def table_format(name: str) -> TableFormat:
    """A format by its name; a ConfigError lists those there are."""
    if name not in FORMATS:
        raise ConfigError(f"expected one of {', '.join(FORMATS)} as the format of tables, got {name!r}")
    return FORMATS[name]()
