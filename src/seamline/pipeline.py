"""The steps in order, one function for each way through: a document becomes chunks, sources become an index, a question
becomes hits. Each is read from top to bottom; what a step does stands in the package it is imported from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from seamline.protocols import AnswerCache, Embedder, LanguageModel
from seamline.recipe.recipe import Recipe
from seamline.runtime import Runtime
from seamline.tokens import TokenizerLike, load
from seamline.trust.access import Access
from seamline.types import Chunk, Document

if TYPE_CHECKING:
    from seamline.facts import Derived
    from seamline.filters.tree import Filter
    from seamline.index.prepared import BatchPreparer
    from seamline.index.sources import IndexSource
    from seamline.index.update import Tools, UpdateReport, Watcher
    from seamline.protocols import Store, Usage
    from seamline.records import Vector
    from seamline.search.candidates import Candidate
    from seamline.search.cross_encoder import CrossEncoder
    from seamline.search.hits import Hit, Results
    from seamline.search.options import SearchOptions
    from seamline.search.plan import Plan
    from seamline.search.query import Query
    from seamline.search.rerank import QueryFacts, Weights
    from seamline.search.search import SearchEngine
    from seamline.types import Notice


class DocumentChunks(NamedTuple):
    """All that a recipe makes of a document."""

    recipe: Recipe
    """With the strategy that was chosen for it."""
    reasons: tuple[str, ...]
    """Why that one; empty where the recipe itself names it."""
    chunks: list[Chunk]
    about: list[Derived]
    """Texts about the chunks."""
    notices: tuple[Notice, ...] = ()
    """Of what was derived; the document has its own."""
    usage: Usage | None = None
    """What language models were asked; None where none was."""


def chunk(
    document: Document,
    recipe: Recipe,
    runtime: Runtime | None = None,
    *,
    derives: bool = True,
    now: datetime | None = None,
) -> DocumentChunks:
    """Cut one parsed document, find out what the recipe wants known of its chunks, and write what it wants written
    about them, unless `derives` is off. The runtime is that of the recipe where none is given; `now` is what the age of
    chunks is counted from."""
    from seamline.cut import cut

    runtime = runtime or make_runtime(recipe)
    recipe, reasons = choose_strategy(document, recipe)
    chunks = cut(document, recipe, runtime)  # atomize, score the gaps, pack, fit, merge, overlap
    if recipe.enrich:
        from seamline.enrich.facts import enrich
        from seamline.text.sentences import sentence_starts

        chunks = enrich(chunks, recipe, runtime, now=now, starts=sentence_starts)
    if not (derives and recipe.derived):
        return DocumentChunks(recipe, reasons, chunks, about=[])
    from seamline.enrich.derive import derive

    derived = derive(document, chunks, recipe, runtime)
    usage = derived.usage if runtime.llm else None
    return DocumentChunks(recipe, reasons, chunks, about=derived.texts, notices=derived.notices, usage=usage)


def index(
    store: Store,
    sources: Sequence[IndexSource],
    tools: Tools,
    *,
    covers: Callable[[str], bool] | None,
    now: datetime,
    watcher: Watcher | None = None,
    preparer: BatchPreparer | None = None,
) -> UpdateReport:
    """Bring an index up to date with its sources: compare, read, chunk, describe, write; then embed. So all of them are
    found by words before the first is found by meaning.

    Documents that `covers` claims and that are not among the sources are removed, none where it is None; one whose
    bytes arrive under another name, in one change with its arrival. A source that fails keeps what the index had of it.
    Whatever was written before an interruption stays, and the next run goes on from there, also with the vectors that
    are missing.

    A `preparer` reads, chunks and embeds elsewhere; what it hands over is written here, vectors included.
    """
    from seamline.index.prepared import write_prepared
    from seamline.index.update import TEXTS, IndexRun, group_drafts

    run = IndexRun(store, tools, now, watcher)
    with store.writer() as writer:
        if covers is None:
            run.look_up(sources)
        else:
            run.compare(sources, covers)
        if preparer is not None:
            write_prepared(run, writer, sources, preparer, now=now, watcher=watcher)
        else:
            for group in group_drafts(run.read_changed(sources)):  # parse, chunk, describe
                run.write(writer, group)
        run.remove_gone(writer)
        if run.report.touched and run.count_missing() > TEXTS:
            writer.tidy()  # those who search meanwhile need search structures
        if run.embed_missing(writer) or run.report.touched:
            writer.tidy()
    return run.conclude()


def retrieve(
    engine: SearchEngine, question: str | Plan, options: SearchOptions, where: Filter | None = None
) -> Results:
    """The best hits for a question, with citations and the parts of their scores: find by one leg per method, fuse,
    rerank, expand. A plan says how to search and for which parts of the question; their hits are ranked together."""
    from seamline.search.documents import DocumentCache
    from seamline.search.expand import read_whole
    from seamline.search.hits import Results
    from seamline.search.legs import query_vectors
    from seamline.search.query import parse_query
    from seamline.search.score import admit, calibrate, calibration_of, gather
    from seamline.search.search import Finder, merge_parts, read_question, rerank, reserve_sides, widen

    queries, options, notices = read_question(question, options)
    documents = DocumentCache(engine.reader)
    facts = query_facts(queries[0], options.weights)
    calibration = calibration_of(options.legs, engine.embedder.name, engine.reranker)

    def find(query: Query, vector: Vector | None) -> tuple[list[Candidate], list[Hit]]:
        candidates = Finder(engine, vector, query, options).find(documents, where)  # one leg per method, fused
        best = rerank(engine, candidates, query.text, options, facts)
        return best, widen(best, query.text, documents, options)

    def embed(texts: Sequence[str]) -> list[Vector | None]:
        return [*query_vectors(engine.embedder, texts)] if options.legs != "bm25" else [None] * len(texts)

    asked = [parse_query(query) for query in queries]
    answers = list(map(find, asked, embed([query.text for query in asked])))
    evidence = None
    if calibration:
        evidence, read = gather(
            asked[0].text, answers[0][0], engine.embedder, engine.stemming
        )  # of the question as a whole
        notices = (*notices, *read)
    found = [hits for _, hits in answers]
    planned = None if isinstance(question, str) else question
    hits = merge_parts(planned, queries, found) if planned else found[0]
    if planned and planned.sides:
        hits, lacking = reserve_sides(planned, found, hits)  # room for each side of a comparison
        notices = (*notices, *lacking)
    if planned and planned.kind == "multi-hop":
        from seamline.search.hops import follow, merge_steps
        from seamline.text.sentences import sentence_starts

        def find_next(text: str) -> list[Hit]:
            query = parse_query(text)
            return find(query, embed([query.text])[0])[1]

        steps = follow(queries[0], hits, find_next, sentence_starts)  # what is found names what is looked for next
        hits = merge_steps(hits, steps, options.k)
        planned = replace(planned, queries=(*planned.queries, *(step.query for step in steps)))
    if calibration is None or evidence is None:
        kept, told = admit(hits, options.min_score or 0.0)
    else:
        # BM25 alone finds nothing without the words that were asked for.
        least = options.min_score if options.legs != "bm25" else options.min_score or 0.0
        kept, told = admit(calibrate(hits, evidence, calibration), least)
    shown = read_whole(kept, documents, options.whole) if options.whole else kept
    if options.links:
        from seamline.search.linked import follow_links

        shown = follow_links(shown, documents, options.links)
    if options.fields or options.sort:
        from seamline.search.fields import show_fields, sort_hits

        shown = show_fields(shown, options.fields, engine.now, options.decay)
        shown = sort_hits(shown, options.sort, engine.now, options.decay) if options.sort else shown
    return Results(tuple(shown), (*notices, *told), plan=planned, evidence=evidence)


_SURE = 0.6
"""How sure the language of a question must be."""


def query_facts(query: str, weights: Weights) -> QueryFacts:
    """The language of a question and the names in it, as far as the weights of a search ask for them."""
    from seamline.search.rerank import QueryFacts

    language = ""
    names: tuple[str, ...] = ()
    if weights.language:
        from seamline.enrich.language import detect

        found, sure = detect(query)
        language = found if sure >= _SURE else ""
    if weights.entities:
        from seamline.enrich.entities import names_in

        names = names_in(query)
    return QueryFacts(language, names)


def bundled_reranker(name: str = "seam") -> CrossEncoder:
    """The reranker of the install: three layers, trained on the same questions as the embedder `seam`. It reads a chunk
    of 256 tokens with its headings at once. Where it counts more than a fifth, questions are lost that share few words
    with their answers."""
    from seamline.embed.bundled import FOLDER, RERANKER, check
    from seamline.search.cross_encoder import CrossEncoder

    check(FOLDER, RERANKER)
    model, tokenizer = (FOLDER / file for file in RERANKER)
    return CrossEncoder(model, tokenizer, window=384, weight=0.2)


def chunk_document(
    document: Document, recipe: Recipe, runtime: Runtime | None = None, *, now: datetime | None = None
) -> list[Chunk]:
    """The chunks of one parsed document, without texts about them."""
    return chunk(document, recipe, runtime, derives=False, now=now).chunks


def choose_strategy(document: Document, recipe: Recipe) -> tuple[Recipe, tuple[str, ...]]:
    """The recipe with the strategy of this document, and why."""
    if recipe.strategy != "auto" and not recipe.strategies:
        return recipe, ()
    from seamline.recipe.choose import choose

    choice = choose(document, recipe)
    return choice.recipe, choice.reasons


def make_runtime(
    recipe: Recipe,
    *,
    tokenizer: TokenizerLike | None = None,
    embedder: str | Embedder | None = None,
    llm: str | LanguageModel | None = None,
    answers: Path | AnswerCache | None = None,
    access: Access | None = None,
) -> Runtime:
    """The live objects that a recipe names, or those given in their place.

    `answers` keeps what a language model answered: a file, or a cache; `access` says which models may be loaded, and
    with which keys: all, without keys, where there is none.
    """
    model = recipe.llm if llm is None else llm
    signal = recipe.signal if embedder is None else embedder
    allowed = access or Access()

    def make_embedder() -> Embedder:
        from seamline.embed import load as load_embedder  # only where a strategy asks what texts are about

        return load_embedder(signal, key=allowed.key(signal) if isinstance(signal, str) else "")

    def make_llm() -> LanguageModel:
        from seamline.llm import load as load_model

        loaded = load_model(model, key=allowed.key(model) if isinstance(model, str) else "")
        if answers is None:
            return loaded
        from seamline.llm.cache import AnswerFile, CachedModel

        return CachedModel(loaded, AnswerFile(answers) if isinstance(answers, Path) else answers)

    if tokenizer is None:
        allowed.require(recipe.tokenizer)
    counts = load(recipe.tokenizer if tokenizer is None else tokenizer, recipe.bias)
    return Runtime(counts, make_embedder, make_llm if model else None)
