"""Who may call: tokens with rights, and the filter that is part of every query of a token."""

from __future__ import annotations

import os
import stat
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from hmac import compare_digest
from pathlib import Path
from typing import Any

from seamline.api.serving import Filter, fields_of, filter_of
from seamline.errors import ConfigError

READ, WRITE = "read", "write"
RIGHTS = (READ, WRITE)
SHORTEST = 16
"""Characters of a token: what is shorter can be guessed."""
CALLER = "seamline.caller"
"""Key of the scope that holds the caller."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, and what it may do."""

    name: str = ""
    """For the log; empty where the server has no tokens."""
    rights: frozenset[str] = frozenset()
    forced: Filter | None = None
    """Part of every query."""
    meta: Mapping[str, Any] = field(default_factory=dict)
    """Put over the metadata of every document that it writes."""

    @property
    def is_limited(self) -> bool:
        """Whether it sees only a part of an index."""
        return self.forced is not None


@dataclass(frozen=True, slots=True)
class Token:
    """A secret by its hash, and the caller that has it."""

    digest: bytes = field(repr=False)
    caller: Caller


class Tokens:
    """The tokens of a server."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tuple(tokens)

    def __len__(self) -> int:
        return len(self._tokens)

    def find(self, secret: str) -> Caller | None:
        """The caller of a token. Every token is compared, each in constant time, so that the time tells nothing."""
        digest = sha256(secret.encode("utf-8", "surrogateescape")).digest()
        found = None
        for token in self._tokens:
            if compare_digest(digest, token.digest):
                found = token.caller
        return found


def load_tokens(path: Path) -> Tokens:
    """The tokens of a TOML file, which nobody else may read; a ConfigError says what is wrong with it."""
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
                raise ConfigError(f"{path}: others can read these tokens: run `chmod 600 {path}`")
            content = tomllib.load(file)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not TOML: {error}") from None
    given = content.pop("token", None)
    if content or not isinstance(given, list) or not given:
        raise ConfigError(f"{path}: expected one or more tables [[token]], and nothing else")
    tokens = [_token(one, f"{path}: token {n}") for n, one in enumerate(given, 1)]
    for kind, values in (
        ("name", [token.caller.name for token in tokens]),
        ("token", [token.digest for token in tokens]),
    ):
        if len(set(values)) < len(values):
            raise ConfigError(f"{path}: the same {kind} twice")
    return Tokens(tokens)


_KEYS = {"name", "token", "sha256", "rights", "where", "tenant"}


def _token(given: Any, at: str) -> Token:
    if not isinstance(given, dict):
        raise ConfigError(f"{at}: expected a table")
    if unknown := set(given) - _KEYS:
        raise ConfigError(f"{at}: unknown key {min(unknown)!r}: expected some of {', '.join(sorted(_KEYS))}")
    name = given.get("name")
    if not isinstance(name, str) or not name.isprintable() or not name:
        raise ConfigError(f"{at}: expected a name, for the log")
    rights = given.get("rights", [READ])
    if not isinstance(rights, list) or not rights or set(map(str, rights)) - set(RIGHTS):
        raise ConfigError(f"{at}: rights: expected a list of {', '.join(RIGHTS)}")
    forced, meta = _part(given, at)
    if forced is not None and not meta and WRITE in rights:
        raise ConfigError(
            f"{at}: where: a token with the right to write has `tenant` instead, as in tenant = {{ team = "
            '"docs" }: what it writes must be what it sees'
        )
    return Token(_digest(given, at), Caller(name, frozenset({READ, *rights}), forced, meta))


def _part(given: dict[str, Any], at: str) -> tuple[Filter | None, dict[str, Any]]:
    """The part of an index that a token sees, as a filter, and as metadata of what it writes."""
    where, tenant = given.get("where", ""), given.get("tenant", {})
    if not isinstance(where, str) or ("where" in given and not where.strip()):
        raise ConfigError(f"{at}: where: expected a filter as text")
    plain = isinstance(tenant, dict) and all(isinstance(value, str) and value for value in tenant.values())
    if not plain or ("tenant" in given and not tenant):
        raise ConfigError(f'{at}: tenant: expected texts, as in tenant = {{ team = "docs" }}')
    if where and tenant:
        raise ConfigError(f"{at}: expected `where` or `tenant`, got both")
    try:
        forced = filter_of(where or ({"meta": tenant} if tenant else None))
    except ConfigError as error:
        raise ConfigError(f"{at}: {error}") from None
    if forced and (inner := sorted({name for name in fields_of(forced) if not _is_of_documents(name)})):
        raise ConfigError(
            f"{at}: where: `{inner[0]}` differs inside of a document, and documents are read as a whole: expected some"
            f" of {', '.join(_OF_DOCUMENTS)}, meta.NAME"
        )
    return forced, tenant


_OF_DOCUMENTS = ("doc", "title", "media_type", "created_at")


def _is_of_documents(name: str) -> bool:
    """Whether all of a document has the same value in a field."""
    return name in _OF_DOCUMENTS or name.startswith("meta.")


def _digest(given: dict[str, Any], at: str) -> bytes:
    secret, known = given.get("token"), given.get("sha256")
    if (secret is None) == (known is None):
        raise ConfigError(f"{at}: expected `token`, or its hash as `sha256`")
    if secret is not None:
        if not isinstance(secret, str) or len(secret) < SHORTEST or not secret.isascii() or " " in secret:
            raise ConfigError(f"{at}: expected a token of at least {SHORTEST} ASCII characters without spaces")
        return sha256(secret.encode()).digest()
    try:
        digest = bytes.fromhex(str(known))
    except ValueError:
        digest = b""
    if len(digest) != 32:
        raise ConfigError(f"{at}: sha256: expected 64 hexadecimal digits")
    return digest
