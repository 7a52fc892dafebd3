"""What workers on other machines ask of an index: to work out the changes of documents that somebody else writes."""

from __future__ import annotations

from functools import partial

from seamline.api.index import Index
from seamline.files import MAX_BYTES
from seamline.index.prepared import BatchPreparer, DocumentBatch, PreparedBatch, SourceBytes
from seamline.index.prepared import prepare_batch as _prepare
from seamline.index.sources import IndexSource, read_object
from seamline.index.update import Failure, UpdateReport

__all__ = ["BatchPreparer", "DocumentBatch", "Failure", "PreparedBatch", "UpdateReport", "prepare_batch"]
__all__ += ["require_models"]


def require_models(index: Index) -> None:
    """Refuse with a TrustError where the index names a model or a service that the user has not allowed."""
    index._tools()


def prepare_batch(index: Index, batch: DocumentBatch, max_bytes: int | None = MAX_BYTES) -> PreparedBatch:
    """The changes of a batch, with their vectors."""
    sources = [_source(one, max_bytes) for one in batch.sources]
    return _prepare(index._store, index._tools(), sources, batch)


def _source(one: SourceBytes, max_bytes: int | None) -> IndexSource:
    data, project = one.data, one.project
    read = partial(read_object, one.url, max_bytes) if data is None else lambda: data
    gather = None if project is None else lambda _: project
    return IndexSource(one.doc, read, one.modified, one.media_type, encoding=one.encoding, gather=gather, url=one.url)
