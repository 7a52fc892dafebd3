"""How old a chunk's document is, and how much it is trusted."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from seamline.enrich.attributes import authority, created_at
from seamline.enrich.work import Columns, Work
from seamline.errors import ConfigError

RATE = 0.01
"""Of a day, where a document does not say."""
_DAY = 86_400.0


def freshness(work: Work) -> Columns:
    """exp(-rate * age in days): 1 for what was written now, or will be. None where a document has no date."""
    if work.now is None:
        raise ConfigError("freshness needs to know the time: pass now=datetime.now(UTC)", "$.enrich.facts")
    rate = rate_of(work.document.front_matter)
    return {"freshness": [faded(created_at(work.document.front_matter), work.now, rate)] * len(work.chunks)}


def rate_of(front_matter: Mapping[str, Any]) -> float:
    """How fast a document ages: what it says itself as `freshness_rate`, as news and laws differ; else 0.01, which
    halves every 69 days."""
    given = front_matter.get("freshness_rate")
    if isinstance(given, int | float) and not isinstance(given, bool) and 0 <= given <= sys.float_info.max:
        return float(given)
    return RATE


def faded(written: datetime | None, now: datetime, rate: float) -> float | None:
    """What is left of 1 after a time."""
    if written is None:
        return None
    age = max(0.0, (now - written).total_seconds() / _DAY)
    return round(math.exp(-rate * age), 4)


def authorities(work: Work) -> Columns:
    """What the front matter says of it, 0.5 where it says nothing."""
    return {"authority": [authority(work.document.front_matter)] * len(work.chunks)}
