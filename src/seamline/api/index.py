"""An index as a program sees it: opened at a place, brought up to date, searched, cited, counted. Thin."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seamline.api.reading import IndexContents, field_notices, filter_at, vector_notices
from seamline.api.stats import Stats
from seamline.embed import load as load_embedder
from seamline.embed.indexed import embedder_of
from seamline.errors import IndexMissing, SeamlineError, StoreError
from seamline.files import MAX_BYTES
from seamline.filters.mapping import FilterLike, filter_of
from seamline.index.config import IndexConfig, add_shadows, check, is_late, recipe_of, settings_of
from seamline.index.source_list import MOST as MOST_SOURCES
from seamline.index.source_list import (
    FollowedSource,
    SourceList,
    SourceOptions,
    SourceRun,
    display_path,
    find_source,
    merge,
)
from seamline.index.sources import document_name, folder_of, way_to
from seamline.pipeline import retrieve
from seamline.protocols import Embedder, Reader, Reranker, Store
from seamline.recipe.recipe import Recipe
from seamline.records import Head, Problem, Settings, Version
from seamline.search.cache import CachedEmbedder, CachedReader, CachedReranker, Caches
from seamline.search.documents import DocumentCache
from seamline.search.hits import ContextText, Results
from seamline.search.options import SearchOptions
from seamline.search.plan import Plan, plan, size_plan
from seamline.search.prompt.budget import ContextWindow
from seamline.search.search import SearchEngine
from seamline.store import create_store, is_address, open_store
from seamline.trust.access import Access, FoundModels, Trust, admit, check_owner, models_of
from seamline.trust.keys import Keys
from seamline.trust.records import trust_folder

if TYPE_CHECKING:
    from seamline.index.add import AddedItem
    from seamline.index.prepared import BatchPreparer
    from seamline.index.sources import IndexSource, Sources
    from seamline.index.update import Tools, UpdateReport, Watcher
    from seamline.recipe.ignore import FileChoice
    from seamline.runtime import Runtime
    from seamline.search.prompt.budget import Packing
    from seamline.search.prompt.render import Sources as SourceNames
    from seamline.types import Notice


__all__ = [
    "FOLDER",
    "FollowedSource",
    "Head",
    "Index",
    "IndexConfig",
    "Problem",
    "Stats",
    "UpdateReport",
    "Version",
    "add_shadows",
    "display_path",
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
    """The index at a place: a folder, `s3://...`, `lance:FOLDER`, `memory:` or `postgresql://...`.

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


