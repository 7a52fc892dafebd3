"""Older layouts of an embedded index, and the steps that bring one to the next.

    1   headings and front matter could be filtered by only by reading every entry: no column `labels`
    2   the present one

A step writes a new table beside the old one; the settings file then names it at one stroke. Until that moment the
index is what it was, and whoever is interrupted begins again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from seamline.errors import StoreError
from seamline.store import lance_home
from seamline.store.lance_engine import connect, told
from seamline.store.lance_filter import labels
from seamline.store.lance_guard import Guard
from seamline.store.lance_home import ENTRIES, LAYOUT, Found
from seamline.store.lance_rows import entry_schema, unpack_entry
from seamline.store.locks import WriterLock

_PAGE = 4096


def migrate(folder: Path) -> Found:
    """Bring the index of a folder to the present layout; what it says then."""
    lock = WriterLock(folder)
    try:
        found = lance_home.look(folder)  # again: another process may have been faster
        while found.layout < LAYOUT:
            step = _STEPS.get(found.layout)
            if step is None:
                raise StoreError(f"the index in {folder} has layout {found.layout}, which is too old: index again")
            with told(f"cannot bring the index in {folder} from layout {found.layout} to the next"):
                found = step(folder, found)
            Guard(folder, (found.entries, found.versions)).adopt()
            lance_home.announce(folder, found)
        lance_home.sweep(folder, found)
        return found
    finally:
        # Who was interrupted before may have left half a change, which the next writer is to put right.
        lock.release(finished=not lock.interrupted)


def _to_2(folder: Path, found: Found) -> Found:
    """Give every entry its labels, which its packed form is enough to make."""
    name = f"{ENTRIES}_2"
    connection = connect(folder)
    old = connection.open_table(found.entries)
    schema = entry_schema(found.settings.dimensions)
    new = connection.create_table(name, schema=schema, mode="overwrite")
    new.add(pa.RecordBatchReader.from_batches(schema, _labelled(old, schema)), on_bad_vectors="null")
    return found._replace(layout=2, entries=name)


def _labelled(old: Any, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    for batch in old.search().to_batches(_PAGE):
        rows = zip(batch.column("level").to_pylist(), batch.column("body").to_pylist(), strict=True)
        made = [labels(unpack_entry(body)) if level >= 0 else [] for level, body in rows]
        new = pa.array(made, schema.field("labels").type)
        columns = [new if name == "labels" else batch.column(name) for name in schema.names]
        yield pa.RecordBatch.from_arrays(columns, schema=schema)


_STEPS: dict[int, Callable[[Path, Found], Found]] = {1: _to_2}
