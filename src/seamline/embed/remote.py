"""Embeddings from any service that speaks the OpenAI way: POST /v1/embeddings."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urlsplit

import numpy as np

from seamline.embed.http import BUSY, Answer, Patience, post
from seamline.embed.vectors import readable, unit
from seamline.errors import ConfigError, ProviderError

if TYPE_CHECKING:
    from seamline.records import Vector

_PLACE = "$.embedder"
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}
_TOO_LONG = re.compile(
    r"context.?(?:length|size|window)|too (?:long|large|many tokens)|(?:maximum|less than|exceed).{0,30}tokens", re.I
)
"""How services say that a text is longer than the model reads; there is no one way."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


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
        most_texts: int = 32,
        most_characters: int = 100_000,
        patience: Patience | None = None,
    ) -> None:
        """`url`: of the service, as in `https://api.openai.com/v1`. `dimensions`: asked for from models that can
        shorten their vectors; without it, they are as the model makes them. `most_texts` and `most_characters` go
        into one request."""
        if most_texts < 1 or most_characters < 1 or (dimensions is not None and dimensions < 1):
            raise ConfigError("expected dimensions and texts and characters of a request to be 1 or more", _PLACE)
        self._url = endpoint(url)
        self._headers = _headers(key, self._url)
        self._key = key
        self.model = model
        self._asked = dimensions
        self._dimensions = dimensions
        self._most_texts = most_texts
        self._most_characters = most_characters
        self._patience = patience or Patience()
        self.name = f"openai:{model}@{url}" + (f"?dimensions={dimensions}" if dimensions else "")
        self.fingerprint = sha256(json.dumps(["openai", self._url.geturl(), model, dimensions]).encode()).hexdigest()

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
        body = json.dumps(request, ensure_ascii=False).encode()
        answer = post(self._url, body, self._headers, self._patience)
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
        said = self._said(answer.body)
        start = f"{self._url.geturl()} answered HTTP {answer.status}"
        if 300 <= answer.status < 400:
            return ProviderError(f"{start}, a redirect, which is not followed: name the address it leads to")
        if answer.status in {401, 403}:
            return ProviderError(f"{start}: the key is missing or not accepted{said}")
        if answer.status == 404:
            return ProviderError(f"{start}: no such model ({self.model}) or no such address{said}")
        if answer.status == 413 or (answer.status in {400, 422, 500} and _TOO_LONG.search(said)):
            longest = max(len(text) for text in texts)
            return ProviderError(
                f"{start}: too long{said}. The longest of {len(texts)} texts has {longest:,} characters; it is not "
                "cut off: make chunks smaller, or use a model that reads more"
            )
        return ProviderError(f"{start}{said}", retryable=answer.status in BUSY)

    def _said(self, body: bytes) -> str:
        """The service's own words, on one line and without the key."""
        text = body[:20_000].decode("utf-8", "replace")
        try:
            found = json.loads(body)
            error = found.get("error", found) if isinstance(found, dict) else found
            text = str(error.get("message", error) if isinstance(error, dict) else error)
        except (ValueError, RecursionError):
            pass
        line = _CONTROL.sub(" ", self._without_key(text)).strip()
        return f": {line[:300]}" if line else ""

    def _nonsense(self, reason: str) -> ProviderError:
        return ProviderError(
            f"{self._url.geturl()} answered what is no list of embeddings: {self._without_key(reason)}. "
            "Is it an OpenAI-compatible /v1/embeddings?"
        )

    def _without_key(self, text: str) -> str:
        return text.replace(self._key, "[key]") if self._key else text


def endpoint(url: str) -> SplitResult:
    """The address that requests go to: `/v1/embeddings` of a bare host, `/embeddings` under any other path."""
    try:
        parts = urlsplit(url)
        well = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        well = False
    if not well or re.search(r"[\s\x00-\x1f\x7f]", url) or not url.isascii():
        raise ConfigError(f"expected an address like https://api.openai.com/v1, got {_shown(url)}", _PLACE)
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise ConfigError(f"the address {_shown(url)} holds more than host and path; a key is given apart", _PLACE)
    path = parts.path.rstrip("/") or "/v1"
    return parts._replace(path=path if path.endswith("/embeddings") else f"{path}/embeddings")


def _shown(url: str) -> str:
    """An address for a message: what may be a secret in it is left out."""
    return repr(re.sub(r"[?#].*", "", re.sub(r"//[^/@]*@", "//", url), flags=re.DOTALL))


def _headers(key: str, url: SplitResult) -> dict[str, str]:
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if not key:
        return headers
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise ConfigError("the key holds characters that no key has, such as a space or a line break", _PLACE)
    if url.scheme == "http" and url.hostname not in _LOOPBACK:
        raise ConfigError(f"the key would travel readable for all to {url.hostname}: use https", _PLACE)
    return {**headers, "Authorization": f"Bearer {key}"}


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
