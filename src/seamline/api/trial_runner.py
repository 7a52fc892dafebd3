"""One trial: cut the documents in one way, index them in memory, and ask every question by the same search as
`Index.search`. The same text is embedded once for all trials of a runner."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from seamline.api.index import Index
from seamline.cut.audit.audit import Violation, audit
from seamline.embed import load as load_embedder
from seamline.embed.run import embed_all, stack_vectors
from seamline.errors import SeamlineError
from seamline.evaluate.language_model import judge_passages
from seamline.evaluate.metrics import BUDGET, RetrievedPassage, fill_budget, score_question
from seamline.evaluate.peers import peer_chunker
from seamline.evaluate.questions import LabelledQuestion
from seamline.evaluate.trials import FACTS, Trial, TrialCost, size_stats
from seamline.files import MAX_BYTES, File, out_of_memory, read_file
from seamline.index.config import IndexConfig, add_shadows, settings_of
from seamline.index.entries import describe
from seamline.index.vectors import Model, embed_entries
from seamline.parse import parse_bytes
from seamline.pipeline import chunk, make_runtime
from seamline.protocols import BadAnswer, Usage
from seamline.recipe.recipe import ParseOptions, Recipe
from seamline.records import Change, Embedding, Entry, Head, Version
from seamline.search.options import LegChoice, SearchOptions
from seamline.store import create_store
from seamline.trust.access import Access
from seamline.types import Chunk, ChunkIds, Document, Span

if TYPE_CHECKING:
    from seamline.facts import Derived
    from seamline.protocols import Embedder, LanguageModel, Store
    from seamline.records import Vector
    from seamline.runtime import Runtime
    from seamline.search.hits import Hit

DEPTH = 20
"""Passages that each question asks for: enough to fill a budget of 1,000 tokens with chunks of 50."""
SHOWN = 5
"""Passages of a question that a report shows."""
_EXAMPLES = 20
_NOW = datetime(2000, 1, 1, tzinfo=UTC)
"""What ages are counted from: a trial gives the same figures on any day."""

Progress = Callable[[str], None]
"""Told what is being done."""


@dataclass(frozen=True)
class TrialCorpus:
    """Documents that trials are made on: their bytes by name, parsed once for all recipes that read alike."""

    sources: Mapping[str, bytes]
    failures: tuple[str, ...] = ()
    media_type: str | None = None
    encoding: str | None = None
    _parsed: dict[ParseOptions, dict[str, Document]] = field(default_factory=dict)

    def documents(self, recipe: Recipe) -> Mapping[str, Document]:
        """The documents by name, as a recipe reads them; those that cannot be read are left out."""
        known = self._parsed.get(recipe.reading)
        if known is None:
            known = self._parsed[recipe.reading] = {}
            for name, data in self.sources.items():
                try:
                    known[name] = parse_bytes(
                        data, uri=name, media_type=self.media_type, encoding=self.encoding, reading=recipe.reading
                    )
                except SeamlineError:
                    continue
        return known

    def texts(self, recipe: Recipe) -> dict[str, str]:
        return {name: document.text for name, document in self.documents(recipe).items()}

    def problems(self, recipe: Recipe) -> list[str]:
        """What could not be read, and why that is known."""
        unread = self.sources.keys() - self.documents(recipe).keys()
        return [*self.failures, *(f"{name}: cannot be parsed and is left out" for name in sorted(unread))]


def load_corpus(
    files: Iterable[File],
    *,
    texts: Mapping[str, str] | None = None,
    max_bytes: int | None = MAX_BYTES,
    media_type: str | None = None,
    encoding: str | None = None,
) -> TrialCorpus:
    """The documents of files, and texts that come with questions. A file that cannot be read is a failure."""
    sources = {name: text.encode("utf-8", "replace") for name, text in (texts or {}).items()}
    failures = []
    for file in files:
        try:
            sources[file.path.as_posix()] = read_file(file.path, max_bytes=max_bytes, real=file.real).data
        except SeamlineError as error:
            failures.append(str(error))
        except MemoryError:
            failures.append(str(out_of_memory(file.path.as_posix())))
    return TrialCorpus(sources, tuple(failures), media_type, encoding)


@dataclass(frozen=True, slots=True)
class TrialPlan:
    """One way to cut and search."""

    name: str
    recipe: Recipe
    peer: str = ""
    """The peer that cuts in place of the recipe's strategy, at its limit."""
    alpha: float | None = None
    """Weight of the dense leg, where it is not the default."""
    settings: Mapping[str, object] = field(default_factory=dict)
    """What sets it apart, as it is told."""


