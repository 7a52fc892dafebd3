"""Who is measured: seamline, the single passes its bars are made of, and the peers."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

from benchmarks import engine
from benchmarks.common import LIMIT
from benchmarks.peers import PEERS, o200k

SEAMLINE = "seamline"
ESTIMATE = "seamline estimate"
SPLINTR = "one splintr pass"
TIKTOKEN = "one tiktoken pass"
BLOCKS = "one block parse"

Work = Callable[[str], object]
"""What is timed: called once per document."""


class Contestant(NamedTuple):
    name: str
    package: str
    """Name on PyPI, to show its version."""
    load: Callable[[Path], Work]
    """From the rank file to the work; imports and vocabularies are loaded here."""

    @property
    def version(self) -> str | None:
        if self.package == "seamline":
            return "this" if engine.installed() else None
        try:
            return version(self.package)
        except PackageNotFoundError:
            return None


def _splintr(_: Path) -> Work:
    import splintr

    return splintr.Tokenizer.from_pretrained("o200k_base").encode_ordinary  # type: ignore[no-any-return, unused-ignore]


def _tiktoken(rank_file: Path) -> Work:
    return o200k(rank_file).encode_ordinary  # type: ignore[no-any-return, unused-ignore]


def _gigatoken(rank_file: Path) -> Work:
    import gigatoken

    return gigatoken.Tokenizer.from_tiktoken(rank_file).encode  # type: ignore[no-any-return]


def _peer(name: str) -> Callable[[Path], Work]:
    return lambda rank_file: PEERS[name].texts(LIMIT, rank_file)


CONTESTANTS = {
    c.name: c
    for c in (
        Contestant(SEAMLINE, "seamline", lambda _: engine.texts("o200k_base")),
        Contestant(ESTIMATE, "seamline", lambda _: engine.texts("estimate")),
        Contestant(SPLINTR, "splintr-rs", _splintr),
        Contestant(BLOCKS, "seamline", lambda _: engine.block_parse()),
        Contestant(TIKTOKEN, "tiktoken", _tiktoken),
        Contestant("one gigatoken pass", "gigatoken", _gigatoken),
        *(Contestant(peer.name, peer.package, _peer(peer.name)) for peer in PEERS.values()),
    )
}
