"""What a search is to a server, and processes that search: threads of one process share an interpreter, which a search
keeps busy, so that only processes use several cores."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, NamedTuple

from seamline.api import serving
from seamline.api.search import load_reranker
from seamline.errors import SeamlineError
from seamline.server.json_body import encode_json
from seamline.server.log import ServerLog
from seamline.server.problems import HttpProblem, problem_of

if TYPE_CHECKING:
    from seamline.api.index import Index
    from seamline.protocols import Reranker

OpenIndex = Callable[[], "Index"]
"""Opens an index, in any process."""


class AskedSearch(NamedTuple):
    """What is to be found."""

    name: str
    """Of the index."""
    kind: str
    """search or context."""
    query: str
    options: Mapping[str, Any]
    """Arguments of Index.search or Index.context; `reranker` is whether there is one."""


class FoundBody(NamedTuple):
    """What was found, as it is sent."""

    generation: str
    body: bytes
    hit_rates: Mapping[str, float]


class _Failure(NamedTuple):
    """An HttpProblem on its way from a process."""

    status: int
    name: str
    detail: str
    headers: Mapping[str, str]


def find(index: Index, asked: AskedSearch) -> FoundBody:
    """Search in this process."""
    mark = serving.generation(index)
    options = {**asked.options, "reranker": _reranker() if asked.options.get("reranker") else None}
    found = (index.search if asked.kind == "search" else index.context)(asked.query, **options)
    return FoundBody(mark, encode_json(found.to_dict()), index.hit_rates())


@cache
def _reranker() -> Reranker:
    return load_reranker("seam")


class _Worker(NamedTuple):
    process: BaseProcess
    connection: Connection


class SearchWorkers:
    """Processes that search, each one thing at a time. One that dies is replaced."""

    def __init__(self, indexes: Mapping[str, OpenIndex], count: int) -> None:
        self._indexes = dict(indexes)
        self._idle: SimpleQueue[_Worker] = SimpleQueue()
        self._count = count
        for _ in range(count):
            self._idle.put(self._start())

    def _start(self) -> _Worker:
        context = multiprocessing.get_context("spawn")  # a fork copies locks of threads, but not the threads
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs, self._indexes), daemon=True)
        process.start()
        theirs.close()
        return _Worker(process, ours)

    def find(self, asked: AskedSearch) -> FoundBody:
        """Search in a process that is free, or as soon as one is."""
        worker = self._idle.get()
        try:
            worker.connection.send(asked)
            reply = worker.connection.recv()
        except (EOFError, OSError):
            worker.connection.close()
            worker = self._start()
            raise HttpProblem(
                503, "worker-died", "the process that searched was killed: ask again", {"Retry-After": "1"}
            ) from None
        finally:
            self._idle.put(worker)
        if isinstance(reply, _Failure):
            raise HttpProblem(*reply)
        assert isinstance(reply, FoundBody)
        return reply

    def close(self) -> None:
        """End all, when nobody asks any more."""
        for _ in range(self._count):
            worker = self._idle.get()
            worker.connection.close()
            worker.process.join(5)


def _serve(connection: Connection, openers: Mapping[str, OpenIndex]) -> None:
    """The life of a worker: it ends when the server closes its connection, or is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which finishes what was asked
    indexes = {name: open_index() for name, open_index in openers.items()}
    for name, index in indexes.items():
        with suppress(SeamlineError):  # it comes again when somebody searches
            find(index, AskedSearch(name, "search", "warm up", {"k": 1}))
    with suppress(EOFError, OSError):
        while True:
            asked = connection.recv()
            connection.send(_reply(indexes[asked.name], asked))
    for index in indexes.values():
        index.close()


def _reply(index: Index, asked: AskedSearch) -> FoundBody | _Failure:
    try:
        return find(index, asked)
    except Exception as error:  # noqa: BLE001 - one request must not take the others with it
        if not isinstance(error, SeamlineError):
            ServerLog().failure("", error)
        problem = problem_of(error)
        return _Failure(problem.status, problem.name, problem.detail, problem.headers)
