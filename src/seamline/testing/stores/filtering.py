"""Contract, part 4: a filter means the same in every store, whichever way it is asked."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import get_args

import pytest

from seamline.filters.tree import (
    DERIVED_FIELDS,
    FIELDS,
    META,
    All,
    Any,
    Filter,
    Not,
    Operator,
    Test,
    Value,
    matches,
    type_of,
)
from seamline.protocols import Reader, Store
from seamline.records import Entry, MetaValue
from seamline.testing.entries import AXES, NOON, SETTINGS, WEIRD, entry
from seamline.testing.stores.searching import cosines, fill
from seamline.testing.stores.site import CLOSE, ExpectedStore, Site, StoreTests, tidy


def _everywhere(text: str) -> dict[str, MetaValue]:
    return {text: text, "team": text, "tags": (text,)}


TICK = timedelta(microseconds=1)
METAS: tuple[dict[str, MetaValue], ...] = (
    {},
    {"team": "infra", "mixed": "3"},
    {"team": "Infra", "mixed": 3.0},
    {"team": "", "mixed": True},
    {"team": "infrastructure", "mixed": ("3", "a")},
    {"team": "ïnfra", "mixed": NOON},
    {"team": "\U0001f600", "mixed": "true"},
    {"team": "\uffee", "mixed": 1.0},
    {"reviewed": True, "mixed": False},
    {"reviewed": False, "mixed": ()},
    {"score": 2.5, "mixed": float("nan")},
    {"score": -0.0, "mixed": 0.0},
    {"score": float("inf"), "due": NOON},
    {"score": -1e300, "due": NOON + TICK},
    {"score": 0.1 + 0.2, "due": datetime(1, 1, 1, tzinfo=UTC)},
    {"score": 2.0**53, "due": datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)},
    {"score": -float("inf"), "team": "inf"},
    {"score": 5e-324, "mixed": "1e999"},
    {"score": -sys.float_info.max, "mixed": sys.float_info.max},
    {"score": 7, "mixed": 2**53 + 1},
    {"tags": ("a", "b"), "team": "%"},
    {"tags": ("A",), "team": "in_ra"},
    {"tags": (), "team": "in\\ra"},
    {"tags": ("", "infra"), "team": "it's"},
    {":media_type": "text/markdown", ":page": 3.0, "team": "a/b/c.md"},
    {":media_type": "application/pdf", ":page": 12.0, "team": "c.md\n"},
    {":modality": "table", ":density": 0.5, ":needs_review": True, ":confidence": 0.41, ":source_version": "infra"},
    {":modality": "", ":density": 0, ":needs_review": False, ":entities": ("infra", "%"), ":entity_types": ("ORG", "")},
    {":strategy": "code", ":symbol": "a", ":symbols": (), ":complexity": 3.0, ":boundary": 1.0, ":distinct": 0.3},
    {":modality": 3.0, ":density": "0.5", ":needs_review": "true", ":entities": "infra", ":self_containedness": 1.0},
    *(_everywhere(text) for text in WEIRD),
)
VALUES: tuple[Value, ...] = (
    *("", "infra", "in", "en", "3", "true", "\U0001f600", "guides/", "a", "%", "_", "in%", "code", "paragraph"),
    *(3.0, 2.5, 0.0, 1.0, 0.5, 200.0, -1e300, float("inf"), float("nan"), 0.3, 2.0**53),
    *(-float("inf"), -0.0, 5e-324, sys.float_info.max, 7, 2**53 + 1, 10**400, -(10**400)),
    *(True, False),
    *(NOON, NOON + TICK, datetime(1, 1, 1, tzinfo=UTC), NOON.replace(tzinfo=None)),
)
LISTS: tuple[Value, ...] = (
    (),
    ("infra",),
    ("infra", "Infra", "en", "nobody"),
    ("3", 3.0, True),
    (0.0, 2.5, float("nan")),
    (-0.0, float("inf"), 7, 2**53 + 1, 10**400),
    (NOON, NOON + TICK),
    (True, False),
    ("'", "\x00", "\ud800"),
    (*WEIRD, "infra", "Infra", "%", "3", 3.0, 2.5, -1e300, True, NOON, NOON + TICK),
)
NAMES = (
    *sorted(FIELDS),
    *(META + name for name in ("team", "mixed", "reviewed", "score", "due", "tags", "nobody", "")),
)
COMPARISONS: tuple[Operator, ...] = ("=", "!=", "<", "<=", ">", ">=", "has", "starts", "ends", "contains", "glob")
GLOBS = (
    *(
        "*",
        "**",
        "?",
        "??",
        "*/*",
        "**/*.md",
        "guides/*",
        "guides/**",
        "**/c.md",
        "a/**/c.md",
        "a/*/c.md",
        "*.md",
        "[a]*",
    ),
    *(
        "in?ra",
        "*\ud800*",
        "*\x00*",
        "*\x01*",
        "?",
        "*/?",
        "**\n",
        "*(.*)*",
        "*\\*",
        "*%*",
        "\ue000*",
        "*\u0100*",
        "guides?a.md",
    ),
)
"""What to look for in texts, and what the texts of some stores are escaped with."""


def values_for(name: str) -> Iterator[Value]:
    """What to compare a field with: everything, but of types it never has only one value each."""
    known = FIELDS.get(name)
    seen = set()
    for value in VALUES:
        kind = type_of(value)
        if kind not in seen or (known in (None, kind) and name != "meta.nobody"):
            seen.add(kind)
            yield value


def _combined() -> dict[str, Filter]:
    team, english = Test("meta.team", "=", "infra"), Test("language", "=", "en")
    few, owned = Test("tokens", "<", 20.0), Test("meta.nobody", "exists", True)
    return {
        "everything": All(()),
        "nothing": Any(()),
        "one of one": Any((team,)),
        "all of one": All((team,)),
        "and": All((english, few)),
        "or": Any((team, english)),
        "not of a missing field": Not(Test("meta.nobody", "=", "x")),
        "not of another type": Not(Test("meta.mixed", "!=", "3")),
        "not of a missing built-in": Not(Test("created_at", ">", NOON)),
        "not not": Not(Not(team)),
        "not of everything": Not(All(())),
        "not of nothing": Not(Any(())),
        "not in": Not(Test("kind", "in", ("code", "table"))),
        "not of an empty in": Not(Test("kind", "in", ())),
        "de morgan": Not(All((Not(team), Not(english)))),
        "both not": All((Not(team), Not(english))),
        "nested": Any((All((english, Not(few))), All((Not(english), few, Not(owned))))),
        "wide": Any(tuple(Test("tokens", "=", float(n)) for n in range(0, 300, 3))),
        "wide in": Test("id", "in", tuple(f"id {n}" for n in range(900))),
        "deep": _deep(team, 60),
        "all true": All((Not(owned), Test("level", ">=", 0.0), Test("doc", "exists", True))),
        "contradiction": All((english, Test("language", "!=", "en"))),
        "a name like a column": Test("meta.language", "=", "en"),
        "no field": Test("nobody", "=", "x"),
        "not no field": Not(Test("nobody", "=", "x")),
        "a field that is only kept": Test("text", "=", "x"),
        "an injected field": Test("doc = '' or 1=1; --", "=", "x"),
    }


def _deep(inner: Filter, times: int) -> Filter:
    for n in range(times):
        inner = Not(inner) if n % 3 else All((inner, Test("level", ">=", 0.0)))
    return inner


def _filters() -> dict[str, Filter]:
    made: dict[str, Filter] = _combined()
    for name in NAMES:
        made[f"exists {name}"] = Test(name, "exists", True)
    for text in (*GLOBS, *WEIRD):
        for name in ("doc", "id", "title", "media_type", "meta.team"):
            made[f"{name} glob {text!a}"] = Test(name, "glob", text)
    for text in (*WEIRD, "/", ".md", "a", "\x01", "\x02", "\u0100", "\ue000", "", "d", "."):
        for name in ("doc", "title", "meta.team"):
            made[f"{name} contains {text!a}"] = Test(name, "contains", text)
            made[f"{name} ends {text!a}"] = Test(name, "ends", text)
    for text in WEIRD:
        made[f"meta.{text!a} ="] = Test(META + text, "=", text)
        made[f"meta.{text!a} !="] = Test(META + text, "!=", "x")
        made[f"doc starts {text!a}"] = Test("doc", "starts", text)
        made[f"path has {text!a}"] = Test("path", "has", text)
        made[f"title <= {text!a}"] = Test("title", "<=", text)
        made[f"id in {text!a}"] = Test("id", "in", (text, f"id {text}"))
    return made


FILTERS = _filters()


def entries() -> list[Entry]:
    """Entries that differ in everything that can be filtered by; all hold the word `common`."""
    docs = ("guides/a.md", "guides/b.md", "notes/ü.md", "Guides/%_.md", "x' or '1'='1")
    made = []
    for n, meta in enumerate(METAS):
        one = entry(docs[n % 5], f"common text {n}", level=(0, 0, 0, 1)[n % 4])
        weird = WEIRD[n % len(WEIRD)]
        made.append(
            replace(
                one,
                id=f"id {weird}" if n >= len(METAS) - len(WEIRD) else one.id,
                parent=("", "p" * 24)[n % 2],
                kind=("paragraph", "code", "table", "a")[n % 4],
                title=("infra", "Infra", "", weird)[n % 4],
                path=((), ("Retries",), ("Handbook", "Retries"), (weird, ""))[n % 4],
                language=("en", "de", "", "en")[n % 4],
                tokens=(0, 1, 3, 199, 200, 201, 2**31 - 1)[n % 7],
                authority=(0.0, 0.5, 1.0)[n % 3],
                coherence=(None, 0.0, 0.3, 1.0)[n % 4],
                created_at=(None, NOON, NOON + TICK, NOON - TICK)[n % 4],
                updated_at=(NOON, NOON + TICK)[n % 2],
                meta=meta,
                vector=AXES[n % len(AXES)],
            )
        )
    return made


ENTRIES = entries()


class FilteringContract(StoreTests):
    """Every operator on every type, compared with `filters.matches`."""

    @pytest.fixture(scope="class")
    @classmethod
    def shelf(cls, sites: Callable[[], Site]) -> Iterator[Store]:
        """A store of all kinds of entries, only to be read."""
        store = sites().open(SETTINGS)
        fill(store, ENTRIES)
        tidy(store)
        yield store
        store.close()

    @pytest.fixture(scope="class")
    @classmethod
    def shelved(cls, shelf: Store) -> Iterator[Reader]:
        with shelf.reader() as reader:
            yield reader

    @pytest.mark.parametrize("name", FILTERS)
    def test_select(self, shelved: Reader, name: str) -> None:
        where = FILTERS[name]
        expected = sorted((one.doc, one.id) for one in ENTRIES if matches(where, one))
        assert [(one.doc, one.id) for one in shelved.select(where)] == expected

    @pytest.mark.parametrize("name", FILTERS)
    def test_count(self, shelved: Reader, name: str) -> None:
        where = FILTERS[name]
        through = [one for one in ENTRIES if matches(where, one)]
        assert shelved.count(where, levels=None) == len(through)
        assert shelved.count(where) == sum(one.level == 0 for one in through)

    @pytest.mark.parametrize("name", FILTERS)
    def test_near(self, shelved: Reader, name: str) -> None:
        where = FILTERS[name]
        through = [one for one in ENTRIES if matches(where, one)]
        ExpectedStore(cosines(through, AXES[0]), 100, CLOSE).check(shelved.near(AXES[0], 100, where=where, levels=None))
        chunks = [one for one in through if one.level == 0]
        ExpectedStore(cosines(chunks, AXES[2]), 3, CLOSE).check(shelved.near(AXES[2], 3, where=where))

    @pytest.mark.parametrize("name", FILTERS)
    def test_matching(self, shelved: Reader, name: str) -> None:
        where = FILTERS[name]
        through = {one.id: one.level for one in ENTRIES if matches(where, one)}
        found = shelved.matching("common", 100, where=where, levels=None)
        assert {scored.id for scored in found} == through.keys()
        chunks = [scored.id for scored in found if through[scored.id] == 0]
        assert [scored.id for scored in shelved.matching("common", 100, where=where)] == chunks

    @pytest.mark.parametrize("operator", COMPARISONS)
    @pytest.mark.parametrize("name", NAMES)
    def test_every_operator_with_every_value(self, shelved: Reader, name: str, operator: Operator) -> None:
        for value in values_for(name):
            where = Test(name, operator, value)
            for asked in (where, Not(where)):
                expected = {one.id for one in ENTRIES if matches(asked, one)}
                assert {one.id for one in shelved.select(asked)} == expected, asked

    @pytest.mark.parametrize("name", NAMES)
    def test_every_list(self, shelved: Reader, name: str) -> None:
        for value in LISTS:
            where = Test(name, "in", value)
            for asked in (where, Not(where)):
                expected = {one.id for one in ENTRIES if matches(asked, one)}
                assert {one.id for one in shelved.select(asked)} == expected, asked

    def test_facts_are_kept_with_their_types(self, shelved: Reader) -> None:
        stored = {one.id: one for one in shelved.select()}
        for one in ENTRIES:
            for kept in DERIVED_FIELDS.values():
                have, made = stored[one.id].meta.get(kept), one.meta.get(kept)
                assert type_of(have) == type_of(made)
                assert have == made

    def test_every_operator_is_tried(self) -> None:
        assert {*COMPARISONS, "in", "exists"} == {*get_args(Operator)}
