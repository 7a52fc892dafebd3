"""Filters as SQL: what a user wrote is only ever a parameter. What they mean is held to by the contract."""

from __future__ import annotations

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seamline.filters.tree import FIELDS, META, All, Any, Filter, Not, Operator, Test
from seamline.store.postgres.filter import condition
from seamline.testing.entries import WEIRD, filters

EXAMPLES = int(os.environ.get("SEAMLINE_EXAMPLES", "120"))
law = settings(max_examples=EXAMPLES, deadline=None)
OPERATORS: tuple[Operator, ...] = ("=", "!=", "<", "<=", ">", ">=", "has", "starts", "exists")


def text_of(where: Filter) -> str:
    return condition(where).text.as_string()


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("field", [*FIELDS, "meta.team"])
def test_the_text_does_not_depend_on_the_value(field: str, operator: Operator) -> None:
    assert len({text_of(Test(field, operator, value)) for value in (*WEIRD, "plain")}) == 1


@pytest.mark.parametrize("operator", OPERATORS)
def test_the_text_does_not_depend_on_the_name_of_a_field(operator: Operator) -> None:
    assert len({text_of(Test(META + name, operator, "x")) for name in (*WEIRD, "team", "")}) == 1


@pytest.mark.parametrize("name", ["text", "key", "doc = '' or 1=1; --", 'doc"; drop table entries; --', "", "id "])
def test_a_field_that_cannot_be_filtered_by_is_in_no_entry(name: str) -> None:
    assert text_of(Test(name, "=", "x")) == "FALSE"


@law
@given(filters())
def test_there_is_a_value_for_every_placeholder(where: Filter) -> None:
    text, values = condition(where)
    assert text.as_string().count("%s") == len(values)


@law
@given(st.recursive(st.sampled_from([All(()), Any(())]), lambda inner: st.one_of(inner.map(Not)), max_leaves=4))
def test_filters_without_tests_need_no_values(where: Filter) -> None:
    assert condition(where).values == ()
