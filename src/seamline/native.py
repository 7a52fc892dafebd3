"""Which of two equal paths runs: the compiled core, or the Python that it mirrors.

SEAMLINE_NATIVE=0 selects Python, SEAMLINE_NATIVE=1 insists on the compiled core; without either, it runs where it was
built. Read once, when this module is first imported.
"""

from __future__ import annotations

import importlib
import os
from types import ModuleType

from seamline.errors import ConfigError

_WANTED = os.environ.get("SEAMLINE_NATIVE", "")
REFUSED = _WANTED == "0"
"""Whether Python was asked for."""


def _load(name: str) -> ModuleType | None:
    """An extension, or None where Python is to run. One that is there but does not load is an error."""
    if REFUSED:
        return None
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        if _WANTED == "1":
            raise ConfigError(
                f"SEAMLINE_NATIVE=1, but {name} was not built: install a C compiler and reinstall seamline, "
                "or leave the variable unset"
            ) from None
        return None


BLOCKS = _load("seamline._blocks")
VECTORS = _load("seamline._vectors")
WORDS = _load("seamline._words")
COMPILED = None not in (BLOCKS, VECTORS, WORDS)
"""Whether all of it was built and is in use."""
