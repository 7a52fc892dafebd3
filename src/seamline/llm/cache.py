"""Answers that were given once, on disk: the same question is not asked, or paid for, twice."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from hashlib import sha256
from types import TracebackType
from typing import Any

from seamline.llm.client import read_json
from seamline.llm.schema import problem
from seamline.protocols import LanguageModel
from seamline.replies import Reply, Usage
from seamline.sealed import Layout, SealedRows

LAYOUT = Layout("answer cache", "answers", "answer", 0x5EA3CAC9)


class AnswerCache:
    """Answers by model, question and shape. Several processes may use the file at a time.

    A row that was damaged, or whose answer is of another shape, counts as missing, and is written anew.
    """

    def __init__(self, path: str | os.PathLike[str], *, most_bytes: int | None = None) -> None:
        """`most_bytes`: about how large the file may grow before its oldest rows make room; None for no bound."""
        self._rows = SealedRows(path, LAYOUT, most_bytes)
        self.path = self._rows.path

    def get(self, model: str, system: str, prompt: str, schema: Mapping[str, Any]) -> str | None:
        """The text of a known answer."""
        key = _key(model, system, prompt, schema)
        data = self._rows.get([key]).get(key)
        return None if data is None else data.decode("utf-8", "replace")

    def put(self, model: str, system: str, prompt: str, schema: Mapping[str, Any], answer: str) -> None:
        """Keep an answer."""
        self._rows.put({_key(model, system, prompt, schema): answer.encode("utf-8", "replace")})

    def count(self) -> int:
        """How many answers are kept, of all models."""
        return self._rows.count()

    def close(self) -> None:
        """Give the file back; the cache cannot be used after."""
        self._rows.close()

    def __enter__(self) -> AnswerCache:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class CachedModel:
    """A language model that is asked every question once. An answer is kept as soon as it is there, so that what was
    done before an interruption is not done again; what went wrong is not kept."""

    def __init__(self, model: LanguageModel, cache: AnswerCache) -> None:
        self._model = model
        self._cache = cache
        self.name = model.name

    def __repr__(self) -> str:
        return f"CachedModel({self._model!r})"

    def complete(self, system: str, prompt: str, schema: Mapping[str, Any]) -> Reply:
        """The known answer, else the model's."""
        known = self._cache.get(self.name, system, prompt, schema)
        if known is not None and (reply := _read(known, schema)):
            return reply
        reply = self._model.complete(system, prompt, schema)
        self._cache.put(self.name, system, prompt, schema, reply.text)
        return reply


def _read(text: str, schema: Mapping[str, Any]) -> Reply | None:
    try:
        parsed = read_json(text)
    except ValueError:
        return None
    return None if problem(parsed, schema) else Reply(text, parsed, Usage(cached=1))


def _key(model: str, system: str, prompt: str, schema: Mapping[str, Any]) -> bytes:
    plain = json.dumps([model, system, prompt, schema], sort_keys=True)
    return sha256(plain.encode()).digest()
