"""Addresses, connections and what PostgreSQL says when it refuses, in one line and without secrets; and text that it
can hold: any string in, the same string out, in the same order.

PostgreSQL refuses NUL and surrogates. They become two code points each, as do the two that stand for them:

    NUL            U+0001 U+0001        a surrogate    U+E000 U+0100 and up
    U+0001         U+0001 U+0002        U+E000         U+E000 U+0900

No other code point changes. What sorts before another text still does, and what another text starts with still is its
start: filters compare what is stored.
"""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias
from urllib.parse import quote, unquote, urlencode

from seamline.errors import POSTGRES, ConfigError, MissingExtra, StoreError

try:
    import psycopg
    from psycopg import errors
    from psycopg.conninfo import conninfo_to_dict
except ImportError as missing:
    raise MissingExtra("the store in PostgreSQL", POSTGRES) from missing

Connection: TypeAlias = psycopg.Connection[tuple[Any, ...]]
Role = Literal["reader", "writer"]

DEFAULT_SCHEMA = "seamline"
TIMEOUT = 10
"""Seconds a server may take to accept a connection; `connect_timeout` in the address overrides it."""
_CUT_OFF = {
    "tcp_user_timeout": str(1000 * TIMEOUT),
    "keepalives_idle": str(TIMEOUT),
    "keepalives_interval": "5",
    "keepalives_count": "2",
}
"""A network that was cut says nothing: without these, whoever reads waits as long as TCP does, a quarter of an hour."""
_LONGEST_NAME = 63
_SECRETS = {"password", "sslpassword", "oauth_client_secret", "scram_client_key", "scram_server_key"}
_FORM = "postgresql://USER@HOST:PORT/DATABASE?schema=NAME"
MAX_LAG = 5.0
"""Seconds that a replica may be behind, where the address does not say."""
_LAG = re.compile(r"(\d+(?:\.\d+)?)(ms|s|min)?")
_UNITS = {"ms": 0.001, "s": 1.0, "min": 60.0, None: 1.0}
_OURS = ("schema", "read", "max_lag")
"""Options of an address that are not libpq's."""
_SESSION: tuple[tuple[str, str], ...] = (
    ("jit", "off"),  # compiling costs more than any query here
    ("random_page_cost", "1.1"),  # for disks that turn, the planner would rather read all vectors than ask HNSW
    ("idle_in_transaction_session_timeout", "0"),  # a reader may think
    ("hnsw.iterative_scan", "relaxed_order"),
    ("hnsw.scan_mem_multiplier", "8"),
)
_WRITER: tuple[tuple[str, str], ...] = (
    # A client that vanished must not hold the right to write for the two hours that TCP waits.
    ("tcp_keepalives_idle", "30"),
    ("tcp_keepalives_interval", "10"),
    ("tcp_keepalives_count", "3"),
)
# What libpq says in English, and what helps. Servers that speak another language get the last line.
_REMEDIES = (
    ("database .* does not exist", "create it with `createdb`, or correct the name in the address"),
    (
        "password authentication failed|no password supplied|authentication failed|role .* does not exist",
        "check the user and the password in the address, in PGPASSWORD or in ~/.pgpass",
    ),
    ("no pg_hba.conf entry", "allow this client in the server's pg_hba.conf"),
    ("too many (clients|connections)|remaining connection slots", "close other clients, or raise max_connections"),
    ("starting up|shutting down|recovery mode", "try again when the server is up"),
    ("SSL|certificate", "check `sslmode` and the certificates"),
    ("permission denied for database", "grant CONNECT on the database to this role"),
    ("", "check that the server is running, and the host and the port in the address"),
)
_LIMITS = (
    ("File too large", ": a file of the server may not grow, raise its limit (`ulimit -f`) and try again"),
    ("quota exceeded", ": the quota of the server's disk is used up, make room there and try again"),
)


