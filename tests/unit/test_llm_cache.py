"""Answers on disk: asked once, found again, made anew where they were damaged, safe under several processes."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from harness.endpoint import Reply, talking
from seamline.cli.place import answers_file
from seamline.errors import ProviderError, StoreError
from seamline.llm.cache import AnswerFile, CachedModel, answer_key
from seamline.llm.client import ChatModel
from seamline.protocols import Usage
from seamline.remote.http import Patience

SCHEMA: dict[str, Any] = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
OTHER: dict[str, Any] = {**SCHEMA, "additionalProperties": False}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "inner" / "answers.db"


def test_the_same_question_is_asked_once(path: Path) -> None:
    """Across openings of the file; another model, system, prompt or shape is another question."""
    with talking(lambda prompt: {"n": len(prompt)}) as server:
        for _ in range(2):
            with AnswerFile(path) as cache:
                model = CachedModel(ChatModel(server.url, "m"), cache)
                first = model.complete("s", "four", SCHEMA)
                assert first.parsed == {"n": 4}
        assert len(server.asked) == 1
        assert first.usage == Usage(cached=1)
        with AnswerFile(path) as cache:
            model = CachedModel(ChatModel(server.url, "m"), cache)
            model.complete("t", "four", SCHEMA)
            model.complete("s", "fours", SCHEMA)
            model.complete("s", "four", OTHER)
            CachedModel(ChatModel(server.url, "m2"), cache).complete("s", "four", SCHEMA)
            assert cache.count() == 5
        assert len(server.asked) == 5


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE replies SET answer = x'7b7d'",
        "UPDATE replies SET checksum = x'00'",
        "UPDATE replies SET answer = substr(answer, 2)",
        "DELETE FROM replies",
    ],
)
def test_a_damaged_answer_is_made_anew(path: Path, damage: str) -> None:
    with talking(lambda _: {"n": 1}) as server:
        for _ in range(2):
            with AnswerFile(path) as cache:
                assert CachedModel(ChatModel(server.url, "m"), cache).complete("s", "p", SCHEMA).parsed == {"n": 1}
            with sqlite3.connect(path) as database:
                database.execute(damage)
        assert len(server.asked) == 2


def test_an_answer_of_another_shape_is_made_anew(path: Path) -> None:
    with talking(lambda _: {"n": 1}) as server, AnswerFile(path) as cache:
        model = CachedModel(ChatModel(server.url, "m"), cache)
        for odd in ("", "{", '{"n": "x"}'):
            cache.put(answer_key(model.name, "s", "p", SCHEMA), odd.encode())
            assert model.complete("s", "p", SCHEMA).parsed == {"n": 1}
        assert len(server.asked) == 3


@pytest.mark.skipif(os.name == "nt", reason="Windows has other rights")
def test_nobody_else_may_read_the_answers(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(path.parent.parent))
    before = os.umask(0)
    try:
        for file in (path, answers_file()):
            AnswerFile(file).close()
            assert stat.S_IMODE(file.stat().st_mode) == 0o600
            assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    finally:
        os.umask(before)


def test_a_failure_is_not_kept(path: Path) -> None:
    script = [Reply(500), Reply(500)]
    with talking(lambda _: {"n": 1}, script) as server, AnswerFile(path) as cache:
        model = CachedModel(ChatModel(server.url, "m", patience=Patience(retries=1, sleep=lambda _: None)), cache)
        with pytest.raises(ProviderError):
            model.complete("s", "p", SCHEMA)
        assert cache.count() == 0
        assert model.complete("s", "p", SCHEMA).parsed == {"n": 1}


def test_a_file_of_vectors_is_no_file_of_answers(path: Path) -> None:
    path.parent.mkdir()
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE vectors (number INTEGER)")
    with pytest.raises(StoreError, match="name another file for answers"):
        AnswerFile(path)


WRITER = """
import sys
from seamline.llm.cache import AnswerFile, answer_key

for batch in range(20):
    with AnswerFile(sys.argv[1]) as cache:
        for n in range(batch * 5, batch * 5 + 10):
            cache.put(answer_key("m", "s", str(n), {}), f'{{"n": {n}}}'.encode())
        for n in range(120):
            assert cache.get(answer_key("m", "s", str(n), {})) in (None, f'{{"n": {n}}}'.encode())
"""


def test_several_processes_fill_one_cache_together(path: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stderr=subprocess.PIPE) for _ in range(3)]
    told = [writer.communicate(timeout=120)[1].decode() for writer in writers]
    assert [writer.returncode for writer in writers] == [0] * 3, told
    with AnswerFile(path) as cache:
        assert cache.count() == 105
