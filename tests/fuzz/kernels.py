"""Fuzzes the compiled kernels against their references in Python: `python -m tests.fuzz.kernels --seconds 60`.

Each case follows from the seed, the name of its kernel and a number, so a finding can be made again. Cases run in a
child process: where a sanitizer ends it, the parent knows the case. A finding is made smaller by halves, printed, and
the exit code is 1.
"""

from __future__ import annotations

import argparse
import json
import math
import mmap
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import accumulate
from random import Random
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from seamline import native
from seamline.cut.pack import Goal, Load, Optimal
from seamline.cut.scores.ensemble import best_by_both, plain_best
from seamline.cut.scores.lexical import word_terms
from seamline.cut.scores.objective import Sizes, best_segments, plain_spread, runs_of, segments, spread
from seamline.embed.static import StaticEmbedder
from seamline.enrich import language
from seamline.parse.markdown import blocks, elements
from seamline.text import words
from seamline.text.sentences import SHORT, TITLES, possible_starts
from seamline.types import collapse

from .texts import markup, text

KERNELS = native.KERNELS
DIFFERS = 3
"""Exit code of a child that found a difference; a sanitizer has another."""
RAISED = 4


class Case(NamedTuple):
    """What a kernel is given: a text or a row of things, of which any part may be left out, and all else."""

    items: Sequence[Any]
    rest: Any = None


class Kernel(NamedTuple):
    """How cases are drawn, and what the kernel and its reference make of one."""

    draw: Callable[[Random], Case]
    compare: Callable[[Case], tuple[object, object]]


@contextmanager
def without(*places: tuple[ModuleType, str]) -> Iterator[None]:
    """Python alone, in modules that use kernels."""
    kept = [getattr(module, name) for module, name in places]
    for module, name in places:
        setattr(module, name, None)
    try:
        yield
    finally:
        for (module, name), value in zip(places, kept, strict=True):
            setattr(module, name, value)


# --- texts -----------------------------------------------------------------------------------------------------------


def _compare_blocks(case: Case) -> tuple[object, object]:
    found = blocks.parse_blocks(case.items, case.rest)
    with without((blocks, "KERNELS")):
        return found, blocks.parse_blocks(case.items, case.rest)


def _compare_elements(case: Case) -> tuple[object, object]:
    found = blocks.parse_blocks(case.items)
    with without((elements, "KERNELS")):
        expected = elements.add_elements(case.items, found)
    return elements.add_elements(case.items, found), expected


def _draw_ranges(chance: Random) -> Case:
    made = text(chance)
    bounds = (sorted((chance.randint(0, len(made)), chance.randint(0, len(made)))) for _ in range(chance.randrange(3)))
    return Case(made, [(0, 1 << 40), *((start, end) for start, end in bounds)])


def _compare_sentences(case: Case) -> tuple[object, object]:
    found = KERNELS.sentence_gaps(case.items, case.rest, TITLES, SHORT)
    return found, [possible_starts(case.items, start, min(end, len(case.items))) for start, end in case.rest]


def _find_words(made: str) -> tuple[object, ...]:
    found = words.words(made), words.whole_words(made), words.spaced(made)
    return *found, words.query_words(made), words.query_set(made)


def _compare_words(case: Case) -> tuple[object, object]:
    found = _find_words(case.items)
    with without((words, "WORD_KERNEL")):
        return found, _find_words(case.items)


def _compare_collapsed(case: Case) -> tuple[object, object]:
    try:
        found = KERNELS.collapsed(case.items)
    except UnicodeEncodeError:
        found = None
    try:
        return found, collapse(case.items).encode()
    except UnicodeEncodeError:
        return found, None


def _compare_languages(case: Case) -> tuple[object, object]:
    data = case.items.encode("utf-8", "surrogatepass")
    found, expected = language._weighed_by(KERNELS, data), language._weighed(data)
    return np.allclose(found, expected, rtol=0, atol=1e-9) or (found, expected), True


def _damage(chance: Random) -> Case:
    """A model of languages with a part cut off, or with numbers that lead nowhere."""
    return Case(text(chance), (chance.randrange(6), chance.choice(("cut", "flip")), chance.randrange(1 << 30)))


def _weigh_damaged(case: Case) -> tuple[object, object]:
    data = case.items.encode("utf-8", "surrogatepass")
    arrays = [np.ascontiguousarray(array) for array in language._model()[:5]]
    arrays.append(language._gains(len(data) + 1))
    which, how, at = case.rest
    changed = arrays[which].copy()
    if how == "cut":
        changed = changed[: at % (len(changed) + 1)]
    else:
        raw = changed.reshape(-1).view(np.uint8)
        raw[at % len(raw)] ^= 1 << at % 8
        raw[at % min(len(raw), 4096)] ^= 0x80
    arrays[which] = changed
    with suppress(ValueError):
        KERNELS.weigh_languages(data, *arrays)
    return None, None  # any answer will do: there is no right one


_EMBEDDER = StaticEmbedder()


def _compare_rows(case: Case) -> tuple[object, object]:
    found, expected = _EMBEDDER.embed(case.items), _EMBEDDER.plain_embed(case.items)
    return found.tobytes() == expected.tobytes() or (found, expected), True


