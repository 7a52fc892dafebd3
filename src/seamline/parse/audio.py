"""Sound and video: what is said in them, by whom it can not be told, and when.

The sound is cut at silences into windows of half a minute, so that no word is cut and a long recording fits the memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from seamline.errors import MissingExtra, ParseError
from seamline.parse.asr import Transcriber, transcriber
from seamline.parse.isolate import time_budget
from seamline.parse.raw import Parsed, Raw
from seamline.parse.silence import Listener, judge
from seamline.parse.sound import RATE, Streams, Track, streams
from seamline.parse.transcript import confidence
from seamline.parse.turns import Marks, Said, in_order, write
from seamline.types import Notice

if TYPE_CHECKING:
    from seamline.parse.sound import Samples

WINDOW = 30.0
"""Seconds that the model hears at once."""
_SHORTEST = 12.0
"""Seconds of a window that is cut at a silence."""
_COST = 60.0
"""Seconds of CPU time that a window may take; five are usual."""
_LONGEST = 6 * 3600
"""Seconds of a recording that are heard."""


def parse(raw: Raw) -> Parsed:
    """Turns of speech with their times."""
    found = streams(raw.data, raw.uri)
    if not found.has_sound:
        return Parsed("", [], notices=(Notice("sound-missing", "there is no sound track in it: nothing was heard"),))
    is_speech, by = judge()
    hearing = _Hearing(transcriber(), Listener(is_speech))
    track = Track(raw.data, raw.uri)
    said, notices = in_order(hearing.all(track.pieces()))
    notices += hearing.notices
    if track.damaged:
        message = f"{track.damaged} parts of the sound could not be decoded: passed over"
        notices.append(Notice("sound-damaged", message))
    if by == "loudness":
        notices.append(Notice("silence-by-loudness", "silences were told by loudness: music counts as speech"))
    scenes = _scenes(raw, found, notices)
    text, blocks, anchors = write(said, Marks(hearing.listener.silences(), scenes))
    if not text:
        notices.append(Notice("speech-missing", "no speech was heard in it"))
    meta: dict[str, Any] = {"duration": round(hearing.seconds, 3), "transcriber": hearing.engine.name}
    if hearing.engine.language:
        meta["language"] = hearing.engine.language
    return Parsed(text, blocks, meta=meta, anchors=anchors, notices=tuple(notices), confidence=confidence(said))


class _Hearing:
    """Hears a recording window by window."""

    def __init__(self, engine: Transcriber, listener: Listener) -> None:
        self.engine = engine
        self.listener = listener
        self.seconds = 0.0
        """Heard so far."""
        self.notices: list[Notice] = []

    def all(self, pieces: Iterator[Samples]) -> Iterator[Said]:
        import numpy as np

        waiting: Samples = np.zeros(0, dtype=np.float32)
        judged = 0
        for piece in pieces:
            waiting = np.concatenate([waiting, piece])
            judged += self._judge(waiting[judged:])
            while waiting.size > (WINDOW + 2) * RATE:
                cut = self.listener.best_cut(self.seconds + _SHORTEST, self.seconds + WINDOW) - self.seconds
                size = min(int(cut * RATE), int(WINDOW * RATE))
                yield from self._window(waiting[:size])
                waiting, judged = waiting[size:], judged - size
            if self.seconds > _LONGEST:
                message = f"only the first {_LONGEST // 3600} hours were heard: split the recording"
                self.notices.append(Notice("sound-cut", message))
                return
        while waiting.size:
            yield from self._window(waiting[: int(WINDOW * RATE)])
            waiting = waiting[int(WINDOW * RATE) :]

    def _judge(self, samples: Samples) -> int:
        """Listen for silence; how many samples were judged."""
        before = self.listener.seconds
        self.listener.feed(samples)
        return round((self.listener.seconds - before) * RATE)

    def _window(self, samples: Samples) -> Iterator[Said]:
        start = self.seconds
        self.seconds += samples.size / RATE
        if not self.listener.speaks(start, self.seconds):
            return
        time_budget.ask(_COST)
        for one in self.engine.transcribe(samples):
            if one.time is not None:
                one = replace(one, time=(round(start + one.time[0], 3), round(start + one.time[1], 3)))
            yield one


def _scenes(raw: Raw, found: Streams, notices: list[Notice]) -> tuple[float, ...]:
    """Where the pictures change; a recording without them has no scenes."""
    if not found.has_pictures:
        return ()
    from seamline.parse.scenes import changes

    time_budget.ask(_COST + found.seconds)
    try:
        return changes(raw.data)
    except (MissingExtra, ParseError) as error:
        notices.append(Notice("scenes-not-found", f"scenes of the video were not looked for: {error}"))
        return ()
