"""Every embedder of ours keeps the contract that plugins are tested by.

The endpoint is a real HTTP server on loopback (`harness.endpoint`) with the embedder `hash` behind it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from harness.endpoint import Endpoint, serving
from seamline.embed import load
from seamline.embed.bundled import FOLDER, MINILM
from seamline.embed.hashing import HashEmbedder
from seamline.embed.onnx import OnnxEmbedder, OnnxOptions
from seamline.embed.remote import RemoteEmbedder
from seamline.embed.static import StaticEmbedder
from seamline.protocols import Embedder
from seamline.testing.embedders import EmbedderContract

MODEL, TOKENIZER = (FOLDER / name for name in MINILM.files)
SMALL = OnnxOptions(pooling="cls", window=64, query="question: ", passage="text: ")


@cache
def bundled(name: str, number: int) -> Embedder:
    return load(name, threads=number)


@cache
def onnx(number: int, reading: OnnxOptions) -> Embedder:
    return OnnxEmbedder(MODEL, TOKENIZER, reading, threads=number)


class TestMinilm(EmbedderContract):
    noise = 0.0

    def make(self) -> Embedder:
        return bundled("minilm", 1)

    def again(self) -> Embedder:
        return bundled("minilm", 2)

    def other(self) -> Embedder:
        return onnx(1, SMALL)


class TestSeam(EmbedderContract):
    noise = 0.0

    def make(self) -> Embedder:
        return bundled("seam", 1)

    def again(self) -> Embedder:
        return bundled("seam", 2)

    def other(self) -> Embedder:
        return bundled("minilm", 1)


class TestQuality(EmbedderContract):
    noise = 0.0

    def make(self) -> Embedder:
        return bundled("quality", 1)

    def again(self) -> Embedder:
        return bundled("quality", 2)

    def other(self) -> Embedder:
        return bundled("seam", 1)


class TestOnnxFile(EmbedderContract):
    noise = 0.0

    def make(self) -> Embedder:
        return onnx(1, SMALL)

    def again(self) -> Embedder:
        return onnx(2, SMALL)

    def other(self) -> Embedder:
        return onnx(1, OnnxOptions(pooling="mean", window=64, query="question: ", passage="text: "))


class TestStatic(EmbedderContract):
    noise = 0.0

    def make(self) -> Embedder:
        return StaticEmbedder()

    def other(self) -> Embedder:
        return HashEmbedder()


class TestHash(EmbedderContract):
    noise = 0.0

    def make(self) -> Embedder:
        return HashEmbedder()

    def other(self) -> Embedder:
        return HashEmbedder(dimensions=512)


class TestRemote(EmbedderContract):
    endpoint: Endpoint

    @pytest.fixture(autouse=True, scope="class")
    @classmethod
    def server(cls) -> Iterator[None]:
        with serving(HashEmbedder()) as cls.endpoint:
            yield

    def make(self) -> Embedder:
        return RemoteEmbedder(self.endpoint.url, "hash", most_texts=3, most_characters=4000)

    def other(self) -> Embedder:
        return RemoteEmbedder(self.endpoint.url, "hash", dimensions=256)
