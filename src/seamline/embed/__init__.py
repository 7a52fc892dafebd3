"""Texts in, vectors out: by a bundled model, any ONNX file, or a service that speaks the OpenAI way."""

from __future__ import annotations

from importlib.util import find_spec
from inspect import getattr_static
from pathlib import Path
from typing import TYPE_CHECKING

from seamline.embed.address import EmbedderAddress, parse
from seamline.errors import (
    INDEX,
    ConfigError,
    MissingExtra,
    command,
)
from seamline.protocols import Embedder

if TYPE_CHECKING:
    from seamline.embed.onnx import OnnxEmbedder

DEFAULT = "minilm"
SEMANTIC = command("semantic")


def load(
    embedder: str | Embedder = DEFAULT,
    *,
    threads: int | None = None,
    key: str = "",
    timeout: float = 60.0,
    expected: int | None = None,
) -> Embedder:
    """The embedder that a name means; an Embedder is what it is.

    | name | embedder |
    |---|---|
    | `minilm` | the bundled model, offline |
    | `path/model.onnx` | any ONNX model with a `tokenizer.json` beside it |
    | `path/model.onnx?pooling=cls&window=512&query=query:%20&tokenizer=t.json` | and how it is used |
    | `openai:MODEL` | a model of OpenAI |
    | `openai:MODEL@URL?dimensions=512` | a model of any service that speaks the same language |
    | `static` | a bundled table of words: fast, for the dips between sentences, poor for search |
    | `hash` | which words texts share; no model, no meaning |

    A prefix for other texts than queries is `passage=`. The name holds all that changes a vector, and no secret.
    `threads` counts for local models; `key`, `timeout` in seconds for one answer, and the `expected` dimensions, where
    they are known, for services.
    """
    if not isinstance(embedder, str):
        # Looked up and not asked: a service would have to answer for its dimensions.
        parts = ("name", "dimensions", "fingerprint", "embed")
        if missing := [part for part in parts if getattr_static(embedder, part, None) is None]:
            raise ConfigError(
                f"expected the name of an embedder or an Embedder, got {embedder!r}, which has no {', '.join(missing)}",
                "$.embedder",
            )
        return embedder
    address = parse(embedder)
    if find_spec("numpy") is None:
        raise MissingExtra("numpy, which every embedder needs,", SEMANTIC if address.kind == "static" else INDEX)
    match address.kind:
        case "minilm":
            from seamline.embed.minilm import minilm

            return minilm(threads)
        case "static":
            from seamline.embed.static import StaticEmbedder

            return StaticEmbedder()
        case "hash":
            from seamline.embed.hashing import HashEmbedder

            return HashEmbedder()
        case "onnx":
            return _onnx(embedder, address, threads)
        case "openai":
            from seamline.embed.remote import RemoteEmbedder
            from seamline.remote.http import Patience

            return RemoteEmbedder(
                address.url,
                address.target,
                key=key,
                dimensions=address.number("dimensions"),
                expected=expected,
                patience=Patience(timeout=timeout),
            )


def _onnx(name: str, address: EmbedderAddress, threads: int | None) -> OnnxEmbedder:
    from seamline.embed.onnx import OnnxEmbedder, OnnxOptions

    settings = address.settings
    plain = OnnxOptions()
    reading = OnnxOptions(
        settings.get("pooling", plain.pooling),  # type: ignore[arg-type]  # Reading refuses what it does not know
        plain.window if (window := address.number("window")) is None else window,
        settings.get("query", plain.query),
        settings.get("passage", plain.passage),
    )
    tokenizer = settings.get("tokenizer")
    return OnnxEmbedder(
        Path(address.target), Path(tokenizer) if tokenizer else None, reading, name=name, threads=threads
    )
