"""Everything about a search that can be chosen, as one value."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal, get_args

from seamline.errors import ConfigError
from seamline.search.candidates import Show
from seamline.search.expand import SHARE, WHOLE, WIDEST, Gate, Mode
from seamline.search.fuse import RRF_K, Fusion
from seamline.search.rerank import Weights

LegChoice = Literal["hybrid", "dense", "bm25"]

MOST_HITS = 1000
"""More than a page of hits is an export, not a search."""


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How a search is done. The defaults are what measured best: see `docs/explain/how-search-works.md`."""

    k: int = 10
    """Hits that are wanted."""
    legs: LegChoice = "hybrid"
    mode: Mode = "leaf"
    """leaf: chunks; parents: sections in place of chunks where enough of one was hit; summary-first: chunks of the
    sections whose summaries match best; multi-level: chunks and sections together."""
    fusion: Fusion = "blend"
    """How scores of the legs are made comparable; rrf looks at ranks alone, and has no use for `alpha`."""
    alpha: float = 0.5
    """Weight of the dense leg; the rest is BM25's."""
    lean: float = 0.7
    """The part of that weight which passes to BM25 as far as its best stands out."""
    rrf_k: int = RRF_K
    over: int = 3
    """How many times `k` each leg finds."""
    least: int = 30
    """What each leg finds at the least: with fewer candidates the legs rarely meet."""
    dual: bool = False
    """Whether the index has vectors of summaries, to be searched as well."""
    about: bool = True
    """Whether texts about chunks are searched as well. An index without any has none to search."""
    show: Show = "derived"
    """What is shown where a text about chunks is the best match: a summary, a claim or rows as sentences itself, with
    citations of what it was made from (derived), or the chunk (source)."""
    fields: tuple[str, ...] = ()
    """Fields that hits are shown with, by the names of filters: `freshness`, `page`, `meta.team`."""
    sort: str = ""
    """A field that the hits are sorted by; `FIELD:desc` for the highest first. They are the same hits."""
    min_score: float | None = None
    """Hits that are less likely than this to answer are left out. Where none is given, all are left out if not even the
    best is likely to answer; with 0, nothing is."""
    weights: Weights = field(default_factory=Weights)
    decay: float = 0.01
    """How fast freshness falls per day of age."""
    collapse: bool = True
    """Whether near-duplicates are listed under the best of them."""
    links: int = 0
    """How many chunks that a hit leads to are shown with it: figures, tables and sections that it names, what discusses
    a table, the slide to a part of a talk. Only an index with the fact `links` keeps those within a document."""
    gate: Gate | None = field(default_factory=Gate)
    """When shadows are looked at; None for never. Only an index with shadows has any."""
    share: float = SHARE
    """The part of a section that must be hit for the whole of it to be shown."""
    widest: int = WIDEST
    """Code points of the longest section that is shown whole."""
    whole: int = WHOLE
    """Tokens up to which a chunk is shown with what stands around it under the same headings; 0 for the chunk alone."""

    def __post_init__(self) -> None:
        _choice("legs", self.legs, get_args(LegChoice))
        _choice("mode", self.mode, get_args(Mode))
        _choice("show", self.show, get_args(Show))
        _choice("fusion", self.fusion, get_args(Fusion))
        _whole("k", self.k, 1, MOST_HITS)
        _whole("rrf_k", self.rrf_k, 0, 10**6)
        _whole("over", self.over, 1, 100)
        _whole("least", self.least, 1, MOST_HITS)
        _whole("widest", self.widest, 1, 10**9)
        _whole("whole", self.whole, 0, 10**6)
        _whole("links", self.links, 0, MOST_HITS)
        _number("alpha", self.alpha, 0, 1)
        _number("lean", self.lean, 0, 1)
        _number("decay", self.decay, 0, 1000)
        _number("share", self.share, 0, 1)
        if self.fields or self.sort:
            from seamline.search.fields import check_fields

            check_fields(self.fields, self.sort)
        if self.min_score is not None:
            _number("min_score", self.min_score, 0, 1)

    @property
    def depth(self) -> int:
        """How many each leg finds."""
        return max(self.k * self.over, self.least)


def _choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ConfigError(f"expected {', '.join(choices)}, got {value!r}", f"$.search.{name}")


def _whole(name: str, value: object, low: int, high: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise ConfigError(f"expected a whole number from {low} to {high}, got {value!r}", f"$.search.{name}")


def _number(name: str, value: object, low: float, high: float) -> None:
    fine = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not fine or not low <= value <= high:  # type: ignore[operator]  # checked in the line above
        raise ConfigError(f"expected a number from {low} to {high}, got {value!r}", f"$.search.{name}")
