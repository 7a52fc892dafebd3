"""WebVTT and SubRip: cues become turns of speech, each with its time and its place in the file.

One pass over the lines. What only styles or positions the text is left out; tags are taken off the words.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from seamline.errors import ParserGaveUp
from seamline.parse.media.turns import Utterance, name_speakers, order_times, write_turns
from seamline.parse.parser_types import ParseInput, ParseResult
from seamline.runtime import gc_paused
from seamline.types import Notice, collapse

_LINE = re.compile(r"([^\r\n]*+)(?:\r\n?|\n|\Z)")
_TIME = r"(-?)(?:(\d++):)?(\d++):(\d++)(?:[.,](\d++))?"
_TIMING = re.compile(rf"\s*+{_TIME}\s*+-->\s*+{_TIME}(?=\s|\Z)")
_SKIPPED = re.compile(r"(NOTE|STYLE|REGION)(?=\s|\Z)")
_VOICE = re.compile(r"<v(?:\.[^\s<>]*+)?\s([^<>]*+)>|</v>")
_TAG = re.compile(r"</?[A-Za-z][^<>]*+>|<\d[\d:.]*+>|</>|\{\\[^{}]*+\}")


class _Line(NamedTuple):
    number: int
    start: int
    text: str
    time: tuple[float, float] | None
    """Where it is the timing of a cue."""


class _Cue(NamedTuple):
    time: tuple[float, float]
    lines: list[_Line]


def parse(raw: ParseInput) -> ParseResult:
    """Cues of a VTT or SRT file."""
    with gc_paused():
        return _parse_cues(raw)


def _parse_cues(raw: ParseInput) -> ParseResult:
    reading = _Reading(raw.text)
    cues = reading.cues()
    cues, repeated = _unroll(cues)
    said, moved = order_times(name_speakers([one for cue in cues for one in _utterances(cue)]))
    text, blocks, anchors = write_turns(said)
    if not text and any(line.text.strip("\ufeff \t") for line in reading.lost):
        raise ParserGaveUp("no cue says anything, and lines outside of cues do: it is no file of subtitles", raw.uri)
    notices = [*reading.notices(), *moved]
    if repeated:
        message = f"{repeated} lines repeat the cue before them, as captions that roll do: each is kept once"
        notices.append(Notice("captions-rolling", message))
    if not text:
        notices.append(Notice("subtitles-empty", "no cue says anything"))
    return ParseResult(text, blocks, anchors=anchors, notices=tuple(notices))


class _Reading:
    """One pass over the lines of a file."""

    def __init__(self, text: str) -> None:
        self._lines = [
            _Line(number, found.start(1), found[1], _timing(found[1]) if "-->" in found[1] else None)
            for number, found in enumerate(_LINE.finditer(text, 1 if text.startswith("\ufeff") else 0), 1)
        ]
        self._skipped: Counter[str] = Counter()
        self.lost: list[_Line] = []
        """Lines outside of all cues."""
        self._is_vtt = bool(self._lines) and self._lines[0].text.startswith("WEBVTT")

    def cues(self) -> list[_Cue]:
        cues: list[_Cue] = []
        at = self._blank_from(0) if self._is_vtt else 0
        inside = False
        lines, count = self._lines, len(self._lines)
        while at < count:
            line = lines[at]
            stripped = line.text.strip()
            if line.time is not None:
                cues.append(_Cue(line.time, []))
                inside = True
            elif not stripped:
                inside = False
            elif at + 1 < count and lines[at + 1].time and (not inside or stripped.isdigit()):
                inside = False  # the name or number of the next cue
            elif inside:
                cues[-1].lines.append(line)
            elif self._is_vtt and (kind := _SKIPPED.match(line.text)):
                self._skipped[kind[1]] += 1
                at = self._blank_from(at)
            elif cues and not self._is_vtt and not stripped.isdigit():
                cues[-1].lines.append(line)  # after a blank line inside a cue
            else:
                self.lost.append(line)
            at += 1
        return cues

    def _blank_from(self, at: int) -> int:
        """The first blank line from `at` on, or the line before a timing, which ends any other part of a file."""
        while at + 1 < len(self._lines) and self._lines[at].text.strip() and not self._lines[at + 1].time:
            at += 1
        return at

    def notices(self) -> Iterator[Notice]:
        if self._skipped:
            parts = ", ".join(f"{count} {kind}" for kind, count in sorted(self._skipped.items()))
            yield Notice("subtitles-skipped", f"left out what is no speech: {parts}")
        if self.lost:
            first = self.lost[0]
            message = f"{len(self.lost)} lines belong to no cue and are left out, the first is {first.text[:40]!r}"
            yield Notice("subtitles-outside", message, f"line {first.number}")


def _timing(line: str) -> tuple[float, float] | None:
    """Seconds from, to; None where a line is no timing."""
    found = _TIMING.match(line)
    return None if found is None else (_seconds(*found.groups()[:5]), _seconds(*found.groups()[5:]))


def _seconds(sign: str, hours: str | None, minutes: str, seconds: str, fraction: str | None) -> float:
    """Infinite where the numbers are no time at all."""
    if max(len(hours or ""), len(minutes), len(seconds)) > 6 or int(seconds) > 60 or (hours and int(minutes) > 60):
        return float("inf")
    whole = int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds) + float(f"0.{(fraction or '0')[:9]}")
    return -whole if sign else whole


def _unroll(cues: list[_Cue]) -> tuple[list[_Cue], int]:
    """Cues without the lines that only repeat the cue before, where that is how the file rolls its captions."""
    texts = [[_plain(line.text) for line in cue.lines] for cue in cues]
    shared = [_count_shared(before, after) for before, after in zip([[], *texts], texts, strict=False)]
    long = sum(len(text) > 1 for text in texts)
    rolled = sum(count > 0 and len(text) > 1 for count, text in zip(shared, texts, strict=True))
    if rolled < 3 or 2 * rolled < long:
        return cues, 0
    kept = [cue._replace(lines=cue.lines[count:]) for cue, count in zip(cues, shared, strict=True)]
    return kept, sum(shared)


def _count_shared(before: list[str], after: list[str]) -> int:
    """How many lines a cue begins with that the cue before ends with."""
    for count in range(min(len(before), len(after), 4), 0, -1):
        if before[-count:] == after[:count]:
            return count
    return 0


def _utterances(cue: _Cue) -> Iterator[Utterance]:
    """What a cue says: one part for each voice in it."""
    speaker = ""
    words: list[str] = []
    parts: list[tuple[str, list[str]]] = [(speaker, words)]
    for line in cue.lines:
        at = 0
        for voice in _VOICE.finditer(line.text):
            words.append(line.text[at : voice.start()])
            at = voice.end()
            speaker = collapse(_plain(voice[1] or ""))
            words = []
            parts.append((speaker, words))
        words.append(line.text[at:] + " ")
    if not cue.lines:
        return
    first, last = cue.lines[0], cue.lines[-1]
    source, lines = (first.start, last.start + len(last.text)), (first.number, last.number)
    for speaker, words in parts:
        if text := collapse(_plain("".join(words))):
            yield Utterance(text, cue.time, speaker, source, lines)


def _plain(text: str) -> str:
    """Without tags, and with characters for entities."""
    if "<" in text or "{" in text:
        text = _TAG.sub("", text)
    return html.unescape(text).strip() if "&" in text else text.strip()
