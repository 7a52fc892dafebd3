"""Paths as given -> the files to read, in an order that never changes; and their bytes, within bounds."""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple

from seamline.errors import ConfigError, ParseError
from seamline.recipe.ignore import IGNORE_FILES, FileChoice, FileRules, LeftOut
from seamline.types import Notice

STDIN = None
"""The input that `-` stands for."""
STDIN_NAME = "standard input"

MAX_BYTES = 100_000_000
"""Of one source, unless another limit is given. A document is held in memory as a whole: prose takes 7 bytes for each
of its own, a list of one-letter items 160."""

_UNCOUNTED = frozenset((".git", ".seamline", *IGNORE_FILES))
"""What nobody would look for among documents."""
_STEP = 1 << 18
"""Bytes that are read at a time."""
_MOST_TOLD = 10
"""Entries of folders that are named one by one where they were left out."""
_JUNCTION = 0xA0000003
"""What Windows calls a link to a folder that is no symbolic link."""
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)  # a pipe that came in the place of the file must not hang the run
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
)

_FOLLOW = "--follow-links (in Python: follow_links=True) follows it"
_RAISE = "split it, or raise the limit with --max-bytes (in Python: max_bytes)"


# --- which files -----------------------------------------------------------------------------------------------------


class File(NamedTuple):
    """A file to read."""

    path: Path
    real: str = ""
    """Where it stood when it was found, without links: it is read from there or not at all. Empty where links are
    followed to wherever they lead."""


class Inputs(NamedTuple):
    """What a command line names."""

    files: list[File | None]
    """Files to read, `STDIN` among them."""
    failures: list[str]
    """Messages about paths that give nothing to read."""
    skipped: list[str]
    """Messages about what was left out of folders: links that lead out of what was named, pipes, sockets, devices, and
    formats of plugins that cannot be used."""
    left_out: Sequence[LeftOut] = ()
    """What of folders is not wanted: hidden, ignored, excluded, or of no format that is looked for."""

    @property
    def total(self) -> int:
        return len(self.files) + len(self.failures)


@dataclass(frozen=True, slots=True)
class Fence:
    """Where links may lead: to what was named, and to what is below that."""

    roots: frozenset[str]

    def holds(self, real: str) -> bool:
        """Whether a path without links is inside."""
        here = os.path.normcase(real)
        while here not in self.roots:
            above = os.path.dirname(here)
            if above == here:
                return False
            here = above
        return True


def fence_around(paths: Iterable[str]) -> Fence:
    """The fence of files and folders as they are named. One that is a link itself was chosen: its target counts."""
    return Fence(frozenset(os.path.normcase(os.path.realpath(path)) for path in paths if path != "-"))


def expand(
    arguments: Sequence[str],
    suffixes: Sequence[str] | None = None,
    *,
    output: Path | None = None,
    fence: Fence | None = None,
    follow_links: bool = False,
    choices: Sequence[FileChoice] = (),
) -> Inputs:
    """Files as they are named, folders as the matching files in them that ignore files and `choices` leave; each file
    once, `output` never. `suffixes` are those of all formats that are looked for in folders, unless they are given.

    Links that lead out of `fence`, which is that of the arguments unless another is given, are left out and told,
    unless `follow_links` is set.
    """
    files: list[File | None] = []
    seen: set[str] = {os.path.realpath(output)} if output else set()
    if output:
        _refuse_overwriting(arguments, output)
    walk = _Walk(suffixes, None if follow_links else fence or fence_around(arguments), choices)
    for argument in arguments:
        if argument == "-":
            if STDIN in files:
                raise ConfigError("-: given twice, but standard input can be read once")
            files.append(STDIN)
            continue
        for file in walk.files(argument):
            if (name := os.path.abspath(file.path)) in seen or (output and os.path.realpath(file.path) in seen):
                continue
            seen.add(name)
            if _is_text(file.path):
                files.append(file)
            else:
                walk.failures.append(f"{file.path}: the name is not valid UTF-8 and cannot be an id; rename it")
    return Inputs(files, walk.failures, walk.skipped, walk.left_out)


def shorten(skipped: Sequence[str]) -> list[str]:
    """The first messages about what was left out, and how many there are more: a folder may be full of links."""
    more = len(skipped) - _MOST_TOLD
    if more <= 0:
        return list(skipped)
    return [*skipped[:_MOST_TOLD], f"{more:,} more links, pipes or devices in these folders were left out likewise"]


def _refuse_overwriting(arguments: Sequence[str], output: Path) -> None:
    for argument in arguments:
        if os.path.isfile(argument) and os.path.realpath(argument) == os.path.realpath(output):
            raise ConfigError(f"--output: {output} is also an input; write to another file")


