"""Chunks as tables, and the JSON Schemas of all records."""

from __future__ import annotations

from seamline.schema.json_schema import RECORDS, json_schema, object_schema
from seamline.schema.table import TableFile, open_table, rows_of

__all__ = ["RECORDS", "TableFile", "json_schema", "object_schema", "open_table", "rows_of"]
