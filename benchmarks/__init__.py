"""Benchmarks: scripts that print tables, run from the root of the repository as `python -m benchmarks.X`."""
