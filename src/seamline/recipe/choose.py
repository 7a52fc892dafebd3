"""Which strategy a document is cut by, and why: a glob of the recipe, or the class of the document, by features that
can be counted."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from seamline.recipe.recipe import Recipe
from seamline.text.headings import heading_text
from seamline.types import Document


class StrategyChoice(NamedTuple):
    """A recipe that names a strategy, and the reasons for it."""

    recipe: Recipe
    reasons: tuple[str, ...] = ()
    """In words; empty where nothing had to be chosen."""

    @property
    def strategy(self) -> str:
        """In words, such as `hierarchical over semantic`."""
        name = self.recipe.strategy
        return f"{name} over {self.recipe.hierarchy.below}" if name == "hierarchical" else name


def choose(document: Document, recipe: Recipe) -> StrategyChoice:
    """The recipe for one document."""
    if recipe.strategies:
        for glob, strategy in recipe.strategies.items():
            if _fits(document.id, glob) or _fits(document.source.uri, glob):
                named: Any = strategy
                given = replace(recipe, strategy=named, strategies={})
                reason = f"{document.id} fits {glob}"
                if strategy == "auto":
                    return _by_class(document, given, (reason,))
                return StrategyChoice(given, (reason,))
    if recipe.strategy == "auto":
        return _by_class(document, recipe, ())
    return StrategyChoice(recipe)


def _fits(name: str, glob: str) -> bool:
    """Whether a name, or its last part where the glob has no slash, fits; `*` fits slashes too."""
    return fnmatchcase(name, glob) or ("/" not in glob and fnmatchcase(name.rpartition("/")[2], glob))


def _by_class(document: Document, recipe: Recipe, before: tuple[str, ...]) -> StrategyChoice:
    found = classify(document)
    changes, reason = _STRATEGIES[found.name](document, recipe)
    plain = replace(recipe, strategies={}, **changes)
    return StrategyChoice(plain, (*before, f"class: {found.name} ({'; '.join(found.reasons[:3])})", reason))


def _structural(document: Document, recipe: Recipe) -> tuple[dict[str, Any], str]:
    return {"strategy": "structural"}, "its headings and blocks say where to cut"


def _prose(document: Document, recipe: Recipe) -> tuple[dict[str, Any], str]:
    headings = sum(block.kind == "heading" for block in document.blocks)
    if headings > 1:
        return {"strategy": "structural"}, f"its {headings} headings say where to cut"
    return {"strategy": "semantic"}, "without headings, changes of subject say where to cut"


def _paper(document: Document, recipe: Recipe) -> tuple[dict[str, Any], str]:
    below = {"strategy": "hierarchical", "hierarchy": replace(recipe.hierarchy, below="semantic")}
    return below, "long arguments: passages by subject, and sections above them"


def _legal(document: Document, recipe: Recipe) -> tuple[dict[str, Any], str]:
    below = {"strategy": "hierarchical", "hierarchy": replace(recipe.hierarchy, below="structural")}
    return below, "clauses are read within the articles around them"


def _code(document: Document, recipe: Recipe) -> tuple[dict[str, Any], str]:
    return {"strategy": "code"}, "by functions and classes"


def _table(document: Document, recipe: Recipe) -> tuple[dict[str, Any], str]:
    return {"strategy": "tabular"}, "by rows, each group under its header"


def _conversation(document: Document, recipe: Recipe) -> tuple[dict[str, Any], str]:
    if any(block.detail is not None and block.detail.pause is not None for block in document.blocks):
        return {"strategy": "multimodal"}, "speech with times: by pauses, speakers and scenes"
    return {"strategy": "semantic"}, "by changes of subject"


def _multimodal(document: Document, recipe: Recipe) -> tuple[dict[str, Any], str]:
    return {"strategy": "multimodal"}, "pictures stay with what is said of them"


def _article(document: Document, recipe: Recipe) -> tuple[dict[str, Any], str]:
    if recipe.llm:
        return {"strategy": "propositions"}, "short answers: single claims, written by the model of the recipe"
    return {"strategy": "rechunk"}, "short answers: blocks that say the same go together (no model for claims is set)"


_STRATEGIES = {
    "technical docs": _structural,
    "paper": _paper,
    "legal": _legal,
    "code": _code,
    "table": _table,
    "conversation": _conversation,
    "multimodal": _multimodal,
    "knowledge-base article": _article,
    "prose": _prose,
}


CLASSES = (
    "technical docs",
    "paper",
    "legal",
    "code",
    "table",
    "conversation",
    "multimodal",
    "knowledge-base article",
    "prose",
)
_SAMPLE = 200_000
"""Characters whose words are looked at: enough to tell, and no more for a book."""
_SHORT = 12_000
"""Characters of an article that answers one question."""

_PAPER = re.compile(
    r"\b(?:et al\.|we propose|we show|related work|state[- ]of[- ]the[- ]art|doi:|arxiv)", re.IGNORECASE
)
_CITED = re.compile(r"\[\d{1,3}(?:, ?\d{1,3})*\]|\\cite[tp]?\{|\([A-Z][a-z]+(?: et al\.)?,? (?:19|20)\d\d\)")
_LEGAL = re.compile(
    r"\b(?:shall|hereby|herein|hereinafter|pursuant to|notwithstanding|the parties|indemnif\w+|governing law|liability"
    r"|liabilities|licen[sc]or|licen[sc]ee|lessee|lessor)\b|§\s*\d|\bArticle [IVX\d]+\b",
    re.IGNORECASE,
)
_STEPS = re.compile(
    r"^(?:how (?:do|to|can)|why|what|when|troubleshoot\w*|resolution|symptoms?|cause|workaround|faq)\b|\?$",
    re.IGNORECASE,
)
_TECHNICAL = re.compile(
    r"\b(?:install\w*|config\w*|API|endpoint|parameter|default|option|command|returns?|deploy\w*|version|server|module)\b"
)
_PAPER_PARTS = frozenset(
    (
        *("abstract", "introduction", "related work", "method", "methods", "results", "discussion", "conclusion"),
        *("conclusions", "references", "bibliography", "acknowledgements", "acknowledgments"),
    )
)
_NUMBER = re.compile(r"^[\dIVXA-Z]+(?:\.\d+)*\.?\s+")


class Classified(NamedTuple):
    """A document's class, and why."""

    name: str
    """One of `CLASSES`."""
    reasons: tuple[str, ...]
    """What spoke for it, the strongest first."""
    scores: dict[str, float]
    """All classes that anything spoke for, 0 and up."""


