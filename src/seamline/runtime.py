"""The live objects that a recipe names, each made when it is first needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from seamline.errors import ConfigError
from seamline.protocols import Embedder, LanguageModel, Tokenizer


def _no_embedder() -> Embedder:
    raise ConfigError("this strategy needs an embedder, and none was given", "$.cut.signal")


@dataclass(frozen=True)
class Runtime:
    """What cutting needs beyond a document and a recipe."""

    tokenizer: Tokenizer
    make_embedder: Callable[[], Embedder] = _no_embedder
    make_llm: Callable[[], LanguageModel] | None = None
    """None where rules write what is derived."""

    @cached_property
    def embedder(self) -> Embedder:
        """Tells what texts are about."""
        return self.make_embedder()

    @cached_property
    def llm(self) -> LanguageModel | None:
        """Writes texts about chunks."""
        return None if self.make_llm is None else self.make_llm()
