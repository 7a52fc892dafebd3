"""Folders of stores: closed to other users, and on the disk for good; errors of the operating system about them as
StoreErrors with a remedy; and locks that say who writes and who still reads an old state.

A lock ends with its process, however that ends, so a dead holder never stands in the way.
"""

from __future__ import annotations

import errno
import json
import os
import platform
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from seamline.errors import IndexBusy, StoreError

PRIVATE_FOLDER = 0o700


def make_folder(folder: Path) -> None:
    """Make a folder, with those around it that are missing, so that it survives a loss of power."""
    missing = [path for path in (folder.absolute(), *folder.absolute().parents) if not path.exists()]
    folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
    for path in missing:
        sync(path.parent)
    folder.chmod(PRIVATE_FOLDER)


def sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    if os.name == "nt" and path.is_dir():
        return  # Windows cannot, and need not
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


REMEDIES = {
    errno.ENOSPC: "the disk is full: free some space and run it again",
    errno.EDQUOT: "the disk quota is used up: free some space and run it again",
    errno.EFBIG: "a file would become larger than is allowed here: raise the limit (`ulimit -f`)",
    errno.EROFS: "the disk is mounted read-only: mount it for writing, or copy the index",
    errno.EACCES: "this user may not do that: give the files to the user",
    errno.EPERM: "this user may not do that: give the files to the user",
    errno.EMFILE: "too many files are open: raise the limit (`ulimit -n`)",
}
"""What to do about each error number."""
DISK_REMEDY = "check the disk and the rights of the folder, and run it again"


@contextmanager
def report_disk_errors(doing: str, otherwise: str = DISK_REMEDY) -> Iterator[None]:
    """Turn an OSError into a StoreError that starts with what could not be done. `otherwise` is the remedy where the
    error number does not tell."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"{doing}: {describe(error, otherwise)}") from error


def describe(error: OSError, otherwise: str) -> str:
    """What the system says, and the remedy."""
    said = f"{error.strerror} (os error {error.errno})" if error.errno else str(error) or type(error).__name__
    return f"{said}: {REMEDIES.get(error.errno or 0, otherwise)}"


WRITER = "writer.lock"
READERS = "readers.lock"
PRIVATE = 0o600
_FAR = 1 << 30
"""Where Windows locks a byte: it hides locked bytes from others, and who holds the lock must stay readable."""


class WriterLock:
    """The right to write, held by one process at a time."""

    def __init__(self, folder: Path) -> None:
        with ExitStack() as undo:
            descriptor = _open(folder / WRITER, os.O_RDWR | os.O_CREAT)
            undo.callback(os.close, descriptor)
            if not _lock(descriptor, wait=False, shared=False):
                raise IndexBusy(
                    f"{_holder(descriptor)} is writing to the index in {folder}: wait until that is done, or end it"
                )
            self.interrupted = os.fstat(descriptor).st_size > 0
            """Whether the last holder ended without giving the right back, perhaps in the middle of a change."""
            with report_disk_errors(f"cannot write to the index in {folder}"):
                os.ftruncate(descriptor, 0)
                os.lseek(descriptor, 0, os.SEEK_SET)
                os.write(descriptor, json.dumps({"pid": os.getpid(), "host": platform.node()}).encode())
            self._descriptor = descriptor
            undo.pop_all()

    def release(self, *, finished: bool) -> None:
        """Give the right back; unless `finished`, the next holder is told that this one was interrupted."""
        try:
            if finished:
                os.ftruncate(self._descriptor, 0)
        finally:
            os.close(self._descriptor)


@contextmanager
def reading(folder: Path) -> Iterator[None]:
    """While this lasts, `unread` is False for everybody."""
    path = folder / READERS
    # Read-only where it can be: an index on a disk that nobody may write to can still be read.
    descriptor = _open(path, os.O_RDONLY if path.exists() else os.O_RDWR | os.O_CREAT)
    try:
        _lock(descriptor, wait=True, shared=True)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def unread(folder: Path) -> Iterator[bool]:
    """Whether nobody has a reader open; then nobody opens one before this ends."""
    descriptor = _open(folder / READERS, os.O_RDWR | os.O_CREAT)
    try:
        yield sys.platform != "win32" and _lock(descriptor, wait=False, shared=False)
    finally:
        os.close(descriptor)


def _open(path: Path, flags: int) -> int:
    with report_disk_errors(f"cannot use the index in {path.parent}"):
        return os.open(path, flags, PRIVATE)


def _holder(descriptor: int) -> str:
    since = datetime.fromtimestamp(os.fstat(descriptor).st_mtime, UTC)
    try:
        os.lseek(descriptor, 0, os.SEEK_SET)
        said = json.loads(os.read(descriptor, 1000))
        who = f"process {int(said['pid'])} on {said['host']}"
    except (ValueError, KeyError, TypeError):
        who = "another process"  # it has only just taken the lock
    return f"{who}, since {since:%Y-%m-%d %H:%M:%S} UTC,"


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int, *, wait: bool, shared: bool) -> bool:
        """Windows has no shared locks here: readers take none, and nothing they may need is ever removed early."""
        if shared:
            return True
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _lock(descriptor: int, *, wait: bool, shared: bool) -> bool:
        how = (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB)
        try:
            fcntl.flock(descriptor, how)
        except BlockingIOError:
            return False
        return True
