"""The quick reader of front matter held against the YAML library: the same values, or none at all."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from seamline.parse.markdown.front_matter import UnusualYaml, load

USUAL = {
    "title: A page\nweight: 30\ndraft: false\nempty:\n": {
        "title": "A page",
        "weight": 30,
        "draft": False,
        "empty": None,
    },
    "date: 2024-02-29\nversion: 1.5\npatch: 1.5.2\n": {"date": "2024-02-29", "version": 1.5, "patch": "1.5.2"},
    "a: \"x: y\"\nb: '# z'\nurl: https://x.org/a#b": {"a": "x: y", "b": "# z", "url": "https://x.org/a#b"},
    "tags: [one, two words, 3, true]\nnone: []": {"tags": ["one", "two words", 3, True], "none": []},
    "tags:\n- a\n- b\nmore:\n  - c": {"tags": ["a", "b"], "more": ["c"]},
    "a:\n  b:\n    c: 1\n  d: 2\ne: 3": {"a": {"b": {"c": 1}, "d": 2}, "e": 3},
    "stages:\n  - stage: alpha\n    from: x\n  - stage: beta\n": {
        "stages": [{"stage": "alpha", "from": "x"}, {"stage": "beta"}]
    },
    "text: >\n  two\n  lines\n\nnext: |-\n  x\n  y": {"text": "two lines\n", "next": "x\ny"},
    "text: >\n  at the end": {"text": "at the end"},
    "# note\na: 1\n\n# note\nb: 2": {"a": 1, "b": 2},
    "a: 1\na: 2": {"a": 2},
    "名: x\n": None,
    "title: Überprüfung 日本": {"title": "Überprüfung 日本"},
}
"""What is read at a glance, and None where it is not."""

UNUSUAL = [
    *(
        "a: b: c",
        "a: b #c",
        "a: b:",
        "a: &x 1",
        "a: *x",
        "a: !t x",
        "a: {b: c}",
        "a: [b, [c]]",
        'a: "x\\ny"',
        "a: 'it''s'",
    ),
    *("a: b\n  c", "a:\n  b: 1\n c: 2", "a: 2024-13-45", "a: 2024-01-02T03:04:05Z", "a: 010", "a: 1_000", "a: 0x1f"),
    *(
        "a: 12:30",
        "a: .5",
        "a: -1",
        "yes: 1",
        "? a\n: b",
        "- a",
        "text",
        "a:\tb",
        "a: x\u2028y",
        "a: >\n  x\n\n  y",
        "a: |+\n  x",
    ),
    *("a: >\n  # x", " a: 1", "a: 1\n- b", "a: @x", "a: `x`", "a: %x", "", "a: >", "a: x\x85y", "a: \ufeffx"),
]

WORDS = [
    "a",
    "two words",
    "true",
    "No",
    "null",
    "1",
    "0",
    "1.5",
    "1.2.3",
    "2024-01-02",
    '"q"',
    "'s'",
    '"a: b"',
    "a:b",
    "[a, b]",
]
ODD = [
    *WORDS,
    "",
    ">",
    "|",
    ">-",
    "a: b",
    "a #b",
    "a#b",
    "[a,b]",
    "[ ]",
    "[a, ]",
    "é",
    "x: ",
    "~",
    "1e3",
    "'",
    '"',
    "- x",
    "[1,2]",
]
LINES = st.one_of(
    st.builds(
        "{}{}:{}{}".format,
        st.sampled_from(["", "", "", "  ", "    ", "- ", "  - "]),
        st.sampled_from(["a", "b", "title", "tags", "on"]),
        st.sampled_from([" ", " ", "  ", ""]),
        st.sampled_from(ODD),
    ),
    st.builds("{}{}".format, st.sampled_from(["- ", "  - ", "- - ", "  ", "    "]), st.sampled_from(ODD)),
    st.sampled_from(["", "  ", "# c", "  # c"]),
)


def library(content: str) -> Any:
    """What the YAML library reads, dates in ISO form."""
    return plain(yaml.safe_load(content))


def plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    return value.isoformat() if isinstance(value, date) else value


@pytest.mark.parametrize("content", USUAL)
def test_the_usual_is_read(content: str) -> None:
    if USUAL[content] is None:
        with pytest.raises(UnusualYaml):
            load(content)
    else:
        assert load(content) == USUAL[content] == library(content)


@pytest.mark.parametrize("content", UNUSUAL)
def test_the_unusual_is_left_to_the_library(content: str) -> None:
    with pytest.raises(UnusualYaml):
        load(content)


@settings(max_examples=2000, deadline=None)
@given(st.lists(LINES, min_size=1, max_size=6), st.sampled_from(["", "\n", "\n\n"]))
def test_it_reads_nothing_differently(lines: list[str], end: str) -> None:
    content = "\n".join(lines) + end
    try:
        values = load(content)
    except UnusualYaml:
        return
    assert repr(values) == repr(library(content))


def test_depth_is_bounded() -> None:
    with pytest.raises(UnusualYaml):
        load("".join(" " * depth + "a:\n" for depth in range(40)))
    with pytest.raises(UnusualYaml):
        load("a:\n" + "- " * 40 + "b")
