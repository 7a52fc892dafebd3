"""Parsers beside the libraries of their formats: what they find, and how fast."""
