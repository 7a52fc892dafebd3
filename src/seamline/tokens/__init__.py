"""Token counts: exact for known vocabularies, any tokenizer.json or any callable; or a fast estimate."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from typing import cast

from seamline import registry
from seamline.errors import ConfigError
from seamline.protocols import Tokenizer

TokenizerLike = str | Tokenizer | Callable[[str], int]
"""A name, the path of a tokenizer.json, a Tokenizer, or a function from text to a count."""


def load(tokenizer: TokenizerLike, bias: str = "balanced") -> Tokenizer:
    """The tokenizer that a recipe or a caller names."""
    if isinstance(tokenizer, str):
        if (tokenizer, bias) not in _LOADED:
            _LOADED[tokenizer, bias] = _make(tokenizer, bias)
        return _LOADED[tokenizer, bias]
    if isinstance(tokenizer, Tokenizer):
        return tokenizer
    if callable(tokenizer):
        from seamline.tokens.custom import FunctionTokenizer

        return FunctionTokenizer(tokenizer)
    raise ConfigError(
        f"expected a tokenizer name, a tokenizer.json path or a callable, got {tokenizer!r}", "$.tokenizer"
    )


_LOADED: dict[tuple[str, str], Tokenizer] = {}
"""Tokenizers by name and bias, each made once in a process: they hold no state, and reading a vocabulary takes longer
than cutting a long document."""

MakeTokenizer = Callable[[str, str], Tokenizer]
"""From the name of a tokenizer and the bias of the recipe, which is for estimates."""
_JSON = ".json"


def _make(name: str, bias: str) -> Tokenizer:
    kind = _JSON if name.endswith(_JSON) else name.partition(":")[0]
    make = cast(MakeTokenizer | None, registry.find(registry.TOKENIZERS, kind))
    if make is not None:
        with registry.blame(registry.plugin_named(registry.TOKENIZERS, kind)):
            return make(name, bias)
    known = [known for known in registry.names(registry.TOKENIZERS) if known != _JSON]
    meant = _model_vocabulary(name) or next(iter(get_close_matches(name, known, n=1, cutoff=0.4)), "")
    hint = f" (did you mean {meant}?)" if meant else ""
    raise ConfigError(
        f"unknown tokenizer {name!r}{hint}: expected {', '.join(known)} or the path of a tokenizer.json",
        "$.tokenizer",
    )


def _model_vocabulary(name: str) -> str:
    """The vocabulary of a model that is named instead of it."""
    plain = name.lower().replace("-", "").replace("_", "")
    if plain.startswith(("gpt4o", "gpt41", "gpt5", "o1", "o3", "o4", "chatgpt")):
        return "o200k_base"
    if plain.startswith(("gpt4", "gpt35", "gpt3.5", "textembedding", "cl100k")):
        return "cl100k_base"
    return ""
