"""What only Seamline's own tests need: servers, processes that are killed, parsers that misbehave, damaged files.

The folder `tests` is on the search path of the tests; a process that they start finds it by `environment`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

FOLDER = str(Path(__file__).parents[1])


def environment(base: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The variables of a process that imports this package, too."""
    return {**base, "PYTHONPATH": os.pathsep.join(filter(None, [FOLDER, base.get("PYTHONPATH", "")]))}
