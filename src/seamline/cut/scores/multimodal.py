"""Multimodal: speech by its pauses, pictures with what is said of them, tables by their rows."""

from __future__ import annotations

from dataclasses import replace

from seamline.cut.scores import Signal
from seamline.cut.scores.pictures import kept_gaps
from seamline.cut.scores.tables import rows
from seamline.cut.scores.turns import turns
from seamline.parts import Parts
from seamline.recipe import Recipe
from seamline.types import Document


def multimodal(document: Document, recipe: Recipe, parts: Parts) -> Signal:
    """All that is known of the gaps of a document that is more than running text."""
    speech = turns(document, recipe, parts)
    tables = rows(document, recipe, parts)
    return replace(tables, score={**tables.score, **speech.score}, weight=speech.weight, kept=kept_gaps(document))
