"""Does a store still hold what was written to it? Everything is read and compared, in any store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from seamline.errors import StoreError
from seamline.protocols import Reader
from seamline.records import Entry, EntryPlace, Head, Problem, Version
from seamline.store import codec

_BATCH = 256
"""Entries read at once."""


def verify_reader(reader: Reader) -> Iterator[Problem]:
    """Everything that is wrong, document by document; nothing on a healthy store.

    Entries and versions are compared with the hashes they were written with, heads with both, places with the text
    and the entries; every id of every version must still lead to its document. What a store refuses to read is a
    problem too, and the check goes on behind it.
    """
    docs: set[str] = set()
    counted = 0
    moved = []
    for head in reader.heads():
        docs.add(head.doc)
        counted += head.entries
        moved.append((head.doc, head.moved_to))
        try:
            yield from _document(reader, head)
        except StoreError as error:
            yield Problem(head.doc, str(error))
    stored = reader.count(levels=None)
    if stored != counted:
        yield Problem("entries", f"the documents have {counted} entries, but {stored} are stored")
    for doc, target in moved:
        if target and target not in docs:
            yield Problem(doc, f"it moved to {target}, which is not in the index")


def _document(reader: Reader, head: Head) -> Iterator[Problem]:
    checksums, digests, seals = reader.checksums(head.doc), reader.digests(head.doc), reader.seals(head.doc)
    if checksums.keys() != digests.keys():
        yield Problem(head.doc, "some of its entries have no digest or no checksum")
    entries: dict[str, Entry] = {}
    for batch in _batches(sorted(checksums)):
        for id, entry in _read(reader, batch).items():
            if isinstance(entry, Entry) and _sealed(entry, checksums[id], digests.get(id, "")):
                entries[id] = entry
            else:
                yield Problem(f"{head.doc} {id}", _refusal(entry))
    yield from _head(head, entries, checksums)
    yield from _versions(reader, head, seals, entries)


def _batches(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    return (ids[at : at + _BATCH] for at in range(0, len(ids), _BATCH))


def _read(reader: Reader, ids: Sequence[str]) -> Mapping[str, Entry | StoreError | None]:
    """The entries of these ids, and for those that cannot be had, why."""
    try:
        found = reader.entries(ids, vectors=True)
    except StoreError as error:
        if len(ids) == 1:
            return {ids[0]: error}
        return {id: entry for one in ids for id, entry in _read(reader, [one]).items()}
    return {id: found.get(id) for id in ids}


def _sealed(entry: Entry, checksum: str, digest: str) -> bool:
    return codec.checksum(entry) == checksum and codec.digest(entry) == digest


def _refusal(entry: Entry | StoreError | None) -> str:
    if entry is None:
        return "the entry cannot be found by its id"
    return str(entry) if isinstance(entry, StoreError) else "the entry is not what was written: its checksum differs"


def _head(head: Head, entries: Mapping[str, Entry], checksums: Mapping[str, str]) -> Iterator[Problem]:
    if head.entries != len(checksums):
        yield Problem(head.doc, f"expected {head.entries} entries, got {len(checksums)}")
    if len(entries) != len(checksums):
        return  # already said, one by one
    chunks = [entry for entry in entries.values() if entry.level == 0]
    if head.chunks != len(chunks):
        yield Problem(head.doc, f"expected {head.chunks} chunks, got {len(chunks)}")
    if head.tokens != sum(entry.tokens for entry in chunks):
        yield Problem(head.doc, f"expected {head.tokens} tokens, got {sum(entry.tokens for entry in chunks)}")


def _versions(reader: Reader, head: Head, seals: Mapping[int, str], entries: Mapping[str, Entry]) -> Iterator[Problem]:
    led = set(entries)  # found by their ids, so they lead to their document
    if sorted(seals) != list(range(1, len(seals) + 1)):
        yield Problem(head.doc, f"expected versions 1 to {head.version}, got {sorted(seals)}")
    for number in sorted({head.version, *seals}):
        where = f"{head.doc} version {number}"
        try:
            version = reader.version(head.doc, number)
        except StoreError as error:
            yield Problem(where, str(error))
            continue
        if version is None or number not in seals:
            yield Problem(where, "it is missing")
        elif codec.seal(version) != seals[number]:
            yield Problem(where, "it is not what was written: its checksum differs")
        else:
            yield from _owners(reader, version, led)
            if number == head.version and not head.deleted:
                yield from _agreement(head, version, entries)


def _owners(reader: Reader, version: Version, led: set[str]) -> Iterator[Problem]:
    for place in version.places:
        if place.id not in led:
            led.add(place.id)
            owner = reader.owner(place.id)
            if owner != version.doc:
                yield Problem(f"{version.doc} {place.id}", f"expected the id to lead to its document, got {owner}")


def _agreement(head: Head, version: Version, entries: Mapping[str, Entry]) -> Iterator[Problem]:
    """Head, current version and entries tell the same story."""
    for name in ("revision", "uri", "title", "indexed_at"):
        said, wrote = getattr(head, name), getattr(version, name)
        if said != wrote:
            yield Problem(head.doc, f"the {name} of the head is {said!r}, of the current version {wrote!r}")
    for place in version.places:
        entry = entries.get(place.id)
        if entry is not None and (wrong := _misplaced(place, entry, version)):
            yield Problem(f"{head.doc} {place.id}", wrong)
    if strange := entries.keys() - {place.id for place in version.places}:
        yield Problem(head.doc, f"{len(strange)} entries have no place in the version, such as {min(strange)}")


def _misplaced(place: EntryPlace, entry: Entry, version: Version) -> str:
    if entry.doc != version.doc or place.level != entry.level:
        return f"expected level {place.level} of {version.doc}, got level {entry.level} of {entry.doc}"
    if entry.level == 0 and version.text[place.start : place.end] != entry.body:
        return f"its body is not the text at {place.start}-{place.end} of version {version.number}"
    return ""
