"""Late chunking in an index: which chunks of a document are read together, and where each stands in what is read.

A gap between two chunks divides what is read if the stretch around it that has no better gap is larger than the window
of the model; best are gaps between large sections. So an edit can change that for gaps within a window of it and for no
other, and what is read elsewhere stays as it was. Windows of equal size, counted from the start of a document, would
all move with the first word that is added.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple

from seamline.protocols import Embedder, TokenEmbedder
from seamline.recipe.recipe import Recipe
from seamline.records import Entry, EntryPlace, Version
from seamline.text.headings import with_headings

if TYPE_CHECKING:
    from seamline.embed.late import Within


class Reads(NamedTuple):
    """How chunks of a document are read that are read with others, by id: in the version before, and now."""

    before: Mapping[str, Within]
    now: Mapping[str, Within]

    def changed(self, id: str) -> bool:
        """Whether a chunk is read in another way than it was, whatever it says itself."""
        return self.before.get(id) != self.now.get(id)

    def same(self, entry: Entry, old: Entry) -> bool:
        """Whether a vector that was made of the old entry is one of the new entry as well."""
        return not self.changed(entry.id) and (entry.id in self.now or old.searched == entry.searched)


NOTHING = Reads({}, {})
"""Every chunk is read alone, as in any index that is not late."""


def reads_of(embedder: Embedder, before: Version | None, now: Version) -> Reads:
    """How the chunks of a new version are read, and how those of the one before it were."""
    from seamline.embed.late import token_embedder

    stretches = Stretches(token_embedder(embedder))
    return Reads(stretches.within(before) if before else {}, stretches.within(now))


def remarks(embedder: Embedder, recipe: Recipe) -> list[str]:
    """What is to be said where a model hardly reads two chunks at once. A ProviderError where it cannot read late."""
    from seamline.embed.late import token_embedder

    room, target = token_embedder(embedder).token_room(), recipe.budget.target
    if target * 2 <= room:
        return []
    return [
        f"{embedder.name} reads {room} tokens at once, so few chunks of about {target} are read together: late vectors "
        "need smaller chunks or a model with a longer window"
    ]


class _Gap(NamedTuple):
    """Between two chunks; the lower of two is the better one to divide at."""

    depth: int
    """How many headings stand above both."""
    inside: bool
    """Whether both are of the same section."""
    after: str
    """Id of the second. It decides between equals, as it does not move when the document is edited elsewhere."""


class Stretches:
    """What a model reads at once of versions of a document. Each text is counted once: most of them stay."""

    def __init__(self, embedder: TokenEmbedder) -> None:
        self._embedder = embedder
        self._sizes: dict[str, int] = {}

    def within(self, version: Version) -> dict[str, Within]:
        """By id, the chunks that are read with others, under the title and the headings that they share. A chunk that
        no other fits beside is not among them: it is embedded as in any index, with what it borrows."""
        from seamline.embed.late import Within

        chunks = sorted((place for place in version.places if place.level == 0), key=lambda place: place.start)
        found: dict[str, Within] = {}
        for first, last in self._parts(version, chunks):
            part = chunks[first:last]
            if len(part) > 1:
                shared = min((_common_path(*pair) for pair in pairwise(part)), key=len)
                whole = version.text[part[0].start : part[-1].end]
                text = with_headings(version.title, shared, whole)
                head = len(text) - len(whole)
                shift = head - part[0].start
                found |= {one.id: Within(text, head, one.start + shift, one.end + shift) for one in part}
        return found

    def _parts(self, version: Version, chunks: Sequence[EntryPlace]) -> Iterator[tuple[int, int]]:
        """Half-open ranges of chunks that fit the window together, or are one chunk."""
        room = self._embedder.token_room()
        sums = list(accumulate((self._size(version.text[one.start : one.end]) for one in chunks), initial=0))
        gaps = [_gap(*pair) for pair in pairwise(chunks)]
        start = 0
        for at, (first, last) in enumerate(_around(gaps), start=1):
            line = with_headings(version.title, _common_path(chunks[at - 1], chunks[at]), "")
            if sums[last] - sums[first] + self._size(line) > room:
                yield start, at
                start = at
        if chunks:
            yield start, len(chunks)

    def _size(self, text: str) -> int:
        if text not in self._sizes:
            self._sizes[text] = self._embedder.count_tokens(text)
        return self._sizes[text]


def _gap(before: EntryPlace, after: EntryPlace) -> _Gap:
    return _Gap(len(_common_path(before, after)), before.path == after.path, after.id)


def _common_path(one: EntryPlace, other: EntryPlace) -> tuple[str, ...]:
    """The headings above both."""
    depth = 0
    for a, b in zip(one.path, other.path, strict=False):
        if a != b:
            break
        depth += 1
    return one.path[:depth]


def _around(gaps: Sequence[_Gap]) -> list[tuple[int, int]]:
    """Of each gap, the chunks on both sides of it up to the next better gap, as a half-open range."""
    first, last = [0] * len(gaps), [len(gaps) + 1] * len(gaps)
    open_: list[int] = []
    for at, gap in enumerate(gaps):
        while open_ and gaps[open_[-1]] > gap:
            last[open_.pop()] = at + 1
        first[at] = open_[-1] + 1 if open_ else 0
        open_.append(at)
    return list(zip(first, last, strict=True))
