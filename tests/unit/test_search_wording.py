"""What is asked for word for word comes first; what a query requires or excludes is kept to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

import pytest

from harness.library import NOW, Library
from seamline.pipeline import retrieve
from seamline.protocols import Reader
from seamline.records import Entry
from seamline.search.options import SearchOptions
from seamline.search.query import EXACT, RUN, Wording, parse_query
from seamline.search.search import SearchEngine

NOISE = {
    f"noise{n}.md": f"# Exit {n}\n\nAn exit code tells how a process exits. Code that exits, exits with a code {n}.\n"
    for n in range(40)
}
ANSWER = {"answer.md": "# Memory\n\nA container that needs more than it may have is killed with exit code 137.\n"}


def docs(library: Library, query: str, options: SearchOptions | None = None) -> list[str]:
    with library.store.reader() as reader:
        found = retrieve(SearchEngine(reader, library.embedder, NOW), query, options or SearchOptions())
    return [hit.entry.doc for hit in found.hits]


@pytest.fixture(scope="module")
def library() -> Library:
    return Library({**NOISE, **ANSWER, "flags.md": "# Flags\n\nDelete with --force, or wait.\n"})


@pytest.mark.parametrize("legs", ["hybrid", "bm25"])
def test_the_passage_that_says_it_comes_first(library: Library, legs: str) -> None:
    assert docs(library, "exit code 137", SearchOptions(legs=legs))[0] == "answer.md"  # type: ignore[arg-type]


@pytest.mark.parametrize("legs", ["hybrid", "bm25"])
def test_a_passage_far_down_comes_first_where_it_says_the_query(legs: str) -> None:
    noise = {f"{n}.md": f"# Code {n}\n\nThe version of a code, versions of codes, version {n}.\n" for n in range(90)}
    far = (
        "# Notes\n\n" + "Much is told here that nobody asked for, at some length. " * 9 + "Ask for version code ten.\n"
    )
    options = SearchOptions(legs=legs)  # type: ignore[arg-type]
    assert docs(Library({**noise, "far.md": far}), "version code", options)[0] == "far.md"


@pytest.mark.parametrize("legs", ["hybrid", "bm25"])
def test_a_passage_is_found_by_the_order_of_words_that_most_passages_hold(legs: str) -> None:
    noise = {f"{n}.md": f"# Data {n}\n\nData, so is the data where data is. Data {n}.\n" for n in range(230)}
    far = "# Notes\n\n" + "Much is told here that nobody asked for, at some length. " * 9 + "So where the data is.\n"
    options = SearchOptions(legs=legs)  # type: ignore[arg-type]
    assert docs(Library({**noise, "far.md": far}), "so where the data is", options)[0] == "far.md"


def test_reading_ends_where_nothing_else_could_come_first() -> None:
    library = Library({f"{n}.md": f"# Page {n}\n\nThe quota of page {n} is a quota.\n" for n in range(150)})
    read: list[str] = []

    class Watching:
        """A reader that notes what is read."""

        def __init__(self, reader: Reader) -> None:
            self._reader = reader

        def __getattr__(self, name: str) -> object:
            return getattr(self._reader, name)

        def entries(self, ids: Iterable[str], *, vectors: bool = False) -> dict[str, Entry]:
            asked = list(ids)
            read.extend(asked)
            return self._reader.entries(asked, vectors=vectors)

    with library.store.reader() as reader:
        watching = cast("Reader", Watching(reader))
        found = retrieve(SearchEngine(watching, library.embedder, NOW), "quota", SearchOptions())
        everything = retrieve(SearchEngine(reader, library.embedder, NOW), "quota", SearchOptions(over=15))
    assert len({*read}) <= 3 * SearchOptions().depth
    assert [hit.entry.id for hit in found.hits][:5] == [hit.entry.id for hit in everything.hits][:5]


def test_a_phrase_in_quotes_is_required(library: Library) -> None:
    assert docs(library, '"exit code 137"') == ["answer.md"]
    assert docs(library, '"exit code 138"') == []


def test_a_word_after_a_hyphen_is_excluded(library: Library) -> None:
    assert "answer.md" in docs(library, "killed with 137")
    assert "answer.md" not in docs(library, "killed with 137 -container")


def test_scores_stay_within_one(library: Library) -> None:
    with library.store.reader() as reader:
        found = retrieve(SearchEngine(reader, library.embedder, NOW), "exit code 137", SearchOptions())
    assert found.hits[0].score == pytest.approx(max(hit.score for hit in found.hits))
    assert all(0 <= hit.score <= 1 for hit in found.hits)
    assert found.hits[0].why.wording == pytest.approx(EXACT + RUN)


@pytest.mark.parametrize(
    ("query", "text", "literal", "run"),
    [
        ("exit code 137", "The Exit\n Code 137 means it", True, 1.0),
        ("exit code 137", "exit code: 137", False, 1.0),
        ("exit code 137", "exit codes 1371", False, 2 / 3),
        ("--force", "use --force now", True, 1.0),
        ("--force", "use force", False, 1.0),
        ("force", "enforced", False, 0.0),
        ("useState", "`useState` is", True, 1.0),
        ("useState", "useStateful", False, 0.0),
        ("a b", "b a", False, 0.0),
        ("名前を変更", "この名前を変更する", True, 0.0),
        ("", "text", False, 0.0),
        ("port 80", "serve --port 80", True, 1.0),
        ("port 80", "serve --dport 80", False, 0.0),
        ("port 80", "a re-port 80", False, 0.0),
        ("version 2.0.0", "version 2.0.0-alpha.40", False, 0.0),
        ("--force", "a ---force", False, 1.0),
        ("--force", "with--force", False, 1.0),
        ("--force", "--force-with-lease", False, 0.0),
    ],
)
def test_wording(query: str, text: str, literal: bool, run: float) -> None:
    wording = Wording(query)
    assert wording.is_in(text) is literal
    assert wording.run(text) == pytest.approx(run)


@pytest.mark.parametrize(
    ("query", "text", "required", "excluded"),
    [
        ("exit code 137", "exit code 137", 0, 0),
        ('"exit code 137" pod', "exit code 137 pod", 1, 0),
        ("retry -docker", "retry", 0, 1),
        ('a -"two words" b', "a b", 0, 1),
        ("use --force now", "use --force now", 0, 0),
        ("re-run", "re-run", 0, 0),
        ('say "never closed', 'say "never closed', 0, 0),
        ("-only", "-only", 0, 0),
        ('"" x', '"" x', 0, 0),
    ],
)
def test_parts_of_a_query(query: str, text: str, required: int, excluded: int) -> None:
    found = parse_query(query)
    assert (found.text, len(found.required), len(found.excluded)) == (text, required, excluded)


def test_a_name_is_excluded_by_its_parts_too() -> None:
    assert not parse_query("a -docker").admits("docker-compose up")
    assert parse_query('"名前を"').admits("この名前を変更する")


def test_a_phrase_may_repeat_a_word() -> None:
    assert parse_query('"very very"').admits("very, very good")
    assert not parse_query('"very very"').admits("very good")