@dataclass(frozen=True, slots=True)
class Address:
    """A database and the schema of an index in it."""

    parameters: dict[str, str] = field(repr=False)
    """For libpq."""
    schema: str
    shown: str
    """The address as it was given, without secrets."""
    replicas: tuple[Address, ...] = ()
    """Servers that are asked first by whoever only reads."""
    max_lag: float = MAX_LAG
    """Seconds that a replica may be behind the primary."""

    @classmethod
    def read(cls, url: str) -> Address:
        """From postgresql://USER@HOST:PORT/DATABASE?schema=NAME; everything that libpq knows may stand in the query.
        `read=HOST:PORT,...` names replicas, and `max_lag=5s` how far they may be behind. Where several hosts are named,
        the one that can be written to is meant."""
        scheme, _, rest = url.partition("://")
        if scheme not in ("postgresql", "postgres"):
            raise ConfigError(f"expected an address like {_FORM}, got one that starts with {scheme[:20]!r}")
        base, _, query = rest.partition("?")
        _check_place(base)
        options = [(unquote(name), unquote(value)) for name, _, value in _parts(query)]
        schema = next((value for name, value in options if name == "schema"), DEFAULT_SCHEMA)
        given = [(name, value) for name, value in options if name not in _OURS]
        if not 0 < len(schema.encode("utf-8", "surrogatepass")) <= _LONGEST_NAME or not schema.isprintable():
            raise ConfigError(f"expected a schema name of 1-{_LONGEST_NAME} printable bytes, got {schema!r}")
        if schema == "$user" or schema.startswith("pg_"):
            raise ConfigError(f"expected a schema name that means nothing to PostgreSQL itself, got {schema!r}")
        libpq = urlencode(given, quote_via=quote)
        parameters = _parameters(f"postgresql://{base}" + (f"?{libpq}" if libpq else ""))
        if "," in parameters.get("host", "") or "," in parameters.get("hostaddr", ""):
            parameters.setdefault("target_session_attrs", "read-write")
        replicas = tuple(
            _replica(place, base, parameters, schema) for place in _given(options, "read").split(",") if place
        )
        lag = _seconds(_given(options, "max_lag") or f"{MAX_LAG}s")
        return cls(parameters, schema, _shown(base, options), replicas, lag)

    def hidden(self, text: str) -> str:
        """A text on one line, with every secret of this address left out."""
        for name in _SECRETS & self.parameters.keys():
            if self.parameters[name]:
                text = text.replace(self.parameters[name], "***")
        return " ".join(text.split())


def connect(address: Address, role: Role = "reader", timeout: int = TIMEOUT) -> Connection:
    """A connection that finds the tables of the index by their bare names."""
    name = f"seamline {role} {whoami()}"[:_LONGEST_NAME]
    defaults = {"connect_timeout": str(timeout), "application_name": name, **_CUT_OFF}
    parameters: dict[str, Any] = {**defaults, **address.parameters, "client_encoding": "utf8"}
    try:
        connection = psycopg.connect(autocommit=True, prepare_threshold=None, **parameters)
    except psycopg.OperationalError as error:
        raise StoreError(_unreachable(address, str(error))) from error
    with ExitStack() as undo:
        undo.callback(connection.close)
        with told(address):
            _prepare(connection, address.schema, role)
        undo.pop_all()
    return connection


def whoami() -> str:
    """This process, as other users of the server see it."""
    return f"{os.getpid()}@{socket.gethostname()}"


def lost(connection: Connection) -> bool:
    """Whether the server, or the way to it, is gone."""
    return connection.closed or connection.broken


@contextmanager
def told(address: Address, doing: str = "") -> Iterator[None]:
    """Turn what PostgreSQL says into a StoreError; `doing` says what could not be done."""
    try:
        yield
    except psycopg.Error as error:
        raise refusal(address, error, doing) from error


