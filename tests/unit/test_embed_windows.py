"""Windows of a long text: they tile it, keep the bound, and start at words."""

from __future__ import annotations

import os
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seamline.embed.windows import windows, word_starts

law = settings(max_examples=int(os.environ.get("SEAMLINE_EXAMPLES", "120")), deadline=None)


@st.composite
def words(draw: st.DrawFn) -> list[int]:
    """The number of the word that each token belongs to."""
    lengths = draw(st.lists(st.one_of(st.integers(1, 4), st.integers(1, 60)), max_size=120))
    return [word for word, length in enumerate(lengths) for _ in range(length)]


@law
@given(words(), st.integers(1, 50))
def test_windows_tile_the_tokens_and_keep_the_bound(tokens: list[int], room: int) -> None:
    found = windows(len(tokens), room, word_starts(tokens))
    assert found[0][0] == 0
    assert found[-1][1] == len(tokens)
    assert all(one[1] == two[0] for one, two in pairwise(found))
    assert all(end - start <= room for start, end in found)
    assert all(start < end for start, end in found) or not tokens


@law
@given(words(), st.integers(8, 50))
def test_only_a_word_that_fills_half_a_window_is_cut(tokens: list[int], room: int) -> None:
    for start, _ in windows(len(tokens), room, word_starts(tokens))[1:]:
        word = tokens[start]
        assert tokens[start - 1] != word or tokens.count(word) * 2 >= room


@law
@given(st.integers(1, 5000), st.integers(1, 300))
def test_where_every_token_is_a_word_windows_are_few_and_even(tokens: int, room: int) -> None:
    sizes = [end - start for start, end in windows(tokens, room, range(1, tokens))]
    assert len(sizes) == -(-tokens // room)
    assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize(
    ("ids", "starts"), [([], []), ([0], []), ([0, 0, 1, 1, 2], [2, 4]), ([None, 0, 0, None], [1, 3])]
)
def test_words_start_where_the_number_changes(ids: list[int | None], starts: list[int]) -> None:
    assert word_starts(ids) == starts
