"""An indexer for tests of what an interruption leaves: rounds of documents, and a process that indexes them.

The process (`python -m harness.rounds`) runs a real `Index` over one round after another, and says what it
was told is done.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from harness import environment
from harness.library import RECIPE
from seamline.api.index import Index
from seamline.embed.hashing import HashEmbedder
from seamline.index.config import IndexConfig, settings_of
from seamline.protocols import Store
from seamline.records import Entry
from seamline.store import create_store
from seamline.testing.entries import entries, revise

SLOTS = 24
"""Documents there are at most; a few are always away."""
ROUNDS = 60
"""What an indexer that nobody kills ends after."""
SHAPE = IndexConfig(recipe=RECIPE, embedder="hash")
NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)
STATES = ("x.md", "y.md", "z.md")
"""Documents that `write_states` writes together."""


class Scene(NamedTuple):
    """Where it happens."""

    address: str
    """Of the store."""
    folder: Path
    """For documents, and for what an index keeps beside its store."""
    patience: float = 0.0
    """Seconds that a dead writer may still be taken for a living one: a server may need a moment to notice."""


# Documents


@cache
def texts(number: int) -> Mapping[str, str]:
    """The documents of a round by name, none before the first: from one to the next some are edited, some vanish or
    come back, some get another name."""
    if number < 0:
        return {}
    slots = [slot for slot in range(SLOTS) if (number + slot) % 9 != 4]
    return {f"docs/{slot}-{(number + slot) // 6}.md": _text(slot, number) for slot in slots}


def _text(slot: int, number: int) -> str:
    edits = (number + slot) // 3
    parts = [_part(slot, part, (edits + part) // 4) for part in range(4 + (edits + slot) % 2)]
    return f"# Document {slot}\n\n" + "\n\n".join(parts) + "\n"


def _part(slot: int, part: int, edit: int) -> str:
    word = mark(slot, part, edit)
    return (
        f"## Part {part}\n\nThe word of this part is {word}. Whoever looks for {word} finds these lines, of document"
        f" {slot} and no other, as they were after edit {edit}.\n\nA second passage goes on about {word} so that the"
        " part has more than one chunk: it says nothing new, and it says that at some length, as passages do."
    )


def mark(slot: int, part: int, edit: int) -> str:
    """A word that stands in one state of one part of one document."""
    return f"mark{slot}x{part}x{edit}"


def lay(folder: Path, documents: Mapping[str, str]) -> None:
    """Make these the files of a folder."""
    (folder / "docs").mkdir(exist_ok=True)
    for path in (folder / "docs").iterdir():
        if f"docs/{path.name}" not in documents:
            path.unlink()
    for name, text in documents.items():
        path = folder / name
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


# What is told


@dataclass
class Told:
    """What an indexer said before it ended."""

    started: int = -1
    """The last round that was begun; the index may hold parts of it."""
    done: int = -1
    """The last round that was brought to its end."""
    written: dict[str, int] = field(default_factory=dict)
    """Documents that are in the index for good, with the round whose text, or absence, was acknowledged."""
    versions: dict[str, list[str]] = field(default_factory=dict)
    """Every text of a document that was acknowledged, in order."""
    last: str = "nothing"
    """What it said last."""

    def hear(self, said: Mapping[str, Any]) -> None:
        """Take note of one line."""
        self.last, number = said["what"], said["round"]
        if self.last == "started":
            self.started = max(self.started, number)
        if self.last == "done":
            self.done = number
            self._acknowledge({*texts(number - 1), *texts(number)}, number)
        if self.last == "written":
            self._acknowledge(said["docs"], number)

    def _acknowledge(self, docs: Collection[str], number: int) -> None:
        for doc in docs:
            self.written[doc] = max(number, self.written.get(doc, -1))
            text, kept = texts(number).get(doc), self.versions.setdefault(doc, [])
            if text is not None and kept[-1:] != [text]:
                kept.append(text)

    def may_be(self, doc: str) -> list[str | None]:
        """The states that a document may be in: what was acknowledged, and what was begun since."""
        rounds = range(self.written.get(doc, -1), self.started + 1)
        return [texts(number).get(doc) for number in rounds]

    @property
    def docs(self) -> list[str]:
        return sorted({doc for number in range(self.started + 1) for doc in texts(number)})


# The one who is killed


@contextmanager
def opened(scene: Scene) -> Iterator[tuple[Store, Index]]:
    """The store at the address, made where there is none, and the index over it."""
    embedder = HashEmbedder()
    store = create_store(scene.address, settings_of(SHAPE, embedder))
    try:
        yield store, Index(store, embedder, scene.folder, scene.folder)
    finally:
        store.close()


def run_rounds(scene: Scene, first: int, say: Callable[[Mapping[str, Any]], None]) -> None:
    """Index one round after another, saying what is begun and what is done."""
    with opened(scene) as (_, index):
        for number in range(first, ROUNDS):
            say({"what": "started", "round": number})
            run_round(index, scene.folder, number, say)
            say({"what": "done", "round": number})


def run_round(index: Index, folder: Path, number: int, say: Callable[[Mapping[str, Any]], None]) -> None:
    """Bring an index to a round: two times out of three all at once, from files, and else document by document."""
    if number % 3 != 2:
        lay(folder, texts(number))
        report = index.update([folder / "docs"], watcher=_Speaker(number, say), now=NOON)
        if report.failures:
            raise RuntimeError(f"round {number}: {report.failures}")
        return
    now, before = texts(number), texts(number - 1)
    for doc in sorted({doc for doc in {*now, *before} if now.get(doc) != before.get(doc)})[:8]:
        if doc in now:
            index.add(doc, now[doc])
        else:
            index.remove(doc)
        say({"what": "written", "round": number, "docs": [doc]})
    lay(folder, now)
    index.update([folder / "docs"], watcher=_Speaker(number, say), now=NOON)


class _Speaker:
    """Says which documents are written."""

    def __init__(self, number: int, say: Callable[[Mapping[str, Any]], None]) -> None:
        self._number = number
        self._say = say

    def document(self, done: int, total: int, doc: str) -> None: ...

    def embedding(self, done: int, total: int) -> None: ...

    def written(self, docs: Sequence[str]) -> None:
        self._say({"what": "written", "round": self._number, "docs": [*docs]})


class IndexerProcess:
    """Another process with the same store: it loads, says `ready`, and starts when it is told to."""

    def __init__(self, scene: Scene, task: str, *arguments: str) -> None:
        command = [sys.executable, "-m", "harness.rounds", task, scene.address, str(scene.folder), *arguments]
        self._log = scene.folder / f"{task}.log"
        with self._log.open("wb") as log:
            pipe = subprocess.PIPE
            self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=log, bufsize=0, env=environment())
        self._rest = b""

    def __enter__(self) -> IndexerProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def go(self) -> None:
        """Wait until it is ready, and let it start."""
        self.hear()
        assert self.process.stdin is not None
        self.process.stdin.write(b"go\n")

    def hear(self) -> dict[str, Any]:
        """The next thing it says."""
        while b"\n" not in self._rest:
            self._read()
        line, _, self._rest = self._rest.partition(b"\n")
        return dict(json.loads(line))

    def end(self, after: float) -> list[dict[str, Any]]:
        """Kill it after so many seconds; what else it had said. One that failed by itself is an error of the test."""
        try:
            self.process.wait(after)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        with suppress(EOFError):
            while True:
                self._read()
        if self.process.returncode > 0:
            raise RuntimeError(f"a child of the test failed: {self._complaint()}")
        return [json.loads(line) for line in self._rest.split(b"\n")[:-1]]  # a line without an end was cut off

    def _read(self) -> None:
        assert self.process.stdout is not None
        data = self.process.stdout.read(1 << 16)
        if not data:
            raise EOFError(f"a child of the test ended: {self._complaint()}")
        self._rest += data

    def _complaint(self) -> str:
        return self._log.read_text(errors="replace")[-2000:]


# One state at a time


def write_states(scene: Scene, count: int) -> None:
    """Write three documents anew in one transaction, again and again; everything in them names the state."""
    with opened(scene) as (store, _):
        for number in range(count):
            with store.reader() as reader:
                made = [revise(reader, doc, state(doc, number)) for doc in STATES]
            with store.writer() as writer:
                writer.apply(made)
                if number % 5 == 4:
                    writer.tidy()


def state(doc: str, number: int) -> tuple[Entry, ...]:
    """The entries of a document in a state."""
    row = HashEmbedder().embed([f"state{number}"])[0]
    return tuple(replace(one, vector=row) for one in entries(doc, f"common state{number}", f"common more{number}"))


# The child


def main(task: str, address: str, folder: str, *arguments: str) -> None:
    """What a child does."""
    scene = Scene(address, Path(folder))
    _say({"what": "ready"})
    sys.stdin.readline()
    if task == "rounds":
        run_rounds(scene, int(arguments[0]), _say)
    elif task == "states":
        write_states(scene, int(arguments[0]))
    elif task == "hold":
        with opened(scene) as (store, _), store.writer():
            _say({"what": "held"})
            sys.stdin.readline()


def _say(said: Mapping[str, Any]) -> None:
    os.write(1, f"{json.dumps(said)}\n".encode())  # in one piece, and past every buffer


if __name__ == "__main__":
    main(*sys.argv[1:])
