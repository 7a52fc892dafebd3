"""Hits -> a text for a prompt within a token budget."""
