"""Train the embedders: first all six layers, then a student of three that learns from them and from the pairs."""

from __future__ import annotations

import copy
import math
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from bert import MEMORY, Bert, encode, encode_beside, save_parts, weights_of
from data import Batch, Pairs
from kinds import PROSE_KINDS
from torch import Tensor, nn
from validate import Validation

TEMPERATURE = 0.05
GENERAL = {*PROSE_KINDS, "code-doc", "code-symbol", "code-call"}
"""Kinds of text on which the model was good already: it is held closer to what it was."""


@dataclass(frozen=True)
class Plan:
    """How one model is trained."""

    name: str
    seconds: float
    batch: int
    rate: float
    words: bool
    """Whether word embeddings are trained."""
    pull: tuple[float, float] = (1.0, 4.0)
    """Weight of (1 - cosine) to the teacher, on documentation and on general text."""
    likeness: float = 0.0
    """Weight of the teacher's similarities within the batch."""
    pieces: float = 0.0
    """Weight of how far the vectors of the pieces are from the teacher's."""
    flat: bool = False
    """The rate stays where it is after the warm-up: for trying a shape out."""
    refresh: float = 90.0
    """Seconds between two searches for negatives."""
    every: float = 45.0
    """Seconds between two validations."""
    decay: float = 0.998
    """Of the running mean of weights."""


class Average:
    """The running mean of a model's weights, as a model."""

    def __init__(self, model: Bert, decay: float) -> None:
        self.model = copy.deepcopy(model).eval().requires_grad_(requires_grad=False)
        self._decay, self._steps = decay, 0

    @torch.no_grad()
    def update(self, model: Bert) -> None:
        self._steps += 1
        decay = min(self._decay, self._steps / (self._steps + 10))
        mine, theirs = list(self.model.parameters()), list(model.parameters())
        torch._foreach_lerp_(mine, theirs, 1 - decay)


class Clock:
    """Time as a share of what a stage may use."""

    def __init__(self, seconds: float) -> None:
        self._start, self._seconds = time.monotonic(), seconds

    @property
    def elapsed(self) -> float:
        return time.monotonic() - self._start

    @property
    def share(self) -> float:
        return min(1.0, self.elapsed / self._seconds)


def rate_at(share: float, warm: float = 0.05) -> float:
    """Warm-up, then a cosine to nearly nothing."""
    if share < warm:
        return max(0.02, share / warm)
    return 0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * (share - warm) / (1 - warm)))


def contrast(queries: Tensor, passages: Tensor, barred: Tensor) -> Tensor:
    """InfoNCE both ways. Negatives stand behind the positives, so the way back asks only these."""
    scores = (queries @ passages.T / TEMPERATURE).masked_fill(barred, -1e4)
    right = torch.arange(len(queries), device=queries.device)
    return (F.cross_entropy(scores, right) + F.cross_entropy(scores[:, : len(queries)].T, right)) / 2


def same_order(student: tuple[Tensor, Tensor], teacher: tuple[Tensor, Tensor], barred: Tensor) -> Tensor:
    """How far the student's similarities within the batch are from the teacher's."""
    own, wanted = (((q @ p.T) / TEMPERATURE).masked_fill(barred, -1e4) for q, p in (student, teacher))
    return F.kl_div(F.log_softmax(own, 1), F.log_softmax(wanted, 1), reduction="batchmean", log_target=True)


@dataclass(frozen=True)
class Teachers:
    """Whom a student is to agree with: on prose and questions, `general` where there is one. There `further` adds its
    similarities."""

    own: Bert
    general: Bert | None = None
    further: Bert | None = None

    def of(self, kind: str) -> Bert:
        return self.general if self.general is not None and kind in PROSE_KINDS else self.own

    def freeze(self) -> None:
        for model in (self.own, self.general, self.further):
            if model is not None:
                model.eval().requires_grad_(requires_grad=False)


