"""Counts by a Hugging Face tokenizer.json, or by any function."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from seamline.errors import ConfigError, MissingExtra, report_panics


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


def make(name: str, bias: str) -> JsonTokenizer:
    """The tokenizer of a file; exact counts have no bias."""
    return JsonTokenizer(Path(name))


class JsonTokenizer:
    """A tokenizer.json; truncation and padding are switched off, special tokens are neither added nor read."""

    additive = False

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self._tokenizer = read_json(path, "$.tokenizer")

    def count(self, text: str) -> int:
        with report_panics("tokenizers"):
            return len(self._tokenizer.encode(text, add_special_tokens=False).ids)


def read_json(path: Path, where: str) -> Any:
    """The `tokenizers.Tokenizer` that a tokenizer.json describes, without truncation, padding and special tokens read
    from text. `where` names the setting in errors."""
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise MissingExtra("the reader of tokenizer.json files", "pip install 'seamline[hf]'") from None
    if not path.is_file():
        raise ConfigError(f"no such tokenizer file: {path}", where)
    try:
        with report_panics("tokenizers"):
            tokenizer = Tokenizer.from_str(path.read_text("utf-8"))
    except Exception as error:
        raise ConfigError(f"{path} is not a tokenizer.json: {error}", where) from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True
    return tokenizer
