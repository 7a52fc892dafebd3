"""An index in PostgreSQL with pgvector."""
