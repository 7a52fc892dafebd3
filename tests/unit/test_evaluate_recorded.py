"""Searches whose hits are marked become questions with answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import seamline
from seamline.errors import ConfigError
from seamline.evaluate.questions import locate_answers, read_questions
from seamline.evaluate.recorded import record_searches

TEXT = (
    "# Guide\n\n## Retries\n\nA delivery that fails is tried again.\n\n## Codes\n\nA code says why a parcel is late.\n"
)


@pytest.fixture(scope="module")
def searched() -> dict[str, Any]:
    """What a search of an index gives, as JSON."""
    config = seamline.IndexConfig(seamline.Recipe(), embedder="hash")
    with seamline.open_index("memory:", config=config) as index:
        index.add("docs/guide.md", TEXT)
        found = index.search("delivery retries", options=seamline.SearchOptions(legs="bm25", min_score=0, whole=0))
    return json.loads(json.dumps(found.to_dict()))


def marked(search: dict[str, Any], *ranks: int) -> str:
    hits = [{**hit, "relevant": rank in ranks} for rank, hit in enumerate(search["hits"], 1)]
    return json.dumps({**search, "hits": hits})


def read(path: Path, text: str, texts: dict[str, str]) -> list[tuple[str, list[str]]]:
    path.write_text(text, encoding="utf-8")
    found = locate_answers(read_questions(path).questions, texts)
    assert found.missing == []
    return [(one.text, [texts[a.doc][a.start : a.end] for a in one.answers]) for one in found.questions]


def test_ranks_that_are_named_are_answers(tmp_path: Path, searched: dict[str, Any]) -> None:
    text, added = record_searches(tmp_path / "q.jsonl", json.dumps(searched), [1])
    assert added == 1
    [(question, answers)] = read(tmp_path / "q.jsonl", text, {"docs/guide.md": TEXT})
    assert question == "delivery retries"
    assert "tried again" in answers[0]


def test_marked_hits_of_several_searches(tmp_path: Path, searched: dict[str, Any]) -> None:
    other = json.dumps({**searched, "query": "why late"})
    text, added = record_searches(tmp_path / "q.jsonl", f"{marked(searched, 1)}\n{other}\n")
    assert added == 1  # the second search has no mark
    assert len(text.splitlines()) == 1


def test_a_question_is_recorded_once(tmp_path: Path, searched: dict[str, Any]) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text('{"question": "Mine?", "doc": "guide.md", "start": 2, "end": 7}\n', encoding="utf-8")
    for _ in range(2):
        path.write_text(record_searches(path, json.dumps(searched), [1])[0], encoding="utf-8")
    asked = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [one["question"] for one in asked] == ["Mine?", "delivery retries"]
    assert len(asked[1]["answers"]) == 1


def test_an_answer_is_found_again_after_an_edit(tmp_path: Path, searched: dict[str, Any]) -> None:
    text, _ = record_searches(tmp_path / "q.jsonl", json.dumps(searched), [1])
    edited = {"guide.md": f"A new first paragraph.\n\n{TEXT}"}  # and asked from inside the folder
    assert "tried again" in read(tmp_path / "q.jsonl", text, edited)[0][1][0]


@pytest.mark.parametrize(
    ("search", "ranks", "why"),
    [
        ("{", [1], "seamline search --json"),
        ("[" * 100_000, [1], "seamline search --json"),
        ("[]", [1], "`query`"),
        ('{"query": "a"}', [1], "`hits`"),
        ('{"query": "a", "hits": []}', [1], "0 hits"),
        ('{"query": "a", "hits": []}', [], "no hit is marked"),
        ('{"query": "a", "hits": [{"relevant": true, "citations": [{"doc": 1}]}]}', [], "hit 1"),
        ('{"query": "a", "hits": [{"relevant": true, "citations": 7}]}', [], "hit 1"),
    ],
)
def test_what_is_no_search_is_refused(tmp_path: Path, search: str, ranks: list[int], why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        record_searches(tmp_path / "q.jsonl", search, ranks)


def test_a_file_that_holds_something_else_is_left_alone(tmp_path: Path, searched: dict[str, Any]) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text('{"question": "Mine?", "answer": "x"}\nnot json\n', encoding="utf-8")
    with pytest.raises(ConfigError, match="line 2"):
        record_searches(path, json.dumps(searched), [1])
