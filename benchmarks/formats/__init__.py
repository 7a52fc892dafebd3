"""Fidelity and speed of the parsers, one script for each family of formats."""
