"""A model that speaks the OpenAI protocol answers questions about the handbook with nothing but the tools of
`seamline mcp`. The model is scripted: it searches, reads what it found by key, checks the keys, and says the
sentences that it knows for an answer, each with its key. What is tested is that the tools bring them, and that all
of it can be cited; not that a model understands."""

from __future__ import annotations

import asyncio
import json
import re
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from conftest import Warm, copy_handbook

pytest.importorskip("mcp")

from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

from harness.endpoint import completing
from seamline.api.index import open_index

QUESTIONS = {
    "What is the answer when the rate limit bucket is empty?": "429 rate_limited",
    "How quickly must an endpoint answer a webhook delivery?": "within **ten seconds**",
    "Why are tokens in the query string refused?": "end up in logs",
    "What must a process do within 20 seconds of SIGTERM when it is deployed?": "is killed",
    "How quickly must the pager be acknowledged?": "Acknowledge within five minutes",
}
"""Each with words by which the script knows a sentence that answers it, as a model would by understanding it."""
KEY = re.compile(r"[0-9a-f]{24}@\d+")
SENTENCE = re.compile(r"[^.!?]+[.!?]+(?=\s|$)")
CITED = re.compile(r"(?P<sentence>.+?) \[(?P<key>[0-9a-f]{24}@\d+)\]\s*", re.DOTALL)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, server: Any) -> Warm:
    """The handbook in an index with the bundled model."""
    warm = Warm(tmp_path_factory.mktemp("agent"), server)
    copy_handbook(warm.folder)
    assert warm("index", "handbook").code == 0
    return warm


def model(body: Mapping[str, Any]) -> dict[str, Any]:
    """What the scripted model says next."""
    messages = body["messages"]
    question = next(one["content"] for one in messages if one["role"] == "user")
    results = [one["content"] for one in messages if one["role"] == "tool"]
    assert {tool["function"]["name"] for tool in body["tools"]} >= {"search", "get", "cite"}
    if not results:
        return call("search", {"query": question, "k": 3})
    if not (keys := KEY.findall(results[0])):
        return answer("The documents do not say.")
    read = results[1:]
    if len(read) < len(keys):
        return call("get", {"doc": keys[len(read)]})
    if len(read) == len(keys):
        return call("cite", {"keys": keys})
    assert all(f"{key}: current" in read[-1] for key in keys)
    passages = [one.partition("]\n")[2].partition("\n[/")[0] for one in read[:-1]]
    found = [(sentence, key) for text, key in zip(passages, keys, strict=True) for sentence in sentences_of(text)]
    known = QUESTIONS[question]
    said = [f"{sentence} [{key}]" for sentence, key in found if known in " ".join(sentence.replace("`", "").split())]
    return answer(" ".join(said) or "The documents do not say.")


def sentences_of(passage: str) -> list[str]:
    prose = re.sub(r"^#.*$|^```(?s:.*?)^```$", "", passage, flags=re.MULTILINE)
    return [one.strip() for paragraph in prose.split("\n\n") for one in SENTENCE.findall(paragraph)]


def call(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    message = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "1", "type": "function", "function": function}],
    }
    return {"object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}


def answer(text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {"object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}


async def converse(client: Client, url: str, question: str) -> tuple[str, list[str]]:
    """The loop of any agent: ask the model, do the calls it wants, until it answers; the answer, and the calls."""
    listed = (await client.list_tools()).tools
    tools = [
        {
            "type": "function",
            "function": {"name": one.name, "description": one.description, "parameters": one.input_schema},
        }
        for one in listed
    ]
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": client.instructions},
        {"role": "user", "content": question},
    ]
    used = []
    for _ in range(10):
        said = await asyncio.to_thread(complete, url, {"model": "scripted", "messages": messages, "tools": tools})
        messages.append(said)
        if not said.get("tool_calls"):
            return said["content"], used
        for wanted in said["tool_calls"]:
            used.append(wanted["function"]["name"])
            result = await client.call_tool(wanted["function"]["name"], json.loads(wanted["function"]["arguments"]))
            assert not result.is_error
            text = "".join(part.text for part in result.content if part.type == "text")
            messages.append({"role": "tool", "tool_call_id": wanted["id"], "content": text})
    raise AssertionError("the model never answered")


def complete(url: str, body: Mapping[str, Any]) -> dict[str, Any]:
    data = json.dumps(body).encode()
    request = urllib.request.Request(f"{url}/chat/completions", data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as reply:
        message: dict[str, Any] = json.load(reply)["choices"][0]["message"]
    return message


def cited(text: str) -> Iterator[tuple[str, str]]:
    """The sentences of an answer with their keys; every character of it belongs to one."""
    at = 0
    while at < len(text):
        found = CITED.match(text, at)
        assert found, f"not cited: {text[at:]}"
        yield found["sentence"], found["key"]
        at = found.end()


def run(home: Warm, questions: list[str]) -> list[tuple[str, list[str]]]:
    given = StdioServerParameters(command=sys.executable, args=["-m", "seamline", "mcp"], env=home.env, cwd=home.folder)

    async def work() -> list[tuple[str, list[str]]]:
        with completing(model) as endpoint:
            async with Client(given) as client:
                return [await converse(client, endpoint.url, question) for question in questions]

    return asyncio.run(asyncio.wait_for(work(), 120))


def test_five_questions_are_answered_and_every_sentence_is_cited(home: Warm) -> None:
    answers = run(home, list(QUESTIONS))
    with open_index(Path(home.folder) / ".seamline") as index:
        for (question, expected), (text, used) in zip(QUESTIONS.items(), answers, strict=True):
            assert (used[0], *sorted({*used[1:-1]}), used[-1]) == ("search", "get", "cite"), question
            sentences = list(cited(text))
            assert sentences
            for sentence, key in sentences:
                resolved = index.cite(key)
                assert resolved.status == "current"
                assert sentence in resolved.text
            assert expected in " ".join(text.replace("`", "").split())


def test_a_question_that_the_handbook_does_not_answer(home: Warm) -> None:
    ((text, used),) = run(home, ["Which wine goes with a margherita pizza from Naples?"])
    assert used == ["search"]
    assert text == "The documents do not say."
