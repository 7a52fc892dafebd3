"""The entries of an index get their vectors: of what is searched, of summaries, of chunks that are read together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from seamline.embed.run import Counts, Progress, embed_all
from seamline.protocols import Embedder
from seamline.records import Embedding, Entry

if TYPE_CHECKING:
    from seamline.embed.late import Within
    from seamline.protocols import VectorCache


class Model(NamedTuple):
    """What makes vectors."""

    embedder: Embedder
    cache: VectorCache | None
    dual: bool
    """Whether summaries have vectors of their own."""


class MissingTexts(NamedTuple):
    """What of an entry has no vector yet; empty where that has one, or there is nothing to embed."""

    text: str
    summary: str


def missing_texts(entry: Entry, *, dual: bool) -> MissingTexts:
    """The texts of an entry that have yet to be embedded."""
    text = entry.searched if entry.vector is None else ""
    return MissingTexts(text, entry.summary if dual and entry.summary_vector is None else "")


def recall_vectors(entries: Sequence[Entry], model: Model) -> tuple[list[Entry], int]:
    """The entries, each with those of its vectors that an earlier run made of the same text, and of how many different
    texts there were any."""
    if model.cache is None:
        return list(entries), 0
    texts = [missing_texts(entry, dual=model.dual) for entry in entries]
    wanted = [text for both in texts for text in both if text]
    known = model.cache.get(model.embedder.fingerprint, list(dict.fromkeys(wanted)), model.embedder.dimensions)
    found = [_with(e, known.get(text), known.get(summary)) for e, (text, summary) in zip(entries, texts, strict=True)]
    return found, len(known)


def embed_entries(
    entries: Sequence[Entry], within: Mapping[str, Within], model: Model, progress: Progress | None
) -> tuple[list[Entry], Counts]:
    """The entries, each with the vectors it lacks, and where those came from. `within` has chunks that are read with
    others, by id, and have no parts; every other entry is read as it is searched."""
    lacking = [missing_texts(entry, dual=model.dual) for entry in entries]
    late = [entry.id for entry, both in zip(entries, lacking, strict=True) if both.text and entry.id in within]
    texts = [both.text if e.id not in within else "" for e, both in zip(entries, lacking, strict=True)]
    wanted = [text for text in (*texts, *(both.summary for both in lacking)) if text]
    total = len(late) + len(wanted)
    together, first = _together(late, within, model, _part(progress, 0, total))
    found, second = embed_all(model.embedder, wanted, cache=model.cache, progress=_part(progress, len(late), total))
    rows = iter(found)
    own = [next(rows) if text else together.get(e.id) for e, text in zip(entries, texts, strict=True)]
    others = [next(rows) if both.summary else None for both in lacking]
    done = [_with(*one) for one in zip(entries, own, others, strict=True)]
    return done, Counts(first.computed + second.computed, first.cached + second.cached)


def _with(entry: Entry, own: Embedding | None, of_summary: Embedding | None) -> Entry:
    """The entry with what was made of its text and of its summary, where there is any of it."""
    if own is not None:
        entry = replace(entry, vector=own.vector, parts=own.parts)
    return entry if of_summary is None else replace(entry, summary_vector=of_summary.vector)


def _together(
    ids: Sequence[str], within: Mapping[str, Within], model: Model, progress: Progress | None
) -> tuple[Mapping[str, Embedding], Counts]:
    """The vectors of chunks that are read with others, by id."""
    if not ids:
        return {}, Counts(0, 0)
    from seamline.embed.late import embed_within

    wanted = [within[id] for id in ids]
    found, counts = embed_within(model.embedder, wanted, cache=model.cache, progress=progress)
    return dict(zip(ids, map(Embedding, found), strict=True)), counts


def _part(progress: Progress | None, before: int, total: int) -> Progress | None:
    """Progress of a part of the work, told as that of the whole."""
    return (lambda done, _: progress(before + done, total)) if progress else None