class ConnectionPool:
    """Connections that were used before and may be again."""

    def __init__(self, make: Callable[[], Connection], most: int = 4) -> None:
        self._make = make
        self._most = most
        self._idle: list[Connection] = []

    def take(self) -> tuple[Connection, bool]:
        """A connection, and whether it was used before: one of those may have been cut off meanwhile."""
        with suppress(IndexError):
            return self._idle.pop(), True
        return self._make(), False

    def give(self, connection: Connection) -> None:
        """Take back a connection that has no transaction."""
        if lost(connection) or len(self._idle) >= self._most:
            connection.close()
        else:
            self._idle.append(connection)

    def close(self) -> None:
        while self._idle:
            self._idle.pop().close()


def _parts(query: str) -> list[tuple[str, str, str]]:
    """Options of an address, as libpq reads them: a `+` is a plus."""
    return [part.partition("=") for part in query.split("&") if part]


def _check_place(base: str) -> None:
    """Refuse an address whose password holds marks that end it: part of it would be taken for a host or a database,
    and shown."""
    login, _, place = base.partition("/")
    hosts = re.sub(r"\[[^]]*\]", "", login.rpartition("@")[2]).split(",")
    if "@" in place or not all(re.fullmatch(r"\d*", host.partition(":")[2]) for host in hosts):
        raise ConfigError(f"expected an address like {_FORM}: write `/` in a password as %2F, `?` as %3F, `@` as %40")


def _given(options: list[tuple[str, str]], wanted: str) -> str:
    return next((value for name, value in options if name == wanted), "")


def _replica(place: str, base: str, parameters: dict[str, str], schema: str) -> Address:
    """The same database on another server; a port that is not named is the usual one."""
    found = re.fullmatch(r"(\[[^]]+\]|[^:\[\]]+)(?::(\d+))?", place)
    if not found:
        raise ConfigError(f"expected replicas as read=HOST:PORT,HOST:PORT, got {place!r}")
    host, port = found[1].strip("[]"), found[2] or "5432"
    kept = {name: value for name, value in parameters.items() if name not in ("hostaddr", "target_session_attrs")}
    user = base.rpartition("@")[0].partition(":")[0]
    login = f"{user}@" if user else ""
    shown = f"postgresql://{login}{place}/{parameters.get('dbname', '')}?schema={quote(schema)}"
    return Address({**kept, "host": host, "port": port}, schema, shown)


def _seconds(text: str) -> float:
    found = _LAG.fullmatch(text)
    if not found:
        raise ConfigError(f"expected a time such as max_lag=5s, 500ms or 1min, got {text!r}")
    return float(found[1]) * _UNITS[found[2]]


def _parameters(url: str) -> dict[str, str]:
    try:
        found = conninfo_to_dict(url)
    except psycopg.ProgrammingError as error:
        # libpq quotes the address, password and all: only what is known to be harmless is passed on.
        unknown = re.match(r'invalid URI query parameter: "(\w+)"', str(error))
        what = f"the server knows no option `{unknown[1]}`" if unknown else "it cannot be read"
        raise ConfigError(f"expected an address like {_FORM}: {what}") from None
    return {name: str(value) for name, value in found.items() if value is not None}


def _shown(base: str, options: list[tuple[str, str]]) -> str:
    login, at, place = base.rpartition("@")
    public = [(name, value) for name, value in options if name not in _SECRETS]
    query = urlencode(public, quote_via=quote, safe="/")
    return f"postgresql://{login.partition(':')[0]}{at}{place}" + (f"?{query}" if query else "")


def _prepare(connection: Connection, schema: str, role: Role) -> None:
    settings = (*_SESSION, *(_WRITER if role == "writer" else ()))
    connection.execute(
        "SELECT set_config(name, value, false) FROM unnest(%s::text[], %s::text[]) AS given (name, value)",
        ([name for name, _ in settings], [value for _, value in settings]),
    )
    if role == "writer":
        connection.execute(
            "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
        )
        with suppress(errors.InvalidParameterValue, errors.UndefinedObject):  # not every platform can look for clients
            connection.execute("SET client_connection_check_interval = '1s'")
    use_schema(connection, schema)


