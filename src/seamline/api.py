"""The public functions: parse, chunk, and a batch form. All thin."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from seamline import parse as _parse
from seamline.errors import ConfigError
from seamline.pipeline import chunk_document, parts
from seamline.presets import preset
from seamline.recipe import Overlap, Recipe, resize
from seamline.tokens import TokenizerLike
from seamline.types import Chunk, Document

SourceLike = str | Path | Document

_DEFAULT = Recipe()


def read(
    source: str | Path,
    *,
    id: str | None = None,
    media_type: str | None = None,
    encoding: str | None = None,
    recipe: Recipe | None = None,
) -> Document:
    """A document from text or from the path of a file.

    A `str` is text, unless it is one line that names an existing file; a `Path` is always a file.
    """
    mode = (recipe or _DEFAULT).front_matter
    if isinstance(source, Path) or _names_file(source):
        document = _parse.parse_file(Path(source), media_type=media_type, encoding=encoding, front_matter=mode)
        return replace(document, id=id) if id else document
    return _parse.parse_text(source, id=id, media_type=media_type, front_matter=mode)


def chunk(
    source: SourceLike,
    *,
    recipe: Recipe | str | None = None,
    strategy: str | None = None,
    tokenizer: TokenizerLike | None = None,
    target: int | None = None,
    limit: int | None = None,
    floor: int | None = None,
    overlap: int | str | Overlap | None = None,
    media_type: str | None = None,
) -> list[Chunk]:
    """Cut text, a file or a document into chunks.

    `recipe` is a Recipe or the name of a preset; the other options override it. A limit alone scales the target.
    `overlap` is a number of tokens, the name of a kind, or an Overlap.
    """
    settled = settle(
        recipe,
        strategy=strategy,
        tokenizer=tokenizer if isinstance(tokenizer, str) else None,
        target=target,
        limit=limit,
        floor=floor,
        overlap=overlap,
    )
    document = source if isinstance(source, Document) else read(source, media_type=media_type, recipe=settled)
    return chunk_document(document, settled, tokenizer)


def settle(
    recipe: Recipe | str | None = None,
    *,
    strategy: str | None = None,
    tokenizer: str | None = None,
    target: int | None = None,
    limit: int | None = None,
    floor: int | None = None,
    overlap: int | str | Overlap | None = None,
) -> Recipe:
    """The recipe that a base and its overrides make together."""
    base = preset(recipe) if isinstance(recipe, str) else recipe or _DEFAULT
    if strategy is not None and strategy != "structural":
        raise ConfigError(f"expected structural, got {strategy!r}", "$.cut.strategy")
    if tokenizer is not None:
        base = replace(base, tokenizer=tokenizer)
    if target is not None or limit is not None or floor is not None:
        base = resize(base, target, limit, floor)
    if overlap is not None:
        base = replace(base, overlap=_overlap(overlap))
    return base


def chunk_files(
    paths: Iterable[Path], *, recipe: Recipe | str | None = None, encoding: str | None = None
) -> Iterator[list[Chunk]]:
    """Cut many files, one list of chunks each, as they come."""
    settled = settle(recipe)
    tokenizer = parts(settled)
    for path in paths:
        document = _parse.parse_file(path, encoding=encoding, front_matter=settled.front_matter)
        yield chunk_document(document, settled, tokenizer)


def _overlap(overlap: int | str | Overlap) -> Overlap:
    if isinstance(overlap, Overlap):
        return overlap
    if isinstance(overlap, str):
        return Overlap(kind=overlap)  # type: ignore[arg-type]  # checked by Overlap itself
    return Overlap("tokens", overlap) if overlap else Overlap()


def _names_file(source: str) -> bool:
    """Whether a string is the path of a file rather than a text."""
    if len(source) > 1024 or "\n" in source or Path(source).suffix.lower() not in _parse.SUFFIXES:
        return False
    try:
        return Path(source).is_file()
    except (OSError, ValueError):
        return False
