"""What BM25 counts of an entry: words of its title and headings weigh more, and saturate with those of its text."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from seamline.store.memory import MemoryStore
from seamline.testing.entries import SETTINGS, entry
from seamline.testing.stores.site import put_entries
from seamline.text.words import words


def test_the_line_of_title_and_headings_counts_three_more_times() -> None:
    one = replace(entry("a.md", "retry twice"), title="Guide", path=("Rates",))
    assert Counter(words(one.counted)) == {"guid": 4, "rate": 4, "retry": 1, "twic": 1}


def test_what_is_not_searched_is_not_counted() -> None:
    assert replace(entry("a.md", "## Rates"), kind="heading").counted == ""


def test_without_title_and_headings_it_is_the_text() -> None:
    assert replace(entry("a.md", "retry"), title="", path=()).counted == "retry"


def test_a_heading_wins_and_three_fields_are_not_three_matches() -> None:
    store = MemoryStore(SETTINGS)
    filler = "some other words that fill this text"
    said = replace(entry("text.md", f"quota {filler}"), title="Guide", path=("Rates",))
    headed = replace(entry("heading.md", f"limit {filler}"), title="Guide", path=("Quota",))
    thrice = replace(entry("all.md", f"quota {filler}"), title="Quota", path=("Quota now",))
    for one in (said, headed, thrice):
        put_entries(store, one.doc, [one])
    with store.reader() as reader:
        found = dict(reader.matching("quota", 9))
    assert found[thrice.id] > found[headed.id] > found[said.id]
    assert found[thrice.id] < 1.2 * found[headed.id]