# --- arrays ----------------------------------------------------------------------------------------------------------


def _draw_load(chance: Random) -> Case:
    """Atoms as (tokens, lead, tail, score, forbidden), a goal and a balance."""
    size = chance.choice((1, 8, 60, 600, 10**6, 1 << 30))
    extra = chance.choice((0, 0, 4, size))
    count = chance.choice((0, 1, 2, 5, 20, 60, 200))
    atoms = [
        (
            chance.randint(0, size),
            chance.randint(0, extra),
            chance.randint(0, extra),
            chance.choice((0.0, 0.05, 0.5, 1.0, 1, chance.random(), math.nan)),
            chance.random() < 0.2,
        )
        for _ in range(count)
    ]
    limit = chance.randint(1, 5 * size)
    return Case(atoms, (Goal(chance.randint(1, limit), limit), chance.choice((0.0, 0.25, 1.0, 8.0, chance.random()))))


def _compare_cuts(case: Case) -> tuple[object, object]:
    sizes, lead, tail, score, forbidden = zip(*case.items, strict=True) if case.items else ((),) * 5
    gaps = {gap for gap, is_forbidden in enumerate(forbidden) if is_forbidden}
    load = Load(list(accumulate(sizes, initial=0)), list(lead), [0, *tail], list(score), gaps)
    goal, balance = case.rest
    return KERNELS.pack(*load, *goal, balance), Optimal(balance).reference(load, goal)


def _draw_units(chance: Random) -> Case:
    """Units as (vector, tokens, price, apart). Cosines are exact in 32 bits: it does not matter how they are added."""
    width = chance.choice((1, 4, 16, 19, 40))
    units = [
        (
            tuple(chance.randint(-4, 4) / 16 for _ in range(width)),
            chance.randrange(12),
            chance.choice((0.0, 0.25, 0.5, 1.5)),
            chance.random() < 0.05,
        )
        for _ in range(chance.choice((2, 3, 10, 40, 120)))
    ]
    return Case(units, (chance.choice((6, 40, 100_000)), chance.choice((0, 9))))


def _compare_segments(case: Case) -> tuple[object, object]:
    if len(case.items) < 2:
        return None, None
    vectors, tokens, price, apart = zip(*case.items, strict=True)
    rows = np.array(vectors, np.float32)
    sizes = Sizes(list(tokens), *case.rest, frozenset(n for n, is_apart in enumerate(apart) if is_apart))
    found = best_segments(rows, list(price), sizes), math.isclose(spread(rows), plain_spread(rows), abs_tol=1e-9)
    return found, (segments(runs_of(rows, sizes), list(price), sizes), True)


def _draw_said(chance: Random) -> Case:
    """Units as above, each with its words."""
    units, sizes = _draw_units(chance)
    known = [str(n) for n in range(chance.choice((1, 5, 60)))]
    said = [(*unit, sorted({*chance.choices(known, k=chance.randrange(9))})) for unit in units]
    return Case(said, (*sizes, chance.choice((0.5, 1.0, 4.0))))


def _compare_said(case: Case) -> tuple[object, object]:
    if len(case.items) < 2:
        return None, None
    vectors, tokens, price, apart, bags = zip(*case.items, strict=True)
    rows = np.array(vectors, np.float32)
    *limits, unit = case.rest
    sizes = Sizes(list(tokens), *limits, frozenset(n for n, is_apart in enumerate(apart) if is_apart))
    terms = word_terms(bags)
    found = best_by_both(rows, terms, price, sizes, unit)
    return found, plain_best(rows, terms, price, sizes, unit)


def _draw_junk(chance: Random) -> Case:
    """Arguments that no caller gives; a kernel refuses them, or does what it can."""
    floats = np.array([chance.choice((math.nan, math.inf, -1e38, 0.5)) for _ in range(12)], np.float32).reshape(3, 4)
    values = (
        *("", "a. B", "\ud800", b"", b"\x00", None, True, -1, 0, 2**31, 2**70, 0.5, math.nan, int, tuple, blocks.Block),
        *(
            [],
            [0],
            [0, 1, 2],
            [0.5, "x"],
            ["a", "ß"],
            (),
            ((0, 9),),
            ((2**60, -5),),
            {},
            {"a": (1,)},
            {1: 2},
            {0, 1},
            {"x"},
        ),
        *(
            frozenset(),
            TITLES,
            floats,
            floats[::2],
            np.zeros((0, 4), np.float32),
            np.zeros((2, 0), np.float32),
            bytearray(48),
        ),
        *(np.zeros(3, np.int8), np.zeros((3, 2), np.int8), Goal(1, 2), [2**52] * 4, [-(2**52)] * 4, b"\0\1\0"),
    )
    name = chance.choice([name for name in dir(KERNELS) if not name.startswith("_")])
    return Case([chance.choice(values) for _ in range(chance.randrange(9))], name)


