"""Embeddings from any service that speaks the OpenAI way: POST /v1/embeddings."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np

from seamline.embed.address import parse
from seamline.embed.run import readable, unit
from seamline.errors import ConfigError, ProviderError
from seamline.protocols import EmbedderRequest
from seamline.remote.http import Answer, Patience
from seamline.remote.openai_api import Service

if TYPE_CHECKING:
    from seamline.records import Vector

_PLACE = "$.embedder"


class RemoteEmbedder:
    """A model behind an address. The key goes into one header and nowhere else: no message or repr shows it.

    A text that is longer than the model reads is refused by the service, and that is an error here: it is never sent
    in part.
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        key: str = "",
        dimensions: int | None = None,
        expected: int | None = None,
        most_texts: int = 32,
        most_characters: int = 100_000,
        patience: Patience | None = None,
    ) -> None:
        """`url`: of the service, as in `https://api.openai.com/v1`. `dimensions`: asked for from models that can
        shorten their vectors; without it, they are as the model makes them. `expected`: what they are known to be, so
        that nothing is asked to find out. `most_texts` and `most_characters` go into one request."""
        if most_texts < 1 or most_characters < 1 or (dimensions is not None and dimensions < 1):
            raise ConfigError("expected dimensions and texts and characters of a request to be 1 or more", _PLACE)
        self._service = Service(url, "embeddings", key=key, place=_PLACE, patience=patience or Patience())
        self.model = model
        self._asked = dimensions
        self._dimensions = dimensions or expected
        self._most_texts = most_texts
        self._most_characters = most_characters
        self.name = f"openai:{model}@{url}" + (f"?dimensions={dimensions}" if dimensions else "")
        self.fingerprint = sha256(
            json.dumps(["openai", self._service.url.geturl(), model, dimensions]).encode()
        ).hexdigest()

    def __repr__(self) -> str:
        return f"RemoteEmbedder({self.name!r})"

    @property
    def dimensions(self) -> int:
        """As asked for; else as the first answer had them, for which one word is embedded where none came yet."""
        if self._dimensions is None:
            self.embed(["dimensions"])
        assert self._dimensions is not None
        return self._dimensions

    def embed(self, texts: Sequence[str]) -> Vector:
        """One row per text, in order."""
        # Services refuse an empty text, and take a space.
        sent = [readable(text) or " " for text in texts]
        parts = [self._ask(batch) for batch in self._batches(sent)]
        return np.concatenate(parts) if parts else np.empty((0, self.dimensions), np.float32)

    def _batches(self, texts: Sequence[str]) -> Iterator[list[str]]:
        """Runs of texts within the bounds of a request; a text above the bound of characters goes alone."""
        batch: list[str] = []
        characters = 0
        for text in texts:
            if batch and (len(batch) == self._most_texts or characters + len(text) > self._most_characters):
                yield batch
                batch, characters = [], 0
            batch.append(text)
            characters += len(text)
        if batch:
            yield batch

    def _ask(self, texts: list[str]) -> Vector:
        request: dict[str, Any] = {"model": self.model, "input": texts, "encoding_format": "float"}
        if self._asked is not None:
            request["dimensions"] = self._asked
        answer = self._service.ask(request)
        if answer.status != 200:
            raise self._refusal(answer, texts)
        return self._vectors(answer.body, len(texts))

    def _vectors(self, body: bytes, count: int) -> Vector:
        try:
            rows = _in_order(json.loads(body), count)
        except (ValueError, RecursionError) as error:
            raise self._nonsense(str(error)) from None
        try:
            wide = np.array(rows, np.float64)
        except (ValueError, TypeError, OverflowError):
            raise self._nonsense("its vectors are not lists of numbers, all equally long") from None
        if wide.ndim != 2 or not wide.shape[1]:
            raise self._nonsense("its vectors are not lists of numbers")
        expected = self._dimensions or wide.shape[1]
        if wide.shape[1] != expected:
            raise self._nonsense(f"its vectors have {wide.shape[1]} dimensions, not {expected}")
        if not np.isfinite(wide).all() or not wide.any(axis=1).all():
            raise self._nonsense("a vector holds NaN or infinity, or only zeros")
        self._dimensions = expected
        return unit(wide)

    def _refusal(self, answer: Answer, texts: list[str]) -> ProviderError:
        """What an answer other than 200 means, and what to do."""
        if not self._service.is_too_long(answer):
            return self._service.refusal(answer, self.model)
        longest = max(len(text) for text in texts)
        return ProviderError(
            f"{self._service.start(answer)}: too long{self._service.said(answer)}. The longest of {len(texts)} texts "
            f"has {longest:,} characters; it is not cut off: make chunks smaller, or use a model that reads more"
        )

    def _nonsense(self, reason: str) -> ProviderError:
        return ProviderError(
            f"{self._service.url.geturl()} answered what is no list of embeddings: "
            f"{self._service.without_key(reason)}. Is it an OpenAI-compatible /v1/embeddings?"
        )


def _in_order(answer: Any, count: int) -> list[Any]:
    """The vectors of an answer by their index."""
    data = answer["data"] if isinstance(answer, dict) else None
    if not isinstance(data, list):
        raise ValueError("it holds no list `data`")
    if len(data) != count:
        raise ValueError(f"it holds {len(data)} vectors for {count} texts")
    if not all(isinstance(item, dict) and isinstance(item.get("embedding"), list) for item in data):
        raise ValueError("a vector of it is no list `embedding`")
    found = {item.get("index"): item["embedding"] for item in data if isinstance(item.get("index"), int)}
    if found.keys() != set(range(count)):
        raise ValueError("its indexes are not those of the texts")
    return [found[at] for at in range(count)]


def make(request: EmbedderRequest) -> RemoteEmbedder:
    """The model behind an address, as its name says."""
    address = parse(request.name)
    return RemoteEmbedder(
        address.url,
        address.target,
        key=request.key,
        dimensions=address.number("dimensions"),
        expected=request.expected,
        patience=Patience(timeout=request.timeout),
    )
