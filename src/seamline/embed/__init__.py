"""Texts in, vectors out: by a bundled model, any ONNX file, or a service that speaks the OpenAI way."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from inspect import getattr_static
from typing import cast

from seamline import registry
from seamline.embed.address import kind_of, unknown
from seamline.errors import INDEX, ConfigError, MissingExtra, command
from seamline.protocols import Embedder, EmbedderRequest

MakeEmbedder = Callable[[EmbedderRequest], Embedder]
DEFAULT = "seam"
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
    | `seam` | the bundled model, offline |
    | `quality` | its larger twin, half as fast, offline |
    | `minilm` | all-MiniLM-L6-v2, from which both were trained, offline |
    | `path/model.onnx` | any ONNX model with a `tokenizer.json` beside it |
    | `path/model.onnx?pooling=cls&window=512&query=query:%20&tokenizer=t.json` | and how it is used |
    | `openai:MODEL` | a model of OpenAI |
    | `openai:MODEL@URL?dimensions=512` | a model of any service that speaks the same language |
    | `static` | a bundled table of words: fast, for the dips between sentences, poor for search |
    | `hash` | which words texts share; no model, no meaning |
    | `NAME`, `NAME:REST` | an embedder of a plugin |

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
    kind = kind_of(embedder)
    if not registry.is_known(registry.EMBEDDERS, kind):
        raise unknown(embedder)
    if find_spec("numpy") is None:
        raise MissingExtra("numpy, which every embedder needs,", SEMANTIC if kind == "static" else INDEX)
    make = cast(MakeEmbedder, registry.find(registry.EMBEDDERS, kind))
    with registry.blame(registry.plugin_named(registry.EMBEDDERS, kind)):
        return make(EmbedderRequest(embedder, key, threads, timeout, expected))
