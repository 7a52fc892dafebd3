"""The live objects that a recipe names, each made when it is first needed; and a pause of the garbage collector."""

from __future__ import annotations

import gc
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


class _GcPause:
    __slots__ = ("_was_enabled",)

    def __enter__(self) -> None:
        self._was_enabled = gc.isenabled()
        gc.disable()

    def __exit__(self, *_: object) -> None:
        if self._was_enabled:
            gc.enable()


def gc_paused() -> _GcPause:
    """Collect nothing meanwhile. All that a parse or a cut makes stays, and looking through it again and again made the
    time of 140,000 chunks grow 2.5 times with every doubling."""
    return _GcPause()