class _Walk:
    """A look at paths, and through those that are folders."""

    def __init__(self, suffixes: Sequence[str] | None, fence: Fence | None, choices: Sequence[FileChoice]) -> None:
        self._suffixes = None if suffixes is None else tuple(suffixes)
        self._fence = fence
        self._choices = choices
        self.left_out: list[LeftOut] = []
        self.failures: list[str] = []
        self.skipped: list[str] = []

    def files(self, argument: str) -> list[File]:
        """A file that is named, or the matching files of a folder."""
        if not argument:
            raise ConfigError("expected a path, got an empty one; name a file, a folder or - for standard input")
        path, real = Path(argument), os.path.realpath(argument)
        if self._fence and not self._fence.holds(real):
            self._leave_out(path, real)
            return []
        if not path.is_dir():
            return [self._file(path, real)]
        before = len(self.failures)
        if self._suffixes is None:
            self._suffixes = self._known_suffixes()
        found = list(self._below(path, real, self._suffixes))
        if not found and len(self.failures) == before:
            self.failures.append(f"{argument}: no files to read in this folder; {self._hint()}")
        return found

    def _hint(self) -> str:
        left = len(self.left_out)
        if not left:
            return "`seamline chunk --help` says which are"
        return f"{left:,} {'was' if left == 1 else 'were'} left out, and --list says why"

    def _known_suffixes(self) -> tuple[str, ...]:
        """Those of all formats; asked for where a folder is walked, since plugins are looked for then."""
        from seamline.formats import plugin_formats, walked_suffixes

        self.skipped += [f"{found.problem}; its files are left out" for found in plugin_formats() if found.problem]
        return walked_suffixes()

    def _below(self, folder: Path, root: str, suffixes: tuple[str, ...]) -> Iterator[File]:
        """By name. A link to a folder is entered once, and never where it leads to what is read anyway."""
        rules = FileRules(self._choices, root)
        stack = [(self._entries(folder), root, rules.enter(root))]
        entered = {root}
        while stack:
            entries, here, lists = stack[-1]
            entry = next(entries, None)
            if entry is None:
                stack.pop()
                continue
            is_link = _is_link(entry)
            stands, is_folder = os.path.join(here, entry.name), _is_dir(entry)
            if (reason := rules.reason(stands, entry.name, lists, is_folder=is_folder)) is not None:
                if entry.name not in _UNCOUNTED:
                    self.left_out.append(LeftOut(entry.path, *reason, is_folder=is_folder))
                continue
            real = os.path.realpath(entry.path) if is_link else stands
            if is_folder:
                if not is_link or self._enters(entry, real, root, entered):
                    stack.append((self._entries(Path(entry.path)), real, rules.enter(real, lists)))
            elif not entry.name.lower().endswith(suffixes):
                self.left_out.append(LeftOut(entry.path, "format"))
            elif self._is_wanted(entry, real, is_link=is_link):
                yield self._file(Path(entry.path), real)

    def _file(self, path: Path, real: str) -> File:
        return File(path, real if self._fence else "")

    def _enters(self, entry: os.DirEntry[str], real: str, root: str, entered: set[str]) -> bool:
        """Whether a link to a folder is followed."""
        if real in entered or _common(real, root) in (real, root):  # read anyway, or it holds us: a loop
            return False
        if self._fence:
            if not self._fence.holds(real):  # else it is in another folder that was named, and read by its name there
                self._leave_out(Path(entry.path), real)
            return False
        entered.add(real)
        return True

    def _is_wanted(self, entry: os.DirEntry[str], real: str, *, is_link: bool) -> bool:
        """Files, and links that lead nowhere: those fail with their name."""
        if is_link and self._fence and not self._fence.holds(real):
            self._leave_out(Path(entry.path), real)
            return False
        try:
            if entry.is_file() or not os.path.exists(entry.path):
                return True
            kind = _kind(os.stat(entry.path).st_mode)
        except OSError:
            return True
        self.skipped.append(f"{entry.path}: is {kind} and not a file, and was left out")
        return False

    def _leave_out(self, path: Path, real: str) -> None:
        self.skipped.append(
            f"{path}: this link leads to {real}, out of the paths that were given, and was left out; {_FOLLOW}"
        )

    def _entries(self, folder: Path) -> Iterator[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            self.failures.append(f"{folder}: cannot be read: {error.strerror}")
            return iter(())
        return iter(found)


def _is_dir(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself
        return False


def _is_link(entry: os.DirEntry[str]) -> bool:
    if entry.is_symlink():
        return True
    return os.name == "nt" and getattr(entry.stat(follow_symlinks=False), "st_reparse_tag", 0) == _JUNCTION


def _common(one: str, other: str) -> str:
    try:
        return os.path.commonpath((one, other))
    except ValueError:  # several drives of Windows
        return ""


def _is_text(path: Path) -> bool:
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    return True


# --- their bytes -----------------------------------------------------------------------------------------------------


class Content(NamedTuple):
    """What a source held when it was read."""

    data: bytes
    notices: tuple[Notice, ...] = ()


def read_file(path: Path, *, max_bytes: int | None = MAX_BYTES, real: str = "", name: str = "") -> Content:
    """The bytes of a regular file, at most `max_bytes`; 0 or None is no limit. A ParseError says why there are none.

    With `real`, it must be the file that stood there when it was found, not what a link leads to that came in its
    place. `name` is what messages call it.
    """
    shown = name or path.as_posix()
    try:
        return _read(path, limit_of(max_bytes), real, shown)
    except FileNotFoundError:
        raise ParseError("no such file: check the name and the folder it is named from", shown) from None
    except IsADirectoryError:
        raise ParseError("is a directory: name files in it, or pass it to `seamline chunk`", shown) from None
    except (OSError, ValueError) as error:  # ValueError: a name with a NUL in it
        raise ParseError(f"cannot be read: {getattr(error, 'strerror', None) or error}", shown) from None
    except MemoryError:
        raise out_of_memory(shown) from None


def read_bytes(path: Path, limit: int) -> bytes:
    """The same for a file that is no document: what the system says is wrong with it is raised as an OSError."""
    return _read(path, limit, "", str(path)).data


def read_stream(stream: BinaryIO, *, max_bytes: int | None = MAX_BYTES, name: str = STDIN_NAME) -> bytes:
    """What a stream holds, at most `max_bytes`: one that never ends is refused there."""
    try:
        return _collect(stream.read, limit_of(max_bytes), name)
    except MemoryError:
        raise out_of_memory(name) from None


def out_of_memory(name: str) -> ParseError:
    """Why one document of a batch is not there, while the others are."""
    return ParseError("needs more memory than there is: split it, or leave such files out by --max-bytes", name)


def limit_of(max_bytes: int | None) -> int | None:
    """The limit that is meant; None where there is none."""
    if max_bytes is not None and max_bytes < 0:
        raise ConfigError(f"expected max_bytes >= 0, got {max_bytes}; 0 is no limit")
    return max_bytes or None


def _read(path: Path, limit: int | None, real: str, shown: str) -> Content:
    _refuse_others(os.stat(path).st_mode, shown)  # before it is opened: that alone may do something to a device
    descriptor = os.open(path, _FLAGS)
    try:
        before = os.fstat(descriptor)
        _refuse_others(before.st_mode, shown)
        if real and not _stands_at(descriptor, path, real):
            raise ParseError(f"was replaced by a link while it was read: run again; {_FOLLOW}", shown)
        if limit is not None and before.st_size > limit:
            raise ParseError(f"has {before.st_size:,} bytes, and the limit is {limit:,}: {_RAISE}", shown)
        data = _collect(lambda size: os.read(descriptor, size), limit, shown)
        if _is_same(before, os.fstat(descriptor)):
            return Content(data)
        return _read_again(descriptor, limit, shown)
    finally:
        os.close(descriptor)


def _read_again(descriptor: int, limit: int | None, shown: str) -> Content:
    """Once more from the start; a file that is always written to is taken as it was then, and that is told."""
    before = os.fstat(descriptor)
    os.lseek(descriptor, 0, os.SEEK_SET)
    data = _collect(lambda size: os.read(descriptor, size), limit, shown)
    if _is_same(before, os.fstat(descriptor)):
        return Content(data)
    message = "the file changed while it was read: parts of it may be older than others; read it again when it is done"
    return Content(data, (Notice("changed-while-read", message),))


def _collect(read: Callable[[int], bytes], limit: int | None, shown: str) -> bytes:
    """All that can be read, in steps, up to the limit: what was said of the size may be wrong by now."""
    held = io.BytesIO()
    while step := read(_STEP if limit is None else min(_STEP, limit + 1 - held.tell())):
        held.write(step)
        if limit is not None and held.tell() > limit:
            raise ParseError(f"has more than {limit:,} bytes, which is the limit: {_RAISE}", shown)
    return held.getvalue()


def _is_same(before: os.stat_result, after: os.stat_result) -> bool:
    return (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns)


def _stands_at(descriptor: int, path: Path, real: str) -> bool:
    """Whether an open file is the one at a place, and was not reached through a link."""
    try:
        seen = os.readlink(f"/proc/self/fd/{descriptor}")
    except OSError:  # not Linux
        return os.path.realpath(path) == real and os.path.samestat(os.lstat(real), os.fstat(descriptor))
    # The kernel adds a word where the file was replaced just now, and writes names on a USB stick in its own case.
    return real.casefold() in (seen.casefold(), seen.removesuffix(" (deleted)").casefold())


def _refuse_others(mode: int, shown: str) -> None:
    """Only regular files end."""
    if stat.S_ISDIR(mode):
        raise IsADirectoryError
    if not stat.S_ISREG(mode):
        raise ParseError(
            f"expected a file, got {_kind(mode)}: save its content in a file, or send it to `seamline chunk -`", shown
        )


def _kind(mode: int) -> str:
    if stat.S_ISFIFO(mode):
        return "a pipe"
    return "a socket" if stat.S_ISSOCK(mode) else "a device"