class _Case:
    """What speaks for each class."""

    def __init__(self) -> None:
        self.scores: Counter[str] = Counter()
        self.reasons: dict[str, list[tuple[float, str]]] = {}

    def add(self, name: str, weight: float, reason: str) -> None:
        if weight > 0:
            self.scores[name] += weight  # type: ignore[assignment]  # a Counter of floats counts as well
            self.reasons.setdefault(name, []).append((weight, reason))


def classify(document: Document) -> Classified:
    """The class of a document: what most of its features speak for, `prose` where none does."""
    case = _Case()
    _by_format(document, case)
    _by_blocks(document, case)
    _by_headings(document, case)
    _by_words(document.text[:_SAMPLE], case)
    if not case.scores:
        return Classified("prose", ("nothing speaks for another class",), {})
    name, _ = max(case.scores.items(), key=lambda pair: (round(pair[1], 6), -CLASSES.index(pair[0])))
    if case.scores[name] < 1:
        return Classified("prose", ("too little speaks for another class",), dict(case.scores))
    reasons = sorted(case.reasons[name], key=lambda pair: -pair[0])
    return Classified(name, tuple(reason for _, reason in reasons), dict(case.scores))


def _by_format(document: Document, case: _Case) -> None:
    media_type = document.source.media_type
    kinds = Counter(block.kind for block in document.blocks if block.parent < 0)
    if media_type == "text/x-source":
        case.add("code", 10, "the file is source code")
    elif media_type.startswith(("image/", "audio/", "video/")):
        case.add("multimodal", 6, f"the file is {media_type.split('/')[0]}")
    elif media_type in ("text/x-tex",):
        case.add("paper", 1, "written in LaTeX")
    if kinds["turn"]:
        case.add("conversation", 8, f"{kinds['turn']} turns of speech")
    if media_type == "message/rfc822":
        case.add("conversation", 3, "a letter")


def _by_blocks(document: Document, case: _Case) -> None:
    sizes: Counter[str] = Counter()
    count: Counter[str] = Counter()
    for block in document.blocks:
        if block.parent < 0:
            sizes[block.kind] += block.end - block.start
            count[block.kind] += 1
    total = sum(sizes.values()) or 1
    share = {kind: size / total for kind, size in sizes.items()}
    if (tables := share.get("table", 0)) > 0.5:
        case.add("table", 8 * tables, f"{tables:.0%} of the text is tables")
    if (code := share.get("code", 0) + share.get("scope", 0)) > 0.05:
        case.add("technical docs", min(4.0, 12 * code), f"{code:.0%} of the text is code")
    if count["figure"] >= 3 and count["figure"] / max(1, sum(count.values())) > 0.15:
        case.add("multimodal", 3, f"{count['figure']} figures in {sum(count.values())} blocks")
    if count["math"]:
        case.add("paper", min(2.0, count["math"] / 3), f"{count['math']} formulas")


def _by_headings(document: Document, case: _Case) -> None:
    titles = [heading_text(document.text, block) for block in document.blocks if block.kind == "heading"]
    bare = [_NUMBER.sub("", title).strip(" :.").lower() for title in titles]
    parts = sorted({title for title in bare if title in _PAPER_PARTS})
    if len(parts) >= 2:
        case.add("paper", 1.2 * len(parts), f"sections named {', '.join(parts[:4])}")
    asked = sum(1 for title in bare if _STEPS.search(title))
    if asked and asked >= len(titles) / 4:
        weight = 1.5 + asked / max(1, len(titles))
        if len(document.text) < _SHORT:
            weight += 1
        case.add("knowledge-base article", weight, f"{asked} of {len(titles)} headings ask or answer a question")


def _by_words(text: str, case: _Case) -> None:
    thousand = max(1.0, len(text) / 6000)  # words
    for name, pattern, per, what in (
        ("legal", _LEGAL, 8.0, "words of law"),
        ("paper", _PAPER, 1.0, "turns of phrase of papers"),
        ("paper", _CITED, 3.0, "citations"),
        ("technical docs", _TECHNICAL, 10.0, "words of manuals"),
    ):
        found = len(pattern.findall(text))
        if found >= 3:
            case.add(name, min(4.0, found / thousand / per), f"{found / thousand:.1f} {what} in a thousand")
