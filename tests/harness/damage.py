"""Damage to every file of an index, and what a reader is told: `python -m harness.damage --store lance`.

Bits are flipped, ranges zeroed, files cut off and deleted. After each damage, in a process of its own, the index is
opened and asked the same questions twice: each answer is the one of the whole index, or a StoreError that says what to
do. Anything else is a problem: another answer, another error, a crash, a word of an engine on stderr.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from harness.crashes.children import in_child
from harness.crashes.points import quick_folder
from harness.crashes.runs import Place, answers, documents, index_over, lay, listen, run_update
from harness.crashes.stores import STORES, StoreKind
from seamline.api.index import Index
from seamline.errors import StoreError

LONGEST = 4096
"""Bytes of a range that is zeroed."""
REMEDY = re.compile(r"\b(run|make|delete|remove|restore|give|free|update|mount|raise)\b.*\S")
"""What the part of a message that says what to do has in it."""
STATES = ("open", "closed")
_REFUSED = "refused: "


class Damage(NamedTuple):
    """One damage to one file."""

    what: str
    """A key of `DAMAGES`."""
    path: str
    seed: int


@dataclass
class DamageTally:
    """What came of many damages."""

    tried: int = 0
    files: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)


# The damages


def _flip(path: Path, rng: np.random.Generator) -> None:
    at = int(rng.integers(path.stat().st_size * 8))
    with path.open("r+b") as file:
        file.seek(at // 8)
        byte = file.read(1)[0]
        file.seek(at // 8)
        file.write(bytes([byte ^ 1 << at % 8]))


def _zero(path: Path, rng: np.random.Generator) -> None:
    size = path.stat().st_size
    start = int(rng.integers(size))
    with path.open("r+b") as file:
        file.seek(start)
        file.write(bytes(min(size - start, int(rng.integers(1, LONGEST + 1)))))


def _cut(path: Path, rng: np.random.Generator) -> None:
    os.truncate(path, int(rng.integers(path.stat().st_size)))


def _clip(path: Path, rng: np.random.Generator) -> None:
    """Cut off less than a page: a file that still has all its pages, the last of them in part."""
    size = path.stat().st_size
    os.truncate(path, size - int(rng.integers(1, min(size, LONGEST) + 1)))


def _delete(path: Path, rng: np.random.Generator) -> None:
    path.unlink()


DAMAGES: Mapping[str, Callable[[Path, np.random.Generator], None]] = {
    "flip": _flip,
    "zero": _zero,
    "cut": _cut,
    "clip": _clip,
    "delete": _delete,
}


def choose_damages(folder: Path, count: int, seed: int) -> list[Damage]:
    """So many damages, some to every file and the rest by size, all kinds alike. An empty file can only be deleted."""
    sizes = {str(path.relative_to(folder)): path.stat().st_size for path in sorted(folder.rglob("*")) if path.is_file()}
    rng = np.random.default_rng(seed)
    names, kinds = list(sizes), list(DAMAGES)
    each = max(1, min(len(kinds), count // (2 * len(names))))
    made = []
    for number, name in enumerate(names):
        turn = int(rng.integers(len(kinds)))
        made += [Damage(kinds[(turn + i) % len(kinds)], name, number * 10 + i) for i in range(each)]
    weights = np.array([*sizes.values()], dtype=float)
    rest = rng.choice(names, max(0, count - len(made)), p=weights / weights.sum())
    made += [Damage(kinds[i % 4], str(name), 10_000 + i) for i, name in enumerate(rest)]
    kept = [one._replace(what="delete") if sizes[one.path] == 0 else one for one in made]
    return list(dict.fromkeys(kept))[: max(count, len(names))]


# The questions


def ask(place: Place, quotes: Sequence[str]) -> dict[str, Any]:
    """All questions with their answers, or with what was said instead of one."""
    said: dict[str, Any] = {}
    try:
        store = place.kind.open_large(place.index)
    except StoreError as error:
        return {"open": _REFUSED + str(error)}
    index = index_over(store, place, 1)
    for name, question in _questions(index, quotes).items():
        try:
            said[name] = question()
        except StoreError as error:
            said[name] = _REFUSED + str(error)
    store.close()
    return said


def _questions(index: Index, quotes: Sequence[str]) -> dict[str, Callable[[], Any]]:
    return {
        "searches": lambda: answers(index),
        "citations": lambda: [index.cite(key).text for key in quotes],
        "documents": lambda: [repr(head) for head in index.documents()],
        "stats": lambda: {name: repr(value) for name, value in asdict(index.stats()).items() if name != "size"},
    }


def compare(found: Mapping[str, Any], whole: Mapping[str, Any]) -> list[str]:
    """Answers that are neither right nor refused with a remedy."""
    wrong = []
    for name, answer in found.items():
        if isinstance(answer, str) and answer.startswith(_REFUSED):
            if not REMEDY.search(answer.rpartition(": ")[2]):
                wrong.append(f"{name}: refused without a remedy: {answer}")
        elif answer != whole[name]:
            wrong.append(f"{name}: another answer: {_difference(answer, whole[name])}")
    return wrong


def _difference(found: Any, whole: Any) -> str:
    pairs = (
        zip(found, whole, strict=False) if isinstance(found, list) else zip(found.items(), whole.items(), strict=False)
    )
    first = next((pair for pair in pairs if pair[0] != pair[1]), (len(found), len(whole)))
    return f"{first[0]!r:.300} instead of {first[1]!r:.300}"


# The harness


class DamageBench:
    """A folder in which copies of one index are damaged."""

    def __init__(self, kind: StoreKind, folder: Path) -> None:
        self._folder = folder
        self.place = Place(kind, folder / "disk", folder / "documents")
        self.place.disk.mkdir()
        (folder / "documents").mkdir()
        for step in (0, 1):
            lay(self.place.sources(step), documents(step))
        made = in_child(self._make)
        if made.status:
            raise RuntimeError(f"the index cannot be made: {made.complaint}")
        self._quotes: list[str] = made.value
        self._whole = {state: self._answers(state) for state in STATES}

    def image(self, state: str) -> Path:
        """The whole index, as a writer leaves it in one of the `STATES`."""
        return self._folder / state

    def damage(self, count: int, *, seed: int) -> DamageTally:
        """Damage the index so many times, each time from the whole one; half of them in each of its states."""
        tally = DamageTally(files=sum(path.is_file() for state in STATES for path in self.image(state).rglob("*")))
        for state in STATES:
            for one in choose_damages(self.image(state), count // len(STATES), seed):
                rng = np.random.default_rng([seed, one.seed])
                do = partial(DAMAGES[one.what], self.place.index / one.path, rng)
                outcome, wrong = self.judge(state, do, tally)
                tally.tried += 1
                tally.outcomes[f"{one.what}: {outcome}"] += 1
                tally.problems += [f"{state}: {one.what} {one.path} (seed {one.seed}): {fault}" for fault in wrong]
        return tally

    def judge(self, state: str, do: Callable[[], None], tally: DamageTally) -> tuple[str, list[str]]:
        """Do some damage to the whole index; what came of it (right, refused or problem), and what is wrong."""
        self._lay(state)
        do()
        try:
            asked = self._asked()
        except RuntimeError as error:
            return "problem", [str(error)]
        wrong = [fault for found in asked for fault in compare(found, self._whole[state])]
        refused = [str(a) for found in asked for a in found.values() if str(a).startswith(_REFUSED)]
        tally.refusals.update({self._short(one) for one in refused})
        said = (self._folder / "stderr").read_text(errors="replace")
        if "panicked" in said or "Traceback" in said:
            wrong.append(f"an engine speaks to the user: {said[:300]}")
        return ("problem" if wrong else "refused" if refused else "right"), wrong

    def _answers(self, state: str) -> dict[str, Any]:
        self._lay(state)
        found = self._asked()[0]
        if refused := [answer for answer in found.values() if str(answer).startswith(_REFUSED)]:
            raise RuntimeError(f"the whole index refuses: {refused}")
        return found

    def _asked(self) -> list[dict[str, Any]]:
        """What is said, twice: what was healed stays so."""

        def work() -> list[dict[str, Any]]:
            descriptor = os.open(self._folder / "stderr", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            os.dup2(descriptor, 2)
            return [ask(self.place, self._quotes) for _ in range(2)]

        ended = in_child(work)
        if ended.status:
            raise RuntimeError(f"ended with {ended.status}: {ended.complaint[-1500:]}")
        return list(ended.value)

    def _make(self) -> list[str]:
        """An index with every kind of file: while it is open, with a change that is in no other file than the log of
        the writer, and after it was closed."""
        quotes: list[str] = []

        def hear(said: Mapping[str, Any]) -> None:
            quotes.extend(said["quotes"])

        for step in (0, 1):
            run_update(self.place, step, hear, tidy=False)
        store = self.place.kind.open_large(self.place.index)
        with store.writer() as writer:
            writer.tidy()
        lazy = self.place.kind.open_large(self.place.index)
        index = index_over(listen(lazy, hear, tidy=False), self.place, 1)
        index.add("7.md", "# Late\n\nA document that came after the upkeep, about mark7x0.\n")
        shutil.copytree(self.place.index, self.image("open"))
        lazy.close()
        with store.writer() as writer:
            writer.tidy()
        store.close()
        shutil.copytree(self.place.index, self.image("closed"))
        return quotes

    def _lay(self, state: str) -> None:
        shutil.rmtree(self.place.index, ignore_errors=True)
        shutil.copytree(self.image(state), self.place.index)

    def _short(self, message: str) -> str:
        plain = message.replace(str(self._folder), "")
        return re.sub(r"[0-9a-f]{8}[0-9a-f-]{8,}|\d{3,}", "#", plain)[:240]


def main(arguments: list[str] | None = None) -> int:
    """Run what the arguments say; 0 where no problem was found."""
    parser = argparse.ArgumentParser("harness.damage", description="Damage every file of an index.")
    parser.add_argument("--store", choices=sorted(STORES), required=True)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=20, help="problems that are printed")
    parser.add_argument("--folder", default=quick_folder(), help="where to work; else a disk in memory")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="seamline-damage-", dir=chosen.folder) as folder:
        tally = DamageBench(STORES[chosen.store](), Path(folder)).damage(chosen.count, seed=chosen.seed)
    print(f"{chosen.store}: {tally.tried} damages to {tally.files} files, {len(tally.problems)} problems")
    for outcome, number in sorted(tally.outcomes.items()):
        print(f"  {number:4} {outcome}")
    for message, number in tally.refusals.most_common():
        print(f"  {number:4} {message}")
    for problem in tally.problems[: chosen.show]:
        print(f"  problem: {problem.replace(folder, '')}")
    return 1 if tally.problems else 0


if __name__ == "__main__":
    sys.exit(main())
