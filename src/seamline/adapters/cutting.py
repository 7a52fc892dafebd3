"""Texts and files into chunks, for every adapter that cuts."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from seamline.api import chunk, chunk_files, settle
from seamline.api.sources import MAX_BYTES, expand
from seamline.errors import ConfigError, ParseError, SeamlineError
from seamline.parse import parse_text
from seamline.recipe.presets import preset
from seamline.recipe.recipe import Recipe
from seamline.recipe.toml import from_mapping, to_toml
from seamline.types import Chunk

ErrorHandler = Callable[[SeamlineError], None]
"""What is done about a file that cannot be read; unless it raises, the other files go on."""


def recipe_text(recipe: Recipe | str) -> str:
    """A recipe as the text that a pipeline is kept with: the name of a preset, or a `seamline.toml`."""
    return to_toml(recipe) if isinstance(recipe, Recipe) else recipe


def recipe_of(text: str) -> Recipe | None:
    """The recipe that `recipe_text` wrote; None where there is no text."""
    if "=" not in text:
        return preset(text) if text else None
    try:
        return from_mapping(tomllib.loads(text), "recipe")
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"expected the name of a preset or TOML: {error}") from error


def cut_text(
    text: str, *, id: str | None = None, recipe: Recipe | str | None = None, media_type: str | None = None
) -> list[Chunk]:
    """The chunks of a text, which is Markdown unless `media_type` says otherwise, of a document that is called `id`."""
    settled = settle(recipe)
    return chunk(parse_text(text, id=id, media_type=media_type, reading=settled.reading), recipe=settled)


def cut_files(
    paths: Iterable[str | Path],
    *,
    recipe: Recipe | str | None = None,
    max_bytes: int | None = MAX_BYTES,
    on_error: ErrorHandler | None = None,
) -> Iterator[Chunk]:
    """The chunks of files and of the files in folders, as they come. A file that fails is raised, or handed to
    `on_error` if that is given."""
    found = expand([str(path) for path in paths])
    for message in found.failures:
        _report(ParseError(message), on_error)
    files = (file.path for file in found.files if file is not None)
    for one in chunk_files(files, recipe=recipe, max_bytes=max_bytes):
        if one.error is not None:
            _report(one.error, on_error)
        yield from one.chunks


def _report(error: SeamlineError, on_error: ErrorHandler | None) -> None:
    if on_error is None:
        raise error
    on_error(error)


class DocumentNames:
    """Ids of a caller's documents, one each: ids of chunks derive from them. A second document of a name, such as the
    next page of a file, gets a number."""

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}

    def name(self, wanted: str) -> str | None:
        """The id for a document that its caller calls `wanted`; None where it has no name: its text gives one."""
        if not wanted:
            return None
        count = self._seen[wanted] = self._seen.get(wanted, 0) + 1
        return wanted if count == 1 else f"{wanted}#{count}"
