"""Files of the user outside of every folder of documents: where they are, and whether only the user can change them."""

from __future__ import annotations

import os
import stat
import sys
from contextlib import suppress
from pathlib import Path

from seamline.errors import ConfigError

_LONGEST = 1 << 20
"""Bytes of a configuration file; nobody writes a longer one."""


def config_folder() -> Path | None:
    """`seamline` in the folder for configuration: $XDG_CONFIG_HOME or ~/.config, %APPDATA% on Windows. None where the
    user has no such folder. A relative one is not used: it would lie in the folder that is worked on."""
    variable = "APPDATA" if sys.platform == "win32" else "XDG_CONFIG_HOME"
    given = os.environ.get(variable, "")
    if os.path.isabs(given):
        return Path(given, "seamline")
    home = os.path.expanduser("~")
    return Path(home, ".config", "seamline") if os.path.isabs(home) else None


def own_users() -> frozenset[int]:
    """The numbers of the user who runs this: the effective one and, under sudo, the one who called it. Empty on
    Windows, where files have no such number."""
    if not hasattr(os, "geteuid"):
        return frozenset()
    effective = os.geteuid()
    caller = os.environ.get("SUDO_UID", "")
    # Only root may say who called: anybody can set a variable.
    under_sudo = effective == 0 and caller.isascii() and caller.isdigit() and len(caller) < 11
    return frozenset({effective, int(caller)} if under_sudo else {effective})


def user_name(number: int) -> str:
    """What people call a user."""
    with suppress(ImportError, KeyError):
        import pwd

        return pwd.getpwuid(number).pw_name
    return f"number {number}"


def read_private(path: Path) -> str | None:
    """The text of a file that only the user can read and change; None where there is none."""
    try:
        with path.open("rb") as file:
            _check_private(path, os.fstat(file.fileno()))
            data = file.read(_LONGEST + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror}); check the path and its permissions") from None
    if len(data) > _LONGEST:
        raise ConfigError(f"{path}: expected at most {_LONGEST:,} bytes; remove what does not belong there")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: expected UTF-8, got other bytes; save it as UTF-8") from None


def _check_private(path: Path, seen: os.stat_result) -> None:
    if not stat.S_ISREG(seen.st_mode):
        raise ConfigError(f"{path}: expected a regular file; remove it")
    users = own_users()
    if not users:  # Windows: %APPDATA% itself is the user's alone
        return
    if seen.st_uid not in users:
        raise ConfigError(f"{path}: expected a file of your own, got one of user {user_name(seen.st_uid)}; remove it")
    if seen.st_mode & 0o077:
        raise ConfigError(f"{path}: expected that only you can read and change it; run `chmod 600` on it")


def write_private(path: Path, text: str) -> None:
    """Write a file that only the user can read, all or nothing."""
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with suppress(FileNotFoundError):
            new.unlink()
        number = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(number, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(number)
        os.replace(new, path)
    except OSError as error:
        with suppress(OSError):
            new.unlink()
        raise ConfigError(f"{path}: cannot be written ({error.strerror}); make its folder writable") from None
