"""Vectors of the teacher, the bundled model: of texts, and of every word piece of its vocabulary alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.common import progress
from benchmarks.engine import embedder, vocabulary
from benchmarks.vectors import VectorFile

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float32]


class Teacher:
    """The bundled model, with a folder for what it has embedded: a second run takes seconds."""

    def __init__(self, folder: Path, threads: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.model = embedder(threads)
        self.cache = VectorFile(folder / "vectors.sqlite")

    def embed(self, texts: Sequence[str], what: str) -> Array:
        from seamline.embed.run import embed_all, stack_vectors

        def told(done: int, total: int) -> None:
            progress(f"teacher: {done} of {total} {what}")

        made, _ = embed_all(self.model, texts, cache=self.cache, progress=told)
        return stack_vectors(made, self.model.dimensions)

    def pieces(self) -> Array:
        """Of each entry of the vocabulary between the marks of start and end, and of the empty text in place 0.

        A piece that goes on a word (`##ing`) is given to the model as it is, by its number: no text would make it.
        """
        file = self.folder / "pieces.npy"
        if not file.exists():
            np.save(file, self._pieces())
        found: Array = np.load(file)
        return found

    def _pieces(self) -> Array:
        rows = [self.model._run([piece])[0] for piece in range(1, len(vocabulary()))]
        return np.array([self.model._run([])[0], *rows], np.float32)
