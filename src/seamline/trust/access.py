"""What files that were found may lead to: services that get texts, files that are opened, folders of other users.

A recipe, an index or a model that the caller names is the caller's word. A `seamline.toml` that was found, and the
settings of an index, are somebody's: they may name a service or a model file only where the user trusts it for that
folder (`seamline trust FOLDER TARGET`), and they count only where they belong to the user.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from seamline.errors import ConfigError, TrustError
from seamline.registry import EMBEDDERS, TOKENIZERS, plugins
from seamline.remote.model_names import remote, service_address
from seamline.trust.keys import Keys, host_of
from seamline.trust.records import OWNER, TrustRecord, add_record, records_of, trust_folder
from seamline.trust.user_config import own_users, user_name

if TYPE_CHECKING:
    from seamline.recipe.recipe import Recipe

_ONNX = ".onnx"
_ROOT = 0
"""The user who can change every file anyway: its files are used as the user's own."""


@dataclass(frozen=True, slots=True)
class Trust:
    """What a caller allows for one call, beyond what `seamline trust` has recorded."""

    services: tuple[str, ...] = ()
    """Addresses of services, as in `https://host/v1`."""
    files: tuple[str, ...] = ()
    """Paths of model files and tokenizers."""
    owner: bool = False
    """Whether files of another user are used."""
    models: tuple[str, ...] = ()
    """Names of embedders and tokenizers of plugins."""

    def covers(self, target: str) -> bool:
        """Whether it allows the address of a service or the real path of a file."""
        if _is_url(target):
            return any(covers(service_url(service), target) for service in self.services)
        return target in self.models or target in [os.path.realpath(file) for file in self.files]


class ModelTargets(NamedTuple):
    """What a name of a model leads to."""

    services: tuple[str, ...]
    models: tuple[str, ...]
    """Real paths of files that are run."""
    data: tuple[str, ...]
    """Real paths of files that are only read."""
    plugins: tuple[str, ...] = ()
    """Names that a plugin makes something of: what it asks or opens then is not known."""


class FoundModels(NamedTuple):
    """Names that stand in files which were found."""

    folder: str
    """That trust is kept for."""
    source: str
    """Which file names them, for messages."""
    names: tuple[str, ...]
    """Of models and tokenizers, the one that a key goes to first."""
    remark: str = ""
    """What else can be done, for messages."""


class Target(NamedTuple):
    """A service or a file that files of a folder name."""

    folder: str
    target: str
    trusted: bool
    key: bool
    """Whether SEAMLINE_API_KEY goes there as well."""

    @property
    def remedy(self) -> str:
        """The command that trusts it; empty where it is trusted."""
        return "" if self.trusted else command(self.folder, self.target)


@dataclass(frozen=True, slots=True)
class Access:
    """Which models may be loaded, and with which keys."""

    keys: Mapping[str, str] = field(default_factory=dict, repr=False)
    """By host."""
    refused: Mapping[str, str] = field(default_factory=dict)
    """By name of a model: why it is not loaded."""

    def __hash__(self) -> int:
        return hash((frozenset(self.keys.items()), frozenset(self.refused.items())))

    def require(self, *names: str) -> None:
        """Refuse names that are not allowed."""
        for name in names:
            if name in self.refused:
                raise TrustError(self.refused[name])

    def key(self, name: str) -> str:
        """The key for a model that is allowed; empty where it has none, or is no service."""
        self.require(name)
        return next((self.keys.get(host_of(url), "") for url in targets_of_model(name).services), "")


def models_of(recipe: Recipe, embedder: str = "") -> tuple[str, ...]:
    """The names of all that an index or a recipe loads, in the order in which a key is given to services."""
    return tuple(name for name in (embedder, recipe.llm, recipe.signal, recipe.tokenizer) if name)


def access_of_caller(names: Iterable[str], key: str) -> Access:
    """Of models that the caller names: all allowed, and the key goes to the host of the first service."""
    urls = [url for name in names for url in targets_of_model(name).services]
    return Access({host_of(urls[0]): key} if key and urls else {})


