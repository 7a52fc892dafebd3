"""Parts that a server offers beside its own paths: a page, or a protocol for agents. The guard is around them too."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from seamline.server.guard import require_whole
from seamline.server.problems import no_index
from seamline.server.tokens import WRITE

if TYPE_CHECKING:
    from seamline.api.index import Index


@dataclass(frozen=True, slots=True)
class ServerPart:
    """What another part adds to a server."""

    routes: Sequence[BaseRoute]
    open_paths: Collection[str] = ()
    """Paths that need no token, as the files of a page; `/page/*` for all below."""
    stop: Callable[[], Awaitable[None]] | None = None
    """Ends what would never end by itself; it may be called more than once."""


class SessionApp(Protocol):
    """An ASGI app with sessions that can be ended."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None: ...

    async def close(self) -> None: ...


MakeSessions = Callable[["Index", bool], SessionApp]
"""An app over an index; the flag says whether it may write."""


def sessions_part(path: str, indexes: Mapping[str, Index], make: MakeSessions) -> ServerPart:
    """A protocol with sessions at a path, and below `/indexes/NAME` for each index.

    Every caller has an app of its own, so that nobody can use a session of somebody else, and one that cannot write
    unless the caller may. It is made with the first request: its packages are costly to import. A caller who sees a
    part of an index is refused, as such an app reads all of it.
    """
    apps = _CallerApps(indexes, make)
    return ServerPart([Route(path, apps), Route(f"/indexes/{{index}}{path}", apps)], stop=apps.close)


class _CallerApps:
    """One app for each caller and index."""

    def __init__(self, indexes: Mapping[str, Index], make: MakeSessions) -> None:
        self._indexes = indexes
        self._make = make
        self._apps: dict[tuple[str, str], SessionApp] = {}
        self._making = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        caller = require_whole(scope)
        name = scope["path_params"].get("index", next(iter(self._indexes)))
        if name not in self._indexes:
            raise no_index()
        key = (name, caller.name)
        async with self._making:
            if key not in self._apps:
                self._apps[key] = await asyncio.to_thread(self._make, self._indexes[name], WRITE in caller.rights)
        await self._apps[key](scope, receive, send)

    async def close(self) -> None:
        while self._apps:
            await self._apps.popitem()[1].close()
