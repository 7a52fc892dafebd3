"""An index as a program sees it: opened at a place, brought up to date, searched, cited. Thin."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from seamline.embed import load as load_embedder
from seamline.errors import IndexMissing, StoreError
from seamline.filter_text import parse_filter
from seamline.hits import ContextText, Results
from seamline.indexing.root import remember_root, root_of
from seamline.protocols import Embedder, Reader, Reranker, Store
from seamline.records import ABOUT, Head, Problem, Settings
from seamline.retrieve.budget import Room
from seamline.retrieve.cache import CachedEmbedder, CachedReader, CachedReranker, Caches
from seamline.retrieve.cite import Resolved, resolve
from seamline.retrieve.collapse import Duplicates, duplicates
from seamline.retrieve.context import Press, assemble
from seamline.retrieve.options import SearchOptions
from seamline.retrieve.plan import Plan, plan, sized
from seamline.retrieve.search import Engine, follow, search
from seamline.retrieve.shelf import Shelf
from seamline.shape import Shape, check, is_late, recipe_of, settings_of
from seamline.store import create_store, open_store

if TYPE_CHECKING:
    from seamline.indexing.run import Candidate, Report, Watcher
    from seamline.parts import Parts
    from seamline.retrieve.budget import Packing
    from seamline.retrieve.render import Sources as SourceList

FOLDER = ".seamline"
"""Where an index lives that has no other address: beside the folder whose documents it holds."""


def find_index(start: Path) -> Path | None:
    """The nearest `.seamline` in `start` and the folders above."""
    here = Path(os.path.abspath(start))
    found = (folder / FOLDER for folder in (here, *here.parents))
    return next((folder for folder in found if os.path.isdir(folder)), None)


def open_index(
    place: str | Path = FOLDER, *, shape: Shape | None = None, root: Path | None = None, key: str = ""
) -> Index:
    """The index at a place: a folder, `memory:` or `postgresql://...`.

    Where there is none, `shape` makes one; without a shape that is an IndexMissing. Where there is one of another
    shape, that is a StoreError. Documents are called by their paths from `root`: what a local index was made with, or
    the folder around it; of others, the current folder. `key` is for embedders that are services.
    """
    local = None if _is_address(str(place)) else Path(place)
    address = str(place)
    base = root or (root_of(local) if local is not None else Path.cwd())
    try:
        store = open_store(address)
    except IndexMissing:
        if shape is None:
            raise
        embedder = load_embedder(shape.embedder, key=key)
        store = create_store(address, settings_of(shape, embedder))
        if local is not None:
            remember_root(local, base)
    else:
        embedder = load_embedder(store.settings.embedder, key=key)
    with ExitStack() as undo:
        undo.callback(store.close)
        check(store, embedder, shape)
        undo.pop_all()
    return Index(store, embedder, base, local, key)


class Index:
    """An open index. Any number may read it at a time; one process at a time may write."""

    def __init__(self, store: Store, embedder: Embedder, root: Path, folder: Path | None = None, key: str = "") -> None:
        """`folder` is that of a local index. `key` is for a language model that the recipe names."""
        self._store = store
        self._embedder = embedder
        self._folder = folder
        self._key = key
        self.root = root
        self.recipe = recipe_of(store.settings)
        self._caches = Caches(time.monotonic)
        self._mean: tuple[str, float] | None = None

    @cached_property
    def _parts(self) -> Parts:
        from seamline.pipeline import make_parts

        answers = self._store.answers() if self.recipe.llm else None
        return make_parts(self.recipe, answers=answers, key=self._key)

    @property
    def url(self) -> str:
        """Its address, without secrets."""
        return str(self._folder) if self._folder is not None else self._store.url

    @property
    def settings(self) -> Settings:
        """What it was made with."""
        return self._store.settings

    def update(
        self,
        paths: Sequence[str | Path],
        *,
        watcher: Watcher | None = None,
        encoding: str | None = None,
        media_type: str | None = None,
        now: datetime | None = None,
    ) -> Report:
        """Bring the index up to date with files and folders: what is new is added, what changed is written anew, and
        what is gone from a folder that was named is removed. Documents elsewhere are left alone."""
        from seamline.indexing.run import Failure
        from seamline.indexing.sources import sources

        found = sources([str(path) for path in paths], self.root, media_type=media_type)
        report = self._update(found.candidates, found.covers, watcher, encoding, now)
        failures = [Failure("", message) for message in found.failures]
        with self._store.reader() as reader:
            failures += [
                Failure(name, "no such file: check the name and the folder it is named from")
                for name in sorted(found.missing)
                if reader.head(name) is None
            ]
        report.failures[:0] = failures
        report.documents += len(failures)
        return report

    def add(self, doc: str, text: str | bytes, *, media_type: str = "text/markdown") -> Report:
        """Put one document into the index, or its new text."""
        from seamline.indexing.run import Candidate

        data = text if isinstance(text, bytes) else text.encode()
        report = self._update([Candidate(doc, lambda: data, media_type=media_type)], lambda name: False)
        if report.failures:
            raise StoreError(f"{doc}: {report.failures[0].message}")
        return report

    def remove(self, doc: str) -> Report:
        """Take a document out of the index. What was cited of it stays known."""
        return self._update([], lambda name: name == doc)

    def forget(self, docs: Sequence[str]) -> list[str]:
        """Erase documents with every version of them, so that no file of the index holds their text; the names of
        those that were there. What was cited of them is unknown afterwards. A StoreError where a store cannot do
        this."""
        return self._store.forget(docs)

    def search(
        self,
        query: str,
        *,
        k: int | None = None,
        where: str = "",
        options: SearchOptions | None = None,
        adaptive: bool = False,
        reranker: Reranker | None = None,
    ) -> Results:
        """The best passages for a query, with citations.

        `where` is a filter such as `language = "en"`. With `adaptive`, the kind of question decides how many passages
        are found and how wide they are; see `plan`.
        """
        settled = self._settled(options, k)
        condition = parse_filter(where) if where.strip() else None
        with self._reading() as (reader, generation):
            key = (generation, query, where, settled, adaptive, reranker.name if reranker else "")
            if (known := self._caches.results.get(key)) is not None:
                return known
            engine = self._engine(reader, reranker)
            if adaptive:
                planned = plan(query) if k is None else replace(plan(query), k=k)
                results = follow(engine, planned, settled, condition)
            else:
                results = search(engine, query, settled, condition)
            self._caches.results.put(key, results)
            return replace(results, notices=(*results.notices, *self._store.remarks()))

    def plan(self, query: str) -> Plan:
        """How `search(adaptive=True)` and `context` would go about a query, and why."""
        return plan(query)

    def context(
        self,
        query: str,
        *,
        budget: int | Room = 4000,
        where: str = "",
        options: SearchOptions | None = None,
        packing: Packing = "greedy",
        sources: SourceList = "inline",
        weak: float | None = None,
        reranker: Reranker | None = None,
    ) -> ContextText:
        """A text for a prompt that answers a query from the index: numbered passages, at most `budget` tokens, or as
        many as a Room leaves. Passages that are worth less than the share `weak` of the best are left out: 20 divided
        by the budget, unless it is given; with 0 the budget is filled."""
        from seamline.cut.sentences import sentence_starts

        most = budget.budget if isinstance(budget, Room) else budget
        settled = self._settled(options, None)
        condition = parse_filter(where) if where.strip() else None
        with self._reading() as (reader, generation):
            planned = sized(plan(query), most, self._average(reader, generation))
            results = follow(self._engine(reader, reranker), planned, settled, condition)
            press = Press(Shelf(reader), self._parts.tokenizer, sources)
            text = assemble(
                results.hits, press, most, query=query, packing=packing, weak=weak, sentences=sentence_starts
            )
            return replace(text, notices=(*results.notices, *self._store.remarks()))

    def cite(self, key: str) -> Resolved:
        """What became of a citation, `ID` or `ID@VERSION`, and what it said."""
        with self._store.reader() as reader:
            return resolve(reader, key)

    def stats(self) -> Stats:
        """What the index holds."""
        with self._store.reader() as reader:
            heads = list(reader.heads())
            kinds: Counter[str] = Counter()
            languages: Counter[str] = Counter()
            levels: Counter[int] = Counter()
            for entry in reader.select():
                levels[entry.level] += 1
                if entry.level == 0:
                    kinds[entry.kind] += 1
                    languages[entry.language] += 1
            alive = [head for head in heads if not head.deleted]
            return Stats(
                documents=len(alive),
                removed=len(heads) - len(alive),
                chunks=levels.pop(0, 0),
                about=levels.pop(ABOUT, 0),
                sections=sum(levels.values()),
                tokens=sum(head.tokens for head in alive),
                versions=sum(len(reader.versions(head.doc)) for head in heads),
                kinds=dict(kinds.most_common()),
                languages=dict(languages.most_common()),
                duplicates=duplicates(reader),
                indexed_at=max((head.indexed_at for head in heads), default=None),
                size=self._store.size(),
            )

    def documents(self) -> list[Head]:
        """All documents that are in the index now, by name."""
        with self._store.reader() as reader:
            return [head for head in reader.heads() if not head.deleted]

    def verify(self) -> Iterator[Problem]:
        """Read everything, and compare it with the checksums it was written with."""
        return self._store.verify()

    def hit_rates(self) -> Mapping[str, float]:
        """How often each cache of this object had the answer, from 0 to 1."""
        return self._caches.hit_rates()

    def close(self) -> None:
        self._store.close()

    def __enter__(self) -> Index:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _update(
        self,
        candidates: Sequence[Candidate],
        covers: Callable[[str], bool],
        watcher: Watcher | None = None,
        encoding: str | None = None,
        now: datetime | None = None,
    ) -> Report:
        from seamline.indexing.run import Tools, update  # half a second that a search does not need

        tools = Tools(
            self.recipe,
            self._parts,
            self._embedder,
            self._store.vectors(),
            hierarchy=self.settings.options.get("hierarchy") == "yes",
            dual=self.settings.dual,
            late=is_late(self.settings),
            encoding=encoding,
        )
        moment = now or datetime.now(UTC)
        report = update(self._store, candidates, tools, covers=covers, now=moment, watcher=watcher)
        report.notices += [remark.message for remark in self._store.remarks()]
        return report

    @contextmanager
    def _reading(self) -> Iterator[tuple[Reader, str]]:
        """A reader that remembers, with the mark of the state it shows."""
        while True:
            generation = self._store.generation()
            with self._store.reader() as reader:
                if self._store.generation() == generation:
                    yield CachedReader(reader, self._caches, generation), generation
                    return

    def _engine(self, reader: Reader, reranker: Reranker | None) -> Engine:
        judge = CachedReranker(reranker, self._caches) if reranker else None
        return Engine(reader, CachedEmbedder(self._embedder, self._caches), datetime.now(UTC), judge)

    def _settled(self, options: SearchOptions | None, k: int | None) -> SearchOptions:
        settled = replace(options or SearchOptions(), dual=self.settings.dual)
        return settled if k is None else replace(settled, k=k)

    def _average(self, reader: Reader, generation: str) -> float:
        """Tokens of a chunk, over the whole index; worked out once for each of its states."""
        if self._mean is None or self._mean[0] != generation:
            heads = [head for head in reader.heads() if not head.deleted]
            chunks = sum(head.chunks for head in heads)
            self._mean = generation, sum(head.tokens for head in heads) / chunks if chunks else 0.0
        return self._mean[1]


@dataclass(frozen=True, slots=True)
class Stats:
    """What an index holds."""

    documents: int
    removed: int
    """Documents that are gone, but whose citations still resolve."""
    chunks: int
    about: int
    """Texts about chunks."""
    sections: int
    tokens: int
    """Sum over all chunks."""
    versions: int
    """Of all documents, the removed ones included."""
    kinds: Mapping[str, int]
    """Chunks by kind, the most frequent first."""
    languages: Mapping[str, int]
    """Chunks by language; the empty name where it could not be told."""
    duplicates: Duplicates
    indexed_at: datetime | None
    """When a document was last written."""
    size: int
    """Bytes on disk."""


def _is_address(place: str) -> bool:
    return "://" in place or place.startswith("memory:")
