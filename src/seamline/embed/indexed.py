"""The embedder of an index that exists. A service is not asked anything, and a model file not opened, before it may."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from seamline.embed import load
from seamline.errors import TrustError
from seamline.protocols import Embedder

if TYPE_CHECKING:
    from seamline.records import Settings, Vector
    from seamline.trust.access import Access


class RefusedEmbedder:
    """In place of an embedder that is not allowed: what needs no vectors works, and the rest says why it does not."""

    def __init__(self, settings: Settings, reason: str) -> None:
        self.name = settings.embedder
        self.dimensions = settings.dimensions
        self.fingerprint = settings.embedding
        self._reason = reason

    def embed(self, texts: Sequence[str]) -> Vector:
        raise TrustError(self._reason)


def embedder_of(settings: Settings, access: Access) -> Embedder:
    """The embedder that an index was made with."""
    name = settings.embedder
    if name in access.refused:
        return RefusedEmbedder(settings, access.refused[name])
    return load(name, key=access.key(name), expected=settings.dimensions)
