"""Typed facts on chunks: those that a recipe names, and nothing else is imported or worked out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from importlib import import_module

from seamline.enrich.prose import Starts
from seamline.enrich.work import Make, Work
from seamline.errors import ConfigError
from seamline.facts import Facts
from seamline.parts import Parts
from seamline.recipe import Recipe
from seamline.types import Chunk

MAKERS: Mapping[str, str] = {
    "entities": "seamline.enrich.entities:entities",
    "summary": "seamline.enrich.measures.summary:summary",
    "language": "seamline.enrich.measures.language:languages",
    "coherence": "seamline.enrich.measures.alike:alike",
    "self-contained": "seamline.enrich.measures.contained:contained",
    "density": "seamline.enrich.measures.density:densities",
    "boundary": "seamline.enrich.measures.boundary:boundaries",
    "freshness": "seamline.enrich.measures.source:freshness",
    "authority": "seamline.enrich.measures.source:authorities",
    "modality": "seamline.enrich.measures.modality:modalities",
    "links": "seamline.enrich.measures.linked:linked",
    "code": "seamline.enrich.measures.linked:coded",
    "position": "seamline.enrich.measures.place:positions",
    "recipe": "seamline.enrich.measures.place:recipes",
}
"""Per name of `recipe.FACTS`, `module:function` of its `Make`, imported when it is asked for."""


def enrich(
    chunks: Sequence[Chunk], recipe: Recipe, parts: Parts, *, now: datetime | None, starts: Starts
) -> list[Chunk]:
    """The chunks with the facts that the recipe names; all others are None and cost nothing.

    Chunks may be of several levels and of several documents. `now` is what freshness is counted from. `starts` tells
    where sentences start; the pipeline gives that of the engine.
    """
    if not recipe.enrich:
        return list(chunks)
    makers = [_maker(name) for name in dict.fromkeys(recipe.enrich)]
    out = list(chunks)
    for places in _by_document(chunks):
        work = Work(chunks[places[0]].document, [chunks[at] for at in places], recipe, parts, now, starts)
        columns = {field: values for make in makers for field, values in make(work).items()}
        for row, at in enumerate(places):
            out[at] = replace(chunks[at], facts=Facts(**{field: values[row] for field, values in columns.items()}))
    return out


def _by_document(chunks: Sequence[Chunk]) -> list[list[int]]:
    """The numbers of the chunks of each document, in order."""
    found: dict[int, list[int]] = {}
    for at, chunk in enumerate(chunks):
        found.setdefault(id(chunk.document), []).append(at)
    return list(found.values())


def _maker(name: str) -> Make:
    if name not in MAKERS:
        raise ConfigError(f"no way to find out {name} is installed; known are {', '.join(MAKERS)}", "$.enrich.facts")
    module, _, function = MAKERS[name].partition(":")
    make: Make = getattr(import_module(module), function)
    return make
