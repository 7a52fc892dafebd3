"""BERT's encoder in plain torch, sized as MiniLM is, and its weights as compact arrays.

Texts come as rows of a token store on the device. `encode` sorts them by length and runs them in groups that are each
padded to their longest text, so that little work is spent on padding.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

WIDTH, HEADS, HEAD, INNER, PAD, CLS, SEP, MASK = 384, 12, 32, 1536, 0, 101, 102, 103
GROUP_TOKENS = 65_536
"""Padded tokens of one group."""
KEPT_TOKENS = 3_600_000
"""Tokens times layers whose activations are kept, about 20 kB each; above that they are computed twice."""

MEMORY = [1.0]
"""Share of KEPT_TOKENS that this device has room for; lowered when it had not."""


class Layer(nn.Module):
    def __init__(self, dropout: float, heads: int = HEADS, inner: int = INNER) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value = (nn.Linear(WIDTH, heads * HEAD) for _ in range(3))
        self.out = nn.Linear(heads * HEAD, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, inner), nn.Linear(inner, WIDTH)
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH, eps=1e-12), nn.LayerNorm(WIDTH, eps=1e-12)
        self.dropout = dropout

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        rows, length, _ = x.shape
        split = (rows, length, self.heads, HEAD)
        q, k, v = (part(x).view(split).transpose(1, 2) for part in (self.query, self.key, self.value))
        seen = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        x = self.norm1(x + self._drop(self.out(seen.transpose(1, 2).reshape(rows, length, -1))))
        return self.norm2(x + self._drop(self.down(F.gelu(self.up(x)))))

    def _drop(self, x: Tensor) -> Tensor:
        return F.dropout(x, self.dropout, self.training)


class Bert(nn.Module):
    """The encoder, of layers with so many heads and inner units each; `head` turns it into a cross-encoder with one
    score per text."""

    def __init__(
        self, layers: Sequence[tuple[int, int]], *, head: bool = False, dropout: float = 0.1, vocabulary: int = 30522
    ) -> None:
        super().__init__()
        self.words = nn.Embedding(vocabulary, WIDTH)
        self.places = nn.Embedding(512, WIDTH)
        self.types = nn.Embedding(2, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.layers = nn.ModuleList(Layer(dropout, *sizes) for sizes in layers)
        self.head = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.GELU(), nn.Linear(WIDTH, 1)) if head else None
        self.dropout = dropout

    def forward(self, ids: Tensor, types: Tensor | None = None) -> Tensor:
        """A vector for each text, or a score."""
        x = self.states(ids, types)
        return self.pool(x, ids) if self.head is None else self.head(x[:, 0]).squeeze(-1).float()

    @staticmethod
    def pool(states: Tensor, ids: Tensor) -> Tensor:
        """The mean over the pieces of each text, of length 1."""
        mask = ids != PAD
        return F.normalize((states * mask[..., None]).sum(1) / mask.sum(1, keepdim=True), dim=-1)

    def states(self, ids: Tensor, types: Tensor | None = None) -> Tensor:
        """A vector for each piece."""
        mask = ids != PAD
        bias = torch.zeros(ids.shape, dtype=torch.bfloat16 if ids.is_cuda else torch.float32, device=ids.device)
        bias = bias.masked_fill(~mask, -1e4)[:, None, None, :].expand(-1, 1, ids.shape[1], -1)
        kinds = torch.zeros_like(ids) if types is None else types
        x = self.words(ids) + self.places.weight[: ids.shape[1]] + self.types(kinds)
        x = F.dropout(self.norm(x), self.dropout, self.training)
        for layer in self.layers:
            x = layer(x, bias.to(x.dtype) if not torch.is_autocast_enabled() else bias)
        return x.float()


def groups_by_length(lengths: Tensor, most: int = GROUP_TOKENS) -> list[Tensor]:
    """Row numbers, sorted by length and grouped so that each padded group has about as many tokens."""
    order = torch.argsort(lengths, descending=True)
    sizes = lengths[order].tolist()
    out, at = [], 0
    while at < len(sizes):
        count = max(1, most // max(16, math.ceil(sizes[at] / 16) * 16))
        out.append(order[at : at + count])
        at += count
    return out


def encode(model: Bert, ids: Tensor, types: Tensor | None = None, *, group: int = GROUP_TOKENS) -> Tensor:
    """One row per text of a padded batch, in its order."""
    lengths = (ids != PAD).sum(1)
    tokens = int(lengths.sum()) * len(model.layers)
    again = torch.is_grad_enabled() and tokens > KEPT_TOKENS * MEMORY[0]
    parts, places = [], groups_by_length(lengths, group)
    for rows in places:
        longest = min(ids.shape[1], math.ceil(int(lengths[rows[0]]) / 16) * 16)
        given = (ids[rows, :longest], None if types is None else types[rows, :longest])
        parts.append(checkpoint(model, *given, use_reentrant=False) if again else model(*given))
    back = torch.argsort(torch.cat(places))
    return torch.cat(parts)[back]


def encode_beside(student: Bert, teacher: Bert, ids: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The vectors of both, and how far the student's vectors of the pieces are from the teacher's, as a share of the
    squared length of these."""
    lengths = (ids != PAD).sum(1)
    again = int(lengths.sum()) * len(student.layers) > KEPT_TOKENS * MEMORY[0]
    own, wanted, places = [], [], groups_by_length(lengths)
    away = torch.zeros((), device=ids.device)
    for rows in places:
        part = ids[rows, : min(ids.shape[1], math.ceil(int(lengths[rows[0]]) / 16) * 16)]
        with torch.no_grad():
            aim = teacher.states(part)
        states = checkpoint(student.states, part, use_reentrant=False) if again else student.states(part)
        mask = part != PAD
        apart = ((states - aim) ** 2).sum(-1) / (aim**2).sum(-1).clamp(min=1e-6)
        away = away + (apart * mask).sum()
        own.append(Bert.pool(states, part))
        wanted.append(Bert.pool(aim, part))
    back = torch.argsort(torch.cat(places))
    return torch.cat(own)[back], torch.cat(wanted)[back], away / lengths.sum()


