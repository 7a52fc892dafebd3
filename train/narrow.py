"""A smaller model cut out of a larger one: some of its layers, and of these the heads and inner units that matter most.

How much a head or a unit matters is the mean length of what it adds to the vector of a piece, over some passages. What
the others add on average goes into the biases.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from bert import HEAD, PAD, Bert
from torch import Tensor


@dataclass(frozen=True)
class Shape:
    """Which layers are kept, and how much of each."""

    layers: tuple[int, ...]
    heads: int
    inner: int

    def __str__(self) -> str:
        return f"{len(self.layers)}x{self.heads}x{self.inner}"


@torch.no_grad()
def narrow(model: Bert, ids: Tensor, shape: Shape) -> dict[str, np.ndarray]:
    """The weights of the smaller model."""
    state = {name: value.float() for name, value in model.state_dict().items()}
    out = {name: value for name, value in state.items() if not name.startswith("layers.")}
    seen = inputs(model, ids)
    for new, old in enumerate(shape.layers):
        layer = {
            name[len(f"layers.{old}.") :]: value for name, value in state.items() if name.startswith(f"layers.{old}.")
        }
        context, inner = seen[old]
        _cut(layer, "out", ("query", "key", "value"), context, shape.heads, HEAD)
        _cut(layer, "down", ("up",), inner, shape.inner, 1)
        out |= {f"layers.{new}.{name}": value for name, value in layer.items()}
    return {name: value.cpu().numpy() for name, value in out.items()}


def _cut(layer: dict[str, Tensor], into: str, before: Sequence[str], given: Tensor, kept: int, size: int) -> None:
    """Keep so many groups of `size` columns of the matrix `into`, and the rows of those before it that make them."""
    matrix = layer[f"{into}.weight"]
    groups = matrix.shape[1] // size
    parts = given.view(-1, groups, size)
    weights = matrix.view(len(matrix), groups, size)
    worth = torch.stack(
        [(parts[:, n] @ weights[:, n].T).norm(dim=1).mean() for n in range(groups)]
        if size > 1
        else [*(given.abs().mean(0) * matrix.norm(dim=0))]
    )
    chosen = torch.sort(worth.topk(min(kept, groups))[1])[0]
    columns = (chosen[:, None] * size + torch.arange(size, device=chosen.device)).flatten()
    gone = torch.ones(matrix.shape[1], dtype=torch.bool, device=matrix.device)
    gone[columns] = False
    layer[f"{into}.bias"] = layer[f"{into}.bias"] + matrix[:, gone] @ given.mean(0)[gone]
    layer[f"{into}.weight"] = matrix[:, columns]
    for name in before:
        for part in (f"{name}.weight", f"{name}.bias"):
            layer[part] = layer[part][columns]


@torch.no_grad()
def inputs(model: Bert, ids: Tensor) -> list[tuple[Tensor, Tensor]]:
    """What comes into the last matrix of the attention, and of the feed-forward part, of each layer."""
    model.eval()
    found: list[tuple[Tensor, Tensor]] = []
    hooks = []
    kept = ids != PAD
    store: dict[str, Tensor] = {}
    for layer in model.layers:
        for name in ("out", "down"):
            hooks.append(
                getattr(layer, name).register_forward_pre_hook(
                    lambda _, given, name=name: store.__setitem__(name, given[0][kept].float())
                )
            )
        hooks.append(layer.register_forward_hook(lambda *_: found.append((store["out"], store["down"]))))
    model.states(ids)
    for hook in hooks:
        hook.remove()
    return found
