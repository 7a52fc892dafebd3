"""Short documents of the kinds that the shared data lacks, with a question each and the words that answer it: the
lines of `written.jsonl`. Labels and questions were written before the rules of `auto` were changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple


class Sample(NamedTuple):
    label: str
    suffix: str
    text: str
    question: str
    answer: str


WRITTEN = tuple(
    Sample(**json.loads(line)) for line in Path(__file__).with_suffix(".jsonl").read_text(encoding="utf-8").splitlines()
)