def _call_with_junk(case: Case) -> tuple[object, object]:
    function = getattr(KERNELS, case.rest)
    try:
        made = function(*case.items)
        for method in ("words", "spaced", "write"):
            if hasattr(made, method):
                getattr(made, method)(*case.items)
    except (TypeError, ValueError, OverflowError, IndexError, BufferError):
        pass  # all else, above all SystemError, is a finding
    return None, None


KERNEL_CASES = {
    "blocks": Kernel(
        lambda chance: Case(text(chance), chance.choice((0, 0, 0, chance.randrange(200)))), _compare_blocks
    ),
    "elements": Kernel(lambda chance: Case(markup(chance)), _compare_elements),
    "sentences": Kernel(_draw_ranges, _compare_sentences),
    "words": Kernel(lambda chance: Case(text(chance)), _compare_words),
    "collapsed": Kernel(lambda chance: Case(text(chance)), _compare_collapsed),
    "languages": Kernel(lambda chance: Case(text(chance)), _compare_languages),
    "damaged languages": Kernel(_damage, _weigh_damaged),
    "rows": Kernel(lambda chance: Case([text(chance) for _ in range(chance.randrange(5))]), _compare_rows),
    "pack": Kernel(_draw_load, _compare_cuts),
    "segments": Kernel(_draw_units, _compare_segments),
    "segments by words": Kernel(_draw_said, _compare_said),
    "junk": Kernel(_draw_junk, _call_with_junk),
}


# --- the run ---------------------------------------------------------------------------------------------------------


def draw(seed: int, name: str, number: int) -> Case:
    return KERNEL_CASES[name].draw(Random(f"{seed} {name} {number}"))


def run(names: Sequence[str], seed: int, seconds: float, board: mmap.mmap) -> None:
    """Cases until the processor time is spent, an equal share for each kernel. The board shows the case under way."""
    spent = dict.fromkeys(names, 0.0)
    counts = dict.fromkeys(names, 0)
    while sum(spent.values()) < seconds:
        name = min(names, key=spent.__getitem__)
        start = time.process_time()
        show(board, {"name": name, "number": counts[name], "counts": counts})
        found, expected = KERNEL_CASES[name].compare(draw(seed, name, counts[name]))
        counts[name] += 1
        spent[name] += time.process_time() - start
        if found != expected:
            os._exit(DIFFERS)
    show(board, {"counts": counts})


def show(board: mmap.mmap, state: dict[str, Any]) -> None:
    data = json.dumps(state).encode()
    board[: len(data) + 1] = data + b"\0"


def read(board: mmap.mmap) -> dict[str, Any]:
    state: dict[str, Any] = json.loads(board[: board.find(b"\0")])
    return state


def in_child(work: Callable[[], None], quiet: bool = False) -> int:
    """The exit code of a child that does it: 0, DIFFERS, or what a sanitizer, a signal or an exception makes."""
    sys.stdout.flush()
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if quiet:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    try:
        work()
        os._exit(0)
    finally:  # an exception was raised: the child is not to go on as its parent
        traceback.print_exc()
        os._exit(RAISED)


def shrink(case: Case, fails: Callable[[Case], bool]) -> Case:
    """The case without parts that do not matter, halves first."""
    size = max(1, len(case.items) // 2)
    while size:
        at = 0
        while at < len(case.items):
            smaller = case._replace(items=case.items[:at] + case.items[at + size :])
            if fails(smaller):
                case = smaller
            else:
                at += size
        size //= 2
    return case


def report(name: str, case: Case, code: int) -> None:
    """Print a finding as small as it gets."""

    def judge(case: Case) -> None:
        found, expected = KERNEL_CASES[name].compare(case)
        if found != expected:
            os._exit(DIFFERS)

    case = shrink(case, lambda smaller: in_child(lambda: judge(smaller), quiet=True) == code)
    print(f"\nfinding in {name}: {'a difference' if code == DIFFERS else f'ended with {code}'}")
    print(f"  items: {case.items!r}\n  rest: {case.rest!r}")
    if code == DIFFERS:
        found, expected = KERNEL_CASES[name].compare(case)
        print(f"  kernel:    {found!r}\n  reference: {expected!r}")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=60, help="processor time to spend")
    parser.add_argument("--seed", type=int, default=0 if os.environ.get("CI") else time.time_ns() % 10**6)
    parser.add_argument("--only", choices=KERNEL_CASES, action="append", help="these kernels alone")
    args = parser.parse_args()
    if KERNELS is None:
        print("seamline._native is not in use: build it with `pip install -e .`, and unset SEAMLINE_NATIVE")
        return 2
    names = args.only or list(KERNEL_CASES)
    board = mmap.mmap(-1, 1 << 16)
    code = in_child(lambda: run(names, args.seed, args.seconds, board))
    state = read(board)
    for name, count in state["counts"].items():
        print(f"{name:<20}{count:>10,} cases")
    if code:
        print(f"seed {args.seed}, case {state['number']} of {state['name']}")
        report(state["name"], draw(args.seed, state["name"], state["number"]), code)
    print(f"{sum(state['counts'].values()):,} cases, {'1 finding' if code else 'no finding'}, seed {args.seed}")
    return 1 if code else 0


if __name__ == "__main__":
    raise SystemExit(main())
