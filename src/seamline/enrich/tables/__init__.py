"""Text about tables: rows in other words, the rows of a key together, what the columns hold."""

from seamline.enrich.tables.rows import rows_text
from seamline.enrich.tables.summary import pivot, table_summary

__all__ = ["pivot", "rows_text", "table_summary"]
