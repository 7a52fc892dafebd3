"""What a document's blocks look like, for tests of parsers."""

from __future__ import annotations

from seamline.types import Document


def shape(document: Document) -> list[str]:
    """Kinds, indented by depth."""
    depths: list[int] = []
    for block in document.blocks:
        depths.append(0 if block.parent < 0 else depths[block.parent] + 1)
    return ["  " * depth + block.kind for depth, block in zip(depths, document.blocks, strict=True)]


def titles(document: Document) -> list[tuple[int, str]]:
    return [(b.level, b.detail.title if b.detail else None) for b in document.blocks if b.kind == "heading"]


def said(document: Document, kind: str) -> list[str]:
    return [document.text[b.start : b.end] for b in document.blocks if b.kind == kind]
