"""Source code: functions or classes get chunks of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from seamline.cut.scores import Signal
from seamline.recipe.recipe import Recipe
from seamline.runtime import Runtime
from seamline.types import NO_DETAIL, Block, Document

_FUNCTIONS = frozenset(("function", "method", "macro", "property", "trigger"))
_CLASSES = frozenset(
    (
        "class",
        "interface",
        "struct",
        "impl",
        "trait",
        "enum",
        "object",
        "extension",
        "protocol",
        "record",
        "actor",
        "union",
    )
)
_COMMENTS = ("#", "//", "/*", "*", "--")
_OWN: Mapping[str, frozenset[str]] = {"function": _FUNCTIONS | _CLASSES, "class": _CLASSES, "module": frozenset()}
"""Per granularity, the types of scopes that are cut from what is around them."""


def scopes(document: Document, recipe: Recipe, parts: Runtime) -> Signal:
    """Cuts are forced where a scope of the recipe's granularity starts and after it ends; what is in a function, or
    with classes as granularity in a class, is left to sizes."""
    own = _OWN[recipe.code.granularity]
    shut = _FUNCTIONS if recipe.code.granularity == "function" else _FUNCTIONS | own
    forced = frozenset(_edges(document, own, shut)) if own else frozenset[int]()
    outline = document.code
    if outline is not None:
        outline.check()
    return Signal(forced=forced, outline=outline if outline is not None and outline.is_read else None)


def _edges(document: Document, own: frozenset[str], shut: frozenset[str]) -> Iterator[int]:
    """Where scopes start, with a remark that stands right before them, and where what follows them does."""
    inside = 0  # where the scope ends that is not looked into
    ended: list[int] = []  # ends of scopes that nothing has followed yet
    before: Block | None = None
    for block in document.blocks:
        if block.start < inside:
            continue
        if ended and block.start >= ended[-1]:
            yield block.start
            while ended and block.start >= ended[-1]:
                ended.pop()
        kind = (block.detail or NO_DETAIL).type if block.kind == "scope" else ""
        if kind in own:
            is_told = before is not None and before.parent == block.parent and _is_remark(document.text, before)
            yield before.start if before is not None and is_told else block.start
            ended.append(block.end)
        if kind in shut:
            inside = block.end
        before = block


def _is_remark(text: str, block: Block) -> bool:
    """Whether a block is nothing but comments."""
    if block.kind != "code" or block.detail:
        return False
    return all(
        line.lstrip().startswith(_COMMENTS) for line in text[block.start : block.end].splitlines() if line.strip()
    )
