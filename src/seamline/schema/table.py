"""Records as tables: a column for each key of a record class, with types that do not depend on the rows. What is nested
is a column of JSON. pyarrow is imported where a table is made."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol, get_type_hints

from seamline.errors import MissingExtra, needed
from seamline.schema.records import ChunkRecord, DerivedRecord, HitRecord

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

Columns = Mapping[str, Any]
"""Names of columns and the types of what is in them."""

_FORMULA_STARTS = frozenset("=+-@\t\r\n＝＋－＠")
"""What a text starts with that a spreadsheet may run as a formula, which can start programs and send cells away."""
_TEXT_MARK = "'"
"""What spreadsheets take as the start of a text."""
_BATCH = 1024
"""Rows that are written to a file together."""


def _columns(*kinds: Any) -> dict[str, Any]:
    """The keys of records; those of the first come first, and required ones before others."""
    found: dict[str, Any] = {}
    for kind in kinds:
        hints = get_type_hints(kind)
        for name in sorted(hints, key=lambda name: name not in kind.__required_keys__):
            found.setdefault(name, hints[name])
    return found


CHUNK_COLUMNS: Columns = _columns(ChunkRecord, DerivedRecord)
"""Of chunks, and of texts about chunks, which have the column `derived`."""
HIT_COLUMNS: Columns = _columns(HitRecord)


def arrow_schema(columns: Columns) -> pa.Schema:
    """The types of the columns of an Arrow table."""
    pa = _pyarrow()
    types = {
        str: pa.string(),
        int: pa.int64(),
        float: pa.float64(),
        list[str]: pa.list_(pa.string()),
        list[int]: pa.list_(pa.int64()),
        list[float]: pa.list_(pa.float64()),
    }
    return pa.schema([(name, types.get(kind, pa.string())) for name, kind in columns.items()])


def arrow_table(columns: Columns, records: Iterable[Mapping[str, Any]]) -> pa.Table:
    """A table with a row for each record."""
    pa = _pyarrow()
    return pa.Table.from_pylist([_row(columns, record) for record in records], schema=arrow_schema(columns))


def to_pandas(table: pa.Table) -> pd.DataFrame:
    """A table as a data frame."""
    try:
        import pandas  # noqa: F401 - pyarrow imports it, and says less where it is missing
    except ModuleNotFoundError as error:
        raise MissingExtra("pandas, which makes data frames,", "pip install pandas") from error
    return table.to_pandas()


_FLAT = (str, int, float, bool, list[str], list[int], list[float])


def _row(columns: Columns, record: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: record.get(name) if kind in _FLAT else _json(record[name]) if name in record else None
        for name, kind in columns.items()
    }


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _pyarrow() -> Any:
    with needed("pyarrow, which makes Arrow tables,", "tables"):
        import pyarrow
    return pyarrow


# --- files -----------------------------------------------------------------------------------------------------------


class BinaryFile(Protocol):
    """Where a table is written to."""

    def write(self, data: bytes, /) -> int: ...


class TableFile(Protocol):
    """A table that is written row by row."""

    def add(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Write more rows."""

    def finish(self) -> None:
        """Write what ends a file of this kind; without it the file cannot be read."""


class CsvFile:
    """Separated values in UTF-8; lists and what is nested are JSON.

    A spreadsheet runs a cell that looks like a formula, also where it is quoted. Such a cell gets an apostrophe before
    it, and so does one that starts with an apostrophe: whoever takes away the first of a cell has the exact text.
    """

    def __init__(self, file: BinaryFile, columns: Columns) -> None:
        self._file = file
        self._columns = columns
        self._write([tuple(columns)])

    def add(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Write more rows."""
        self._write([_cell(record.get(name)) for name in self._columns] for record in records)

    def finish(self) -> None:
        """Nothing is left to be written."""

    def _write(self, rows: Iterable[Iterable[object]]) -> None:
        csv.writer(_Encoded(self._file), lineterminator="\n").writerows(rows)


class _Encoded:
    """Text that is written as UTF-8."""

    def __init__(self, file: BinaryFile) -> None:
        self._file = file

    def write(self, text: str) -> int:
        return self._file.write(text.encode())


def _cell(value: Any) -> Any:
    if isinstance(value, str) and (value[:1] in _FORMULA_STARTS or value.startswith(_TEXT_MARK)):
        return _TEXT_MARK + value
    return _json(value) if isinstance(value, list | dict) else value


class ArrowFile:
    """An Arrow IPC file, or a Parquet file."""

    def __init__(self, file: BinaryFile, columns: Columns, *, parquet: bool) -> None:
        pa = _pyarrow()
        self._columns = columns
        self._schema = arrow_schema(columns)
        self._waiting: list[dict[str, Any]] = []
        self._is_finished = False
        if parquet:
            import pyarrow.parquet

            self._writer = pyarrow.parquet.ParquetWriter(file, self._schema)
        else:
            self._writer = pa.ipc.new_file(file, self._schema)

    def add(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Write more rows, some at a time: a row group for each small document would take more than its text."""
        self._waiting += (_row(self._columns, record) for record in records)
        if len(self._waiting) >= _BATCH:
            self._flush()

    def finish(self) -> None:
        """Write what is waiting, and the end of the file; once, however often it is called."""
        if not self._is_finished:
            self._is_finished = True
            self._flush()
            self._writer.close()

    def _flush(self) -> None:
        if self._waiting:
            self._writer.write_table(_pyarrow().Table.from_pylist(self._waiting, schema=self._schema))
            self._waiting = []


def open_table(file: BinaryFile, suffix: str) -> TableFile:
    """A table of chunks that is written to a file of this ending: .csv, .parquet or .arrow."""
    if suffix == ".csv":
        return CsvFile(file, CHUNK_COLUMNS)
    return ArrowFile(file, CHUNK_COLUMNS, parquet=suffix == ".parquet")


def rows_of(lines: str) -> Iterator[dict[str, Any]]:
    """The records of JSON lines."""
    return (json.loads(line) for line in lines.split("\n") if line)
