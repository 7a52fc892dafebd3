"""Filters over documents and chunks: a typed tree, its text form, and what makes sense."""
