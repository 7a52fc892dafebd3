"""Is a difference real? Paired bootstrap over questions, correction for many comparisons, and gates."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from seamline.errors import ConfigError

RESAMPLES = 2000
SIGNIFICANT = 0.05


class PairedDifference(NamedTuple):
    """The mean difference of one metric over the same questions."""

    mean: float
    low: float
    high: float
    """Ends of the 95% interval."""
    p: float
    """How likely a difference as large as this is by chance, two-sided."""

    @property
    def is_significant(self) -> bool:
        return self.p < SIGNIFICANT


def paired_bootstrap(
    ours: Sequence[float], theirs: Sequence[float], *, resamples: int = RESAMPLES, seed: int = 0
) -> PairedDifference:
    """How much better `ours` is than `theirs`, question by question; the same for the same seed."""
    import numpy as np

    if len(ours) != len(theirs):
        raise ConfigError(f"expected scores of the same questions, got {len(ours)} and {len(theirs)}")
    differences = np.asarray(ours, float) - np.asarray(theirs, float)
    if not differences.any():
        return PairedDifference(0.0, 0.0, 0.0, 1.0)
    random = np.random.default_rng(seed)
    count = len(differences)
    means = np.array([differences[random.integers(0, count, count)].mean() for _ in range(resamples)])
    low, high = np.quantile(means, (0.025, 0.975))
    # One more in both: no finite number of resamples proves that a difference is impossible by chance.
    beyond = min(int((means <= 0).sum()), int((means >= 0).sum())) + 1
    # Resampling three differences of one sign never crosses zero, yet a coin gives them one time in four: no p value
    # is below that of a sign test.
    least = 2 * 0.5 ** int(np.count_nonzero(differences))
    p = min(1.0, max(least, 2 * beyond / (resamples + 1)))
    return PairedDifference(float(differences.mean()), float(low), float(high), p)


def holm(ps: Sequence[float]) -> list[float]:
    """The p values of several comparisons, corrected so that one chance find among all stays as unlikely as one."""
    out = [1.0] * len(ps)
    highest = 0.0
    for rank, at in enumerate(sorted(range(len(ps)), key=lambda one: ps[one])):
        highest = max(highest, min(1.0, ps[at] * (len(ps) - rank)))
        out[at] = highest
    return out


_OPERATORS: Mapping[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
_GATE = re.compile(r"\s*([a-z_-]+(?:@\d+)?)\s*(>=|<=|>|<)\s*(\d+(?:\.\d+)?|\.\d+)\s*")


class QualityGate(NamedTuple):
    """A condition that every trial must meet, such as `recall@5>=0.8`."""

    metric: str
    sign: str
    value: float

    def holds(self, scores: Mapping[str, float]) -> bool:
        return _OPERATORS[self.sign](scores[self.metric], self.value)

    def __str__(self) -> str:
        return f"{self.metric}{self.sign}{self.value:g}"


def parse_gate(text: str) -> QualityGate:
    """The gate that a command line names; a ConfigError says what does not fit."""
    found = _GATE.fullmatch(text)
    if found is None:
        raise ConfigError(f"expected a gate such as recall@5>=0.8, got {text!r}")
    return QualityGate(found[1], found[2], float(found[3]))


def parse_gates(texts: Sequence[str]) -> list[QualityGate]:
    """The gates of a command line; `targets` stands for what good chunks reach."""
    from seamline.evaluate.trials import TARGETS

    out: list[QualityGate] = []
    for text in texts:
        if text.strip() == "targets":
            out += [QualityGate(name, "<=" if name == "violations" else ">=", value) for name, value in TARGETS.items()]
        else:
            out.append(parse_gate(text))
    return out


def check_gates(gates: Sequence[QualityGate], scores: Mapping[str, Mapping[str, float]]) -> list[str]:
    """What falls short, a line each; `scores` are those of trials, by name. A metric that nobody measured is a
    ConfigError."""
    short = []
    for gate in gates:
        for name, measured in scores.items():
            if gate.metric not in measured:
                raise ConfigError(f"{gate}: no such metric was measured; there are {', '.join(sorted(measured))}")
            if not gate.holds(measured):
                short.append(
                    f"{name}: {gate.metric} is {measured[gate.metric]:.4g}, expected {gate.sign} {gate.value:g}"
                )
    return short
