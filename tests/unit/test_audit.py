"""The audit must pass what is good and fail on chunks broken by hand, rule by rule."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

import seamline
from seamline.cut.audit.audit import RULES, Violation, audit, audit_records
from seamline.cut.audit.roles import LineRoles, blank_tags, changed_lines
from seamline.types import Chunk, ChunkIds, Context, Document, Span

LIMIT = 64


class Fixed(ChunkIds):
    """One id for whatever index is asked for."""

    def __init__(self, name: str) -> None:
        self.ids = self.hashes = defaultdict(lambda: name)  # type: ignore[assignment]


FENCED = "# Code\n\nBefore it.\n\n```python\na = 1\nb = 2\n```\n\nAfter it.\n"
TABLE = "# Sizes\n\n| name | size |\n|------|------|\n| ant | 1 |\n| bee | 2 |\n| cow | 3 |\n"
STORY = "# Story\n\nThe ant went home. The bee flew away. The cow stayed in the field.\n"
FORMULA = "Text.\n\n$$\na = b\nc = d\n$$\n\nMore.\n"
COMMENT = "Text.\n\n<!-- one\ntwo\nthree -->\n\nMore.\n"


def document(text: str, media_type: str = "text/markdown") -> Document:
    return seamline.read(text, media_type=media_type)


def chunks(doc: Document | str, *cuts: int | str, context: Sequence[Context] = (), closing: str = "") -> list[Chunk]:
    """A document cut by hand: before each offset, or before each text. The last chunk gets context and closing."""
    doc = document(doc) if isinstance(doc, str) else doc
    offsets = [cut if isinstance(cut, int) else doc.text.index(cut) for cut in cuts]
    bounds = [0, *offsets, len(doc.text)]
    out: list[Chunk] = []
    for index, (start, end) in enumerate(pairwise(bounds)):
        end = start + len(doc.text[start:end].rstrip())
        out.append(Chunk(doc, Span(start, end), 0, Fixed(f"id-{index}"), index=index))
    out[-1] = replace(out[-1], context=tuple(context), closing=closing)
    return [counted(chunk) for chunk in out]


def counted(chunk: Chunk) -> Chunk:
    return replace(chunk, tokens=count(chunk.text))


def count(text: str) -> int:
    from seamline.tokens import load

    return load("o200k_base").count(text)


def rules(violations: Sequence[Violation]) -> set[str]:
    return {violation.rule for violation in violations}


def found(given: Sequence[Chunk], limit: int = LIMIT) -> set[str]:
    """The rules that chunks break, as chunks and as records."""
    out = rules(audit(given, limit=limit))
    records = [json.loads(json.dumps(chunk.to_dict())) for chunk in given]
    assert rules(audit_records(records, given[0].document, limit=limit)) == out
    assert out <= set(RULES)
    return out


def span_of(doc: Document, text: str) -> tuple[int, int]:
    at = doc.text.index(text)
    return at, at + len(text)


# --- what is good passes ---------------------------------------------------------------------------------------------

LONG_CODE = "```python\n" + "".join(f"value_{i} = compute({i})\n" for i in range(80)) + "```\n"
LONG_TABLE = "| name | size |\n|---|---|\n" + "".join(f"| animal number {i} | {i} |\n" for i in range(80))
LONG_PROSE = "The quick brown fox jumps over the lazy dog. It does so every day. " * 40
GOOD = {
    "fences": f"# A\n\nLook:\n\n{LONG_CODE}\n## B\n\n~~~~md\n```\nnested\n```\n~~~~\n",
    "fences inside": "# A\n\n1. one\n\n   ```sh\n   run\n   ```\n\n- ```\n  x\n  ```\n\n> ```\n> y\n> ```\n",
    "a fence left open": "Text.\n\n```\nnever closed\n",
    "a fence that ends with its quote": "> ```\n> never closed\n\nText.\n",
    "indented code with fences": "Text.\n\n    ```\n    not a fence\n\nText.\n",
    "backticks after backticks": "Text.\n\n``` not `a` fence\n\nText.\n",
    "tables": f"# T\n\n{LONG_TABLE}\n\nText after.\n",
    "lists": "# L\n\n" + "".join(f"{i}. Item {i} says a word or two. And more.\n   - inner {i}\n" for i in range(60)),
    "prose": f"# P\n\n{LONG_PROSE}\n\n## Q\n\n{LONG_PROSE}\n",
    "quote": "# P\n\n" + "".join(f"> Line {i} of the quote. It\n> goes on here.\n>\n" for i in range(60)),
    "CJK": "# 標題\n\n" + "狐狸跳過了懶狗。牠每天都這樣做！為什麼？沒有人知道。" * 40,
    "CRLF": f"# P\n\n{LONG_PROSE}\n\n{LONG_CODE}\n\n{LONG_TABLE}\n".replace("\n", "\r\n"),
    "CR": f"# P\n\n{LONG_CODE}\n\n{LONG_TABLE}\n".replace("\n", "\r"),
    "emoji": "👩‍👩‍👧‍👦🇩🇪👍🏽" * 100,
    "one long word": "x" * 3000,
    "front matter": "---\ntitle: T\n---\n# A\n\nText.\n",
    "BOM": "\ufeff# A\n\nText.\n",
    "headings without text": "# A\n\n## B\n\n## C\n\n# D\n",
    "formula and comment": f"{FORMULA}\n{COMMENT}",
    "empty": "",
    "white space": " \n\n\t\n",
}


@pytest.mark.parametrize("limit", [None, 128])
@pytest.mark.parametrize("name", GOOD)
def test_good_chunks_pass(name: str, limit: int | None) -> None:
    given = seamline.chunk(GOOD[name], limit=limit)
    assert audit(given, limit=limit or 512) == []


@pytest.mark.parametrize("name", GOOD)
def test_good_plain_text_passes(name: str) -> None:
    assert audit(seamline.chunk(GOOD[name], media_type="text/plain", limit=64), limit=64) == []


@pytest.mark.parametrize("name", GOOD)
def test_records_pass_as_their_chunks_do(name: str) -> None:
    given = seamline.chunk(GOOD[name], limit=128)
    records = [json.loads(json.dumps(chunk.to_dict())) for chunk in given]
    doc = seamline.read(GOOD[name])
    assert audit_records(records, doc, limit=128) == []


def test_chunks_of_several_documents_are_judged_apart() -> None:
    first, second = seamline.chunk(FENCED), seamline.chunk(TABLE)
    mixed = [chunk for pair in zip(first, second, strict=False) for chunk in pair]
    assert audit(mixed, limit=512) == []
    assert rules(audit([*first, *second[1:]], limit=512)) <= {"coverage"}


# --- sizes, ids, spans -----------------------------------------------------------------------------------------------


def test_too_many_tokens() -> None:
    assert found(chunks(STORY), limit=8) == {"over-limit"}


def test_another_tokenizer_counts() -> None:
    given = [replace(chunk, tokens=len(chunk.text)) for chunk in chunks(STORY)]
    assert audit(given, limit=512, tokenizer=len) == []
    assert rules(audit(given, limit=16, tokenizer=len)) == {"over-limit"}


def test_a_wrong_count() -> None:
    first, *others = chunks(STORY)
    assert found([replace(first, tokens=first.tokens + 1), *others]) == {"wrong-count"}


def test_an_id_given_twice() -> None:
    first, second = chunks(STORY, "The bee")
    assert found([first, replace(second, names=Fixed(first.id))]) == {"duplicate-id"}


def test_text_in_no_body() -> None:
    first, _, third = chunks(STORY, "The bee", "The cow")
    (violation,) = audit([first, third], limit=LIMIT)
    assert violation.rule == "coverage"
    assert "line 3" in violation.message
    assert "'The bee flew away.'" in violation.message
    assert (violation.chunk_index, violation.chunk_id) == (0, "id-0")


def test_text_before_the_first_and_after_the_last_body() -> None:
    parts = chunks(STORY, "The ant", "The cow")
    assert rules(audit(parts[1:], limit=LIMIT)) == {"coverage"}
    assert audit(parts[1:], limit=LIMIT)[0].chunk_index == -1
    assert rules(audit(parts[1:-1], limit=LIMIT)) == {"coverage"}


def test_no_records_cover_nothing() -> None:
    assert rules(audit_records([], document(STORY), limit=LIMIT)) == {"coverage"}
    assert audit_records([], document(" \n"), limit=LIMIT) == []


def test_removed_text_and_the_bom_need_no_body() -> None:
    given = seamline.chunk("\ufeff---\na: 1\n---\nText.\n")
    assert audit(given, limit=LIMIT) == []


def test_bodies_that_overlap_or_are_empty_or_out_of_order() -> None:
    first, second, third = chunks(STORY, "The bee", "The cow")
    wider = counted(replace(first, body=Span(first.start, second.end)))
    assert found([wider, second, third]) == {"overlap-of-bodies"}
    assert found([second, first, third]) == {"overlap-of-bodies"}
    empty = counted(replace(second, names=Fixed("id-x"), body=Span(second.start, second.start)))
    assert found([first, empty, second, third]) == {"overlap-of-bodies"}


@pytest.mark.parametrize(
    ("change", "broken"),
    [
        ({"text": "# Story\n\nThe ant went home!"}, {"wrong-span"}),
        ({"text": "# Story\n\nThe ant went home. ..."}, {"wrong-span", "wrong-count"}),
        ({"closing": "\n..."}, {"wrong-span"}),
        ({"context": [{"role": "heading", "start": 0, "end": 7, "added": "\n\n"}]}, {"wrong-span"}),
        ({"text": "# Story\n\n```\nThe ant"}, {"wrong-span", "torn-fence", "wrong-count"}),
    ],
)
def test_text_that_is_not_of_its_spans(change: dict[str, object], broken: set[str]) -> None:
    first, second = (chunk.to_dict() for chunk in chunks(STORY, "The bee"))
    assert rules(audit_records([first | change, second], document(STORY), limit=LIMIT)) - {"wrong-count"} == (
        broken - {"wrong-count"}
    )


# --- fences ----------------------------------------------------------------------------------------------------------


def test_half_a_fence() -> None:
    given = chunks(FENCED, "b = 2")
    assert [v.rule for v in audit(given, limit=LIMIT)] == ["torn-fence", "torn-fence"]
    assert found(given) == {"torn-fence"}


def test_a_fence_reopened_and_closed() -> None:
    doc = document(FENCED)
    first, second = chunks(doc, "b = 2", context=[Context("fence", *span_of(doc, "```python"), "\n")])
    assert found([counted(replace(first, closing="\n```")), second]) == set()
    assert found([counted(replace(first, closing="\n~~~")), second]) == {"torn-fence"}
    assert found([counted(replace(first, closing="```")), second]) == {"torn-fence"}


def test_a_closing_line_that_would_open() -> None:
    first, second = chunks(FENCED, "```\n\nAfter")
    assert found([counted(replace(first, closing="\n```")), second]) == {"torn-fence"}


def test_a_fence_opened_before_text_that_is_no_code() -> None:
    doc = document(FENCED)
    first, second = chunks(doc, "After", context=[Context("fence", *span_of(doc, "```python"), "\n")], closing="\n```")
    assert found([first, second]) == {"torn-fence"}


def test_a_fence_that_the_text_closes_too_early() -> None:
    doc = document("````md\na\n```\nb\n```\n````\n")
    first, second = chunks(doc, "b\n", context=[Context("fence", 0, 0, "```\n")])
    assert found([counted(replace(first, closing="\n````")), second]) == {"torn-fence"}
    whole = counted(replace(second, context=(Context("fence", 0, 6, "\n"),)))
    assert found([counted(replace(first, closing="\n````")), whole]) == set()


def test_a_fence_that_does_not_start_its_line() -> None:
    doc = document("# A\n\nText.\n\n```\nx\n```\n")
    first, second = chunks(doc, "```\nx", context=[Context("heading", 0, 3)])
    assert found([first, second]) == {"torn-fence"}
    assert found([first, counted(replace(second, context=(Context("heading", 0, 3, "\n\n"),)))]) == set()


@pytest.mark.parametrize(
    "text",
    [
        "- item\n\n  ~~~sh\n  one\n  two\n  ~~~\n",
        "> ````\n> one\n> two\n> ````\n",
        "1. > ```\n   > one\n   > two\n   > ```\n",
        "```\r\none\r\ntwo\r\n```\r\n",
    ],
)
def test_torn_fences_of_every_shape(text: str) -> None:
    assert found(chunks(text, "two")) == {"torn-fence"}


def test_an_unclosed_fence_needs_its_close() -> None:
    (only,) = chunks("Text.\n\n```\nnever closed\n")
    assert found([only]) == {"torn-fence"}
    assert found([counted(replace(only, closing="\n```"))]) == set()


@pytest.mark.parametrize(("text", "second"), [(FORMULA, "c = d"), (COMMENT, "three")])
def test_half_a_formula_or_comment(text: str, second: str) -> None:
    assert found(chunks(text, second)) == {"torn-markup"}


@pytest.mark.parametrize(
    ("text", "cut", "mark", "close"), [(FORMULA, "c = d", "$$", "$$"), (COMMENT, "three", "<!--", "-->")]
)
def test_a_formula_or_comment_reopened(text: str, cut: str, mark: str, close: str) -> None:
    doc = document(text)
    first, second = chunks(doc, cut, context=[Context("math", *span_of(doc, mark), "\n")])
    assert found([counted(replace(first, closing=f"\n{close}")), second]) == set()
    assert found([first, second]) == {"torn-markup"}


# --- tables and headings ---------------------------------------------------------------------------------------------


def test_rows_without_their_header() -> None:
    assert found(chunks(TABLE, "| bee")) == {"headless-table"}


def test_rows_under_a_borrowed_header() -> None:
    doc = document(TABLE)
    header = Context("header", *span_of(doc, "| name | size |\n|------|------|"), "\n")
    assert found(chunks(doc, "| bee", context=[header])) == set()
    assert found(chunks(doc, "| bee", context=[Context("header", *span_of(doc, "| ant | 1 |"), "\n")])) == {
        "headless-table"
    }


@pytest.mark.parametrize("bar", ["| ", ""])
def test_a_column_whose_header_cell_fills_a_chunk_stands_without_it(bar: str) -> None:
    text = f"{bar}{'wide ' * 2_000}| size |\n{bar}---|---|\n{bar}1 kg | 4.20 |\n{bar}5 kg | 9.80 |\n"
    assert not seamline.audit(seamline.chunk(text), limit=512)
    doc = document(text)
    assert "headless-table" not in found(chunks(doc, f"{bar}5 kg"), 512)
    assert "headless-table" in found(chunks(doc, " 9.80"), 512)


def test_overlap_of_rows_without_their_header() -> None:
    doc = document(TABLE + "\nText.\n")
    rows = Context("overlap", *span_of(doc, "| cow | 3 |"), "\n\n")
    assert found(chunks(doc, "Text.", context=[rows])) == {"headless-table"}


@pytest.mark.parametrize(
    ("text", "cut", "broken"),
    [
        ("# A\n\nText.\n", "Text", True),
        ("# A\n\n## B\n\nText.\n", "## B", True),
        ("Title\n=====\n\nText.\n", "Text", True),
        ("# A\n\n- item\n", "- item", True),
        ("> # A\n>\n> Text.\n", "> Text", True),
        ("# A\n\n# B\n\nText.\n", "# B", False),
        ("## A\n\n# B\n\nText.\n", "# B", False),
        ("Text.\n\n# A\n", "# A", False),
    ],
)
def test_a_heading_with_nothing_under_it(text: str, cut: str, broken: bool) -> None:
    assert found(chunks(text, cut)) == ({"dangling-heading"} if broken else set())


def test_a_heading_that_fills_the_chunk_may_stand_alone() -> None:
    text = "# " + "word " * 60 + "\n\nText.\n"
    assert found(chunks(text, "Text.")) == set()


def test_a_heading_that_fills_seven_eighths_of_a_chunk_fills_it() -> None:
    text = "# " + "word " * 20 + "\n\n## B\n"
    size = count("# " + "word " * 20)
    assert found(chunks(text, "## B"), limit=size * 8 // 7 + 2) == set()
    assert found(chunks(text, "## B"), limit=size * 3 // 2 + 12) == {"dangling-heading"}


def test_a_heading_that_leaves_no_room_for_the_opening_lines_of_a_directive_may_stand_alone() -> None:
    directives = ":::note\n\n:::note\n\n:::note\n\nText.\n\n:::\n\n:::\n\n:::\n"
    cut = directives[:7]
    room = count("# " + "word " * 20) + 12
    assert found(chunks("# " + "word " * 20 + "\n\n" + directives, cut), limit=room) == set()
    assert found(chunks("# " + "word " * 20 + "\n\n" + directives, cut), limit=room + 20) == {"dangling-heading"}


# --- sentences and characters ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("cut", ["flew", "in the field"])
def test_a_start_inside_a_sentence(cut: str) -> None:
    (violation,) = audit(chunks(STORY, cut), limit=LIMIT)
    assert violation.rule == "mid-sentence"
    assert "line 3" in violation.message


def test_a_start_inside_a_sentence_of_plain_text() -> None:
    assert found(chunks(document("One two. Three four.\n", "text/plain"), "four")) == {"mid-sentence"}


@pytest.mark.parametrize(
    ("text", "cut", "broken"),
    [
        ("- One two three.\n- Four five.\n", "- Four", False),
        ("- One two three.\n- Four five.\n", "five", True),
        ("- One two three.\n  - Four five.\n", "  - Four", False),
        ("> One two\n> three. Four five.\n", "> three", True),
        ("> One two three.\n>\n> Four five.\n", "> Four", False),
        ("- One two.\n  Three four.\n", "Three", False),
        ("One two three.\n\nFour five.\n", "Four", False),
        ("狐狸跳過了。牠每天都這樣做。", "牠", False),
        ("狐狸跳過了。牠每天都這樣做。", "這樣", True),
        ("```\none two\nthree four\n```\n", "three", False),
    ],
)
def test_where_a_body_may_start(text: str, cut: str, broken: bool) -> None:
    assert ("mid-sentence" in found(chunks(text, cut))) is broken


def test_a_sentence_above_the_limit_may_be_cut() -> None:
    text = "word " * 100 + "end.\n"
    assert found(chunks(text, 300)) == set()
    assert found(chunks(text, 300), limit=200) == {"mid-sentence"}


def test_a_sentence_that_does_not_fit_under_its_heading_may_be_cut() -> None:
    text = "# " + "title " * 30 + "\n\n" + "word " * 40 + "end.\n"
    cut = len(text) - 60
    assert found(chunks(text, cut)) == set()
    assert found(chunks(text, cut), limit=128) == {"mid-sentence"}


@pytest.mark.parametrize(
    ("text", "cut"),
    [("e\u0301", 1), ("👩‍👧", 1), ("🇩🇪🇫🇷", 3), ("\u1112\u1161", 1), ("a \u0301", 2)],
)
def test_a_cut_character(text: str, cut: int) -> None:
    assert "cut-grapheme" in found(chunks(document(text, "text/plain"), cut))


def test_a_body_that_starts_with_the_second_half_of_a_line_end() -> None:
    first, second = chunks("One.\r\n\r\nTwo.\r\n", "Two")
    assert found([first, counted(replace(second, body=Span(second.start - 1, second.end)))]) == {"cut-grapheme"}


def test_a_character_above_the_limit_may_be_cut() -> None:
    text = "e" + "\u0301" * 200
    assert found(chunks(document(text, "text/plain"), 100), limit=120) == set()


# --- records ---------------------------------------------------------------------------------------------------------

MALFORMED: dict[str, object] = {
    "no id": {"id": None},
    "an id that is no string": {"id": 3},
    "no text": {"text": None},
    "a start that is no number": {"start": "0"},
    "a start that is a truth": {"start": True},
    "a negative start": {"start": -1},
    "a reversed span": {"start": 20, "end": 3},
    "a span past the end": {"end": 10_000},
    "no context": {"context": None},
    "context that is no object": {"context": ["heading"]},
    "context without a span": {"context": [{"role": "heading"}]},
    "context past the end": {"context": [{"role": "heading", "start": 0, "end": 10_000}]},
    "context with a wrong addition": {"context": [{"role": "heading", "start": 0, "end": 1, "added": 1}]},
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_records(name: str) -> None:
    change = MALFORMED[name]
    assert isinstance(change, Mapping)
    (chunk,) = chunks(STORY)
    record = {key: value for key, value in (chunk.to_dict() | dict(change)).items() if value is not None}
    assert rules(audit_records([record], document(STORY), limit=LIMIT)) == {"malformed", "coverage"}


@pytest.mark.parametrize("record", [{}, [], "text", None, 3])
def test_what_is_no_record_is_malformed(record: Any) -> None:
    violations = audit_records([record], None, limit=LIMIT)
    assert [(v.rule, v.chunk_index, v.chunk_id) for v in violations] == [("malformed", 0, "")]


def test_records_without_their_document() -> None:
    good = [chunk.to_dict() for chunk in chunks(FENCED, "After")]
    assert audit_records(good, None, limit=LIMIT) == []
    torn = [chunk.to_dict() for chunk in chunks(FENCED, "b = 2")]
    assert rules(audit_records(torn, None, limit=LIMIT)) == {"torn-fence"}
    assert rules(audit_records([*good, good[0]], None, limit=2)) == {"over-limit", "duplicate-id", "overlap-of-bodies"}


def test_every_rule_is_explained() -> None:
    assert all(line and "\n" not in line for line in RULES.values())


def test_a_large_block_is_read_once() -> None:
    """A million characters in one paragraph, cut at 10,000 places inside a sentence."""
    doc = document("One two three four. " * 50_000, "text/plain")
    given = [
        Chunk(doc, Span(at, min(at + 99, len(doc.text))), 0, Fixed(str(i)), index=i)
        for i, at in enumerate(range(4, len(doc.text), 100))
    ]
    assert "mid-sentence" in rules(audit(given, limit=512))  # minutes, were the block read for every cut


def test_a_line_that_is_something_else_alone_is_found() -> None:
    text = "Intro.\n\n<div>\n    <p>one</p>\n    <p>two</p>\n</div>\n"
    page = document(text)
    at, end = text.index("    <p>two"), len(text.rstrip())
    records = [
        {"id": name, "doc": "doc", "start": start, "end": stop, "text": text[start:stop], "context": [], "closing": ""}
        | {"tokens": count(text[start:stop])}
        for name, start, stop in (("a", 0, at - 1), ("b", at, end))
    ]
    violations = audit_records(records, page, limit=512)
    assert [(one.rule, one.chunk_index) for one in violations] == [("changed-role", 1)]
    assert "html in the document, code here" in violations[0].message


MDX = """<Tabs>
  <Tab title="a > b" on={() => { x }}>
  ```sh
  npm install
  ```
  </Tab>
