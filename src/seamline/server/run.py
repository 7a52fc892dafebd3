"""A server on an address, until it is told to stop: what was acknowledged is finished before it ends."""

from __future__ import annotations

import asyncio
import ctypes
import ipaddress
import logging
import platform
import socket
import sys
from collections.abc import Callable, Sequence

import uvicorn

from seamline.errors import ConfigError
from seamline.server.app import ServerApp
from seamline.server.connections import QuietConnections
from seamline.server.guard import LOOPBACK
from seamline.server.log import LogHandler, ServerLog
from seamline.server.tokens import Tokens

PATIENCE = 30
"""Seconds that open requests have to end after a signal."""
_TICKS = 10
"""Of uvicorn, in a second."""
SWITCH = 0.001
"""Seconds that a searching thread may keep others from running, a fifth of the usual: requests are refused quickly also
while all threads search."""
_ARENA_MAX = -8
"""glibc's name of the setting, `M_ARENA_MAX`."""


def allowed_hosts(host: str, tokens: Tokens, named: Sequence[str]) -> tuple[str, ...]:
    """The names that a server on this address goes by; a ConfigError where it may not be started there."""
    if is_loopback(host):
        return (*LOOPBACK, host, *named)
    if not len(tokens):
        raise ConfigError(
            f"--host {host}: others can reach this address, so the server needs tokens: name a file of them with"
            " --token-file, or use 127.0.0.1"
        )
    if _is_wildcard(host):
        if not named:
            raise ConfigError(f"--host {host}: say by which name callers reach it, as in --allow-host kb.example.org")
        return (*LOOPBACK, *named)
    return (*LOOPBACK, host.strip("[]"), *named)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _is_wildcard(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.strip("[]")).is_unspecified
    except ValueError:
        return host == ""


def bind(host: str, port: int) -> socket.socket:
    """A socket on an address; a ConfigError says why there cannot be one."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host.strip("[]"), port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        bound = socket.socket(family, kind, protocol)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            bound.bind(address)
        except OSError:
            bound.close()
            raise
    except OSError as error:
        raise ConfigError(f"cannot listen on {host}:{port}: {error.strerror or error}") from None
    return bound


def serve(app: ServerApp, bound: socket.socket, log: ServerLog, started: Callable[[], None]) -> None:
    """Answer until a signal comes, which is raised again at the end."""
    for name in ("uvicorn", "uvicorn.error", "asyncio"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [LogHandler(log)], False
    sys.setswitchinterval(SWITCH)
    share_arena()
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="on",
        timeout_keep_alive=15,
        timeout_graceful_shutdown=PATIENCE,
        http="h11",  # the limit below is of this parser
        h11_max_incomplete_event_size=64 * 1024,
        ws="none",
    )
    _Server(config, app, started).run(sockets=[bound])


def share_arena() -> None:
    """Let threads that start from now on take their memory from the arena that is there. By default glibc gives each
    thread an arena of its own, and what is free in one serves no other: it added up to 65 MB in ten minutes."""
    if platform.libc_ver()[0] == "glibc":
        ctypes.CDLL(None).mallopt(_ARENA_MAX, 1)


class _Server(uvicorn.Server):
    """Ends quiet connections, and streams first of all when it stops: uvicorn waits for all answers."""

    def __init__(self, config: uvicorn.Config, app: ServerApp, started: Callable[[], None]) -> None:
        super().__init__(config)
        self._app = app
        self._tell = started
        self._quiet = QuietConnections(app.state.limits.seconds)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._tell()

    async def on_tick(self, counter: int) -> bool:
        if counter % _TICKS == 0:
            self._quiet.drop(tuple(self.server_state.connections), asyncio.get_running_loop().time())  # type: ignore[arg-type]
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await self._app.stop()
        await super().shutdown(sockets)
