"""The tables of an index in PostgreSQL: how they are made, recognised and brought up to date, and the sizes at which a
store changes its ways."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, LiteralString, NamedTuple

from psycopg import errors, sql

from seamline.errors import IndexMissing, StoreError
from seamline.records import Settings, lacks_vectors
from seamline.store import codec
from seamline.store.postgres.connect import Address, Connection, told, use_schema
from seamline.store.postgres.rows import ENTRY_COLUMNS, HEAD_COLUMNS, entry_of, seal_of
from seamline.store.postgres.words import bag, fold, note
from seamline.text.stemming import ENGLISH


@dataclass(frozen=True, slots=True)
class PostgresLimits:
    """Answers are right with any numbers; these were the quickest with 100,000 entries of 384 dimensions."""

    exact_below: int = 10_000
    """Vectors of chunks, or of sections, that are compared one by one: some milliseconds, and no HNSW index to keep."""
    fold_at: int = 2000
    """Entries whose words a search may have to look through one by one; more are packed."""
    worth_folding: int = 200
    """Entries below which `tidy` leaves them unpacked: a search hardly notices."""
    scattered: int = 8
    """Small packed rows of a word that `tidy` joins."""
    few: int = 4
    """A filter that lets through no more than so many times the root of all entries is narrow: each is looked at, which
    takes 3 microseconds. HNSW is not asked: it would find many that the filter throws away again, the more the fewer
    are let through."""


LAYOUT = 6
"""Of the tables below. An older one is brought up to date when it is opened, a newer one refused."""
NEEDS_PGVECTOR = (0, 8)
"""Index scans that go on until enough rows pass a filter came with 0.8."""
MOST_INDEXED = 2000
"""Dimensions that pgvector can index, and that fit a page beside the row's own columns."""

_TABLES = """
CREATE TABLE settings (layout integer NOT NULL, settings text NOT NULL, born text NOT NULL);
CREATE TABLE state (generation bigint NOT NULL, next_key bigint NOT NULL);
CREATE TABLE levels (
    level integer PRIMARY KEY,
    entries bigint NOT NULL,
    worded bigint NOT NULL,
    words bigint NOT NULL
);
CREATE TABLE documents (
    doc text COLLATE "C" PRIMARY KEY,
    version integer NOT NULL,
    revision text NOT NULL,
    uri text NOT NULL,
    title text NOT NULL,
    entries integer NOT NULL,
    chunks integer NOT NULL,
    tokens bigint NOT NULL,
    indexed_at bigint NOT NULL,
    deleted boolean NOT NULL,
    moved_to text NOT NULL
);
CREATE TABLE versions (
    doc text COLLATE "C" NOT NULL,
    number integer NOT NULL,
    revision text NOT NULL,
    title text NOT NULL,
    uri text NOT NULL,
    text bytea NOT NULL,
    indexed_at bigint NOT NULL,
    places text NOT NULL,
    seal bytea NOT NULL,
    PRIMARY KEY (doc, number)
);
CREATE TABLE owners (id text COLLATE "C" PRIMARY KEY, doc text COLLATE "C" NOT NULL);
CREATE TABLE entries (
    key bigint PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    doc text COLLATE "C" NOT NULL,
    level integer NOT NULL,
    parent text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    title text COLLATE "C" NOT NULL,
    path text[] COLLATE "C" NOT NULL,
    language text COLLATE "C" NOT NULL,
    tokens integer NOT NULL,
    authority double precision NOT NULL,
    coherence double precision,
    created_at bigint,
    updated_at bigint NOT NULL,
    length integer NOT NULL,
    meta jsonb NOT NULL
);
CREATE INDEX entries_doc ON entries (doc, id);
CREATE TABLE bodies (
    key bigint PRIMARY KEY,
    text text NOT NULL,
    lead integer NOT NULL,
    tail integer NOT NULL,
    content_hash text NOT NULL,
    sketch bigint NOT NULL,
    summary text NOT NULL,
    before text NOT NULL,
    after text NOT NULL,
    front text NOT NULL,
    checksum bytea NOT NULL
);
CREATE TABLE recent (
    key bigint PRIMARY KEY,
    gone boolean NOT NULL,
    level integer NOT NULL,
    length integer NOT NULL,
    counts jsonb NOT NULL
);
CREATE TABLE postings (
    word text COLLATE "C" NOT NULL,
    level integer NOT NULL,
    count integer NOT NULL,
    first bigint NOT NULL,
    last bigint NOT NULL,
    data bytea NOT NULL
);
CREATE INDEX postings_word ON postings (word, level);
ALTER TABLE versions ALTER text SET STORAGE EXTERNAL;
INSERT INTO state VALUES (0, 1);
"""
_VECTORS = """
CREATE TABLE {table} (key bigint PRIMARY KEY, level integer NOT NULL, vector vector({dimensions}) NOT NULL);
ALTER TABLE {table} ALTER vector SET STORAGE {storage};
"""
_PARTS = """
CREATE TABLE parts (key bigint PRIMARY KEY, parts bytea NOT NULL);
ALTER TABLE parts ALTER parts SET STORAGE EXTERNAL;
"""
"""Beside the vectors, not in their rows: a search that compares them all would read more pages."""
_RIGHTS = """
SELECT format('ALTER TABLE parts OWNER TO %I', pg_get_userbyid(relowner))
FROM pg_class WHERE oid = 'vectors'::regclass
UNION ALL
SELECT format(
    'GRANT %s ON parts TO %s', string_agg(privilege_type, ', '),
    CASE WHEN grantee = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END
) FROM pg_class, aclexplode(relacl) WHERE oid = 'vectors'::regclass GROUP BY grantee
"""
"""Statements that let whoever may use vectors use parts in the same way."""
_BATCH = 1000
_ENTRIES = sql.SQL("SELECT {} FROM entries e JOIN bodies b USING (key)").format(ENTRY_COLUMNS)
OF_DOCUMENTS = [
    *("documents", "versions", "owners", "entries", "bodies"),
    *("vectors", "summary_vectors", "parts", "recent", "postings"),
]
"""Tables with rows of documents, and of what is made of them."""
_NAMES = ["settings", "state", "levels", *OF_DOCUMENTS]
_AFRESH = "drop the schema and index again from scratch"
_OURS = """
SELECT has_schema_privilege(n.oid, 'USAGE'), EXISTS (
    SELECT FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relnamespace = n.oid AND c.relname = 'settings' AND a.attname = 'born'
) FROM pg_namespace n WHERE nspname = %s
"""
"""Not by the search path, which goes on to the schema of pgvector: another index may live there."""
_PATIENCE = "60s"
"""How long a migration waits for those who read or write with an older Seamline."""


