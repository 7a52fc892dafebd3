"""Whether what an index needs works: its packages, the bundled model, the rules for words, and the index itself."""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from seamline.cli.place import existing, opened
from seamline.cli.style import plural
from seamline.extras import INDEX, LANCE, POSTGRES, installed
from seamline.records import Problem

if TYPE_CHECKING:
    from seamline.trust import Target

PACKAGES = {
    "apsw": (INDEX, "keeps an index in a folder"),
    "onnxruntime": (INDEX, "runs embedding models"),
    "numpy": (INDEX, "every index needs it"),
    "psycopg": (POSTGRES, "keeps an index in PostgreSQL"),
    "lancedb": (LANCE, "keeps an index in a LanceDB folder"),
}
"""Packages that only an index needs: the command that installs each, and what it is for."""

KNOWN_TEXTS = ("The retry fails after the server answered 429 five times.", "Another attempt was refused.")
KNOWN_COSINE = 0.368
"""Of the two texts by the bundled model."""
_CLOSE = 0.03
"""Processors round differently; another model is 0.1 and more away."""

KNOWN_WORDS = {"Retries after 429s": ("retry", "after", "429s"), "東京都": ("東京", "京都")}
"""What BM25 finds texts by."""


def model() -> str:
    """The bundled model, by its checksums and a known pair of texts."""
    from seamline.embed.minilm import minilm

    one, other = minilm().embed(KNOWN_TEXTS)
    cosine = float(one @ other)
    if abs(cosine - KNOWN_COSINE) > _CLOSE:
        raise ValueError(f"cosine of two known texts: expected {KNOWN_COSINE} +- {_CLOSE}, got {cosine:.3f}")
    return "whole, and sees known texts as near as it should"


def model_can_run() -> bool:
    return all(find_spec(name) is not None for name in ("numpy", "onnxruntime", "tokenizers"))


def analyzer() -> str:
    """The rules that make words of text."""
    from seamline.words import ANALYZER, words

    for text, expected in KNOWN_WORDS.items():
        if (got := tuple(words(text))) != expected:
            raise ValueError(f"words of {text!r}: expected {expected}, got {got}")
    return f"finds known words, rules {ANALYZER}"


def look(args: argparse.Namespace) -> tuple[str, list[Target]]:
    """What an index holds, the nearest where none is named, and which services and files it names; raises where it
    cannot be opened. None of them is asked or opened."""
    with installed():
        from seamline.index import FOLDER, find_index
    from seamline.trust import models_of, targets_of

    found = find_index(Path.cwd())
    if args.index is None and found is None:
        return f"no {FOLDER} from here upward; `seamline index PATH` makes one", []
    with opened(args, existing(args.index)) as index:
        heads = index.documents()
        held = f"{plural(len(heads), 'document')}, {plural(sum(head.chunks for head in heads), 'chunk')}"
        return f"{index.url}: {held}", targets_of(index.url, models_of(index.recipe, index.settings.embedder))


def verify(args: argparse.Namespace) -> list[Problem]:
    """What is not as it was written, in all of an index."""
    with opened(args, existing(args.index)) as index:
        return list(index.verify())
