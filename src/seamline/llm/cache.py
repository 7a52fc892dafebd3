"""Answers that were given once: the same question is not asked, or paid for, twice."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import blake2b, sha256
from pathlib import Path
from types import TracebackType
from typing import Any

from seamline.errors import ConfigError, StoreError
from seamline.llm.client import read_json
from seamline.llm.schema import problem
from seamline.protocols import AnswerCache, LanguageModel, ModelReply, PictureInput, Usage, VisionModel

_BUSY_SECONDS = 30.0
_SCHEMA = "CREATE TABLE IF NOT EXISTS replies (key BLOB PRIMARY KEY, answer BLOB NOT NULL, checksum BLOB NOT NULL)"


class AnswerFile:
    """Answers in a SQLite file of their own, for calls that keep no index. Several processes may use it at a time.

    An answer whose checksum is wrong counts as missing. Nothing here is worth a backup: deleting the file costs what
    its answers cost.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._lock = threading.Lock()
        with self._errors():
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
            self._database = sqlite3.connect(
                self.path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            tables = {name for (name,) in self._database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if tables - {"replies", "answers"}:  # the second is of an older layout, and left alone
                raise StoreError(f"{self.path} is a database of something else: name another file for answers")
            self._database.execute(_SCHEMA)

    def get(self, key: bytes) -> bytes | None:
        """A known answer."""
        with self._lock, self._errors():
            found = self._database.execute("SELECT answer, checksum FROM replies WHERE key = ?", (key,)).fetchone()
        return found[0] if found and found[1] == _checksum(key, found[0]) else None

    def put(self, key: bytes, answer: bytes) -> None:
        """Keep an answer."""
        with self._lock, self._errors():
            values = (key, answer, _checksum(key, answer))
            self._database.execute("INSERT OR REPLACE INTO replies VALUES (?, ?, ?)", values)

    def count(self) -> int:
        """How many answers are kept, of all models."""
        with self._lock, self._errors():
            return int(self._database.execute("SELECT count(*) FROM replies").fetchone()[0])

    def close(self) -> None:
        """Give the file back; it cannot be used after."""
        with self._lock, self._errors():
            self._database.close()

    def __enter__(self) -> AnswerFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Turn what SQLite and the file system say into what a user can do about it."""
        try:
            yield
        except sqlite3.OperationalError as error:
            raise StoreError(
                f"the file of answers {self.path} cannot be used: {error}. Another process may hold it, the disk may be"
                " full or the folder read-only; or name another file"
            ) from error
        except sqlite3.ProgrammingError as error:
            raise StoreError(f"the file of answers {self.path} is closed") from error
        except sqlite3.DatabaseError as error:
            raise StoreError(
                f"the file of answers {self.path} is damaged ({error}): delete it; its questions are asked again"
            ) from error
        except OSError as error:
            raise StoreError(f"the file of answers {self.path} cannot be opened: {error.strerror}") from error


class CachedModel:
    """A language model that is asked every question once. An answer is kept as soon as it is there, so that what was
    done before an interruption is not done again; what went wrong is not kept."""

    def __init__(self, model: LanguageModel, cache: AnswerCache) -> None:
        self._model = model
        self._cache = cache
        self.name = model.name

    def __repr__(self) -> str:
        return f"CachedModel({self._model!r})"

    def complete(self, system: str, prompt: str, schema: Mapping[str, Any]) -> ModelReply:
        """The known answer, else the model's."""
        key = answer_key(self.name, system, prompt, schema)
        known = self._cache.get(key)
        if known is not None and (reply := _read(known.decode("utf-8", "replace"), schema)):
            return reply
        reply = self._model.complete(system, prompt, schema)
        self._cache.put(key, reply.text.encode("utf-8", "replace"))
        return reply

    def see(self, system: str, prompt: str, picture: PictureInput, schema: Mapping[str, Any]) -> ModelReply:
        """The known answer about a picture, else the model's."""
        if not isinstance(self._model, VisionModel):
            raise ConfigError(f"{self.name} reads no pictures: name a service with image input", "$.derive.llm")
        key = answer_key(self.name, system, f"{prompt}\n{sha256(picture.data).hexdigest()}", schema)
        known = self._cache.get(key)
        if known is not None and (reply := _read(known.decode("utf-8", "replace"), schema)):
            return reply
        reply = self._model.see(system, prompt, picture, schema)
        self._cache.put(key, reply.text.encode("utf-8", "replace"))
        return reply


def answer_key(model: str, system: str, prompt: str, schema: Mapping[str, Any]) -> bytes:
    """What an answer is kept under: everything that it depends on."""
    return sha256(json.dumps([model, system, prompt, schema], sort_keys=True).encode()).digest()


def _read(text: str, schema: Mapping[str, Any]) -> ModelReply | None:
    """An answer that was kept; None where it is not of the shape that is asked for."""
    try:
        parsed = read_json(text)
    except ValueError:
        return None
    return None if problem(parsed, schema) else ModelReply(text, parsed, Usage(cached=1))


def _checksum(key: bytes, answer: bytes) -> bytes:
    return blake2b(answer, key=key, digest_size=16).digest()
