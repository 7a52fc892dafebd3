"""The chunks of everyone but Seamline: LangChain's Markdown splitter over the files, the front matter beside them.

LangChain's splitters count characters unless they are given a tokenizer. `CHARACTERS` makes chunks about as large as
Seamline's are on this text. The position in the file is not kept with a chunk: with it, an edit would change every
chunk below.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import yaml
from langchain_text_splitters import MarkdownTextSplitter

CHARACTERS = 1400


class Piece(NamedTuple):
    """One chunk of one file."""

    source: str
    number: int
    fields: dict[str, str]
    """Of the front matter."""
    text: str


def split(docs: Path) -> Iterator[Piece]:
    """The chunks of all files of a folder."""
    splitter = MarkdownTextSplitter(chunk_size=CHARACTERS, chunk_overlap=0)
    for file in sorted(docs.rglob("*.md*")):
        _, front, body = file.read_text(encoding="utf-8").split("---\n", 2)
        fields = {name: str(value) for name, value in yaml.safe_load(front).items()}
        source = file.relative_to(docs).as_posix()
        for number, text in enumerate(splitter.split_text(body)):
            yield Piece(source, number, fields, text)
