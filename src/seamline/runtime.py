"""The live objects that a recipe names, each made when it is first needed; and a pause of the garbage collector."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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


@contextmanager
def gc_paused() -> Iterator[None]:
    """Collect nothing meanwhile. All that a parse or a cut makes stays, and looking through it again and again made the
    time of 140,000 chunks grow 2.5 times with every doubling."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
