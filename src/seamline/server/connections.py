"""Callers that go away, and connections on which nothing is being answered. uvicorn keeps those for ever where no
request comes, where its head comes piece by piece, or where nobody reads the end of an answer."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, Protocol, TypeVar

from starlette.requests import ClientDisconnect, Request

Result = TypeVar("Result")


class AnswerCycle(Protocol):
    """One request on a connection of uvicorn, and its answer."""

    response_complete: bool


class OpenTransport(Protocol):
    def is_closing(self) -> bool: ...

    def abort(self) -> None: ...


class OpenConnection(Protocol):
    """A connection as uvicorn's H11Protocol is one."""

    @property
    def cycle(self) -> AnswerCycle | None: ...

    @property
    def transport(self) -> OpenTransport: ...


class QuietConnections:
    """Ends connections that have been quiet for so many seconds."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._since: dict[OpenConnection, tuple[AnswerCycle | None, float]] = {}
        """The last request of each quiet connection, and when it was first seen to be quiet after it."""

    def drop(self, connections: Iterable[OpenConnection], now: float) -> None:
        """Look at all open connections; to be called about once a second."""
        quiet: dict[OpenConnection, tuple[AnswerCycle | None, float]] = {}
        for connection in connections:
            cycle = connection.cycle
            if cycle is None or cycle.response_complete or connection.transport.is_closing():
                known = self._since.get(connection)
                quiet[connection] = known if known is not None and known[0] is cycle else (cycle, now)
        self._since = quiet
        for connection, (_, since) in quiet.items():
            if now - since >= self._seconds:
                connection.transport.abort()


async def while_connected(request: Request, work: Coroutine[Any, Any, Result]) -> Result:
    """The result of work for a request whose body was read. It is cancelled with a ClientDisconnect where the caller
    goes away: what waits for a thread then does not begin."""
    working, gone = asyncio.ensure_future(work), asyncio.ensure_future(_until_gone(request))
    try:
        await asyncio.wait({working, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            gone.result()
            raise ClientDisconnect
        return working.result()
    finally:
        working.cancel()
        gone.cancel()


async def _until_gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
