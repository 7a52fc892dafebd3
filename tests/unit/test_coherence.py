"""Coherence and distinctiveness, against their definitions."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from seamline.text.coherence import coherence, distinctiveness

ROWS = np.array([[1, 0, 0], [0.6, 0.8, 0], [0, 0.6, 0.8], [0, 0, 1]], np.float32)


def test_coherence_is_the_mean_cosine_of_all_pairs() -> None:
    pairs = [float(a @ b) for a, b in combinations(ROWS, 2)]
    assert coherence(ROWS) == pytest.approx(sum(pairs) / len(pairs), abs=1e-6)


def test_equal_pieces_are_coherent_and_unrelated_ones_not() -> None:
    assert coherence(np.repeat(ROWS[:1], 5, axis=0)) == pytest.approx(1)
    assert coherence(np.eye(4, dtype=np.float32)) == pytest.approx(0)
    assert coherence(np.array([[1, 0], [-1, 0]], np.float32)) == pytest.approx(-1)


def test_one_piece_is_coherent() -> None:
    assert coherence(ROWS[:1]) == 1.0
    assert coherence(ROWS[:0]) == 1.0


def test_distinctiveness_is_one_less_the_cosine_of_the_means() -> None:
    left, right = ROWS[:2].mean(axis=0), ROWS[2:].mean(axis=0)
    cosine = float(left @ right) / float(np.linalg.norm(left) * np.linalg.norm(right))
    assert distinctiveness(ROWS[:2], ROWS[2:]) == pytest.approx(1 - cosine, abs=1e-6)


def test_neighbours_that_say_the_same_are_not_distinct() -> None:
    assert distinctiveness(ROWS[:1], ROWS[:1]) == pytest.approx(0)
    assert distinctiveness(ROWS[:1], ROWS[3:]) == pytest.approx(1)
    assert distinctiveness(ROWS[:1], -ROWS[:1]) == pytest.approx(2)


def test_nothing_differs_from_what_has_no_direction() -> None:
    assert distinctiveness(ROWS, ROWS[:0]) == 0.0
    assert distinctiveness(np.array([[1, 0], [-1, 0]], np.float32), np.array([[1, 0]], np.float32)) == 0.0
