"""An index as a program sees it: opened at a place, brought up to date, searched, cited, counted. Thin."""

from __future__ import annotations

import asyncio
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from seamline.embed import load as load_embedder
from seamline.embed.indexed import embedder_of
from seamline.errors import IndexMissing, StoreError
from seamline.files import MAX_BYTES
from seamline.filters.mapping import FilterLike, filter_of
from seamline.index.config import IndexConfig, add_shadows, check, is_late, recipe_of, settings_of
from seamline.index.sources import folder_of, way_to
from seamline.pipeline import retrieve
from seamline.protocols import Embedder, Reader, Reranker, Store
from seamline.recipe.recipe import Recipe
from seamline.records import ABOUT, Head, Problem, Settings
from seamline.search.cache import CachedEmbedder, CachedReader, CachedReranker, Caches
from seamline.search.citations import Resolved, resolve
from seamline.search.documents import DocumentCache
from seamline.search.duplicates import Duplicates, duplicates
from seamline.search.hits import ContextText, Results
from seamline.search.options import SearchOptions
from seamline.search.plan import Plan, plan, size_plan
from seamline.search.prompt.budget import ContextWindow
from seamline.search.prompt.context import PromptBuilder, assemble
from seamline.search.search import SearchEngine
from seamline.store import create_store, is_address, open_store
from seamline.trust.access import Access, FoundModels, Trust, admit, check_owner, models_of
from seamline.trust.keys import Keys
from seamline.trust.records import trust_folder
from seamline.types import Document, Notice

if TYPE_CHECKING:
    from seamline.api.contents import IndexedChunk
    from seamline.index.add import AddedItem
    from seamline.index.sources import IndexSource
    from seamline.index.update import Tools, UpdateReport, Watcher
    from seamline.runtime import Runtime
    from seamline.search.prompt.budget import Packing
    from seamline.search.prompt.render import Sources as SourceList


__all__ = [
    "FOLDER",
    "Index",
    "IndexConfig",
    "Problem",
    "Stats",
    "UpdateReport",
    "add_shadows",
    "find_index",
    "is_late",
    "open_index",
]

FOLDER = ".seamline"
"""Where an index lives that has no other address: beside the folder whose documents it holds."""


def find_index(start: Path) -> Path | None:
    """The nearest `.seamline` in `start` and the folders above."""
    here = Path(os.path.abspath(start))
    found = (folder / FOLDER for folder in (here, *here.parents))
    return next((folder for folder in found if os.path.isdir(folder)), None)


def open_index(
    place: str | Path = FOLDER,
    *,
    config: IndexConfig | None = None,
    root: Path | None = None,
    key: str | Keys = "",
    trust: Trust | None = None,
) -> Index:
    """The index at a place: a folder, `lance:FOLDER`, `memory:` or `postgresql://...`.

    Where there is none, `config` makes one; without one that is an IndexMissing. Where there is one with another
    config, that is a StoreError. Documents are called by their paths from `root`: what a local index was made with, or
    the folder around it; of others, the current folder.

    Services and model files that only the index names, and files of another user, are refused with a TrustError unless
    the user trusts them (`seamline trust`), `config` names them too, or `trust` allows them for this call. A service is
    refused when it is first needed. `key` goes to the service that embeds, else to that of the language model.
    """
    local = None if is_address(str(place)) else Path(place)
    allowed = trust or Trust()
    if local is not None:
        check_owner(local, allowed)
    keys = Keys(given=key) if isinstance(key, str) else key
    own = models_of(config.recipe or Recipe(), config.embedder) if config else ()
    address = str(place)
    made: tuple[Access, Embedder] | None = None
    try:
        store = open_store(address)
    except IndexMissing:
        if config is None:
            raise
        access = admit(FoundModels(trust_folder(place), "the call", own), allowed, keys, own)
        embedder = load_embedder(config.embedder, key=access.key(config.embedder))
        way = way_to(root, local) if root is not None and local is not None else ""
        store = create_store(address, settings_of(config, embedder), root=way)
        made = access, embedder
    with ExitStack() as undo:
        undo.callback(store.close)
        access, embedder = made or _models(store, store.url if local is None else str(local), allowed, keys, own)
        check(store, embedder, config)
        base = root or (folder_of(local, store.root) if local is not None else Path.cwd())
        undo.pop_all()
    return Index(store, embedder, base, folder=local, access=access)


