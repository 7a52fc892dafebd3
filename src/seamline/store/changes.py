"""Which changes and vectors a store refuses, before it does anything, and which vectors an entry still takes: the same
in every store."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from seamline.errors import StoreError
from seamline.filters.tree import fits_float
from seamline.records import Change, Entry, Head, Settings, Version, lacks_vectors
from seamline.store import codec

if TYPE_CHECKING:
    from seamline.records import Parts, Vector

_SLACK = 0.01
"""How far from 1 the squared length of a vector may be: half precision stays inside."""


class Current(NamedTuple):
    """What a store holds of a document now."""

    head: Head | None
    ids: Collection[str]
    """Of its current entries, all levels."""


def check_changes(changes: Sequence[Change], current: Callable[[str], Current], settings: Settings) -> None:
    """Raise a StoreError for the first change that does not fit what is stored, or does not fit together.

    After the change the document must have exactly the entries that its version has places for. That is what keeps a
    change that was worked out from an older state from leaving a mixture behind.
    """
    seen: set[str] = set()
    for change in changes:
        doc = change.head.doc
        if doc in seen:
            raise StoreError(f"{doc}: two changes of one document at once")
        seen.add(doc)
        if wrong := _objection(change, current(doc), settings):
            raise StoreError(f"{doc}: {wrong}")


def check_vectors(entries: Sequence[Entry], settings: Settings) -> None:
    """Raise a StoreError for the first vector that an index of these settings cannot hold."""
    for entry in entries:
        if wrong := _vectors(entry, settings):
            raise StoreError(f"{entry.doc}: {wrong}")


def fill_vectors(stored: Entry, digest: str, given: Entry, *, dual: bool) -> Entry | None:
    """A stored entry, of this digest, with what it lacks of the given vectors; None where it is not the one that they
    were made of, or nothing is to be filled."""
    if codec.digest(given) != digest or not lacks_vectors(stored, dual=dual):
        return None
    vector = given.vector if stored.vector is None else stored.vector
    summary_vector = given.summary_vector if stored.summary_vector is None else stored.summary_vector
    if vector is stored.vector and summary_vector is stored.summary_vector:
        return None
    parts = given.parts if stored.vector is None else stored.parts
    return replace(stored, vector=vector, summary_vector=summary_vector, parts=parts)


def check_query(vector: Vector, settings: Settings) -> None:
    """Raise a StoreError for a vector that entries cannot be compared with. Stores agree only on vectors of length 1:
    of others some compare the direction and some the product, and NaN is above or below all."""
    if wrong := _vector(vector, settings):
        raise StoreError(f"cannot search by this vector: {wrong}")


def _objection(change: Change, now: Current, settings: Settings) -> str:
    stored = now.head.version if now.head else 0
    if change.base != stored:
        return f"the change was worked out from version {change.base}, but the index has version {stored}: index again"
    wrong = _deletion(change, now) if change.version is None else _renewal(change, change.version, now)
    return wrong or next((found for entry in change.put if (found := _entry(entry, change, settings))), "")


def _deletion(change: Change, now: Current) -> str:
    head = change.head
    if now.head is None:
        return "a document that was never indexed cannot be deleted"
    if not head.deleted or head.version != change.base:
        return f"expected a deleted head of version {change.base} where there is no new version, got {head}"
    if change.put or head.entries or head.chunks or head.tokens:
        return "a deleted document has no entries"
    return _same(set(now.ids), set(change.drop), "the stored entries", "those to drop")


def _renewal(change: Change, version: Version, now: Current) -> str:
    head, number = change.head, change.base + 1
    if head.deleted or head.version != number or version.number != number or version.doc != head.doc:
        return f"expected version {number} of {head.doc}, got version {version.number} of {version.doc}, head {head}"
    placed = {place.id for place in version.places}
    chunks = sum(place.level == 0 for place in version.places)
    if len(placed) != len(version.places):
        return "an id has two places in one version"
    if (head.entries, head.chunks) != (len(placed), chunks):
        return (
            f"the head counts {head.entries} entries and {head.chunks} chunks, the version {len(placed)} and {chunks}"
        )
    put = {entry.id for entry in change.put}
    if len(put) != len(change.put) or put & set(change.drop):
        return "an id is put twice, or put and dropped"
    if strange := set(change.drop) - set(now.ids):
        return f"nothing is stored under the id {min(strange)}, which is to be dropped"
    return _same(
        (set(now.ids) - set(change.drop)) | put, placed, "the entries after the change", "the version's places"
    )


def _same(have: set[str], want: set[str], these: str, those: str) -> str:
    odd = have ^ want
    return f"{these} are not {those}: they differ in {len(odd)} ids, such as {min(odd)}" if odd else ""


def _entry(entry: Entry, change: Change, settings: Settings) -> str:
    if entry.doc != change.head.doc:
        return f"entry {entry.id} is of another document, {entry.doc}"
    for name, share in (("authority", entry.authority), ("coherence", entry.coherence)):
        if share is not None and not 0 <= share <= 1:
            return f"expected a number from 0 to 1 as {name}, got {share} for {entry.id}"
    for name, value in entry.meta.items():
        if isinstance(value, int) and not fits_float(value):
            return f"expected a number that 64 bits hold as {name}, got one of {value.bit_length()} bits for {entry.id}"
    return _vectors(entry, settings)


def _vectors(entry: Entry, settings: Settings) -> str:
    vectors = (vector for vector in (entry.vector, entry.summary_vector) if vector is not None)
    wrong = next((wrong for vector in vectors if (wrong := _vector(vector, settings))), "")
    if not wrong and entry.parts is not None and entry.vector is None:
        wrong = "expected parts beside a vector alone, got them without one"
    elif not wrong and entry.parts is not None and not _are_parts(entry.parts, settings):
        wrong = f"expected rows of {settings.dimensions} bytes as parts, got {entry.parts.dtype} {entry.parts.shape}"
    return f"{wrong} for {entry.id}" if wrong else ""


def _are_parts(parts: Parts, settings: Settings) -> bool:
    return parts.dtype == "int8" and parts.ndim == 2 and parts.shape[1] == settings.dimensions and len(parts) > 0


def _vector(vector: Vector, settings: Settings) -> str:
    if vector.shape != (settings.dimensions,):
        return f"expected a vector of {settings.dimensions} dimensions, got shape {vector.shape}"
    wide = vector.astype("float64")  # in which no square of a 32-bit number is too large
    length = float(wide @ wide)
    return "" if abs(length - 1) < _SLACK else f"expected a vector of length 1, got squared length {length}"
