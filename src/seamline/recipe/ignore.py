"""Which files of a folder are left out: ignore files as git reads them, folders of other people's code, and the globs
of the caller. What is named itself is always taken.

`.gitignore` and `.seamlineignore` mean what `git check-ignore` says: a nearer file wins over one further up, a later
line over an earlier one, `!` takes back, and nothing comes back from a folder that is left out. In one folder, lines of
`.seamlineignore` come after those of `.gitignore`.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from seamline.errors import ConfigError
from seamline.text.globs import Glob, GlobPart

IGNORE_FILES = (".gitignore", ".seamlineignore")
VENDORED = ("node_modules", "bower_components", "__pycache__", "site-packages", "venv", "virtualenv", "vendor", "Pods")
"""Folders of code that somebody else wrote or a program made. `!vendor/` in an ignore file takes one back."""
_MOST_BYTES = 1 << 20
"""Of an ignore file; git's own are some hundred bytes."""

Reason = Literal["hidden", "vendored", "ignored", "excluded", "format"]
REASONS: dict[Reason, str] = {
    "ignored": "by ignore files",
    "excluded": "by --include and --exclude",
    "hidden": "hidden",
    "vendored": "vendored",
    "format": "of other formats",
}
"""Why something is left out, in the order it is told."""


class LeftOut(NamedTuple):
    """A file, or a folder with all that is in it, that is not read."""

    path: str
    reason: Reason
    rule: str = ""
    """The line that says so, as FILE:NUMBER, or the glob."""
    is_folder: bool = False


@dataclass(frozen=True, slots=True)
class FileChoice:
    """Which files of folders are taken, beside what ignore files say."""

    include: tuple[str, ...] = ()
    """Globs, as lines of an ignore file: only files that one of them means. All, where there are none."""
    exclude: tuple[str, ...] = ()
    """Globs of files and folders that are left out."""
    base: str = ""
    """The folder that globs with a slash start from; the current one, unless given."""
    ignore: bool = True
    """Whether ignore files and the list of vendored folders count."""

    def __post_init__(self) -> None:
        for name in ("include", "exclude"):
            for glob in getattr(self, name):
                if _rule(glob, "") is None or glob.startswith("!"):
                    raise ConfigError(f"expected a glob such as *.md or drafts/**, got {glob!r}", f"$.index.{name}")


class IgnoreRule(NamedTuple):
    """One line of an ignore file."""

    matches: Callable[[str], bool]
    """Asked of the name, or of the way from the folder of the file."""
    by_name: bool
    only_folders: bool
    takes_back: bool
    source: str


class RuleList(NamedTuple):
    """The lines that hold in a folder and below."""

    folder: str
    """Without links, as all paths that are asked for."""
    rules: Sequence[IgnoreRule]

    def find(self, path: str, name: str, *, is_folder: bool) -> IgnoreRule | None:
        """The last line that means a path."""
        way = ""
        for rule in reversed(self.rules):
            if rule.only_folders and not is_folder:
                continue
            if not rule.by_name and not way:
                way = _way(path, self.folder)
            if rule.matches(name if rule.by_name else way):
                return rule
        return None


class FileRules:
    """What is left out below one folder that is walked."""

    def __init__(self, choices: Sequence[FileChoice], folder: str) -> None:
        """`folder` is the real path of the one that was named. A file must be taken by all of the choices."""
        based = [(os.path.realpath(choice.base or os.curdir), choice) for choice in choices]
        self._include = [RuleList(base, _rules(one.include, "include")) for base, one in based if one.include]
        self._exclude = [RuleList(base, _rules(one.exclude, "exclude")) for base, one in based if one.exclude]
        self._ignore = all(choice.ignore for choice in choices)
        self._above = [_VENDORED, *(_read(above) for above in _folders_above(folder))] if self._ignore else []

    def enter(self, folder: str, outer: Sequence[RuleList] | None = None) -> list[RuleList]:
        """The lists that hold in a folder, the nearest last; `outer` are those of the one around it."""
        held = self._above if outer is None else outer
        found = _read(folder) if self._ignore else None
        return [*held, found] if found is not None and found.rules else [*held]

    def reason(self, path: str, name: str, lists: Sequence[RuleList], *, is_folder: bool) -> tuple[Reason, str] | None:
        """Why a path is left out, and by which rule; None where it is taken. `path` is real but for its last link."""
        if name.startswith("."):
            return "hidden", ""
        for one in reversed(lists):
            if (rule := one.find(path, name, is_folder=is_folder)) is not None:
                if rule.takes_back:
                    break
                return ("vendored", "") if one is _VENDORED else ("ignored", rule.source)
        for one in self._exclude:
            if (rule := one.find(path, name, is_folder=is_folder)) is not None:
                return "excluded", rule.source
        if not is_folder and not all(_is_included(path, one) for one in self._include):
            return "excluded", "no include means it"
        return None


