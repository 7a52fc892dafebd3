"""Tuning: what is chosen, on which questions it is judged, and that an interruption changes nothing but the time."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

import seamline
from seamline.api.evaluate import LabelledQuestion, TrialCorpus, TrialPlan, TrialRunner, generate_questions, load_corpus
from seamline.api.sources import FileChoice, expand
from seamline.api.tune import (
    CANDIDATES,
    METRIC,
    TuneResult,
    candidates,
    interrupted_base,
    split_questions,
    tune,
    tuned_toml,
)
from seamline.cli.evaluation import tune as command
from seamline.errors import ConfigError
from seamline.recipe.recipe import Recipe, resize
from seamline.recipe.toml import from_mapping

DOCS = Path(__file__).parents[2] / "docs/howto"
TINY = resize(Recipe(), limit=24)
"""So small that almost anything is better."""


@pytest.fixture(scope="module")
def corpus() -> TrialCorpus:
    return load_corpus([file for file in expand([str(DOCS)]).files if file is not None])


@pytest.fixture(scope="module")
def questions(corpus: TrialCorpus) -> list[LabelledQuestion]:
    return generate_questions(corpus.documents(Recipe()), 120)


class CountingRunner(TrialRunner):
    """Counts trials, and is interrupted at one of them."""

    ran = 0
    stop_at = 0

    def run(self, plan: TrialPlan, questions: Any) -> Any:
        self.ran += 1
        if self.ran == self.stop_at:
            raise KeyboardInterrupt
        return super().run(plan, questions)


def runner(corpus: TrialCorpus, stop_at: int = 0) -> CountingRunner:
    made = CountingRunner(corpus, legs="bm25", facts=False)
    made.stop_at = stop_at
    return made


def plans(base: Recipe, most: int = 9) -> list[TrialPlan]:
    return candidates(base, alphas=False, most=most)


def test_candidates_are_the_same_for_a_seed() -> None:
    first, second = plans(Recipe()), plans(Recipe())
    assert first == second
    assert len(first) == 9
    assert first[0].recipe == Recipe()
    assert candidates(Recipe(), alphas=False, most=9, seed=1) != first
    assert {plan.alpha for plan in candidates(Recipe(), alphas=True)} == {None, 0.3, 0.5, 0.7}
    assert {plan.recipe.budget.floor > 0 for plan in candidates(Recipe(), alphas=False)} == {True, False}


def test_the_command_line_says_the_same_defaults() -> None:
    assert (command.CANDIDATES, command.METRIC) == (CANDIDATES, METRIC)


def test_halves_share_no_question(questions: list[LabelledQuestion]) -> None:
    choose, judge = split_questions(questions)
    assert not {one.id for one in choose} & {one.id for one in judge}
    assert len(choose) + len(judge) == len(questions)
    assert split_questions(questions[::-1]) == (choose, judge)


@pytest.fixture(scope="module")
def tuned(corpus: TrialCorpus, questions: list[LabelledQuestion]) -> TuneResult:
    return tune(runner(corpus), plans(TINY), questions, seconds=600)


def test_a_bad_recipe_is_replaced_and_judged_on_other_questions(tuned: TuneResult) -> None:
    assert not tuned.keeps_base
    assert tuned.judged.low > 0
    assert tuned.judges == 60
    assert [one.questions for one in tuned.rounds] == [20, 60]
    assert len(tuned.rounds[0].ranking) > len(tuned.rounds[1].ranking)
    assert "chose " in tuned.verdict()


def test_a_good_recipe_is_kept(corpus: TrialCorpus, questions: list[LabelledQuestion], tuned: TuneResult) -> None:
    others = [TrialPlan("tiny", TINY), TrialPlan("same", tuned.winner.recipe)]
    result = tune(runner(corpus), [TrialPlan("good", tuned.winner.recipe), *others], questions, seconds=600)
    assert result.keeps_base
    assert result.chosen.name == "good"
    assert "kept the recipe" in result.verdict()


@pytest.mark.parametrize("stop_at", [2, 6, 11])
def test_interrupted_and_resumed_ends_the_same(
    stop_at: int, corpus: TrialCorpus, questions: list[LabelledQuestion], tuned: TuneResult, tmp_path: Path
) -> None:
    state = tmp_path / "trials.json"
    first = tune(runner(corpus, stop_at), plans(TINY), questions, seconds=600, state=state)
    assert first.stopped == "interrupted"
    again = runner(corpus)
    second = tune(again, plans(TINY), questions, seconds=600, state=state)
    assert (second.winner, second.judged, second.rounds) == (tuned.winner, tuned.judged, tuned.rounds)
    assert second.resumed >= stop_at - 1
    assert again.ran == second.trials < tuned.trials


def test_the_best_so_far_is_the_best_that_was_measured(
    corpus: TrialCorpus, questions: list[LabelledQuestion], tmp_path: Path
) -> None:
    result = tune(runner(corpus, 4), plans(TINY), questions, seconds=600, state=tmp_path / "s.json")
    assert result.winner.name == result.rounds[0].ranking[0][0]
    assert len(result.rounds[0].ranking) == 3


def test_time_that_is_over_begins_no_candidate(corpus: TrialCorpus, questions: list[LabelledQuestion]) -> None:
    result = tune(runner(corpus), plans(TINY), questions, seconds=0)
    assert result.stopped == "the time was over"
    assert len(result.rounds[0].ranking) == 1
    assert result.chosen.recipe == TINY


@pytest.mark.parametrize("text", ["", "[]", '{"mark": 1}', "[" * 100_000, '{"mark": "x", "trials": {"a": ["b"]}}'])
def test_a_state_that_is_none_is_not_used(
    text: str, corpus: TrialCorpus, questions: list[LabelledQuestion], tmp_path: Path
) -> None:
    state = tmp_path / "s.json"
    state.write_text(text)
    assert tune(runner(corpus), plans(TINY, 2), questions[:8], seconds=600, state=state).resumed == 0
    assert interrupted_base(state, tmp_path / "none.toml") is None


def test_figures_of_other_questions_are_not_used(
    corpus: TrialCorpus, questions: list[LabelledQuestion], tmp_path: Path
) -> None:
    state = tmp_path / "s.json"
    tune(runner(corpus), plans(TINY, 2), questions[:8], seconds=600, state=state)
    assert tune(runner(corpus), plans(TINY, 2), questions[8:16], seconds=600, state=state).resumed == 0


def test_the_file_loads_back_and_holds_the_evidence(tuned: TuneResult) -> None:
    files = FileChoice(("*.md",), ("drafts/",))
    kept = {"files": files, "weights": {"freshness": 0.3}}
    text = tuned_toml(tuned, documents=3, questions=120, generated=True, legs="bm25", **kept)  # type: ignore[arg-type]
    data = tomllib.loads(text)
    assert data["search"] == {"weights": {"freshness": 0.3}}
    assert data.pop("index") == {"include": ["*.md"], "exclude": ["drafts/"]}
    assert from_mapping(data) == tuned.winner.recipe
    comments = [line for line in text.splitlines() if line.startswith("#")]
    assert any("120 generated questions" in line for line in comments)
    assert any(f"{tuned.winner_mean:.3f} against {tuned.base_mean:.3f}" in line for line in comments)


def test_an_unfinished_run_goes_on_from_its_own_start(
    corpus: TrialCorpus, questions: list[LabelledQuestion], tmp_path: Path
) -> None:
    state, target = tmp_path / "s.json", tmp_path / "seamline.toml"
    result = tune(runner(corpus, 4), plans(TINY), questions, seconds=600, state=state)
    text = tuned_toml(result, documents=1, questions=1, generated=True, legs="bm25")
    target.write_text(text, encoding="utf-8")
    result.finish(text, keep=False)
    assert interrupted_base(state, target) == TINY
    target.write_text(f"{text}\n# mine\n", encoding="utf-8")
    assert interrupted_base(state, target) is None


def test_a_finished_run_leaves_no_state(corpus: TrialCorpus, questions: list[LabelledQuestion], tmp_path: Path) -> None:
    state = tmp_path / "s.json"
    for keep in (True, False):
        result = tune(runner(corpus), plans(TINY, 2), questions[:8], seconds=600, state=state)
        result.finish("text", keep=keep)
        assert state.exists() == keep
    assert not list(tmp_path.iterdir())


def test_too_few_questions_are_refused(corpus: TrialCorpus, questions: list[LabelledQuestion]) -> None:
    with pytest.raises(ConfigError, match="4 questions"):
        tune(runner(corpus), plans(TINY, 2), questions[:3], seconds=1)


def test_a_metric_that_is_none_is_refused(corpus: TrialCorpus, questions: list[LabelledQuestion]) -> None:
    with pytest.raises(ConfigError, match="recall@5"):
        tune(runner(corpus), plans(TINY, 2), questions[:8], seconds=1, metric="recal")


def test_results_are_plain_json(tuned: TuneResult) -> None:
    record = json.loads(json.dumps(tuned.to_dict()))
    assert record["winner"]["strategy"] == tuned.winner.recipe.strategy
    assert not record["kept"]
    assert isinstance(seamline.Recipe(), type(tuned.winner.recipe))
