"""How models behind a service are named: `openai:MODEL@URL?setting=value`, for embedders and language models alike."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import NamedTuple
from urllib.parse import SplitResult, parse_qsl, urlsplit

from seamline.errors import ConfigError

OPENAI = "https://api.openai.com/v1"

_REMOTE = re.compile(r"openai:(?P<model>.+?)(?:@(?P<url>https?://.*))?", re.IGNORECASE)


class Remote(NamedTuple):
    """A model and the address of the service that runs it."""

    model: str
    url: str


def remote(base: str, place: str) -> Remote | None:
    """The model and the address that a name without its settings means; None where it names no service."""
    found = _REMOTE.fullmatch(base)
    if found is None:
        return None
    # A slip in an address must not send texts to the default one. Some models' names start with an at sign.
    if "@" in found["model"][1:]:
        raise ConfigError("expected openai:MODEL@URL with a URL that starts with https:// or http://", place)
    return Remote(found["model"], found["url"] or OPENAI)


def service_address(url: str, place: str) -> SplitResult:
    """The address of a service, with the path that all of its requests start with."""
    try:
        parts = urlsplit(url)
        well = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        well = False
    if not well or re.search(r"[\s\x00-\x1f\x7f]", url) or not url.isascii():
        raise ConfigError(f"expected an address like {OPENAI}, got {_redact(url)}", place)
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise ConfigError(f"the address {_redact(url)} holds more than host and path; a key is given apart", place)
    return parts._replace(path=parts.path.rstrip("/") or "/v1")


def _redact(url: str) -> str:
    """An address for a message: what may be a secret in it is left out."""
    return repr(re.sub(r"[?#].*", "", re.sub(r"//[^/@]*@", "//", url), flags=re.DOTALL))


def settings(query: str, known: Sequence[str], what: str, place: str) -> dict[str, str]:
    """What follows the question mark of a name; `what` it is that has them, for messages."""
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query), errors="strict")
    except ValueError:
        raise ConfigError("expected setting=value&setting=value after the question mark", place) from None
    found: dict[str, str] = {}
    for setting, value in pairs:
        if setting not in known:
            near = get_close_matches(setting, known, n=1)
            hint = f" (did you mean {near[0]}?)" if near else ""
            offer = f"expected {', '.join(known)}" if known else "it has none"
            raise ConfigError(f"unknown setting {setting!r} of {what}{hint}: {offer}", place)
        if setting in found:
            raise ConfigError(f"the setting {setting} is given twice", place)
        found[setting] = value
    return found


def whole_number(given: Mapping[str, str], setting: str, place: str) -> int | None:
    """A setting that is a whole number; None where it is not given."""
    value = given.get(setting)
    if value is None:
        return None
    if not (value.isascii() and value.isdigit() and len(value) < 10):
        raise ConfigError(f"expected {setting} to be a whole number, got {value!r}", place)
    return int(value)
