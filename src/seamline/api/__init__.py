"""What programs and the command line call, and nothing else of the engine: thin functions and plain re-exports.

Here: read, chunk, derive. Beside it: `batch` for many documents, `index` and `search`, `sources`, `recipes`, `audit`,
`trust`, and `checks` of the installation. Importing this loads little; each function loads what it needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from seamline.api.inputs import Readable, charset_of, content_of, sniff_text
from seamline.errors import SeamlineError
from seamline.files import MAX_BYTES, out_of_memory
from seamline.recipe.presets import preset
from seamline.recipe.recipe import Overlap, ParseOptions, Recipe, resize
from seamline.runtime import gc_paused
from seamline.store import is_address
from seamline.types import Chunk, Document

if TYPE_CHECKING:
    from datetime import datetime

    import pyarrow as pa

    from seamline.facts import Derived
    from seamline.protocols import Embedder, LanguageModel
    from seamline.tokens import TokenizerLike

__all__ = [
    "ChunkedFiles",
    "FileChunks",
    "Readable",
    "SourceLike",
    "chunk",
    "chunk_files",
    "clock",
    "derive",
    "is_address",
    "read",
    "settle",
]

SourceLike = Readable | Document

_DEFAULT = Recipe()


def read(
    source: Readable,
    *,
    id: str | None = None,
    media_type: str | None = None,
    filename: str | None = None,
    encoding: str | None = None,
    recipe: Recipe | None = None,
    max_bytes: int | None = MAX_BYTES,
) -> Document:
    """A document from text, bytes, the path of a file or an open file.

    A `str` is text, unless it is one line that names an existing file; a `Path` is always a file. A single word
    with a known suffix (`notes.md`) that names no file is refused rather than cut as text. The format is what
    `media_type` says, else what the content and the name look like; `filename` is the name of text and bytes, and of
    files that have another. More than `max_bytes` are refused; 0 or None is no limit.
    """
    from seamline import parse

    reading = recipe.reading if recipe else ParseOptions()
    encoding = encoding or charset_of(media_type)
    found = content_of(source, filename, max_bytes)
    if isinstance(found, Path):
        document = parse.parse_file(
            found, media_type=media_type, encoding=encoding, reading=reading, max_bytes=max_bytes
        )
    elif isinstance(found.content, str):
        media_type = media_type or sniff_text(found.content, found.name)
        return parse.parse_text(found.content, id=id, uri=found.name, media_type=media_type, reading=reading)
    else:
        document = parse.parse_bytes(
            found.content, uri=found.name, media_type=media_type, encoding=encoding, reading=reading
        )
    return replace(document, id=id) if id else document


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
    filename: str | None = None,
    max_bytes: int | None = MAX_BYTES,
) -> list[Chunk]:
    """Cut text, bytes, a file or a document into chunks.

    `recipe` is a Recipe or the name of a preset; the other options override it. A limit alone scales the target.
    `overlap` is a number of tokens, the name of a kind, or an Overlap. `media_type`, `filename` and
    `max_bytes` are those of `read`.
    """
    from seamline.pipeline import chunk_document, make_runtime

    settled = settle(
        recipe,
        strategy=strategy,
        tokenizer=tokenizer if isinstance(tokenizer, str) else None,
        target=target,
        limit=limit,
        floor=floor,
        overlap=overlap,
    )
    with gc_paused():  # once for parsing and cutting: the end of each pause looks at all that was made
        if isinstance(source, Document):
            document = source
        else:
            document = read(source, media_type=media_type, filename=filename, recipe=settled, max_bytes=max_bytes)
        return chunk_document(document, settled, make_runtime(settled, tokenizer=tokenizer), now=clock(settled))


def clock(recipe: Recipe) -> datetime | None:
    """The time, where a recipe asks how fresh chunks are."""
    if "freshness" not in recipe.enrich:
        return None
    from datetime import UTC, datetime

    return datetime.now(UTC)


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
    named = recipe is None or isinstance(recipe, str)
    if named and (overlap is None or isinstance(overlap, int | str)):
        return _settle_named(recipe, strategy, tokenizer, target, limit, floor, overlap)
    return _settle(recipe, strategy, tokenizer, target, limit, floor, overlap)


def _settle(
    recipe: Recipe | str | None,
    strategy: str | None,
    tokenizer: str | None,
    target: int | None,
    limit: int | None,
    floor: int | None,
    overlap: int | str | Overlap | None,
) -> Recipe:
    base = preset(recipe) if isinstance(recipe, str) else recipe or _DEFAULT
    if strategy is not None:
        base = replace(base, strategy=strategy)
    if tokenizer is not None:
        base = replace(base, tokenizer=tokenizer)
    if target is not None or limit is not None or floor is not None:
        base = resize(base, target, limit, floor)
    if overlap is not None:
        base = replace(base, overlap=_overlap(overlap))
    return base


_settle_named = lru_cache(maxsize=64, typed=True)(_settle)
"""For bases that a name says all about: checking a recipe anew takes as long as cutting a short text."""


def derive(
    chunks: Sequence[Chunk],
    *,
    recipe: Recipe | str | None = None,
    kinds: Sequence[str] | None = None,
    tokenizer: TokenizerLike | None = None,
    embedder: str | Embedder | None = None,
    llm: str | LanguageModel | None = None,
    answers: Path | None = None,
    key: str = "",
) -> list[Derived]:
    """Texts about the chunks of one document: what `kinds` names, or what the recipe and its strategy make.

    By rules, or by the language model `llm`; `answers` is a file that keeps what it said, `key` is what its service
    asks for. An embedder on the same host gets the key as well, one on another host gets none.
    """
    from seamline.enrich.derive import derive as derive_all
    from seamline.pipeline import make_runtime
    from seamline.trust.access import access_of_caller

    settled = settle(recipe)
    if kinds is not None:
        settled = replace(settled, strategy="structural", derive=tuple(kinds))
    if not chunks:
        return []
    models = (settled.llm if llm is None else llm, settled.signal if embedder is None else embedder)
    access = access_of_caller([name for name in models if isinstance(name, str)], key)
    runtime = make_runtime(settled, tokenizer=tokenizer, embedder=embedder, llm=llm, answers=answers, access=access)
    return derive_all(chunks[0].document, chunks, settled, runtime).texts


class FileChunks(NamedTuple):
    """What came of one file of a batch."""

    path: Path
    chunks: list[Chunk]
    error: SeamlineError | None = None
    """Why it could not be cut; the other files are done all the same."""


class ChunkedFiles(Iterator[FileChunks]):
    """The results of a batch, as they come: each once. A table takes all that are left."""

    def __init__(self, results: Iterator[FileChunks]) -> None:
        self._results = results
        self.failures: list[FileChunks] = []
        """Those of the results so far that could not be cut."""

    def __next__(self) -> FileChunks:
        done = next(self._results)
        if done.error is not None:
            self.failures.append(done)
        return done

    def to_arrow(self) -> pa.Table:
        """A row for each chunk, with a column for each key of its record; what is nested is JSON. Files that could not
        be cut have no rows: see `failures`."""
        from seamline.schema.table import CHUNK_COLUMNS, arrow_table

        return arrow_table(CHUNK_COLUMNS, (chunk.to_dict() for done in self for chunk in done.chunks))


def chunk_files(
    paths: Iterable[str | Path],
    *,
    recipe: Recipe | str | None = None,
    encoding: str | None = None,
    max_bytes: int | None = MAX_BYTES,
) -> ChunkedFiles:
    """Cut many files, one result each, as they come. A file that fails, or is larger than `max_bytes`, does not stop
    the others."""
    return ChunkedFiles(_chunk_files(map(Path, paths), recipe, encoding, max_bytes))


def _chunk_files(
    paths: Iterable[Path], recipe: Recipe | str | None, encoding: str | None, max_bytes: int | None
) -> Iterator[FileChunks]:
    from seamline import parse
    from seamline.pipeline import chunk_document, make_runtime

    settled = settle(recipe)
    runtime = make_runtime(settled)
    for path in paths:
        try:
            document = parse.parse_file(path, encoding=encoding, reading=settled.reading, max_bytes=max_bytes)
            done = FileChunks(path, chunk_document(document, settled, runtime, now=clock(settled)))
        except SeamlineError as error:
            done = FileChunks(path, [], error)
        except MemoryError:
            done = FileChunks(path, [], out_of_memory(path.as_posix()))
        yield done


def _overlap(overlap: int | str | Overlap) -> Overlap:
    if isinstance(overlap, Overlap):
        return overlap
    if isinstance(overlap, str):
        return Overlap(kind=overlap)  # type: ignore[arg-type]  # checked by Overlap itself
    return Overlap("tokens", overlap) if overlap else Overlap()
