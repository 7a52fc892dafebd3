"""The bundled embedder, `minilm`: all-MiniLM-L6-v2 with weights of 8 bits. Works offline, from the install.

A model for English; texts in other languages it knows by names, numbers and the words they share with English. It reads
256 word pieces at once, about 190 words, and longer texts in windows. A word of more than 100 letters, such as a long
hash, is one unknown word to it, and so is each character of a script it never saw.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from seamline.embed.address import parse
from seamline.embed.onnx import Known, OnnxEmbedder, OnnxOptions, file_hash
from seamline.errors import INDEX, ProviderError
from seamline.protocols import EmbedderRequest

FOLDER = Path(__file__).with_name("models")
FILES = {
    "minilm.int8.onnx": "02856a257e341cac901514d78d8d9a0b00ad3679dde5ef668faae4d6c924ea60",
    "minilm.tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
"""SHA-256 of what is bundled; models/PROVENANCE.md says where it is from."""


DIMENSIONS = 384


def minilm(threads: int | None = None, folder: Path = FOLDER) -> OnnxEmbedder:
    """The bundled model, from files that are what was shipped."""
    check(folder)
    model, tokenizer = (folder / name for name in FILES)
    known = Known(DIMENSIONS, [*FILES.values()])
    return OnnxEmbedder(model, tokenizer, OnnxOptions("mean", 256), name="minilm", threads=threads, known=known)


def check(folder: Path = FOLDER, files: Mapping[str, str] = FILES, install: str = INDEX) -> None:
    """Raise where a bundled file is missing or was changed. 14 ms, so it is done at every start."""
    for name, expected in files.items():
        path = folder / name
        if not path.is_file() or file_hash(path) != expected:
            state = "is missing" if not path.is_file() else "is not the file that was shipped"
            again = install.replace("install", "install --force-reinstall", 1)
            raise ProviderError(f"{path} {state}: run `{again}`")


def make(request: EmbedderRequest) -> OnnxEmbedder:
    """The bundled model, as a name asks for it."""
    parse(request.name)  # refuses settings
    return minilm(request.threads)
