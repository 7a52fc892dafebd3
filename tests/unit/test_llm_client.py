"""The client of language models against a real HTTP server that is scripted: what it asks, what it understands, what it
does when the service fails in every way that services do."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from typing import Any

import pytest

from harness.endpoint import Endpoint, Script, said, talking
from harness.endpoint import Reply as Sent
from seamline.errors import ConfigError, ProviderError
from seamline.llm import load
from seamline.llm.client import ChatModel
from seamline.protocols import BadAnswer, LanguageModel, ModelReply, Prices, Usage
from seamline.remote.http import Patience

KEY = "sk-not-to-be-seen-0123456789"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"word": {"type": "string"}},
    "required": ["word"],
    "additionalProperties": False,
}
RIGHT = {"word": "yes"}


def asked(script: Sequence[Script], **settings: Any) -> tuple[ModelReply, Endpoint, list[float]]:
    """The reply of a service that answers as scripted and then rightly; what it was asked; how long was waited."""
    waits: list[float] = []
    with talking(lambda _: RIGHT, script) as server:
        model = ChatModel(server.url, "m", key=KEY, patience=Patience(sleep=waits.append, place="$.llm"), **settings)
        return model.complete("Be short.", "Well?", SCHEMA), server, waits


def failed(script: Sequence[Script], patience: Patience | None = None) -> ProviderError:
    quick = patience or Patience(sleep=lambda _: None)
    with talking(lambda _: RIGHT, script) as server, pytest.raises(ProviderError) as caught:
        ChatModel(server.url, "m", key=KEY, patience=quick).complete("Be short.", "Well?", SCHEMA)
    assert KEY not in str(caught.value)
    return caught.value


def saying(text: str | None, finish: str = "stop", refusal: str | None = None) -> Sent:
    usage = {"prompt_tokens": 10, "completion_tokens": 5}
    return Sent(body=json.dumps(said(text, finish, refusal, usage)).encode())


# --- what is asked ---------------------------------------------------------------------------------------------------


def test_a_question_says_model_messages_shape_and_key() -> None:
    reply, server, _ = asked([])
    (request,) = server.asked
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body["messages"] == [
        {"role": "system", "content": "Be short."},
        {"role": "user", "content": "Well?"},
    ]
    assert request.body["temperature"] == 0
    assert request.body["response_format"]["json_schema"] == {"name": "answer", "strict": True, "schema": SCHEMA}
    assert reply.parsed == RIGHT
    assert reply.usage == Usage(calls=1, prompt_tokens=1, completion_tokens=2)


def test_settings_are_sent_and_named() -> None:
    _, server, _ = asked([], temperature=None, max_tokens=99, format="json_object")
    (request,) = server.asked
    assert "temperature" not in request.body
    assert request.body["max_tokens"] == 99
    assert request.body["response_format"] == {"type": "json_object"}
    assert '"word"' in request.body["messages"][0]["content"]


def test_a_name_holds_what_changes_an_answer_and_comes_back_the_same() -> None:
    name = "openai:m@http://127.0.0.1:8080/v1?temperature=default&max_tokens=9&format=none"
    model = load(name, key=KEY)
    assert isinstance(model, LanguageModel)
    assert model.name == name
    assert load(model) is model
    assert load("openai:m").name == "openai:m@https://api.openai.com/v1"
    assert KEY not in repr(model)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gpt", "unknown language model"),
        ("openai:m@host", "starts with https"),
        ("openai:m@http://u:p@host/v1", "a key is given apart"),
        ("openai:m?heat=1", "unknown setting 'heat'"),
        ("openai:m?temperature=hot", "expected temperature"),
        ("openai:m?temperature=9", "temperature within"),
        ("openai:m?max_tokens=0", "max_tokens of 1"),
        ("openai:m?format=xml", "expected a format"),
        ("openai:m@http://example.org/v1", "use https"),
    ],
)
def test_a_name_that_cannot_work_is_refused(name: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        load(name, key=KEY)
    assert caught.value.path == "$.llm"
    assert KEY not in str(caught.value)


def test_what_is_no_model_is_refused() -> None:
    with pytest.raises(ConfigError, match="which has no name, complete"):
        load(5)  # type: ignore[arg-type]


def test_a_lone_surrogate_is_sent_as_something_readable() -> None:
    with talking(lambda _: RIGHT) as server:
        ChatModel(server.url, "m").complete("s", "\ud800", SCHEMA)
    assert server.asked[0].body["messages"][1]["content"] == "?"


# --- answers that cannot be used -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        ('{"word": ', "it is no JSON"),
        ("Sure! Here it is.", "it is no JSON"),
        ('{"word": 5}', "$.word: expected string, got 5"),
        ('{"words": "x"}', "$.word: missing"),
        ('{"word": NaN}', "it is no JSON"),
        ("", "it is empty"),
        (None, "it is empty"),
    ],
)
def test_a_bad_answer_is_told_to_the_model_once(bad: str | None, told: str) -> None:
    reply, server, _ = asked([saying(bad)])
    assert reply.parsed == RIGHT
    assert reply.usage.calls == 2
    assert reply.usage.prompt_tokens > 10, "the tokens of the bad answer count as well"
    system, user, before, correction = server.asked[1].body["messages"]
    assert (system["content"], user["content"]) == ("Be short.", "Well?")
    assert before == {"role": "assistant", "content": bad or "(nothing)"}
    assert told in correction["content"]


@pytest.mark.parametrize(
    ("bad", "fault"),
    [
        (saying("{"), "malformed"),
        (saying('{"word": 5}'), "schema"),
        (saying(" "), "empty"),
        (saying("[" * 100_000), "malformed"),
    ],
)
def test_a_second_bad_answer_is_the_end_of_that_question(bad: Sent, fault: str) -> None:
    error = failed([bad, bad])
    assert isinstance(error, BadAnswer)
    assert error.fault == fault
    assert not error.retryable
    assert error.usage == Usage(calls=2, prompt_tokens=20, completion_tokens=10)


@pytest.mark.parametrize(
    ("bad", "fault"),
    [
        (saying(None, refusal="I cannot help with that."), "refused"),
        (saying("", "content_filter"), "refused"),
        (saying('{"word": "ye', "length"), "truncated"),
    ],
)
def test_what_the_model_would_say_again_is_not_asked_again(bad: Sent, fault: str) -> None:
    error = failed([bad])
    assert isinstance(error, BadAnswer)
    assert (error.fault, error.usage.calls) == (fault, 1)


def test_a_fence_around_the_answer_does_no_harm() -> None:
    reply, server, _ = asked([saying('```json\n{"word": "no"}\n```')])
    assert reply.parsed == {"word": "no"}
    assert len(server.asked) == 1


@pytest.mark.parametrize("usage", [None, {"prompt_tokens": "many"}, {"prompt_tokens": -5}, [], 3])
def test_a_service_that_does_not_count_costs_nothing(usage: Any) -> None:
    reply, _, _ = asked([Sent(body=json.dumps(said('{"word": "a"}', usage=usage)).encode())])
    assert reply.usage == Usage(calls=1)


# --- a service that fails --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 529])
def test_a_busy_service_is_asked_again(status: int) -> None:
    reply, server, waits = asked([Sent(status), Sent(status)])
    assert waits == [0.5, 1.0]
    assert len(server.asked) == 3
    assert reply.usage.retries == 2
    assert reply.usage.calls == 1


def test_a_rate_limit_says_how_long_to_wait() -> None:
    _, _, waits = asked([Sent(429, headers={"Retry-After": "7"})])
    assert waits == [7.0]


def test_a_rate_limit_of_an_hour_is_an_error_that_says_so() -> None:
    error = failed([Sent(429, headers={"Retry-After": "3600"})])
    assert error.retryable
    assert "asks to wait 3600 s" in str(error)


def test_a_service_that_stays_busy_is_given_up() -> None:
    error = failed([Sent(500, b'{"error": {"message": "down"}}')] * 5)
    assert error.retryable
    assert "down" in str(error)


def test_a_service_that_does_not_answer_in_time_is_given_up() -> None:
    hold = threading.Event()
    error = failed([Sent(hold=hold)] * 2, Patience(timeout=0.2, retries=1, sleep=lambda _: None))
    hold.set()
    assert error.retryable
    assert "timed out" in str(error)


@pytest.mark.parametrize(
    "message",
    ["This model's maximum context length is 4096 tokens", "the request exceeds the available context size"],
)
def test_a_question_longer_than_the_model_reads_is_that_questions_fault(message: str) -> None:
    error = failed([Sent(400, json.dumps({"error": {"message": message}}).encode())])
    assert isinstance(error, BadAnswer)
    assert error.fault == "too-long"


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (Sent(401, b'{"error": {"message": "bad key sk-not-to-be-seen-0123456789"}}'), "not accepted: bad key [key]"),
        (Sent(404), "no such model (m)"),
        (Sent(302, headers={"Location": "http://elsewhere"}), "a redirect, which is not followed"),
        (Sent(400, b'{"error": "temperature not supported"}'), "temperature=default"),
        (Sent(200, b"<html>"), "no completion (no JSON)"),
        (Sent(200, b"{}"), "no message of a choice"),
        (Sent(200, b'{"choices": [{"message": "x"}]}'), "no message of a choice"),
    ],
)
def test_what_no_repeat_can_mend_is_an_error_at_once(reply: Sent, message: str) -> None:
    error = failed([reply])
    assert not isinstance(error, BadAnswer)
    assert not error.retryable
    assert message in str(error)


# --- what it costs ---------------------------------------------------------------------------------------------------


def test_money_is_tokens_by_their_prices() -> None:
    usage = Usage(calls=1, prompt_tokens=2_000_000) + Usage(calls=1, retries=1, completion_tokens=500_000)
    assert usage == Usage(2, 0, 1, 2_000_000, 500_000)
    assert usage.money(Prices(prompt=0.5, completion=2)) == 2.0


def test_prices_below_nothing_are_refused() -> None:
    with pytest.raises(ConfigError, match="prices of 0 or more"):
        Prices(-1, 0)
