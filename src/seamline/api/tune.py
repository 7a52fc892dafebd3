"""Which recipe suits these documents? Successive halving over strategies, sizes, overlap, floors and the weight of the
dense leg: many candidates on few questions, the better third of them on three times as many, and so on.

One half of the questions chooses, the other half judges: the winner is taken only where it beats the recipe that there
was on questions it was not chosen by, by more than chance. Every trial is kept in a file, so that a run that was
interrupted goes on where it was and ends with the same winner.
"""

from __future__ import annotations

import json
import os
import random
import time
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from seamline.api.trial_runner import TrialPlan, TrialRunner
from seamline.errors import ConfigError
from seamline.evaluate.compare import PairedDifference, paired_bootstrap
from seamline.evaluate.metrics import BUDGET
from seamline.evaluate.questions import LabelledQuestion
from seamline.recipe.ignore import FileChoice
from seamline.recipe.recipe import Overlap, Recipe, resize
from seamline.recipe.toml import from_mapping, to_toml
from seamline.types import Budget

__all__ = [
    "CANDIDATES",
    "METRIC",
    "TuneResult",
    "TuneState",
    "candidates",
    "interrupted_base",
    "split_questions",
    "tune",
    "tuned_toml",
]

CANDIDATES = 27
METRIC = "budget_recall"
"""What is chosen by: it costs large chunks their room in the prompt, so that sizes can be compared."""
KEEP = 3
"""One in so many candidates goes on to the next round, with so many times the questions."""
LEAST = 20
"""Questions of the first round, if there are as many: fewer tell nothing."""
_STRATEGIES = ("structural", "semantic", "rechunk")
_LIMITS = (128, 192, 256, 384, 512, 768, 1024)
_ALPHAS = (0.3, 0.5, 0.7)
_SHARES = (0, 10, 20)
"""Of overlap, in percent of the target."""


def candidates(base: Recipe, *, alphas: bool, most: int = CANDIDATES, seed: int = 0) -> list[TrialPlan]:
    """The recipe as it is, and others drawn at random, always the same for a seed."""
    draw = random.Random(seed)  # noqa: S311 - a draw that can be repeated
    plans = {"as it is": TrialPlan("as it is", base, settings={})}
    grid = [
        (strategy, limit, share, merged, alpha)
        for strategy in dict.fromkeys((base.strategy, *_STRATEGIES))
        for limit in _LIMITS
        for share in _SHARES
        for merged in (False, True)
        for alpha in (_ALPHAS if alphas else (None,))
    ]
    draw.shuffle(grid)
    for strategy, limit, share, merged, alpha in grid[: max(0, most - 1)]:
        plan = _plan(base, strategy, limit, share, merged, alpha)
        plans[plan.name] = plan
    return list(plans.values())


