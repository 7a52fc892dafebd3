"""Names of parts, and what makes each: ours in tables here, those of other packages by entry points.

A package adds parts by entry points of these groups, each named as users will write it:

| group | names | leads to |
|---|---|---|
| `seamline.formats` | a format | a `Format` |
| `seamline.strategies` | a strategy | a function `(document, recipe, runtime) -> Signal` |
| `seamline.tokenizers` | `NAME` or `NAME:REST` | a function `(name, bias) -> Tokenizer` |
| `seamline.embedders` | `NAME` or `NAME:REST` | a function `(EmbedderRequest) -> Embedder` |
| `seamline.stores` | the scheme of `NAME://REST` | a class or module with `open` and `create`, see `StoreBackend` |
| `seamline.rerankers` | `NAME` or `NAME:REST` | a function `(name) -> Reranker` |

Our own parts go through the same tables. A plugin adds names and never replaces one of ours. Entry points are read when
a name is asked for that is not ours, or when all are listed, so that a start pays nothing for them; and only from where
packages are installed, so that a folder of documents cannot bring any.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from typing import NamedTuple

from seamline.errors import ConfigError, SeamlineError
from seamline.trust.search_path import trusted_entries


class Family(NamedTuple):
    """Parts of one kind."""

    noun: str
    """What messages call one of them."""
    group: str
    """Of entry points."""
    ours: Mapping[str, str]
    """By name, `module:attribute` of what makes it, imported when it is used."""
    is_function: bool = True
    """Whether each leads to a function; else to a value that has its own check."""


class Plugin(NamedTuple):
    """A part that another package brings."""

    family: Family
    name: str
    target: str
    """`module:attribute`."""
    package: str
    """With its version, as in `seamline-tasks 0.1.0`."""

    def __str__(self) -> str:
        return f"the {self.family.noun} {self.name!r} of the package {self.package}"

    @property
    def remedy(self) -> str:
        return f"update the package, or remove it by `pip uninstall {self.package.split()[0]}`"


STRATEGIES = Family(
    "strategy",
    "seamline.strategies",
    {
        "structural": "",
        "semantic": "seamline.cut.scores.strategies:subject",
        "rechunk": "seamline.cut.scores.alike:alike",
        "hierarchical": "",
        "code": "seamline.cut.scores.code:scopes",
        "tabular": "seamline.cut.scores.tables:rows",
        "multimodal": "seamline.cut.scores.strategies:multimodal",
        "propositions": "",
        "auto": "",
    },
)
"""Those that lead nowhere go by structure alone."""
METHODS = Family(
    "method of the semantic strategy",
    "",
    {
        "objective": "seamline.cut.scores.semantic:objective",
        "dip": "seamline.cut.scores.semantic:dip",
        "ensemble": "seamline.cut.scores.ensemble:ensemble",
        "texttiling": "seamline.cut.scores.lexical:texttiling",
        "bayes": "seamline.cut.scores.lexical:bayes",
    },
)
"""Not for plugins: a strategy of their own says more. The last two need no numpy."""
TOKENIZERS = Family(
    "tokenizer",
    "seamline.tokenizers",
    {
        "o200k_base": "seamline.tokens.bpe:make",
        "cl100k_base": "seamline.tokens.bpe:make",
        "estimate": "seamline.tokens.estimate:make",
        ".json": "seamline.tokens.custom:make",
    },
)
EMBEDDERS = Family(
    "embedder",
    "seamline.embedders",
    {
        "seam": "seamline.embed.bundled:make",
        "quality": "seamline.embed.bundled:make",
        "minilm": "seamline.embed.bundled:make",
        "static": "seamline.embed.static:make",
        "hash": "seamline.embed.hashing:make",
        "onnx": "seamline.embed.onnx:make",
        "openai": "seamline.embed.remote:make",
    },
)
STORES = Family(
    "store",
    "seamline.stores",
    {
        "": "seamline.store.sqlite:SqliteStore",
        "lance": "seamline.store.lance:LanceStore",
        "s3": "seamline.store.lance.bucket_store:LanceBucketStore",
        "postgresql": "seamline.store.postgres.store:PostgresStore",
        "postgres": "seamline.store.postgres.store:PostgresStore",
        "memory": "seamline.store.memory:MemoryStore",
    },
    is_function=False,
)
"""By the scheme of an address; a path has none."""
RERANKERS = Family(
    "reranker",
    "seamline.rerankers",
    {"seam": "seamline.pipeline:bundled_reranker", ".onnx": "seamline.search.cross_encoder:CrossEncoder"},
)
FAMILIES = (STRATEGIES, TOKENIZERS, EMBEDDERS, STORES, RERANKERS)
"""Those that plugins add to, and `seamline.formats.FAMILY`, whose parts are values with fields of their own."""


def names(family: Family) -> tuple[str, ...]:
    """All names there are, ours first."""
    return (*family.ours, *dict.fromkeys(plugin.name for plugin in plugins(family) if not conflict(plugin)))


def is_known(family: Family, name: str) -> bool:
    return name in family.ours or plugin_named(family, name) is not None


def find(family: Family, name: str) -> object | None:
    """What a name leads to, of ours or of a plugin; None where nobody has the name, or where it leads nowhere."""
    if name in family.ours:
        return load(family.ours[name]) if family.ours[name] else None
    plugin = plugin_named(family, name)
    return None if plugin is None else load_plugin(plugin)


def load(target: str) -> object:
    """What `module:attribute` names."""
    module, _, attribute = target.partition(":")
    found: object = import_module(module)
    for part in attribute.split("."):
        found = getattr(found, part)
    return found


# --- plugins ---------------------------------------------------------------------------------------------------------


def plugins(family: Family) -> tuple[Plugin, ...]:
    """The parts of this family that installed packages bring, by name."""
    found = [Plugin(family, *entry) for group, *entry in _entry_points() if group == family.group]
    return tuple(sorted(found, key=lambda plugin: (plugin.name, plugin.package)))


def plugin_named(family: Family, name: str) -> Plugin | None:
    """The plugin of a name; None for a name of ours, which no plugin replaces."""
    if name in family.ours:
        return None
    found = [plugin for plugin in plugins(family) if plugin.name == name]
    if len(found) > 1:
        raise ConfigError(f"{conflict(found[0])}: {found[0].remedy}")
    return found[0] if found else None


def conflict(plugin: Plugin) -> str:
    """Which other part has the same name; empty where none has."""
    if plugin.name in plugin.family.ours:
        return f"{plugin} has the name of one of seamline's own, which is used"
    others = [other for other in plugins(plugin.family) if other.name == plugin.name and other != plugin]
    return f"{plugin} has the name of {others[0]}, and neither is used" if others else ""


def load_plugin(plugin: Plugin) -> object:
    """What a plugin brings; a ConfigError names the package where that cannot be had."""
    if said := conflict(plugin):
        raise ConfigError(f"{said}: {plugin.remedy}")
    with blame(plugin):
        found = load(plugin.target)
        if plugin.family.is_function and not callable(found):
            raise TypeError(f"expected a function at {plugin.target}, got {type(found).__name__}")
    return found


@contextmanager
def blame(plugin: Plugin | None) -> Iterator[None]:
    """Whatever the code of a plugin raises is a ConfigError that names its package; None is code of our own."""
    try:
        yield
    except SeamlineError:
        raise
    except Exception as error:
        if plugin is None:
            raise
        raise ConfigError(f"{plugin} failed ({type(error).__name__}: {error}): {plugin.remedy}") from error


@cache
def _entry_points() -> tuple[tuple[str, str, str, str], ...]:
    """Group, name, target and package of every entry point of plugins. Read once: what is installed does not change
    while a program runs."""
    found: dict[tuple[str, str, str], tuple[str, str, str, str]] = {}
    for folder in _plugin_folders():
        from importlib.metadata import Distribution

        distribution = Distribution.at(folder)
        project = distribution.metadata["Name"]
        for entry in distribution.entry_points:
            target = entry.value.partition("[")[0].strip()
            # A package that is there twice counts where Python finds it first.
            found.setdefault(
                (entry.group, entry.name, project),
                (entry.group, entry.name, target, f"{project} {distribution.version}"),
            )
    return tuple(found.values())


def _plugin_folders() -> Iterator[str]:
    """The metadata of installed packages that say something to us. `importlib.metadata` reads that of all packages,
    which takes 70 ms for a hundred of them; this takes 5."""
    for entry in trusted_entries():
        try:
            names = sorted(name for name in os.listdir(entry) if name.endswith((".dist-info", ".egg-info")))
        except OSError:  # a ZIP archive, or not to be read
            continue
        for name in names:
            folder = os.path.join(entry, name)
            with suppress(OSError), open(os.path.join(folder, "entry_points.txt"), "rb") as file:
                if b"[seamline." in file.read():
                    yield folder
