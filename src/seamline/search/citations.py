"""What became of a cited passage: it is where it was, has moved, was edited, or is gone. What it said is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

from seamline.errors import ConfigError
from seamline.protocols import Reader
from seamline.records import ABOUT, EntryPlace, Head, Version
from seamline.search.documents import cite_place
from seamline.search.hits import Citation, place_text
from seamline.text.words import words
from seamline.types import content_hash

if TYPE_CHECKING:
    from seamline.schema.records import ResolvedRecord

Status = Literal["current", "moved", "edited", "deleted", "unknown"]

ALIKE = 0.25
"""The share of word pairs that a successor at the same place has in common with the shorter of the two texts. Pairs,
since any two texts share single words; a quarter, since one edited word costs two pairs."""
FAR = 0.5
"""The same for a passage that stands elsewhere: its place does not speak for it."""
MOST = 3
"""Successors that are named."""
_RENAMES = 32
"""How many renames are followed."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """A citation, looked up."""

    status: Status
    cited: Citation | None
    """The passage as it was cited; None where nobody knows the id."""
    now: tuple[Citation, ...] = ()
    """Where it is now; of an edited one its successors, the most alike first."""
    explanation: str = ""
    """The status in words."""
    key: str = ""
    """What was looked up: `ID` or `ID@VERSION`."""

    @property
    def text(self) -> str:
        """What was cited, word for word."""
        return self.cited.quote if self.cited else ""

    def to_dict(self) -> ResolvedRecord:
        """All fields as plain JSON values: what `seamline cite --json` prints."""
        return {
            "key": self.key,
            "status": self.status,
            "explanation": self.explanation,
            "cited": self.cited.to_dict() if self.cited else None,
            "now": [one.to_dict() for one in self.now],
        }

    @staticmethod
    def from_dict(record: Mapping[str, Any]) -> Resolved:
        """What `to_dict` made this of; a ConfigError says what does not fit."""
        from seamline.schema.plain import from_plain
        from seamline.schema.records import ResolvedRecord
        from seamline.search.read_records import read_citation

        known = from_plain(ResolvedRecord, record)
        cited = read_citation(known["cited"]) if known["cited"] else None
        now = tuple(map(read_citation, known["now"]))
        return Resolved(known["status"], cited, now, known["explanation"], known["key"])


_DIGITS = 9
"""Of the number of a version, at most: what every store can look up."""


def resolve(reader: Reader, key: str) -> Resolved:
    """Look up `ID` or `ID@VERSION`; without a version, the latest one that has the id."""
    id, number = parse_key(key)
    doc = reader.owner(id)
    if doc is None:
        return Resolved("unknown", None, explanation=f"no document of this index has or had {id}")
    head = reader.head(doc)
    version = _holding(reader, doc, id, number)
    if head is None or version is None:
        has = ", ".join(str(n) for n in _numbers(reader, doc, id)) or "none"
        return Resolved("unknown", None, explanation=f"{doc} has no {id} in version {number}; versions with it: {has}")
    return _compare(reader, head, version, _place(version, id))


def parse_key(key: str) -> tuple[str, int | None]:
    """The id and the version of `ID` or `ID@VERSION`."""
    id, at, number = key.strip().rpartition("@")
    if not at:
        id, number = number, ""
    is_number = number.isascii() and number.isdigit() and len(number) <= _DIGITS and int(number) > 0
    if not id or (at and not is_number):
        raise ConfigError(f"expected ID or ID@VERSION, got {key!r}")
    return id, int(number) if at else None


def _holding(reader: Reader, doc: str, id: str, number: int | None) -> Version | None:
    """The version that was cited."""
    if number is None:
        number = next(_numbers(reader, doc, id), None)
    version = reader.version(doc, number) if number is not None else None
    return version if version is not None and _has(version, id) else None


def _numbers(reader: Reader, doc: str, id: str) -> Iterator[int]:
    """The versions that have an id, latest first."""
    for number in reversed(reader.versions(doc)):
        version = reader.version(doc, number, text=False)
        if version is not None and _has(version, id):
            yield number


def _has(version: Version, id: str) -> bool:
    return any(place.id == id for place in version.places)


def _place(version: Version, id: str) -> EntryPlace:
    return next(place for place in version.places if place.id == id)


def _compare(reader: Reader, head: Head, version: Version, place: EntryPlace) -> Resolved:
    """The cited place beside what the document is now."""
    quoted = _cite(version, place)
    now, renamed = _follow_renames(reader, head)
    if now is None:
        return Resolved("deleted", quoted, explanation=f"{head.doc} was deleted; this is its version {version.number}")
    if renamed:
        same = _same_text(now, place.level, quoted.quote)
        if same is not None:
            return Resolved("moved", quoted, (same,), f"{version.uri} is now {now.uri}")
    else:
        still = next((one for one in now.places if one.id == place.id), None)
        if still is not None:
            return _compare_versions(quoted, _cite(now, still))
    found = successors(version, place, now)
    if found:
        return Resolved("edited", quoted, found, f"edited since version {version.number}; {_where(found)}")
    gone = f"{version.uri} has no such passage in version {now.number}, and none much like it"
    return Resolved("deleted", quoted, explanation=gone)


def _compare_versions(then: Citation, now: Citation) -> Resolved:
    """The same id. A chunk's says that its text is the same; a section keeps its own while its text is edited."""
    if then.version == now.version:
        return Resolved("current", then, (now,), "this is the current version")
    if content_hash(then.quote) != content_hash(now.quote):
        return Resolved("edited", then, (now,), f"edited since version {then.version}; {_where((now,))}")
    if then.path == now.path and then.anchor == now.anchor:
        return Resolved("current", then, (now,), f"unchanged since version {then.version}")
    return Resolved("moved", then, (now,), f"the same text, moved from {_spot(then)} to {_spot(now)}")