class Opened(NamedTuple):
    """What a schema says about the index in it."""

    settings: Settings
    born: str
    """A name that no other index has, not even one made later in the same schema."""


def lock_key(schema: str) -> int:
    """The advisory lock of an index; such locks are per database."""
    return int.from_bytes(blake2b(f"seamline {schema}".encode(), digest_size=8).digest(), "big", signed=True)


def create(connection: Connection, address: Address, settings: Settings) -> None:
    """Make the tables where there are none yet, all of them or none."""
    _check_server(connection, address)
    if layout(connection, address) is not None:
        return  # and no wait for a writer
    with told(address, f"cannot make an index in schema {address.schema}"), connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (lock_key(address.schema),))
        if layout(connection, address) is not None:
            return
        _refuse_strangers(connection, address)
        _schema(connection, address)
        _extension(connection, address)
        make_tables(connection, settings)


def make_tables(connection: Connection, settings: Settings) -> None:
    """The tables of the newest layout: those of the first, and every step since."""
    connection.execute(_TABLES)
    storage = "PLAIN" if settings.dimensions <= MOST_INDEXED else "EXTERNAL"
    for table in ("vectors", "summary_vectors"):
        made = sql.SQL(_VECTORS).format(
            table=sql.Identifier(table), dimensions=sql.Literal(settings.dimensions), storage=sql.SQL(storage)
        )
        connection.execute(made)
    connection.execute("INSERT INTO settings VALUES (1, %s, gen_random_uuid()::text)", (codec.pack_settings(settings),))
    for step in _STEPS.values():
        step(connection)
    connection.execute("UPDATE settings SET layout = %s", (LAYOUT,))


def open_schema(connection: Connection, address: Address) -> Opened:
    """Recognise the index in a schema, and bring it up to date where it is of an older layout."""
    _check_server(connection, address)
    found = layout(connection, address)
    if found is None:
        raise IndexMissing(f"no index in schema {address.schema} at {address.shown}: make one with `seamline index`")
    if found > LAYOUT:
        raise StoreError(
            f"the index at {address.shown} was made by a newer Seamline (layout {found}, this one knows up to"
            f" {LAYOUT}): update Seamline"
        )
    if found not in (*_STEPS, LAYOUT):
        raise StoreError(f"the index at {address.shown} is damaged, it has no layout {found}: {_AFRESH}")
    if found < LAYOUT:
        _migrate(connection, address)
    with told(address, "cannot open the index"):
        row = connection.execute("SELECT settings, born, seal FROM settings").fetchone()
    if row is None or seal_of(row[:2]) != row[2]:
        raise StoreError(f"the settings of the index at {address.shown} are damaged: {_AFRESH}")
    return Opened(codec.unpack_settings(row[0]), row[1])


