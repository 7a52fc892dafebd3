"""LanceDB as this store uses it: quiet, with errors that a user can act on, a table at one version, and files that are
on the disk for good once they are written.

A call is one trip to the engine's event loop: its own synchronous calls make up to six each, and cost a search by
vector 2 ms more.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
from collections.abc import Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from seamline.errors import LANCE, MissingExtra, StoreError
from seamline.remote.buckets import REMEDY, RETRIES, SECONDS, is_bucket
from seamline.store.folders import PRIVATE, PRIVATE_FOLDER, REMEDIES, sync

if TYPE_CHECKING:
    from pathlib import Path

    from seamline.records import Vector


_DAMAGED = "run `seamline doctor --verify` to see what is damaged"
_PANICS = ("pyo3_async_runtimes", "pyo3_runtime")
"""Modules of the exceptions that a panic of the engine becomes."""

_NUMBER = re.compile(r"os error (\d+)")
"""The numbers in LanceDB's messages are the system's own."""
_UNANSWERED = re.compile(r"Error performing (\w+ [^\s?]{1,300})")
"""What LanceDB says of a request that an object store did not answer, or refused."""


def _loaded() -> Any:
    """The module `lancedb`; a MissingExtra where it is not installed."""
    # It writes warnings of its own to stderr, such as that a partition of vectors is empty; whoever wants them says so.
    os.environ.setdefault("LANCEDB_LOG", "error")
    try:
        import lancedb
    except ImportError as error:
        raise MissingExtra("the vector store LanceDB", LANCE) from error
    return lancedb


lancedb = _loaded()


class _Told(AbstractContextManager[None]):
    """Turns errors into StoreErrors on the way out."""

    def __init__(self, doing: str, otherwise: str) -> None:
        self._doing = doing
        self._otherwise = otherwise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # pyarrow's errors are ValueErrors, OSErrors and RuntimeErrors too.
        if isinstance(error, OSError | RuntimeError | ValueError | TimeoutError):
            raise StoreError(f"{self._doing}: {_reason(error, self._otherwise)}") from error
        if kind is not None and kind.__module__ in _PANICS:
            raise StoreError(f"{self._doing}: the engine met something it cannot read: {_DAMAGED}") from error


def report_errors(doing: str, otherwise: str = _DAMAGED) -> AbstractContextManager[None]:
    """Turn what LanceDB and the system say into a StoreError that starts with what could not be done. `otherwise` is
    what to do where the reason does not tell.

    A panic of the engine is one too: damaged files cause some. Its class has no name that could be imported, and one
    kind is no Exception at all.
    """
    return _Told(doing, otherwise)


def _reason(error: Exception, otherwise: str) -> str:
    said = str(error)
    if isinstance(error, OSError) and error.errno:
        said = f"{error.strerror} (os error {error.errno})"
    number = int(found[1]) if (found := _NUMBER.search(said)) else errno.ENOSPC if "No space left" in said else 0
    if unanswered := _UNANSWERED.search(said):
        return f"the object store did not answer as expected ({unanswered[1]}): {REMEDY}"
    remedy = REMEDIES.get(number, otherwise)
    # The engine adds the place in its own source, and sometimes a whole stack, behind what it has to say.
    short = re.split(r",? ?/\S*\.rs:\d|\n", said.strip(), maxsplit=1)[0].strip(" ,.:")
    return f"{short[:200] or type(error).__name__}: {remedy}"


def connect(folder: Path | str) -> Any:
    """The tables of a folder, or of an address of objects."""
    with report_errors(f"cannot open the index in {folder}"):
        return lancedb.connect(str(folder), storage_options=_options(folder))


def _options(folder: Path | str) -> dict[str, str] | None:
    """Of an object store: when one that is away is given up."""
    if not is_bucket(str(folder)):
        return None
    return {"client_max_retries": str(RETRIES), "client_retry_timeout": str(SECONDS)}


TRUE, FALSE = "true", "false"
"""The conditions that ask for everything, and for nothing."""

T = TypeVar("T")


def _wait(task: Coroutine[Any, Any, T]) -> T:
    from lancedb.background_loop import LOOP

    found: T = LOOP.run(task)
    return found


class Connection:
    """The tables of a folder or of an address of objects, for readers."""

    def __init__(self, folder: Path | str) -> None:
        self._folder = folder
        with report_errors(f"cannot open the index in {folder}"):
            self._connection = _wait(lancedb.connect_async(str(folder), storage_options=_options(folder)))

    def open(self, name: str, version: int) -> TableVersion:
        """One version of a table, and nothing that is written later."""
        with report_errors(f"cannot open the index in {self._folder}"):
            return TableVersion(_wait(self._connection.open_table(name, version=version)))


class TableVersion:
    """One version of a table. Threads may share it."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def rows(self, where: str, columns: Sequence[str], *, places: bool = False) -> Any:
        """Some columns of the rows that a condition lets through, and on demand where they stand, as an Arrow table."""
        query = self._table.query().where(where).select([*columns])
        return _wait((query.with_row_id() if places else query).to_arrow())

    def batches(self, where: str, columns: Sequence[str], size: int) -> Iterator[Any]:
        """The same, so many rows at a time."""
        query = self._table.query().where(where).select([*columns])
        found = _wait(query.to_batches(max_batch_length=size))
        while (batch := _wait(anext(found, None))) is not None:
            yield batch

    def take(self, places: Sequence[int], columns: Sequence[str]) -> Any:
        """The rows that stand in these places, in any order."""
        return _wait(self._table.take_row_ids([*places]).select([*columns]).to_arrow())

    def near(
        self, vector: Vector, column: str, limit: int, where: str, *, probes: int, refine: int, columns: Sequence[str]
    ) -> Any:
        """The rows with the nearest vectors, and their `_distance`: by so many partitions of the index, which may hold
        fewer rows than asked for, or exactly where that is 0."""
        query = self._table.query().nearest_to(vector).column(column).distance_type("cosine")
        if probes:
            query = query.nprobes(probes).refine_factor(refine)
        else:
            query = query.bypass_vector_index()
        return self._found(query, limit, where, [*columns, "_distance"])

    def matching(
        self,
        words: Sequence[str],
        column: str,
        limit: int,
        where: str,
        *,
        columns: Sequence[str],
        every: bool = False,
    ) -> Any:
        """The rows with the highest BM25, and their `_score`; with `every`, of those that hold all words."""
        from lancedb.query import FullTextOperator, MatchQuery

        operator = FullTextOperator.AND if every else FullTextOperator.OR
        query = self._table.query().nearest_to_text(MatchQuery(" ".join(words), column, operator=operator))
        return self._found(query, limit, where, [*columns, "_score"])

    def count(self, where: str = TRUE) -> int:
        return int(_wait(self._table.count_rows(None if where == TRUE else where)))

    def indices(self) -> list[Any]:
        return list(_wait(self._table.list_indices()))

    def _found(self, query: Any, limit: int, where: str, columns: list[str]) -> Any:
        asked = query if where == TRUE else query.where(where)
        return _wait(asked.select(columns).limit(limit).to_arrow())


def replace_file(path: Path, data: bytes) -> None:
    """Make this the content of a file at one stroke."""
    new = path.with_name(f"{path.name}.new")
    write_at(new, data, 0)
    os.replace(new, path)
    sync(path.parent)


def write_at(path: Path, data: bytes, start: int) -> None:
    """Make this what a file holds from a place on."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, PRIVATE)
    try:
        os.ftruncate(descriptor, start)
        os.lseek(descriptor, start, os.SEEK_SET)
        while data:
            data = data[os.write(descriptor, data) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def settle(paths: Iterable[Path]) -> None:
    """Sync files that somebody else wrote, and the folders they are in, and close them to other users."""
    folders = set()
    for path in paths:
        path.chmod(PRIVATE)
        sync(path)
        folders |= {path.parent, path.parent.parent}
    for folder in folders:
        folder.chmod(PRIVATE_FOLDER)
        sync(folder)


def write_checked(path: Path, said: Mapping[str, Any]) -> None:
    """Replace a JSON file by one with a checksum."""
    replace_file(path, json.dumps({**said, "checksum": checksum(said)}, indent=1).encode())


def checksum(said: Mapping[str, Any]) -> str:
    """Of what a JSON file says."""
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()
