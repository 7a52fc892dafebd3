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
from seamline.text.questions import FEWEST_QUESTIONS, questions
from seamline.types import Block, Document


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
    if found.rival and changes["strategy"] != "structural":
        changes = {"strategy": "structural"}
        reason = f"the evidence is thin, as {found.rival} is nearly as likely: the default"
    plain = replace(recipe, strategies={}, **changes)
    return StrategyChoice(plain, (*before, f"class: {found.name} ({'; '.join(found.reasons[:3])})", reason))


def _structural(document: Document, recipe: Recipe) -> tuple[dict[str, Any], str]:
    return {"strategy": "structural"}, "its headings and blocks say where to cut"


def _prose(document: Document, recipe: Recipe) -> tuple[dict[str, Any], str]:
    return {"strategy": "structural"}, "nothing asks for another strategy: the default"


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
    if any(block.kind == "turn" for block in document.blocks):
        return {"strategy": "multimodal"}, "by what is said, pauses, speakers and scenes"
    return {"strategy": "structural"}, "a letter has no turns: the default"


def _multimodal(document: Document, recipe: Recipe) -> tuple[dict[str, Any], str]:
    return {"strategy": "multimodal"}, "pictures stay with what is said of them"


def _article(document: Document, recipe: Recipe) -> tuple[dict[str, Any], str]:
    if recipe.llm:
        return {"strategy": "propositions"}, "short answers: single claims, written by the model of the recipe"
    return {"strategy": "structural"}, "questions stay with their answers (no model for claims is set)"


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
_WORD = 6
"""Characters of a word, with the space after it."""
_FEWEST_WORDS = 100
"""Words that a share is taken of, at the least: three of ten say little."""
_CLOSE = 0.2
"""A class whose score is within this share of the best is a rival."""

_PAPER = re.compile(
    r"\b(?:et al\.|we (?:propose|show|present|review|measured|prove)|related work|state[- ]of[- ]the[- ]art|doi:|arxiv"
    r"|theorem|lemma|proof\.|corollary|baselines?|p < 0|\d% CI)",
    re.IGNORECASE,
)
_CITED = re.compile(
    r"\[\d{1,3}(?:, ?\d{1,3})*\]|\\cite[tp]?\{|\((?:[A-Z][a-z]+(?: et al\.)?,? (?:19|20)\d\d(?:; )?)+\)"
    r"|\bet al\. \((?:19|20)"
)
_LEGAL = re.compile(
    r"\b(?:shall|hereby|herein|hereinafter|hereto|therefor|thereof|whereas|pursuant to|notwithstanding|indemnif\w+"
    r"|(?:the|either|each|neither) part(?:y|ies)|third part(?:y|ies)|govern(?:ed by the|ing) laws?|jurisdiction"
    r"|liab(?:le|ility|ilities)|obligations?|in writing|written consent|prior notice|personal data|as required by law"
    r"|permitted by law|confidential(?:ity)?|licen[sc]or|licen[sc]ee|lessee|lessor|claimant|defendant|borrower|lender"
    r"|these terms|this (?:agreement|contract|lease|licen[sc]e|addendum)|subsection|undue delay)\b"
    r"|§\s*\d|\bArticle [IVX\d]+\b|\bclause \d",
    re.IGNORECASE,
)
_STEPS = re.compile(
    r"^(?:how (?:do|to|can)|why|troubleshoot\w*|resolution|solution|symptoms?|cause|workaround|faq)\b|[?？]$",
    re.IGNORECASE,
)
_TECHNICAL = re.compile(
    r"\b(?:install\w*|config\w*|APIs?|endpoint|parameters?|default|options?|commands?|returns?|deploy\w*|versions?|servers?"
    r"|modules?|packages?|clusters?|functions?|compil\w+|debug\w*|plugins?|kubectl|npm|cargo|directives?|namespaces?)\b"
)
_PAPER_PARTS = frozenset(
    (
        *("abstract", "introduction", "related work", "method", "methods", "results", "discussion", "conclusion"),
        *("conclusions", "references", "bibliography", "acknowledgements", "acknowledgments", "experiments"),
        *("background", "materials and methods", "preliminaries", "findings"),
    )
)
_NUMBER = re.compile(r"^[\dIVXA-Z]+(?:\.\d+)*\.?\s+")
_TABLES = {
    "text/csv": "separated values",
    "text/tab-separated-values": "separated values",
    "application/vnd.apache.parquet": "a Parquet file",
    "application/vnd.sqlite3": "a database",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "a spreadsheet",
}
_SLIDES = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
_PICTURE = re.compile(r"\s*(?:!\[|<(?:img|picture|figure|svg)\b)", re.IGNORECASE)
_PAPER_LINE = re.compile(
    r"^[ \t*#]*(?:\d+\.?\s+)?(abstract|introduction|references|acknowledge?ments)[.:*]*(?:\s|$)", re.I | re.M
)


