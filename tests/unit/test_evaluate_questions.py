"""Questions files of all kinds, hostile ones among them; answers that are located; questions that rules write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import seamline
from seamline.errors import ConfigError
from seamline.evaluate.generate import generate_questions
from seamline.evaluate.questions import WrittenAnswer, WrittenQuestion, locate_answers, read_questions

TEXT = (
    "# Guide\n\nA delivery that fails is tried again after\none minute, then after one hour.\n\nNothing else is here.\n"
)
TEXTS = {"docs/guide.md": TEXT, "docs/other.md": "Some other text about parcels.\n"}


def lines(path: Path, *records: Any) -> Path:
    path.write_text("".join(f"{json.dumps(one)}\n" for one in records), encoding="utf-8")
    return path


def ask(**answer: Any) -> WrittenQuestion:
    return WrittenQuestion("q", "How?", (WrittenAnswer(**answer),))


def test_json_lines_with_spans_and_texts(tmp_path: Path) -> None:
    path = lines(
        tmp_path / "q.jsonl",
        {"question": "One?", "doc": "docs/guide.md", "start": 9, "end": 30},
        {"question": "Two?", "answers": [{"doc": "guide.md", "text": "one hour"}, {"text": "Some other text"}]},
        {"id": "x", "query": "Three?", "doc": "other", "answer": "about parcels", "kind": "fact"},
    )
    read = read_questions(path)
    assert read.problems == []
    found = locate_answers(read.questions, TEXTS)
    assert (found.missing, found.fuzzy) == ([], [])
    quoted = [[TEXTS[a.doc][a.start : a.end] for a in question.answers] for question in found.questions]
    assert quoted == [["A delivery that fails"], ["one hour", "Some other text"], ["about parcels"]]
    assert [question.id for question in found.questions] == ["q1", "q2", "x"]


def test_questions_go_to_a_file_and_back(tmp_path: Path) -> None:
    found = locate_answers([ask(doc="guide", text="one hour")], TEXTS).questions
    path = lines(tmp_path / "q.jsonl", *(one.to_dict() for one in found))
    assert locate_answers(read_questions(path).questions, TEXTS).questions == found


@pytest.mark.parametrize(
    ("text", "fuzzy"),
    [
        ("tried again after one minute", False),  # another line break
        ("Tried again, after one minute;", False),
        ("a delivery which fails is tried again after one minute", True),
    ],
)
def test_an_answer_is_found_by_its_words(text: str, fuzzy: bool) -> None:
    found = locate_answers([ask(text=text)], TEXTS)
    span = found.questions[0].answers[0]
    assert "tried again after\none minute" in TEXTS[span.doc][span.start : span.end]
    assert bool(found.fuzzy) == fuzzy


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ({"text": "nothing of the kind stands in any of them"}, "not found"),
        ({"doc": "missing.md", "text": "one hour"}, "no such document"),
        ({"doc": "guide.md", "start": 9, "end": 90_000}, "characters"),
        ({"text": "???"}, "not found"),
    ],
)
def test_what_is_not_found_is_told_and_left_out(answer: dict[str, Any], why: str) -> None:
    found = locate_answers([ask(**answer)], TEXTS)
    assert found.questions == []
    assert why in found.missing[0]


def test_a_name_that_two_documents_have_is_refused() -> None:
    found = locate_answers([ask(doc="a.md", text="x")], {"one/a.md": "x", "two/a.md": "x"})
    assert "several documents" in found.missing[0]


def test_a_hostile_file_costs_its_own_lines(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    bad = [
        "[" * 100_000,
        '{"question": 1}',
        '{"question": "a", "doc": 3, "start": 0, "end": 1}',
        '{"question": "a", "doc": "g", "start": 5, "end": 5}',
        '{"question": "a", "doc": "g", "start": true, "end": 5}',
        '{"question": "a", "answers": []}',
        '{"question": "a", "answers": [7]}',
        '{"question": "\\ud800", "answer": "x"}',
        '{"question": "a", "start": 1, "end": 2}',
        "null",
        "\x00\x01",
    ]
    path.write_text("\n".join([*bad, '{"question": "<b>ok</b>", "answer": "one hour"}']), encoding="utf-8")
    read = read_questions(path)
    assert [one.text for one in read.questions] == ["<b>ok</b>"]
    assert len(read.problems) == len(bad)
    assert "line 1:" in read.problems[0]


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\xff\xfe\x00", b"[]", b'{"data": []}', b'{"a": 1}'])
def test_a_file_without_questions_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "q.json"
    path.write_bytes(data)
    with pytest.raises(ConfigError, match=r"q\.json"):
        read_questions(path)


def test_squad_brings_its_documents(tmp_path: Path) -> None:
    asked = [
        {"id": "1", "question": "What?", "answers": [{"text": "parcels", "answer_start": 6}, {"text": "x"}]},
        {"id": "2", "question": "Impossible?", "answers": [], "is_impossible": True},
    ]
    paragraphs = [{"context": "First.", "qas": []}, {"context": "About parcels.", "qas": asked}]
    path = tmp_path / "squad.json"
    path.write_text(json.dumps({"data": [{"title": "Post", "paragraphs": paragraphs}]}))
    read = read_questions(path)
    found = locate_answers(read.questions, read.documents)
    span = found.questions[0].answers[0]
    assert [one.id for one in found.questions] == ["1"]
    assert read.documents[span.doc][span.start : span.end] == "parcels"


def test_beir_answers_are_whole_documents(tmp_path: Path) -> None:
    (tmp_path / "qrels").mkdir()
    lines(tmp_path / "corpus.jsonl", {"_id": "d1", "title": "One", "text": "Text."}, {"_id": "d2", "text": "More."})
    lines(tmp_path / "queries.jsonl", {"_id": "q1", "text": "First?"}, {"_id": "q2", "text": "Nobody answers?"})
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t0\n")
    read = read_questions(tmp_path)
    found = locate_answers(read.questions, read.documents)
    assert [(one.text, one.answers[0].doc) for one in found.questions] == [("First?", "d1")]
    assert read.documents["d1"] == "# One\n\nText."


def test_a_folder_that_is_no_beir_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"queries\.jsonl"):
        read_questions(tmp_path)


MARKDOWN = """\
# Manual