class CutDocument(NamedTuple):
    """The chunks of a document, and texts about them."""

    chunks: list[Chunk]
    about: Sequence[Derived]


class RememberingEmbedder:
    """An embedder that reads every text once, whichever trial asks for it."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._texts: dict[str, Embedding] = {}
        self._queries: dict[str, Embedding] = {}
        self.computed = 0
        self.known = 0

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    @property
    def fingerprint(self) -> str:
        return self._embedder.fingerprint

    def embed(self, texts: Sequence[str]) -> Vector:
        return stack_vectors(self.embed_parts(texts), self.dimensions)

    def embed_parts(self, texts: Sequence[str]) -> list[Embedding]:
        return self._recall(texts, self._texts, lambda missing: embed_all(self._embedder, missing)[0])

    def embed_queries(self, texts: Sequence[str]) -> Vector:
        from seamline.search.legs import query_vectors

        def read(missing: Sequence[str]) -> Iterable[Embedding]:
            return map(Embedding, query_vectors(self._embedder, missing))

        return stack_vectors(self._recall(texts, self._queries, read), self.dimensions)

    def _recall(
        self, texts: Sequence[str], known: dict[str, Embedding], read: Callable[[Sequence[str]], Iterable[Embedding]]
    ) -> list[Embedding]:
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        if missing:
            known |= zip(missing, read(missing), strict=True)
        self.computed += len(missing)
        self.known += len(texts) - len(missing)
        return [known[text] for text in texts]


class TrialRunner:
    """Runs trials over one corpus. What one of them embeds is known to the next."""

    def __init__(
        self,
        corpus: TrialCorpus,
        *,
        embedder: str = "seam",
        legs: LegChoice = "hybrid",
        access: Access | None = None,
        facts: bool = True,
        budget: int = BUDGET,
        judge: LanguageModel | None = None,
        judged: int = 0,
        progress: Progress | None = None,
    ) -> None:
        """`judge` answers so many questions from what is found for them, and judges the answers."""
        self.corpus = corpus
        self._legs: LegChoice = legs
        self._access = access or Access()
        self._facts = facts
        self._budget = budget
        self._judge = judge
        self._judged = judged if judge is not None else 0
        self.usage = Usage()
        """What the judge was asked so far."""
        self.unjudged: list[str] = []
        """Answers that the judge could not judge, and why."""
        self._progress = progress or (lambda line: None)
        self.prefix = ""
        """Stands before what is told."""
        # Words alone need no model; `hash` costs nothing and is never asked.
        self._name = "hash" if legs == "bm25" else embedder
        self._embedder = RememberingEmbedder(load_embedder(self._name, key=self._access.key(self._name)))
        self._runtimes: dict[Recipe, Runtime] = {}
        self._sizes: dict[tuple[str, str], int] = {}

    @property
    def fingerprint(self) -> str:
        """Of what beside plans and questions decides the figures."""
        return f"{self._embedder.fingerprint} {self._legs} {self._budget}"

    def run(self, plan: TrialPlan, questions: Sequence[LabelledQuestion]) -> Trial:
        """Cut, index, ask and judge."""
        recipe = add_shadows(plan.recipe)
        runtime = self._runtime(recipe)
        begun = time.monotonic()
        made = self._cut(plan, recipe, runtime)
        cut_done = time.monotonic()
        leaves_of = {name: [one for one in chunks if not one.level] for name, (chunks, _) in made.items()}
        leaves = [one for chunks in leaves_of.values() for one in chunks]
        broken_of = self._audit(plan, recipe, runtime, made)
        broken = [one for found in broken_of.values() for one in found]
        facts_of = {name: self._facts_of(recipe, runtime, chunks) for name, chunks in leaves_of.items()}
        computed, known = self._embedder.computed, self._embedder.known
        embed_begun = time.monotonic()
        index = self._index(plan, recipe, runtime, made)
        search_begun = time.monotonic()
        scores, passages, judged = self._ask(plan, index, questions)
        search_done = time.monotonic()
        stored = sum(one.tokens for one in leaves) + sum(one.tokens for _, about in made.values() for one in about)
        return Trial(
            name=plan.name,
            strategy=plan.peer or plan.recipe.strategy,
            size=plan.recipe.budget.limit,
            settings=dict(plan.settings),
            is_peer=bool(plan.peer),
            chunks=len(leaves),
            sizes=size_stats([one.tokens for one in leaves]),
            violations=dict(Counter(one.rule for one in broken)),
            examples=tuple(f"{one.doc}: {one.rule}: {one.message}" for one in broken[:_EXAMPLES]),
            facts=_means(facts_of.values()),
            by_document={
                name: {**_means([facts_of[name]]), "violations": len(broken_of[name]) / max(1, len(leaves_of[name]))}
                for name in made
            },
            cost=TrialCost(
                cut_done - begun,
                search_begun - embed_begun,
                search_done - search_begun,
                self._embedder.computed - computed,
                self._embedder.known - known,
                stored / max(1, self._document_tokens(recipe, runtime)),
            ),
            scores=tuple(scores),
            passages=tuple(passages),
            judged=judged,
        )

    def _tell(self, line: str) -> None:
        self._progress(self.prefix + line)

    def _runtime(self, recipe: Recipe) -> Runtime:
        if recipe not in self._runtimes:
            self._access.require(recipe.tokenizer)
            self._runtimes[recipe] = make_runtime(recipe, access=self._access)
        return self._runtimes[recipe]

    def _cut(self, plan: TrialPlan, recipe: Recipe, runtime: Runtime) -> dict[str, CutDocument]:
        out: dict[str, CutDocument] = {}
        documents = self.corpus.documents(recipe)
        cut_peer = peer_chunker(plan.peer, recipe.budget.limit, runtime.tokenizer.count) if plan.peer else None
        for done, (name, document) in enumerate(documents.items()):
            self._tell(f"{plan.name}: cutting {done}/{len(documents)} {name}")
            if cut_peer is not None:
                out[name] = CutDocument(peer_chunks(document, cut_peer(document.text), runtime), ())
            else:
                whole = chunk(document, recipe, runtime, now=_NOW)
                out[name] = CutDocument(whole.chunks, whole.about)
        return out

    def _audit(
        self, plan: TrialPlan, recipe: Recipe, runtime: Runtime, made: Mapping[str, CutDocument]
    ) -> dict[str, list[Violation]]:
        """What breaks the contract, by document."""
        self._tell(f"{plan.name}: audit")
        limits = recipe.limits if not plan.peer else recipe.budget.limit
        return {
            name: list(audit(chunks, limit=limits, tokenizer=runtime.tokenizer)) for name, (chunks, _) in made.items()
        }

    def _facts_of(self, recipe: Recipe, runtime: Runtime, chunks: Sequence[Chunk]) -> Mapping[str, list[float]]:
        """What is found out about the chunks of a document: the values that there are, by name of the fact."""
        if not self._facts:
            return {}
        from seamline.enrich.facts import enrich
        from seamline.text.sentences import sentence_starts

        asked = replace(recipe, enrich=FACTS)
        known = [one.facts for one in enrich(chunks, asked, runtime, now=_NOW, starts=sentence_starts)]
        columns = {name: [getattr(facts, name.replace("-", "_")) for facts in known] for name in FACTS}
        return {name: [value for value in column if value is not None] for name, column in columns.items()}

    def _document_tokens(self, recipe: Recipe, runtime: Runtime) -> int:
        total = 0
        for name, document in self.corpus.documents(recipe).items():
            key = runtime.tokenizer.name, name
            if key not in self._sizes:
                self._sizes[key] = runtime.tokenizer.count(document.text)
            total += self._sizes[key]
        return total

    def _index(
        self,
        plan: TrialPlan,
        recipe: Recipe,
        runtime: Runtime,
        made: Mapping[str, CutDocument],
    ) -> Index:
        """The chunks in a store of their own, with vectors where these are searched."""
        store = create_store("memory:", settings_of(IndexConfig(recipe, self._name, hierarchy=False), self._embedder))
        documents = self.corpus.documents(recipe)
        changes = []
        for done, (name, (chunks, about)) in enumerate(made.items()):
            self._tell(f"{plan.name}: embedding {done}/{len(made)} {name}")
            document = replace(documents[name], title="") if plan.peer else documents[name]
            described = describe(document, chunks, runtime.tokenizer, hierarchy=False, now=_NOW, born=None, about=about)
            entries = described.entries if self._legs == "bm25" else self._with_vectors(described.entries)
            leaves = [one for one in chunks if not one.level]
            tokens = sum(one.tokens for one in leaves)
            head = Head(name, 1, name, name, document.title, len(entries), len(leaves), tokens, _NOW)
            version = Version(name, 1, name, document.title, name, document.text, _NOW, described.places)
            changes.append(Change(head, 0, version, put=tuple(entries)))
        self._write(store, changes)
        return Index(store, self._embedder, Path.cwd(), access=self._access)

    def _with_vectors(self, entries: Sequence[Entry]) -> list[Entry]:
        return embed_entries(entries, {}, Model(self._embedder, cache=None, dual=False), None)[0]

    def _write(self, store: Store, changes: Sequence[Change]) -> None:
        with store.writer() as writer:
            writer.apply(changes)
            writer.tidy()

    def _ask(
        self, plan: TrialPlan, index: Index, questions: Sequence[LabelledQuestion]
    ) -> tuple[list[dict[str, float]], list[tuple[RetrievedPassage, ...]], dict[int, dict[str, float]]]:
        # Passages as they were found, not as they are read: what stands around a chunk is not of the chunk. The ranking
        # is measured whole: what a person would not be shown counts by its rank. Chunks are measured, not texts about
        # them: a summary cites all of its table.
        options = SearchOptions(k=DEPTH, legs=self._legs, whole=0, min_score=0, show="source")
        if plan.alpha is not None:
            options = replace(options, alpha=plan.alpha)
        scores, passages = [], []
        judged: dict[int, dict[str, float]] = {}
        chosen = {at * len(questions) // self._judged for at in range(self._judged)} if self._judged else set()
        for at, question in enumerate(questions):
            self._tell(f"{plan.name}: asking {at}/{len(questions)}")
            hits = index.search(question.text, options=options).hits
            found = [
                RetrievedPassage(hit.doc, tuple((one.start, one.end) for one in hit.citations), hit.entry.tokens)
                for hit in hits
            ]
            scores.append(score_question(question.answers, found, budget=self._budget))
            passages.append(tuple(found[:SHOWN]))
            if at in chosen and (score := self._judge_answer(plan, question, hits, found)):
                judged[at] = score
        return scores, passages, judged

    def _judge_answer(
        self, plan: TrialPlan, question: LabelledQuestion, hits: Sequence[Hit], found: Sequence[RetrievedPassage]
    ) -> dict[str, float]:
        """What the judge makes of the passages that fit the budget; nothing where it gives no answer of use."""
        assert self._judge is not None
        documents = self.corpus.documents(plan.recipe)
        expected = [documents[answer.doc].text[answer.start : answer.end] for answer in question.answers]
        fitting = max(1, sum(one == whole for one, whole in zip(fill_budget(found, self._budget), found, strict=False)))
        try:
            judged = judge_passages(question.text, expected, [hit.text for hit in hits[:fitting]], self._judge)
        except BadAnswer as error:
            self.usage += error.usage
            self.unjudged.append(f"{plan.name}: {question.id}: {error}")
            return {}
        self.usage += judged.usage
        return judged.scores()


def _means(columns: Iterable[Mapping[str, list[float]]]) -> dict[str, float]:
    """The mean of every fact that has a value."""
    values: dict[str, list[float]] = {}
    for one in columns:
        for name, found in one.items():
            values.setdefault(name, []).extend(found)
    return {name: sum(found) / len(found) for name, found in values.items() if found}


def peer_chunks(document: Document, spans: Sequence[tuple[int, int]], runtime: Runtime) -> list[Chunk]:
    """Spans that another chunker made, as chunks that borrow nothing."""
    names = ChunkIds(document.id, document.text, spans)
    starts = [block.start for block in document.blocks]
    return [
        Chunk(
            document,
            Span(start, end),
            runtime.tokenizer.count(document.text[start:end]),
            names,
            index=at,
            total=len(spans),
            blocks=(max(0, bisect_left(starts, start + 1) - 1), bisect_left(starts, end)),
        )
        for at, (start, end) in enumerate(spans)
    ]
