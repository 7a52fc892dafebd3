"""Indexers that are killed at any moment, and a look at what they left: the same for every store.

    scene = Scene(address, folder)               the address of a store, and an empty folder for documents
    kill_often(scene, 12, seed=1).problems       [] where nothing was half, lost or in the way
    mixtures(scene, 40)                          what a reader saw, while another process wrote, that never was
    refusal(scene)                               what a second writer is told

What an indexer left is compared with what it had said: see `audit`, and `harness.rounds` for the indexer.

Disks that are full: a small one, what fills it, and an indexer that has no room.

with small_disk(folder, 24 << 20):           a file system of so many bytes, where tests may mount one
    fill(folder / "filler", 8 << 10)         of which so many are left
    refused(scene, told)                     what the next round of an indexer says to that
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness.rounds import SHAPE, STATES, IndexerProcess, Scene, Told, opened, run_round, state
from seamline.api.index import Index
from seamline.embed.hashing import HashEmbedder
from seamline.errors import StoreError
from seamline.index.config import settings_of
from seamline.protocols import Reader
from seamline.records import Entry, Head
from seamline.store import create_store
from seamline.testing.entries import change, plain

_TIMES = ("created_at", "updated_at")

# The look at what is left


def audit(scene: Scene, told: Told, rng: np.random.Generator) -> list[str]:
    """What is wrong with an index whose writer said this: half documents, losses, words that are not found, damage."""
    with opened(scene) as (store, index):
        with store.reader() as reader:
            found: dict[str, dict[str, Entry]] = defaultdict(dict)
            for one in reader.select(vectors=True):
                found[one.doc][one.id] = one
            heads = {head.doc: head for head in reader.heads()}
            wrong = [fault for doc in told.docs for fault in _faults(reader, heads.get(doc), found[doc], doc, told)]
            alive = [doc for doc in heads if found[doc]]
            if strange := {*heads, *alive} - {*told.docs}:
                wrong.append(f"documents that nobody wrote: {strange}")
            for doc in rng.permutation(alive)[:1]:
                wrong += _history(reader, str(doc), told)
        for doc in rng.permutation(alive)[:2]:
            wrong += _searched(index, str(doc), found[str(doc)])
        return wrong + [f"verify: {problem.where}: {problem.message}" for problem in store.verify()]


def finish(scene: Scene, told: Told) -> list[str]:
    """Let a run come to its end after others did not; what is wrong with what it leaves."""
    number = told.started
    until = time.monotonic() + scene.patience
    while True:
        try:
            with opened(scene) as (_, index):
                run_round(index, scene.folder, number, lambda said: None)
            break
        except StoreError:
            if time.monotonic() >= until:
                raise
            time.sleep(0.1)
    told.hear({"what": "done", "round": number})
    return audit(scene, told, np.random.default_rng(number))


def _faults(reader: Reader, head: Head | None, found: Mapping[str, Entry], doc: str, told: Told) -> Iterator[str]:
    """Whether a document is wholly in a state it may be in."""
    version = reader.version(doc, head.version) if head is not None and not head.deleted else None
    now = version.text if version else None
    allowed = told.may_be(doc)
    if now not in allowed:
        states = [None if text is None else sha256(text.encode()).hexdigest()[:8] for text in allowed]
        yield f"{doc}: its text is of none of the rounds that it may be of: {now!r:.80}, not {states}"
        return
    if {id: _said(one) for id, one in found.items()} != (_whole(doc, now) if now is not None else {}):
        yield f"{doc}: its {len(found)} entries are not those of its text"
    if (head.version if head else 0) < len(told.versions.get(doc, ())):
        yield f"{doc}: {len(told.versions[doc])} versions were acknowledged, {head.version if head else 0} are there"


def _history(reader: Reader, doc: str, told: Told) -> Iterator[str]:
    """Whether every acknowledged text of a document is still there."""
    kept = [version.text for number in reader.versions(doc) if (version := reader.version(doc, number))]
    for text in told.versions.get(doc, ()):
        if text not in kept:
            yield f"{doc}: a text that was acknowledged is not among its {len(kept)} versions"


def _searched(index: Index, doc: str, found: Mapping[str, Entry]) -> Iterator[str]:
    """Whether a word of a document leads to a passage of it."""
    bodies = [one.body for one in found.values() if one.level == 0]
    word = next(word.strip(".") for word in max(bodies, key=len).split() if word.startswith("mark"))
    hits = index.search(word, k=3).hits
    # By its text: in the middle of a renaming two documents have it, and one stands for both.
    if not hits or hits[0].entry.body not in bodies:
        yield f"{doc}: a search for {word} found {[hit.entry.doc for hit in hits]}"


@cache
def _whole(doc: str, text: str) -> Mapping[str, Mapping[str, object]]:
    """The entries of a text, from an index that nobody interrupted."""
    embedder = HashEmbedder()
    store = create_store("memory:", settings_of(SHAPE, embedder))
    Index(store, embedder, Path()).add(doc, text)
    with store.reader() as reader:
        return {one.id: _said(one) for one in reader.select(vectors=True)}


def _said(entry: Entry) -> dict[str, object]:
    return {name: value for name, value in plain(entry).items() if name not in _TIMES}


@dataclass
class KillTally:
    """What came of many kills."""

    problems: list[str] = field(default_factory=list)
    kills: int = 0
    rounds: int = 0
    """That were begun."""
    said: Counter[str] = field(default_factory=Counter)
    """How often an indexer was killed after each thing it can say."""


def kill_often(scene: Scene, kills: int, *, seed: int) -> KillTally:
    """Kill indexers of one store one after the other; after about half of the kills a run comes to its end, so that
    some kills hit what an earlier one left. Stops at the first problem."""
    rng = np.random.default_rng(seed)
    told, tally = Told(), KillTally()
    for _ in range(kills):
        with IndexerProcess(scene, "rounds", str(told.done + 1)) as victim:
            said = _killed(victim, rng)
        told.last = "nothing"
        for line in said:
            told.hear(line)
        tally.kills += 1
        tally.said[told.last] += 1
        tally.problems += audit(scene, told, rng)
        if not tally.problems and told.started > told.done and rng.random() < 0.5:
            tally.problems += finish(scene, told)
        if tally.problems:
            break
    tally.rounds = told.started + 1
    return tally


def _killed(victim: IndexerProcess, rng: np.random.Generator) -> list[dict[str, Any]]:
    """Let an indexer go on for a while and kill it; what it said. The while is counted in what it says and in how
    long that takes, so that a slow machine is killed as far into its work as a quick one."""
    victim.go()
    said, pause = [], 0.1
    for _ in range(rng.integers(0, 8)):
        before = time.monotonic()
        said.append(victim.hear())
        pause = max(0.01, time.monotonic() - before)
    return said + victim.end(rng.uniform(0, 1.5 * pause))


# One state at a time, one writer at a time


def mixtures(scene: Scene, count: int) -> tuple[list[str], int]:
    """Read while another process writes so many states: what was seen that is none of them, and how many were seen."""
    with opened(scene) as (store, _), store.writer() as writer:
        writer.apply([change(doc, state(doc, 0)) for doc in STATES])
    seen: set[str] = set()
    wrong: list[str] = []
    with IndexerProcess(scene, "states", str(count)) as child, opened(scene) as (store, _):
        child.go()
        while child.process.poll() is None:
            with store.reader() as reader:
                bodies = sorted({one.body.split()[1] for one in reader.select()})
                number = int(bodies[-1].removeprefix("state"))
                wrong += [f"state {number}: {fault}" for fault in _mixed(reader, number, bodies)]
                seen.add(bodies[-1])
        child.end(60)
    return wrong, len(seen)


def _mixed(reader: Reader, number: int, bodies: Sequence[str]) -> Iterator[str]:
    """What of a reader's state is of another one."""
    if bodies != sorted((f"state{number}", f"more{number}")):
        yield f"entries of {bodies}"
    heads = list(reader.heads())
    if len({head.version for head in heads}) != 1 or len(heads) != len(STATES):
        yield f"heads {[(head.doc, head.version) for head in heads]}"
    for head in heads:
        version = reader.version(head.doc, head.version)
        if version is None or f"state{number}\n" not in version.text or reader.versions(head.doc)[-1] != head.version:
            yield f"{head.doc}: version {head.version} is missing or of another state"
    found = [*reader.matching("common", 99), *reader.near(HashEmbedder().embed([f"state{number}"])[0], 99)]
    if len(found) != 4 * len(STATES) or len(reader.entries([hit.id for hit in found])) != 2 * len(STATES):
        yield f"{len(found)} hits"


