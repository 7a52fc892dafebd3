"""Tables in files of their own: CSV, TSV, JSON, Parquet, SQLite."""