A webhook is a request that we send to you. It has a body.

## How retries work

They wait longer each time. See [the table of codes](codes.md#error-codes) before you write to us.

| Code | Meaning | Retry |
|---|---|---|
| 429 | too many requests | yes |
| 404 | no such parcel | no |
"""


def test_rules_write_questions_of_every_kind() -> None:
    sources = {
        "docs/manual.md": MARKDOWN,
        "docs/codes.md": "# Codes\n\nIntro.\n\n## Error codes\n\nEvery error has one code.\n",
        "docs/code.py": "def send_parcel(address):\n    return address\n",
    }
    documents = {name: seamline.read(text, id=name, filename=name) for name, text in sources.items()}
    made = generate_questions(documents)
    asked = {one.text: sources[a.doc][a.start : a.end] for one in made for a in one.answers}
    assert asked["What is the Meaning of 429?"] == "| 429 | too many requests | yes |"
    assert asked["What is webhook?"] == "A webhook is a request that we send to you."
    assert asked["How retries work"].startswith("They wait longer")
    assert asked["See the table of codes before you write to us."] == "Every error has one code."
    assert asked["Where is send_parcel defined, and what does it do?"].startswith("def send_parcel")
    assert {one.kind for one in made} == {"table", "definition", "heading", "link", "code"}
    assert all(one.generated for one in made)
    assert generate_questions(dict(reversed(documents.items()))) == made
    assert len(generate_questions(documents, 2)) == 2


def test_a_question_with_two_answers_is_not_asked() -> None:
    text = "# A\n\n## Same words here\n\nOne.\n\n## Same words here\n\nTwo.\n"
    assert "Same words here" not in [one.text for one in generate_questions({"a.md": seamline.read(text + "\n")})]
