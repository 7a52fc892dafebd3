"""Citations: current, moved, edited, deleted, unknown - and always the text as it was cited."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.library import RECIPE, Library
from seamline.errors import ConfigError
from seamline.records import EntryPlace
from seamline.search.citations import Resolved, parse_key, resolve
from seamline.types import Budget

INTRO = "The service sends webhooks to every endpoint that was registered for an event of the account."
RETRY = "A delivery that fails is tried again after one minute, then after ten, and at last after an hour."
LIMIT = "No endpoint gets more than five hundred requests in a minute, whatever the number of its events."
SECRET = "Every request is signed with the secret of its endpoint, which the dashboard shows only once."


def page(*paragraphs: str, heading: str = "Webhooks") -> str:
    return f"# {heading}\n\n" + "\n\n".join(paragraphs) + "\n"


def held(texts: dict[str, str]) -> Library:
    """An index with one paragraph to a chunk."""
    return Library(texts, recipe=replace(RECIPE, budget=Budget(target=30, limit=32)))


PAGE = page(INTRO, RETRY, LIMIT, SECRET)


def key_of(library: Library, text: str, version: int | None = None) -> str:
    """The citation key of the current chunk that holds a text."""
    with library.store.reader() as reader:
        (entry,) = [entry for entry in reader.select() if entry.level == 0 and text in entry.body]
        head = reader.head(entry.doc)
    assert head is not None
    return f"{entry.id}@{version or head.version}"


def look_up(library: Library, key: str) -> Resolved:
    with library.store.reader() as reader:
        return resolve(reader, key)


def test_current() -> None:
    library = held({"a.md": PAGE})
    found = look_up(library, key_of(library, RETRY))
    assert (found.status, found.text) == ("current", RETRY)
    assert found.cited is not None
    assert found.cited.label() == "a.md:5 § Webhooks"
    assert found.explanation == "this is the current version"


def test_still_current_after_an_edit_below() -> None:
    library = held({"a.md": PAGE})
    key = key_of(library, RETRY)
    library.hold({"a.md": PAGE.replace("only once", "exactly once")})
    found = look_up(library, key)
    assert (found.status, found.text) == ("current", RETRY)
    assert [one.version for one in found.now] == [2]


def test_moved_by_lines() -> None:
    library = held({"a.md": PAGE})
    key = key_of(library, LIMIT)
    library.hold({"a.md": page(INTRO, "One more line.\nAnd another.", RETRY, LIMIT, SECRET)})
    found = look_up(library, key)
    assert (found.status, found.text) == ("moved", LIMIT)
    assert found.explanation == "the same text, moved from 7 § Webhooks to 10 § Webhooks"


def test_moved_under_another_heading() -> None:
    library = held({"a.md": PAGE})
    key = key_of(library, RETRY)
    library.hold({"a.md": PAGE.replace("# Webhooks", "# Hooks")})
    found = look_up(library, key)
    assert found.status == "moved"
    assert found.now[0].path == ("Hooks",)


def test_edited_names_the_successor() -> None:
    library = held({"a.md": PAGE})
    key = key_of(library, RETRY)
    library.hold({"a.md": PAGE.replace("after ten", "after fifteen")})
    found = look_up(library, key)
    assert (found.status, found.text) == ("edited", RETRY)
    assert [one.quote for one in found.now] == [RETRY.replace("after ten", "after fifteen")]


def test_split_in_two_names_both_the_larger_first() -> None:
    library = held({"a.md": PAGE})
    key = key_of(library, RETRY)
    longer = RETRY.replace(", and at last after an hour.", ".") + " " + "Each try is logged. " * 12
    library.hold({"a.md": page(INTRO, longer, "At last it is tried after an hour.", LIMIT, SECRET)})
    found = look_up(library, key)
    assert found.status == "edited"
    assert "after one minute, then after ten" in found.now[0].quote


def test_a_passage_that_is_gone() -> None:
    library = held({"a.md": PAGE})
    key = key_of(library, RETRY)
    library.hold({"a.md": page(INTRO, LIMIT, SECRET)})
    found = look_up(library, key)
    assert (found.status, found.text, found.now) == ("deleted", RETRY, ())


def test_a_passage_replaced_by_another_subject_is_gone() -> None:
    library = held({"a.md": PAGE})
    key = key_of(library, RETRY)
    library.hold({"a.md": page(INTRO, "Billing happens monthly; invoices arrive by mail on Tuesdays.", LIMIT, SECRET)})
    assert look_up(library, key).status == "deleted"


def test_a_document_that_is_gone() -> None:
    library = held({"a.md": PAGE, "b.md": "Other.\n"})
    key = key_of(library, RETRY)
    library.hold({"b.md": "Other.\n"})
    found = look_up(library, key)
    assert (found.status, found.text) == ("deleted", RETRY)
    assert found.explanation.startswith("a.md was deleted")


def test_a_renamed_document() -> None:
    library = held({"a.md": PAGE})
    key = key_of(library, RETRY)
    library.hold({"guides/b.md": PAGE})
    found = look_up(library, key)
    assert (found.status, found.text) == ("moved", RETRY)
    assert found.now[0].label() == "guides/b.md:5 § Webhooks"
    assert found.now[0].quote == RETRY


def test_renamed_twice_and_then_edited() -> None:
    library = held({"a.md": PAGE})
    key = key_of(library, RETRY)
    library.hold({"b.md": PAGE})
    library.hold({"c.md": PAGE})
    library.hold({"c.md": PAGE.replace("after ten", "after fifteen")})
    found = look_up(library, key)
    assert (found.status, found.text) == ("edited", RETRY)
    assert found.now[0].doc == "c.md"


def test_without_a_version_the_latest_that_has_it() -> None:
    library = held({"a.md": PAGE})
    key = key_of(library, RETRY)
    library.hold({"a.md": PAGE + "\nMore.\n"})
    library.hold({"a.md": page(INTRO, LIMIT, SECRET)})
    found = look_up(library, key.partition("@")[0])
    assert found.cited is not None
    assert (found.cited.version, found.text) == (2, RETRY)


def test_an_old_version_keeps_its_old_lines() -> None:
    library = held({"a.md": PAGE})
    key = key_of(library, LIMIT)
    library.hold(
        {
            "a.md": page(
                "New first paragraph, long enough to stand alone in a chunk of its own. " * 3,
                *(INTRO, RETRY, LIMIT, SECRET),
            )
        }
    )
    found = look_up(library, key)
    assert found.cited is not None
    assert (found.cited.anchor["lines"], found.now[0].anchor["lines"]) == ([7, 7], [9, 9])


def test_a_section_can_be_cited() -> None:
    library = held({"a.md": PAGE})
    with library.store.reader() as reader:
        (section,) = [entry for entry in reader.select() if entry.level > 0]
    library.hold({"a.md": PAGE.replace("after ten", "after fifteen")})
    found = look_up(library, f"{section.id}@1")
    assert found.text == PAGE.strip()
    assert found.now[0].quote == PAGE.replace("after ten", "after fifteen").strip()


def test_nobody_knows_it() -> None:
    library = held({"a.md": PAGE})
    found = look_up(library, "0" * 24)
    assert (found.status, found.cited, found.text) == ("unknown", None, "")


def test_a_version_that_never_had_it() -> None:
    library = held({"a.md": page(INTRO)})
    library.hold({"a.md": PAGE})
    id = key_of(library, RETRY).partition("@")[0]
    found = look_up(library, f"{id}@1")
    assert found.status == "unknown"
    assert found.explanation == f"a.md has no {id} in version 1; versions with it: 2"
    assert look_up(library, f"{id}@99").status == "unknown"


@pytest.mark.parametrize("key", ["", "@3", "id@", "id@x", "id@0", "id@-1", "  "])
def test_what_is_no_citation(key: str) -> None:
    with pytest.raises(ConfigError, match="ID@VERSION"):
        parse_key(key)


def test_keys() -> None:
    assert parse_key(" abc@12 ") == ("abc", 12)
    assert parse_key("abc") == ("abc", None)


def test_all_of_it_is_plain_json() -> None:
    library = held({"a.md": PAGE})
    told = look_up(library, key_of(library, RETRY)).to_dict()
    assert told["cited"]["quote"] == RETRY
    assert told["now"][0]["label"] == "a.md:5 § Webhooks"


def test_a_place_is_not_searched_for_by_its_text() -> None:
    """Two equal paragraphs have ids of their own, and each citation keeps to its own."""
    library = held({"a.md": page(INTRO, RETRY, LIMIT, RETRY)})
    with library.store.reader() as reader:
        version = reader.version("a.md", 1)
        assert version is not None
        twins: list[EntryPlace] = [p for p in version.places if version.text[p.start : p.end] == RETRY]
    found = [look_up(library, twin.id).cited for twin in twins]
    assert [one.start for one in found if one] == [twin.start for twin in twins]
    assert len({twin.id for twin in twins}) == 2
