"""What keeps an index in PostgreSQL quick: packed words, HNSW, statistics for the planner, dead rows removed.

Nothing here locks out readers, not even those of the process that tidies.
"""

from __future__ import annotations

from psycopg import errors, sql

from seamline.store.postgres_connect import Connection
from seamline.store.postgres_fold import fold, merge
from seamline.store.postgres_limits import Limits
from seamline.store.postgres_schema import MOST_INDEXED
from seamline.store.postgres_search import HALVES, TABLES

_DEAD = 0.1
"""Share of dead rows at which a table is vacuumed now, and not left to the server."""
_TABLES = ["documents", "versions", "entries", "bodies", "vectors", "summary_vectors", "recent", "postings", "owners"]
_HNSW = sql.SQL(
    "CREATE INDEX {name} ON {table} USING hnsw (vector vector_cosine_ops)"
    " WITH (m = 16, ef_construction = 64) WHERE level {half}"
)
_ROOM = 600
"""Bytes that HNSW needs for an entry while it is built, beside the vector."""
_MOST_ROOM = 1 << 30


def tidy(connection: Connection, limits: Limits, dimensions: int) -> None:
    """Everything, in transactions of its own."""
    with connection.transaction():
        row = connection.execute("SELECT count(*) FROM recent").fetchone()
        if row and row[0] >= limits.worth_folding:
            fold(connection)
        merge(connection, limits.scattered)
    if dimensions <= MOST_INDEXED:
        for table in TABLES.values():
            for half in HALVES:
                _index_vectors(connection, table, half, limits.exact_below, dimensions)
    _clean(connection)


def _index_vectors(connection: Connection, table: str, half: str, exact_below: int, dimensions: int) -> None:
    """Build HNSW where exact search has become slow: at once, which is quicker than row by row from the start."""
    name = f"{table}_{half}"
    parts = {"name": sql.Identifier(name), "table": sql.Identifier(table), "half": HALVES[half]}
    there = "SELECT 1 FROM pg_indexes WHERE schemaname = current_schema() AND indexname = %s"
    if connection.execute(there, (name,)).fetchone():
        return
    row = connection.execute(sql.SQL("SELECT count(*) FROM {table} WHERE level {half}").format(**parts)).fetchone()
    rows = int(row[0]) if row else 0
    if rows < exact_below:
        return
    room = min(_MOST_ROOM, rows * (4 * dimensions + _ROOM)) >> 10
    try:
        _build(connection, _HNSW.format(**parts), room, workers=2)
    except (errors.DiskFull, errors.OutOfMemory):
        # Workers share memory that containers often have 64 MB of; one process alone needs none of it.
        _build(connection, _HNSW.format(**parts), room, workers=0)


def _build(connection: Connection, query: sql.Composed, room: int, workers: int) -> None:
    with connection.transaction():
        connection.execute(
            "SELECT set_config('maintenance_work_mem', greatest(%s, setting::bigint)::text, true),"
            " set_config('max_parallel_maintenance_workers', %s, true)"
            " FROM pg_settings WHERE name = 'maintenance_work_mem'",
            (room, str(workers)),
        )
        connection.execute(query)


def _clean(connection: Connection) -> None:
    rows = connection.execute(
        "SELECT relname, n_dead_tup > %s * (n_live_tup + 100), n_mod_since_analyze > %s * (n_live_tup + 100)"
        " FROM pg_stat_user_tables WHERE schemaname = current_schema() AND relname = ANY(%s)",
        (_DEAD, _DEAD, _TABLES),
    ).fetchall()
    for table, dead, changed in rows:
        if dead or changed:
            what = sql.SQL("VACUUM (ANALYZE) {}" if dead else "ANALYZE {}")
            connection.execute(what.format(sql.Identifier(table)))