def trust_in(names: Iterable[str], services: Iterable[str] = ()) -> Trust:
    """What a user who names these models allows, and services besides."""
    leads = [targets_of_model(name) for name in names]
    urls = [url for one in leads for url in one.services]
    files = tuple(file for one in leads for file in (*one.models, *one.data))
    return Trust((*urls, *services), files, models=tuple(name for one in leads for name in one.plugins))


def services_with_key(names: Iterable[str], folder: str) -> tuple[str, ...]:
    """The services among the names that SEAMLINE_API_KEY goes to, as was said for this folder."""
    records = [record for record in records_of(folder) if record.key]
    urls = (url for name in names for url in targets_of_model(name).services)
    return tuple(url for url in urls if any(covers(record.target, url) for record in records))


def remember(place: str, names: Iterable[str], trust: Trust, *, all_of_them: bool = False) -> None:
    """Record what of the names of an index the user named in this call, or all of them, where the user has just made
    it of them: so that the next call needs no more."""
    folder = trust_folder(place)
    known = records_of(folder)
    for target in dict.fromkeys(target for name in names for target in needs(name, folder)):
        named_now = trust.covers(target)
        key = named_now and _is_url(target)
        if any(covers(record.target, target) and record.key >= key for record in known):
            continue
        if named_now or all_of_them:
            add_record(TrustRecord(folder, target, key))


def targets_of(place: str | os.PathLike[str], names: Iterable[str]) -> list[Target]:
    """How the user stands to all that files at a place name."""
    folder = trust_folder(place)
    records = records_of(folder)
    found = dict.fromkeys(target for name in names for target in needs(name, folder))
    covering = {target: [record for record in records if covers(record.target, target)] for target in found}
    return [Target(folder, target, bool(by), any(record.key for record in by)) for target, by in covering.items()]


def needs(name: str, folder: str) -> tuple[str, ...]:
    """What files of a folder may name only where it is trusted: services, model files wherever they are, as whoever
    makes one decides what the engine computes, tokenizers outside of the folder, and models of plugins."""
    leads = targets_of_model(name)
    outside = (file for file in leads.data if not is_inside(file, folder))
    return (*leads.services, *leads.models, *outside, *leads.plugins)


def admit(found: FoundModels, trust: Trust, keys: Keys, own: Sequence[str] = ()) -> Access:
    """What of the names that were found may be loaded. `own` are names that the caller gives, too, which are allowed
    without more."""
    records = records_of(found.folder)
    refused = {
        name: refusal for name in found.names if name not in own and (refusal := _refusal(name, found, trust, records))
    }
    allowed = [name for name in dict.fromkeys((*own, *found.names)) if name not in refused]
    urls = [url for name in allowed for url in targets_of_model(name).services]
    entitled = [url for url in urls if trust.covers(url) or any(r.key and covers(r.target, url) for r in records)]
    return Access(_keys(urls, entitled, keys), refused)


def _keys(urls: Sequence[str], entitled: Sequence[str], keys: Keys) -> dict[str, str]:
    """By host. A key without a host goes to one only: two services must not learn each other's key."""
    found = {host_of(url): keys.of_host(url) for url in urls}
    if entitled and not found[host_of(entitled[0])]:
        found[host_of(entitled[0])] = keys.plain
    if urls and keys.given:
        found[host_of(urls[0])] = keys.given
    return {host: key for host, key in found.items() if key}


def _refusal(name: str, found: FoundModels, trust: Trust, records: Sequence[TrustRecord]) -> str:
    """Why a name may not be loaded; empty where it may."""
    for target in needs(name, found.folder):
        if trust.covers(target) or any(covers(record.target, target) for record in records):
            continue
        kind, kept = ("service", "nothing was sent") if _is_url(target) else ("file", "it was not opened")
        if target in targets_of_model(name).plugins:
            kind, kept = "model of a plugin", "it was not loaded"
        return (
            f"expected a {kind} that you named or trust, got {target} from {found.source}: {kept}. "
            f"To allow it for this folder, run `{command(found.folder, target)}`{found.remark}"
        )
    return ""


