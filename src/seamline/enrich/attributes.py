"""What the front matter says that an index can use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime
from typing import Any

from seamline.records import MetaValue

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
