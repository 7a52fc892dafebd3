"""Parquet files: their schema and their rows, read batch by batch."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from seamline.errors import ParseError
from seamline.extras import needed
from seamline.parse.database import Tables
from seamline.parse.raw import Parsed, Raw
from seamline.types import Notice

_BATCH = 1000
_TYPES = (
    (re.compile(r"u?int\d+"), "integer"),
    (re.compile(r"half_?float|float|double|decimal.*"), "number"),
    (re.compile(r"(?:large_)?(?:string|utf8)(?:_view)?"), "text"),
    (re.compile(r"bool"), "boolean"),
    (re.compile(r"date.*|timestamp.*"), "date"),
)


def parse(raw: Raw) -> Parsed:
    """The one table of a file."""
    with needed("pyarrow, which reads Parquet,", "tables"):
        import pyarrow as arrow
        from pyarrow import parquet
    tables = Tables(raw.limits)
    try:
        file = parquet.ParquetFile(arrow.BufferReader(raw.data), memory_map=False)
        schema = file.schema_arrow
        columns = [(field.name, _type(str(field.type))) for field in schema]
        total = file.metadata.num_rows
    except (arrow.ArrowException, OSError, ValueError) as error:
        raise ParseError(f"no readable Parquet file ({_short(error)}): fetch it again", raw.uri) from None
    rows = _Rows(file, arrow.ArrowException)
    tables.add("", columns, rows, total)
    if rows.error:
        tables.notices.append(Notice("parquet-damaged", f"reading ended early ({rows.error}): the rest is left out"))
    text, blocks, anchors = tables.builder.finish()
    return Parsed(text, blocks, anchors=anchors, notices=tables.finish_notices())


class _Rows:
    """The rows of a file, as far as they can be read."""

    def __init__(self, file: Any, refusal: type[Exception]) -> None:
        self._file = file
        self._refusal = refusal
        self.error = ""

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        try:
            for batch in self._file.iter_batches(batch_size=_BATCH, use_threads=False):
                yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)
        except (self._refusal, OSError, ValueError, OverflowError) as error:
            self.error = _short(error)


def _type(declared: str) -> str:
    return next((kind for pattern, kind in _TYPES if pattern.fullmatch(declared)), declared)


def _short(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]
