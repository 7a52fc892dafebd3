"""Where a store under test lives, and what the parts of the contract share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import pytest

from seamline.protocols import Reader, Store
from seamline.records import Change, Entry, Scored, Settings
from seamline.testing.entries import SETTINGS, entries, revise

CLOSE = 1e-5
"""Cosines may differ by this much between stores."""
RELATIVE = 1e-4
"""BM25 scores may differ by this share of them."""


class Site(Protocol):
    """A place for one store. It is empty until a store is opened in it."""

    @property
    def script(self) -> str:
        """Python source for another process that defines `open_store(settings)` for this place; empty where a store
        cannot be reached from one."""
        ...

    def open(self, settings: Settings) -> Store:
        """Make the store, or open it where it was made before: again, or a second time at once."""
        ...


class StoreTests:
    """Fixtures that all parts of the contract use."""

    @pytest.fixture(scope="class")
    @classmethod
    def sites(cls) -> Callable[[], Site]:
        """A function that makes a new, empty place."""
        raise NotImplementedError("a subclass says where its stores live")

    @pytest.fixture
    def site(self, sites: Callable[[], Site]) -> Site:
        return sites()

    @pytest.fixture
    def store(self, site: Site) -> Iterator[Store]:
        """An empty store."""
        store = site.open(SETTINGS)
        yield store
        store.close()


def write(store: Store, *changes: Change) -> None:
    """Apply changes in one transaction."""
    with store.writer() as writer:
        writer.apply(changes)


def put(store: Store, doc: str, *bodies: str) -> tuple[Entry, ...]:
    """Make a document have these bodies; its entries."""
    made = entries(doc, *bodies)
    put_entries(store, doc, made)
    return made


def put_entries(store: Store, doc: str, made: Sequence[Entry]) -> None:
    """Make a document have these entries."""
    with store.reader() as reader:
        change = revise(reader, doc, made)
    write(store, change)


def tidy(store: Store) -> None:
    with store.writer() as writer:
        writer.tidy()


@dataclass(frozen=True)
class ExpectedStore:
    """What a search must find: every hit of an exact search, best first."""

    hits: Sequence[Scored]
    k: int
    close: float
    """How much of a difference in score is none."""

    def check(self, found: Sequence[Scored]) -> None:
        """The best `k`, with their scores, in order; where scores are the same, by id. Where they are merely close,
        either order is right."""
        exact = {scored.id: scored.score for scored in self.hits}
        assert len(found) == min(self.k, len(self.hits))
        assert len({scored.id for scored in found}) == len(found)
        for scored in found:
            assert scored.id in exact, f"{scored} should not be found"
            assert abs(scored.score - exact[scored.id]) <= self._slack(exact[scored.id])
        order = [(exact[scored.id], scored.id) for scored in found]
        rest = [(score, id) for id, score in exact.items() if id not in {scored.id for scored in found}]
        for here, (score, id) in enumerate(order):
            for later, other in [*order[here + 1 :], *rest]:
                assert later < score + self._slack(score), f"{other} stands after {id}"
                assert later != score or id < other, f"{other} is as good as {id} and should stand before it"

    def _slack(self, score: float) -> float:
        return max(self.close * abs(score), self.close / 10)


def alike(found: Sequence[Scored], other: Sequence[Scored]) -> bool:
    """Whether two answers are the same, but for the last digits of their scores."""
    return ids(found) == ids(other) and all(
        abs(one.score - two.score) <= RELATIVE for one, two in zip(found, other, strict=True)
    )


def ids(found: Sequence[Scored]) -> list[str]:
    return [scored.id for scored in found]


def stored(reader: Reader) -> dict[str, Entry]:
    """All entries of a store by id, with their vectors."""
    return {entry.id: entry for entry in reader.select(vectors=True)}
