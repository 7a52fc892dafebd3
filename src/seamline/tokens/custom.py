"""Counts by a Hugging Face tokenizer.json, or by any function."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from seamline.errors import ConfigError, MissingExtra


class FunctionTokenizer:
    """A function from text to a count."""

    additive = False

    def __init__(self, function: Callable[[str], int]) -> None:
        self.name = getattr(function, "__qualname__", type(function).__qualname__)
        self._function = function

    def count(self, text: str) -> int:
        tokens = self._function(text)
        if not isinstance(tokens, int) or tokens < 0:
            raise ConfigError(
                f"expected the tokenizer function {self.name} to return a count, got {tokens!r}",
                "$.tokenizer",
            )
        return tokens


class JsonTokenizer:
    """A tokenizer.json; truncation and padding are switched off, special tokens are neither added nor read."""

    additive = False

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        try:
            from tokenizers import Tokenizer
        except ImportError:
            raise MissingExtra("the reader of tokenizer.json files", "pip install 'seamline[hf]'") from None
        if not path.is_file():
            raise ConfigError(f"no such tokenizer file: {path}", "$.tokenizer")
        try:
            self._tokenizer = Tokenizer.from_str(path.read_text("utf-8"))
        except Exception as error:
            raise ConfigError(f"{path} is not a tokenizer.json: {error}", "$.tokenizer") from error
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._tokenizer.encode_special_tokens = True

    def count(self, text: str) -> int:
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)
