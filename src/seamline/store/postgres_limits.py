"""Sizes at which a store in PostgreSQL changes its ways."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Answers are right with any numbers; these were the quickest with 100,000 entries of 384 dimensions."""

    exact_below: int = 10_000
    """Vectors of chunks, or of sections, that are compared one by one: some milliseconds, and no HNSW index to keep."""
    fold_at: int = 2000
    """Entries whose words a search may have to look through one by one; more are packed."""
    worth_folding: int = 200
    """Entries below which `tidy` leaves them unpacked: a search hardly notices."""
    scattered: int = 8
    """Small packed rows of a word that `tidy` joins."""
    few: int = 4
    """A filter that lets through no more than so many times the root of all entries is narrow: each is looked at, which
    takes 3 microseconds. HNSW is not asked: it would find many that the filter throws away again, the more the fewer
    are let through."""
