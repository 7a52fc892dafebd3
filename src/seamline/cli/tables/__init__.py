"""Commands that turn an index into tables and back."""