def _plan(base: Recipe, strategy: str, limit: int, share: int, merged: bool, alpha: float | None) -> TrialPlan:
    sized = resize(replace(base, strategy=strategy, overlap=Overlap()), limit=limit)
    budget = sized.budget
    overlap = Overlap("blocks", max(1, budget.target * share // 100)) if share else Overlap()
    floor = budget.target // 4 if merged else 0
    recipe = replace(
        sized,
        overlap=overlap,
        sections="hybrid" if merged else base.sections,
        budget=Budget(budget.target, budget.limit, floor),
    )
    settings: dict[str, object] = {"strategy": strategy, "limit": limit, "overlap": overlap.tokens, "floor": floor}
    if alpha is not None:
        settings["alpha"] = alpha
    name = ", ".join(f"{key} {value}" for key, value in settings.items())
    return TrialPlan(name, recipe, alpha=alpha, settings=settings)


def split_questions(questions: Sequence[LabelledQuestion]) -> tuple[list[LabelledQuestion], list[LabelledQuestion]]:
    """Two halves that no order of the file decides: those that choose, and those that judge."""
    ordered = sorted(questions, key=lambda one: sha256(f"{one.id}\0{one.text}".encode("utf-8", "replace")).digest())
    return ordered[::2], ordered[1::2]


@dataclass(frozen=True)
class TuneState:
    """What trials gave so far, in a file; scores of the same trial are not worked out twice."""

    path: Path | None
    mark: str
    """Of the documents, questions and settings: figures of others are not used."""
    known: dict[str, list[float]]
    base: str = ""
    """The recipe that there was, as TOML: what an interrupted run wrote over it is not what candidates start from."""

    @staticmethod
    def load(path: Path | None, mark: str, base: str = "") -> TuneState:
        """What an earlier run left for the same documents and questions; nothing where it was about others."""
        known: dict[str, list[float]] = {}
        if path is not None:
            with suppress(OSError, ValueError, RecursionError):
                data = json.loads(path.read_text(encoding="utf-8"))
                if isinstance(data, dict) and data.get("mark") == mark and isinstance(data.get("trials"), dict):
                    known = {name: scores for name, scores in data["trials"].items() if _is_scores(scores)}
        return TuneState(path, mark, known, base)

    def save(self, written: str = "") -> None:
        """Write all of it, or leave the file as it was; `written` is the configuration that the run left behind."""
        if self.path is None:
            return
        data = {"mark": self.mark, "base": self.base, "written": _digest(written), "trials": self.known}
        temporary = self.path.with_name(f".{self.path.name}.{os.getpid()}.tmp")
        try:
            temporary.write_text(json.dumps(data), encoding="utf-8")
            os.replace(temporary, self.path)
        except OSError as error:
            raise ConfigError(f"{self.path}: cannot be written: {error.strerror}; choose another --state") from None
        finally:
            with suppress(OSError):
                temporary.unlink()


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "replace")).hexdigest()


def interrupted_base(state: Path, target: Path) -> Recipe | None:
    """The recipe that an unfinished run started from, where `target` is what that run left behind; None where there is
    no such run, or somebody changed the file since."""
    try:
        data = json.loads(state.read_text(encoding="utf-8"))
        if data["written"] != _digest(target.read_text(encoding="utf-8")):
            return None
        return from_mapping(tomllib.loads(data["base"]), str(state))
    except (OSError, ValueError, RecursionError, KeyError, TypeError):
        return None


def _is_scores(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, int | float) and 0 <= one <= 1 for one in value)


class TuneRound(NamedTuple):
    """One round of the halving."""

    questions: int
    ranking: tuple[tuple[str, float], ...]
    """Candidates that were measured, the best first, with their means."""


@dataclass(frozen=True, slots=True)
class TuneResult:
    """What tuning found."""

    base: TrialPlan
    winner: TrialPlan
    """The best of the half that chooses; `base` where nothing was better."""
    metric: str
    rounds: tuple[TuneRound, ...]
    judged: PairedDifference
    """Winner against base on the half that judges."""
    base_mean: float
    winner_mean: float
    """Of the half that judges."""
    judges: int
    trials: int
    resumed: int
    """Trials that an earlier run had done."""
    seconds: float
    stopped: str = ""
    """Why it ended early: the time was over, or it was interrupted."""
    state: TuneState = field(default_factory=lambda: TuneState(None, "", {}), repr=False)

    def finish(self, written: str, *, keep: bool) -> None:
        """Leave what the next run goes on from, or remove it where this one is complete and nobody asked for it."""
        if self.stopped or keep:
            self.state.save(written)
        elif self.state.path is not None:
            self.state.path.unlink(missing_ok=True)

    @property
    def keeps_base(self) -> bool:
        """Whether there is no proof that the winner is better."""
        return self.winner is self.base or not (self.judged.is_significant and self.judged.mean > 0)

    @property
    def chosen(self) -> TrialPlan:
        return self.base if self.keeps_base else self.winner

    def verdict(self) -> str:
        """The result in words."""
        judged = self.judged
        figures = (
            f"{self.metric} {self.winner_mean:.3f} against {self.base_mean:.3f} on {self.judges} other questions"
            f" (difference {judged.mean:+.3f}, 95% interval {judged.low:+.3f} to {judged.high:+.3f},"
            f" p = {judged.p:.3f})"
        )
        if self.winner is self.base:
            return "kept the recipe as it is: no candidate was better on the questions that choose"
        if self.keeps_base:
            return f"kept the recipe as it is: {self.winner.name} is not better by more than chance: {figures}"
        return f"chose {self.winner.name}: {figures}"

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        return {
            "verdict": self.verdict(),
            "kept": self.keeps_base,
            "winner": dict(self.winner.settings),
            "metric": self.metric,
            "judged": {**self.judged._asdict(), "questions": self.judges},
            "base": self.base_mean,
            "tuned": self.winner_mean,
            "rounds": [
                {"questions": one.questions, "ranking": [list(row) for row in one.ranking]} for one in self.rounds
            ],
            "trials": self.trials,
            "resumed": self.resumed,
            "seconds": round(self.seconds, 2),
            "stopped": self.stopped,
        }


