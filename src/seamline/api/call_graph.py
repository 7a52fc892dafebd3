"""Who calls what across the files of an index, by the names that `--enrich code` keeps.

Names are matched by their last part, as code calls them: `store.open()` may be any `open` of the index. So a graph of
common names is a superset of the true one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from seamline.errors import ConfigError
from seamline.filters.tree import DERIVED_FIELDS
from seamline.protocols import Reader
from seamline.records import Entry


class CallStep(NamedTuple):
    """A chunk of code that a call graph leads to."""

    symbol: str
    """Qualified name of its scope, as in `Store.open`."""
    doc: str
    id: str
    """Of the chunk."""
    signature: str
    docstring: str
    depth: int
    """How many calls away it is."""


def find_callers(reader: Reader, name: str, depth: int = 1) -> list[CallStep]:
    """What calls a function or a class in any file of an index, what calls that, and so on, nearest first."""
    return _walk(_code(reader), name, depth, _calling)


def find_callees(reader: Reader, name: str, depth: int = 1) -> list[CallStep]:
    """What a function or a class calls that any file of an index defines, what that calls, and so on."""
    return _walk(_code(reader), name, depth, _called)


class _Known(NamedTuple):
    """The code of an index, by name."""

    defined: Mapping[str, list[Entry]]
    calling: Mapping[str, list[Entry]]
    """The chunks that call a name."""


def _code(reader: Reader) -> _Known:
    defined: dict[str, list[Entry]] = defaultdict(list)
    calling: dict[str, list[Entry]] = defaultdict(list)
    found = False
    for entry in reader.select():
        calls = entry.meta.get(DERIVED_FIELDS["calls"])
        if entry.level or not isinstance(calls, tuple):
            continue
        found = True
        for name in _names(entry):
            defined[name].append(entry)
        for called in calls:
            calling[str(called)].append(entry)
    if not found:
        raise ConfigError("the index keeps no calls: index its code with --enrich code", "$.index.enrich")
    return _Known(defined, calling)


def _names(entry: Entry) -> set[str]:
    symbols = entry.meta.get(DERIVED_FIELDS["symbols"], ())
    own = symbols if isinstance(symbols, tuple) else ()
    return {_last(str(name)) for name in (*own, _symbol(entry)) if name}


def _symbol(entry: Entry) -> str:
    return str(entry.meta.get(DERIVED_FIELDS["symbol"], ""))


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _calling(known: _Known, name: str) -> Iterable[Entry]:
    return known.calling.get(name, ())


def _called(known: _Known, name: str) -> Iterable[Entry]:
    held = (entry.meta[DERIVED_FIELDS["calls"]] for entry in known.defined.get(name, ()))
    calls = dict.fromkeys(str(called) for some in held if isinstance(some, tuple) for called in some)
    return [entry for called in calls for entry in known.defined.get(called, ())]


def _walk(known: _Known, name: str, depth: int, step: Callable[[_Known, str], Iterable[Entry]]) -> list[CallStep]:
    if depth < 1:
        raise ConfigError(f"expected a depth of 1 or more, got {depth}", "$.depth")
    first = _last(name)
    if first not in known.defined and first not in known.calling:
        raise ConfigError(f"expected the name of code in the index, got {name!r}", "$.name")
    steps: dict[str, CallStep] = {}
    seen, front = {first}, [first]
    for distance in range(1, depth + 1):
        later: list[str] = []
        for one in front:
            for entry in step(known, one):
                steps.setdefault(entry.id, _step(entry, distance))
                later += [_last(_symbol(entry))]
        front = [one for one in dict.fromkeys(later) if one and one not in seen]
        seen.update(front)
    return list(steps.values())


def _step(entry: Entry, depth: int) -> CallStep:
    said = {name: str(entry.meta.get(DERIVED_FIELDS[name], "")) for name in ("symbol", "signature", "docstring")}
    return CallStep(said["symbol"], entry.doc, entry.id, said["signature"], said["docstring"], depth)