class Index(IndexContents):
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
        self.preparer: BatchPreparer | None = None
        """Reads, chunks and embeds the documents of an update, where this process does not."""

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
        include: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
        ignore: bool = True,
        base: str | Path | None = None,
        also: Sequence[FileChoice] = (),
        now: datetime | None = None,
    ) -> UpdateReport:
        """Bring the index up to date with files and folders: what is new is added, what changed is written anew, and
        what is gone from a folder that was named is removed. Documents elsewhere are left alone. The index remembers
        the paths, and how they were indexed, for `refresh` and for the next update of the same path.

        Of folders, hidden files, vendored folders and what `.gitignore` and `.seamlineignore` name are left out, unless
        `ignore` is false; `include` and `exclude` are globs, written as in such a file; those with a slash start
        from the folder `base`, which is `root` unless given. `also` are choices that every file must meet and that are
        not remembered. A file of more than `max_bytes` (0 or None: no limit) is a failure. Links that lead out of
        `roots`, which are the paths unless given, are left out and told; `follow_links` follows them.
        """
        start = "." if base is None else document_name(base, self.root)
        how = SourceOptions(include, exclude, ignore, encoding, media_type, follow_links, start)
        given = [str(path) for path in paths]
        kept = self.sources()
        records = how.records(given, self.root, kept)
        run = SourceRun(self.root, kept, max_bytes, [str(path) for path in roots or paths], also)
        return self._follow(run.find(dict(zip(given, records, strict=True))), watcher, now, None if roots else records)

    def refresh(
        self,
        *,
        prune: bool = False,
        watcher: Watcher | None = None,
        max_bytes: int | None = MAX_BYTES,
        also: Sequence[FileChoice] = (),
        now: datetime | None = None,
    ) -> UpdateReport:
        """Bring the index up to date with all its sources. One that is gone, or holds nothing to read any more, is a
        failure, and its documents stay; with `prune` they are removed, and the source is not followed any more."""
        kept = self.sources()
        if not kept:
            raise StoreError(f"{self.url} has no sources yet: name them once, as in `seamline index docs/`")
        paths = {display_path(self.root / record.path): record for record in kept}
        found, gone = SourceRun(self.root, kept, max_bytes, list(paths), also).refresh(paths, prune=prune)
        report = self._follow(found, watcher, now)
        if gone:
            self._source_list.save(record for record in kept if record not in gone)
        return report

    def sources(self) -> list[FollowedSource]:
        """The files and folders that the index follows."""
        return self._source_list.load()

    def remove_source(self, path: str | Path, *, prune: bool = False) -> UpdateReport:
        """Follow a file or a folder no longer; with `prune`, its documents are removed too, except those that another
        source brings. A StoreError where it is none of the sources."""
        kept = self.sources()
        record = find_source(kept, path, self.root)
        others = [one for one in kept if one is not record]
        brought = SourceRun(self.root, kept, None, [], ()).covers_alone(record, others) if prune else lambda doc: False
        report = self._update([], brought)
        self._source_list.save(others)
        return report

    def move_source(
        self, old: str | Path, new: str | Path, *, watcher: Watcher | None = None, now: datetime | None = None
    ) -> UpdateReport:
        """Follow a source to its new place: documents whose text is there under another name are moved, and those that
        are not there are removed."""
        kept = self.sources()
        record = find_source(kept, old, self.root)
        if not os.path.exists(new):
            raise StoreError(f"{new}: no such file or folder; move it first")
        moved = replace(record, path=document_name(new, self.root))
        others = [one for one in kept if one is not record]
        found = SourceRun(self.root, others, MAX_BYTES, [str(new)], ()).find({str(new): moved})
        if found.failures:
            raise StoreError(f"{found.failures[0]}: nothing was moved")
        alone = SourceRun(self.root, kept, None, [], ()).covers_alone(record, others)
        both = found._replace(covers=lambda doc: found.covers(doc) or alone(doc))
        return self._follow(both, watcher, now, [moved], others)

    def _follow(
        self,
        found: Sources,
        watcher: Watcher | None,
        now: datetime | None,
        remember: Sequence[FollowedSource] | None = None,
        known: Sequence[FollowedSource] | None = None,
    ) -> UpdateReport:
        """Write what was found, and remember where it came from."""
        from seamline.index.update import Failure

        report = self._update(found.candidates, found.covers, watcher, now=now)
        report.notices[:0] = found.notices
        report.left_out = dict(Counter(one.reason for one in found.left_out).most_common())
        failures = [Failure("", message) for message in found.failures]
        with self._store.reader() as reader:
            failures += [
                Failure(name, "no such file: check the name and the folder it is named from")
                for name in sorted(found.missing)
                if reader.head(name) is None
            ]
        report.failures[:0] = failures
        report.documents += len(failures)
        if remember is not None:
            report.notices += self._remember(remember, self.sources() if known is None else known)
        return report

    def _remember(self, new: Sequence[FollowedSource], known: Sequence[FollowedSource]) -> list[str]:
        """Keep what exists; what cannot be kept is told."""
        there = [record for record in new if os.path.lexists(self.root / record.path)]
        merged = merge(known, there, self.root)
        if merged == [*known]:
            return []
        if len(merged) > MOST_SOURCES:
            return [f"more than {MOST_SOURCES:,} sources are not remembered: name a folder instead of its files"]
        try:
            self._source_list.save(merged)
        except SeamlineError as error:
            return [f"the sources of this index cannot be remembered: {error}"]
        return []

    @cached_property
    def _source_list(self) -> SourceList:
        return SourceList(self.url, self._folder, self.root)

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
        tools = replace(self._tools(), at_once=True)
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
        from asyncio import to_thread  # takes longer to load than a search

        return await to_thread(self.add_many, items, media_type=media_type, batch=batch, progress=progress)

    def remove(self, doc: str) -> UpdateReport:
        """Take a document out of the index. What was cited of it stays known."""
        self._drop_sources([doc])
        return self._update([], lambda name: name == doc)

    def forget(self, docs: Sequence[str]) -> list[str]:
        """Erase documents with every version of them, so that no file of the index holds their text; the names of
        those that were there. What was cited of them is unknown afterwards. A StoreError where a store cannot do
        this; `remarks` says what is beyond its reach."""
        erased = self._store.forget(docs)  # refused by some stores, before anything is changed
        self._drop_sources(docs)
        return erased

    def remarks(self) -> list[Notice]:
        """What happened since the last call that a user should know, where no result could tell it."""
        return self._store.remarks()

    def _drop_sources(self, docs: Sequence[str]) -> None:
        """Follow files no longer whose documents are removed: their names are kept there, and a refresh would bring
        them back."""
        kept = self.sources()
        left = [record for record in kept if record.path not in docs]
        if len(left) < len(kept):
            self._source_list.save(left)

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
        lacking = field_notices(self.recipe, condition, settled)
        with self._reading() as (reader, generation):
            key = (generation, query, condition, settled, adaptive, reranker.name if reranker else "")
            if (known := self._caches.results.get(key)) is not None:
                return known
            engine = self._engine(reader, reranker)
            planned = (plan(query) if k is None else replace(plan(query), k=k)) if adaptive else None
            results = retrieve(engine, planned or query, settled, filter_at(condition, engine.now, settled))
            notices = (*results.notices, *lacking, *vector_notices(reader, settled))
            results = replace(results, notices=notices, query=query)
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
        from asyncio import to_thread  # takes longer to load than a search

        return await to_thread(
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
        sources: SourceNames = "inline",
        full_paths: bool = False,
        weak: float | None = None,
        whole: bool = True,
        reranker: Reranker | None = None,
    ) -> ContextText:
        """A text for a prompt that answers a query from the index: numbered passages, at most `budget` tokens, or as
        many as a ContextWindow leaves. Passages that are worth less than the share `weak` of the best are left out: 20
        divided by the budget, unless it is given; with 0 the budget is filled. Room that is left goes to the chunks
        beside those that were found, unless `whole` is off. `where` is that of `search`. With `full_paths`,
        passages name their documents in full."""
        from seamline.search.prompt.context import PromptBuilder, assemble
        from seamline.text.sentences import sentence_starts

        most = budget.budget if isinstance(budget, ContextWindow) else budget
        settled = replace(self._settled(options, None), whole=0)  # what stands around a hit competes for the room
        condition = filter_of(where)
        with self._reading() as (reader, generation):
            planned = size_plan(plan(query), most, self._average(reader, generation))
            engine = self._engine(reader, reranker)
            results = retrieve(engine, planned, settled, filter_at(condition, engine.now, settled))
            builder = PromptBuilder(DocumentCache(reader), self._parts.tokenizer, sources, full_paths)
            starts = sentence_starts
            text = assemble(
                results.hits, builder, most, query=query, packing=packing, weak=weak, sentences=starts, whole=whole
            )
            lacking = field_notices(self.recipe, condition, settled)
            notices = (*results.notices, *lacking, *vector_notices(reader, settled), *self._store.remarks())
            return replace(text, notices=notices, query=query, budget=most)

    async def acontext(
        self,
        query: str,
        *,
        budget: int | ContextWindow = 4000,
        where: FilterLike = "",
        options: SearchOptions | None = None,
        packing: Packing = "greedy",
        sources: SourceNames = "inline",
        full_paths: bool = False,
        weak: float | None = None,
        whole: bool = True,
        reranker: Reranker | None = None,
    ) -> ContextText:
        """`context` in a thread."""
        from asyncio import to_thread  # takes longer to load than a search

        return await to_thread(
            self.context,
            query,
            budget=budget,
            where=where,
            options=options,
            packing=packing,
            sources=sources,
            full_paths=full_paths,
            weak=weak,
            whole=whole,
            reranker=reranker,
        )

    def hit_rates(self) -> Mapping[str, float]:
        """How often each cache of this object had the answer, from 0 to 1."""
        return self._caches.hit_rates()

    def close(self) -> None:
        """Give up the store; whatever needs it from now on is a StoreError."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def __enter__(self) -> Index:
        self._store  # noqa: B018 - refuses where it is closed, before anything is done in the block
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _update(
        self,
        candidates: Sequence[IndexSource],
        covers: Callable[[str], bool] | None,
        watcher: Watcher | None = None,
        now: datetime | None = None,
    ) -> UpdateReport:
        from seamline.pipeline import index  # half a second that a search does not need

        tools, moment, by = self._tools(), now or datetime.now(UTC), self.preparer
        report = index(self._store, candidates, tools, covers=covers, now=moment, watcher=watcher, preparer=by)
        report.notices += [remark.message for remark in self._store.remarks()]
        return report

    def _tools(self) -> Tools:
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
        embedder = CachedEmbedder(self._embedder, self._caches)
        return SearchEngine(reader, embedder, datetime.now(UTC), judge, self.settings.stemming)

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
