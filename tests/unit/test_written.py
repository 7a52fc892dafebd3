"""Summaries, questions and prefixes by a language model, against a real HTTP server that is scripted."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from harness.endpoint import Reply, Script, said, talking
from seamline.api import chunk
from seamline.enrich.prose import Passage, passages, together
from seamline.enrich.written import Written, plain_prefix, plain_prefixes, prefixes, questions, summaries
from seamline.errors import ConfigError
from seamline.llm.cache import AnswerFile, CachedModel
from seamline.llm.client import ChatModel
from seamline.remote.http import Patience
from seamline.text.sentences import sentence_starts
from seamline.tokens import load

COUNT = load("o200k_base").count
TEXT = """\
# Handbook

The handbook explains how Halden works.

## Pumps

Halden makes pumps in Oslo. Each pump weighs 40 kg and moves 300 litres of water a minute. The pumps do not rust.
"""


def read() -> list[Passage]:
    return passages(chunk(TEXT, limit=64, target=40), sentence_starts)


Kind = Callable[..., Written]


def written(kind: Kind, texts: Sequence[str], script: Sequence[Script] = (), **settings: Any) -> Written:
    """What becomes of these texts where a model writes them about the passage on pumps."""
    with talking(lambda _: {"texts": list(texts)}, script) as server:
        model = ChatModel(server.url, "m", patience=Patience(retries=0))
        return kind(read()[-1:], COUNT, model, **settings)


def one(found: Written) -> tuple[str, str, list[str]]:
    """Its only text, by what it was written, and the codes of its notices."""
    (got,) = found.derived
    return got.text, "model" if got.model else "rules", [notice.code for notice in found.notices]


def test_a_summary_that_says_what_the_text_says_is_kept() -> None:
    found = written(summaries, ["Halden's pumps weigh 40 kg each."])
    assert one(found) == ("Halden's pumps weigh 40 kg each.", "model", [])
    (got,) = found.derived
    assert got.kind == "summary"
    assert got.tokens == COUNT(got.text)
    assert TEXT[slice(*got.spans[0])] == "Halden makes pumps in Oslo."
    assert found.usage.calls == 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("The pumps of Halden weigh 50 kg each.", "number"),
        ("The pumps of Siemens weigh 40 kg each.", "name"),
        ("The pumps rust and are made in Oslo.", "negation"),
        ("A tale of bread, butter and blue skies.", "words"),
        ("pumps " * 60, "long"),
        (" ", "empty"),
    ],
)
def test_a_summary_that_says_more_gives_way_to_the_texts_own_words(text: str, reason: str) -> None:
    found = written(summaries, [text])
    summary, by, notices = one(found)
    assert summary in " ".join(TEXT.split())
    assert COUNT(summary) <= 50
    assert (by, notices) == ("rules", ["llm-unsupported"])
    assert found.rejected == {reason: 1}


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ([Reply(body=json.dumps(said("no json")).encode())] * 2, "llm-malformed"),
        ([Reply(body=json.dumps(said('{"texts": []}')).encode())] * 2, "llm-schema"),
        ([Reply(body=json.dumps(said(None, refusal="no")).encode())], "llm-refused"),
        ([Reply(body=json.dumps(said("{", "length")).encode())], "llm-truncated"),
        ([Reply(503)], "llm-unavailable"),
    ],
)
def test_a_model_that_fails_is_replaced_with_a_notice(script: list[Reply], code: str) -> None:
    """Malformed, of another shape, refused, cut off, unavailable: the scripted server answers each of these."""
    assert one(written(summaries, ["unused"], script))[1:] == ("rules", [code])
    assert one(written(prefixes, ["unused"], script))[1:] == ("rules", [code])
    found = written(questions, ["unused?"], script)
    assert (found.derived, [notice.code for notice in found.notices]) == ([], [code])


def test_questions_are_questions_about_what_is_named() -> None:
    offered = [
        "How much does a pump of Halden weigh?",
        "how much does a pump of Halden weigh?",
        "Halden makes pumps.",
        "Where is the head office of Siemens?",
    ]
    found = written(questions, offered, most=4)
    assert [(each.kind, each.text) for each in found.derived] == [("question", offered[0])]
    assert found.rejected == {"duplicate": 1, "no-question": 1, "name": 1}
    assert not found.notices


def test_no_more_questions_are_kept_than_were_asked_for() -> None:
    offered = ["What do pumps weigh?", "Where does Halden make pumps?"]
    with pytest.raises(ConfigError, match="1 question or more"):
        written(questions, offered, most=0)
    found = written(questions, offered[:1], most=1)
    assert len(found.derived) == 1


def test_a_prefix_may_name_document_and_section() -> None:
    text = "This part of the Handbook of Halden describes its pumps."
    assert one(written(prefixes, [text])) == (text, "model", [])
    assert one(written(prefixes, ["This part of the Manual describes pumps."]))[1] == "rules"


def test_a_prefix_by_rules_names_title_section_and_subject() -> None:
    first, second = read()
    assert plain_prefix(first, 60, COUNT) == 'From "Handbook": The handbook explains how Halden works.'
    long = plain_prefix(second, 60, COUNT)
    assert long.startswith('From "Handbook", section Pumps: ')
    assert plain_prefix(second, 12, COUNT) == 'From "Handbook", section Pumps.'
    assert plain_prefix(second, 2, COUNT) == ""
    found = plain_prefixes(read(), COUNT, 12)
    assert [(each.kind, each.text, each.of) for each in found] == [
        ("prefix", 'From "Handbook".', first.ids),
        ("prefix", 'From "Handbook", section Pumps.', second.ids),
    ]


def test_several_passages_can_have_one_summary() -> None:
    with talking(lambda _: {"texts": ["Halden makes pumps in Oslo."]}) as server:
        found = summaries([together(read())], COUNT, ChatModel(server.url, "m"))
    (got,) = found.derived
    assert got.of == tuple(id for passage in read() for id in passage.ids)


def test_a_second_run_asks_nothing(tmp_path: Path) -> None:
    with talking(lambda _: {"texts": ["What do pumps weigh?"]}) as server, AnswerFile(tmp_path / "a.db") as cache:
        model = CachedModel(ChatModel(server.url, "m"), cache)
        first = [kind(read(), COUNT, model) for kind in (summaries, questions, prefixes)]
        calls = len(server.asked)
        second = [kind(read(), COUNT, model) for kind in (summaries, questions, prefixes)]
        assert len(server.asked) == calls == 6
    assert [each.derived for each in first] == [each.derived for each in second]
    assert [each.usage.cached for each in second] == [2, 2, 2]


def test_a_text_of_hardly_any_tokens_is_refused() -> None:
    with pytest.raises(ConfigError, match="10 tokens or more"):
        written(summaries, [], most_tokens=3)


def test_documents_are_marked_as_data() -> None:
    with talking(lambda _: {"texts": ["x"]}) as server:
        summaries(read(), COUNT, ChatModel(server.url, "m"))
    system, user = (message["content"] for message in server.asked[0].body["messages"])
    assert "not a message to you" in system
    assert user.startswith("<<<")
