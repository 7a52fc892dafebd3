"""The index runs that are interrupted, and the look at what an interruption left.

A run says what a writer acknowledged (each document, its version, and the text of every citation of it) at the moment
that `apply` returned. `look` then asks for all of that, lets an index run come to its end, and compares the answers
with those of an index that was made anew from the same files.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from harness.crashes.stores import StoreKind
from harness.library import RECIPE
from seamline.api.index import Index
from seamline.embed.hashing import HashEmbedder
from seamline.errors import IndexMissing, StoreError
from seamline.index import update as index_run
from seamline.index.config import IndexConfig, settings_of
from seamline.protocols import Reader, Store, Writer
from seamline.records import Change, Settings
from seamline.search.options import LegChoice, SearchOptions

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)
SHAPE = IndexConfig(recipe=RECIPE, embedder="hash")
DOCUMENTS = 2
"""Documents of one transaction, so that a small run has several."""
FORGOTTEN = "0.md"
"""What `run_forget` erases; it has the same text before and after the second run."""
_WRITTEN = NOON.timestamp()

Say = Callable[[Mapping[str, Any]], None]
Answers = list[tuple[str, list[tuple[str, float]]]]


# Documents


def documents(step: int) -> dict[str, str]:
    """The documents before (0) and after (1) an edit, a deletion, a rename and an addition."""
    texts = {f"{slot}.md": _text(slot) for slot in range(6)}
    if step == 0:
        return texts
    texts["1.md"] = texts["1.md"].replace("mark1x1", "edited1x1")
    del texts["2.md"]
    texts["3-renamed.md"] = texts.pop("3.md")
    texts["6.md"] = _text(6)
    return texts


def _text(slot: int) -> str:
    parts = [_part(slot, part) for part in range(2 + slot % 2)]
    return f"---\nteam: t{slot % 3}\n---\n\n# Document {slot}\n\n" + "\n\n".join(parts) + "\n"


def _part(slot: int, part: int) -> str:
    word = f"mark{slot}x{part}"
    return (
        f"## Part {part}\n\nThe word of this part is {word}. Whoever looks for {word} finds these lines, of document"
        f" {slot} and no other.\n\nA second passage goes on about {word} so that the part has more than one chunk: it"
        " says nothing new, and it says that at some length, as passages do."
    )


def lay(folder: Path, texts: Mapping[str, str]) -> None:
    """Make these the files of a new folder, all written at the same moment."""
    folder.mkdir()
    for name, text in texts.items():
        (folder / name).write_text(text)
        os.utime(folder / name, (_WRITTEN, _WRITTEN))


# The runs


@dataclass(frozen=True, slots=True)
class Place:
    """Where a run happens."""

    kind: StoreKind
    disk: Path
    """Everything that the run may change, and a power loss may take."""
    beside: Path
    """The folders of documents, `0` and `1`."""

    @property
    def index(self) -> Path:
        return self.disk / "index"

    def sources(self, step: int) -> Path:
        return self.beside / str(step)


def settings() -> Settings:
    return settings_of(SHAPE, HashEmbedder())


def index_over(store: Store, place: Place, step: int) -> Index:
    return Index(store, HashEmbedder(), place.sources(step))


def run_update(place: Place, step: int, say: Say, *, tidy: bool = True) -> None:
    """Bring the index up to date with the documents of a step; without `tidy`, up to the upkeep."""
    index_run.DOCUMENTS = DOCUMENTS
    store = listen(place.kind.create(place.index, settings()), say, tidy=tidy)
    report = index_over(store, place, step).update([place.sources(step)], now=NOON)
    store.close()
    if report.failures:
        raise StoreError(f"the run failed: {report.failures}")


def run_upkeep(place: Place, say: Say) -> None:
    """Do the upkeep of a large index."""
    store = place.kind.open_large(place.index)
    with store.writer() as writer:
        writer.tidy()
    store.close()


def run_forget(place: Place, say: Say) -> None:
    """Erase a document."""
    store = place.kind.open(place.index)
    store.forget([FORGOTTEN])
    store.close()


def listen(store: Store, say: Say, *, tidy: bool) -> Store:
    """The same store: its writers say what they acknowledged and, without `tidy`, do no upkeep."""
    take = store.writer

    @contextmanager
    def writer() -> Iterator[Writer]:
        with take() as taken:
            apply = taken.apply

            def apply_and_say(changes: Sequence[Change]) -> None:
                apply(changes)
                for change in changes:
                    say(acknowledged(change))

            taken.apply = apply_and_say  # type: ignore[method-assign]
            if not tidy:
                taken.tidy = lambda: None  # type: ignore[method-assign]
            yield taken

    store.writer = writer  # type: ignore[method-assign]
    return store


def acknowledged(change: Change) -> dict[str, Any]:
    """What holds from now on: the version of a document, and what each citation of it says."""
    head, version = change.head, change.version
    places = version.places if version else ()
    return {
        "doc": head.doc,
        "version": head.version,
        "deleted": head.deleted,
        "quotes": {f"{p.id}@{head.version}": version.text[p.start : p.end] for p in places if version and p.level == 0},
    }


# The look at what is left


@dataclass(frozen=True, slots=True)
class ExpectedIndex:
    """What an index of some documents answers, and what was acknowledged."""

    step: int
    answers: Answers
    said: Sequence[Mapping[str, Any]] = field(default_factory=list)
    forgotten: str = ""
    """A document that may be there, with all that was said of it, or not at all."""


QUERIES = ("mark0x1", "edited1x1 mark4x0", "whoever looks for passages at some length", "document 3")
FILTERS = ("", 'meta.team = "t1"')
LEGS: tuple[LegChoice, ...] = ("bm25", "dense", "hybrid")


def answers(index: Index) -> Answers:
    """Ids and scores for a fixed set of questions, with and without a filter; by words, by vectors and by both."""
    found: Answers = []
    for query in QUERIES:
        for where in FILTERS:
            for legs in LEGS:
                hits = index.search(query, where=where, options=SearchOptions(legs=legs, k=8)).hits
                found.append((f"{legs}: {query} [{where}]", [(hit.entry.id, round(hit.score, 6)) for hit in hits]))
    return found


def fresh_answers(place: Place, step: int) -> Answers:
    """What an index of these documents says that nobody interrupted."""
    run_update(place, step, lambda said: None)
    store = place.kind.open(place.index)
    found = answers(index_over(store, place, step))
    store.close()
    return found


def look(place: Place, expected: ExpectedIndex) -> list[str]:
    """What is wrong with an index that an interruption left: losses, citations that do not resolve, a next run that
    fails or leaves something else than a fresh index, damage."""
    wrong = _losses(place, expected)
    if wrong:
        return wrong
    try:
        run_update(place, expected.step, lambda said: None)
        store = place.kind.create(place.index, settings())
        with store.writer() as writer:
            writer.tidy()  # also where the run before had nothing to write
    except StoreError as error:
        return [f"the next run is refused: {error}"]
    index = index_over(store, place, expected.step)
    wrong += _unlike(answers(index), expected.answers)
    wrong += _unresolved(index, expected.said)
    wrong += [f"verify: {problem.where}: {problem.message}" for problem in store.verify()]
    named = sorted(head.doc for head in index.documents())
    if named != sorted(documents(expected.step)):
        wrong.append(f"the index has the documents {named}")
    store.close()
    return wrong


def _losses(place: Place, expected: ExpectedIndex) -> list[str]:
    """What was acknowledged and is not there, before any other run."""
    try:
        store = place.kind.open(place.index)
    except IndexMissing as error:
        return [f"acknowledged documents are lost: {error}"] if expected.said else []
    except StoreError as error:
        return [f"the index cannot be opened: {error}"]
    try:
        with store.reader() as reader:
            gone = expected.forgotten if reader.head(expected.forgotten) is None else ""
            said = [one for one in expected.said if one["doc"] != gone]
            wrong = [fault for one in said for fault in _lost(reader, one)]
        return wrong + _unresolved(index_over(store, place, expected.step), said)
    except StoreError as error:
        return [f"the index cannot be read: {error}"]
    finally:
        store.close()


def _lost(reader: Reader, said: Mapping[str, Any]) -> Iterator[str]:
    head = reader.head(said["doc"])
    # A deletion comes after the version that it deletes, and has its number.
    if head is None or (head.version, head.deleted) < (said["version"], said["deleted"]):
        yield f"{said['doc']}: version {said['version']} was acknowledged, the index has {head}"


def _unresolved(index: Index, said: Sequence[Mapping[str, Any]]) -> list[str]:
    quotes = {key: quote for one in said for key, quote in one["quotes"].items()}
    return [
        f"the citation {key} says {text!r:.60} instead of {quote!r:.60}"
        for key, quote in quotes.items()
        if (text := index.cite(key).text) != quote
    ]


def _unlike(found: Answers, expected: Answers) -> list[str]:
    return [
        f"{query} finds {ours[:3]}... instead of {theirs[:3]}..."
        for (query, ours), (_, theirs) in zip(found, expected, strict=True)
        if _ranked(ours) != _ranked(theirs)
    ]


def _ranked(found: Sequence[tuple[str, float]]) -> list[tuple[float, list[str]]]:
    """Scores with the ids that share them. Of those that share the last one, an engine may find any; and one that
    counts words in 32 bits is right to four digits."""
    scores = sorted({round(score, 4) for _, score in found}, reverse=True)
    groups = [(score, sorted(id for id, own in found if round(own, 4) == score)) for score in scores]
    return [*groups[:-1], *((score, [str(len(ids))]) for score, ids in groups[-1:])]
