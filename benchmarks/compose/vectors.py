"""Vectors of the bundled model, worked out once and kept in a file, so that nobody's figures hold their cost."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any

from benchmarks import engine

DIMENSIONS = 384


class Vectors:
    """One row per text. Counts the texts, and the time that is not to be measured."""

    def __init__(self, file: Path | None) -> None:
        """`file` holds the vectors that are known; None to work out every one, within what is measured."""
        import numpy as np

        self._file = file
        self._known: dict[bytes, Any] = {}
        if file and file.exists():
            with np.load(file) as held:
                self._known = dict(zip((row.tobytes() for row in held["keys"]), held["rows"], strict=True))
        self.texts = 0
        self.missed = 0
        """Texts that were in no file: a measurement with any of them does not count."""
        self.cpu = 0.0
        self.wall = 0.0

    def of(self, texts: Sequence[str]) -> Any:
        """One row of length 1 per text."""
        self.texts += len(texts)
        if self._file is None:
            return self._model.embed(texts)
        wall, cpu = time.perf_counter(), time.thread_time()
        rows = self._held(texts)
        self.cpu += time.thread_time() - cpu
        self.wall += time.perf_counter() - wall
        return rows

    def warm(self) -> None:
        """Load the model, where it is needed."""
        if self._file is None:
            self._model.embed(["warm"])

    @property
    def fingerprint(self) -> str:
        """Of the model, worked out without loading it."""
        return blake2b(b"".join(Path(file).read_bytes() for file in engine.model_files()), digest_size=16).hexdigest()

    def save(self) -> None:
        """Keep what was new for the next process."""
        import numpy as np

        if self._file and self.missed:
            keys = np.array([np.frombuffer(key, np.uint8) for key in self._known])
            new = self._file.with_suffix(".new.npz")
            np.savez(new, keys=keys, rows=np.stack(list(self._known.values())))
            new.replace(self._file)

    def _held(self, texts: Sequence[str]) -> Any:
        import numpy as np

        keys = [blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest() for text in texts]
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._known}
        if new:
            self.missed += len(new)
            self._known |= dict(zip(new, self._model.embed(list(new.values())), strict=True))
        return np.stack([self._known[key] for key in keys]) if keys else np.empty((0, DIMENSIONS), np.float32)

    @cached_property
    def _model(self) -> Any:
        return engine.embedder(threads=1 if self._file is None else 0)
