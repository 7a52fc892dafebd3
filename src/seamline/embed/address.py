"""What an embedder is called: `minilm`, `static`, `hash`, `path/model.onnx?pooling=cls`, `openai:MODEL@URL`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Literal, NamedTuple
from urllib.parse import parse_qsl

from seamline.errors import ConfigError

Kind = Literal["minilm", "static", "hash", "onnx", "openai"]

OPENAI = "https://api.openai.com/v1"
SETTINGS: Mapping[Kind, tuple[str, ...]] = {
    "minilm": (),
    "static": (),
    "hash": (),
    "onnx": ("tokenizer", "pooling", "window", "query", "passage"),
    "openai": ("dimensions",),
}
"""What can follow a question mark, by kind. All of it changes vectors, so the address says which vectors these are."""

_FORMS = "minilm, static, hash, a path ending in .onnx, or openai:MODEL@URL"
_BUNDLED: Mapping[str, Kind] = {"minilm": "minilm", "static": "static", "hash": "hash"}
_REMOTE = re.compile(r"openai:(?P<model>.+?)(?:@(?P<url>https?://.*))?", re.IGNORECASE)
_PLACE = "$.embedder"


class Address(NamedTuple):
    """A name, taken apart."""

    kind: Kind
    target: str
    """The path of a model file, or the name of a model behind an endpoint."""
    url: str
    """Of the endpoint."""
    settings: Mapping[str, str]

    def number(self, setting: str) -> int | None:
        """A setting that is a whole number; None where it is not given."""
        value = self.settings.get(setting)
        if value is None:
            return None
        if not (value.isascii() and value.isdigit() and len(value) < 10):
            raise ConfigError(f"expected {setting} to be a whole number, got {value!r}", _PLACE)
        return int(value)


def parse(name: str) -> Address:
    """The parts of an embedder's name."""
    base, _, query = name.partition("?")
    if kind := _BUNDLED.get(base):
        return Address(kind, "", "", _settings(kind, query))
    if base.lower().endswith(".onnx"):
        return Address("onnx", base, "", _settings("onnx", query))
    if remote := _REMOTE.fullmatch(base):
        # A slip in an address must not send texts to the default one. Some models' names start with an at sign.
        if "@" in remote["model"][1:]:
            raise ConfigError("expected openai:MODEL@URL with a URL that starts with https:// or http://", _PLACE)
        return Address("openai", remote["model"], remote["url"] or OPENAI, _settings("openai", query))
    raise ConfigError(f"unknown embedder {base!r}{_hint(base)}: expected {_FORMS}", _PLACE)


def _settings(kind: Kind, query: str) -> dict[str, str]:
    known = SETTINGS[kind]
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query), errors="strict")
    except ValueError:
        raise ConfigError("expected setting=value&setting=value after the question mark", _PLACE) from None
    found: dict[str, str] = {}
    for setting, value in pairs:
        if setting not in known:
            near = get_close_matches(setting, known, n=1)
            hint = f" (did you mean {near[0]}?)" if near else ""
            offer = f"expected {', '.join(known)}" if known else "it has none"
            raise ConfigError(f"unknown setting {setting!r} of a {kind} embedder{hint}: {offer}", _PLACE)
        if setting in found:
            raise ConfigError(f"the setting {setting} is given twice", _PLACE)
        found[setting] = value
    return found


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
