"""Which strategy a document is cut by, and why: a glob of the recipe, or what class of document it is."""

from __future__ import annotations

from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from seamline.classify import classify
from seamline.recipe import Recipe
from seamline.types import Document


class Choice(NamedTuple):
    """A recipe that names a strategy, and the reasons for it."""

    recipe: Recipe
    reasons: tuple[str, ...] = ()
    """In words; empty where nothing had to be chosen."""

    @property
    def strategy(self) -> str:
        """In words, such as `hierarchical over semantic`."""
        name = self.recipe.strategy
        return f"{name} over {self.recipe.hierarchy.below}" if name == "hierarchical" else name


def choose(document: Document, recipe: Recipe) -> Choice:
    """The recipe for one document."""
    if recipe.strategies:
        for glob, strategy in recipe.strategies.items():
            if _fits(document.id, glob) or _fits(document.source.uri, glob):
                named: Any = strategy
                given = replace(recipe, strategy=named, strategies={})
                reason = f"{document.id} fits {glob}"
                if strategy == "auto":
                    return _by_class(document, given, (reason,))
                return Choice(given, (reason,))
    if recipe.strategy == "auto":
        return _by_class(document, recipe, ())
    return Choice(recipe)


def _fits(name: str, glob: str) -> bool:
    """Whether a name, or its last part where the glob has no slash, fits; `*` fits slashes too."""
    return fnmatchcase(name, glob) or ("/" not in glob and fnmatchcase(name.rpartition("/")[2], glob))


def _by_class(document: Document, recipe: Recipe, before: tuple[str, ...]) -> Choice:
    found = classify(document)
    changes, reason = _STRATEGIES[found.name](document, recipe)
    plain = replace(recipe, strategies={}, **changes)
    return Choice(plain, (*before, f"class: {found.name} ({'; '.join(found.reasons[:3])})", reason))


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
    if any("pause" in (block.attrs or ()) for block in document.blocks):
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