</Tabs>

## Setup

First, install it.

```sh
# a comment
npm start
```
"""


def test_mdx_is_read_as_mdx() -> None:
    """CommonMark takes the first fence for HTML, and then all that follows for code."""
    page = seamline.read(MDX, id="doc", media_type="text/mdx")
    chunks = seamline.chunk(page, target=22, limit=24)
    assert len(chunks) > 2
    assert "changed-role" not in rules(audit(chunks, limit=24))


def test_a_changed_line_of_mdx_is_still_found() -> None:
    known = LineRoles(MDX, is_mdx=True)
    start, end = MDX.index("## Setup"), MDX.index("\n\n```sh\n# a")
    for lead, changed in (("<div>\n", []), ("```\n", [("heading", "code"), ("text", "code")])):
        found = changed_lines(known, lead + MDX[start:end], len(lead), start, end)
        assert [(line.was.role, line.now.role) for line in found] == changed


def test_tags_on_lines_of_their_own_are_blank_in_mdx() -> None:
    text = "<A\n  b='>'\n>\n*x* <b>y</b>\n</A>\n<B/> <C />\n<D> text\n"
    shown = blank_tags(text)
    assert len(shown) == len(text)
    assert shown.split() == ["*x*", "<b>y</b>", "<D>", "text"]