# Weights as arrays -----------------------------------------------------------------------------------------------

_NAMES = {
    "query": "attention.self.query", "key": "attention.self.key", "value": "attention.self.value",
    "out": "attention.output.dense", "norm1": "attention.output.LayerNorm",
    "up": "intermediate.dense", "down": "output.dense", "norm2": "output.LayerNorm",
}  # fmt: skip


def from_safetensors(tensors: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The names of the public checkpoint, as the names used here."""
    out = {
        "words.weight": tensors["embeddings.word_embeddings.weight"],
        "places.weight": tensors["embeddings.position_embeddings.weight"],
        "types.weight": tensors["embeddings.token_type_embeddings.weight"],
        "norm.weight": tensors["embeddings.LayerNorm.weight"],
        "norm.bias": tensors["embeddings.LayerNorm.bias"],
    }
    for layer in range(6):
        for own, theirs in _NAMES.items():
            for part in ("weight", "bias"):
                out[f"layers.{layer}.{own}.{part}"] = tensors[f"encoder.layer.{layer}.{theirs}.{part}"]
    return out


def pack(weights: Mapping[str, np.ndarray], *, small: bool = False) -> dict[str, np.ndarray]:
    """Word embeddings, or with `small` all matrices, as int8 with a scale per row, all else as fp16."""
    out = {}
    for name, value in weights.items():
        if name == "words.weight" or (small and name.startswith("layers.") and value.ndim == 2):
            matrix = name.removesuffix(".weight")
            scale = np.abs(value).max(1) / 127 + 1e-12
            out[f"{matrix}.int8"] = np.round(value / scale[:, None]).astype(np.int8)
            out[f"{matrix}.scale"] = scale.astype(np.float32)
        else:
            out[name] = value.astype(np.float16)
    return out


def unpack(arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The other way round: each matrix that comes as int8 with a scale per row, and all else, as floats."""
    out = {}
    for name, value in arrays.items():
        if name.endswith(".int8"):
            matrix = name.removesuffix(".int8")
            out[f"{matrix}.weight"] = value.astype(np.float32) * arrays[f"{matrix}.scale"][:, None]
        elif not name.endswith(".scale"):
            out[name] = np.asarray(value, np.float32)
    return out


def pick_layers(weights: Mapping[str, np.ndarray], chosen: Sequence[int]) -> dict[str, np.ndarray]:
    """The weights of a shallower model: these layers, in this order."""
    out = {name: value for name, value in weights.items() if not name.startswith("layers.")}
    for new, old in enumerate(chosen):
        prefix = f"layers.{old}."
        out |= {f"layers.{new}.{name[len(prefix) :]}": v for name, v in weights.items() if name.startswith(prefix)}
    return out


def sizes_of(weights: Mapping[str, np.ndarray]) -> list[tuple[int, int]]:
    """The heads and inner units of each layer."""
    layers = 1 + max(int(name.split(".")[1]) for name in weights if name.startswith("layers."))
    return [
        (weights[f"layers.{n}.query.bias"].shape[0] // HEAD, weights[f"layers.{n}.up.bias"].shape[0])
        for n in range(layers)
    ]


def build(weights: Mapping[str, np.ndarray], device: str, *, head: bool = False, dropout: float = 0.1) -> Bert:
    model = Bert(sizes_of(weights), head=head, dropout=dropout, vocabulary=len(weights["words.weight"]))
    state = {name: torch.from_numpy(np.array(value, np.float32)) for name, value in weights.items()}
    missing = model.load_state_dict(state, strict=False)
    if missing.unexpected_keys or any(not name.startswith("head.") for name in missing.missing_keys):
        raise ValueError(f"weights do not fit: {missing}")
    return model.to(device)


def weights_of(model: nn.Module) -> dict[str, np.ndarray]:
    return {name: value.detach().float().cpu().numpy() for name, value in model.state_dict().items()}


def save_parts(
    weights: Mapping[str, np.ndarray], folder: Path, name: str, *, words: bool, most: int = 14_500_000
) -> None:
    """Write packed weights as name.0.npz, name.1.npz, ... of at most so many bytes each."""
    packed = pack({key: value for key, value in weights.items() if words or key != "words.weight"})
    parts: list[dict[str, np.ndarray]] = [{}]
    size = 0
    for key, value in packed.items():
        if size + value.nbytes > most and parts[-1]:
            parts.append({})
            size = 0
        parts[-1][key] = value
        size += value.nbytes
    folder.mkdir(parents=True, exist_ok=True)
    for number, part in enumerate(parts):
        temporary = folder / f".{name}.{number}.npz"
        np.savez(temporary, **part)
        temporary.rename(folder / f"{name}.{number}.npz")


def load_parts(folder: Path, name: str) -> dict[str, np.ndarray]:
    out: dict[str, np.ndarray] = {}
    for file in sorted(folder.glob(f"{name}.*.npz")):
        with np.load(file) as arrays:
            out |= {key: arrays[key] for key in arrays.files}
    return unpack(out)