def train(
    plan: Plan, model: Bert, teachers: Teachers, pairs: Pairs, check: Validation, out: Path, log: Callable[[str], None]
) -> dict[str, np.ndarray]:
    """Train within the time given; the weights are those of the running mean that validated best."""
    cuda = pairs.device == "cuda"
    model.words.requires_grad_(requires_grad=plan.words)
    optimizer = make_optimizer(model, plan.rate, cuda)
    teachers.freeze()
    average, clock = Average(model, plan.decay), Clock(plan.seconds)
    best, kept = -1.0, weights_of(model)
    refreshed = checked = 0.0
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    step, over = 0, False
    while not over:
        if step and (pairs.mined is None or clock.elapsed - refreshed > plan.refresh):
            pairs.mine(average.model)
            refreshed = clock.elapsed
        for group in optimizer.param_groups:
            group["lr"] = plan.rate * (min(1.0, step / 30) if plan.flat else rate_at(clock.share))
        batch = pairs.batch(plan.batch, negatives=True)
        model.train()
        optimizer.zero_grad(set_to_none=True)
        try:
            loss, parts = losses(plan, model, teachers, batch)
            loss.backward()
        except torch.cuda.OutOfMemoryError:
            MEMORY[0] /= 2
            log(f"[{plan.name}] out of memory: keeps half as many activations from now on")
            loss = parts = None
            torch.cuda.empty_cache()
            over = clock.share >= 1.0
            continue
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        average.update(model)
        step += 1
        if step % 5 == 0:
            sums[batch.kind][0] += float(parts)
            sums[batch.kind][1] += 1
        over = clock.share >= 1.0
        if over or clock.elapsed - checked > plan.every:
            checked = clock.elapsed
            mean, text = check.report(check.scores(average.model))
            shown = "  ".join(f"{kind} {total / count:.3f}" for kind, (total, count) in sorted(sums.items()))
            log(f"[{plan.name}] {clock.elapsed:.0f} s, step {step}, nDCG@10 {text}")
            log(f"[{plan.name}]   contrastive loss {shown}")
            if teachers.general is not None and teachers.further is not None:
                near = check.fidelity(average.model, teachers.general)
                log(f"[{plan.name}]   cosine to the general teacher {near:.4f}")
                mean += 100 * near
            sums.clear()
            if mean > best:
                best, kept = mean, weights_of(average.model)
                save_parts(kept, out, plan.name, words=plan.words)
    return kept


def losses(plan: Plan, model: Bert, teachers: Teachers, batch: Batch) -> tuple[Tensor, Tensor]:
    teacher, aims = teachers.of(batch.kind), []
    # Only the encoders run in bf16: scores divided by the temperature would be off by 0.06.
    with torch.autocast("cuda", torch.bfloat16, enabled=batch.queries.is_cuda):
        if plan.pieces:
            (q, q_aim, q_away), (p, p_aim, p_away) = (
                encode_beside(model, teacher, ids) for ids in (batch.queries, batch.passages)
            )
            own, wanted, pieces = (q, p), (q_aim, p_aim), (q_away + p_away) / 2
        else:
            own, pieces = (encode(model, batch.queries), encode(model, batch.passages)), 0.0
            with torch.no_grad():
                wanted = encode(teacher, batch.queries), encode(teacher, batch.passages)
        aims.append(wanted)
        if teachers.further is not None and batch.kind in PROSE_KINDS:
            with torch.no_grad():
                aims.append((encode(teachers.further, batch.queries), encode(teachers.further, batch.passages)))
    away = sum((1 - (mine * theirs).sum(1)).mean() for mine, theirs in zip(own, wanted, strict=True))
    loss = plan.pull[batch.kind in GENERAL] * away / 2 + plan.pieces * pieces
    if plan.likeness:
        loss = loss + plan.likeness * sum(same_order(own, aim, batch.barred) for aim in aims) / len(aims)
    if batch.kind == "text":
        return loss, (away / 2).detach()
    contrastive = contrast(*own, batch.barred)
    return loss + contrastive, contrastive.detach()


def make_optimizer(model: nn.Module, rate: float, cuda: bool) -> torch.optim.AdamW:
    trained = [value for value in model.parameters() if value.requires_grad]
    matrices, others = [v for v in trained if v.dim() > 1], [v for v in trained if v.dim() <= 1]
    groups = [{"params": matrices, "weight_decay": 0.01}, {"params": others, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.98), eps=1e-6, fused=cuda)


def blend(one: dict[str, np.ndarray], other: dict[str, np.ndarray], share: float) -> dict[str, np.ndarray]:
    """Weights between two models of one origin: what was learnt, with less of what was forgotten."""
    return {name: (1 - share) * one[name] + share * other[name] for name in one}
