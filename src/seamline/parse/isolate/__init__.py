"""Parsers in a process of their own: how it is started, what holds it, and what goes between it and its parent."""
