"""Questions that a language model writes and answers that it judges, against a real HTTP server that is scripted."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

import seamline
from harness.endpoint import Endpoint, Reply, Script, said, talking
from seamline.api.evaluate import TrialCorpus, TrialPlan, TrialRunner, evaluate, render_report
from seamline.errors import ProviderError
from seamline.evaluate.language_model import judge_passages, write_questions
from seamline.llm.client import ChatModel
from seamline.protocols import BadAnswer, Usage
from seamline.remote.http import Patience

TEXT = """\
# Pumps

## Supply

The pump in the cellar feeds the tank on the roof. It is driven by a motor of two kilowatts, and it is switched by a
float in the tank.

## Care

Replace the filter of the pump every six months. Close the valve before you open the housing, and let the motor cool
down for an hour.
"""
DOCUMENTS = {"pumps.md": seamline.read(TEXT, id="pumps.md")}
REFUSED = Reply(body=json.dumps(said(None, refusal="no", usage={"prompt_tokens": 5})).encode())


def model(server: Endpoint) -> ChatModel:
    return ChatModel(server.url, "m", patience=Patience(retries=0, sleep=lambda _: None))


def write(answer: Callable[[str], Any], script: Sequence[Script] = ()) -> Any:
    with talking(answer, script) as server:
        return write_questions(DOCUMENTS, model(server), 10), server.asked


def quote_first_sentence(prompt: str) -> Any:
    passage = prompt.partition("Passage:\n")[2]
    sentence = " ".join(passage.split(". ")[0].split())
    return {"question": f"What of {sentence[8:24]}?", "quote": sentence}


def test_a_model_writes_questions_about_sections() -> None:
    made, asked = write(quote_first_sentence)
    assert made.problems == []
    found = sorted(TEXT[span.start : span.end] for question in made.questions for span in question.answers)
    assert found == [
        "Replace the filter of the pump every six months",
        "The pump in the cellar feeds the tank on the roof",
    ]
    assert all(question.generated and question.kind == "model" for question in made.questions)
    assert made.usage.calls == len(asked) == 2
    assert "pumps.md" in asked[0].body["messages"][1]["content"]


def test_a_quote_that_is_not_there_is_no_question() -> None:
    made, _ = write(lambda _: {"question": "What is the price?", "quote": "It costs ninety crowns at every dealer."})
    assert made.questions == []
    assert len(made.problems) == 2
    assert "not in its passage" in made.problems[0]


def test_one_refusal_costs_one_question() -> None:
    made, _ = write(quote_first_sentence, [REFUSED])
    assert (len(made.questions), len(made.problems)) == (1, 1)
    assert made.usage.prompt_tokens > 5


def judge(given: Any, verdict: Any, passages: Sequence[str] = ("one", "two"), script: Sequence[Script] = ()) -> Any:
    with talking(lambda prompt: verdict if "Given answer" in prompt else given, script) as server:
        return judge_passages("Why?", ["because"], passages, model(server)), server.asked


def claims(key: str, *values: bool) -> list[dict[str, Any]]:
    return [{"claim": "c", key: value} for value in values]


def test_an_answer_is_judged_claim_by_claim() -> None:
    verdict = {"given": claims("supported", True, True, False), "expected": claims("stated", True, False)}
    judged, asked = judge({"answer": "so it is", "used": [2, 2, 9, -1]}, verdict)
    assert judged.scores() == pytest.approx({"faithfulness": 2 / 3, "completeness": 0.5, "utilisation": 0.5})
    assert judged.usage.calls == 2
    shown = asked[1].body["messages"][1]["content"]
    assert "[2]\ntwo" in shown
    assert "Given answer:\nso it is" in shown
    assert "Expected answer:\nbecause" in shown


def test_an_answer_that_claims_nothing_is_faithful_and_incomplete() -> None:
    verdict = {"given": [], "expected": claims("stated", False)}
    judged, _ = judge({"answer": "The passages do not say.", "used": []}, verdict)
    assert judged.scores() == {"faithfulness": 1, "completeness": 0, "utilisation": 0}


def test_without_passages_nobody_is_asked() -> None:
    judged, asked = judge({}, {}, passages=())
    assert (judged.scores(), asked) == ({"faithfulness": 0, "completeness": 0, "utilisation": 0}, [])


def test_a_judge_that_refuses_is_a_bad_answer() -> None:
    with pytest.raises(BadAnswer):
        judge({"answer": "x", "used": []}, {}, script=[REFUSED])


def run(server: Endpoint, judged: int = 2) -> Any:
    corpus = TrialCorpus({"pumps.md": TEXT.encode()})
    questions = write_questions(DOCUMENTS, model(server), 2).questions
    runner = TrialRunner(corpus, legs="bm25", facts=False, judge=model(server), judged=judged)
    plans = [TrialPlan("one", seamline.Recipe()), TrialPlan("two", seamline.Recipe())]
    return evaluate(runner, plans, questions), runner


def answer(prompt: str) -> Any:
    if "Given answer" in prompt:
        return {"given": claims("supported", True), "expected": claims("stated", "filter" in prompt)}
    return {"answer": "yes", "used": [1]} if "Question:" in prompt else quote_first_sentence(prompt)


def test_trials_are_judged_and_compared() -> None:
    with talking(answer) as server:
        done, runner = run(server)
    assert [set(trial.judged) for trial in done.trials] == [{0, 1}] * 2
    assert done.trials[0].means["faithfulness"] == 1
    assert not done.differences["two"]["completeness"].is_significant
    assert runner.usage.calls == 8
    record = done.to_dict()["trials"][0]
    assert (record["judged"], record["metrics"]["faithfulness"]) == (2, 1)
    assert ">faithfulness<" in render_report(done, {"pumps.md": TEXT})


def test_an_answer_that_is_not_judged_is_noted() -> None:
    with talking(answer, [lambda right: right, lambda right: right, REFUSED]) as server:
        done, _ = run(server, 1)
    assert [len(trial.judged) for trial in done.trials] == [0, 1]
    assert "refused" in done.notes[0]
    assert done.differences["two"].get("faithfulness") is None


def test_a_service_that_is_down_ends_the_evaluation() -> None:
    script: list[Script] = [lambda right: right, lambda right: right, Reply(status=500)]
    with talking(answer, script) as server, pytest.raises(ProviderError):
        run(server)


def test_without_a_judge_nothing_is_asked() -> None:
    runner = TrialRunner(TrialCorpus({"pumps.md": TEXT.encode()}), legs="bm25", facts=False, judged=5)
    assert runner.run(TrialPlan("one", seamline.Recipe()), ()).judged == {}
    assert runner.usage == Usage()
