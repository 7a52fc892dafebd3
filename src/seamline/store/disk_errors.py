"""Errors of the operating system about files of a store, as StoreErrors with a remedy."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from seamline.errors import StoreError

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
