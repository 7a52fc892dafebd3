"""`seamline index --watch`: looks at the files every second, and brings the index up to date with what changed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from seamline.cli.options import WantedPath, expand_all
from seamline.cli.output import DONE, Interrupted, Terminated
from seamline.cli.terminal import plural, say
from seamline.errors import ProviderError, StoreError

PAUSE = 1.0
"""Seconds between two looks."""


class Sight(NamedTuple):
    """What tells a file from what it was."""

    modified: int
    size: int
    number: int
    """Of the file itself: an editor may replace it by one of the same size within a tick of the clock."""


Look = Mapping[str, Sight]
Update = Callable[[Sequence[str], Sequence[str]], object]
"""Brings the index up to date with the first paths; the second are those that changed, where it is known."""


def watch(wanted: Sequence[WantedPath], update: Update, *, quiet: bool) -> int:
    """Update now, and after every change, until Ctrl-C."""
    known = look(wanted)
    update([one.path for one in wanted], ())
    try:
        if not quiet:
            say(f"watching {plural(len(known), 'file')}; Ctrl-C ends")
        _watch(wanted, update, known)
    except KeyboardInterrupt as cause:
        message = "stopped watching; the next run picks up what changes from here on"
        if isinstance(cause, Interrupted):
            message = "stopped watching in the middle of an update; what was written is safe, the next run goes on"
        if isinstance(cause, Terminated):
            raise Interrupted(message, cause) from None
        say(message)
    return DONE


def _watch(wanted: Sequence[WantedPath], update: Update, known: dict[str, Sight]) -> None:
    before: Look = known
    told = ""
    while True:
        time.sleep(PAUSE)
        now = look(wanted)
        ready = settled_files(known, before, now)
        before = now
        if not ready:
            continue
        try:
            update(_targets([one.path for one in wanted], ready, now), ready)
        except (StoreError, ProviderError) as error:  # another writer, a full disk, a service: may pass
            if str(error) != told:
                say(f"error: {error}; trying again")
            told = str(error)
            continue
        told = ""
        for name in ready:
            known.pop(name, None)
        known |= {name: now[name] for name in ready if name in now}


def look(wanted: Sequence[WantedPath]) -> dict[str, Sight]:
    """The files that the paths mean now. What cannot be looked at is not there."""
    found = {}
    for file in expand_all(wanted).files:
        if file is None:
            continue
        try:
            seen = os.stat(file.path)
        except OSError:
            continue
        found[str(file.path)] = Sight(seen.st_mtime_ns, seen.st_size, seen.st_ino)
    return found


def settled_files(known: Look, before: Look, now: Look) -> list[str]:
    """The files that are not as the index knows them and have been as they are for one look: a file that is just
    being written, or replaced, can wait."""
    names: Iterable[str] = sorted(known.keys() | now.keys())
    return [name for name in names if now.get(name) != known.get(name) and now.get(name) == before.get(name)]


def _targets(paths: Sequence[str], ready: Sequence[str], now: Look) -> Sequence[str]:
    """What to bring up to date. Where files are gone, the paths as they were given: only they can tell a file that was
    deleted from a folder that is not mounted."""
    return ready if all(name in now for name in ready) else paths
