"""The sound of a recording, as mono samples of 16 kHz, piece by piece: an hour of it at once would fill the memory."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

from seamline.errors import ParseError
from seamline.extras import needed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Samples = NDArray[np.float32]

RATE = 16_000
"""Samples in a second."""
_PIECE = 5 * RATE
_MOST_DAMAGED = 1000


class Streams(NamedTuple):
    """What a recording holds."""

    has_sound: bool
    has_pictures: bool
    seconds: float
    """As the file says; 0 where it does not."""


def streams(data: bytes, uri: str) -> Streams:
    """What there is to hear and to see."""
    with _opened(data, uri) as container:
        video = [one for one in container.streams.video if not one.disposition & _cover()]
        return Streams(bool(container.streams.audio), bool(video), (container.duration or 0) / 1_000_000)


class Track:
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
        with _opened(self._data, self._uri) as container:
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


def _opened(data: bytes, uri: str) -> Any:
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
