"""Fields of entries that hits are shown with and sorted by, beside those they are filtered by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import cast

from seamline.errors import ConfigError
from seamline.filters.check import unknown_field
from seamline.filters.meaning import USUAL
from seamline.filters.tree import FIELDS, FRESHNESS, META, type_of, value_of
from seamline.records import Entry, MetaValue
from seamline.search.hits import Hit
from seamline.search.rerank import freshness

DESCENDING = ":desc"
"""After a field, what turns the order around."""


def check_fields(names: Sequence[str], sort: str) -> None:
    """Refuse, with a ConfigError, fields that do not exist, and lists to sort by."""
    for name in names:
        if name not in (*FIELDS, FRESHNESS) and not name.startswith(META):
            raise ConfigError(unknown_field(name), "$.search.fields")
    key = sort.removesuffix(DESCENDING)
    if key and key not in (*FIELDS, FRESHNESS) and not key.startswith(META):
        raise ConfigError(unknown_field(key), "$.search.sort")
    if FIELDS.get(key) == "list":
        raise ConfigError(f"expected a field with one value, got {key}, which is a list", "$.search.sort")


def sort_key(sort: str) -> str:
    """The field that is sorted by."""
    return sort.removesuffix(DESCENDING)


def show_fields(hits: Sequence[Hit], names: Sequence[str], now: datetime, decay: float) -> list[Hit]:
    """The hits with these fields among their facts, where an entry has them."""
    out = []
    for hit in hits:
        asked = ((name, field_value(hit.entry, name, now, decay)) for name in names if name not in hit.facts)
        out.append(replace(hit, fields=tuple((name, value) for name, value in asked if value is not None)))
    return out


def sort_hits(hits: Sequence[Hit], sort: str, now: datetime, decay: float) -> list[Hit]:
    """The hits by a field, those without it last, equal ones as they were; values of several types by type."""
    values = [field_value(hit.entry, sort_key(sort), now, decay) for hit in hits]
    known = [n for n, value in enumerate(values) if value is not None and type_of(value) != "list"]
    known.sort(key=lambda n: (str(type_of(values[n])), values[n]), reverse=sort.endswith(DESCENDING))
    order = [*known, *(n for n in range(len(hits)) if n not in set(known))]
    return [hits[n] for n in order]


def field_value(entry: Entry, name: str, now: datetime, decay: float) -> MetaValue | None:
    """What an entry has in a field; freshness as it is now."""
    if name == FRESHNESS:
        return freshness(entry, now, decay)
    found = cast("MetaValue | None", value_of(name, entry))
    return USUAL.get(name) if found is None else found
