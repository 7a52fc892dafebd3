"""The entries of an index get their vectors: of what is searched, of summaries, of chunks that are read together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from seamline.embed.run import Counts, Progress, embed_all
from seamline.protocols import Embedder
from seamline.records import Entry

if TYPE_CHECKING:
    from seamline.embed.late import Within
    from seamline.protocols import VectorCache
    from seamline.records import Vector


class Model(NamedTuple):
    """What makes vectors."""

    embedder: Embedder
    cache: VectorCache | None
    dual: bool
    """Whether summaries have vectors of their own."""


def embed_entries(
    entries: Sequence[Entry], within: Mapping[str, Within], model: Model, progress: Progress | None
) -> tuple[list[Entry], Counts]:
    """The entries, each with the vectors it lacks, and where those came from. `within` has chunks that are read with
    others, by id; every other entry is read as it is searched."""
    late = [entry.id for entry in entries if entry.vector is None and entry.id in within]
    texts = [entry.searched if entry.vector is None and entry.id not in within else "" for entry in entries]
    summaries = [e.summary if model.dual and e.summary_vector is None else "" for e in entries]
    wanted = [text for text in (*texts, *summaries) if text]
    total = len(late) + len(wanted)
    together, first = _together(late, within, model, _part(progress, 0, total))
    found, second = embed_all(model.embedder, wanted, cache=model.cache, progress=_part(progress, len(late), total))
    rows = iter(found)
    vectors = [next(rows) if text else together.get(e.id) for e, text in zip(entries, texts, strict=True)]
    others = [next(rows) if text else None for text in summaries]
    done = [
        replace(
            entry,
            vector=entry.vector if vector is None else vector,
            summary_vector=entry.summary_vector if other is None else other,
        )
        for entry, vector, other in zip(entries, vectors, others, strict=True)
    ]
    return done, Counts(first.computed + second.computed, first.cached + second.cached)


def _together(
    ids: Sequence[str], within: Mapping[str, Within], model: Model, progress: Progress | None
) -> tuple[Mapping[str, Vector], Counts]:
    """The vectors of chunks that are read with others, by id."""
    if not ids:
        return {}, Counts(0, 0)
    from seamline.embed.late import embed_within

    wanted = [within[id] for id in ids]
    found, counts = embed_within(model.embedder, wanted, cache=model.cache, progress=progress)
    return dict(zip(ids, found, strict=True)), counts


def _part(progress: Progress | None, before: int, total: int) -> Progress | None:
    """Progress of a part of the work, told as that of the whole."""
    return (lambda done, _: progress(before + done, total)) if progress else None
