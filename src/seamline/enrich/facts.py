"""Typed facts on chunks: those that a recipe names, and nothing else is imported or worked out.

`Work` is what facts are made from: the chunks of one document and what is known around them, its front matter among
that.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import cached_property
from importlib import import_module
from typing import Any

from seamline.enrich.prose import Prose, Starts
from seamline.errors import ConfigError
from seamline.facts import Facts
from seamline.recipe.recipe import Recipe
from seamline.records import MetaValue
from seamline.runtime import Runtime
from seamline.types import Block, Chunk, Document, Span

MAKERS: Mapping[str, str] = {
    "entities": "seamline.enrich.entities:entities",
    "summary": "seamline.enrich.measures:summary",
    "language": "seamline.enrich.measures:languages",
    "coherence": "seamline.enrich.measures:alike",
    "self-contained": "seamline.enrich.measures:contained",
    "density": "seamline.enrich.measures:densities",
    "boundary": "seamline.enrich.measures:boundaries",
    "freshness": "seamline.enrich.measures:freshness",
    "authority": "seamline.enrich.measures:authorities",
    "modality": "seamline.enrich.measures:modalities",
    "links": "seamline.enrich.measures:linked",
    "images": "seamline.enrich.measures:pictured",
    "code": "seamline.enrich.measures:coded",
    "position": "seamline.enrich.measures:positions",
    "recipe": "seamline.enrich.measures:recipes",
}
"""Per name of `recipe.FACTS`, `module:function` of its `Make`, imported when it is asked for."""


def enrich(
    chunks: Sequence[Chunk], recipe: Recipe, runtime: Runtime, *, now: datetime | None, starts: Starts
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
        work = Work(chunks[places[0]].document, [chunks[at] for at in places], recipe, runtime, now, starts)
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


Columns = Mapping[str, Sequence[Any]]
"""Per field of `Facts`, one value for each chunk, in order."""


@dataclass(frozen=True)
class Work:
    """The chunks of one document, of any level, and what their facts may be taken from."""

    document: Document
    chunks: Sequence[Chunk]
    recipe: Recipe
    runtime: Runtime
    now: datetime | None
    starts: Starts

    @cached_property
    def prose(self) -> Prose:
        """The document's sentences; facts that do not ask for them do not pay for them."""
        return Prose(self.document, self.starts)

    @cached_property
    def levels(self) -> Mapping[int, Sequence[int]]:
        """Per level, the numbers of its chunks, in order."""
        found: dict[int, list[int]] = {}
        for at, chunk in enumerate(self.chunks):
            found.setdefault(chunk.level, []).append(at)
        return found

    def tops(self, span: Span) -> Iterator[tuple[Block, Span]]:
        """The outermost blocks that have a part in a span, each with that part."""
        blocks, tops = self.document.blocks, self.document.tops
        first = max(0, bisect_left(tops, span.start, key=lambda top: blocks[top].start) - 1)
        for at in range(first, len(tops)):
            block = blocks[tops[at]]
            if block.start >= span.end:
                return
            part = Span(max(block.start, span.start), min(block.end, span.end))
            if part.start < part.end:
                yield block, part


Make = Callable[[Work], Columns]
"""Finds one fact of all chunks of a document."""


_CREATED = ("date", "created", "created_at", "published", "publish_date")
_MOST = 64
"""Fields that are kept of one document."""
_LONGEST = 1000
"""Code points of a value; longer ones are text, not metadata."""


def created_at(front_matter: Mapping[str, Any]) -> datetime | None:
    """The date a document gives itself, in UTC."""
    dates = (_moment(front_matter.get(name)) for name in _CREATED)
    return next((moment for moment in dates if moment is not None), None)


def authority(front_matter: Mapping[str, Any], default: float = 0.5) -> float:
    """How much a document says it is to be trusted, from 0 to 1."""
    given = front_matter.get("authority")
    if isinstance(given, int | float) and not isinstance(given, bool) and 0 <= given <= 1:
        return float(given)
    return default


_VERSION = ("source_version", "version", "revision", "api_version", "commit")


def source_version(front_matter: Mapping[str, Any]) -> str:
    """Which version of its source a document says it is: a revision, a release, a commit; empty where it does not."""
    given = (front_matter.get(name) for name in _VERSION)
    found = next((value for value in given if isinstance(value, str | int | float) and value != ""), "")
    return str(found)[:_LONGEST]


def attributes(front_matter: Mapping[str, Any]) -> dict[str, MetaValue]:
    """The fields an index can filter by: texts, numbers, dates, flags and lists of texts; tables by dotted names.

    What is nested deeper than tables in tables, very long, or past the first 64 is left out.
    """
    found = sorted(_flat(front_matter, "", 0))
    return dict(found[:_MOST])


def _flat(table: Mapping[Any, Any], prefix: str, depth: int) -> Iterator[tuple[str, MetaValue]]:
    for key, value in table.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            if depth < 2:
                yield from _flat(value, f"{name}.", depth + 1)
        elif (kept := _value(value)) is not None and 0 < len(name) <= _LONGEST:
            yield name, kept


def _value(value: Any) -> MetaValue | None:
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return float(value) if abs(value) < 2**53 else str(value)
    if isinstance(value, date):
        return _moment(value)
    if isinstance(value, str):
        return value if len(value) <= _LONGEST else None
    if isinstance(value, list):
        texts = tuple(str(item) for item in value if isinstance(item, str | int | float))
        return texts if texts and sum(map(len, texts)) <= _LONGEST else None
    return None


def _moment(value: Any) -> datetime | None:
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError:
            return None
    if isinstance(value, datetime):
        return _in_utc(value)
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    return None


def _in_utc(moment: datetime) -> datetime | None:
    try:
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError:  # the first day of the year 1, east of Greenwich
        return None