def use_schema(connection: Connection, schema: str) -> None:
    """Look up tables in the index's schema, and vectors where pgvector is, and nowhere else."""
    connection.execute(
        "SELECT set_config('search_path', concat_ws(', ', quote_ident(%s), quote_ident(nspname)), false)"
        " FROM (SELECT) AS always LEFT JOIN pg_extension ON extname = 'vector'"
        " LEFT JOIN pg_namespace n ON n.oid = extnamespace",
        (schema,),
    )


def _unreachable(address: Address, said: str) -> str:
    reason = address.hidden(_facts(said)).removeprefix("connection failed: ")
    remedy = next(remedy for pattern, remedy in _REMEDIES if re.search(pattern, reason))
    return f"cannot reach the index at {address.shown}: {reason}: {remedy}"


def refusal(address: Address, error: psycopg.Error, doing: str = "") -> StoreError:
    """What PostgreSQL said, and what helps."""
    said = address.hidden((error.diag.message_primary or _facts(str(error))).rstrip("."))
    what = f"{doing}: " if doing else ""
    return StoreError(f"{what}PostgreSQL at {address.shown} says: {said}{_advice(error, said)}")


def _facts(said: str) -> str:
    """What libpq says, without its guesses."""
    return "\n".join(line for line in said.splitlines() if not line.startswith("\t"))


def _advice(error: psycopg.Error, said: str) -> str:
    match error:
        case errors.InsufficientPrivilege():
            return ": use the role that made the index, or have it grant this one its rights"
        case errors.ReadOnlySqlTransaction():
            return ": this server is a read-only copy or this role may only read: write to the primary, as its owner"
        case errors.DiskFull():
            return ": the server's disk is full, make room there and try again"
        case errors.OutOfMemory() | errors.InsufficientResources():
            return ": the server has no room for this now, try again when it has"
        case errors.UndefinedTable() | errors.UndefinedColumn() | errors.InvalidSchemaName():
            return ": the index is damaged or was removed, index again from scratch"
        case errors.UniqueViolation():
            return ": an entry of another document has this id"
        case errors.SerializationFailure():
            return ": a replica had to go on without this reader, ask again; `hot_standby_feedback = on` prevents it"
        case errors.QueryCanceled():
            return ": raise statement_timeout for this role, or try again if somebody cancelled it"
        case errors.LockNotAvailable():
            return ": somebody else is using the index, try again when they are done"
        case psycopg.OperationalError() if error.sqlstate is None or error.sqlstate[:2] in ("57", "08"):
            return ": the connection is lost, try again when the server is up; its log says what happened"
    # The server has no code of its own for these; so it says it in English.
    return next((remedy for pattern, remedy in _LIMITS if re.search(pattern, said)), "")


_NUL, _PRIVATE = "\x01", "\ue000"
_FIRST = 0x0100
"""What stands for U+D800, after U+E000."""
_SURROGATES = 0xD800
_ITSELF = "\u0900"
_UNSAFE = re.compile("[\x00\x01\ud800-\udfff\ue000]")
_ESCAPED = re.compile("\x01[\x01\x02]|\ue000[\u0100-\u0900]")


def safe(text: str) -> str:
    """The text as it is stored."""
    return _UNSAFE.sub(_escape, text) if _UNSAFE.search(text) else text


def unsafe(text: str) -> str:
    """The reverse of `safe`."""
    return _ESCAPED.sub(_restore, text) if _NUL in text or _PRIVATE in text else text


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    if char <= _NUL:
        return _NUL + chr(ord(char) + 1)
    return _PRIVATE + (_ITSELF if char == _PRIVATE else chr(ord(char) - _SURROGATES + _FIRST))


def _restore(match: re.Match[str]) -> str:
    lead, code = match[0][0], match[0][1]
    if lead == _NUL:
        return chr(ord(code) - 1)
    return _PRIVATE if code == _ITSELF else chr(ord(code) - _FIRST + _SURROGATES)
