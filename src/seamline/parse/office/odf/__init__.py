"""OpenDocument: texts, slides and sheets."""
