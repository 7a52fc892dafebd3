"""Which key goes to which host: keys that belong to one, and those that a caller gives along with a service."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from seamline.errors import ConfigError
from seamline.trust.user_config import config_folder, read_private

PLAIN = "SEAMLINE_API_KEY"
"""Holds a key without a host. It goes to a service that the user named, never to one that only a found file names."""
FILE_NAME = "config.toml"
_PORTS = {"http": 80, "https": 443}
_NAME = re.compile(r"[a-z0-9.-]+")


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of one call."""

    given: str = field(default="", repr=False)
    """Given in the call itself, for the first of its services."""
    plain: str = field(default="", repr=False)
    """For the first of its services that the user named."""
    personal: bool = False
    """Whether keys of hosts are looked up in the environment and in the user's configuration."""

    def of_host(self, url: str) -> str:
        """The key that belongs to the host of a service alone; empty where there is none."""
        return personal_key(url) if self.personal else ""


def host_of(url: str) -> str:
    """The host of an address, with its port where that is not the usual one."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    usual = parts.port is None or parts.port == _PORTS.get(parts.scheme)
    return host if usual else f"[{host}]:{parts.port}" if ":" in host else f"{host}:{parts.port}"


def variables(url: str) -> tuple[str, ...]:
    """The environment variables that may hold the key of a service, the first that is set counts: with its port, where
    that is not the usual one, and without. None for a host with other characters than names and IPv4 have."""
    host = urlsplit(url).hostname or ""
    if not _NAME.fullmatch(host):
        return ()
    # A hyphen is two underscores: else api-openai.com would share a variable with api.openai.com.
    plain = f"{PLAIN}_{host.replace('-', '__').replace('.', '_').upper()}"
    _, colon, port = host_of(url).partition(":")
    return (f"{plain}_{port}", plain) if colon else (plain,)


def personal_key(url: str) -> str:
    """The key of a host from the environment, else from the user's configuration; empty where there is none."""
    found = next((key for name in variables(url) if (key := os.environ.get(name))), "")
    if found:
        return found
    keys = configured_keys()
    host = host_of(url)
    return keys.get(host) or keys.get(urlsplit(url).hostname or "") or ""


def configured_keys() -> Mapping[str, str]:
    """The table [keys] of the user's configuration, by host."""
    folder = config_folder()
    path = folder / FILE_NAME if folder else Path()
    text = read_private(path) if folder else None
    if text is None:
        return {}
    import tomllib  # most users have no such file: start-up does not pay for it

    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: expected TOML, got {error}") from None
    unknown = [name for name in data if name != "keys"]
    if unknown or not isinstance(data.get("keys", {}), dict):
        raise ConfigError(f"{path}: expected one table, [keys], got {', '.join(unknown) or 'another value'}")
    return {host.lower(): _key(host, value, path) for host, value in data.get("keys", {}).items()}


def _key(host: str, value: object, path: Path) -> str:
    match value:
        case str():
            return value
        case {"env": str(name), **others} if not others:
            return os.environ.get(name, "")
    raise ConfigError(f'{path}: expected a key or {{ env = "VARIABLE" }} for {host!r} in [keys], got another value')