class _TimeIsUp(Exception):
    """No trial is begun after this."""


class _Tuner:
    """Runs candidates and remembers what they gave."""

    def __init__(self, runner: TrialRunner, state: TuneState, metric: str, deadline: float) -> None:
        self._runner = runner
        self._state = state
        self._metric = metric
        self._deadline = deadline
        self.trials = self.resumed = 0

    def measure(
        self, plan: TrialPlan, questions: Sequence[LabelledQuestion], part: str, *, must: bool = False
    ) -> list[float]:
        """The scores of a plan, known or new; _TimeIsUp where a new one may not begin any more."""
        key = f"{part} {len(questions)}: {plan.name}"
        known = self._state.known.get(key)
        if known is not None and len(known) == len(questions):
            self.resumed += 1
            return known
        if not must and time.monotonic() > self._deadline:
            raise _TimeIsUp
        trial = self._runner.run(plan, questions)
        if self._metric not in trial.scores[0]:
            raise ConfigError(f"--metric: expected one of {', '.join(trial.scores[0])}, got {self._metric!r}")
        scores = self._state.known[key] = trial.column(self._metric)
        self._state.save()
        self.trials += 1
        return scores


def tune(
    runner: TrialRunner,
    plans: Sequence[TrialPlan],
    questions: Sequence[LabelledQuestion],
    *,
    seconds: float,
    metric: str = METRIC,
    state: Path | None = None,
    budget: int = BUDGET,
) -> TuneResult:
    """Find the best of the plans, the first of which is the recipe that there is. After `seconds` no candidate is begun
    any more; then, and after an interruption, the best so far is judged."""
    choosing, judging = split_questions(questions)
    if len(judging) < 2:
        raise ConfigError(f"expected 4 questions or more to choose and to judge by, got {len(questions)}")
    begun = time.monotonic()
    kept = TuneState.load(state, _mark(runner, plans, questions, metric, budget), to_toml(plans[0].recipe))
    tuner = _Tuner(runner, kept, metric, begun + seconds)
    rounds: list[TuneRound] = []
    stopped = ""
    best = plans[0]
    count = min(len(choosing), max(LEAST, len(choosing) // KEEP**2))
    left = list(plans)
    while left and not stopped:
        asked = choosing[:count]
        means: dict[str, float] = {}
        try:
            for number, plan in enumerate(left):
                runner.prefix = f"round {len(rounds) + 1} {_bar(number / len(left))} {number + 1}/{len(left)} "
                scores = tuner.measure(plan, asked, "choose", must=not rounds and not number)
                means[plan.name] = sum(scores) / len(scores)
        except _TimeIsUp:
            stopped = "the time was over"
        except KeyboardInterrupt:
            stopped = "interrupted"
            if not means and not rounds:
                raise
        ranked = sorted((plan for plan in left if plan.name in means), key=lambda one: -means[one.name])
        rounds.append(TuneRound(len(asked), tuple((plan.name, means[plan.name]) for plan in ranked)))
        whole = len(ranked) == len(left)
        if ranked and (whole or len(rounds) == 1):
            best = ranked[0]  # of an unfinished later round, the first would only be the first that was measured
        if len(ranked) == 1 or (count == len(choosing) and whole):
            break
        left = ranked[: max(1, -(-len(ranked) // KEEP))]
        if plans[0] not in left:
            left.append(plans[0])  # ties go to what there is: it must be measured on the same questions
        count = min(len(choosing), count * KEEP)
    last = next((dict(one.ranking) for one in reversed(rounds) if best.name in dict(one.ranking)), {})
    if last.get(plans[0].name, -1.0) >= last.get(best.name, 0.0):
        best = plans[0]
    runner.prefix = "judging "
    base_scores = tuner.measure(plans[0], judging, "judge", must=True)
    scores = tuner.measure(best, judging, "judge", must=True)
    return TuneResult(
        base=plans[0],
        winner=best,
        metric=metric,
        rounds=tuple(rounds),
        judged=paired_bootstrap(scores, base_scores),
        base_mean=sum(base_scores) / len(base_scores),
        winner_mean=sum(scores) / len(scores),
        judges=len(judging),
        trials=tuner.trials,
        resumed=tuner.resumed,
        seconds=time.monotonic() - begun,
        stopped=stopped,
        state=kept,
    )


def _bar(share: float, width: int = 20) -> str:
    return f"[{'#' * round(share * width):-<{width}}]"


def _mark(
    runner: TrialRunner, plans: Sequence[TrialPlan], questions: Sequence[LabelledQuestion], metric: str, budget: int
) -> str:
    """Equal for equal documents, candidates, questions and settings."""
    hasher = sha256(f"{runner.fingerprint}\0{metric}\0{budget}".encode())
    for name, data in sorted(runner.corpus.sources.items()):
        hasher.update(sha256(name.encode("utf-8", "replace") + b"\0" + data).digest())
    for plan in plans:
        hasher.update(f"{plan.recipe.fingerprint} {plan.alpha}\0".encode())
    for question in questions:
        hasher.update(json.dumps(question.to_dict(), sort_keys=True).encode())
    return hasher.hexdigest()[:32]


def tuned_toml(
    result: TuneResult,
    *,
    documents: int,
    questions: int,
    generated: bool,
    legs: str,
    files: FileChoice | None = None,
    weights: Mapping[str, float] | None = None,
) -> str:
    """The recipe that was chosen as `seamline.toml`, with the evidence above it. `files` and `weights`: what of folders
    the file that there was takes and leaves out, and what counts in a search."""
    source = "generated" if generated else "written"
    lines = [
        "Written by `seamline tune`.",
        result.verdict() + ".",
        f"Evidence: {documents} documents, {questions} {source} questions, half to choose by and half to judge by;",
        f"legs {legs}; {result.trials + result.resumed} trials in {result.seconds:.0f} s.",
    ]
    for one in result.rounds:
        lines.append(f"{one.questions} questions, {result.metric}:")
        lines += [f"  {mean:.3f}  {name}" for name, mean in one.ranking[:5]]
    alpha = result.chosen.alpha
    if alpha is not None:
        lines.append(f"The weight of the dense leg is no setting of this file: search with alpha = {alpha}.")
    if result.stopped:
        lines.append(f"It ended early: {result.stopped}.")
    comments = "".join(f"# {' '.join(line.split()) if not line.startswith('  ') else line}\n" for line in lines)
    globs = {"include": files.include, "exclude": files.exclude} if files else {}
    index = "".join(f"{key} = {json.dumps(list(value))}\n" for key, value in globs.items() if value)
    chosen = f"\n[index]\n{index}" if index else ""
    if weights:
        chosen += "\n[search.weights]\n" + "".join(f"{name} = {weight}\n" for name, weight in weights.items())
    return f"{comments}\n{to_toml(result.chosen.recipe)}{chosen}"