def _models(store: Store, where: str, trust: Trust, keys: Keys, own: Sequence[str]) -> tuple[Access, Embedder]:
    """What of the models that an index names may be loaded, and its embedder."""
    names = models_of(recipe_of(store.settings), store.settings.embedder)
    found = FoundModels(trust_folder(where), f"the index {where}", names, "; in Python, pass `trust=` for one call")
    access = admit(found, trust, keys, own)
    return access, embedder_of(store.settings, access)


class Index:
    """An open index. Any number may read it at a time; one process at a time may write."""

    def __init__(
        self, store: Store, embedder: Embedder, root: Path, folder: Path | None = None, access: Access | None = None
    ) -> None:
        """`folder` is that of a local index. `access` says which models the recipe may load, and with which keys; all,
        without keys, where there is none."""
        self._opened: Store | None = store
        self._embedder = embedder
        self._folder = folder
        self._access = access or Access()
        self.root = root
        self.url = str(folder) if folder is not None else store.url
        """Its address, without secrets."""
        self.settings: Settings = store.settings
        """What it was made with."""
        self.recipe = recipe_of(store.settings)
        self._caches = Caches(time.monotonic)
        self._mean: tuple[str, float] | None = None

    @cached_property
    def _parts(self) -> Runtime:
        from seamline.pipeline import make_runtime

        answers = self._store.answers() if self.recipe.llm else None
        return make_runtime(self.recipe, answers=answers, access=self._access)

    @property
    def _store(self) -> Store:
        if self._opened is None:
            raise StoreError("this index was closed: open it again with `open_index`")
        return self._opened

    def check_config(self, config: IndexConfig) -> None:
        """Refuse with a StoreError where the index was made with another config."""
        check(self._store, self._embedder, config)

    def update(
        self,
        paths: Sequence[str | Path],
        *,
        watcher: Watcher | None = None,
        encoding: str | None = None,
        media_type: str | None = None,
        max_bytes: int | None = MAX_BYTES,
        follow_links: bool = False,
        roots: Sequence[str | Path] = (),
        now: datetime | None = None,
    ) -> UpdateReport:
        """Bring the index up to date with files and folders: what is new is added, what changed is written anew, and
        what is gone from a folder that was named is removed. Documents elsewhere are left alone.

        A file of more than `max_bytes` (0 or None: no limit) is a failure. Links that lead out of `roots`, which are
        the paths unless given, are left out and told; `follow_links` follows them.
        """
        from seamline.index.sources import SourceLimits, sources
        from seamline.index.update import Failure

        bounds = SourceLimits(max_bytes, follow_links, [str(path) for path in roots])
        found = sources([str(path) for path in paths], self.root, media_type=media_type, bounds=bounds)
        report = self._update(found.candidates, found.covers, watcher, encoding, now)
        report.notices[:0] = found.notices
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

    def add(
        self,
        doc: str,
        text: str | bytes,
        *,
        media_type: str | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> UpdateReport:
        """Put one document into the index, or its new text.

        Without a media type, the name says the format of a text, which is Markdown where it says nothing; bytes are
        what they look like. `meta` is metadata beside the text, as front matter is, which it outranks.
        """
        from seamline.index.add import source_of

        report = self._update([source_of((doc, text, meta or {}), media_type)], None)
        if report.failures:
            raise StoreError(f"{doc}: {report.failures[0].message}")
        return report

    def add_many(
        self,
        items: Iterable[AddedItem],
        *,
        media_type: str | None = None,
        batch: int = 1000,
        progress: Callable[[int, int | None], None] | None = None,
        now: datetime | None = None,
    ) -> UpdateReport:
        """Put many documents into the index: `(id, text or bytes)` or `(id, text or bytes, meta)` each, as `add` takes
        them. They may come from a generator.

        Every `batch` of them is one transaction, vectors included; `progress` is called after each with how many
        documents are in the index for good, and how many there are where that is known. Documents that cannot be read
        are failures of the report; the others are done.
        """
        from seamline.index.add import add_batches, batches_of

        total = len(items) if isinstance(items, Sized) else None
        acknowledge = (lambda done: progress(done, total)) if progress else None
        tools = replace(self._tools(None), at_once=True)
        report = add_batches(
            self._store,
            batches_of(items, media_type, batch),
            tools,
            now=now or datetime.now(UTC),
            acknowledge=acknowledge,
        )
        report.notices += [remark.message for remark in self._store.remarks()]
        return report

    async def aadd_many(
        self,
        items: Iterable[AddedItem],
        *,
        media_type: str | None = None,
        batch: int = 1000,
        progress: Callable[[int, int | None], None] | None = None,
    ) -> UpdateReport:
        """`add_many` in a thread, which also calls `progress`."""
        return await asyncio.to_thread(self.add_many, items, media_type=media_type, batch=batch, progress=progress)

    def get(self, doc: str, *, version: int | None = None) -> Document:
        """A document as it is in the index now, or was in a version; a StoreError where there is none.

        Its text is exact. Blocks are found in it anew: those of an extracted text, such as that of a PDF, as Markdown;
        where its chunks stand on pages, `chunks` tells.
        """
        from seamline.api.contents import stored_document

        with self._store.reader() as reader:
            return stored_document(reader, doc, version)

    def chunks(self, doc: str | None = None, *, vectors: bool = False) -> Iterator[IndexedChunk]:
        """The chunks of a document in order, or of all documents, one after the other as they are asked for; with
        their vectors where these are wanted. A StoreError where there is no such document."""
        from seamline.api.contents import check_document, stored_chunks

        with self._store.reader() as reader:
            if doc is not None:
                check_document(reader, doc)
        return stored_chunks(self._store, doc, vectors=vectors)

    def remove(self, doc: str) -> UpdateReport:
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
        where: FilterLike = "",
        options: SearchOptions | None = None,
        adaptive: bool = False,
        reranker: Reranker | None = None,
    ) -> Results:
        """The best passages for a query, with citations.

        `where` is a filter: a text such as `language = "en"`, a mapping such as `{"language": "en"}`, or a tree of
        `seamline.filters.tree`. With `adaptive`, the kind of question decides how many passages
        are found and how wide they are; see `plan`.
        """
        settled = self._settled(options, k)
        condition = filter_of(where)
        with self._reading() as (reader, generation):
            key = (generation, query, condition, settled, adaptive, reranker.name if reranker else "")
            if (known := self._caches.results.get(key)) is not None:
                return known
            engine = self._engine(reader, reranker)
            planned = (plan(query) if k is None else replace(plan(query), k=k)) if adaptive else None
            results = retrieve(engine, planned or query, settled, condition)
            notices = (*results.notices, *_vector_notices(reader, settled))
            results = replace(results, notices=notices, query=query, plan=planned)
            self._caches.results.put(key, results)
            remarks = self._store.remarks()
            return replace(results, notices=(*results.notices, *remarks)) if remarks else results

    async def asearch(
        self,
        query: str,
        *,
        k: int | None = None,
        where: FilterLike = "",
        options: SearchOptions | None = None,
        adaptive: bool = False,
        reranker: Reranker | None = None,
    ) -> Results:
        """`search` in a thread."""
        return await asyncio.to_thread(
            self.search, query, k=k, where=where, options=options, adaptive=adaptive, reranker=reranker
        )

    def plan(self, query: str) -> Plan:
        """How `search(adaptive=True)` and `context` would go about a query, and why."""
        return plan(query)

    def context(
        self,
        query: str,
        *,
        budget: int | ContextWindow = 4000,
        where: FilterLike = "",
        options: SearchOptions | None = None,
        packing: Packing = "greedy",
        sources: SourceList = "inline",
        weak: float | None = None,
        whole: bool = True,
        reranker: Reranker | None = None,
    ) -> ContextText:
        """A text for a prompt that answers a query from the index: numbered passages, at most `budget` tokens, or as
        many as a ContextWindow leaves. Passages that are worth less than the share `weak` of the best are left out: 20
        divided by the budget, unless it is given; with 0 the budget is filled. Room that is left goes to the chunks
        beside those that were found, unless `whole` is off. `where` is that of `search`."""
        from seamline.text.sentences import sentence_starts

        most = budget.budget if isinstance(budget, ContextWindow) else budget
        settled = replace(self._settled(options, None), whole=0)  # what stands around a hit competes for the room
        condition = filter_of(where)
        with self._reading() as (reader, generation):
            planned = size_plan(plan(query), most, self._average(reader, generation))
            results = retrieve(self._engine(reader, reranker), planned, settled, condition)
            builder = PromptBuilder(DocumentCache(reader), self._parts.tokenizer, sources)
            text = assemble(
                results.hits,
                builder,
                most,
                query=query,
                packing=packing,
                weak=weak,
                sentences=sentence_starts,
                whole=whole,
            )
            notices = (*results.notices, *_vector_notices(reader, settled), *self._store.remarks())
            return replace(text, notices=notices, query=query, budget=most)

    async def acontext(
        self,
        query: str,
        *,
        budget: int | ContextWindow = 4000,
        where: FilterLike = "",
        options: SearchOptions | None = None,
        packing: Packing = "greedy",
        sources: SourceList = "inline",
        weak: float | None = None,
        whole: bool = True,
        reranker: Reranker | None = None,
    ) -> ContextText:
        """`context` in a thread."""
        return await asyncio.to_thread(
            self.context,
            query,
            budget=budget,
            where=where,
            options=options,
            packing=packing,
            sources=sources,
            weak=weak,
            whole=whole,
            reranker=reranker,
        )

    def missing_vectors(self) -> int:
        """How many chunks have no vector yet, as an update makes those last: they are found by words alone."""
        with self._store.reader() as reader:
            return reader.count_missing_vectors()

    def cite(self, key: str) -> Resolved:
        """What became of a citation, `ID` or `ID@VERSION`, and what it said."""
        with self._store.reader() as reader:
            return replace(resolve(reader, key), key=key)

    def stats(self) -> Stats:
        """What the index holds."""
        with self._store.reader() as reader:
            return stats_of(reader, self._store.size())

    def documents(self, *, prefix: str = "") -> list[Head]:
        """All documents that are in the index now, by name; those whose names start with a prefix."""
        with self._store.reader() as reader:
            return [head for head in reader.heads() if not head.deleted and head.doc.startswith(prefix)]

    def verify(self) -> Iterator[Problem]:
        """Read everything, and compare it with the checksums it was written with."""
        return self._store.verify()

    def hit_rates(self) -> Mapping[str, float]:
        """How often each cache of this object had the answer, from 0 to 1."""
        return self._caches.hit_rates()

    def close(self) -> None:
        """Give up the store. Whatever needs it from now on is a StoreError; closing again does nothing."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def __enter__(self) -> Index:
        self._store  # noqa: B018 - refuses where it is closed, before anything is done in the block
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _update(
        self,
        candidates: Sequence[IndexSource],
        covers: Callable[[str], bool] | None,
        watcher: Watcher | None = None,
        encoding: str | None = None,
        now: datetime | None = None,
    ) -> UpdateReport:
        from seamline.pipeline import index  # half a second that a search does not need

        moment = now or datetime.now(UTC)
        report = index(self._store, candidates, self._tools(encoding), covers=covers, now=moment, watcher=watcher)
        report.notices += [remark.message for remark in self._store.remarks()]
        return report

    def _tools(self, encoding: str | None) -> Tools:
        """What a run needs; a TrustError where it may not be loaded."""
        from seamline.index.update import Tools

        self._access.require(*models_of(self.recipe, self.settings.embedder))
        return Tools(
            self.recipe,
            self._parts,
            self._embedder,
            self._store.vectors(),
            hierarchy=self.settings.options.get("hierarchy") == "yes",
            dual=self.settings.dual,
            late=is_late(self.settings),
            encoding=encoding,
        )

    @contextmanager
    def _reading(self) -> Iterator[tuple[Reader, str]]:
        """A reader that remembers, with the mark of the state it shows."""
        while True:
            generation = self._store.generation()
            with self._store.reader() as reader:
                if self._store.generation() == generation:
                    yield CachedReader(reader, self._caches, generation), generation
                    return

    def _engine(self, reader: Reader, reranker: Reranker | None) -> SearchEngine:
        judge = CachedReranker(reranker, self._caches) if reranker else None
        return SearchEngine(reader, CachedEmbedder(self._embedder, self._caches), datetime.now(UTC), judge)

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


def _vector_notices(reader: Reader, options: SearchOptions) -> list[Notice]:
    """What a search by meaning could not look at yet."""
    missing = reader.count_missing_vectors() if options.legs != "bm25" else 0
    if not missing:
        return []
    total = reader.count()
    return [
        Notice(
            "vectors-missing",
            f"meaning: {100 * (total - missing) // total}% of the chunks have vectors so far;"
            " run `seamline index` to go on",
        )
    ]


@dataclass(frozen=True, slots=True)
class Stats:
    """What an index holds."""

    documents: int
    removed: int
    """Documents that are gone, but whose citations still resolve."""
    chunks: int
    missing_vectors: int
    """Chunks that have no vector yet: they are found by words alone until the next update."""
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


def stats_of(reader: Reader, size: int) -> Stats:
    """The numbers of one state of an index; `size` is what it takes on disk."""
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
        missing_vectors=reader.count_missing_vectors(),
        about=levels.pop(ABOUT, 0),
        sections=sum(levels.values()),
        tokens=sum(head.tokens for head in alive),
        versions=sum(len(reader.versions(head.doc)) for head in heads),
        kinds=dict(kinds.most_common()),
        languages=dict(languages.most_common()),
        duplicates=duplicates(reader),
        indexed_at=max((head.indexed_at for head in heads), default=None),
        size=size,
    )
