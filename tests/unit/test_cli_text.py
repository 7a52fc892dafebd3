"""What commands make of texts before they show them: excerpts, wrapped lines, differences, sums."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seamline.cli.cite import compare_texts, differences
from seamline.cli.index import IndexProgress, format_duration, headline
from seamline.cli.terminal import TerminalStyle, columns
from seamline.cli.view import wrap
from seamline.cli.watch import Sight, settled_files
from seamline.index.update import UpdateReport
from seamline.search.excerpt import after_headings, excerpt
from seamline.types import Span

PLAIN = TerminalStyle()
TEXTS = st.text(alphabet=st.sampled_from("ab鍵 \n\r\t|#`-é\u0301\u202e.x"), max_size=300)
ROWS = "".join(f"| `{number}` | row {number} of the table | waits |\n" for number in range(400, 440))


def shown(text: str, query: str, path: tuple[str, ...] = ()) -> str:
    part = excerpt(text, path, query)
    return text[part.start : part.end]


@given(TEXTS, st.text(alphabet="ab x鍵", max_size=10))
def test_an_excerpt_is_a_part_of_its_text(text: str, query: str) -> None:
    part = excerpt(text, (), query)
    assert 0 <= part.start <= part.end <= len(text)


def test_the_rows_of_a_table_are_shown_whole() -> None:
    found = shown("| Code | What | Then |\n|---|---|---|\n" + ROWS, "row 429")
    assert "| `429` | row 429 of the table | waits |" in found.splitlines()
    assert {line in ROWS for line in found.splitlines()} == {True}


def test_lines_of_code_are_shown_whole() -> None:
    code = "".join(f"    value_{number} = compute(other_{number}, more_of_it_{number})\n" for number in range(60))
    text = f"Some words.\n\n```python\n{code}```\n\nThe end.\n"
    assert {line in code for line in shown(text, "value_41 compute").splitlines()} == {True}


def test_an_excerpt_does_not_end_with_an_opening_fence() -> None:
    prose = "The answer is waiting, which takes a while and is worth it. " * 5
    code = "x = 1  # more code\n" * 40
    assert "```" not in shown(f"{prose}\n\n```python\n{code}```\n", "answer waiting")


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("# A\n\n## B\n\nText.", "Text."),
        ("A\n===\n\nText.", "Text."),
        ("C\n===\n\nText.", "C\n===\n\nText."),
        ("Text.\n# A", "Text.\n# A"),
        ("# A", "# A"),
        ("\r\n# A\r\nText.", "Text."),
    ],
)
def test_headings_that_the_path_names_are_left_out(text: str, rest: str) -> None:
    assert text[after_headings(text, ("A", "B")) :] == rest


def test_a_long_list_item_keeps_its_marker() -> None:
    text = "# Steps\n\n" + "".join(f"{n}. Step number {n} is to turn the handle {n} times.\n" for n in range(1, 40))
    assert shown(text, "handle 20").startswith("20. ") or "\n20. " in shown(text, "handle 20")


@given(TEXTS, st.integers(4, 40))
def test_wrapped_lines_keep_the_width_and_the_words(text: str, width: int) -> None:
    rows = list(wrap(text, Span(0, len(text)), (), PLAIN, width, airy=True))
    assert all(columns(row) <= max(width, 12) for row in rows)  # a character that is shown as \\u202e has 6 columns
    assert "".join("".join(rows).split()).count("a") == text.count("a")


def test_lines_of_a_paragraph_are_joined_and_those_of_a_list_are_not() -> None:
    long = "a line of prose that an editor has broken because it was so long"
    text = f"{long}\nand goes on\n\n- one\n- two\n\n| a |\n|---|\n| b |\n"
    rows = list(wrap(text, Span(0, len(text)), (), PLAIN, 200))
    assert rows == [f"{long} and goes on", "- one", "- two", "| a |", "| b |"]


@given(TEXTS, TEXTS)
def test_differences_hold_both_texts(before: str, after: str) -> None:
    pieces = differences(before, after)
    assert pieces is not None
    assert "".join(piece.text for piece in pieces if piece.kind != "new") == before
    assert "".join(piece.text for piece in pieces if piece.kind != "gone") == after


def test_differences_word_by_word() -> None:
    before = "One.\n\nIt takes ten days.\n\nTwo.\n\nThree.\n"
    assert compare_texts(before, before.replace("ten", "14"), PLAIN) == ["…", "It takes [-ten-]{+14+} days.", "…"]
    assert compare_texts("It takes about ten days.", "It takes two long weeks.", PLAIN) == [
        "It takes [-about ten days-]{+two long weeks+}."
    ]
    coloured = compare_texts(before, before.replace("ten", "14"), TerminalStyle(colour=True)) or []
    assert "It takes \x1b[31mten\x1b[0m\x1b[32m14\x1b[0m days." in coloured
    assert compare_texts("x\n" * 3000, "y\n" * 3000, PLAIN) is None


@pytest.mark.parametrize(
    ("counts", "told"),
    [
        ({"documents": 1204, "changed": 3, "chunks": 11}, "3 of 1,204 documents changed, 11 chunks embedded"),
        ({"documents": 8}, "nothing changed: 0 of 8 documents, 0 chunks embedded"),
        ({"documents": 1, "added": 1, "chunks": 1}, "1 of 1 document added, 1 chunk embedded"),
        (
            {"documents": 2, "added": 1, "removed": 2, "moved": 1, "chunks": 4, "embedded": 0, "cached": 6},
            "1 of 2 documents moved, 1 removed, 4 chunks new, 0 texts embedded, 6 known",
        ),
        ({"documents": 4, "removed": 1, "unchanged": 4}, "1 document removed, 4 unchanged, 0 chunks embedded"),
    ],
)
def test_the_headline_of_a_run(counts: dict[str, int], told: str) -> None:
    assert headline(UpdateReport(**counts)) == told


@pytest.mark.parametrize(("seconds", "said"), [(0.2, "1 s"), (89, "89 s"), (120, "2 min"), (7200, "2.0 h")])
def test_the_time_that_is_left(seconds: float, said: str) -> None:
    assert format_duration(seconds) == said


def test_what_a_run_that_was_broken_off_leaves() -> None:
    progress = IndexProgress(wanted=False)
    assert progress.so_far(set()) == "no document was looked at yet"
    for number, name in enumerate("abc", start=1):
        progress.document(number, 5, name)
    progress.written(["a", "b"])
    assert progress.so_far({"a", "b", "z"}) == "2 of 5 documents are in the index"


def test_progress_shows_words_and_then_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    monkeypatch.setattr("seamline.cli.terminal.Progress.show", lambda self, line, *, long: shown.append(line))
    progress = IndexProgress(wanted=True)
    progress.document(0, 1, "only.md")
    for number in range(40):
        progress.document(number, 647, f"{number}.md")
    progress.embedding(0, 9593)
    progress.embedding(1200, 9593)
    assert shown[0].endswith(" reading 1 of 1 document, only.md")
    assert shown[-3].endswith(" reading 41 of 647 documents, 39.md")
    assert shown[-2].endswith(" vectors 0 of 9,593")
    assert shown[-1].endswith(" vectors 1,200 of 9,593")


def test_a_file_that_is_being_written_can_wait() -> None:
    old, new, newer = Sight(1, 10, 1), Sight(2, 20, 1), Sight(3, 30, 1)
    known = {"a": old, "b": old, "gone": old}
    assert settled_files(known, {"a": old, "b": old}, {"a": new, "b": old}) == ["gone"]
    assert settled_files(known, {"a": new, "b": old}, {"a": new, "b": old}) == ["a", "gone"]
    assert settled_files(known, {"a": new, "b": old, "gone": old}, {"a": newer, "b": old, "gone": old}) == []