class ObjectRules:
    """What is left out below an address of objects, where no ignore files are: globs with a slash start there."""

    def __init__(self, choices: Sequence[FileChoice]) -> None:
        self._top = os.path.realpath(os.sep)
        self._rules = FileRules([replace(choice, base=self._top) for choice in choices], self._top)
        self._lists = [_VENDORED] if all(choice.ignore for choice in choices) else []

    def reason(self, key: str) -> tuple[Reason, str] | None:
        """Why an object is left out, and by which rule; None where it is taken."""
        parts = key.split("/")
        for last in range(1, len(parts) + 1):
            path, is_folder = os.path.join(self._top, *parts[:last]), last < len(parts)
            if found := self._rules.reason(path, parts[last - 1], self._lists, is_folder=is_folder):
                return found
        return None


def _is_included(path: str, included: RuleList) -> bool:
    """Whether a file or a folder around it is meant: `--include docs` is all that is in there."""
    is_folder = False
    while True:
        if included.find(path, os.path.basename(path), is_folder=is_folder) is not None:
            return True
        above = os.path.dirname(path)
        if above in (path, included.folder):
            return False
        path, is_folder = above, True


def is_taken(path: str, folder: str, choices: Sequence[FileChoice]) -> bool:
    """Whether the file at a path would be found below a folder; both without links."""
    from seamline.formats import walked_suffixes

    rules = FileRules(choices, folder)
    lists = rules.enter(folder)
    *folders, name = os.path.relpath(path, folder).split(os.sep)
    here = folder
    for part in folders:
        here = os.path.join(here, part)
        if rules.reason(here, part, lists, is_folder=True) is not None:
            return False
        lists = rules.enter(here, lists)
    return rules.reason(path, name, lists, is_folder=False) is None and name.lower().endswith(walked_suffixes())


def parse_rules(text: str, source: str) -> list[IgnoreRule]:
    """The rules of an ignore file."""
    lines = text.removeprefix("\ufeff").split("\n")
    numbered = ((number, line.removesuffix("\r")) for number, line in enumerate(lines, start=1))
    made = (_rule(line, f"{source}:{number}") for number, line in numbered if not line.startswith("#"))
    return [rule for rule in made if rule is not None]


def _rules(globs: Iterable[str], option: str) -> list[IgnoreRule]:
    return [rule for glob in globs if (rule := _rule(glob, f"{option} {glob}"))]


def _rule(line: str, source: str) -> IgnoreRule | None:
    line = _trim(line)
    takes_back = line.startswith("!")
    pattern = line[1:] if takes_back else line
    only_folders = pattern.endswith("/")
    if only_folders:
        pattern = pattern[:-1]
    if not pattern:
        return None
    by_name = "/" not in pattern
    if not by_name:
        pattern = pattern.removeprefix("/")
    return IgnoreRule(_matcher(pattern, by_name=by_name), by_name, only_folders, takes_back, source)


def _trim(line: str) -> str:
    """Without the spaces at the end, except where a backslash keeps one."""
    found = re.match(r"(?: *(?:\\.?|[^ \\]))*", line, re.DOTALL)
    return found[0] if found else line


_SPECIAL = re.compile(r"[*?\[\\]")


def _matcher(pattern: str, *, by_name: bool) -> Callable[[str], bool]:
    """The commonest patterns without an automaton: `name`, and `*.suffix` of a name."""
    if not _SPECIAL.search(pattern):
        return pattern.__eq__
    if by_name and pattern.startswith("*") and not _SPECIAL.search(pattern, 1):
        end = pattern[1:]
        return lambda name: name.endswith(end)
    parts = git_parts(pattern, by_name=by_name)
    return _never if parts is None else Glob(parts).matches


def _never(name: str) -> bool:
    return False


