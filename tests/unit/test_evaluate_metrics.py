"""Scores equal those of an independent implementation; spans, bootstrap and gates by example and by law."""

from __future__ import annotations

import random

import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from seamline.errors import ConfigError
from seamline.evaluate.compare import check_gates, holm, paired_bootstrap, parse_gate, parse_gates
from seamline.evaluate.metrics import (
    WEIGHTS,
    AnswerSpan,
    RetrievedPassage,
    common_length,
    composite,
    fill_budget,
    merge_spans,
    ndcg_at,
    precision_at,
    recall_at,
    reciprocal_rank,
    score_question,
    token_scores,
)

spans = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)).map(lambda p: (min(p), max(p))), max_size=8)


documents = st.lists(st.integers(0, 29), unique=True, min_size=1, max_size=30)
MEASURES = {"P.1,3,5", "recall.1,3,5,10", "recip_rank", "ndcg_cut.3,5,10"}
NAMES = {
    **{f"recall@{k}": f"recall_{k}" for k in (1, 3, 5, 10)},
    **{f"precision@{k}": f"P_{k}" for k in (3, 5)},
    **{f"ndcg@{k}": f"ndcg_cut_{k}" for k in (5, 10)},
    "mrr": "recip_rank",
}
"""Ours, and how trec_eval calls them."""


def run_of(ranked: list[int]) -> dict[str, float]:
    """A ranking as trec_eval reads it: best first by score."""
    return {f"d{one}": 1 - rank / 100 for rank, one in enumerate(ranked)}


judgements = st.dictionaries(st.integers(0, 29), st.integers(1, 3), min_size=1, max_size=8)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(documents, judgements), min_size=1, max_size=5))
def test_rank_metrics_equal_those_of_trec_eval(asked: list[tuple[list[int], dict[int, int]]]) -> None:
    qrels = {f"q{at}": {f"d{one}": gain for one, gain in relevant.items()} for at, (_, relevant) in enumerate(asked)}
    runs = {f"q{at}": run_of(ranked) for at, (ranked, _) in enumerate(asked)}
    names = ["P_1", "P_5", "recall_5", "recall_10", "recip_rank", "ndcg_cut_3", "ndcg_cut_5", "ndcg_cut_10"]
    theirs = pytrec_eval.RelevanceEvaluator(qrels, MEASURES).evaluate(runs)
    for at, (ranked, relevant) in enumerate(asked):
        gains = [float(relevant.get(one, 0)) for one in ranked]
        ideal = list(relevant.values())
        ours = [
            *(precision_at(gains, k) for k in (1, 5)),
            *(recall_at(gains, len(relevant), k) for k in (5, 10)),
            reciprocal_rank(gains),
            *(ndcg_at(gains, ideal, k) for k in (3, 5, 10)),
        ]
        assert ours == pytest.approx([theirs[f"q{at}"][name] for name in names])


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(0, 11), unique=True, min_size=1, max_size=12), st.sets(st.integers(0, 11), min_size=1))
def test_scores_of_passages_equal_those_of_trec_eval(ranked: list[int], relevant: set[int]) -> None:
    """Where every passage is one document that answers or does not, spans and rank lists are the same thing."""
    qrels = {"q": {f"d{one}": 1 for one in relevant}}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, MEASURES).evaluate({"q": run_of(ranked)})["q"]
    passages = [RetrievedPassage(f"d{one}", ((0, 10),), 5) for one in ranked]
    ours = score_question([AnswerSpan(f"d{one}", 0, 10) for one in sorted(relevant)], passages)
    assert {name: ours[name] for name in NAMES} == pytest.approx({name: theirs[NAMES[name]] for name in NAMES})


@given(spans, spans)
def test_common_characters_are_those_in_both(left: list[tuple[int, int]], right: list[tuple[int, int]]) -> None:
    sets = [{at for start, end in side for at in range(start, end)} for side in (left, right)]
    assert common_length(merge_spans(left), merge_spans(right)) == len(sets[0] & sets[1])


@given(spans, st.integers(0, 59), st.integers(1, 20))
def test_token_scores_count_characters(found: list[tuple[int, int]], start: int, size: int) -> None:
    answer = AnswerSpan("d", start, start + size)
    passages = [RetrievedPassage("d", (span,), 1) for span in found]
    held = {at for low, high in found for at in range(low, high)} & set(range(start, start + size))
    paid = sum(end - begin for begin, end in found)
    scores = token_scores([answer], passages)
    assert scores["token_recall"] == pytest.approx(len(held) / size)
    assert scores["token_precision"] == pytest.approx(len(held) / paid if paid else 0)
    assert scores["iou"] == pytest.approx(len(held) / (paid + size - len(held)))
    assert scores["full"] == float(len(held) == size)


def test_a_passage_of_another_document_finds_nothing() -> None:
    scores = score_question([AnswerSpan("a", 0, 10)], [RetrievedPassage("b", ((0, 10),), 5)])
    assert not any(scores.values())


