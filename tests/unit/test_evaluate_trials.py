"""Trials tell good chunks from bad ones: faults that are planted are found by both kinds of metrics, with significance,
and what is the same is not found different."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import chdir
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

import seamline
from seamline.api.evaluate import (
    Evaluation,
    LabelledQuestion,
    Trial,
    TrialCorpus,
    TrialPlan,
    TrialRunner,
    evaluate,
    generate_questions,
    installed_peers,
    load_corpus,
    plan_trials,
)
from seamline.api.sources import expand
from seamline.errors import ConfigError, MissingExtra
from seamline.evaluate.peers import PEERS, PeerChunker
from seamline.recipe.recipe import Recipe, resize
from seamline.search.options import SearchOptions

DOCS = Path(__file__).parents[2] / "docs"
RECIPE = Recipe()
Spans = list[tuple[int, int]]


def whole(text: str) -> Spans:
    return [(one.start, one.end) for one in seamline.chunk(text, target=240, limit=256)]


def torn(text: str) -> Spans:
    """Tables cut through the middle of their rows."""
    out = []
    for start, end in whole(text):
        rows = [*re.finditer(r"^\|.*$", text[start:end], re.MULTILINE)][2:]
        out += pairwise([start, *(start + (row.start() + row.end()) // 2 for row in rows), end])
    return out


def headless(text: str) -> Spans:
    """Headings left out."""
    out = []
    for start, end in whole(text):
        for row in re.finditer(r"^#+ .*$", text[start:end], re.MULTILINE):
            out.append((start, start + row.start()))
            start += row.end()
        out.append((start, end))
    return [(start, end) for start, end in out if start < end]


@pytest.fixture(scope="module", autouse=True)
def faulty_peers() -> Iterator[None]:
    made = {cut.__name__: cut for cut in (whole, torn, headless)}
    with pytest.MonkeyPatch.context() as patch:
        for name, cut in made.items():
            patch.setitem(PEERS, name, PeerChunker(name, "json", name, lambda limit, count, cut=cut: cut))  # type: ignore[misc]
        yield


@pytest.fixture(scope="module")
def corpus() -> TrialCorpus:
    names = ("recipe", "strategies", "cli", "formats", "audit-rules", "filters", "presets")
    paths = [f"reference/{name}.md" for name in names] + ["howto"]
    with chdir(DOCS):  # a question's draw depends on its document's id: the same wherever the repository lies
        return load_corpus([file for file in expand(paths).files if file is not None])


@pytest.fixture(scope="module")
def questions(corpus: TrialCorpus) -> list[LabelledQuestion]:
    return generate_questions(corpus.documents(RECIPE), 320)


@pytest.fixture(scope="module")
def faults(corpus: TrialCorpus, questions: list[LabelledQuestion]) -> Evaluation:
    plans = [TrialPlan(name, RECIPE, peer) for name, peer in (("good", "whole"), ("same", "whole"))]
    plans += [TrialPlan(name, RECIPE, name) for name in ("torn", "headless")]
    return evaluate(TrialRunner(corpus, legs="bm25"), plans, questions)


def worse(done: Evaluation, name: str) -> set[str]:
    """Metrics by which a trial is worse than the first by more than chance."""
    found = done.differences[name]
    return {
        metric for metric, one in found.items() if one.is_significant and (one.mean < 0) != (metric == "violations")
    }


def test_an_identical_pair_does_not_differ(faults: Evaluation) -> None:
    assert not [one for one in faults.differences["same"].values() if one.is_significant or one.mean]


def test_torn_tables_are_found(faults: Evaluation) -> None:
    assert {"full@5", "ndcg@5", "budget_recall", "violations", "self-contained"} <= worse(faults, "torn")
    good, _, bad, _ = faults.trials
    assert bad.violations["headless-table"] > 2 * good.violations["headless-table"]
    assert bad.means["composite"] < good.means["composite"]


def test_missing_headings_are_found(faults: Evaluation) -> None:
    assert {"recall@5", "ndcg@5", "full@5", "budget_recall", "violations"} <= worse(faults, "headless")
    assert faults.trials[3].violations["coverage"]


def test_halved_sizes_are_found(corpus: TrialCorpus, questions: list[LabelledQuestion]) -> None:
    plans = [TrialPlan(f"{size}", resize(RECIPE, limit=size)) for size in (192, 96, 48)]
    done = evaluate(TrialRunner(corpus, legs="bm25"), plans, questions[:100])
    assert {"full@5", "boundary"} <= worse(done, "96")
    assert {"full@5", "recall@5", "boundary"} <= worse(done, "48")


def test_a_leg_that_is_off_is_found(corpus: TrialCorpus, questions: list[LabelledQuestion]) -> None:
    def run(legs: str) -> Trial:
        runner = TrialRunner(corpus, legs=legs, embedder="hash", facts=False)  # type: ignore[arg-type]
        return runner.run(TrialPlan(legs, RECIPE), questions)

    done = Evaluation((run("hybrid"), run("dense")), tuple(questions), len(corpus.sources), True)
    assert {"recall@5", "ndcg@5", "budget_recall"} <= worse(done, "dense")


def test_a_ranking_is_measured_whole(corpus: TrialCorpus, questions: list[LabelledQuestion]) -> None:
    """Search leaves out what is not likely to answer; an evaluation asks for all of it."""
    asked: list[SearchOptions] = []
    search = seamline.Index.search

    def watched(self: seamline.Index, query: str, *, options: SearchOptions) -> object:
        asked.append(options)
        return search(self, query, options=options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(seamline.Index, "search", watched)
        trial = TrialRunner(corpus, legs="bm25", facts=False).run(TrialPlan("one", RECIPE), questions[:3])
    assert [(one.min_score, one.whole, one.k) for one in asked] == [(0, 0, 20)] * 3
    assert len(trial.scores) == 3


def test_a_trial_gives_the_same_figures_again(corpus: TrialCorpus, questions: list[LabelledQuestion]) -> None:
    plan = TrialPlan("one", RECIPE)
    first, second = (
        TrialRunner(corpus, legs="hybrid", embedder="hash", facts=False).run(plan, questions[:20]) for _ in range(2)
    )
    assert (first.scores, first.passages, first.means) == (second.scores, second.passages, second.means)


def test_texts_are_embedded_once(corpus: TrialCorpus, questions: list[LabelledQuestion]) -> None:
    runner = TrialRunner(corpus, embedder="hash", facts=False)
    costs = [runner.run(TrialPlan(name, RECIPE), questions[:2]).cost for name in ("first", "second")]
    assert costs[0].embedded > 100
    assert (costs[1].embedded, costs[1].cached) == (0, costs[0].embedded + costs[0].cached)


def test_overlap_is_paid_for(corpus: TrialCorpus) -> None:
    more = replace(RECIPE, overlap=seamline.Overlap("tokens", 100))
    runner = TrialRunner(corpus, legs="bm25", facts=False)
    plain, overlapping = (runner.run(TrialPlan("x", recipe), ()).means["expansion"] for recipe in (RECIPE, more))
    assert overlapping > plain + 0.005


def test_plans_are_every_strategy_at_every_size() -> None:
    plans = plan_trials(RECIPE, ["structural", "semantic"], [128, 256], ["langchain"])
    assert [plan.name for plan in plans] == [
        *("structural 128", "semantic 128", "langchain 128"),
        *("structural 256", "semantic 256", "langchain 256"),
    ]
    assert {plan.recipe.budget.limit for plan in plans} == {128, 256}
    with pytest.raises(ConfigError, match="nothing to evaluate"):
        evaluate(TrialRunner(TrialCorpus({}), legs="bm25"), [], [])


@pytest.mark.parametrize("peer", [name for name in PEERS if name in installed_peers()])
def test_installed_peers_cut_within_the_limit(peer: str, corpus: TrialCorpus) -> None:
    one = {name: data for name, data in corpus.sources.items() if name.endswith("presets.md")}
    trial = TrialRunner(TrialCorpus(one), legs="bm25", facts=False).run(
        TrialPlan(peer, resize(RECIPE, limit=100), peer), generate_questions(TrialCorpus(one).documents(RECIPE), 5)
    )
    assert trial.chunks > 5
    assert trial.is_peer
    assert trial.sizes.most <= 115  # some of them count pieces, not the chunk that these make


def test_a_peer_that_is_not_installed_says_how(monkeypatch: pytest.MonkeyPatch) -> None:
    absent: Mapping[str, PeerChunker] = {"x": PeerChunker("x", "no_such_module_at_all", "pkg", PEERS["chonkie"].build)}
    monkeypatch.setattr("seamline.evaluate.peers.PEERS", absent)
    with pytest.raises(MissingExtra, match="pip install pkg"):
        TrialRunner(TrialCorpus({"a.md": b"# A\n\ntext\n"}), legs="bm25").run(TrialPlan("x", RECIPE, "x"), ())
