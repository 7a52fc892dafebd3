"""The check of answers against the shapes that are asked for."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seamline.errors import ConfigError
from seamline.llm.schema import check_schema, problem

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "claims": {
            "type": "array",
            "maxItems": 3,
            "items": {
                "type": "object",
                "properties": {
                    "text": {"type": "string", "minLength": 2, "maxLength": 9},
                    "sources": {"type": "array", "minItems": 1, "items": {"type": "integer", "minimum": 1}},
                    "sure": {"type": "number", "minimum": 0, "maximum": 1},
                    "kind": {"type": "string", "enum": ["fact", "view"]},
                    "new": {"type": "boolean"},
                },
                "required": ["text", "sources"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["claims"],
}


def claim(**parts: Any) -> dict[str, Any]:
    return {"claims": [{"text": "abc", "sources": [1], **parts}]}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (claim(), ""),
        (claim(sure=0.5, kind="view", new=True), ""),
        (claim(sources=[2.0]), ""),
        ([], "$: expected object, got a list"),
        ({}, "$.claims: missing"),
        ({"claims": {}}, "$.claims: expected array, got an object"),
        ({"claims": [{}]}, "$.claims[0].text: missing"),
        (claim(text=5), "$.claims[0].text: expected string, got 5"),
        (claim(text="x"), "$.claims[0].text: expected at least 2 characters, got 1"),
        (claim(text="x" * 10), "$.claims[0].text: expected at most 9 characters, got 10"),
        (claim(sources=[]), "$.claims[0].sources: expected at least 1 items, got 0"),
        (claim(sources=[1, 0]), "$.claims[0].sources[1]: expected a number within 1.., got 0"),
        (claim(sources=[1.5]), "$.claims[0].sources[0]: expected integer, got 1.5"),
        (claim(sources=[float("inf")]), "$.claims[0].sources[0]: expected integer, got inf"),
        (claim(sources=[True]), "$.claims[0].sources[0]: expected integer, got True"),
        (claim(sure=1.5), "$.claims[0].sure: expected a number within 0..1, got 1.5"),
        (claim(kind="lie"), "$.claims[0].kind: expected one of fact, view, got 'lie'"),
        (claim(new=1), "$.claims[0].new: expected boolean, got 1"),
        (claim(odd=1), "$.claims[0]: 'odd' is not asked for"),
        ({"claims": [claim()["claims"][0]] * 4}, "$.claims: expected at most 3 items, got 4"),
        (
            claim(kind="l" * 99),
            "$.claims[0].kind: expected one of fact, view, got 'llllllllllllllllllllllllllllllllllll...",
        ),
    ],
)
def test_the_first_problem_is_named_with_its_path(value: Any, expected: str) -> None:
    assert problem(value, SCHEMA) == expected


@pytest.mark.parametrize(
    ("schema", "path"),
    [
        ({"type": "object", "oneOf": []}, "$"),
        ({"type": "thing"}, "$"),
        ({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "null"}}}}, "$.a[]"),
    ],
)
def test_a_schema_that_says_more_than_is_checked_is_refused(schema: dict[str, Any], path: str) -> None:
    with pytest.raises(ConfigError) as caught:
        check_schema(schema)
    assert caught.value.path == path


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["claims", "text", "sources", "x"]), inner),
    max_leaves=12,
)


@given(JSON)
def test_no_value_breaks_the_check(value: Any) -> None:
    found = problem(value, SCHEMA)
    assert found.startswith("$") or (isinstance(value, dict) and isinstance(value["claims"], list))
