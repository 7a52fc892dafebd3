"""The bundled embedders: `seam`, the default; `quality`, twice as deep; `minilm`, from which both were trained.

They work offline, and are models for English; texts in other languages they know by names, numbers and the words they
share with English. A word of more than 100 letters, such as a long hash, is one unknown word to them, and so is each
character of a script they never saw. Texts longer than a window are read in several.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from seamline.embed.address import parse
from seamline.embed.onnx import Known, OnnxEmbedder, OnnxOptions, file_hash
from seamline.errors import INDEX, ProviderError
from seamline.protocols import EmbedderRequest

FOLDER = Path(__file__).with_name("models")
DIMENSIONS = 384
_TOKENIZER = {"minilm.tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"}


class BundledModel(NamedTuple):
    """A model that is part of the install."""

    files: Mapping[str, str]
    """Its weights and its tokenizer, with the SHA-256 of what is shipped. Where they are from: models/PROVENANCE.md."""
    window: int
    """Word pieces that it reads at once."""
    balance: float
    """The cosine at which blocks are as likely neighbours as distant; benchmarks/calibrate.py."""


SEAM = BundledModel(
    {"seam.int8.onnx": "bfab45295a19072ddef87f4e4c822b2ed71aab035bd5d9317d70bc1c7ee3a40e", **_TOKENIZER},
    window=512,
    balance=0.43,
)
"""Three layers, trained on questions about documentation, code and tables: see train/ in the repository."""
QUALITY = BundledModel(
    {"quality.int8.onnx": "dbb9a6db2f52f475a0c71388178fd7d81566631c319033c409d14def28d220a9", **_TOKENIZER},
    window=512,
    balance=0.49,
)
"""Six layers, trained on documentation, code and tables as well: finds a little more, at less than half the speed."""
MINILM = BundledModel(
    {"minilm.int8.onnx": "02856a257e341cac901514d78d8d9a0b00ad3679dde5ef668faae4d6c924ea60", **_TOKENIZER},
    window=256,
    balance=0.49,
)
"""all-MiniLM-L6-v2, six layers."""
RERANKER = {"reranker.int8.onnx": "21dce8bd83a3a542c6f1afc906f82bd2e6a0ad9f17bd44884904ac2085e3c08a", **_TOKENIZER}
"""The cross-encoder `seam`; see `seamline.pipeline.bundled_reranker`."""
MODELS: Mapping[str, BundledModel] = {"seam": SEAM, "quality": QUALITY, "minilm": MINILM}


def bundled(name: str, threads: int | None = None, folder: Path = FOLDER) -> OnnxEmbedder:
    """A bundled model, from files that are what was shipped."""
    files, window, balance = MODELS[name]
    check(folder, files)
    model, tokenizer = (folder / file for file in files)
    known = Known(DIMENSIONS, [*files.values()])
    embedder = OnnxEmbedder(model, tokenizer, OnnxOptions("mean", window), name=name, threads=threads, known=known)
    embedder.balance = balance
    return embedder


def check(folder: Path, files: Mapping[str, str], install: str = INDEX) -> None:
    """Raise where a bundled file is missing or was changed. 14 ms, so it is done at every start."""
    for name, expected in files.items():
        path = folder / name
        if not path.is_file() or file_hash(path) != expected:
            state = "is missing" if not path.is_file() else "is not the file that was shipped"
            again = install.replace("install", "install --force-reinstall", 1)
            raise ProviderError(f"{path} {state}: run `{again}`")


def make(request: EmbedderRequest) -> OnnxEmbedder:
    """The bundled model that a name asks for."""
    parse(request.name)  # refuses settings
    return bundled(request.name, request.threads)
