"""The whole configuration as one value."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal

from seamline.errors import ConfigError
from seamline.types import Budget

SCORES: Mapping[str, int] = MappingProxyType(
    {
        "h1": 100,
        "h2": 90,
        "h3": 80,
        "h4": 70,
        "h5": 60,
        "h6": 50,
        "code": 80,  # either edge of a fence
        "rule": 60,
        "paragraph": 20,
        "sentence": 10,
        "item": 5,
        "lead-in": 2,  # after a paragraph that ends in a colon: what it introduces should stay with it
        "row": 5,
        "line": 1,
        "word": 0,
    }
)
"""How good a cut at each kind of gap is, in hundredths."""

Packer = Literal["optimal", "fill", "decay"]
Sections = Literal["heading", "paragraph", "hybrid"]
OverlapKind = Literal["none", "blocks", "boundary", "sentences", "tokens", "context", "shadows"]
FrontMatter = Literal["metadata", "include", "strip"]
Bias = Literal["prose-heavy", "balanced", "code-heavy"]


@dataclass(frozen=True, slots=True)
class Overlap:
    """What a chunk repeats of the one before."""

    kind: OverlapKind = "none"
    tokens: int = 0
    """At most this many; 0 takes the kind's own default."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How documents are parsed, cut and counted."""

    strategy: Literal["structural"] = "structural"
    tokenizer: str = "o200k_base"
    """o200k_base, cl100k_base, estimate, or the path of a tokenizer.json."""
    bias: Bias = "balanced"
    """Of the estimate tokenizer."""
    budget: Budget = field(default_factory=Budget)
    packer: Packer = "optimal"
    window: int = 200
    """How far back from the target the decay packer looks, in tokens."""
    decay: float = 0.7
    """How much of its score a gap at the far end of the window loses."""
    balance: float = 1.0
    """Weight of the distance from the target against the cost of cuts, for the optimal packer."""
    sections: Sections = "heading"
    """heading: no chunk crosses a section; paragraph: headings are only good gaps; hybrid: heading, then small
    chunks merge."""
    depth: int = 0
    """Cut at sections of this heading level first, finer only where one is too large; 0 cuts at every level."""
    breadcrumb: bool = True
    """Whether the headings above a chunk are part of its text."""
    breadcrumb_depth: int = 6
    """How many heading levels paths keep."""
    overlap: Overlap = field(default_factory=Overlap)
    front_matter: FrontMatter = "metadata"
    whole: Mapping[str, int] = field(default_factory=dict)
    """Per block kind, up to how many tokens it is kept whole; the limit where a kind is not named."""
    split: Mapping[str, bool] = field(default_factory=dict)
    """Per block kind, whether its own splitting rule is used when it is too large; true where not named."""
    scores: Mapping[str, int] = field(default_factory=lambda: SCORES)

    def __post_init__(self) -> None:
        for name, value in self.scores.items():
            if name not in SCORES:
                raise ConfigError(f"expected one of {', '.join(SCORES)}, got {name!r}", "$.scores")
            if not 0 <= value <= 100:
                raise ConfigError(f"expected 0..100, got {value}", f"$.scores.{name}")
        if self.overlap.tokens >= self.budget.limit:
            raise ConfigError(
                f"expected overlap < limit ({self.budget.limit}), got {self.overlap.tokens}",
                "$.overlap.tokens",
            )

    @property
    def fingerprint(self) -> str:
        """A short hash of everything that affects the output."""
        plain = json.dumps(_plain(asdict(self)), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(plain.encode()).hexdigest()[:16]

    def with_(self, **changes: Any) -> Recipe:
        return replace(self, **changes)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(v) for key, v in value.items()}
    return value
