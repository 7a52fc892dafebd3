"""What an embedder is called: `seam`, `quality`, `minilm`, `static`, `hash`, `MODEL.onnx`, `openai:MODEL@URL`."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Literal, NamedTuple

from seamline.errors import ConfigError
from seamline.registry import EMBEDDERS, plugins
from seamline.remote.model_names import remote, settings, whole_number

Kind = Literal["seam", "quality", "minilm", "static", "hash", "onnx", "openai"]

SETTINGS: Mapping[Kind, tuple[str, ...]] = {
    "seam": (),
    "quality": (),
    "minilm": (),
    "static": (),
    "hash": (),
    "onnx": ("tokenizer", "pooling", "window", "query", "passage"),
    "openai": ("dimensions",),
}
"""What can follow a question mark, by kind. All of it changes vectors, so the address says which vectors these are."""

_FORMS = "seam, quality, minilm, static, hash, a path ending in .onnx, or openai:MODEL@URL"
_BUNDLED: Mapping[str, Kind] = {
    "seam": "seam",
    "quality": "quality",
    "minilm": "minilm",
    "static": "static",
    "hash": "hash",
}
_PLACE = "$.embedder"


class EmbedderAddress(NamedTuple):
    """A name, taken apart."""

    kind: Kind
    target: str
    """The path of a model file, or the name of a model behind an endpoint."""
    url: str
    """Of the endpoint."""
    settings: Mapping[str, str]

    def number(self, setting: str) -> int | None:
        """A setting that is a whole number; None where it is not given."""
        return whole_number(self.settings, setting, _PLACE)


def kind_of(name: str) -> str:
    """How an embedder is made: ours by the form of the name, that of a plugin by what stands before its colon."""
    base = name.partition("?")[0]
    if base.lower().endswith(".onnx"):
        return "onnx"
    return "openai" if remote(base, _PLACE) else base.partition(":")[0]


def unknown(name: str) -> ConfigError:
    """Why a name means nothing, and what does."""
    base = name.partition("?")[0]
    more = "".join(f", {plugin.name}" for plugin in plugins(EMBEDDERS))
    return ConfigError(f"unknown embedder {base!r}{_hint(base)}: expected {_FORMS}{more}", _PLACE)


def parse(name: str) -> EmbedderAddress:
    """The parts of the name of one of our embedders."""
    base, _, query = name.partition("?")
    if kind := _BUNDLED.get(base):
        return EmbedderAddress(kind, "", "", _settings(kind, query))
    if base.lower().endswith(".onnx"):
        return EmbedderAddress("onnx", base, "", _settings("onnx", query))
    if found := remote(base, _PLACE):
        return EmbedderAddress("openai", found.model, found.url, _settings("openai", query))
    raise unknown(name)


def _settings(kind: Kind, query: str) -> dict[str, str]:
    return settings(query, SETTINGS[kind], f"a {kind} embedder", _PLACE)


def _hint(name: str) -> str:
    """What was probably meant."""
    plain = name.lower()
    if plain.startswith("text-embedding"):
        meant = f"openai:{name}"
    elif "minilm" in plain:
        meant = "minilm"
    elif plain.startswith(("http:", "https:")):
        meant = f"openai:MODEL@{name}"
    else:
        meant = next(iter(get_close_matches(plain, (*_BUNDLED, "openai:MODEL@URL"), n=1, cutoff=0.5)), "")
    return f" (did you mean {meant}?)" if meant else ""
