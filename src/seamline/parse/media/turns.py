"""What is said, by whom and when -> turns: the words of one speaker between two others, or between two pauses."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from seamline.anchors import Anchors
from seamline.parse.builder import DocumentBuilder, PlacedText
from seamline.types import Block, Detail, Enclosure, Notice

PAUSE = 2.0
"""Seconds of silence that end a turn."""
_NEAR = 0.5
"""Seconds by which the times of words and of what is heard between them may differ."""
_LONGEST = 1_000_000.0
"""Seconds; a time later than eleven days is a mistake."""
_PREFIX = re.compile(r"(?:>>+ ?|- ?)?([A-ZÀ-ÖØ-Þ\u0400-\u042F][\w.'’&-]*+(?: [\w.'’&#()-]++){0,3}) ?: +(?=\S)")


@dataclass(frozen=True, slots=True)
class Utterance:
    """Something that was said without a break."""

    text: str
    time: tuple[float, float] | None = None
    """Seconds from, to; None where the source does not say, or nothing that can be."""
    speaker: str = ""
    source: tuple[int, int] | None = None
    """Where it stands in the decoded source."""
    lines: tuple[int, int] | None = None
    confidence: float | None = None

    def place(self) -> dict[str, Any]:
        known = {"time": self.time, "speaker": self.speaker or None, "source": self.source, "lines": self.lines}
        # Lists, as JSON has them and parsers in a process of their own give them.
        return {key: list(value) if isinstance(value, tuple) else value for key, value in known.items() if value}


@dataclass(frozen=True, slots=True)
class TurnMarks:
    """What else parts turns, in seconds from the start."""

    silences: tuple[tuple[float, float], ...] = ()
    scenes: tuple[float, ...] = ()

    def keyframe(self, one: Utterance) -> dict[str, float]:
        """When the scene starts in which something is said; nothing where there are no scenes or no times."""
        if not self.scenes or one.time is None:
            return {}
        before = bisect_right(self.scenes, one.time[0] + _NEAR)
        return {"keyframe": self.scenes[before - 1] if before else 0.0}


def name_speakers(said: Sequence[Utterance]) -> list[Utterance]:
    """Speakers that only the text names, as in `ANNA: Good morning.`

    A word before a colon is a name where it is in capitals, comes twice or says so: `Note:` on its own is none.
    """
    found = [None if one.speaker else _PREFIX.match(one.text) for one in said]
    often = Counter(match[1] for match in found if match)
    out: list[Utterance] = []
    for one, match in zip(said, found, strict=True):
        if match and (often[match[1]] > 1 or match[1].isupper() or match[1].startswith("Speaker ")):
            one = replace(one, speaker=match[1], text=one.text[match.end() :])
        out.append(one)
    return out


def order_times(said: Iterable[Utterance]) -> tuple[list[Utterance], list[Notice]]:
    """The same with times that never go back: people talk over each other, and files are wrong."""
    out: list[Utterance] = []
    at = 0.0
    wrong = moved = 0
    for one in said:
        if one.time is not None:
            start, end = one.time
            if not (0 <= start <= _LONGEST and 0 <= end <= _LONGEST):
                wrong += 1
                one = replace(one, time=None)
            else:
                if start < at or end < start:
                    moved += 1
                    start = max(at, start)
                    one = replace(one, time=(start, max(start, end)))
                at = start
        out.append(one)
    notices = []
    if wrong:
        notices.append(Notice("time-impossible", f"{wrong} of {len(out)} times cannot be: left out"))
    if moved:
        message = f"{moved} of {len(out)} times start before an earlier one, or end before they start: moved up"
        notices.append(Notice("time-backwards", message))
    return out, notices


def write_turns(said: Sequence[Utterance], marks: TurnMarks | None = None) -> tuple[str, list[Block], Anchors | None]:
    """The text, blocks and anchors of what was said, in order of time."""
    builder = DocumentBuilder()
    marks = marks or TurnMarks()
    for turn in _turns(said, marks):
        name = f"{turn.said[0].speaker}: " if turn.said[0].speaker else ""
        places = [{**one.place(), **marks.keyframe(one)} for one in turn.said]
        texts = [f"{name if index == 0 else ''}{one.text} " for index, one in enumerate(turn.said)]
        runs = list(map(PlacedText, texts, places))
        builder.paragraph(runs, kind="turn", detail=turn.detail)
    text, blocks, anchors = builder.finish()
    return text, [_label_turn(text, block) for block in blocks], anchors


def _label_turn(text: str, block: Block) -> Block:
    """Every part of a long turn says who speaks."""
    if block.detail is None or not block.detail.speaker:
        return block
    end = text.index(":", block.start + len(block.detail.speaker)) + 1
    return block._replace(detail=block.detail._replace(enclosure=Enclosure(block.start, end)))


@dataclass(frozen=True, slots=True)
class _Turn:
    said: list[Utterance]
    detail: Detail | None


def _turns(said: Sequence[Utterance], marks: TurnMarks) -> list[_Turn]:
    turns: list[_Turn] = []
    last = 0.0
    for one in said:
        start = one.time[0] if one.time else last
        pause = _pause(last, start, marks) if turns else 0.0
        scene = bool(turns) and _between(marks.scenes, last - _NEAR, start + _NEAR)
        if not turns or one.speaker != turns[-1].said[0].speaker or pause > PAUSE or scene:
            known = one.speaker or pause > 0 or scene
            detail = Detail(speaker=one.speaker, pause=round(pause, 3) if pause > 0 else None, scene=scene)
            turns.append(_Turn([], detail if known else None))
        turns[-1].said.append(one)
        last = max(last, one.time[1]) if one.time else last
    return turns


def _between(times: Sequence[float], low: float, high: float) -> bool:
    at = bisect_left(times, low)
    return at < len(times) and times[at] <= high


def _pause(last: float, start: float, marks: TurnMarks) -> float:
    """Seconds between two things said; where silences were listened for, the length of those heard there: engines
    let the times of words run into them."""
    if not marks.silences:
        return max(0.0, start - last)
    low, high = last - _NEAR, start + _NEAR
    total = 0.0
    for index in range(bisect_left(marks.silences, low, key=lambda one: one[1]), len(marks.silences)):
        begins, ends = marks.silences[index]
        if begins >= high:
            break
        total += ends - begins
    return total
