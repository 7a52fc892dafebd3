"""Scores equal those of an independent implementation; spans, bootstrap and gates by example and by law."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seamline.errors import ConfigError
from seamline.evaluate.compare import check_gates, holm, paired_bootstrap, parse_gate
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


def test_rank_metrics_equal_those_of_ranx() -> None:
    ranx = pytest.importorskip("ranx")
    draw = random.Random(7)
    qrels, runs, ours = {}, {}, []
    for number in range(60):
        pool = [f"d{n}" for n in range(30)]
        relevant = {doc: draw.choice((1, 1, 2, 3)) for doc in draw.sample(pool, draw.randint(1, 6))}
        ranked = draw.sample(pool, draw.randint(5, 30))
        qrels[f"q{number}"] = relevant
        runs[f"q{number}"] = {doc: 1.0 - rank / 100 for rank, doc in enumerate(ranked)}
        gains = [float(relevant.get(doc, 0)) for doc in ranked]
        ours.append(
            [
                precision_at(gains, 5),
                recall_at(gains, len(relevant), 5),
                reciprocal_rank(gains),
                ndcg_at(gains, list(relevant.values()), 5),
                ndcg_at(gains, list(relevant.values()), 10),
            ]
        )
    names = ["precision@5", "recall@5", "mrr", "ndcg@5", "ndcg@10"]
    ranx.evaluate(ranx.Qrels(qrels), run := ranx.Run(runs), names)
    for at, name in enumerate(names):
        theirs = [run.scores[name][f"q{number}"] for number in range(60)]
        assert [row[at] for row in ours] == pytest.approx(theirs), name


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


def test_a_gate_says_what_falls_short() -> None:
    scores = {"a": {"recall@5": 0.9}, "b": {"recall@5": 0.7}}
    assert check_gates([parse_gate("recall@5>=0.8")], scores) == ["b: recall@5 is 0.7, expected >= 0.8"]
    with pytest.raises(ConfigError, match="no such metric"):
        check_gates([parse_gate("recal>=0.8")], scores)
