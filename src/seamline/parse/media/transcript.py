"""Transcripts as JSON: what speech recognition writes, by Whisper and by services that name things alike."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from seamline.parse.media.turns import Utterance, name_speakers, order_times, write_turns
from seamline.parse.parser_types import ParseInput, ParseResult
from seamline.parse.tables.json import nesting_depth
from seamline.types import Notice, collapse

_SEGMENTS = ("segments", "utterances", "audio_segments", "monologues", "chunks")
_STARTS = ("start", "start_time", "from", "ts")
_ENDS = ("end", "end_time", "to", "end_ts")
_TEXTS = ("text", "transcript", "utterance", "content")
_SPEAKERS = ("speaker", "speaker_label", "speaker_name", "speaker_id")


def parse(raw: ParseInput) -> ParseResult:
    """Segments with their times and speakers; JSON that is no transcript after all is read as what it is."""
    value = read_value(raw)
    segments = _list_of(value)
    if segments is None:
        from seamline.parse.tables import json as json_table

        notice = Notice("transcript-none", "no segments of a transcript were found: read as JSON")
        parsed = json_table.parse(raw)
        return replace(parsed, notices=(notice, *parsed.notices))
    found = [one for segment in segments if (one := _utterance(segment)) is not None]
    said, notices = order_times(name_speakers(found))
    if len(found) < len(segments):
        dropped = len(segments) - len(found)
        notices.append(Notice("transcript-empty-segments", f"{dropped} of {len(segments)} segments hold no text"))
    text, blocks, anchors = write_turns(said)
    meta = {"language": value["language"]} if isinstance(value, dict) and isinstance(value.get("language"), str) else {}
    return ParseResult(text, blocks, meta=meta, anchors=anchors, notices=tuple(notices), confidence=confidence(said))


def confidence(said: Sequence[Utterance]) -> float:
    """How sure the words are, weighed by their length; 1 where nothing says."""
    known = [(one.confidence, len(one.text)) for one in said if one.confidence is not None]
    total = sum(length for _, length in known)
    return round(sum(sure * length for sure, length in known) / total, 4) if total else 1.0


def read_value(raw: ParseInput) -> Any:
    """What the text says; None where it is no JSON."""
    if nesting_depth(raw.text) > raw.limits.depth:
        return None
    try:
        return json.loads(raw.text.removeprefix("\ufeff"), strict=False, parse_int=_integer)
    except (ValueError, RecursionError):
        return None


def _integer(digits: str) -> float:
    return float(digits[:400])


def _list_of(value: Any) -> Sequence[Any] | None:
    """The list of segments: the value itself, or under a name that is known, at most two levels down."""
    level = [value]
    for _ in range(3):
        below: list[Any] = []
        for one in level:
            if isinstance(one, list) and any(isinstance(part, Mapping) and _text(part) for part in one[:20]):
                return one
            if isinstance(one, Mapping):
                below += [one[name] for name in _SEGMENTS if name in one] + [one[k] for k in ("results",) if k in one]
        level = below
    return None


def _utterance(segment: Any) -> Utterance | None:
    if not isinstance(segment, Mapping) or not (text := collapse(_text(segment))):
        return None
    times = _number(segment, _STARTS), _number(segment, _ENDS)
    pair = segment.get("timestamp")
    if times[0] is None and isinstance(pair, list) and len(pair) == 2:
        times = _seconds(pair[0]), _seconds(pair[1])
    start, end = times
    time = None if start is None else (start, start if end is None else end)
    return Utterance(text, time, _speaker(segment), confidence=_confidence(segment))


def _text(segment: Mapping[str, Any]) -> str:
    value = next((segment[name] for name in _TEXTS if isinstance(segment.get(name), str)), "")
    return value.encode("utf-8", "replace").decode()


def _speaker(segment: Mapping[str, Any]) -> str:
    """A name; a mere number is that of a speaker."""
    value = next((segment[name] for name in _SPEAKERS if segment.get(name) is not None), "")
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    name = collapse(f"{value:g}" if isinstance(value, float) else str(value)).encode("utf-8", "replace").decode()
    return f"Speaker {name}" if name.isdigit() else name


def _number(segment: Mapping[str, Any], names: Sequence[str]) -> float | None:
    return next((found for name in names if (found := _seconds(segment.get(name))) is not None), None)


def _seconds(value: Any) -> float | None:
    if isinstance(value, str) and value.replace(".", "", 1).isdigit():
        value = float(value[:40])
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _confidence(segment: Mapping[str, Any]) -> float | None:
    """By Whisper as the logarithm of a probability, by others as one."""
    logarithm = _seconds(segment.get("avg_logprob"))
    sure = _seconds(segment.get("confidence")) if logarithm is None else math.exp(min(logarithm, 0.0))
    return sure if sure is not None and 0 <= sure <= 1 else None
