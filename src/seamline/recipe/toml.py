"""Recipes as files: `seamline.toml` read, found and written."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, cast

from seamline.errors import ConfigError, ParseError
from seamline.files import read_bytes
from seamline.recipe.check import expect_choice, expect_int, expect_number, expect_text, show_value
from seamline.recipe.ignore import FileChoice
from seamline.recipe.presets import SIZES, overlap_level, preset
from seamline.recipe.recipe import KINDS, PLACES, SCORES, SECTIONS, Overlap, OverlapKind, Recipe, resize

FILE_NAME = "seamline.toml"
_MOST_BYTES = 1_000_000
"""Of a file of settings; they fill some kilobytes at most."""

Table = Mapping[str, object]


def _keys_of(table: str) -> tuple[str, ...]:
    places = (place.partition(".") for place in PLACES.values())
    return tuple(key for name, _, key in places if name == table)


TABLES: Mapping[str, tuple[str, ...]] = {
    "budget": ("size", "target", "limit", "floor"),
    "cut": _keys_of("cut"),
    "breadcrumb": _keys_of("breadcrumb"),
    "overlap": ("kind", "tokens", "level"),
    "parse": _keys_of("parse"),
    "estimate": _keys_of("estimate"),
    "whole": KINDS,
    "split": KINDS,
    "scores": tuple(SCORES),
    "enrich": _keys_of("enrich"),
    "derive": _keys_of("derive"),
    **{name: tuple(f.name for f in fields(kind)) for name, kind in SECTIONS.items()},
}
"""Every table of the file and the keys it may hold."""

_INDEX = ("include", "exclude")
"""Keys of the table that is no part of a recipe: which files `seamline index` takes."""
WEIGHTS = ("relevance", "freshness", "authority", "coherence", "language", "entities")
"""Keys of `[search.weights]`, which is no part of a recipe either: how `seamline search` and `context` order hits."""
_TOP = ("preset", "tokenizer", "strategies", "index", "search", *TABLES)
_MAPS = ("whole", "split", "scores")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_END = "(at end of document)"


def find(start: Path) -> Path | None:
    """The nearest `seamline.toml` in `start` (or beside it, for a file) and the folders above."""
    here = Path(os.path.abspath(start))
    files = (folder / FILE_NAME for folder in (here, *here.parents))
    return next((file for file in files if os.path.isfile(file)), None)  # False where it may not look


def load_recipe(path: Path) -> Recipe:
    """The recipe of a `seamline.toml`; the path of a tokenizer.json in it counts from the file's folder."""
    recipe = from_mapping(_parse(_read(path), str(path)), str(path))
    if not recipe.tokenizer.endswith(".json"):
        return recipe
    return replace(recipe, tokenizer=str(path.parent / recipe.tokenizer))


def load_choice(path: Path) -> FileChoice:
    """Which files of folders the `[index]` table of a `seamline.toml` asks for; its globs start from the file's folder.
    It can only leave out files of those that the user named."""
    table = _parse(_read(path), str(path)).get("index", {})
    if not isinstance(table, Mapping):
        raise ConfigError(f"{path}: expected a table, got {show_value(table)}", "$.index")
    for key, value in table.items():
        expect_choice(key, _INDEX, f"$.index.{key}")
        if not isinstance(value, list) or not all(isinstance(glob, str) for glob in value):
            message = f"{path}: expected a list of globs such as ['drafts/', '*.tmp.md'], got {show_value(value)}"
            raise ConfigError(message, f"$.index.{key}")
    globs = {key: tuple(table.get(key, ())) for key in _INDEX}
    return FileChoice(globs["include"], globs["exclude"], os.path.dirname(os.path.abspath(path)))


def load_weights(path: Path) -> dict[str, float]:
    """What the `[search.weights]` table of a `seamline.toml` says that counts beside relevance; empty without one."""
    data = _parse(_read(path), str(path))
    with _blame(str(path)):
        search = _plain_table(data.get("search", {}), "$.search", ("weights",))
        weights = _plain_table(search.get("weights", {}), "$.search.weights", WEIGHTS)
        return {key: float(expect_number(value, f"$.search.weights.{key}", 0)) for key, value in weights.items()}


