"""The whole configuration as one value, and the part of it that parsers are told."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from functools import cache
from types import MappingProxyType
from typing import Any, Literal, get_args

from seamline.errors import ConfigError
from seamline.recipe.check import expect_bool, expect_choice, expect_choices, expect_int, expect_number, expect_text
from seamline.recipe.strategies import Code, Hierarchy, Multimodal, Propositions, Rechunk, Semantic, Tabular
from seamline.registry import STRATEGIES, is_known, names
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
        "scope": 8,  # in code, after a blank line, where the indentation ends too
        "blank": 4,  # in code, after a blank line
        "line": 1,
        "word": 0,
    }
)
"""How good a cut at each kind of gap is, in hundredths."""

KINDS = (
    *("heading", "paragraph", "list", "item", "code", "table", "row", "quote", "rule", "html", "math"),
    *("footnote", "directive", "figure", "reference", "front_matter", "esm", "jsx"),
    *("scope", "environment", "turn"),
)
"""The block kinds that `whole` and `split` may name."""

Packer = Literal["optimal", "fill", "decay"]
Sections = Literal["heading", "paragraph", "hybrid"]
OverlapKind = Literal["none", "blocks", "boundary", "sentences", "tokens", "context", "shadows", "auto"]
FrontMatter = Literal["metadata", "include", "strip"]
Boilerplate = Literal["remove", "keep"]
Comments = Literal["remove", "keep"]
Ocr = Literal["auto", "on", "off"]
Outline = Literal["none", "statements", "all"]
Ner = Literal["rules", "spacy"]
Bias = Literal["prose-heavy", "balanced", "code-heavy"]

PLACES: Mapping[str, str] = MappingProxyType(
    {
        "strategy": "cut.strategy",
        "signal": "cut.signal",
        "enrich": "enrich.facts",
        "ner": "enrich.ner",
        "derive": "derive.kinds",
        "llm": "derive.llm",
        "tokenizer": "tokenizer",
        "bias": "estimate.bias",
        "packer": "cut.packer",
        "window": "cut.window",
        "decay": "cut.decay",
        "balance": "cut.balance",
        "sections": "cut.sections",
        "depth": "cut.depth",
        "breadcrumb": "breadcrumb.enabled",
        "breadcrumb_depth": "breadcrumb.depth",
        "breadcrumb_title": "breadcrumb.title",
        "front_matter": "parse.front_matter",
        "boilerplate": "parse.boilerplate",
        "comments": "parse.comments",
        "ocr": "parse.ocr",
        "ocr_language": "parse.ocr_language",
    }
)
"""Where `seamline.toml` keeps each single-valued field; the errors of a recipe name that place."""

SECTIONS: Mapping[str, type] = MappingProxyType(
    {
        "semantic": Semantic,
        "rechunk": Rechunk,
        "hierarchy": Hierarchy,
        "code": Code,
        "tabular": Tabular,
        "multimodal": Multimodal,
        "propositions": Propositions,
    }
)
"""The fields that are the settings of one strategy, each a table of the file."""

FACTS = (
    *("entities", "summary", "language", "coherence", "self-contained", "density", "boundary", "freshness"),
    *("authority", "modality", "links", "images", "code", "position", "recipe"),
)
"""What `enrich` may name."""

DERIVED = (
    *("summary", "proposition", "question", "prefix", "rows", "pivot", "table-summary", "file-summary", "scope"),
    "image-description",
)
"""What `derive` may name."""

_LATER = ("signal", *SECTIONS, "strategies", "enrich", "ner", "derive", "llm", "comments", "breadcrumb_title")
"""Fields younger than the first indexes: a fingerprint names them only where they say something."""

_LANGUAGE = re.compile(r"[A-Za-z0-9_+~/-]+")
"""What OCR calls a language becomes part of a file's name there: without dots it leads to no other folder."""

