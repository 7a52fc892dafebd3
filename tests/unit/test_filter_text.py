"""Filters: what a text means, what is refused and where, what a filter lets through, and the way back to text."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seamline.errors import ConfigError
from seamline.filters.check import DEEPEST, LONGEST, MOST_TERMS, check_filter
from seamline.filters.language import parse_filter, to_text
from seamline.filters.tree import DERIVED_FIELDS, FIELDS, All, Any, Filter, Not, Operator, Test, can_hold, matches
from seamline.records import Entry, MetaValue
from seamline.testing.entries import WEIRD, changed, comparisons, entry, filters

EXAMPLES = int(os.environ.get("SEAMLINE_EXAMPLES", "120"))
law = settings(max_examples=EXAMPLES, deadline=None, print_blob=True)
DAY = datetime(2024, 1, 31, tzinfo=UTC)
ENGLISH, GERMAN, FRENCH = (Test("language", "=", code) for code in ("en", "de", "fr"))
PAGE = replace(
    entry("guides/retry.md", "Wait, then retry."),
    language="en",
    kind="paragraph",
    path=("Handbook", "Retries"),
    tokens=4,
    created_at=DAY,
    meta={
        "team": "infra",
        "stars": 4.5,
        "reviewed": False,
        "due": DAY,
        "tags": ("web", "http"),
        "odd": float("nan"),
        ":media_type": "text/markdown",
        ":page": 3.0,
    },
)


# --- what a text means -----------------------------------------------------------------------------------------------

MEANINGS: dict[str, Filter] = {
    'language = "en"': ENGLISH,
    "language == 'en'": ENGLISH,
    '(((language="en")))': ENGLISH,
    ' \n\tlanguage\n=\n"en" ': ENGLISH,
    'title != "x"': Test("title", "!=", "x"),
    "tokens < 200": Test("tokens", "<", 200.0),
    "tokens <= 2.5e2": Test("tokens", "<=", 250.0),
    "meta.x > -.5": Test("meta.x", ">", -0.5),
    "meta.x >= +3.": Test("meta.x", ">=", 3.0),
    "meta.x = 1e999": Test("meta.x", "=", float("inf")),
    "created_at >= 2024-01-31": Test("created_at", ">=", DAY),
    "created_at = 2024-01-31T00:00": Test("created_at", "=", DAY),
    "created_at = 2024-01-31T00:00:00Z": Test("created_at", "=", DAY),
    "created_at = 2024-01-31T02:00+02:00": Test("created_at", "=", DAY),
    "created_at = 2024-01-30T23:59:59.999999": Test("created_at", "=", DAY - timedelta(microseconds=1)),
    "meta.reviewed = true": Test("meta.reviewed", "=", True),
    "meta.reviewed != FALSE": Test("meta.reviewed", "!=", False),
    'kind in ("code", "table")': Test("kind", "in", ("code", "table")),
    "kind in ()": Test("kind", "in", ()),
    'kind not in ("code")': Not(Test("kind", "in", ("code",))),
    'meta.x in ("a", 3, true, 2024-01-31)': Test("meta.x", "in", ("a", 3.0, True, DAY)),
    'path has "Retries"': Test("path", "has", "Retries"),
    'doc starts "guides/"': Test("doc", "starts", "guides/"),
    'doc ends ".md"': Test("doc", "ends", ".md"),
    'title CONTAINS "x"': Test("title", "contains", "x"),
    'doc glob "**/*.md"': Test("doc", "glob", "**/*.md"),
    'media_type = "text/html"': Test("media_type", "=", "text/html"),
    "page >= 3": Test("page", ">=", 3.0),
    "exists meta.owner": Test("meta.owner", "exists", True),
    "EXISTS created_at": Test("created_at", "exists", True),
    'meta."my key" = 1': Test("meta.my key", "=", 1.0),
    "meta.'it\\'s' = 1": Test("meta.it's", "=", 1.0),
    "meta.a-b.c = 1": Test("meta.a-b.c", "=", 1.0),
    "meta.größe = 1": Test("meta.größe", "=", 1.0),
    "meta.2024 = 1": Test("meta.2024", "=", 1.0),
    'meta."" = 1': Test("meta.", "=", 1.0),
    "meta.in = 1": Test("meta.in", "=", 1.0),
    'title = "a\\n\\t\\r\\0\\\\\\"\\u00e4\\U0001f600"': Test("title", "=", 'a\n\t\r\0\\"ä😀'),
    "title = 'a \" b'": Test("title", "=", 'a " b'),
    'title = "\\ud83d\\ude00"': Test("title", "=", "\ud83d\ude00"),
    "true": All(()),
    "false": Any(()),
    'language = "en" and language = "de" and language = "fr"': All((ENGLISH, GERMAN, FRENCH)),
    'language = "en" or language = "de" and language = "fr"': Any((ENGLISH, All((GERMAN, FRENCH)))),
    'language = "en" And language = "de" OR language = "fr"': Any((All((ENGLISH, GERMAN)), FRENCH)),
    '(language = "en" or language = "de") and language = "fr"': All((Any((ENGLISH, GERMAN)), FRENCH)),
    'not language = "en" and language = "de"': All((Not(ENGLISH), GERMAN)),
    'not (language = "en" and language = "de")': Not(All((ENGLISH, GERMAN))),
    'not not language = "en"': Not(Not(ENGLISH)),
    '(language = "en" and language = "de") and language = "fr"': All((All((ENGLISH, GERMAN)), FRENCH)),
}


@pytest.mark.parametrize("text", MEANINGS)
def test_a_text_means_a_filter(text: str) -> None:
    assert parse_filter(text) == MEANINGS[text]


def test_the_types_of_values() -> None:
    """1 == True in Python, and 0.0 == False: equality alone would not tell."""
    parsed = parse_filter('meta.x in (1, true, "1")')
    assert isinstance(parsed, Test)
    assert isinstance(parsed.value, tuple)
    assert [type(value) for value in parsed.value] == [float, bool, str]


# --- what is refused, and where ---------------------------------------------------------------------------------------

REFUSALS = {
    "": ("expected a filter", 1),
    "  ": ("expected a filter", 1),
    "langage = 'en'": ("did you mean `language`", 1),
    "Language = 'en'": ("did you mean `language`", 1),
    "tokens < 5 and create_at > 2024-01-01": ("did you mean `created_at`", 16),
    "team = 'infra'": ("meta.NAME", 1),
    "meta = 'infra'": ("meta.NAME", 1),
    "meta. = 3": ("got '.'", 5),
    "tokens < 'many'": ("expected a number for 'tokens', got the text 'many'", 10),
    "tokens = true": ("expected a number for 'tokens', got true", 10),
    "tokens = 2024-01-01": ("expected a number for 'tokens', got the time 2024-01-01", 10),
    "tokens in (1, 'two')": ("expected a number for 'tokens', got the text 'two'", 1),
    "language = 3": ("expected a text in quotes for 'language', got the number 3", 12),
    "created_at > '2024-01-01'": ("without quotes", 14),
    "path = 'Retries'": ("expected `has` after 'path'", 8),
    "path in ('Retries')": ("expected `has` after 'path'", 1),
    "language has 'en'": ("use = or in", 14),
    "tokens starts '1'": ("'tokens' is a number", 15),
    "path has 3": ("expected a text in quotes", 10),
    "meta.x has 3": ("expected a text in quotes", 12),
    "meta.x starts true": ("expected a text in quotes", 15),
    "meta.x < true": ("use = or !=", 10),
    "created_at > 2024-13-01": ("expected a date", 14),
    "created_at > 2024-02-30": ("expected a date", 14),
    "created_at > 2024-01-01T25:00": ("expected a date", 14),
    "created_at > 0001-01-01T00:00+14:00": ("expected a date", 14),
    "created_at > 2024-01-01x": ("expected a date", 14),
    "language = en": ("a text in quotes", 12),
    "language = null": ("a text in quotes", 12),
    "language =": ("got the end", 11),
    "language": ("expected an operator", 9),
    "language 'en'": ("expected an operator", 10),
    "language not = 'en'": ("expected `in`", 14),
    "language = 'en": ("expected a ' at the end", 12),
    'meta."x = 3': ("got '.", 5),
    "language = 'e\\qn'": ("got '\\\\q'", 14),
    "language = '\\U00110000'": ("got '\\\\U00110000'", 13),
    "language = 'en' language = 'de'": ("expected `and`, `or` or the end", 17),
    "language = 'en' and": ("expected a field", 20),
    "(language = 'en'": ("expected `)`", 17),
    "language = 'en')": ("expected `and`, `or` or the end", 16),
    "kind in 'code'": ("expected `(`", 9),
    "kind in ('code' 'table')": ("expected `,` or `)`", 17),
    "kind in ('code',)": ("expected a value", 17),
    "kind in ('code'": ("expected `,` or `)`", 16),
    "tokens = 12abc": ("got '12abc'", 10),
    "tokens = 1.2.3": ("got '1.2.3'", 10),
    "tokens ~ 3": ("got '~'", 8),
    "tokens = ٣": ("got '٣'", 10),
    "exists 'x'": ("expected a field", 8),
    "exists": ("expected a field", 7),
    "and": ("expected a field", 1),
    "\x00": ("got '\\x00'", 1),
    "tokens = 1; drop table entries": ("got ';'", 11),
    "(" * 66 + "true": (f"at most {DEEPEST} deep", 66),
    "not " * 66 + "true": (f"at most {DEEPEST} deep", 4 * 65 + 1),
    "tokens in (" + "1," * MOST_TERMS + "1)": (f"at most {MOST_TERMS:,} terms", 2012),
    "or ".join(['id=""'] * (MOST_TERMS + 1)): (f"at most {MOST_TERMS:,} terms", 8 * MOST_TERMS + 1),
}


@pytest.mark.parametrize("text", REFUSALS, ids=lambda text: ascii(text)[:50])
def test_what_is_no_filter_is_refused_with_its_place(text: str) -> None:
    message, column = REFUSALS[text]
    with pytest.raises(ConfigError) as caught:
        parse_filter(text)
    assert message in str(caught.value)
    assert caught.value.path == f"column {column}"


def test_the_longest_filter() -> None:
    assert parse_filter("true".ljust(LONGEST)) == All(())
    with pytest.raises(ConfigError, match="10,001"):
        parse_filter("true".ljust(LONGEST + 1))


def test_the_deepest_filter() -> None:
    assert parse_filter("(" * DEEPEST + "true" + ")" * DEEPEST) == All(())
    deep = parse_filter("not " * DEEPEST + "true")
    assert parse_filter(to_text(deep)) == deep


def test_a_long_value_is_not_repeated_in_full() -> None:
    with pytest.raises(ConfigError) as caught:
        parse_filter(f"tokens = '{'x' * 9000}'")
    assert len(str(caught.value)) < 200


def read(text: str) -> Filter | str:
    """The filter, or the place where the text stops to be one."""
    try:
        return parse_filter(text)
    except ConfigError as error:
        return error.path


@law
@given(st.one_of(st.text(max_size=60), st.lists(st.sampled_from(sorted(MEANINGS)), max_size=3).map(" ".join)))
def test_any_text_is_a_filter_or_a_config_error(text: str) -> None:
    parsed = read(text)
    assert parsed.startswith("column ") if isinstance(parsed, str) else matches(parsed, PAGE) in (True, False)


PIECES = (
    *("and", "or", "not", "in", "has", "starts", "exists", "true", "(", ")", ",", "=", "!=", "<", "'x'", '"', "3", "-"),
    *("tokens", "path", "meta.x", "meta.'a b'", "2024-01-01", "created_at", "nobody", "\\", "."),
)


@law
@given(st.lists(st.sampled_from(PIECES), max_size=12).map(" ".join))
def test_any_order_of_pieces_is_a_filter_or_a_config_error(text: str) -> None:
    parsed = read(text)
    assert parsed.startswith("column ") if isinstance(parsed, str) else parse_filter(to_text(parsed)) == parsed


# --- and back ---------------------------------------------------------------------------------------------------------


@law
@given(filters())
def test_a_filter_survives_its_text(filter: Filter) -> None:
    text = to_text(filter)
    assert parse_filter(text) == filter
    assert text.encode().decode() == text
    assert text.isprintable()


@law
@given(st.lists(filters(), min_size=1, max_size=1).map(tuple), st.data())
def test_a_group_of_one_means_its_part(parts: tuple[Filter], data: st.DataObject) -> None:
    page = data.draw(changed("guides/a.md", 1))
    for group in (All(parts), Any(parts), Not(All((Any(parts),)))):
        assert matches(parse_filter(to_text(group)), page) == matches(group, page)


@pytest.mark.parametrize("text", WEIRD, ids=ascii)
def test_any_text_is_only_a_value(text: str) -> None:
    filter = All((Test("title", "=", text), Test(f"meta.{text}", "in", (text,))))
    assert parse_filter(to_text(filter)) == filter


def test_text_is_plain_to_read() -> None:
    filter = All((ENGLISH, Not(Test("kind", "in", ("code", "table"))), Any((Test("tokens", "<", 200.0), All(())))))
    assert to_text(filter) == 'language = "en" and not kind in ("code", "table") and (tokens < 200 or true)'


# --- filters built by a program ---------------------------------------------------------------------------------------


def _chain(kind: type[All] | type[Any], length: int) -> Filter:
    inner: Filter = ENGLISH
    for _ in range(length):
        inner = kind((inner,))
    return inner


def _nots(length: int) -> Filter:
    inner: Filter = ENGLISH
    for _ in range(length):
        inner = Not(inner)
    return inner


SENSELESS: dict[str, Filter] = {
    "no field": Test("nobody", "=", "x"),
    "a field that is only kept": Test("text", "=", "x"),
    "another type": Test("tokens", "=", "x"),
    "nan": Test("tokens", "=", float("nan")),
    "a list where one value is needed": Test("meta.x", "=", ("a", "b")),
    "a value where a list is needed": Test("meta.x", "in", "a"),
    "exists with a value": Test("meta.x", "exists", "yes"),
    "hidden inside": Not(All((ENGLISH, Any((Test("nobody", "=", "x"),))))),
    "too deep": _nots(100_000),
    "too deep by one": _nots(DEEPEST + 1),
    "too deep in groups of one": _chain(All, 20_000),
    "too many terms": Any((ENGLISH,) * 1001),
    "too many wildcards": Test("title", "glob", "*a" * 65),
    "too many parts": Any((All(()),) * 10_000),
    "too many values": Test("meta.x", "in", ("a",) * 1001),
}


def test_the_deepest_tree() -> None:
    check_filter(_nots(DEEPEST))
    check_filter(_chain(Any, DEEPEST))


@pytest.mark.parametrize("name", SENSELESS)
def test_a_senseless_filter_is_refused(name: str) -> None:
    with pytest.raises(ConfigError):
        check_filter(SENSELESS[name])
    with pytest.raises(ConfigError):
        to_text(SENSELESS[name])


@law
@given(filters())
def test_a_filter_that_can_be_written_is_sound(filter: Filter) -> None:
    check_filter(filter)
    check_filter(parse_filter(to_text(filter)))


# --- what a filter lets through ---------------------------------------------------------------------------------------

TRUE = (
    'language = "en"',
    'language != "de"',
    'language < "f" and language >= "en"',
    'language in ("de", "en")',
    'doc starts "guides/"',
    'doc starts ""',
    "tokens = 4 and tokens <= 4 and tokens > 3.9",
    "created_at = 2024-01-31 and created_at < 2024-01-31T00:00:00.000001",
    "created_at = 2024-01-31T01:00+01:00",
    'path has "Retries"',
    'meta.team = "infra"',
    "meta.stars >= 4.5",
    "meta.reviewed = false and meta.reviewed != true",
    "meta.due in (2024-01-31)",
    'meta.tags has "http"',
    'meta.team in (3, true, "infra")',
    "exists meta.team and exists path and exists parent",
    'parent = ""',
    "not exists meta.nobody",
    "not exists coherence",
    'not meta.nobody = "x" and not meta.nobody != "x"',
    "true",
)
FALSE = (
    'language = "EN"',
    'language = "e"',
    'meta.nobody = "x"',
    'meta.nobody != "x"',
    "meta.team = 3",
    "meta.team != 3",
    "meta.team < 3",
    "meta.reviewed = 0",
    "meta.stars = true",
    "meta.due = 0",
    'meta.tags = "http"',
    'meta.tags in ("http")',
    'meta.tags has "HTTP"',
    'meta.team has "infra"',
    'meta.tags starts "web"',
    'meta.stars starts "4"',
    "coherence > 0",
    "coherence != 3",
    "exists coherence",
    "exists meta.odd",
    "meta.odd = 0 or meta.odd != 0",
    "language in ()",
    'path has "Retrie"',
    "false",
)


@pytest.mark.parametrize("text", TRUE)
def test_a_filter_that_lets_the_page_through(text: str) -> None:
    assert matches(parse_filter(text), PAGE)
    assert not matches(Not(parse_filter(text)), PAGE)


@pytest.mark.parametrize("text", FALSE)
def test_a_filter_that_does_not(text: str) -> None:
    assert not matches(parse_filter(text), PAGE)
    assert matches(Not(parse_filter(text)), PAGE)


def test_texts_are_ordered_by_code_points() -> None:
    names = ["", "Z", "a", "a\x00", "ab", "ä", "\ud800", "\uffee", "\U0001f600"]
    pages = [replace(PAGE, title=name) for name in names]
    for n, name in enumerate(names):
        assert [page.title for page in pages if matches(Test("title", "<", name), page)] == names[:n]


def test_times_are_moments() -> None:
    here = timezone(timedelta(hours=5, minutes=45))
    assert matches(Test("created_at", "=", DAY.astimezone(here)), PAGE)
    assert matches(Test("created_at", "=", DAY.replace(tzinfo=None)), PAGE)
    assert matches(Test("created_at", "<=", DAY), replace(PAGE, created_at=DAY.replace(tzinfo=None)))


def test_every_field_can_be_asked_for() -> None:
    values: dict[str, MetaValue] = {"text": "a", "number": 0.5, "flag": True, "list": ("a",)}
    facts = {kept: values[FIELDS[name]] for name, kept in DERIVED_FIELDS.items()}
    full = replace(PAGE, coherence=0.5, meta={**PAGE.meta, **facts})
    assert all(matches(parse_filter(f"exists {name}"), full) for name in FIELDS)


@law
@given(comparisons(), st.data())
def test_a_test_that_cannot_hold_never_does(test: Test, data: st.DataObject) -> None:
    page: Entry = data.draw(changed("guides/a.md", 1))
    other = Test(data.draw(st.sampled_from([*FIELDS, "meta.team", "meta.mixed", "nobody"])), test.operator, test.value)
    assert can_hold(other) or not matches(other, page)


# --- the page about it ------------------------------------------------------------------------------------------------


def test_the_reference_page_names_every_field_with_its_type_and_every_operator_and_limit() -> None:
    page = (Path(__file__).parents[2] / "docs/reference/filters.md").read_text(encoding="utf-8")
    assert not [name for name, kind in FIELDS.items() if f"| `{name}` | {kind} |" not in page]
    assert not [operator for operator in get_args(Operator) if f"`{operator}" not in page]
    assert f"{LONGEST:,} characters, {MOST_TERMS:,} terms" in page
    assert f"{DEEPEST} parentheses" in page
