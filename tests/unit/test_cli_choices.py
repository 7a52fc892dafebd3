"""Choices that the command line repeats, so that it starts quickly: they are those of the code."""

from __future__ import annotations

from typing import get_args

from seamline.cli import asking
from seamline.search.expand import Mode
from seamline.search.fuse import Fusion
from seamline.search.options import LegChoice, SearchOptions
from seamline.search.prompt.budget import Packing
from seamline.search.prompt.render import Sources


def test_the_choices_of_a_search() -> None:
    known = {asking.LEGS: LegChoice, asking.MODES: Mode, asking.FUSIONS: Fusion}
    for choices, type_ in {**known, asking.PACKINGS: Packing, asking.SOURCES: Sources}.items():
        assert sorted(choices) == sorted(get_args(type_))


def test_the_defaults_of_a_search() -> None:
    plain = SearchOptions()
    defaults = (asking.LEGS[0], asking.MODES[0], asking.FUSIONS[0], asking.ALPHA)
    assert defaults == (plain.legs, plain.mode, plain.fusion, plain.alpha)
