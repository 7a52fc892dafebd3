"""Which of two equal paths runs: the compiled kernels, or the Python that each of them is held against.

SEAMLINE_NATIVE=0 selects Python, SEAMLINE_NATIVE=1 insists on the kernels; without either, they run where they were
built. Read once, when this module is first imported. native/ has the sources, `_native.pyi` what each kernel does.
"""

from __future__ import annotations

import importlib
import os
from types import ModuleType

from seamline.errors import ConfigError

_WANTED = os.environ.get("SEAMLINE_NATIVE", "")
REFUSED = _WANTED == "0"
"""Whether Python was asked for."""


def _load() -> ModuleType | None:
    """The extension, or None where Python is to run. One that is there but does not load is an error."""
    if REFUSED:
        return None
    try:
        return importlib.import_module("seamline._native")
    except ModuleNotFoundError:
        if _WANTED == "1":
            raise ConfigError(
                "SEAMLINE_NATIVE=1, but seamline._native was not built: install a C compiler and reinstall seamline, "
                "or leave the variable unset"
            ) from None
        return None


KERNELS = _load()
"""The compiled kernels; None where Python runs."""