def _plain_table(value: object, place: str, known: tuple[str, ...]) -> Table:
    if not isinstance(value, Mapping):
        raise ConfigError(f"expected a table, got {show_value(value)}", place)
    for key in value:
        expect_choice(key, known, f"{place}.{key}")
    return value


@contextmanager
def _blame(source: str) -> Iterator[None]:
    """Name the file in the errors of what is read from it."""
    try:
        yield
    except ConfigError as error:
        if not source:
            raise
        named = type(error)(f"{source}: {error}")
        named.path = error.path
        raise named from None


def from_mapping(data: Table, source: str = "") -> Recipe:
    """The recipe that `data`, laid out as in `seamline.toml`, describes; errors name `source`."""
    with _blame(source):
        return _recipe(data)


def adjust(recipe: Recipe, settings: Iterable[str]) -> Recipe:
    """`recipe` with settings such as `semantic.alpha=1.5` changed; a value that is no TOML is a string."""
    data: dict[str, Any] = {}
    for setting in settings:
        place, equals, value = setting.partition("=")
        *tables, key = place.strip().split(".", 1)
        if not equals or not key:
            raise ConfigError(f"expected KEY=VALUE such as semantic.alpha=1.5, got {show_value(setting)}")
        if tables and tables[0] == "index":
            raise ConfigError(f"expected --include and --exclude for these, got {show_value(setting)}")
        home = data.setdefault(tables[0], {}) if tables else data
        home[key] = _value(value.strip())
    return _recipe(data, recipe)


def _value(text: str) -> object:
    import tomllib

    try:
        return tomllib.loads(f"value = {text}")["value"]
    except RecursionError as error:
        raise ConfigError(f"expected a value such as 1.5, got one nested too deeply: {show_value(text)}") from error
    except ValueError:
        return text


def to_toml(recipe: Recipe) -> str:
    """A complete `seamline.toml` that loads back to an equal recipe.

    A relative tokenizer path is written as it is, and so counts from the folder the file is put in.
    """
    top = {"tokenizer": recipe.tokenizer}
    lines = [*_lines(top), *(line for name in TABLES for line in _section(name, _values(recipe, name)))]
    lines += _section("strategies", {json.dumps(glob): name for glob, name in recipe.strategies.items()})
    return "\n".join(lines) + "\n"


def _recipe(data: Table, base: Recipe | None = None) -> Recipe:
    tables = _tables(data)
    if "preset" in data or base is None:
        base = preset(expect_text(data["preset"], "$.preset")) if "preset" in data else Recipe()
    sized = _resize(base, tables["budget"])
    changes: dict[str, Any] = {
        name: value for name, place in PLACES.items() for value in _given_values(data, tables, place)
    }
    for name in _MAPS:
        changes[name] = {**getattr(base, name), **tables[name]}
    for name in SECTIONS:
        if tables[name]:
            changes[name] = replace(getattr(base, name), **{k: _frozen(v) for k, v in tables[name].items()})
    if "strategies" in data:
        changes["strategies"] = _globs(data["strategies"])
    return replace(sized, overlap=_overlap(sized, tables["overlap"]), **changes)


def _frozen(value: object) -> object:
    """Arrays as tuples: a recipe is a value."""
    return tuple(value) if isinstance(value, list) else value


def _globs(value: object) -> Table:
    """Any glob may be a key of this table."""
    if not isinstance(value, Mapping):
        raise ConfigError(f"expected a table, got {show_value(value)}", "$.strategies")
    return value


def _tables(data: Table) -> dict[str, Table]:
    for key in data:
        _expect_key(key, _TOP, "$")
    return {name: _table(data.get(name, {}), name) for name in TABLES}


def _table(value: object, name: str) -> Table:
    if not isinstance(value, Mapping):
        raise ConfigError(f"expected a table, got {show_value(value)}", f"$.{name}")
    for key in value:
        _expect_key(key, TABLES[name], f"$.{name}")
    return value


def _expect_key(key: str, known: tuple[str, ...], parent: str) -> None:
    """Refuse an unknown key; one that belongs to another table is told where it goes."""
    path = f"{parent}.{key if _BARE.fullmatch(key) else show_value(key)}"
    homes = [name for name in TABLES if name not in _MAPS and key in TABLES[name]]
    if key not in known and homes:
        raise ConfigError(f"expected {key} in [{homes[0]}], got it here", path)
    expect_choice(key, known, path)


