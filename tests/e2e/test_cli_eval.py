"""`seamline eval` and `seamline tune` as a user runs them."""

from __future__ import annotations

import json
import signal
import time
import tomllib
from pathlib import Path

import pytest

from conftest import Cli, Warm, Write, copy_handbook
from harness.endpoint import talking

QUESTIONS = [
    {"question": "How is a failed delivery repeated?", "doc": "webhooks.md", "answer": "QUOTE"},
    {"question": "Not there?", "answer": "nothing of this kind is written in any document of the handbook at all"},
]


@pytest.fixture
def handbook_here(warm: Warm) -> Warm:
    copy_handbook(warm.folder)
    return warm


def ask(folder: Path) -> str:
    """A questions file about the handbook, one of whose answers is not there."""
    quote = (folder / "handbook/webhooks.md").read_text(encoding="utf-8").split("\n\n")[2].replace("\n", "  ")
    lines = [json.dumps(one).replace('"QUOTE"', json.dumps(quote)) for one in QUESTIONS]
    (folder / "q.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return "q.jsonl"


EVAL = ("eval", "handbook", "--legs", "bm25")


def test_a_table_and_what_was_not_found(handbook_here: Warm) -> None:
    ended = handbook_here(*EVAL, "--questions", ask(handbook_here.folder), "--sizes", "128,512")
    assert ended.code == 0, ended.err
    assert "1 question on" in ended.out
    assert [line.split()[:2] for line in ended.out.splitlines()[3:5]] == [["structural", "128"], ["structural", "512"]]
    assert "answer not found: q2" in ended.err
    assert "\x1b" not in ended.out


def test_generated_questions_are_labelled(handbook_here: Warm) -> None:
    ended = handbook_here(*EVAL, "--most", "20", "--report", "r.html", "--save-questions", "made.jsonl", "--json")
    assert ended.code == 0, ended.err
    record = json.loads(ended.out)
    assert record["generated"] is True
    assert record["questions"] == 20
    assert record["trials"][0]["metrics"]["violations"] == 0
    assert "generated from the documents by rules" in ended.err
    page = (handbook_here.folder / "r.html").read_text(encoding="utf-8")
    assert "These questions were generated" in page
    again = handbook_here(*EVAL, "--questions", "made.jsonl", "--json")
    assert json.loads(again.out)["trials"][0]["metrics"] == record["trials"][0]["metrics"]
    assert json.loads(again.out)["generated"] is True


def test_a_gate_decides_the_exit_code(handbook_here: Warm) -> None:
    given = (*EVAL, "--most", "20", "--no-facts", "-q")
    assert handbook_here(*given, "--gate", "recall@5>=0.1").code == 0
    short = handbook_here(*given, "--gate", "recall@5>=0.1", "--gate", "recall@5>1")
    assert (short.code, "gate: structural 512: recall@5 is" in short.err) == (1, True)
    assert handbook_here(*EVAL, "--gate", "nonsense").code == 2
    assert handbook_here(*EVAL, "--most", "20", "--gate", "targets", "-q").code == 0


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (("eval",), "expected documents"),
        (("eval", "handbook", "--sizes", "big"), "--sizes"),
        (("eval", "handbook", "--peers", "nobody"), "--peers"),
        (("eval", "handbook", "--questions", "none.jsonl"), "no such file"),
        (("eval", "handbook", "--strategies", "nonsense", "--legs", "bm25"), "nonsense"),
        (("eval", "handbook", "--judge", "3"), "--llm"),
        (("eval", "handbook", "--generate", "llm"), "--llm"),
        (("tune", "handbook", "--budget", "soon"), "--budget"),
        (("tune", "handbook", "-o", "q.jsonl"), "--force"),
    ],
)
def test_mistakes_are_named(handbook_here: Warm, given: tuple[str, ...], why: str) -> None:
    ask(handbook_here.folder)
    ended = handbook_here(*given)
    assert ended.code == 2
    assert why in ended.err
    assert "Traceback" not in ended.err


