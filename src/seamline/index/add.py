"""Documents that a program gives, one by one or many: each batch is one transaction, vectors included."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import PurePosixPath
from typing import Any

from seamline.errors import ConfigError
from seamline.formats import format_of_suffix
from seamline.index.sources import IndexSource
from seamline.index.update import IndexRun, Tools, UpdateReport
from seamline.protocols import Store

AddedItem = tuple[str, str | bytes] | tuple[str, str | bytes, Mapping[str, Any]]
"""The id of a document, its text or bytes, and its metadata."""

_MARKDOWN = "text/markdown"


def source_of(item: AddedItem, media_type: str | None = None) -> IndexSource:
    """What an index run reads of an item; a ConfigError says what is wrong with it."""
    if not isinstance(item, tuple | list) or len(item) not in (2, 3):
        raise ConfigError(f"expected (id, text) or (id, text, meta), got {str(item)[:60]!r}")
    doc, text = item[0], item[1]
    if not (isinstance(doc, str) and doc):
        raise ConfigError(f"expected a text as the id of a document, got {doc!r}")
    if not isinstance(text, str | bytes):
        raise ConfigError(f"{doc}: expected text or bytes, got {type(text).__name__}")
    given = item[2] if len(item) == 3 else {}
    if not isinstance(given, Mapping):
        raise ConfigError(f"{doc}: expected a mapping as metadata, got {type(given).__name__}")
    meta = {str(key): _meta_value(value, f"{doc}: {key}") for key, value in given.items()}
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    return IndexSource(doc, lambda: data, media_type=media_type or _media_type(doc, text), meta=meta)


def batches_of(items: Iterable[AddedItem], media_type: str | None, size: int) -> Iterator[list[IndexSource]]:
    """Items in groups of a size. One that comes again starts a new group: it is a new version of its document."""
    if size < 1:
        raise ConfigError(f"expected a batch of 1 document or more, got {size}")
    group: dict[str, IndexSource] = {}
    for item in items:
        source = source_of(item, media_type)
        if source.doc in group or len(group) == size:
            yield list(group.values())
            group = {}
        group[source.doc] = source
    if group:
        yield list(group.values())


def add_batches(
    store: Store,
    batches: Iterable[Sequence[IndexSource]],
    tools: Tools,
    *,
    now: datetime,
    acknowledge: Callable[[int], None] | None = None,
) -> UpdateReport:
    """Write each batch in one transaction. `acknowledge` is told how many documents have been looked at so far, when
    all of them that can be read are on the disk."""
    run = IndexRun(store, tools, now)
    with store.writer() as writer:
        for batch in batches:
            run.look_up(batch)
            with store.reader() as reader:  # one for all: opening it takes as long as reading a short text
                drafts = list(run.read_changed(batch, reader))
            if drafts:
                run.write(writer, drafts)
            if acknowledge is not None:
                acknowledge(run.report.documents)
        if run.embed_missing(writer) or run.report.touched:  # an earlier run may have left some without vectors
            writer.tidy()
    return run.conclude()


def _media_type(doc: str, text: str | bytes) -> str | None:
    """By the name where that says something; None where bytes are to be looked at."""
    named = format_of_suffix(PurePosixPath(doc).suffix.lower())
    if isinstance(text, str):
        return named.media_type if named is not None and named.is_text else _MARKDOWN
    if named is not None:
        return None
    from seamline.parse.sniff import sniff

    found = sniff(text, doc)
    return _MARKDOWN if found == "text/plain" else found


def _meta_value(value: object, at: str) -> Any:
    """A value of the metadata as front matter would have it; times stay times."""
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, datetime):
        return value if value.tzinfo else value.replace(tzinfo=UTC)
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    if isinstance(value, Mapping):
        return {str(key): _meta_value(inner, f"{at}.{key}") for key, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_meta_value(inner, at) for inner in (sorted(value) if isinstance(value, set | frozenset) else value)]
    raise ConfigError(f"{at}: expected a text, number, date, flag, list or mapping, got {type(value).__name__}")
