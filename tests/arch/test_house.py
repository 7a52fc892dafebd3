"""What no file of the repository may hold, whatever its kind."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOT_OURS = {".git", ".venv", "build", "dist", "__pycache__"}
"""Folders left out where there is no git to ask; so are the caches, by their leading dot and `_cache`."""

# The letters in brackets keep these patterns from finding themselves.
MACHINE_PATH = re.compile(r"(?<![\w.:/-])(?:/(?:hom[e]|roo[t]|wor[k]|User[s])/|[A-Z]:\\User[s]\\)\w")
UNFINISHED = re.compile(r"\b(?:TOD[O]|FIXM[E])\b")
ADDRESS = re.compile(r"\w+://|^\s*-(?:i|f|-index-url|-extra-index-url|-find-links)\b", re.MULTILINE)
PINNED = re.compile(r"^[a-z0-9._-]+==\S+(?: ; .+)? \\\n {4}--hash=sha256:", re.IGNORECASE)


def files() -> list[Path]:
    """Every file git knows or would take, else every file that is not built."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return sorted(walk(ROOT))
    found = [ROOT / os.fsdecode(name) for name in listed.split(b"\0") if name]
    return [path for path in found if path.is_file()]


def walk(root: Path) -> Iterator[Path]:
    for folder, inner, names in os.walk(root):
        inner[:] = [name for name in inner if name not in NOT_OURS and not built(name)]
        yield from (Path(folder, name) for name in names)


def built(folder: str) -> bool:
    return folder.endswith((".egg-info", "_cache")) or folder == ".hypothesis"


def found(pattern: re.Pattern[str], paths: list[Path]) -> list[str]:
    """Each place a pattern occurs, as path:line: text."""
    places = []
    for path in paths:
        text = path.read_bytes().decode("utf-8", errors="replace")
        for hit in pattern.finditer(text):
            line = text.count("\n", 0, hit.start()) + 1
            places.append(f"{path.relative_to(ROOT)}:{line}: {hit.group()}")
    return places


def test_there_are_files_to_look_at() -> None:
    assert Path(__file__).resolve() in {path.resolve() for path in files()}
    assert Path(__file__).resolve() in {path.resolve() for path in walk(ROOT)}


def test_no_file_names_a_path_of_one_machine() -> None:
    assert not found(MACHINE_PATH, files())


def test_nothing_is_marked_unfinished() -> None:
    assert not found(UNFINISHED, files())


def test_the_lock_files_name_no_registry() -> None:
    assert not found(ADDRESS, locks())


def test_the_lock_files_pin_every_package_by_hash() -> None:
    for lock in locks():
        entries = re.split(r"^(?=\S)", lock.read_text(encoding="utf-8"), flags=re.MULTILINE)
        packages = [entry for entry in entries if entry and not entry.startswith("#")]
        assert packages
        assert not [entry.splitlines()[0] for entry in packages if not PINNED.match(entry)], lock.name


def locks() -> list[Path]:
    both = [ROOT / "requirements.lock", ROOT / "requirements-dev.lock"]
    assert all(lock.is_file() for lock in both)
    return both


@pytest.mark.parametrize("folder", ["home", "root", "work", "Users"])
def test_a_machine_path_is_seen(folder: str) -> None:
    assert MACHINE_PATH.search(f"see /{folder}/ada/notes.md")


@pytest.mark.parametrize("text", ["https://example.org/work/x", "docs/work/x", "root / home", "/srv/app"])
def test_other_paths_are_not(text: str) -> None:
    assert not MACHINE_PATH.search(text)
