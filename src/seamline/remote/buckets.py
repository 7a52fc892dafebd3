"""Objects below an address such as `s3://bucket/prefix`: read, listed, and replaced only where nobody else did.

Keys and endpoints come from the environment of the user (`AWS_ACCESS_KEY_ID`, `AWS_ENDPOINT_URL`, ...) or from the
machine's role, never from an address or a file that was found.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from seamline.errors import ConfigError, ParseError, SeamlineError, StoreError, needed

if TYPE_CHECKING:
    from datetime import datetime

SCHEME = "s3://"
RETRIES = 4
SECONDS = 30
"""How often and how long a store that is away is asked again; the libraries' own limit is three minutes."""
_RAISE = "split it, or raise the limit with --max-bytes (in Python: max_bytes)"
REMEDY = "check the address, AWS_ACCESS_KEY_ID, AWS_ENDPOINT_URL and the network, and run it again"


class ObjectTaken(SeamlineError):
    """An object is not what a conditional write expected: somebody else wrote it."""


class StoredObject(NamedTuple):
    """An object with the tag that a conditional write names it by."""

    data: bytes
    tag: str
    modified: datetime


class ObjectInfo(NamedTuple):
    """What a listing says of an object."""

    key: str
    size: int
    modified: datetime


def is_bucket(place: str) -> bool:
    """Whether a place is the address of objects."""
    return place.startswith(SCHEME)


class Bucket:
    """The objects below an address. Threads may share it."""

    def __init__(self, url: str) -> None:
        from urllib.parse import urlsplit  # not at the start of every command

        self.url = url.rstrip("/")
        parts = urlsplit(url)
        if "@" in parts.netloc or parts.query or parts.fragment:
            raise ConfigError(
                f"expected s3://BUCKET/PREFIX alone, got more in s3://.../{parts.path.strip('/')}: keys belong into the"
                " environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY), the endpoint into AWS_ENDPOINT_URL"
            )
        if not parts.netloc or parts.scheme != "s3":
            raise ConfigError(f"expected s3://BUCKET/PREFIX, got {url!r}")

    def read(self, key: str, limit: int | None = None) -> StoredObject | None:
        """An object; None where there is none. A ParseError where it has more bytes than the limit."""
        with self._report(f"cannot read {self.url}/{key}"):
            try:
                found = self._library.get(self._store, key)
                if limit and found.meta["size"] > limit:
                    raise ParseError(f"has {found.meta['size']:,} bytes, and the limit is {limit:,}: {_RAISE}")
                return StoredObject(bytes(found.bytes()), found.meta["e_tag"] or "", found.meta["last_modified"])
            except FileNotFoundError:
                return None

    def create(self, key: str, data: bytes) -> str:
        """Write an object that is not there yet; its tag. ObjectTaken where it is."""
        return self._put(key, data, "create")

    def replace(self, key: str, data: bytes, tag: str) -> str:
        """Write an object in the place of the one with this tag; its own. ObjectTaken where another is there."""
        return self._put(key, data, {"e_tag": tag})

    def delete(self, keys: Sequence[str]) -> None:
        """Remove objects; those that are not there are no problem."""
        if keys:
            with self._report(f"cannot delete objects below {self.url}"):
                self._library.delete(self._store, [*keys])

    def list(self, prefix: str = "") -> Iterator[ObjectInfo]:
        """All objects below a prefix, by key."""
        with self._report(f"cannot list {self.url}/{prefix}"):
            for page in self._library.list(self._store, prefix or None):
                yield from (ObjectInfo(one["path"], one["size"], one["last_modified"]) for one in page)

    def check_conditional_writes(self, key: str) -> None:
        """Refuse a store that ignores `If-None-Match` or `If-Match`, by trying both on an object of this key: two
        writers would overwrite each other there, and nobody would be told."""
        tag = self.create(key, b"1")
        try:
            self._expect_refusal("If-None-Match", key, "create")
            self._expect_refusal("If-Match", key, {"e_tag": f'"{"0" * 32}"'})
            self.replace(key, b"2", tag)
        finally:
            self.delete([key])

    def _expect_refusal(self, header: str, key: str, mode: Any) -> None:
        try:
            self._put(key, b"3", mode)
        except ObjectTaken:
            return
        raise StoreError(
            f"the object store of {self.url} ignores {header}, so two writers would overwrite each other unnoticed: "
            "use a store with conditional writes (Amazon S3 has them), a folder, or PostgreSQL"
        )

    def _put(self, key: str, data: bytes, mode: Any) -> str:
        with self._report(f"cannot write {self.url}/{key}"):
            errors = self._library.exceptions
            try:
                return str(self._library.put(self._store, key, data, mode=mode, use_multipart=False)["e_tag"])
            except (errors.AlreadyExistsError, errors.PreconditionError, FileNotFoundError) as error:
                raise ObjectTaken(f"{self.url}/{key} was written by somebody else") from error

    @contextmanager
    def _report(self, doing: str) -> Iterator[None]:
        try:
            yield
        except (self._library.exceptions.BaseError, OSError) as error:
            said = str(error).strip().partition("\n")[0][:200]
            raise StoreError(f"{doing}: {said}: {REMEDY}") from error

    @cached_property
    def _library(self) -> Any:
        with needed("obstore, which reads and writes object stores,", "s3"):
            import obstore
            import obstore.exceptions
        return obstore

    @cached_property
    def _store(self) -> Any:
        from datetime import timedelta

        from obstore.store import from_url

        http = os.environ.get("AWS_ENDPOINT_URL", os.environ.get("AWS_ENDPOINT", "")).startswith("http://")
        with self._report(f"cannot use {self.url}"):
            options = {"allow_http": True} if http else {}
            retries: Any = {"max_retries": RETRIES, "retry_timeout": timedelta(seconds=SECONDS)}
            return from_url(self.url, retry_config=retries, client_options=options)
