"""The codec: what is packed comes back, what changed is seen, what is damaged is refused."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta, timezone
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seamline.errors import StoreError
from seamline.records import Entry, EntryPlace, MetaValue, Settings, SourceSpan, Version
from seamline.store import codec
from seamline.testing.entries import AXES, NOON, SETTINGS, WEIRD, changed, entry, metas, moments, version_of

EXAMPLES = int(os.environ.get("SEAMLINE_EXAMPLES", "120"))
law = settings(max_examples=EXAMPLES, deadline=None, print_blob=True)
any_text = st.one_of(st.text(st.characters()), st.lists(st.sampled_from(WEIRD)).map("".join))
ENTRY = replace(
    entry("a.md", "body", lead="# H\n\n", tail="\n"),
    parent="p",
    created_at=NOON,
    language="en",
    coherence=0.5,
    summary="s",
    before="b",
    after="a",
    meta={"team": "infra", "n": 3.0},
    summary_vector=AXES[2],
)


# --- round trips ------------------------------------------------------------------------------------------------------


@law
@given(any_text)
def test_any_text_survives(text: str) -> None:
    assert codec.unpack_text(codec.pack_text(text)) == text
    assert codec.text_of(codec.text_bytes(text)) == text


@law
@given(st.lists(any_text))
def test_bytes_sort_as_texts_do(texts: list[str]) -> None:
    assert sorted(texts) == sorted(texts, key=codec.text_bytes)


@law
@given(metas())
def test_front_matter_survives(meta: dict[str, MetaValue]) -> None:
    packed = codec.pack_meta(meta)
    found = codec.unpack_meta(packed)
    assert packed.isascii()
    assert found == meta
    assert {name: type(value) for name, value in found.items()} == {name: type(value) for name, value in meta.items()}


def test_numbers_that_json_lacks_survive() -> None:
    meta = {"nan": float("nan"), "inf": float("inf"), "low": -float("inf")}
    packed = codec.pack_meta(meta)
    json.loads(packed, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    assert repr(codec.unpack_meta(packed)) == repr({"inf": float("inf"), "low": -float("inf"), "nan": float("nan")})


@law
@given(moments())
def test_a_moment_survives(moment: datetime) -> None:
    assert codec.moment_of(codec.microseconds(moment)) == moment


def test_a_moment_is_counted_in_utc() -> None:
    assert codec.microseconds(datetime(1970, 1, 1, tzinfo=UTC)) == 0
    assert codec.microseconds(datetime(1970, 1, 1, 1, tzinfo=timezone(timedelta(hours=1)))) == 0
    assert codec.microseconds(datetime(1970, 1, 1)) == 0
    assert codec.microseconds(datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)) == -1


@law
@given(st.lists(st.tuples(st.text(), st.integers(0, 9), st.integers(0, 2**40), st.sampled_from(WEIRD)), max_size=4))
def test_places_survive(rows: list[tuple[str, int, int, str]]) -> None:
    places = tuple(
        EntryPlace(id, level, at, at + 5, {"lines": [1, 2], "page": level, name: name}, (name, id))
        for id, level, at, name in rows
    )
    packed = codec.pack_places(places)
    assert packed.isascii()
    assert codec.unpack_places(packed) == places


def test_parts_survive() -> None:
    parts = np.arange(-128, 128).astype(np.int8).reshape(-1, 16)
    assert np.array_equal(codec.unpack_parts(codec.pack_parts(parts)), parts)


def test_settings_survive() -> None:
    packed = codec.pack_settings(SETTINGS)
    assert packed.isascii()
    assert codec.unpack_settings(packed) == SETTINGS
    frozen = replace(SETTINGS, options=MappingProxyType(dict(SETTINGS.options)))
    assert codec.pack_settings(frozen) == packed


# --- what is damaged --------------------------------------------------------------------------------------------------

DAMAGED: dict[str, Callable[[], object]] = {
    "text, not compressed": lambda: codec.unpack_text(b"plain"),
    "text, cut off": lambda: codec.unpack_text(codec.pack_text("some text")[:-3]),
    "text, nothing": lambda: codec.unpack_text(b""),
    "text, one bit": lambda: codec.unpack_text(codec.pack_text("some text" * 9)[:-1] + b"\x00"),
    "text, no utf-8": lambda: codec.text_of(b"\xff\xfe"),
    "places, no json": lambda: codec.unpack_places("[["),
    "places, of another form": lambda: codec.unpack_places('[["id", 0]]'),
    "places, no list": lambda: codec.unpack_places("3"),
    "front matter, no json": lambda: codec.unpack_meta("{"),
    "front matter, no object": lambda: codec.unpack_meta("[]"),
    "front matter, a strange value": lambda: codec.unpack_meta('{"a": {"b": 1}}'),
    "front matter, a strange time": lambda: codec.unpack_meta('{"a": {"time": 1e300}}'),
    "front matter, null": lambda: codec.unpack_meta('{"a": null}'),
    "parts, cut off": lambda: codec.unpack_parts(codec.pack_parts(np.ones((2, 8), np.int8))[:-3]),
    "parts, of no numbers": lambda: codec.unpack_parts(bytes(12)),
    "settings, no json": lambda: codec.unpack_settings("?"),
    "settings, of the future": lambda: codec.unpack_settings('{"schema": 9, "colour": "red"}'),
    "settings, incomplete": lambda: codec.unpack_settings('{"schema": 1}'),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_what_is_damaged_is_refused(name: str) -> None:
    with pytest.raises(StoreError, match="damaged"):
        DAMAGED[name]()


# --- hashes -----------------------------------------------------------------------------------------------------------

OTHER: dict[str, object] = {
    "id": "other",
    "doc": "b.md",
    "level": 1,
    "parent": "q",
    "kind": "code",
    "title": "other",
    "path": ("Handbook", "Retries", ""),
    "text": "# H\n\nbodY\n",
    "lead": 4,
    "tail": 0,
    "tokens": 99,
    "content_hash": "other",
    "sketch": -1,
    "created_at": NOON + timedelta(microseconds=1),
    "language": "de",
    "authority": 0.25,
    "coherence": None,
    "summary": "",
    "before": "",
    "after": "b",
    "meta": {"team": "infra", "n": 3.5},
}
STORED_ONLY: dict[str, object] = {
    "updated_at": NOON + timedelta(microseconds=1),
    "vector": np.nextafter(ENTRY.vector, np.float32(2), dtype=np.float32),
    "summary_vector": None,
    "parts": np.array([[1, -128, 127, 0, 0, 0, 0, 0]], np.int8),
}


def test_every_field_is_hashed() -> None:
    assert {*OTHER, *STORED_ONLY} == {field.name for field in fields(Entry)}


@pytest.mark.parametrize("name", OTHER)
def test_a_digest_sees_every_field_that_is_said(name: str) -> None:
    other = replace(ENTRY, **{name: OTHER[name]})
    assert codec.digest(other) != codec.digest(ENTRY)
    assert codec.checksum(other) != codec.checksum(ENTRY)


@pytest.mark.parametrize("name", STORED_ONLY)
def test_a_checksum_sees_what_comes_with_writing(name: str) -> None:
    other = replace(ENTRY, **{name: STORED_ONLY[name]})
    assert codec.digest(other) == codec.digest(ENTRY)
    assert codec.checksum(other) != codec.checksum(ENTRY)


def test_text_cannot_move_from_one_field_to_the_next() -> None:
    one, other = replace(ENTRY, before="ab", after=""), replace(ENTRY, before="a", after="b")
    assert codec.digest(one) != codec.digest(other)
    assert codec.checksum(replace(ENTRY, vector=None, summary_vector=AXES[0])) != codec.checksum(
        replace(ENTRY, vector=AXES[0], summary_vector=None)
    )


def test_a_digest_does_not_depend_on_how_a_value_is_held() -> None:
    """A store may give back whole numbers as floats and the fields of the front matter in another order."""
    assert codec.digest(replace(ENTRY, authority=1)) == codec.digest(replace(ENTRY, authority=1.0))
    assert codec.digest(replace(ENTRY, meta={"n": 3, "team": "infra"})) == codec.digest(ENTRY)
    here = timezone(timedelta(hours=2))
    assert codec.checksum(replace(ENTRY, created_at=NOON.astimezone(here))) == codec.checksum(ENTRY)
    strided = np.stack([ENTRY.vector, ENTRY.vector], axis=1)[:, 0]
    assert codec.checksum(replace(ENTRY, vector=strided.astype(">f4"))) == codec.checksum(ENTRY)


def test_types_of_front_matter_are_hashed() -> None:
    values: list[MetaValue] = ["1", 1.0, True, ("1",), codec.moment_of(1), float("nan"), "nan", float("inf")]
    assert len({codec.digest(replace(ENTRY, meta={"x": value})) for value in values}) == len(values)


@law
@given(changed("a.md", 1), changed("a.md", 1))
def test_equal_digests_mean_equal_entries(one: Entry, other: Entry) -> None:
    same = replace(other, updated_at=one.updated_at, vector=one.vector, summary_vector=one.summary_vector)
    names = [field.name for field in fields(Entry) if "vector" not in field.name]
    equal = all(getattr(one, name) == getattr(same, name) for name in names)
    assert (codec.digest(one) == codec.digest(same)) == equal or _zeros(one, same)


def _zeros(one: Entry, other: Entry) -> bool:
    """0.0 and -0.0 are equal, but not the same number; True and 1.0 are equal, but not the same type."""
    return repr(sorted(one.meta.items())) != repr(sorted(other.meta.items()))


VERSION = version_of("a.md", 3, [ENTRY])
OTHER_VERSIONS: dict[str, Version] = {
    "doc": replace(VERSION, doc="b.md"),
    "number": replace(VERSION, number=4),
    "revision": replace(VERSION, revision="r"),
    "title": replace(VERSION, title="t"),
    "uri": replace(VERSION, uri="u"),
    "text": replace(VERSION, text=VERSION.text + "\ud800"),
    "indexed_at": replace(VERSION, indexed_at=NOON + timedelta(microseconds=1)),
    "places": replace(VERSION, places=(VERSION.places[0]._replace(end=99),)),
}


@pytest.mark.parametrize("name", [field.name for field in fields(Version)])
def test_a_seal_sees_every_field(name: str) -> None:
    assert codec.seal(OTHER_VERSIONS[name]) != codec.seal(VERSION)


@pytest.mark.parametrize("name", EntryPlace._fields)
def test_a_seal_sees_every_field_of_a_place(name: str) -> None:
    others = {"id": "x", "level": 7, "start": 1, "end": 99, "anchor": {"lines": [9, 9]}, "path": ("x",)}
    others["spans"] = (SourceSpan(1, 2, {"lines": [1, 1]}), SourceSpan(3, 4, {}))
    place = VERSION.places[0]._replace(**{name: others[name]})
    assert codec.seal(replace(VERSION, places=(place,))) != codec.seal(VERSION)


def test_a_seal_survives_packing() -> None:
    made_from = VERSION.places[0]._replace(spans=(SourceSpan(1, 2, {"lines": [1, 1]}), SourceSpan(3, 4, {})))
    assert codec.unpack_places(codec.pack_places((made_from,))) == (made_from,)
    places = codec.unpack_places(codec.pack_places(VERSION.places))
    assert codec.seal(replace(VERSION, places=places)) == codec.seal(VERSION)


# --- settings ---------------------------------------------------------------------------------------------------------


def test_the_same_settings_are_let_in() -> None:
    codec.check_settings(SETTINGS, SETTINGS)
    codec.check_settings(SETTINGS, replace(SETTINGS, recipe="# the same, written otherwise\n"))


@pytest.mark.parametrize("name", [field.name for field in fields(Settings) if field.name != "recipe"])
def test_other_settings_are_refused_by_name(name: str) -> None:
    other = {"dual": False, "options": {"shadows": "off"}}.get(name, 77)
    with pytest.raises(StoreError, match=rf"{name}: .*77|{name}: .*(False|off)"):
        codec.check_settings(SETTINGS, replace(SETTINGS, **{name: other}))