def refusal(scene: Scene) -> tuple[int, str]:
    """The process that has the right to write, and what another one that wants it is told."""
    with opened(scene) as (store, _), IndexerProcess(scene, "hold") as holder:
        holder.go()
        holder.hear()
        try:
            with store.writer():
                return holder.process.pid, ""
        except StoreError as error:
            return holder.process.pid, str(error)


def picture(reader: Reader, queries: Sequence[str] = ("passage of document 3", "mark3x1x0")) -> str:
    """A hash of everything that can be read: equal where all entries, vectors, heads, versions and answers are."""
    heads = list(reader.heads())
    seen = [
        sorted((one.id, sorted(plain(one).items(), key=str)) for one in reader.select(vectors=True)),
        heads,
        [reader.version(head.doc, number) for head in heads for number in reader.versions(head.doc)],
        [reader.matching(query, 10) for query in queries],
        [reader.near(row, 10) for row in HashEmbedder().embed(queries)],
    ]
    return sha256(repr(seen).encode("utf-8", "surrogatepass")).hexdigest()


@contextmanager
def small_disk(folder: Path, size: int) -> Iterator[None]:
    """A new folder that holds no more than so many bytes; the test is skipped where it may not make one."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("making a small disk needs the right to mount one")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(filler: Path, room: int) -> None:
    """Leave so many bytes of a disk."""
    free = os.statvfs(filler.parent)
    with filler.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, max(4096, free.f_bavail * free.f_frsize - room))


def refused(scene: Scene, told: Told) -> str:
    """Try the next round where it may not have room; what was said if it had none."""
    told.hear({"what": "started", "round": told.done + 1})
    try:
        with opened(scene) as (_, index):
            run_round(index, scene.folder, told.started, told.hear)
    except StoreError as error:
        return str(error)
    told.hear({"what": "done", "round": told.started})
    return ""
