"""nDCG@10 on repositories that were held out, kind by kind, and the same for reranked lists."""

from __future__ import annotations

import torch
from bert import Bert
from data import WRITTEN, Pairs, WordIndex
from kinds import PROSE_KINDS
from torch import Tensor

PROSE = 2
"""The number of that source."""
MOST = 400
"""Questions of each kind."""


class Validation:
    def __init__(self, pairs: Pairs) -> None:
        self.pairs = pairs
        self.prose_share: float | None = None
        """What prose counts beside all other kinds; None where each kind counts the same."""
        self.passages = torch.nonzero(pairs.p_valid).flatten()
        picked = []
        for number, _ in enumerate(WRITTEN):
            rows = torch.nonzero(pairs.q_valid & (pairs.q_kind == number)).flatten()
            picked.append(
                rows[torch.linspace(0, len(rows) - 1, min(MOST, len(rows))).long().to(rows.device)]
                if len(rows)
                else rows
            )
        self.queries = torch.cat(picked)
        self.kinds = pairs.q_kind[self.queries]

    def scores(self, model: Bert) -> Tensor:
        """Of every question and passage; what holds the question's own words is out."""
        vectors = self.pairs.embed_passages(model, self.passages)
        scores = self.pairs.embed_queries(model, self.queries) @ vectors.T
        return scores.masked_fill(self.passages[None] == self.pairs.q_origin[self.queries][:, None], -1.0)

    @torch.no_grad()
    def fidelity(self, model: Bert, teacher: Bert) -> float:
        """The mean cosine of two models' vectors of held-out prose, and of questions about it."""
        prose = self.passages[self.pairs.p_source[self.passages] == PROSE]
        if not len(prose):
            return 0.0
        asked = self.queries[self.kinds == WRITTEN.index("question")]
        cosines = [
            (embed(model, rows) * embed(teacher, rows)).sum(1).mean()
            for embed, rows in ((self.pairs.embed_passages, prose), (self.pairs.embed_queries, asked))
            if len(rows)
        ]
        return float(sum(cosines)) / len(cosines)

    def words(self) -> Tensor:
        index = WordIndex(self.pairs, self.passages)
        out = torch.zeros(len(self.queries), len(self.passages), device=self.passages.device)
        place = torch.full((len(self.pairs.p_start),), -1, dtype=torch.long, device=self.passages.device)
        place[self.passages] = torch.arange(len(self.passages), device=self.passages.device)
        for rows in torch.arange(len(self.queries), device=out.device).split(512):
            score, found = index.search(self.pairs.queries(self.queries[rows]), 200)
            out[rows] = out[rows].scatter(1, place[found], score)
        return out.masked_fill(self.passages[None] == self.pairs.q_origin[self.queries][:, None], -1.0)

    def report(self, scores: Tensor) -> tuple[float, str]:
        """The mean over kinds, and each kind's figure."""
        right = scores.gather(1, torch.searchsorted(self.passages, self.pairs.q_passage[self.queries])[:, None])
        rank = (scores > right).sum(1)
        gain = torch.where(rank < 10, 1 / torch.log2(rank + 2.0), 0.0)
        parts = {
            kind: float(gain[self.kinds == n].mean()) * 100 for n, kind in enumerate(WRITTEN) if (self.kinds == n).any()
        }
        mean = sum(parts.values()) / max(1, len(parts))
        prose = [value for kind, value in parts.items() if kind in PROSE_KINDS]
        if self.prose_share is not None and 0 < len(prose) < len(parts):
            others = (sum(parts.values()) - sum(prose)) / (len(parts) - len(prose))
            mean = self.prose_share * sum(prose) / len(prose) + (1 - self.prose_share) * others
        return mean, f"{mean:.2f}  " + "  ".join(f"{kind} {value:.1f}" for kind, value in parts.items())
