"""From a question to passages that answer it."""
