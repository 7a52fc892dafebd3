"""The pairs on the device: slices of one token store, batches of one kind, negatives mined by models and words."""

from __future__ import annotations

import io
import lzma
import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from bert import CLS, PAD, SEP, Bert, encode
from kinds import KINDS
from torch import Tensor

WRITTEN = KINDS[: KINDS.index("heading")]
MIX = {
    "link": 0.24,
    "question-heading": 0.04,
    "table": 0.11,
    "code-intro": 0.07,
    "identifier": 0.07,
    "question": 0.12,
    "code-doc": 0.09,
    "code-symbol": 0.08,
    "code-call": 0.03,
    "heading": 0.08,
    "lead": 0.07,
    "text": 0.22,
}
"""How often a batch is of this kind."""
MIX_OF_PROSE = MIX | {
    "link": 0.20,
    "question": 0.14,
    "sentence": 0.10,
    "lead": 0.08,
    "text": 0.80,
}
"""The same of the stage `further`. Most prose comes as `text`: there are few questions, and the student has seen each
of them forty times."""
PASSAGE = 320
"""The longest passage; what is cut at more goes on with the next ones."""
PROSE = 0.6
"""Share of `text` that is from prose, not from documentation or code."""
FEWER_WORDS = {
    "link": 0.3,
    "question-heading": 0.3,
    "code-intro": 0.2,
    "question": 0.3,
    "sentence": 0.5,
    "heading": 0.3,
    "lead": 0.3,
}
"""How often a query loses half of the word pieces that it shares with its passage, so that it has to be found by what
it means."""
WITHOUT_PATH = {
    "link": 0.4,
    "question-heading": 0.6,
    "sentence": 0.5,
    "heading": 1.0,
    "lead": 0.3,
    "table": 0.3,
    "code-intro": 0.4,
    "identifier": 0.4,
}
"""How often the heading path is left out of the positive, so that titles are not all that is learnt."""
LONGEST = (128, 192, 256, 256, 320, 500)
"""Passages of a batch are cut at one of these; where that is longer than one, the next ones of its page follow."""


@dataclass
class Batch:
    kind: str
    queries: Tensor
    passages: Tensor
    """Positives in the order of the queries, then negatives."""
    barred: Tensor
    """True where a passage may answer a query though it is not the one asked for."""