def command(folder: str, *arguments: str) -> str:
    """The command that trusts, safe to paste into a shell."""
    return shlex.join(["seamline", "trust", folder, *arguments])


def targets_of_model(name: str) -> ModelTargets:
    """What a name of an embedder, a language model or a tokenizer leads to. Bundled ones lead nowhere."""
    plain, _, query = name.partition("?")
    service = remote(plain, "")
    services = (service_url(service.url),) if service else ()
    if plain.lower().endswith(_ONNX):
        tokenizer = dict(parse_qsl(query)).get("tokenizer") or str(Path(plain).with_name("tokenizer.json"))
        model, beside = _real(plain), _real(tokenizer)
        # A tokenizer in the folder of its model is trusted together with it.
        return ModelTargets(services, (model,), () if is_inside(beside, os.path.dirname(model)) else (beside,))
    if services or plain.endswith(".json"):
        return ModelTargets(services, (), () if services else (_real(plain),))
    return ModelTargets((), (), (), (name,) if is_plugin_model(plain) else ())


def is_plugin_model(name: str) -> bool:
    """Whether a plugin makes an embedder or a tokenizer of a name."""
    kind = name.partition(":")[0]
    if not kind or kind in EMBEDDERS.ours or kind in TOKENIZERS.ours:
        return False
    return any(plugin.name == kind for family in (EMBEDDERS, TOKENIZERS) for plugin in plugins(family))


def _real(path: str) -> str:
    if "\0" in path:
        raise ConfigError(f"expected the path of a file, got {path!r}, which holds a NUL")
    return os.path.realpath(path)


def service_url(url: str) -> str:
    """The address of a service in the one form that trust compares: without a usual port, with the path."""
    parts = service_address(url, "")
    host = host_of(url)
    shown = f"[{host}]" if host.count(":") > 1 and not host.startswith("[") else host
    return f"{parts.scheme}://{shown}{parts.path}"


def covers(trusted: str, target: str) -> bool:
    """Whether trust in one target is trust in another: the same, or a path below that of the same service."""
    if trusted == target:
        return True
    if not (_is_url(trusted) and _is_url(target)):
        return False
    steps = unquote(urlsplit(target).path).replace("\\", "/").split("/")
    return target.startswith(f"{trusted}/") and not {".", ".."} & set(steps)


def is_inside(path: str, folder: str) -> bool:
    """Whether a real path is in a real folder."""
    try:
        return os.path.commonpath((path, folder)) == folder
    except ValueError:  # another drive of Windows, or the address of a database
        return False


def _is_url(target: str) -> bool:
    return target.startswith(("http://", "https://"))


# --- owners ----------------------------------------------------------------------------------------------------------


def check_owner(place: Path, trust: Trust | None = None) -> None:
    """Refuse a file or a folder that was found where it, the folder of the file, or what stands in the folder belongs
    to another user: whoever owns it decides what it says. What is not there belongs to nobody."""
    users = own_users()
    if not users or (trust is not None and trust.owner):
        return
    if not os.path.lexists(place):
        return
    folder = trust_folder(place if os.path.isdir(place) else place.parent)
    for path, number in _owners(place):
        if number not in users | {_ROOT} and not any(record.target == OWNER for record in records_of(folder)):
            raise TrustError(
                f"expected files of your own, got {path}, which belongs to user {user_name(number)}: it was not used. "
                f"If you trust that user with this folder, run `{command(folder, '--owner')}`"
            )


def _owners(place: Path) -> Iterator[tuple[str, int]]:
    """Paths and the numbers of their owners; of a link, both its own and that of what it leads to."""
    yield from _owners_of(os.fspath(place))
    try:
        names = sorted(os.listdir(place))
    except NotADirectoryError:
        yield from _owners_of(os.fspath(place.parent))
        return
    except OSError:  # not to be read by this user, and so not used
        return
    for name in names:
        yield from _owners_of(os.path.join(place, name))


def _owners_of(path: str) -> Iterator[tuple[str, int]]:
    with suppress(OSError):  # gone, or a link that leads nowhere: nothing there is used
        yield path, os.lstat(path).st_uid
        yield path, os.stat(path).st_uid
