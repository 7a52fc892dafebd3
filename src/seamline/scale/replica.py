"""A server that reads one state of indexes on object storage, and who says which one that is.

All replicas read the states that one keeper names, so that they answer alike, and one that is started in the place of
another does too. The keeper looks for a commit once in a second; replicas ask the keeper as often.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from seamline.api import serving
from seamline.api.index import open_index
from seamline.api.trust import PLAIN, Keys, Trust
from seamline.errors import SeamlineError, StoreError
from seamline.protocols import PinnableStore
from seamline.server.app import ServerApp, make_app
from seamline.server.guard import GuardRules
from seamline.server.log import ServerLog
from seamline.store import open_store

SECONDS = 1.0
"""Between two looks for a commit."""
READ_ONLY = "these servers only read: write with `seamline index`, and they follow"

States = Mapping[str, str]
"""The state of each index by its name."""


@dataclass(frozen=True, slots=True)
class ReplicaConfig:
    """What a replica serves, and to whom. Keys do not travel: they come from the environment of its machine."""

    places: Mapping[str, str]
    """Addresses of the indexes by name."""
    trust: Trust
    rules: GuardRules
    quiet: bool = False


class StateKeeper:
    """Says which states all replicas read."""

    def __init__(self, places: Mapping[str, str]) -> None:
        self._stores = {name: open_store(place) for name, place in places.items()}
        self._states: dict[str, str] = {}
        self._looked = 0.0

    def states(self) -> dict[str, str]:
        """The states, at most `SECONDS` old; those known before where the object store does not answer."""
        now = time.monotonic()
        if not self._states or now - self._looked >= SECONDS:
            for name, store in self._stores.items():
                assert isinstance(store, PinnableStore)  # whoever starts replicas has looked
                try:
                    self._states[name] = store.present_state()
                except StoreError:
                    if name not in self._states:
                        raise
            self._looked = now
        return dict(self._states)


class Replica:
    """A server whose indexes stay at the states that were asked for last."""

    def __init__(self, config: ReplicaConfig, states: Callable[[], States]) -> None:
        """`states` is asked once in a second; it may fail, but not the first time."""
        keys = Keys(plain=os.environ.get(PLAIN, ""), personal=True)
        self._indexes = {name: open_index(place, key=keys, trust=config.trust) for name, place in config.places.items()}
        self._states = states
        self._pinned: dict[str, str] = {}
        self.roll_forward()
        self.app: ServerApp = make_app(self._indexes, rules=config.rules, log=ServerLog(quiet=config.quiet))
        threading.Thread(target=self._follow, name="seamline-states", daemon=True).start()

    def roll_forward(self) -> None:
        """Read the states that the keeper names from now on; requests that have begun keep theirs."""
        for name, state in self._states().items():
            if self._pinned.get(name) != state:
                serving.pin_state(self._indexes[name], state)
                self._pinned[name] = state

    def _follow(self) -> None:
        while self.app.state.status != "stopping":
            time.sleep(SECONDS)
            with suppress(SeamlineError, RuntimeError):  # the keeper is away: this state stays readable for a day
                self.roll_forward()
