"""Every way to cut that is compared: a name, the settings that are tried, and which of them is the default."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import seamline
from benchmarks.segmentation import peers
from benchmarks.segmentation.data import Mixed
from seamline.pipeline import chunk_document
from seamline.protocols import Embedder
from seamline.recipe.recipe import Recipe
from seamline.recipe.strategies import Semantic
from seamline.recipe.toml import adjust
from seamline.runtime import Runtime
from seamline.tokens import load

if TYPE_CHECKING:
    from seamline.records import Vector

CutOne = Callable[[Mixed], Sequence[int]]
"""From a document to the offsets at which its chunks start."""

PRICES = (1.1, 1.3, 1.5, 1.7, 1.9, 2.1)
ALPHAS = (0.25, 0.5, 0.75, 1.0, 1.25)
SHARES = (5.0, 10.0, 15.0, 20.0, 25.0)
THRESHOLDS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
PERCENTILES = (60.0, 70.0, 75.0, 80.0, 85.0, 90.0, 95.0)
CHONKIE_WINDOWS = (3, 5)
LLAMA_WINDOWS = (1, 3)


class Way(NamedTuple):
    """One method with one setting."""

    setting: str
    cut: CutOne


class Method(NamedTuple):
    name: str
    default: Way
    tried: Sequence[Way] = ()
    """What is tried on the one half, to be used on the other."""
    peer: bool = False


class Memo:
    """An embedder that embeds each text once."""

    def __init__(self, embedder: Embedder) -> None:
        self.name = embedder.name
        self.dimensions = embedder.dimensions
        self.fingerprint = embedder.fingerprint
        self._embedder = embedder
        self._known: dict[str, Vector] = {}

    def embed(self, texts: Sequence[str]) -> Vector:
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        self._known.update(zip(new, self._embedder.embed(new), strict=True))
        return np.stack([self._known[text] for text in texts])


def methods(embedder: Embedder, windows: bool) -> list[Method]:
    """All methods that need an embedder; with `windows`, those of peers are tuned too."""
    percentile, gradient = Semantic(method="dip", threshold="percentile"), Semantic(method="dip", threshold="gradient")
    return [
        _ours("seamline objective", embedder, Semantic(method="objective"), "price", PRICES),
        Method("seamline ensemble", semantic_way(Semantic(method="ensemble"), embedder)),
        _ours("seamline dip", embedder, Semantic(method="dip"), "alpha", ALPHAS),
        _ours("seamline dip, percentile", embedder, percentile, "percentile", SHARES),
        _ours("seamline dip, gradient", embedder, gradient, "percentile", SHARES),
        *_peers(embedder, windows),
    ]


def free() -> list[Method]:
    """The methods that need none, and two baselines."""
    return [
        _ours("seamline texttiling", None, Semantic(method="texttiling"), "alpha", ALPHAS),
        Method("seamline bayes", _way(Recipe(strategy="semantic", semantic=Semantic(method="bayes")), None)),
        Method("seamline structural", _way(Recipe(), None)),
        Method("every 7 sentences", Way("", lambda document: document.sentences[::7])),
    ]


def _ours(name: str, embedder: Embedder | None, semantic: Semantic, setting: str, values: Sequence[float]) -> Method:
    recipe = Recipe(strategy="semantic", semantic=semantic)
    changed = [adjust(recipe, [f"semantic.{setting}={value}"]) for value in values]
    tried = [_way(one, embedder, f"{setting} {value:g}") for one, value in zip(changed, values, strict=True)]
    return Method(name, _way(recipe, embedder), tried)


def semantic_way(semantic: Semantic, embedder: Embedder) -> Way:
    """A method of the semantic strategy with the default limit."""
    return _way(Recipe(strategy="semantic", semantic=semantic), embedder)


def _way(recipe: Recipe, embedder: Embedder | None, setting: str = "") -> Way:
    tokenizer = load(recipe.tokenizer)
    parts = Runtime(tokenizer) if embedder is None else Runtime(tokenizer, lambda: embedder)

    def cut(document: Mixed) -> list[int]:
        read = seamline.read(document.text, id=document.name, media_type="text/plain")
        return [chunk.start for chunk in chunk_document(read, recipe, parts)]

    return Way(setting, cut)


def _peers(embedder: Embedder, windows: bool) -> list[Method]:
    out = []
    if installed("chonkie"):
        make = peers.chonkie(embedder, load("o200k_base").count)
        default = peers.CHONKIE, peers.CHONKIE_WINDOW
        out.append(
            _peer("chonkie SemanticChunker", make, default, THRESHOLDS, CHONKIE_WINDOWS if windows else default[1:])
        )
    if installed("llama-index-core"):
        make = peers.llama(embedder)
        default = peers.LLAMA, peers.LLAMA_WINDOW
        out.append(
            _peer("llama-index SemanticSplitter", make, default, PERCENTILES, LLAMA_WINDOWS if windows else default[1:])
        )
    return out


def _peer(
    name: str, make: peers.Make, default: tuple[float, int], thresholds: Sequence[float], windows: Sequence[int]
) -> Method:
    def way(threshold: float, window: int) -> Way:
        cut = make(threshold, window)
        return Way(f"threshold {threshold:g}, window {window}", lambda document: cut(document.text))

    tried = [way(threshold, window) for window in windows for threshold in thresholds]
    return Method(name, way(*default), tried, peer=True)


def installed(package: str) -> bool:
    try:
        version(package)
    except PackageNotFoundError:
        print(f"{package} is not installed")
        return False
    return True
