"""A clock that is put back or runs ahead between two runs; and that the page of faults names tests that exist."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

from harness.library import NOW, Library
from seamline.search.citations import resolve

ROOT = Path(__file__).parents[2]


def test_versions_and_citations_do_not_depend_on_the_clock() -> None:
    library = Library()
    moments = [NOW, NOW - timedelta(days=4000), NOW + timedelta(days=40000), NOW - timedelta(hours=1)]
    texts = [f"# Page\n\nThe text of edit {number} is this one.\n" for number in range(len(moments))]
    for text, moment in zip(texts, moments, strict=True):
        library.hold({"a.md": text}, moment)
    with library.store.reader() as reader:
        head = reader.head("a.md")
        assert head is not None
        assert (head.version, head.indexed_at) == (4, moments[-1])
        assert reader.versions("a.md") == [1, 2, 3, 4]
        for number, (text, moment) in enumerate(zip(texts, moments, strict=True), 1):
            version = reader.version("a.md", number)
            assert version is not None
            assert (version.text, version.indexed_at) == (text, moment)
            place = next(place for place in version.places if place.level == 0)
            found = resolve(reader, f"{place.id}@{number}")
            assert found.text == text[place.start : place.end]
            assert found.status == ("current" if number == 4 else "edited")
    library.hold({"a.md": texts[-1]}, NOW - timedelta(days=9000))
    with library.store.reader() as reader:
        assert reader.versions("a.md") == [1, 2, 3, 4], "an older clock makes no unchanged document new"


def test_every_fault_names_a_test_that_exists() -> None:
    page = (ROOT / "docs/explain/faults.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| ")][1:]
    assert len(rows) > 15
    for row in rows:
        named = re.findall(r"`(tests/\S+\.py)::(test_\w+)`", row)
        assert named, row
        for file, test in named:
            assert f"def {test}(" in (ROOT / file).read_text(encoding="utf-8"), test