def layout(connection: Connection, address: Address) -> int | None:
    """Number of the layout; None where there is no index."""
    with told(address, "cannot open the index"):
        row = connection.execute(_OURS, (address.schema,)).fetchone()
        usable, there = row if row else (True, False)
        if not usable:
            raise StoreError(
                f"this role may not use schema {address.schema} of {address.shown}: have its owner run"
                " `GRANT USAGE ON SCHEMA` and `GRANT SELECT ON ALL TABLES IN SCHEMA`"
            )
        if not there:
            return None
        row = connection.execute("SELECT layout FROM settings").fetchone()
    if row is None:
        raise StoreError(f"the settings of the index at {address.shown} are gone: {_AFRESH}")
    return int(row[0])


def _migrate(connection: Connection, address: Address) -> None:
    with told(address, "cannot bring the index up to date"), connection.transaction():
        connection.execute("SELECT set_config('lock_timeout', %s, true)", (_PATIENCE,))
        # Whoever comes second waits here, and finds the work done.
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (lock_key(address.schema),))
        for number in range(layout(connection, address) or LAYOUT, LAYOUT):
            _STEPS[number](connection)
        connection.execute("UPDATE settings SET layout = %s", (LAYOUT,))


def _second(connection: Connection) -> None:
    """From 1 to 2: digests are kept and not worked out each time, heads and settings have seals, and equality of front
    matter has an index."""
    for table, column in (("bodies", "digest"), ("documents", "seal"), ("settings", "seal")):
        names = {"table": sql.Identifier(table), "column": sql.Identifier(column)}
        connection.execute(sql.SQL("ALTER TABLE {table} ADD COLUMN {column} bytea").format(**names))
    _fill(
        connection,
        _ENTRIES,
        "UPDATE bodies SET digest = given.hash FROM unnest(%s::bigint[], %s::bytea[]) AS given (key, hash)"
        " WHERE bodies.key = given.key",
        lambda row: bytes.fromhex(codec.digest(entry_of(row))),
    )
    _fill(
        connection,
        sql.SQL("SELECT {} FROM documents").format(HEAD_COLUMNS),
        "UPDATE documents SET seal = given.hash FROM unnest(%s::text[], %s::bytea[]) AS given (doc, hash)"
        " WHERE documents.doc = given.doc",
        seal_of,
    )
    for row in connection.execute("SELECT settings, born FROM settings").fetchall():
        connection.execute("UPDATE settings SET seal = %s", (seal_of(row),))
    for table, column in (("bodies", "digest"), ("documents", "seal"), ("settings", "seal")):
        names = {"table": sql.Identifier(table), "column": sql.Identifier(column)}
        connection.execute(sql.SQL("ALTER TABLE {table} ALTER {column} SET NOT NULL").format(**names))
    connection.execute("CREATE INDEX entries_meta ON entries USING gin (meta jsonb_path_ops)")


def _fill(
    connection: Connection, rows: sql.Composed, update: LiteralString, hash_of: Callable[[Sequence[Any]], bytes]
) -> None:
    """Work out a hash for every row, whose first column is its key, a few at a time."""
    for some in _batches(connection, rows):
        connection.execute(update, ([row[0] for row in some], [hash_of(row) for row in some]))


def _batches(connection: Connection, rows: sql.Composed) -> Iterator[list[tuple[Any, ...]]]:
    """Rows by a cursor of the server, as an index may be larger than memory."""
    with connection.cursor("batches") as cursor:
        cursor.execute(rows)
        while some := cursor.fetchmany(_BATCH):
            yield some


def _recount(connection: Connection) -> None:
    """From 2 to 3, and from 4 to 5: words are counted as they are now, with those of titles and headings. Indexes of
    these layouts have English stems."""
    for table in ("postings", "recent", "levels"):
        connection.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(table)))
    for some in _batches(connection, _ENTRIES):
        bags = [bag(row[0], entry_of(row), ENGLISH) for row in some]
        connection.execute(
            "UPDATE entries SET length = given.length"
            " FROM unnest(%s::bigint[], %s::integer[]) AS given (key, length) WHERE entries.key = given.key",
            ([one.key for one in bags], [one.length for one in bags]),
        )
        note(connection, bags)
    connection.execute(
        "INSERT INTO levels SELECT level, count(*), count(*) FILTER (WHERE length > 0), sum(length)"
        " FROM entries GROUP BY level"
    )
    fold(connection)


