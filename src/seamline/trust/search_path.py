"""Which folders modules are imported from: none that is there only because a command runs in it.

Python puts the current folder, or that of a script, first on `sys.path`. A `resource.py` among the documents of a
folder would then be run as if it were the standard library's. This module imports nothing that Python has not loaded
when it starts.
"""

from __future__ import annotations

import os
import sys

HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
"""The folder that Seamline is installed in."""
_LIBRARY = os.path.dirname(os.__file__)
"""That of the standard library."""


def _current() -> str:
    try:
        return os.path.realpath(os.getcwd())
    except OSError:  # the folder was removed
        return ""


_AT_START = _current()


def trusted_entries() -> list[str]:
    """The entries of `sys.path` that a child may import from: absolute, existing, and put there by an installation or
    by the user's PYTHONPATH."""
    chosen = {HOME, *named_by_user(), *_site_folders()}
    incidental = {_AT_START, _current(), _script_folder()}
    kept = [
        entry
        for entry in dict.fromkeys(map(str, sys.path))
        if os.path.isabs(entry)
        and os.path.exists(entry)
        and (entry in chosen or entry.startswith(_LIBRARY) or os.path.realpath(entry) not in incidental)
    ]
    return kept if HOME in kept else [HOME, *kept]


def leave_out_current_folder() -> None:
    """Remove the current folder and relative entries from the search path of this process, a command's."""
    sys.path[:] = trusted_entries()


def named_by_user() -> list[str]:
    """The folders of PYTHONPATH; an empty or a relative entry of it means the current one and does not count."""
    if sys.flags.ignore_environment:
        return []
    return [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if os.path.isabs(entry)]


def _site_folders() -> list[str]:
    site = sys.modules.get("site")  # absent under `python -S`
    if site is None:
        return []
    folders: list[str] = site.getsitepackages()
    return [*folders, site.USER_SITE] if site.ENABLE_USER_SITE and site.USER_SITE else folders


def _script_folder() -> str:
    script = getattr(sys.modules.get("__main__"), "__file__", None)
    return os.path.dirname(os.path.realpath(script)) if script else ""
