"""A service that speaks the OpenAI way: its address, its key, and what its refusals mean."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import SplitResult

from seamline.errors import ConfigError, ProviderError
from seamline.remote.http import BUSY, Answer, Patience, post
from seamline.remote.model_names import service_address
from seamline.trust.keys import variables

_LOOPBACK = {"localhost", "127.0.0.1", "::1"}
_TOO_LONG = re.compile(
    r"context.?(?:length|size|window)|too (?:long|large|many tokens)|(?:maximum|less than|exceed).{0,30}tokens", re.I
)
"""How services say that a text is longer than the model reads; there is no one way."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


class Service:
    """One address of a service. The key goes into one header and nowhere else: no message or repr shows it."""

    def __init__(self, url: str, leaf: str, *, key: str, place: str, patience: Patience) -> None:
        """`leaf`: what is asked for there, as in `embeddings`. `place`: what of a recipe names it, for messages."""
        self.url = endpoint(url, leaf, place)
        self._headers = _headers(key, self.url, place)
        self._key = key
        self._patience = patience

    def __repr__(self) -> str:
        return f"Service({self.url.geturl()!r})"

    def ask(self, request: Mapping[str, Any]) -> Answer:
        """The answer to one request, which may be a refusal."""
        body = json.dumps(request, ensure_ascii=False).encode()
        return post(self.url, body, self._headers, self._patience)

    def is_too_long(self, answer: Answer) -> bool:
        """Whether a refusal says that the model reads less than it was given."""
        return answer.status == 413 or bool(answer.status in {400, 422, 500} and _TOO_LONG.search(self.said(answer)))

    def start(self, answer: Answer) -> str:
        """How a message about a refusal begins."""
        return f"{self.url.geturl()} answered HTTP {answer.status}"

    def refusal(self, answer: Answer, model: str) -> ProviderError:
        """What an answer other than 200 means, and what to do."""
        said, start = self.said(answer), self.start(answer)
        if 300 <= answer.status < 400:
            return ProviderError(f"{start}, a redirect, which is not followed: name the address it leads to")
        if answer.status in {401, 403}:
            return ProviderError(f"{start}: the key is missing or not accepted{self._remedy()}{said}")
        if answer.status == 404:
            return ProviderError(f"{start}: no such model ({model}) or no such address{said}")
        return ProviderError(f"{start}{said}", retryable=answer.status in BUSY)

    def _remedy(self) -> str:
        names = variables(self.url.geturl())
        return f" (none was sent; for commands, set {names[-1]})" if names and not self._key else ""

    def said(self, answer: Answer) -> str:
        """The service's own words, on one line and without the key."""
        text = answer.body[:20_000].decode("utf-8", "replace")
        try:
            found = json.loads(answer.body)
            error = found.get("error", found) if isinstance(found, dict) else found
            text = str(error.get("message", error) if isinstance(error, dict) else error)
        except (ValueError, RecursionError):
            pass
        line = _CONTROL.sub(" ", self.without_key(text)).strip()
        return f": {line[:300]}" if line else ""

    def without_key(self, text: str) -> str:
        return text.replace(self._key, "[key]") if self._key else text


def endpoint(url: str, leaf: str, place: str) -> SplitResult:
    """The address that requests go to: `/v1/LEAF` of a bare host, `/LEAF` under any other path."""
    parts = service_address(url, place)
    return parts if parts.path.endswith(f"/{leaf}") else parts._replace(path=f"{parts.path}/{leaf}")


def _headers(key: str, url: SplitResult, place: str) -> dict[str, str]:
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if not key:
        return headers
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise ConfigError("the key holds characters that no key has, such as a space or a line break", place)
    if url.scheme == "http" and url.hostname not in _LOOPBACK:
        raise ConfigError(f"the key would travel readable for all to {url.hostname}: use https", place)
    return {**headers, "Authorization": f"Bearer {key}"}