def _given_values(data: Table, tables: Mapping[str, Table], place: str) -> Iterator[object]:
    """The value at a place such as `cut.packer`, if the file has one."""
    table, _, key = place.rpartition(".")
    found = tables[table] if table else data
    if key in found:
        yield _frozen(found[key])


def _resize(base: Recipe, table: Table) -> Recipe:
    given = {k: expect_int(table[k], f"$.budget.{k}") for k in ("target", "limit", "floor") if k in table}
    if "size" in table:
        size = SIZES[expect_choice(table["size"], SIZES, "$.budget.size")]
        if given.keys() & {"target", "limit"}:
            raise ConfigError("expected size, or target and limit, got both", "$.budget.size")
        given |= {"target": size.target, "limit": size.limit}
    return resize(base, given.get("target"), given.get("limit"), given.get("floor"))


def _overlap(recipe: Recipe, table: Table) -> Overlap:
    base = recipe.overlap
    if "level" in table:
        if "tokens" in table:
            raise ConfigError("expected level or tokens, got both", "$.overlap.level")
        base = overlap_level(cast(str, table["level"]), recipe.budget)
    kind = cast(OverlapKind, table.get("kind", base.kind))  # Overlap refuses what is none
    # The tokens of one kind mean nothing to another, unless a level gave them.
    kept = base.tokens if kind == base.kind or "level" in table else 0
    if "tokens" in table and "kind" not in table and kind == "none":
        raise ConfigError('expected a kind beside tokens, such as kind = "blocks", got none', "$.overlap.kind")
    return Overlap(kind, cast(int, table.get("tokens", kept)))


def _read(path: Path) -> str:
    if os.path.isdir(path):
        raise ConfigError(f"{path}: expected a file, got a directory; name the {FILE_NAME} inside it")
    try:
        return read_bytes(path, _MOST_BYTES).decode("utf-8-sig")  # some editors start every file with a BOM
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such file; check the path, or leave it out for the defaults") from None
    except ParseError:
        raise ConfigError(
            f"{path}: expected a file of at most {_MOST_BYTES:,} bytes, got more, or a pipe or device; check the path"
        ) from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{path}: expected UTF-8, got other bytes in line {line}; save it as UTF-8") from error
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL in it
        raise ConfigError(f"{path}: cannot be read ({error}); check the path and its permissions") from error


def _parse(text: str, source: str) -> dict[str, Any]:
    import tomllib  # most runs have no file to read: start-up does not pay for it

    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise ConfigError(f"{source}: expected TOML, got arrays nested too deeply") from error
    except ValueError as error:  # TOMLDecodeError is one; so is an integer of thousands of digits
        raise ConfigError(f"{source}: expected TOML, got {_syntax(str(error), text)}") from error


def _syntax(message: str, text: str) -> str:
    """The parser's message with a line and column, also where it only says that the document ended."""
    line = text.count("\n") + 1
    column = len(text) - text.rfind("\n")
    return message.replace(_END, f"(at line {line}, column {column})")


def _values(recipe: Recipe, table: str) -> Mapping[str, object]:
    if table in _MAPS:
        return cast(Mapping[str, object], getattr(recipe, table))
    if table == "budget":
        return {name: getattr(recipe.budget, name) for name in ("target", "limit", "floor")}
    if table == "overlap":
        return {"kind": recipe.overlap.kind, "tokens": recipe.overlap.tokens}
    if table in SECTIONS:
        return {f.name: getattr(getattr(recipe, table), f.name) for f in fields(SECTIONS[table])}
    places = ((name, place.partition(".")) for name, place in PLACES.items())
    return {key: getattr(recipe, name) for name, (home, _, key) in places if home == table}


def _section(name: str, values: Mapping[str, object]) -> list[str]:
    return ["", f"[{name}]", *_lines(values)] if values else []


def _lines(values: Mapping[str, object]) -> list[str]:
    return [f"{key} = {_literal(value, key)}" for key, value in values.items()]


def _literal(value: object, key: str) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(_literal(part, key) for part in value)}]"
    if not isinstance(value, str):
        return str(value).lower() if isinstance(value, bool) else repr(value)
    if any("\ud800" <= c <= "\udfff" for c in value):
        raise ConfigError(f"expected text that UTF-8 can hold, got {value!a}", f"$.{key}")
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")  # TOML forbids a bare DEL