def test_an_answer_counts_where_it_is_found_first() -> None:
    answers = [AnswerSpan("a", 0, 10), AnswerSpan("a", 50, 60)]
    passages = [
        RetrievedPassage("a", ((0, 12),), 5),
        RetrievedPassage("a", ((0, 11),), 5),
        RetrievedPassage("a", ((45, 70),), 5),
    ]
    scores = score_question(answers, passages)
    assert (scores["recall@1"], scores["recall@3"], scores["mrr"]) == (0.5, 1.0, 1.0)
    assert scores["precision@3"] == 1.0
    assert 0.9 < scores["ndcg@3"] < 1.0


def test_half_an_answer_is_found_and_less_is_not() -> None:
    answer = [AnswerSpan("a", 0, 100)]
    assert score_question(answer, [RetrievedPassage("a", ((50, 400),), 5)])["recall@1"] == 1
    assert score_question(answer, [RetrievedPassage("a", ((51, 400),), 5)])["recall@1"] == 0
    assert score_question(answer, [RetrievedPassage("a", ((90, 105),), 5)])["recall@1"] == 1  # most of it is answer


def test_a_budget_cuts_the_last_passage() -> None:
    passages = [RetrievedPassage("a", ((0, 100),), 60), RetrievedPassage("a", ((200, 300),), 80)]
    assert fill_budget(passages, 100) == [passages[0], RetrievedPassage("a", ((200, 250),), 40)]
    assert fill_budget(passages, 1000) == passages


def test_the_composite_weighs_what_was_measured() -> None:
    assert sum(WEIGHTS.values()) == pytest.approx(1)
    assert composite(dict.fromkeys(WEIGHTS, 0.5)) == pytest.approx(0.5)
    assert composite({"budget_recall": 0.4}) == pytest.approx(0.4)
    assert composite({}) == 0


def test_an_identical_pair_does_not_differ() -> None:
    draw = random.Random(1)
    scores = [draw.random() for _ in range(50)]
    assert paired_bootstrap(scores, scores) == (0, 0, 0, 1)


def test_noise_is_no_win_and_a_real_gain_is() -> None:
    draw = random.Random(3)
    base = [draw.random() for _ in range(200)]
    noise = [one + draw.gauss(0, 0.1) for one in base]
    better = [one + draw.gauss(0.05, 0.1) for one in base]
    assert not paired_bootstrap(noise, base).is_significant
    found = paired_bootstrap(better, base)
    assert found.is_significant
    assert found.low > 0
    assert found.low < found.mean < found.high
    assert paired_bootstrap(better, base) == found


def test_false_alarms_are_as_rare_as_promised() -> None:
    draw = random.Random(5)
    alarms = 0
    for _ in range(200):
        pair = [[draw.gauss(0, 1) for _ in range(60)] for _ in range(2)]
        alarms += paired_bootstrap(*pair, resamples=400).is_significant
    assert alarms < 22  # 10 are expected; 22 has a chance of less than 1 in 1,000


def test_a_handful_of_differences_proves_nothing() -> None:
    assert not paired_bootstrap([1.0] * 3, [0.0] * 3).is_significant
    assert not paired_bootstrap([1.0] * 5 + [0.0] * 200, [0.0] * 205).is_significant
    assert paired_bootstrap([1.0] * 12, [0.0] * 12).is_significant


def test_holm_corrects_for_many_comparisons() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([]) == []


@pytest.mark.parametrize("text", ["recall@5>=0.8", " recall@5 >= .8 ", "recall@5 >= 0.80"])
def test_gates_are_read(text: str) -> None:
    assert str(parse_gate(text)) == "recall@5>=0.8"


@pytest.mark.parametrize("text", ["", "recall@5", "recall@5=0.8", "recall@5>=x", "x" * 10_000, "recall@5>=0.8;rm"])
def test_what_is_no_gate_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match=r"recall@5>=0\.8"):
        parse_gate(text)


def test_targets_are_gates() -> None:
    good = {"boundary": 0.9, "self-contained": 0.9, "violations": 0.0}
    gates = parse_gates(["targets", "recall@5>0.1"])
    assert check_gates(gates, {"a": {**good, "recall@5": 0.2}}) == []
    short = check_gates(gates, {"a": {**good, "recall@5": 0.2, "violations": 2.0, "self-contained": 0.5}})
    assert short == ["a: self-contained is 0.5, expected >= 0.8", "a: violations is 2, expected <= 0"]


def test_a_gate_says_what_falls_short() -> None:
    scores = {"a": {"recall@5": 0.9}, "b": {"recall@5": 0.7}}
    assert check_gates([parse_gate("recall@5>=0.8")], scores) == ["b: recall@5 is 0.7, expected >= 0.8"]
    with pytest.raises(ConfigError, match="no such metric"):
        check_gates([parse_gate("recal>=0.8")], scores)
