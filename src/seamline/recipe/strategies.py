"""What each strategy can be told beyond sizes: one small value per strategy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from seamline.errors import ConfigError
from seamline.recipe.check import expect_bool, expect_choice, expect_int, expect_number

Method = Literal["dip", "objective", "ensemble", "texttiling", "bayes"]
Threshold = Literal["std", "percentile", "gradient"]
Granularity = Literal["function", "class", "module"]
Rows = Literal["markdown", "sentence", "json", "key-value"]
Extractor = Literal["rules", "llm"]
Below = Literal["structural", "semantic"]


@dataclass(frozen=True, slots=True)
class Semantic:
    """Where the subject changes."""

    method: Method = "objective"
    """objective: the best segments by coherence and difference; dip: similarity of the sentences around a gap;
    ensemble: objective and bayes in one search; texttiling: words shared across a gap; bayes: the likeliest change of
    words. The last two need no model."""
    window: int = 3
    """How many sentences on each side of a gap are compared; twice as many where words are."""
    threshold: Threshold = "std"
    """A cut is forced at a minimum below: mean - alpha * std; the percentile; or where the slope is steepest. For dip
    and texttiling."""
    alpha: float = 0.75
    sliding: int = 0
    """How many gaps around one its mean and std are taken from; 0 is the whole document."""
    percentile: float = 15.0
    """Share of the gaps that is low enough to cut at, with `threshold = "percentile"` or `"gradient"`."""
    price: float = 1.5
    """What a cut costs the objective and the ensemble, for the spread of the document: less cuts more."""
    distinct: float = 0.0
    """How much the difference of neighbours counts beside the coherence of each, for the objective. Coherence has it
    in it already: more than 0 found no more changes."""
    blocks: float = 0.4
    """How much dearer a cut inside a paragraph is than one between blocks, as a share."""
    weight: float = 0.7
    """How much the signal counts in a gap's score; the rest is its structure."""

    def __post_init__(self) -> None:
        expect_choice(self.method, get_args(Method), "$.semantic.method")
        expect_choice(self.threshold, get_args(Threshold), "$.semantic.threshold")
        expect_int(self.window, "$.semantic.window", low=1, high=100)
        expect_int(self.sliding, "$.semantic.sliding", low=0)
        _floats(self, "semantic", alpha=(-10, 10), percentile=(0, 100), weight=(0, 1), distinct=(0, 10))
        _floats(self, "semantic", price=(0, 100), blocks=(0, 1))


@dataclass(frozen=True, slots=True)
class Rechunk:
    """Neighbouring blocks that say the same merge; nothing else does."""

    similarity: float = 0.74
    """Cosine from which two neighbours merge."""
    fallback: int = 800
    """Tokens from which a block is split between sentences that are less alike than that."""

    def __post_init__(self) -> None:
        expect_int(self.fallback, "$.rechunk.fallback", low=1)
        _floats(self, "rechunk", similarity=(-1, 1))


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """Chunks of chunks."""

    limits: tuple[int, ...] = (2048,)
    """Of the levels above the chunks, from the lowest up, in tokens; each larger than the one below."""
    below: Below = "structural"
    """How the chunks themselves are cut."""

    def __post_init__(self) -> None:
        if not isinstance(self.limits, tuple) or not self.limits:
            raise ConfigError(f"expected at least one limit, got {self.limits!r}", "$.hierarchy.limits")
        for limit in self.limits:
            expect_int(limit, "$.hierarchy.limits", low=1)
        if sorted(set(self.limits)) != list(self.limits):
            raise ConfigError(f"expected growing limits, got {list(self.limits)}", "$.hierarchy.limits")
        expect_choice(self.below, get_args(Below), "$.hierarchy.below")


@dataclass(frozen=True, slots=True)
class Code:
    """Source code by its scopes."""

    granularity: Granularity = "function"
    """What gets a chunk of its own where it fits: every function, every class, or as much of a file as fits."""
    imports: bool = True
    """Whether a chunk repeats the imports it uses."""
    docstring: bool = True
    """Whether the parts of a function that is too large repeat its docstring's first line."""
    depth: int = 0
    """How many steps of calls the texts about dependencies follow; 0 makes none."""

    def __post_init__(self) -> None:
        expect_choice(self.granularity, get_args(Granularity), "$.code.granularity")
        expect_bool(self.imports, "$.code.imports")
        expect_bool(self.docstring, "$.code.docstring")
        expect_int(self.depth, "$.code.depth", low=0, high=10)


@dataclass(frozen=True, slots=True)
class Tabular:
    """Tables by their rows."""

    rows: Rows = "markdown"
    """How rows are written for search: as they stand, as sentences, as JSON, as keys and values."""
    template: str = ""
    """A sentence for a row, with {column} for its cells; made from the columns where it is empty."""
    key: str = ""
    """The column by whose values rows are grouped; empty for none."""
    group: int = 0
    """At most so many rows in a chunk; 0 for as many as fit."""

    def __post_init__(self) -> None:
        expect_choice(self.rows, get_args(Rows), "$.tabular.rows")
        for name in ("template", "key"):
            if not isinstance(getattr(self, name), str):
                raise ConfigError(f"expected a string, got {getattr(self, name)!r}", f"$.tabular.{name}")
        expect_int(self.group, "$.tabular.group", low=0)


@dataclass(frozen=True, slots=True)
class Multimodal:
    """Speech by its pauses, pictures with what is said of them."""

    pause: float = 2.0
    """Seconds of silence after which a new segment is best begun."""
    topics: bool = True
    """Whether changes of subject count between turns as well, by their words."""

    def __post_init__(self) -> None:
        expect_bool(self.topics, "$.multimodal.topics")
        _floats(self, "multimodal", pause=(0, 3600))


@dataclass(frozen=True, slots=True)
class Propositions:
    """Claims that stand alone, each with the sentence it is from."""

    extractor: Extractor = "rules"
    dedup: float = 0.95
    """Cosine from which two claims count as one; above 1 keeps all."""
    topics: bool = False
    """Whether claims are grouped by what they are about."""
    confidence: float = 0.5
    """Claims of less are not kept: those with a pronoun that nobody can say what it stands for."""

    def __post_init__(self) -> None:
        expect_choice(self.extractor, get_args(Extractor), "$.propositions.extractor")
        expect_bool(self.topics, "$.propositions.topics")
        _floats(self, "propositions", dedup=(0, 2), confidence=(0, 1))


Settings = Semantic | Rechunk | Hierarchy | Code | Tabular | Multimodal | Propositions


def _floats(settings: Settings, table: str, **ranges: tuple[float, float]) -> None:
    """Numbers within their ranges; 1 and 1.0 are equal, so their fingerprints must be."""
    for name, (low, high) in ranges.items():
        value = expect_number(getattr(settings, name), f"$.{table}.{name}", low=low, high=high)
        object.__setattr__(settings, name, float(value))
