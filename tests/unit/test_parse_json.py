"""JSON and JSON lines: records as rows, keys as blocks, and everything that is no JSON kept as text."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import seamline
from seamline.parse import parse_text
from seamline.parse.parser_types import ParseInput, ParseLimits, ParseResult
from seamline.parse.tables import json as json_table
from seamline.parse.tables.json import JsonReader, nesting_depth
from seamline.testing.parsers import check_document
from seamline.types import NO_DETAIL, Document, Source

PEOPLE = [{"name": "Ada", "born": "1815-12-10", "score": 9.5, "alive": False}, {"name": "Alan", "score": 9}]


def checked(parsed: ParseResult, text: str) -> Document:
    assert parsed.text == text
    document = Document(
        "x", Source("x.json"), parsed.text, parsed.blocks, notices=parsed.notices, anchors=parsed.anchors
    )
    check_document(document)
    return document


def read(text: str) -> Document:
    return checked(json_table.parse(ParseInput(b"", text, "x.json")), text)


def read_lines(text: str) -> Document:
    return checked(json_table.parse_lines(ParseInput(b"", text, "x.jsonl")), text)


def parts(document: Document, kind: str) -> list[str]:
    return [document.text[block.start : block.end] for block in document.blocks if block.kind == kind]


def codes(document: Document) -> list[str]:
    return [notice.code for notice in document.notices]


@pytest.mark.parametrize("indent", [None, 2])
def test_the_records_of_an_array_are_rows_with_typed_columns(indent: int | None) -> None:
    text = json.dumps(PEOPLE, indent=indent)
    document = read(text)
    assert [json.loads(row) for row in parts(document, "row")] == PEOPLE
    table = document.blocks[0]
    names = (("name", "text"), ("born", "date"), ("score", "number"), ("alive", "boolean"))
    assert (table.detail or NO_DETAIL).columns == names
    assert document.place_of(document.blocks[2].span)["record"] == 2


def test_it_goes_through_the_process_apart() -> None:
    document = parse_text(json.dumps(PEOPLE), media_type="application/json", uri="x.json")
    check_document(document)
    assert document.place_of(document.blocks[2].span)["records"] == [2, 2]


def test_each_key_of_a_compact_object_is_a_block() -> None:
    document = read('{"a":1,"b":[1,2],"c":{"d":"e"}}')
    assert parts(document, "code") == ['{"a":1,', '"b":[1,2],', '"c":{"d":"e"}}']


def test_pieces_of_a_large_object_open_with_the_keys_above_them() -> None:
    value = {"paths": {f"/things/{i}": {"get": {"summary": "Gets the thing " * 6, "id": i}} for i in range(12)}}
    document = read(json.dumps(value, indent=2))
    chunks = seamline.chunk(document, limit=128)
    assert len(chunks) > 3
    assert all('"paths": {' in chunk.text for chunk in chunks)
    inner = next(chunk for chunk in chunks if '"/things/7"' in chunk.text)
    assert inner.text.startswith('{\n"paths": {\n')
    assert inner.text.rstrip().endswith("}\n}")


def test_a_list_under_a_key_is_a_table_under_that_key() -> None:
    value = {"version": 2, "items": [{"id": i, "note": "about the item " * 4} for i in range(30)]}
    for indent in (None, 2):
        document = read(json.dumps(value, indent=indent))
        assert len(parts(document, "row")) == 31
        late = seamline.chunk(document, limit=128)[-2]
        assert '"items": [\n' in late.text
        assert late.closing.startswith("\n]")


@pytest.mark.parametrize(
    ("text", "code", "rows"),
    [
        ('[{"id":1,"text":"a"},{"id":2,"te', "json-broken", 1),
        ('[{"id":1} {"id":2}]', "json-broken", 1),
        ('{// c\n"a":1,/* x */"b":2,}', "json-broken", 0),
        ('{"a":1}}}}', "json-trailing", 0),
        ("[1,2] and more", "json-trailing", 2),
        ("nonsense", "json-broken", 0),
        ('{"a": NaN, "b": -Infinity}', "json-constant", 0),
        ('{"a":"\\ud800"}', "json-half-character", 0),
        ('{"a":"\\udc00\\ud800"}', "json-half-character", 0),
        ("", "table-empty", 0),
        (" \n", "table-empty", 0),
        ("\ufeff", "table-empty", 0),
    ],
)
def test_what_is_no_json_is_kept_and_noted(text: str, code: str, rows: int) -> None:
    document = read(text)
    assert code in codes(document)
    assert len(parts(document, "row")) == rows


@pytest.mark.parametrize(
    "text",
    [
        '{"a":1,"a":2}',
        '{"n": ' + "9" * 5000 + "}",
        '{"a":"x\\u0000y"}',
        '"a string"',
        "17",
        "[]",
        "{}",
        '{"a":"\\ud83d\\ude00"}',
        '\ufeff{"a":1}',
        '{"__proto__":{"x":1}}',
        '["line\u2028end"]',
    ],
)
def test_what_is_odd_but_right_is_read_without_a_word(text: str) -> None:
    assert not read(text).notices


def test_what_nests_too_deep_is_text() -> None:
    for text in ("[" * 100_000 + "]" * 100_000, '{"a":' * 5000 + "1" + "}" * 5000):
        document = read(text)
        assert codes(document) == ["json-deep"]
        assert [block.kind for block in document.blocks] == ["code"]


def test_depth_counts_brackets_outside_strings() -> None:
    assert nesting_depth('{"a": "[[[[", "b": [1, [2]], "c\\"[": {}}') == 3
    assert nesting_depth("") == 0


def test_brackets_are_counted_where_a_text_is_too_large_to_decode() -> None:
    text = '[{"a":"]}"},[1,[2]],"x"]'
    counted, decoded = JsonReader(text), JsonReader(text)
    counted._is_large = True
    assert counted.contents(0) == decoded.contents(0)
    broken = JsonReader('[{"a":1')
    broken._is_large = True
    assert broken.contents(0).broken is not None


def test_lines_are_records() -> None:
    document = read_lines('{"id":1,"t":"x"}\r\n\n{"id":2,"t":"u\u2028v"}\n[3]\n"four"\n')
    assert parts(document, "row") == ['{"id":1,"t":"x"}', '{"id":2,"t":"u\u2028v"}', "[3]", '"four"']
    assert document.place_of(document.blocks[2].span) == {"lines": [3, 3], "record": 2, "records": [2, 2]}
    assert not document.notices


def test_a_bad_line_is_kept_and_the_good_ones_survive() -> None:
    document = read_lines('{"id":1}\n{"id":2\n{"id":3}\n{"id":4} x\n' + "[" * 300 + "\n")
    assert len(parts(document, "row")) == 5
    assert codes(document) == ["json-line-broken"]
    assert document.notices[0].message.startswith("3 of 5 ")
    assert document.notices[0].where == "line 2"


def test_the_limit_of_depth_is_the_one_that_was_given() -> None:
    text = '{"a":{"b":{"c":1}}}'
    assert not json_table.parse(ParseInput(b"", text, limits=ParseLimits(depth=3))).notices
    assert json_table.parse(ParseInput(b"", text, limits=ParseLimits(depth=2))).notices[0].code == "json-deep"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


@given(JSON, st.sampled_from([None, 1]))
def test_any_json_is_a_document(value: object, indent: int | None) -> None:
    read(json.dumps(value, indent=indent, ensure_ascii=True))


@given(st.text(st.sampled_from('{}[]",:\\ \n1aue\ufeff'), max_size=50))
def test_any_text_is_a_document(text: str) -> None:
    read(text)
    read_lines(text)
