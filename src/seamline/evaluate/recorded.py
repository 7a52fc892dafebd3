"""Questions from searches: what somebody asked, and the hits that were marked as answers.

A search is the JSON object that `seamline search --json` prints and the server answers with. Hits count that have
`"relevant": true`, or whose ranks are named.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from seamline.errors import ConfigError
from seamline.evaluate.questions import read_questions

_EXPECTED = "expected what `seamline search --json` prints"


def record_searches(path: Path, searches: str, ranks: Sequence[int] = ()) -> tuple[str, int]:
    """The questions file at `path` with those of searches added, and how many were. `searches` holds one JSON object,
    or one in each line. A question that the file has already gets the new answers beside its own."""
    records: list[dict[str, Any]] = []
    if path.exists():
        if problems := read_questions(path).problems:
            raise ConfigError(f"{problems[0]}; correct it, or record to another file")
        try:
            records = [json.loads(line) for line in path.read_text(encoding="utf-8-sig").split("\n") if line.strip()]
        except ValueError:
            raise ConfigError(f"{path}: expected JSON lines to add to; record to another file") from None
    known = {one["question"]: one for one in records if "question" in one and isinstance(one.get("answers"), list)}
    added = 0
    for number, search in enumerate(_searches(searches), 1):
        question, answers = _answers(search, ranks, f"search {number}")
        if not answers:
            continue
        if question not in known:
            known[question] = {"id": f"r{len(records) + 1}", "question": question, "answers": []}
            records.append(known[question])
        have = known[question]["answers"]
        have += [one for one in answers if one not in have]
        added += 1
    if not added:
        raise ConfigError('no hit is marked: name ranks with --hits 1,3, or set "relevant": true on hits')
    return "".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in records), added


def _searches(text: str) -> list[Any]:
    try:
        try:
            return [json.loads(text)]
        except ValueError:
            return [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError):
        raise ConfigError(f"{_EXPECTED}, one JSON object or one in each line") from None


def _answers(search: Any, ranks: Sequence[int], place: str) -> tuple[str, list[dict[str, Any]]]:
    """The question of a search, and the places of the hits that count."""
    if not isinstance(search, Mapping) or not isinstance(search.get("query"), str):
        raise ConfigError(f"{place}: {_EXPECTED}, with `query` and `hits`")
    hits = search.get("hits")
    if not isinstance(hits, list):
        raise ConfigError(f"{place}: {_EXPECTED}, with a list as `hits`")
    if ranks and max(ranks) > len(hits):
        raise ConfigError(f"--hits: {place} has {len(hits)} hits, got {max(ranks)}")
    found = []
    for rank, hit in enumerate(hits, 1):
        if isinstance(hit, Mapping) and (rank in ranks or hit.get("relevant") is True):
            cited = hit.get("citations")
            found += [_answer(one, f"{place}, hit {rank}") for one in (cited if isinstance(cited, list) else [None])]
    return search["query"], found


def _answer(cited: Any, place: str) -> dict[str, Any]:
    if (
        not isinstance(cited, Mapping)
        or not isinstance(cited.get("doc"), str)
        or type(cited.get("start")) is not int
        or type(cited.get("end")) is not int
    ):
        raise ConfigError(f"{place}: {_EXPECTED}, with citations that have `doc`, `start` and `end`")
    out = {"doc": cited["doc"], "start": cited["start"], "end": cited["end"]}
    quote = cited.get("quote")
    # With its text an answer is found again after the document was edited.
    return {**out, "text": quote} if isinstance(quote, str) and len(quote) == out["end"] - out["start"] else out