class Classified(NamedTuple):
    """A document's class, and why."""

    name: str
    """One of `CLASSES`."""
    reasons: tuple[str, ...]
    """What spoke for it, the strongest first."""
    scores: dict[str, float]
    """All classes that anything spoke for, 0 and up."""
    rival: str = ""
    """Another class that is nearly as likely, and asks for another strategy."""


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
    _by_pairs(document, case)
    _by_words(document.text[:_SAMPLE], case)
    ranked = sorted(case.scores, key=lambda name: (-round(case.scores[name], 6), CLASSES.index(name)))
    if not ranked:
        return Classified("prose", ("nothing speaks for another class",), {})
    name = ranked[0]
    best = case.scores[name]
    if best < 1:
        return Classified("prose", ("too little speaks for another class",), dict(case.scores))
    reasons = tuple(reason for _, reason in sorted(case.reasons[name], key=lambda pair: -pair[0]))
    rival = next((other for other in ranked[1:] if case.scores[other] >= max(1.0, (1 - _CLOSE) * best)), "")
    return Classified(name, reasons, dict(case.scores), rival)


def _by_format(document: Document, case: _Case) -> None:
    media_type = document.source.media_type
    kinds = Counter(document.blocks[top].kind for top in document.tops)
    if media_type == "text/x-source":
        case.add("code", 10, "the file is source code")
    elif media_type.startswith(("image/", "audio/", "video/")):
        case.add("multimodal", 6, f"the file is {media_type.split('/')[0]}")
    elif media_type in _TABLES:
        case.add("table", 8, f"the file is {_TABLES[media_type]}")
    elif media_type == _SLIDES:
        case.add("multimodal", 6, "the file is slides")
    elif media_type == "text/x-tex":
        case.add("paper", 1, "written in LaTeX")
    if kinds["turn"]:
        case.add("conversation", 8, f"{kinds['turn']} turns of speech")
    if media_type == "message/rfc822":
        case.add("conversation", 3, "a letter")


def _by_blocks(document: Document, case: _Case) -> None:
    sizes: Counter[str] = Counter()
    count: Counter[str] = Counter()
    for top in document.tops:
        block = document.blocks[top]
        kind = "picture" if _is_picture(document, block) else block.kind
        sizes[kind] += block.end - block.start
        count[kind] += 1
    total = sum(sizes.values()) or 1
    blocks = max(1, sum(count.values()) - count["heading"])
    tables = sizes["table"] / total
    if tables > 0.5 and count["heading"] <= 2 * count["table"] and count["paragraph"] <= count["table"]:
        case.add("table", 8 * tables, f"{tables:.0%} of the text is tables")
    elif tables > 0.3 and count["heading"] > 1:
        case.add("technical docs", 2 * tables, f"{tables:.0%} of the text is tables under {count['heading']} headings")
    if (code := (sizes["code"] + sizes["scope"]) / total) > 0.05:
        case.add("technical docs", min(4.0, 12 * code), f"{code:.0%} of the text is code")
    shown = count["picture"] + count["table"]
    if count["picture"] > 1 and shown / blocks >= 0.25:
        reason = f"{count['picture']} figures and {count['table']} tables in {blocks} blocks"
        case.add("multimodal", 2 + 3 * shown / blocks, reason)
    if count["math"]:
        case.add("paper", min(2.0, count["math"] / 3), f"{count['math']} formulas")


def _is_picture(document: Document, block: Block) -> bool:
    if block.kind in ("paragraph", "html", "jsx"):
        return _PICTURE.match(document.text, block.start, block.end) is not None
    return block.kind == "figure"


def _by_headings(document: Document, case: _Case) -> None:
    titles = [heading_text(document.text, block) for block in document.blocks if block.kind == "heading"]
    bare = [_NUMBER.sub("", title).strip(" :.").lower() for title in titles]
    parts = {title for title in bare if title in _PAPER_PARTS}
    parts |= {found[1].lower() for found in _PAPER_LINE.finditer(document.text[:_SAMPLE])}
    if len(parts) >= 2:
        case.add("paper", 1.2 * len(parts), f"sections named {', '.join(sorted(parts)[:4])}")
    asked = sum(1 for title in bare if _STEPS.search(title))
    if asked and asked >= len(titles) / 4:
        weight = 1.5 + asked / max(1, len(titles))
        if len(document.text) < _SHORT:
            weight += 1
        case.add("knowledge-base article", weight, f"{asked} of {len(titles)} headings ask or answer a question")


def _by_pairs(document: Document, case: _Case) -> None:
    found = questions(document)
    if len(found) >= FEWEST_QUESTIONS:
        case.add("knowledge-base article", 3.0, f"{len(found)} questions with their answers")


def _by_words(text: str, case: _Case) -> None:
    thousand = max(_FEWEST_WORDS, len(text) / _WORD) / 1000
    for name, pattern, per, what in (
        ("legal", _LEGAL, 8.0, "words of law"),
        ("paper", _PAPER, 2.0, "turns of phrase of papers"),
        ("paper", _CITED, 3.0, "citations"),
        ("technical docs", _TECHNICAL, 8.0, "words of manuals"),
    ):
        found = [one.lower() for one in pattern.findall(text)]
        if len(found) >= 3 and (len({*found}) > 1 or what == "citations"):
            rate = len(found) / thousand
            case.add(name, min(4.0, rate / per), f"{rate:.1f} {what} in a thousand")
