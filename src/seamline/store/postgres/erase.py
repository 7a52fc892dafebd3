"""Erasure: documents leave every table, and the files of the tables are written anew without them.

A server keeps more than tables. Where the role may, its statistics are rewritten and its log is moved on; what it may
not, and what no client can do (backups, replicas, segments of the log that are kept for reuse), is told.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from psycopg import sql

from seamline.errors import StoreError
from seamline.store.postgres.connect import Connection, safe
from seamline.store.postgres.rows import HEAD_COLUMNS, head_of, head_row, seal_of
from seamline.store.postgres.schema import OF_DOCUMENTS
from seamline.types import Notice

_PATIENCE = 10.0
_PAUSE = 0.1
_VIEWERS = """
SELECT count(*) FROM pg_stat_activity
WHERE pid <> pg_backend_pid() AND datname = current_database() AND age(backend_xmin) >= age(%s::text::xid8::xid)
"""
_RIGHTS = """
SELECT rolsuper, rolsuper OR pg_has_role(current_user, 'pg_checkpoint', 'MEMBER'),
    rolsuper OR has_function_privilege('pg_switch_wal()', 'EXECUTE')
FROM pg_roles WHERE rolname = current_user
"""


def known(connection: Connection, docs: Sequence[str]) -> list[str]:
    """Those of the documents that are there, removed ones included."""
    rows = connection.execute("SELECT doc FROM documents WHERE doc = ANY(%s)", ([safe(doc) for doc in docs],))
    there = {row[0] for row in rows}
    return sorted(doc for doc in docs if safe(doc) in there)


def delete_documents(connection: Connection, docs: Sequence[str]) -> None:
    """Take documents out of the tables that know them by name, inside a transaction of the caller."""
    names = [safe(doc) for doc in docs]
    for table in ("versions", "owners", "documents"):
        connection.execute(sql.SQL("DELETE FROM {} WHERE doc = ANY(%s)").format(sql.Identifier(table)), (names,))
    query = sql.SQL("SELECT {} FROM documents WHERE moved_to = ANY(%s)").format(HEAD_COLUMNS)
    for row in connection.execute(query, (names,)).fetchall():
        head = head_row(head_of((*row[:-1], "")))
        connection.execute("UPDATE documents SET moved_to = '', seal = %s WHERE doc = %s", (seal_of(head), head[0]))


def rewrite_files(connection: Connection, transaction: str) -> None:
    """Write the files of all tables anew, once nobody sees what this transaction deleted: rows that are still seen
    would be copied."""
    end = time.monotonic() + _PATIENCE
    while (row := connection.execute(_VIEWERS, (transaction,)).fetchone()) and row[0]:
        if time.monotonic() > end:
            raise StoreError(
                "the documents are deleted, but a session of the server still sees them and keeps their rows in its"
                " files: end it and forget them again"
            )
        time.sleep(_PAUSE)
    connection.execute("SELECT set_config('lock_timeout', %s, false)", (f"{_PATIENCE:.0f}s",))
    for table in OF_DOCUMENTS:
        connection.execute(sql.SQL("VACUUM (FULL, ANALYZE) {}").format(sql.Identifier(table)))


def clear_traces(connection: Connection) -> Notice:
    """Rewrite what else this role may rewrite; what is left to an administrator."""
    row = connection.execute(_RIGHTS).fetchone()
    is_super, may_checkpoint, may_switch = row if row else (False, False, False)
    if is_super:
        connection.execute("VACUUM FULL pg_catalog.pg_statistic")
    if may_checkpoint and may_switch:
        for _ in range(2):  # the first checkpoint may still need the segment before the switch
            connection.execute("SELECT pg_switch_wal()")
            connection.execute("CHECKPOINT")
    left = [] if is_super else ["the statistics of its planner (`VACUUM FULL pg_statistic`)"]
    left += [] if may_checkpoint and may_switch else ["its log (`SELECT pg_switch_wal()`, `CHECKPOINT`)"]
    left += ["segments of its log that are kept for reuse (`wal_recycle`) or archived, its replicas and its backups"]
    return Notice("erased", f"no table holds them; what this cannot reach on the server: {'; '.join(left)}")
