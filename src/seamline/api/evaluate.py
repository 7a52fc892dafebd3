"""How well do chunks answer questions? All of it for programs: corpora, questions, trials, reports and gates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from seamline.api.trial_runner import TrialCorpus, TrialPlan, TrialRunner, load_corpus
from seamline.errors import ConfigError
from seamline.evaluate.compare import PairedDifference, QualityGate, check_gates, paired_bootstrap, parse_gates
from seamline.evaluate.generate import generate_questions
from seamline.evaluate.language_model import JUDGED, WRITTEN, WrittenByModel, write_questions
from seamline.evaluate.metrics import BUDGET, HEADLINE, KS, WEIGHTS, AnswerSpan
from seamline.evaluate.peers import PEERS, installed_peers
from seamline.evaluate.questions import LabelledQuestion, LocatedQuestions, QuestionFile, locate_answers, read_questions
from seamline.evaluate.recorded import record_searches
from seamline.evaluate.report import render_report
from seamline.evaluate.trials import FACTS, TARGETS, Evaluation, Trial
from seamline.protocols import LanguageModel, Usage
from seamline.recipe.recipe import Recipe, resize

__all__ = [
    "BUDGET",
    "FACTS",
    "HEADLINE",
    "JUDGED",
    "KS",
    "PEERS",
    "TARGETS",
    "WEIGHTS",
    "WRITTEN",
    "AnswerSpan",
    "Evaluation",
    "LabelledQuestion",
    "LanguageModel",
    "LocatedQuestions",
    "PairedDifference",
    "QualityGate",
    "QuestionFile",
    "Trial",
    "TrialCorpus",
    "TrialPlan",
    "TrialRunner",
    "Usage",
    "WrittenByModel",
    "check_gates",
    "evaluate",
    "generate_questions",
    "installed_peers",
    "load_corpus",
    "locate_answers",
    "paired_bootstrap",
    "parse_gates",
    "plan_trials",
    "read_questions",
    "record_searches",
    "render_report",
    "write_questions",
]


def plan_trials(
    base: Recipe, strategies: Sequence[str], sizes: Sequence[int], peers: Sequence[str] = ()
) -> list[TrialPlan]:
    """Every strategy and every peer at every size; the first of them is what others are compared with."""
    plans = []
    for size in sizes or [base.budget.limit]:
        sized = resize(base, limit=size) if size != base.budget.limit else base
        for strategy in strategies or [base.strategy]:
            recipe = replace(sized, strategy=strategy)
            plans.append(TrialPlan(f"{strategy} {size}", recipe, settings={"strategy": strategy, "size": size}))
        for peer in peers:
            plans.append(TrialPlan(f"{peer} {size}", sized, peer, settings={"peer": peer, "size": size}))
    return list({plan.name: plan for plan in plans}.values())


def evaluate(
    runner: TrialRunner, plans: Sequence[TrialPlan], questions: Sequence[LabelledQuestion], notes: Sequence[str] = ()
) -> Evaluation:
    """All trials over the same questions. After an interruption, those that were done, with a note; if there is none,
    the interruption itself."""
    if not plans:
        raise ConfigError("nothing to evaluate: name strategies, sizes or peers")
    trials: list[Trial] = []
    told = list(notes)
    try:
        for plan in plans:
            trials.append(runner.run(plan, questions))
    except KeyboardInterrupt:
        if not trials:
            raise
        told.append(f"interrupted: {len(trials)} of {len(plans)} trials done")
    told += runner.unjudged
    recipe = plans[0].recipe
    generated = bool(questions) and all(question.generated for question in questions)
    documents = len(runner.corpus.documents(recipe))
    return Evaluation(tuple(trials), tuple(questions), documents, generated, tuple(told))