_CHOICES: Mapping[str, tuple[str, ...]] = {
    "bias": get_args(Bias),
    "packer": get_args(Packer),
    "sections": get_args(Sections),
    "front_matter": get_args(FrontMatter),
    "boilerplate": get_args(Boilerplate),
    "comments": get_args(Comments),
    "ocr": get_args(Ocr),
    "ner": get_args(Ner),
}


@dataclass(frozen=True, slots=True)
class Overlap:
    """What a chunk repeats of the one before."""

    kind: OverlapKind = "none"
    tokens: int = 0
    """At most this many; 0 takes the kind's own default."""

    def __post_init__(self) -> None:
        expect_choice(self.kind, get_args(OverlapKind), "$.overlap.kind")
        expect_int(self.tokens, "$.overlap.tokens", low=0)


@dataclass(frozen=True, slots=True)
class Recipe:
    """How documents are parsed, cut and counted."""

    strategy: str = "structural"
    """Of seamline or of a plugin; `seamline doctor` lists those of plugins."""
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
    """heading: no chunk crosses a section; paragraph: headings are only good gaps; hybrid: heading, then
    chunks below the floor merge, or below a quarter of the target where the floor is 0."""
    depth: int = 0
    """Cut at sections of this heading level first, finer where one is too large; 0 cuts at every level."""
    breadcrumb: bool = True
    """Whether the headings above a chunk are part of its text."""
    breadcrumb_depth: int = 6
    """How many heading levels paths keep."""
    breadcrumb_title: bool = True
    """Whether the title that front matter gives is the root of paths and breadcrumbs, where no heading says it."""
    overlap: Overlap = field(default_factory=Overlap)
    front_matter: FrontMatter = "metadata"
    whole: Mapping[str, int] = field(default_factory=dict)
    """Per block kind, up to how many tokens it is kept whole; the limit where a kind is not named."""
    split: Mapping[str, bool] = field(default_factory=dict)
    """Per block kind, whether its own splitting rule is used when it is too large; true where not named."""
    scores: Mapping[str, int] = field(default_factory=lambda: SCORES)
    """Per kind of gap, how good a cut there is; the default where a kind is not named."""
    boilerplate: Boilerplate = "remove"
    """What becomes of menus, banners and footers of web pages that say what their content is: out of the chunks, or
    part of them."""
    comments: Comments = "remove"
    """What becomes of comments in LaTeX."""
    ocr: Ocr = "auto"
    """Whether pages and images without text are read by sight: where an engine is installed, always, or never."""
    ocr_language: str = "eng"
    """The language that OCR expects, by the engine's name for it."""
    signal: str = "static"
    """The embedder by which strategies tell what texts are about."""
    semantic: Semantic = field(default_factory=Semantic)
    rechunk: Rechunk = field(default_factory=Rechunk)
    hierarchy: Hierarchy = field(default_factory=Hierarchy)
    code: Code = field(default_factory=Code)
    tabular: Tabular = field(default_factory=Tabular)
    multimodal: Multimodal = field(default_factory=Multimodal)
    propositions: Propositions = field(default_factory=Propositions)
    strategies: Mapping[str, str] = field(default_factory=dict)
    """Per glob of document names, the strategy of those documents; the first that fits counts."""
    enrich: tuple[str, ...] = ()
    """What is found out about every chunk; see `Facts`."""
    ner: Ner = "rules"
    """How names of people, organisations and places are told apart: by rules, or by the model of the extra `ner`."""
    derive: tuple[str, ...] = ()
    """Which texts about chunks are made, beyond those of the strategy; see `Derived`."""
    llm: str = ""
    """The model that writes derived text; empty where rules do."""

    def __post_init__(self) -> None:
        _check_single(self)
        _check_tables(self)
        _check_sizes(self)
        freeze = object.__setattr__
        freeze(self, "decay", float(self.decay))  # 1 and 1.0 are equal, so their fingerprints must be
        freeze(self, "balance", float(self.balance))
        freeze(self, "whole", MappingProxyType(dict(self.whole)))
        freeze(self, "split", MappingProxyType(dict(self.split)))
        freeze(self, "scores", MappingProxyType({**SCORES, **self.scores}))
        freeze(self, "strategies", MappingProxyType(dict(self.strategies)))

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __reduce__(self) -> tuple[type[Recipe], tuple[Any, ...]]:
        values = (getattr(self, f.name) for f in fields(self))  # a mapping proxy cannot be pickled
        return Recipe, tuple(dict(v) if isinstance(v, Mapping) else v for v in values)

    @property
    def reading(self) -> ParseOptions:
        """What parsers are told."""
        return ParseOptions(
            self.front_matter, self.boilerplate, self.ocr, self.ocr_language, self._outline, self.comments
        )

    @property
    def _outline(self) -> Outline:
        """What may be asked of source code."""
        strategies = (self.strategy, self.hierarchy.below, *self.strategies.values())
        if "code" in self.enrich or "scope" in self.derived or "auto" in strategies:
            return "all"
        if "code" not in strategies:
            return "statements" if "file-summary" in self.derive else "none"
        return "all" if self.code.depth else "statements"

    @property
    def limits(self) -> tuple[int, ...]:
        """The limit of every level of chunks, the lowest first; most strategies make that one alone."""
        return (self.budget.limit, *self.hierarchy.limits)

    @property
    def derived(self) -> tuple[str, ...]:
        """Which texts about chunks are made: what the strategy brings along, and what is asked for."""
        own: list[str] = []
        if self.strategy == "tabular":
            own = ["table-summary", *["rows"][: self.tabular.rows != "markdown"], *["pivot"][: bool(self.tabular.key)]]
        elif self.strategy == "code":
            own = ["file-summary", *["scope"][: self.code.depth > 0]]
        elif self.strategy == "propositions":
            own = ["proposition"]
        elif self.strategy == "hierarchical":
            own = ["summary"]
        return tuple(dict.fromkeys((*own, *self.derive)))

    @property
    def fingerprint(self) -> str:
        """A short hash of everything that affects the output."""
        plain = json.dumps(_plain(self), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(plain.encode()).hexdigest()[:16]


def budget_for(base: Budget, target: int | None, limit: int | None, floor: int | None) -> Budget:
    """`base` with what is given changed, and what is not given kept in proportion to it.

    A limit alone moves the target along; a target above the limit moves the limit. A floor that is not given
    shrinks with the limit and never grows.
    """
    if limit is None:
        limit = base.limit if target is None else _limit_for(base, target)
    if target is None:
        target = max(1, limit * base.target // base.limit)
    if floor is None:
        floor = min(base.floor, base.floor * limit // base.limit, target)
    return Budget(target, limit, floor)


def _limit_for(base: Budget, target: int) -> int:
    return base.limit if target <= base.limit else -(-target * base.limit // base.target)


def resize(recipe: Recipe, target: int | None = None, limit: int | None = None, floor: int | None = None) -> Recipe:
    """`recipe` with the budget of `budget_for`; its overlap shrinks with the limit and never grows."""
    budget = budget_for(recipe.budget, target, limit, floor)
    overlap = recipe.overlap
    if overlap.tokens and budget.limit < recipe.budget.limit:
        # At least 1: 0 would mean the kind's own default.
        tokens = max(1, overlap.tokens * budget.limit // recipe.budget.limit)
        overlap = replace(overlap, tokens=tokens)
    return replace(recipe, budget=budget, overlap=overlap)


def _check_strategy(name: object, path: str) -> None:
    """Refuse a strategy that nobody has; entry points are read only for one that is not ours."""
    if not (isinstance(name, str) and is_known(STRATEGIES, name)):
        expect_choice(name, names(STRATEGIES), path, "; if it is that of a plugin, install its package")


def _check_single(recipe: Recipe) -> None:
    _check_strategy(recipe.strategy, _path("strategy"))
    for name, choices in _CHOICES.items():
        expect_choice(getattr(recipe, name), choices, _path(name))
    expect_text(recipe.tokenizer, _path("tokenizer"))
    expect_text(recipe.signal, _path("signal"))
    if not _LANGUAGE.fullmatch(expect_text(recipe.ocr_language, _path("ocr_language"))):
        raise ConfigError(
            f"expected the name of a language such as eng or eng+deu, got {recipe.ocr_language!r}",
            _path("ocr_language"),
        )
    if not isinstance(recipe.llm, str):
        raise ConfigError(f"expected the name of a model, got {recipe.llm!r}", _path("llm"))
    for name, known in (("enrich", FACTS), ("derive", DERIVED)):
        expect_choices(getattr(recipe, name), known, _path(name))
    expect_bool(recipe.breadcrumb, _path("breadcrumb"))
    expect_bool(recipe.breadcrumb_title, _path("breadcrumb_title"))
    expect_int(recipe.window, _path("window"), low=1)
    expect_int(recipe.depth, _path("depth"), low=0, high=6)
    expect_int(recipe.breadcrumb_depth, _path("breadcrumb_depth"), low=0, high=6)
    expect_number(recipe.decay, _path("decay"), low=0, high=1)
    expect_number(recipe.balance, _path("balance"), low=0)


def _check_tables(recipe: Recipe) -> None:
    for kind, tokens in recipe.whole.items():
        expect_choice(kind, KINDS, f"$.whole.{kind}")
        expect_int(tokens, f"$.whole.{kind}", low=0)
    for kind, own in recipe.split.items():
        expect_choice(kind, KINDS, f"$.split.{kind}")
        expect_bool(own, f"$.split.{kind}")
    for glob, strategy in recipe.strategies.items():
        _check_strategy(strategy, f"$.strategies.{glob}")
    for gap, score in recipe.scores.items():
        expect_choice(gap, SCORES, f"$.scores.{gap}")
        expect_int(score, f"$.scores.{gap}", low=0, high=100)


def _check_sizes(recipe: Recipe) -> None:
    for name in ("target", "limit", "floor"):
        expect_int(getattr(recipe.budget, name), f"$.budget.{name}")
    if recipe.overlap.tokens >= recipe.budget.limit:
        raise ConfigError(
            f"expected overlap < limit ({recipe.budget.limit}), got {recipe.overlap.tokens}",
            "$.overlap.tokens",
        )


def _path(name: str) -> str:
    return f"$.{PLACES[name]}"


def _plain(recipe: Recipe) -> dict[str, Any]:
    """All that a fingerprint is made of."""
    values = {f.name: _plain_value(getattr(recipe, f.name)) for f in fields(recipe)}
    values["strategies"] = list(recipe.strategies.items())  # in their order: the first that fits counts
    unsaid = {name: _plain_value(value) for name, value in _later_defaults().items()} | {"strategies": []}
    return {name: value for name, value in values.items() if name not in unsaid or unsaid[name] != value}


@cache
def _later_defaults() -> dict[str, Any]:
    by_name = {f.name: f for f in fields(Recipe)}
    made = {name: by_name[name].default_factory for name in _LATER}
    return {name: by_name[name].default if make is MISSING else make() for name, make in made.items()}


def _plain_value(value: Any) -> Any:
    if is_dataclass(value):
        return {f.name: _plain_value(getattr(value, f.name)) for f in fields(value)}
    return dict(value) if isinstance(value, Mapping) else value


@dataclass(frozen=True, slots=True)
class ParseOptions:
    """What a parser is told beside the source."""

    front_matter: str = "metadata"
    """`metadata`, `include` or `strip`."""
    boilerplate: str = "remove"
    """What becomes of menus, banners and footers of web pages that say what their content is: `remove` or `keep`."""
    ocr: str = "auto"
    """Whether pages and images without text are read by sight: `auto` where an engine is installed, `off`, or `on`,
    which fails without one."""
    ocr_language: str = "eng"
    """The language OCR expects, by the engine's name for it."""
    outline: Outline = "all"
    """What source code comes with beside its blocks: `none`; `statements`, with imports and where they are used, which
    is what cutting needs; or `all`, with what facts about it need."""
    comments: str = "remove"
    """What becomes of comments in LaTeX: `remove` or `keep`."""
