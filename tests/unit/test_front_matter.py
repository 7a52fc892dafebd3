"""Front matter is found, read into plain values, or left alone - and reported where it is broken."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seamline.parse.markdown.front_matter import FrontMatterBlock, split


def block(text: str) -> FrontMatterBlock:
    found = split(text)
    assert found is not None
    return found


def yaml(content: str) -> str:
    return f"---\n{content}\n---\nbody\n"


def toml(content: str) -> str:
    return f"+++\n{content}\n+++\nbody\n"


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("close", ["---", "...", "---  "])
@pytest.mark.parametrize("lead", ["", "\ufeff"])
def test_yaml_is_found_with_every_line_end(newline: str, close: str, lead: str) -> None:
    head = newline.join([lead + "---", "title: A", "tags: [x, 1]", close, ""])
    found = block(head + "body")
    assert found == FrontMatterBlock(len(lead), len(head), {"title": "A", "tags": ["x", 1]}, None)


def test_toml_is_found() -> None:
    found = block(toml("title = 'A'\n[extra]\nday = 2024-05-06\nat = 07:30:00\nx = [inf, nan]"))
    extra = {"day": "2024-05-06", "at": "07:30:00", "x": ["inf", "nan"]}
    assert found.data == {"title": "A", "extra": extra}


def test_the_end_of_the_text_closes_the_last_line() -> None:
    assert block("---\na: b\n---") == (0, 12, {"a": "b"}, None)
    assert block("---\n---\n") == (0, 8, {}, None)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# Title\n",
        "\n---\na: b\n---\n",
        " ---\na: b\n---\n",
        "---\na: b\n",  # never closed
        "----\na: b\n----\n",
        "--- a: b\n---\n",
        "+++\na = 1\n---\n",
        yaml("A plain sentence between two breaks."),
        yaml("\n# A heading\n\nand text\n"),
        yaml("- a\n- list"),
        yaml("\nNote: prose that happens to be a mapping.\n"),
        yaml("*not yaml"),
        toml("a plain sentence"),
    ],
)
def test_what_is_not_front_matter_is_left_alone(text: str) -> None:
    assert split(text) is None


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (yaml("title: A\nkey: [1, 2"), None),
        (yaml("title: A\nkey: 'x\n"), None),
        (yaml("title: A\n\tb: c"), "line 3"),
        (yaml("A sentence.\ntitle: x\n- a"), None),
        (yaml("day: 2024-13-45"), None),
        (yaml("a: 1\nx: !!python/object/apply:os.system ['true']"), "line 3"),
        (yaml("x: !!binary aGVsbG8="), "line 2"),
        (yaml("? [complex, key]\n: v\na: b"), None),
        (yaml("a: &a [*a]"), "line 2"),
        (yaml("a: " + "[" * 5000), "line 2"),
        (yaml("a: 0x" + "f" * 5000), None),
        (yaml("a: " + "9" * 5000), None),
        (yaml("key: value\n" * 10_000), "line 1"),
        (toml("a = 1\nb =\n"), "line 3"),
        (toml("a = " + "[" * 5000), None),
        (toml(".".join(["a"] * 20_000) + " = 1"), "line 2"),
    ],
)
def test_broken_front_matter_is_reported_and_spans_its_block(text: str, line: str | None) -> None:
    found = block(text)
    assert text[found.end :] == "body\n"
    assert found.data == {}
    assert found.notice is not None
    assert found.notice.code == "front-matter-broken"
    assert found.notice.where.startswith("line ")
    assert line is None or found.notice.where == line


def test_an_alias_bomb_is_refused_at_once() -> None:
    levels = [f"{b}: &{b} [{','.join([f'*{a}'] * 9)}]" for a, b in zip("abcdefgh", "bcdefghi", strict=True)]
    found = block(yaml("\n".join(["a: &a [x]", *levels])))
    assert found.notice is not None
    assert "alias" in found.notice.message


def test_a_few_aliases_are_read() -> None:
    assert block(yaml("a: &a {x: 1}\nb: *a\nc: {<<: *a, y: 2}")).data == {
        "a": {"x": 1},
        "b": {"x": 1},
        "c": {"x": 1, "y": 2},
    }


def test_values_and_keys_become_plain_json() -> None:
    data = block(
        yaml(
            "day: 2024-05-06\nat: 2024-05-06 07:08:09\nzone: 2024-05-06T07:08:09+02:00\n"
            "floats: [.inf, -.inf, .nan, 1.5]\nnone: ~\nyes: on\n2: two\n~: nothing\nid: !!str 007"
        )
    ).data
    assert data == {
        "day": "2024-05-06",
        "at": "2024-05-06T07:08:09",
        "zone": "2024-05-06T07:08:09+02:00",
        "floats": ["inf", "-inf", "nan", 1.5],
        "none": None,
        "true": True,
        "2": "two",
        "null": "nothing",
        "id": "007",
    }


@given(
    st.text(alphabet="ab:-[]{}&*!#'\"|>%@`,.?~=+<\n\r\t 019\\\u00e9\x00", max_size=80),
    st.sampled_from(["---", "+++"]),
)
def test_any_content_gives_plain_data_and_true_spans(content: str, fence: str) -> None:
    text = f"{fence}\n{content}\n{fence}\nbody"
    found = split(text)
    if found is None:
        return
    assert text[found.start :].startswith(fence)
    assert text[: found.end].rstrip().endswith((fence, "..."))
    json.dumps(found.data, allow_nan=False).encode()
    assert found.notice is None or not found.data