def test_searches_become_questions(handbook_here: Warm) -> None:
    assert handbook_here("index", "handbook", "--embedder", "hash", "-q").code == 0
    found = handbook_here("search", "failed delivery", "--legs", "bm25", "--json", "--min-score", "0")
    kept = handbook_here("eval", "--record", "q.jsonl", "--hits", "1", stdin=found.out.encode())
    assert kept.code == 0, kept.err
    assert "1 question recorded" in kept.err
    ended = handbook_here(*EVAL, "--questions", "q.jsonl", "--json")
    assert json.loads(ended.out)["trials"][0]["metrics"]["mrr"] == 1
    assert handbook_here("eval", "--record", "q.jsonl", "--hits", "0", stdin=b"{}").code == 2


def test_a_model_writes_and_judges(handbook_here: Warm) -> None:
    def answer(prompt: str) -> object:
        if "Given answer" in prompt:
            return {"given": [{"claim": "c", "supported": True}], "expected": [{"claim": "c", "stated": False}]}
        if "Question:" in prompt:
            return {"answer": "so", "used": [1]}
        passage = prompt.partition("Passage:\n")[2]
        return {"question": f"What about {' '.join(passage.split()[:6])}?", "quote": passage.split("\n")[0]}

    with talking(answer) as server:
        model = f"openai:m@{server.url}"
        given = (*EVAL, "--llm", model, "--judge", "2", "--most", "4", "--json")
        ended = handbook_here(*given)
        first = len(server.asked)
        again = handbook_here(*given)
    assert ended.code == 0, ended.err
    record = json.loads(ended.out)
    metrics = record["trials"][0]["metrics"]
    assert (record["questions"], record["generated"]) == (4, True)
    assert (metrics["faithfulness"], metrics["completeness"]) == (1, 0)
    assert "generated from the documents by a language model" in ended.err
    assert first == 8
    assert len(server.asked) == first  # what a model answered is kept
    assert json.loads(again.out)["trials"][0]["metrics"] == metrics


def test_squad_brings_its_documents(warm: Warm, write: Write) -> None:
    asked = [{"id": "1", "question": "What is late?", "answers": [{"text": "parcel", "answer_start": 2}]}]
    data = {"data": [{"title": "Post", "paragraphs": [{"context": "A parcel is late.", "qas": asked}]}]}
    write("squad.json", json.dumps(data))
    ended = warm("eval", "--questions", "squad.json", "--legs", "bm25", "--json")
    assert ended.code == 0, ended.err
    assert json.loads(ended.out)["trials"][0]["metrics"]["recall@1"] == 1


TUNE = ("tune", "handbook", "--legs", "bm25", "--most", "60", "--candidates", "6", "--limit", "32")


def test_tune_writes_a_file_that_loads(handbook_here: Warm) -> None:
    ended = handbook_here(*TUNE, "--json")
    assert ended.code == 0, ended.err
    record = json.loads(ended.out)
    text = (handbook_here.folder / "seamline.toml").read_text(encoding="utf-8")
    assert record["verdict"] in text
    assert record["peak_bytes"] > 1e6
    assert tomllib.loads(text)["budget"]["limit"] == (32 if record["kept"] else record["winner"]["limit"])
    assert handbook_here("chunk", "handbook/webhooks.md").code == 0
    assert not (handbook_here.folder / "seamline.toml.trials.json").exists()
    refused = handbook_here(*TUNE)
    assert (refused.code, "--force" in refused.err) == (2, True)


def test_ctrl_c_keeps_the_best_and_the_same_command_goes_on(cli: Cli, warm: Warm) -> None:
    copy_handbook(cli.folder)
    whole = warm(*TUNE, "-o", "whole.toml", "--json", "--no-config")
    assert whole.code == 0, whole.err
    running = cli.start(*TUNE, "--json")
    state = cli.folder / "seamline.toml.trials.json"
    end = time.monotonic() + 100
    while running.poll() is None and time.monotonic() < end:
        if state.exists() and len(json.loads(state.read_text())["trials"]) >= 2:
            running.send_signal(signal.SIGINT)
            break
        time.sleep(0.02)
    out, err = running.communicate(timeout=100)
    assert running.returncode == 130, err
    assert json.loads(out)["stopped"] == "interrupted"
    assert (cli.folder / "seamline.toml").exists()
    again = warm(*TUNE, "--json")
    assert again.code == 0, again.err
    first, second = json.loads(whole.out), json.loads(again.out)
    assert second["resumed"] >= 2
    assert [first[key] for key in ("winner", "judged", "rounds")] == [
        second[key] for key in ("winner", "judged", "rounds")
    ]