def _fourth(connection: Connection) -> None:
    """From 3 to 4: an entry may be written before it has its vectors, and says so."""
    connection.execute("ALTER TABLE entries ADD COLUMN lacking boolean NOT NULL DEFAULT false")
    (packed,) = connection.execute("SELECT settings FROM settings").fetchall()[0]
    dual = codec.unpack_settings(packed).dual
    bare = sql.SQL(
        "SELECT {}, vector_send(v.vector), vector_send(s.vector) FROM entries e JOIN bodies b USING (key)"
        " LEFT JOIN vectors v USING (key) LEFT JOIN summary_vectors s USING (key)"
        " WHERE v.key IS NULL OR ({} AND s.key IS NULL)"
    ).format(ENTRY_COLUMNS, sql.Literal(dual))
    for some in _batches(connection, bare):
        lacking = [row[0] for *row, vector, summary in some if lacks_vectors(entry_of(row, vector, summary), dual=dual)]
        connection.execute("UPDATE entries SET lacking = true WHERE key = ANY(%s)", (lacking,))
    connection.execute("CREATE INDEX entries_lacking ON entries (level) WHERE lacking")


def _sixth(connection: Connection) -> None:
    """From 5 to 6: there is a table of parts, for the same roles as that of vectors: those that may only read would
    be refused it."""
    connection.execute(_PARTS)
    for (statement,) in connection.execute(_RIGHTS).fetchall():
        connection.execute(statement.encode())


_STEPS: dict[int, Callable[[Connection], None]] = {1: _second, 2: _recount, 3: _fourth, 4: _recount, 5: _sixth}
"""What turns each layout into the next."""


def _check_server(connection: Connection, address: Address) -> None:
    with told(address):
        row = connection.execute(
            "SELECT current_setting('server_encoding'), (SELECT extversion FROM pg_extension WHERE extname = 'vector')"
        ).fetchone()
    encoding, version = row if row else ("", None)
    if encoding != "UTF8":
        raise StoreError(f"the database at {address.shown} is in {encoding}: create one with ENCODING 'UTF8'")
    if version is not None and tuple(int(part) for part in version.split(".")[:2]) < NEEDS_PGVECTOR:
        raise StoreError(
            f"expected pgvector {'.'.join(map(str, NEEDS_PGVECTOR))} or later at {address.shown}, got {version}:"
            " install it, then run `ALTER EXTENSION vector UPDATE`"
        )


def _refuse_strangers(connection: Connection, address: Address) -> None:
    """Tables of somebody else are never mixed with ours."""
    rows = connection.execute(
        "SELECT tablename FROM pg_tables WHERE schemaname = %s AND tablename = ANY(%s) ORDER BY 1",
        (address.schema, _NAMES),
    ).fetchall()
    if rows:
        raise StoreError(
            f"schema {address.schema} of {address.shown} has a table `{rows[0][0]}` of something else:"
            " name another schema with ?schema=NAME"
        )


def _schema(connection: Connection, address: Address) -> None:
    """Make the schema where there is none, which takes more rights than to use one."""
    if connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", (address.schema,)).fetchone():
        return
    try:
        connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(address.schema)))
    except errors.InsufficientPrivilege as error:
        raise StoreError(
            f"this role may not make schema {address.schema} at {address.shown}: have an administrator run"
            " `GRANT CREATE ON DATABASE`, or `CREATE SCHEMA ... AUTHORIZATION` for this role"
        ) from error


def _extension(connection: Connection, address: Address) -> None:
    """Switch pgvector on where it is not."""
    # Of two indexes that are made at once in a new database, the second waits here.
    connection.execute("SELECT pg_advisory_xact_lock(%s)", (lock_key("/pgvector"),))
    if not connection.execute("SELECT 1 FROM pg_extension WHERE extname = 'vector'").fetchone():
        if not connection.execute("SELECT 1 FROM pg_available_extensions WHERE name = 'vector'").fetchone():
            raise StoreError(
                f"the server at {address.shown} has no pgvector: install it there (postgresql-NN-pgvector)"
            )
        _switch_on(connection, address)
    use_schema(connection, address.schema)


def _switch_on(connection: Connection, address: Address) -> None:
    # Not in the index's own schema where there is another: it would go when the index is removed.
    shared = connection.execute("SELECT to_regnamespace('public') IS NOT NULL").fetchone()
    home = "public" if shared and shared[0] else address.schema
    try:
        connection.execute(sql.SQL("CREATE EXTENSION vector SCHEMA {}").format(sql.Identifier(home)))
    except errors.InsufficientPrivilege as error:
        raise StoreError(
            f"pgvector is not switched on at {address.shown}: have an administrator run `CREATE EXTENSION vector`"
            " in that database"
        ) from error