class Pairs:
    """All texts and pairs on one device."""

    def __init__(self, file: Path, device: str, seed: int = 13, most: int = 320) -> None:
        """`most`: no text is longer than this; less than 320 is for trying the script out."""
        self.mix: Mapping[str, float] = MIX
        with np.load(io.BytesIO(lzma.decompress(file.read_bytes()))) as arrays:
            given = {name: torch.from_numpy(_signed(arrays[name])) for name in arrays.files}
        self.device, self.most = device, most
        self.random = torch.Generator().manual_seed(seed)
        p_length, q_length = given["p_length"].long(), given["q_length"].long()
        self.tokens = torch.cat([given["p_tokens"], given["q_tokens"]]).to(device)
        self.p_start = (torch.cumsum(p_length, 0) - p_length).to(device)
        self.q_start = (torch.cumsum(q_length, 0) - q_length + len(given["p_tokens"])).to(device)
        self.p_length, self.q_length = p_length.to(device), q_length.to(device)
        for name in ("p_path", "p_lead", "p_page", "p_source", "p_valid", "q_kind", "q_passage", "q_origin", "q_cut"):
            setattr(self, name, given[name].to(device))
        self.p_path, self.p_lead, self.q_cut = self.p_path.long(), self.p_lead.long(), self.q_cut.long()
        self.q_passage, self.q_origin = self.q_passage.long(), self.q_origin.long()
        self.q_valid = self.p_valid[self.q_passage]
        self.p_reach = self._reach()
        body = self.p_length - self.p_path
        self._pools = {
            k: torch.nonzero((self.q_kind == n) & ~self.q_valid).flatten().cpu() for n, k in enumerate(WRITTEN)
        }
        self._pools["heading"] = torch.nonzero((self.p_path >= 3) & (body >= 30) & ~self.p_valid).flatten().cpu()
        body_long = (body >= 40) & ~self.p_valid
        prose = self.p_source == 2
        self._pools["text"] = torch.nonzero(body_long).flatten().cpu()
        self._prose = torch.nonzero(body_long & prose).flatten().cpu()
        self._pools["lead"] = torch.nonzero((self.p_lead > 0) & ~self.p_valid).flatten().cpu()
        self._orders = {kind: torch.empty(0, dtype=torch.long) for kind in KINDS}
        self._p_train = torch.nonzero(~self.p_valid).flatten()
        self.mined: Tensor | None = None
        self.by_words: Tensor | None = None

    def counts(self) -> dict[str, int]:
        return {kind: len(pool) for kind, pool in self._pools.items()}

    def _reach(self) -> Tensor:
        """How many pieces of each page stand behind the start of a passage."""
        last = torch.ones_like(self.p_page, dtype=torch.bool)
        last[:-1] = self.p_page[1:] != self.p_page[:-1]
        ends = (self.p_start + self.p_length)[last]
        run = torch.cumsum(last.long(), 0) - last.long()
        return ends[run] - self.p_start

    # Texts ---------------------------------------------------------------------------------------------------------

    def slices(self, start: Tensor, length: Tensor, most: int, cut: Tensor | None = None) -> Tensor:
        """Padded rows of [CLS] tokens [SEP]. `cut` is (place, size) of a part to leave out, from the start of each."""
        gap = cut if cut is not None else torch.zeros(len(start), 2, dtype=torch.long, device=self.device)
        size = (length - gap[:, 1]).clamp(min=1, max=min(most, self.most) - 2)
        wide = math.ceil((int(size.max()) + 2) / 16) * 16  # attention kernels want multiples of 8
        at = torch.arange(wide - 2, device=self.device)[None]
        source = at + torch.where(at >= gap[:, :1], gap[:, 1:], 0)
        ids = self.tokens[(start[:, None] + source).clamp(max=len(self.tokens) - 1)].long()
        out = torch.full((len(start), wide), PAD, dtype=torch.long, device=self.device)
        out[:, 0] = CLS
        out[:, 1:-1] = torch.where(at < size[:, None], ids, PAD)
        out[torch.arange(len(start), device=self.device), size + 1] = SEP
        return out

    def passages(self, numbers: Tensor, most: int, bare: Tensor | None = None, cut: Tensor | None = None) -> Tensor:
        """Passages; `bare` ones without their heading path, `cut` counted from the start of the whole passage."""
        skip = self.p_path[numbers] * bare if bare is not None else torch.zeros_like(numbers)
        gap = None
        if cut is not None:
            gap = torch.stack([(cut[:, 0] - skip).clamp(min=0), cut[:, 1]], 1)
        length = self.p_reach[numbers].clamp(max=most) if most > PASSAGE else self.p_length[numbers]
        length = torch.maximum(length, self.p_length[numbers])
        return self.slices(self.p_start[numbers] + skip, length - skip, most, gap)

    def queries(self, numbers: Tensor) -> Tensor:
        return self.slices(self.q_start[numbers], self.q_length[numbers], 64)

    # Batches -------------------------------------------------------------------------------------------------------

    def draw(self, kind: str, size: int) -> Tensor:
        """The next queries (or passages) of a kind; each comes once before any comes twice."""
        pool = self._pools[kind]
        size = min(size, max(1, len(pool) // 2))
        if len(self._orders[kind]) < size:
            self._orders[kind] = pool[torch.randperm(len(pool), generator=self.random)]
        taken, self._orders[kind] = self._orders[kind][:size], self._orders[kind][size:]
        return taken.to(self.device)

    def pick_kind(self) -> str:
        share = torch.tensor([self.mix.get(kind, 0.0) if len(self._pools[kind]) > 1 else 0.0 for kind in KINDS])
        return KINDS[int(torch.multinomial(share, 1, generator=self.random))]

    def batch(self, size: int, negatives: bool) -> Batch:
        kind = self.pick_kind()
        most = LONGEST[int(torch.randint(len(LONGEST), (1,), generator=self.random))]
        taken = self.draw(kind, size if most <= PASSAGE else size // 2)
        coin = torch.rand(len(taken), generator=self.random).to(self.device)
        bare = (coin < WITHOUT_PATH.get(kind, 0.0)).long()
        if kind == "text":
            return self._text(taken, most)
        if kind == "heading":
            numbers, origin, cut = taken, torch.full_like(taken, -1), None
            queries = self.slices(self.p_start[taken], self.p_path[taken], 64)
        elif kind == "lead":
            numbers, origin = taken, torch.full_like(taken, -1)
            cut = torch.stack([self.p_path[taken], self.p_lead[taken]], 1)
            queries = self.slices(self.p_start[taken] + self.p_path[taken], self.p_lead[taken], 64)
        else:
            numbers, origin = self.q_passage[taken], self.q_origin[taken]
            cut = self.q_cut[taken] * (torch.rand(len(taken), generator=self.random).to(self.device) < 0.8)[:, None]
            queries = self.queries(taken)
        passages = self.passages(numbers, most, bare, cut)
        if kind in FEWER_WORDS:
            queries = self.fewer_words(queries, passages, FEWER_WORDS[kind])
        all_numbers = numbers
        if negatives and kind in WRITTEN and self.mined is not None:
            wrong = self.negatives(taken, 1).flatten()
            all_numbers = torch.cat([numbers, wrong])
            passages = stack(
                passages,
                self.passages(
                    wrong, most, (torch.rand(len(wrong), generator=self.random).to(self.device) < 0.2).long()
                ),
            )
        page, pages = self.p_page[numbers], self.p_page[all_numbers]
        barred = (page[:, None] == pages[None]) | (origin[:, None] == all_numbers[None])
        barred[torch.arange(len(numbers)), torch.arange(len(numbers))] = False
        return Batch(kind, queries, passages, barred)

    def _text(self, taken: Tensor, most: int) -> Batch:
        """Passages, most of them prose, and 6 to 40 pieces out of each."""
        prose = self._prose[torch.randint(len(self._prose), (round(len(taken) * PROSE),), generator=self.random)]
        numbers = torch.cat([prose.to(self.device), taken[len(prose) :]]) if len(self._prose) > 1 else taken
        dice = torch.rand(2, len(numbers), generator=self.random).to(self.device)
        body = self.p_length[numbers] - self.p_path[numbers]
        size = (6 + (dice[0] ** 2 * 34).long()).minimum(body)
        start = ((body - size + 1) * dice[1]).long()
        queries = self.slices(self.p_start[numbers] + self.p_path[numbers] + start, size, 64)
        barred = torch.zeros(len(numbers), len(numbers), dtype=torch.bool, device=self.device)
        return Batch("text", queries, self.passages(numbers, most), barred)

    def fewer_words(self, queries: Tensor, passages: Tensor, share: float) -> Tensor:
        """Queries, a share of them without half of the pieces that their passages have too; three pieces stay."""
        shared = torch.cat(
            [
                (q[:, :, None] == p[:, None, :]).any(2)
                for q, p in zip(queries.split(256), passages.split(256), strict=True)
            ]
        ) & (queries > SEP)
        dice = torch.rand((2, *queries.shape), generator=self.random).to(self.device)
        gone = shared & (dice[0] < 0.5) & (dice[1][:, :1] < share)
        left = ((queries != PAD) & ~gone).sum(1)
        gone &= (left >= 5)[:, None]
        order = torch.argsort((gone | (queries == PAD)).long(), dim=1, stable=True)
        return torch.where(gone, PAD, queries).gather(1, order)

    # Negatives -----------------------------------------------------------------------------------------------------

    def negatives(self, queries: Tensor, count: int, words: float = 0.35) -> Tensor:
        """Mined negatives of each query: some near by meaning, some by words; random ones where there are none."""
        assert self.mined is not None
        assert self.by_words is not None
        shape = (len(queries), count)
        near = self.mined[queries].gather(1, self._dice(self.mined.shape[1], shape))
        same = self.by_words[queries].gather(1, self._dice(self.by_words.shape[1], shape))
        coin = torch.rand(shape, generator=self.random).to(self.device)
        out = torch.where(coin < words, same, near)
        out = torch.where(out < 0, torch.maximum(near, same), out)
        return torch.where(out < 0, self.random_passages(shape), out)

    def random_passages(self, shape: tuple[int, int]) -> Tensor:
        return self._p_train[self._dice(len(self._p_train), shape)]

    def _dice(self, sides: int, shape: tuple[int, int]) -> Tensor:
        return torch.randint(sides, shape, generator=self.random).to(self.device)

    @torch.no_grad()
    def mine(self, model: Bert, kept: int = 16, ranks: tuple[int, int] = (1, 60)) -> None:
        """Passages of training repositories that the model takes for answers, scoring below the right one."""
        model.eval()
        vectors = self.embed_passages(model, self._p_train)
        place = torch.full((len(self.p_start),), -1, dtype=torch.long, device=self.device)
        place[self._p_train] = torch.arange(len(self._p_train), device=self.device)
        out = torch.full((len(self.q_start), kept), -1, dtype=torch.long, device=self.device)
        for rows in torch.nonzero(~self.q_valid).flatten().split(2048):
            query = self._encode(model, self.queries(rows))
            scores = query @ vectors.T
            right = scores.gather(1, place[self.q_passage[rows]][:, None])
            best, at = scores.topk(min(ranks[1], scores.shape[1]), dim=1)
            found = self._p_train[at]
            good = (best < right * 0.98) & ~self._same(rows, found)
            good[:, : ranks[0]] = False
            out[rows] = _first(found, good, kept)
            if self.by_words is not None and not self._words_checked:
                words = self.by_words[rows]
                score = scores.gather(1, place[words.clamp(min=0)].clamp(min=0))
                self.by_words[rows] = torch.where((score < right) & (words >= 0), words, -1)
        self._words_checked = self.by_words is not None
        self.mined = out

    def _same(self, rows: Tensor, found: Tensor) -> Tensor:
        right = self.q_passage[rows]
        return (self.p_page[found] == self.p_page[right][:, None]) | (found == self.q_origin[rows][:, None])

    _words_checked = False

    @torch.no_grad()
    def mine_by_words(self, kept: int = 10, depth: int = 40) -> None:
        """BM25 over word pieces, on the device: a sparse matrix of passages times the pieces of the queries."""
        index = WordIndex(self, self._p_train)
        self.by_words = torch.full((len(self.q_start), kept), -1, dtype=torch.long, device=self.device)
        for rows in torch.nonzero(~self.q_valid).flatten().split(512):
            _, found = index.search(self.queries(rows), depth)
            self.by_words[rows] = _first(found, ~self._same(rows, found), kept)

    # Vectors -------------------------------------------------------------------------------------------------------

    def _encode(self, model: Bert, ids: Tensor) -> Tensor:
        with torch.autocast("cuda", torch.bfloat16, enabled=self.device == "cuda"):
            return encode(model, ids).float()

    @torch.no_grad()
    def embed_passages(self, model: Bert, numbers: Tensor, most: int = 320) -> Tensor:
        model.eval()
        return torch.cat([self._encode(model, self.passages(part, most)) for part in numbers.split(4096)])

    @torch.no_grad()
    def embed_queries(self, model: Bert, numbers: Tensor) -> Tensor:
        model.eval()
        return torch.cat([self._encode(model, self.queries(part)) for part in numbers.split(8192)])


class WordIndex:
    """BM25 over the word pieces of some passages."""

    def __init__(
        self, pairs: Pairs, numbers: Tensor, vocabulary: int = 30522, k1: float = 1.2, b: float = 0.75
    ) -> None:
        self.numbers, self.vocabulary = numbers, vocabulary
        rows, values = [], []
        for first in range(0, len(numbers), 4096):
            ids = pairs.passages(numbers[first : first + 4096], 320)
            row = torch.arange(first, first + len(ids), device=ids.device)[:, None].expand_as(ids)
            kept = ids > SEP
            key, count = torch.unique(row[kept] * vocabulary + ids[kept], return_counts=True)
            rows.append(key)
            values.append(count)
        keys, counts = torch.cat(rows), torch.cat(values).float()
        row, column = keys // vocabulary, keys % vocabulary
        length = torch.zeros(len(numbers), device=keys.device).index_add_(0, row, counts)
        seen = torch.zeros(vocabulary, device=keys.device).index_add_(0, column, torch.ones_like(counts))
        weight = torch.log(1 + (len(numbers) - seen + 0.5) / (seen + 0.5))
        norm = k1 * (1 - b + b * length / length.mean())
        value = weight[column] * counts * (k1 + 1) / (counts + norm[row])
        starts = torch.searchsorted(row.contiguous(), torch.arange(len(numbers) + 1, device=keys.device))
        warnings.filterwarnings("ignore", message="Sparse")
        self._matrix = torch.sparse_csr_tensor(starts, column, value, (len(numbers), vocabulary))

    def search(self, queries: Tensor, depth: int) -> tuple[Tensor, Tensor]:
        asked = torch.zeros(self.vocabulary, len(queries), device=queries.device)
        column = torch.arange(len(queries), device=queries.device)[:, None].expand_as(queries)
        kept = queries > SEP
        asked[queries[kept], column[kept]] = 1.0
        score, at = (self._matrix @ asked).T.topk(min(depth, len(self.numbers)), dim=1)
        return score, self.numbers[at]


def stack(one: Tensor, other: Tensor) -> Tensor:
    """Two padded batches as one."""
    wide = max(one.shape[1], other.shape[1])
    pad = torch.nn.functional.pad
    return torch.cat([pad(part, (0, wide - part.shape[1]), value=PAD) for part in (one, other)])


def _first(values: Tensor, good: Tensor, count: int) -> Tensor:
    """The first so many good values of each row, -1 where there are fewer."""
    order = torch.argsort((~good).long(), dim=1, stable=True)[:, :count]
    out = torch.where(good, values, -1).gather(1, order)
    return torch.nn.functional.pad(out, (0, count - out.shape[1]), value=-1)


def _signed(array: np.ndarray) -> np.ndarray:
    return array.astype(np.int32) if array.dtype == np.uint16 else array