def _spot(citation: Citation) -> str:
    headings = " > ".join(citation.path)
    return place_text(citation.anchor).lstrip(": ") + (f" § {headings}" if headings else "")


def _where(found: Sequence[Citation]) -> str:
    return f"now at {found[0].label()}" + (f" and {len(found) - 1} more" if len(found) > 1 else "")


def _follow_renames(reader: Reader, head: Head) -> tuple[Version | None, bool]:
    """The current version of a document, or of the one its source was renamed to; and whether it was renamed."""
    renamed = False
    for _ in range(_RENAMES):
        if not head.deleted:
            return reader.version(head.doc, head.version), renamed
        after = reader.head(head.moved_to) if head.moved_to else None
        if after is None:
            break
        head, renamed = after, True
    return None, renamed


def _same_text(version: Version, level: int, quote: str) -> Citation | None:
    """The passage of a version that says the same, white space aside."""
    digest = content_hash(quote)
    same_kind = [place for place in version.places if _rank(place) == min(level, 1)]
    found = next((p for p in same_kind if content_hash(version.text[p.start : p.end]) == digest), None)
    return _cite(version, found) if found else None


def successors(old: Version, place: EntryPlace, now: Version) -> tuple[Citation, ...]:
    """The passages that took over a text: first among those between its nearest unchanged neighbours, then among all
    that are new."""
    before = [p for p in old.places if _rank(p) == _rank(place)]
    after = [p for p in now.places if _rank(p) == _rank(place)]
    known = {p.id for p in before}
    text = old.text[place.start : place.end]
    here = [p for p in _between(before, place, after) if p.id not in known] if old.doc == now.doc else []
    return _alike(text, here, now, ALIKE) or _alike(text, [p for p in after if p.id not in known], now, FAR)


def _between(before: Sequence[EntryPlace], place: EntryPlace, after: Sequence[EntryPlace]) -> Sequence[EntryPlace]:
    """The places that now stand between the nearest neighbours of a place that are still there."""
    positions = {p.id: n for n, p in enumerate(after)}
    at = next(n for n, p in enumerate(before) if p.id == place.id)
    left = next((positions[p.id] for p in reversed(before[:at]) if p.id in positions), -1)
    right = next((positions[p.id] for p in before[at + 1 :] if p.id in positions), len(after))
    return after[left + 1 : right] if left < right else ()


def _alike(text: str, places: Sequence[EntryPlace], version: Version, least: float) -> tuple[Citation, ...]:
    """The places that are like a text, those first that share most with it."""
    asked = _pairs(text)
    scored = []
    for n, place in enumerate(places):
        given = _pairs(version.text[place.start : place.end])
        if overlap_share(asked, given) >= least:
            scored.append(((asked & given).total(), n, place))
    best = sorted(scored, key=lambda s: (-s[0], s[1]))
    return tuple(_cite(version, place) for _, _, place in best[:MOST])


def _pairs(text: str) -> Counter[tuple[str, str]]:
    """Neighbouring words, the ends of the text included."""
    return Counter(pairwise(["", *words(text), ""]))


def overlap_share(left: Counter[tuple[str, str]], right: Counter[tuple[str, str]]) -> float:
    """The part of the shorter text's pairs that the longer one has too: 1 where one holds the other, as after a
    passage was split or joined."""
    return (left & right).total() / min(left.total(), right.total())


def _cite(version: Version, place: EntryPlace) -> Citation:
    return cite_place(version, place, version.text[place.start : place.end])


def _rank(place: EntryPlace) -> int:
    """0 for chunks, 1 for sections, 2 for texts about chunks."""
    return 2 if place.level >= ABOUT else min(place.level, 1)
