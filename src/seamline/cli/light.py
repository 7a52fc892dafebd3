"""Leaves out of LanceDB what a command never uses, so that it starts in half the time.

LanceDB imports a client for catalogue servers: 200 modules of generated classes, 0.9 of the 1.4 CPU seconds that its
import takes. No index of ours is in such a catalogue. Only the commands do this, in a process of their own; a program
that imports `seamline` gets LanceDB as it is.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

UNUSED = ("lance_namespace", "lance_namespace_urllib3_client")


def leave_out_catalogues() -> None:
    """From now on the client is imported as empty modules; what was imported before stays as it is."""
    if not any(name in sys.modules for name in ("lancedb", *UNUSED)):
        sys.meta_path.insert(0, _LeftOut())


class _LeftOut(MetaPathFinder, Loader):
    """Finds the modules of the client, and loads nothing."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return ModuleSpec(fullname, self, is_package=True) if fullname.partition(".")[0] in UNUSED else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Empty(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """There is nothing to run."""


class _Empty(ModuleType):
    """A module in which every name is an exception that nobody raises: LanceDB imports names, and catches some."""

    def __getattr__(self, name: str) -> type[Exception]:
        if name.startswith("__"):
            raise AttributeError(name)
        made = type(name, (Exception,), {"__module__": self.__name__})
        setattr(self, name, made)
        return made
