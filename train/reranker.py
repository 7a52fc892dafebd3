"""Train the cross-encoder: a question and a passage in, one score out, whose logistic is a probability."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from bert import PAD, Bert, encode, save_parts, weights_of
from data import MIX, WRITTEN, Pairs, stack
from embedder import Average, Clock, Plan, make_optimizer, rate_at
from kinds import KINDS
from torch import Tensor, nn
from validate import Validation

NEAR, WORDS, RANDOM = 4, 2, 1
"""Negatives of each question: by meaning, by words, at random."""
LENGTHS = (128, 192, 256, 320)


def join(queries: Tensor, passages: Tensor) -> tuple[Tensor, Tensor]:
    """[CLS] question [SEP] passage [SEP] and the type of each token, for as many questions as passages."""
    first, second = (queries != PAD).sum(1), (passages != PAD).sum(1) - 1
    size = first + second
    wide = math.ceil(int(size.max()) / 16) * 16
    at = torch.arange(wide, device=queries.device)[None].expand(len(queries), -1)
    left = queries.gather(1, at.clamp(max=queries.shape[1] - 1))
    right = passages.gather(1, (at - first[:, None] + 1).clamp(min=0, max=passages.shape[1] - 1))
    is_second = at >= first[:, None]
    ids = torch.where(is_second, right, left)
    inside = at < size[:, None]
    return torch.where(inside, ids, PAD), (is_second & inside).long()


def train(
    plan: Plan, model: Bert, searcher: Bert, pairs: Pairs, check: Validation, out: Path, log: Callable[[str], None]
) -> dict[str, np.ndarray]:
    cuda = pairs.device == "cuda"
    model.words.requires_grad_(requires_grad=plan.words)
    optimizer = make_optimizer(model, plan.rate, cuda)
    average = Average(model, plan.decay)
    pairs.mine(searcher, kept=32, ranks=(0, 60))
    found = candidates(check, searcher)
    clock = Clock(plan.seconds)
    best, kept, checked, step, total = -1.0, weights_of(model), 0.0, 0, 0.0
    while clock.share < 1.0:
        for group in optimizer.param_groups:
            group["lr"] = plan.rate * rate_at(clock.share)
        loss = batch_loss(plan, model, pairs, cuda)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        average.update(model)
        step += 1
        total += float(loss.detach()) if step % 10 == 0 else 0.0
        if clock.elapsed - checked > plan.every or clock.share >= 1.0:
            checked = clock.elapsed
            alone, mixed, text = judge(check, average.model, *found)
            log(
                f"[{plan.name}] {clock.elapsed:.0f} s, step {step}, loss {total / max(1, step // 10):.3f}, "
                f"alone {alone:.2f}, mixed at .3 {text}"
            )
            if mixed > best:
                best, kept = mixed, weights_of(average.model)
                save_parts(kept, out, plan.name, words=plan.words)
    return kept


def batch_loss(plan: Plan, model: Bert, pairs: Pairs, cuda: bool) -> Tensor:
    """Lists of one right passage and seven wrong ones; kinds are mixed within the batch by their share."""
    share = {kind: MIX[kind] for kind in WRITTEN if pairs.counts()[kind] > 1}
    rows = [pairs.draw(kind, max(1, round(plan.batch * part / sum(share.values())))) for kind, part in share.items()]
    taken = torch.cat(rows)
    wrong = torch.cat(
        [
            pairs.negatives(taken, NEAR, words=0.0),
            pairs.negatives(taken, WORDS, words=1.0),
            pairs.random_passages((len(taken), RANDOM)),
        ],
        1,
    )
    most = LENGTHS[int(torch.randint(len(LENGTHS), (1,), generator=pairs.random))]
    coin = torch.rand(len(taken), generator=pairs.random).to(pairs.device)
    link = pairs.q_kind[taken] == KINDS.index("link")
    right = pairs.passages(
        pairs.q_passage[taken], most, ((coin < 0.3) & (link | (coin < 0.15))).long(), pairs.q_cut[taken]
    )
    others = pairs.passages(wrong.flatten(), most)
    lists = 1 + wrong.shape[1]
    queries = pairs.queries(taken)
    ids, types = join(torch.cat([queries, queries.repeat_interleave(wrong.shape[1], 0)]), stack(right, others))
    model.train()
    with torch.autocast("cuda", torch.bfloat16, enabled=cuda):
        scores = encode(model, ids, types).float()
    table = torch.cat([scores[: len(taken), None], scores[len(taken) :].view(len(taken), lists - 1)], 1)
    same_page = pairs.p_page[wrong] == pairs.p_page[pairs.q_passage[taken]][:, None]
    table[:, 1:] = table[:, 1:].masked_fill(same_page, -30.0)
    listwise = F.cross_entropy(table, torch.zeros(len(taken), dtype=torch.long, device=table.device))
    truth = torch.zeros_like(table)
    truth[:, 0] = 1.0
    return listwise + F.binary_cross_entropy_with_logits(table, truth)


def candidates(check: Validation, searcher: Bert, depth: int = 30) -> tuple[Tensor, Tensor]:
    """The blend of meaning and words over the held-out passages, and its best of each question."""
    dense, words = check.scores(searcher), check.words()
    low, high = (
        dense.topk(200, dim=1)[0][:, -1:] if dense.shape[1] > 200 else dense.min(1, True)[0],
        dense.max(1, True)[0],
    )
    mixed = 0.5 * ((dense - low) / (high - low + 1e-6)).clamp(min=0) + 0.5 * words.clamp(min=0) / words.max(1, True)[
        0
    ].clamp(min=1e-6)
    mixed = torch.where((dense < -0.99) | (words < 0), -1.0, mixed)
    return mixed, mixed.topk(min(depth, mixed.shape[1]), dim=1)[1]


@torch.no_grad()
def judge(check: Validation, model: Bert, mixed: Tensor, found: Tensor) -> tuple[float, float, str]:
    """nDCG@10 where the cross-encoder orders the candidates alone, and where it adds a share of .3."""
    model.eval()
    pairs = check.pairs
    scores = []
    for rows in torch.arange(len(found), device=found.device).split(256):
        queries = pairs.queries(check.queries[rows]).repeat_interleave(found.shape[1], 0)
        passages = pairs.passages(check.passages[found[rows]].flatten(), 256)
        with torch.autocast("cuda", torch.bfloat16, enabled=pairs.device == "cuda"):
            scores.append(torch.sigmoid(encode(model, *join(queries, passages)).float()).view(len(rows), -1))
    sure = torch.cat(scores)
    alone = check.report(mixed.scatter(1, found, 10 + sure))[0]
    share = mixed.scatter(1, found, 0.7 * mixed.gather(1, found) + 0.3 * sure + 1e-3)
    mean, text = check.report(share)
    base = check.report(mixed)[0]
    return alone, mean, f"{text} (blend without it {base:.2f})"
