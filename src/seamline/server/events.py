"""How writes go on, as server-sent events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping

from seamline.server.problems import HttpProblem

PAUSE = 15.0
"""Seconds of silence after which a comment keeps the connection open."""
BEHIND = 256
"""Events that wait for a slow reader; the oldest are dropped."""
_END = ""


class EventStream:
    """What happens to an index, told to everybody who listens. To be used from the thread of the event loop."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._listeners: set[asyncio.Queue[str]] = set()
        self._is_closed = False

    @property
    def listeners(self) -> int:
        return len(self._listeners)

    def publish(self, event: str, data: Mapping[str, object]) -> None:
        self._put(f"event: {event}\ndata: {json.dumps(data)}\n\n")

    def _put(self, message: str) -> None:
        for queue in self._listeners:
            if queue.full():
                queue.get_nowait()
            queue.put_nowait(message)

    def close(self) -> None:
        """End all streams: a server that stops waits for its answers."""
        self._is_closed = True
        self._put(_END)

    def listen(self) -> AsyncIterator[str]:
        """The events from now on; an HttpProblem where too many listen."""
        if len(self._listeners) >= self._most:
            raise HttpProblem(503, "busy", "too many listen to events already", {"Retry-After": "30"})
        return self._messages()

    async def _messages(self) -> AsyncIterator[str]:
        queue: asyncio.Queue[str] = asyncio.Queue(BEHIND)
        self._listeners.add(queue)  # here, where it is sure to be taken away again
        try:
            yield ": listening\n\n"
            while not self._is_closed:
                try:
                    message = await asyncio.wait_for(queue.get(), PAUSE)
                except TimeoutError:
                    message = ": still here\n\n"
                if message == _END:
                    return
                yield message
        finally:
            self._listeners.discard(queue)