def git_parts(pattern: str, *, by_name: bool) -> list[GlobPart] | None:
    """A pattern as git's wildmatch reads it; None for one that never matches, such as one with half a set."""
    parts: list[GlobPart] = []
    at, end = 0, len(pattern)
    while at < end:
        character = pattern[at]
        if character == "*":
            stop = at
            while stop < end and pattern[stop] == "*":
                stop += 1
            alone = (at == 0 or pattern[at - 1] == "/") and (
                stop == end or pattern[stop] == "/" or pattern.startswith("\\/", stop)
            )
            if stop - at == 1 or by_name or not alone:
                parts.append(GlobPart("run"))
            elif stop == end:
                parts.append(GlobPart("any"))
            elif pattern[stop] == "/":
                parts.append(GlobPart("folders"))
                stop += 1
            else:
                parts.append(GlobPart("any"))
            at = stop
        elif character == "?":
            parts.append(GlobPart("one"))
            at += 1
        elif character == "[":
            found = _read_set(pattern, at + 1)
            if found is None:
                return None
            accepts, at = found
            parts.append(GlobPart("set", accepts=accepts))
        else:
            if character == "\\":
                at += 1
                if at == end:
                    return None
            parts.append(GlobPart("text", pattern[at]))
            at += 1
    return parts


_CLASSES: dict[str, Callable[[str], bool]] = {
    "alnum": str.isalnum, "alpha": str.isalpha, "blank": " \t".__contains__, "cntrl": lambda c: c < " " or c == "\x7f",
    "digit": str.isdigit, "graph": lambda c: "!" <= c <= "~", "lower": str.islower, "print": lambda c: " " <= c <= "~",
    "punct": "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~".__contains__, "space": " \t\n\v\f\r".__contains__,
    "upper": str.isupper, "xdigit": "0123456789abcdefABCDEF".__contains__,
}  # fmt: skip


def _read_set(pattern: str, at: int) -> tuple[Callable[[str], bool], int] | None:
    """A set of characters that starts before `at`, and where the pattern goes on behind it."""
    negated = at < len(pattern) and pattern[at] in "!^"
    at += negated
    ranges: list[tuple[str, str]] = []
    classes: list[Callable[[str], bool]] = []
    first, before = True, ""
    while True:
        if at >= len(pattern):
            return None
        character = pattern[at]
        if character == "]" and not first:
            break
        first = False
        if character == "[" and pattern.startswith("[:", at) and (close := pattern.find("]", at + 2)) >= 0:
            if close - at < 3 or pattern[close - 1] != ":":
                ranges.append(("[", "["))  # no class: the bracket itself, and what follows is read again
                before, at = "[", at + 1
                continue
            named = _CLASSES.get(pattern[at + 2 : close - 1])
            if named is None:
                return None
            classes.append(named)
            before, at = "", close + 1
            continue
        if character == "-" and before and at + 1 < len(pattern) and pattern[at + 1] != "]":
            at += 1
            if pattern[at] == "\\":
                at += 1
                if at >= len(pattern):
                    return None
            ranges.append((before, pattern[at]))
            before, at = "", at + 1
            continue
        if character == "\\":
            at += 1
            if at >= len(pattern):
                return None
            character = pattern[at]
        ranges.append((character, character))
        before, at = character, at + 1

    def accepts(one: str) -> bool:
        inside = any(low <= one <= high for low, high in ranges) or any(named(one) for named in classes)
        return one != "/" and inside != negated

    return accepts, at + 1


# --- the files themselves --------------------------------------------------------------------------------------------

_VENDORED = RuleList("", _rules((f"{name}/" for name in VENDORED), "vendored"))


def _folders_above(folder: str) -> list[str]:
    """The folders around one whose ignore files hold in it: those up to the top of its git repository, from there on.
    Outside of a repository there are none."""
    found: list[str] = []
    here = folder
    while not os.path.lexists(os.path.join(here, ".git")):
        above = os.path.dirname(here)
        if above == here:
            return []
        found.append(above)
        here = above
    return found[::-1]


def _read(folder: str) -> RuleList:
    """The rules of the ignore files in a folder."""
    rules: list[IgnoreRule] = []
    for name in IGNORE_FILES:
        path = os.path.join(folder, name)
        if text := _read_text(path):
            rules += parse_rules(text, path)
    return RuleList(folder, rules)


def _read_text(path: str) -> str:
    """What an ignore file says; nothing where it is none. Like git, links are not followed."""
    try:
        seen = os.lstat(path)
        if not stat.S_ISREG(seen.st_mode):
            return ""
        with open(path, "rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except OSError:
        return ""
    if len(data) > _MOST_BYTES:
        raise ConfigError(f"{path}: expected an ignore file of at most {_MOST_BYTES:,} bytes; shorten it")
    return data.decode("utf-8", "surrogateescape")


def _way(path: str, folder: str) -> str:
    """The way to a path from a folder around it, with slashes; of one elsewhere, what no pattern means."""
    inside = folder if folder.endswith(os.sep) else folder + os.sep
    if not path.startswith(inside):
        return ""
    way = path[len(inside) :]
    return way if os.sep == "/" else way.replace(os.sep, "/")
