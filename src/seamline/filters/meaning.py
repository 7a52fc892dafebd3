"""What a filter means of an index at one moment: `freshness` by the dates that entries keep, fields that few entries
keep by what they are for the others, and fields that this index does not keep, with how to get them."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from seamline.filters.tree import ENRICHED, FRESHNESS, All, Any, Filter, Not, Test, matches_value
from seamline.types import Notice

USUAL = {"confidence": 1.0, "needs_review": False}
"""Fields that only entries keep for which they are something else."""


def stored_filter(filter: Filter, now: datetime, decay: float) -> Filter:
    """The filter by fields that entries keep. `decay` is how fast freshness falls per day of age."""
    match filter:
        case Test(field=field) if field == FRESHNESS:
            return _written_filter(filter, now, decay)
        case Test(field=field) if field in USUAL and matches_value(filter, USUAL[field]):
            return Any((filter, Not(Test(field, "exists", True))))
        case Test():
            return filter
        case Not(inner):
            return Not(stored_filter(inner, now, decay))
        case All(parts) | Any(parts):
            return replace(filter, inner=tuple(stored_filter(part, now, decay) for part in parts))


def _written_filter(test: Test, now: datetime, decay: float) -> Filter:
    """`freshness > 0.5` as what was written since, and `< 0.5` as what was written before. What was never dated counts
    from when it was first seen."""
    assert isinstance(test.value, int | float)
    least = float(test.value)
    if least <= 0 or least > 1 or (least == 1 and test.operator in (">", "<=")) or decay == 0:
        any_value = 1.0 if decay == 0 or least >= 1 else 0.5  # what holds of this one holds of all
        return All(()) if matches_value(test, any_value) else Any(())
    age = -math.log(least) / decay
    since = now - timedelta(days=age) if age < _DAYS else datetime.min.replace(tzinfo=UTC)
    dated = Test("created_at", "exists", True)
    return Any(
        (
            All((dated, replace(test, field="created_at", value=since))),
            All((Not(dated), replace(test, field="updated_at", value=since))),
        )
    )


_DAYS = 365 * 1900
"""Days of age beyond which there are no dates."""


def fields_of(filter: Filter | None) -> Iterator[str]:
    """The fields that a filter asks for."""
    match filter:
        case Test(field=field):
            yield field
        case Not(inner):
            yield from fields_of(inner)
        case All(parts) | Any(parts):
            for part in parts:
                yield from fields_of(part)


def missing_fields(asked: Collection[str], enriched: Collection[str]) -> list[Notice]:
    """What to say of fields that an index does not keep, as it was made without these facts."""
    lacking = [name for name in dict.fromkeys(asked) if name in ENRICHED and ENRICHED[name] not in enriched]
    if not lacking:
        return []
    facts = ",".join(dict.fromkeys(ENRICHED[name] for name in lacking))
    return [
        Notice(
            "field-not-kept",
            f"this index does not keep {', '.join(lacking)}: index into another place with `--enrich {facts}`",
        )
    ]
