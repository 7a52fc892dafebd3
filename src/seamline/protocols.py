"""The protocols that parts of Seamline meet through, and the values that go with them: what a maker of embedders is
told, what a language model answered, and what that cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, runtime_checkable

from seamline.errors import ConfigError, ProviderError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from seamline.filters.tree import Filter
    from seamline.records import (
        Change,
        Embedding,
        Entry,
        EntryVectors,
        Head,
        Levels,
        Parts,
        Problem,
        Scored,
        Settings,
        Vector,
        VectorKind,
        Version,
    )
    from seamline.types import Notice


@runtime_checkable
class Tokenizer(Protocol):
    """Counts tokens. Text that looks like a special token is ordinary text."""

    @property
    def name(self) -> str:
        """What a recipe calls it."""
        ...

    @property
    def additive(self) -> bool:
        """Whether counts add up over cuts before a line that is neither blank nor starts with a slash."""
        ...

    def count(self, text: str) -> int:
        """How many tokens `text` has."""
        ...


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors of length 1, so that a dot product is their cosine similarity."""

    @property
    def name(self) -> str:
        """What a recipe calls it."""
        ...

    @property
    def dimensions(self) -> int: ...

    @property
    def fingerprint(self) -> str:
        """Hash of the weights and of every setting that changes a vector. Vectors of two fingerprints never mix."""
        ...

    def embed(self, texts: Sequence[str]) -> Vector:
        """One row per text, in order. No text is cut off: one that is longer than the model's window is read in
        windows, or refused with a ProviderError."""
        ...


@runtime_checkable
class CalibratedEmbedder(Protocol):
    """An embedder that says what its cosines are worth: a cosine of one model means nothing to another."""

    @property
    def balance(self) -> float:
        """The cosine at which two blocks are as likely neighbours as far apart; measured, 0 to 1."""
        ...


class EmbedderRequest(NamedTuple):
    """What the maker of an embedder is told."""

    name: str
    """As the recipe or the index has it: all that changes a vector, and no secret."""
    key: str = ""
    """Of the service, where it is one."""
    threads: int | None = None
    """Of a local model; None is up to it."""
    timeout: float = 60.0
    """Seconds for one answer of a service."""
    expected: int | None = None
    """Dimensions, where an index knows them already."""


@runtime_checkable
class QueryEmbedder(Protocol):
    """An embedder whose model wants questions marked as such."""

    def embed_queries(self, texts: Sequence[str]) -> Vector:
        """One row per question, to be compared with rows of `embed`."""
        ...


@runtime_checkable
class PartEmbedder(Protocol):
    """An embedder that also tells where the parts of a text point, at no further cost: a question is often about one
    sentence of a passage, and the vector of all of it is the mean of many."""

    def embed_parts(self, texts: Sequence[str]) -> Sequence[Embedding]:
        """One for each text, in order, with the rows of `embed`."""
        ...


@runtime_checkable
class TokenCounter(Protocol):
    """An embedder that tells in how many pieces its model reads a text."""

    def count_tokens(self, text: str) -> int:
        """How many tokens a text has."""
        ...


@runtime_checkable
class TokenEmbedder(TokenCounter, Protocol):
    """An embedder that can tell the vector of each token of a text, as late chunking needs it. Calls may come from
    several threads at a time."""

    @property
    def threads(self) -> int:
        """How many texts it reads side by side."""
        ...

    def token_room(self) -> int:
        """Most tokens of a text that the model reads at once. A ProviderError where a vector of the model is no mean
        of its tokens."""
        ...

    def token_vectors(self, text: str) -> Iterator[tuple[list[tuple[int, int]], NDArray[np.float32]]]:
        """Every token once, in order, some at a time: where it stands, and its vector in the context around it."""
        ...


@runtime_checkable
class Reranker(Protocol):
    """Judges texts by a query, more carefully than vectors and words can."""

    @property
    def name(self) -> str:
        """What an explanation calls it; other weights have another name."""
        ...

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """How well each text answers the query, 0-1, in order. No text is cut off: one that is longer than the
        model's window is read in windows, or refused with a ProviderError."""
        ...


@runtime_checkable
class WeightedReranker(Reranker, Protocol):
    """A reranker that counts beside the fused score; one without a weight takes its place."""

    @property
    def weight(self) -> float:
        """Its share, 0-1."""
        ...


@runtime_checkable
class LanguageModel(Protocol):
    """Answers questions with JSON. Calls may come from several threads at a time."""

    @property
    def name(self) -> str:
        """What a recipe calls it, with everything that changes an answer and no secret."""
        ...

    def complete(self, system: str, prompt: str, schema: Mapping[str, Any]) -> ModelReply:
        """JSON of the shape that `schema` asks for. What goes wrong with this one question is a
        `seamline.protocols.BadAnswer`; a service that fails is another ProviderError."""
        ...


class PictureInput(NamedTuple):
    """A picture that a model is shown."""

    data: bytes
    media_type: str


@runtime_checkable
class VisionModel(Protocol):
    """A language model that reads pictures, too."""

    @property
    def name(self) -> str:
        """As of a `LanguageModel`."""
        ...

    def see(self, system: str, prompt: str, picture: PictureInput, schema: Mapping[str, Any]) -> ModelReply:
        """As `complete`, with a picture beside the prompt."""
        ...


class VectorCache(Protocol):
    """Vectors that were made before. Calls may come from several threads at a time."""

    def get(self, fingerprint: str, texts: Sequence[str], dimensions: int) -> dict[str, Embedding]:
        """What an embedder of this fingerprint made of those texts, whole and of this many dimensions."""
        ...

    def put(self, fingerprint: str, texts: Sequence[str], made: Sequence[Embedding]) -> None:
        """Keep what was made of these texts, all of it or, where this fails, nothing."""
        ...


class AnswerCache(Protocol):
    """Answers of language models that were given before. Calls may come from several threads at a time."""

    def get(self, key: bytes) -> bytes | None:
        """A known answer, as it was put."""
        ...

    def put(self, key: bytes, answer: bytes) -> None:
        """Keep an answer."""
        ...


class Reader(Protocol):
    """One consistent state of a store: what is written after it was opened is not seen."""

    def near(
        self, vector: Vector, k: int, *, where: Filter | None = None, levels: Levels = (0,), of: VectorKind = "text"
    ) -> list[Scored]:
        """The `k` entries with the highest cosine similarity, best first, equal scores by id."""
        ...

    def matching(
        self, query: str, k: int, *, where: Filter | None = None, levels: Levels = (0,), every: bool = False
    ) -> list[Scored]:
        """The `k` entries with the highest BM25 score above 0, best first, equal scores by id. With `every`, only those
        that hold all of `seamline.text.words.required_words`, scored by these; a store may leave out those that do not
        have all `typed_words` of the query in a row."""
        ...

    def entries(self, ids: Iterable[str], *, vectors: bool = False) -> dict[str, Entry]:
        """The entries of these ids that exist, with or without their vectors."""
        ...

    def vectors(self, ids: Iterable[str]) -> Mapping[str, EntryVectors]:
        """What of these entries that exist was embedded, without the entries. One question for all of them: a search
        asks it."""
        ...

    def parts(self, ids: Iterable[str]) -> Mapping[str, Parts]:
        """The parts of those of these entries that have any. One question for all of them: a search asks it."""
        ...

    def select(self, where: Filter | None = None, *, vectors: bool = False) -> Iterator[Entry]:
        """Every entry of any level that the filter lets through, by document and id."""
        ...

    def count(self, where: Filter | None = None, *, levels: Levels = (0,)) -> int:
        """How many entries there are."""
        ...

    def missing_vectors(self) -> Iterator[str]:
        """The ids of all entries that `seamline.records.lacks_vectors` speaks of, in any order: they are found by words
        alone until `Writer.add_vectors` gives them their vectors."""
        ...

    def count_missing_vectors(self, *, levels: Levels = (0,)) -> int:
        """How many those are. Every search asks this, so it takes no longer in a large index that lacks none."""
        ...

    def head(self, doc: str) -> Head | None:
        """What a document is now; a deleted one has a head as well."""
        ...

    def heads(self) -> Iterator[Head]:
        """All documents ever indexed, by name; deleted ones included."""
        ...

    def version(self, doc: str, number: int, *, text: bool = True) -> Version | None:
        """One version of a document; without its text where that is not asked for."""
        ...

    def layouts(self, docs: Iterable[str]) -> Mapping[str, Version]:
        """The current version of each of these documents that is there now, without its text: where its entries stand.
        One question for all of them."""
        ...

    def versions(self, doc: str) -> list[int]:
        """The numbers of all versions of a document that are kept, ascending."""
        ...

    def owner(self, id: str) -> str | None:
        """The document that has, or ever had, an entry of this id."""
        ...

    def digests(self, doc: str) -> Mapping[str, str]:
        """Hash of what every current entry of a document says, by id, as it was written; see
        `seamline.store.codec.digest`."""
        ...

    def checksums(self, doc: str) -> Mapping[str, str]:
        """Hash of everything of every current entry of a document, by id, as it was written; see
        `seamline.store.codec.checksum`."""
        ...

    def seals(self, doc: str) -> Mapping[int, str]:
        """Hash of every version of a document, by number, as it was written; see `seamline.store.codec.seal`."""
        ...


class Writer(Protocol):
    """The one process that may change a store."""

    def apply(self, changes: Sequence[Change]) -> None:
        """Write changes of different documents, all in one transaction: a reader sees none or all of them. What
        this returned from is not lost, whatever happens after."""
        ...

    def add_vectors(self, entries: Sequence[Entry]) -> int:
        """Give stored entries the vectors that they lack and these have, all in one transaction; no document gets a new
        version. One that is not stored, says something else by now (see `seamline.store.codec.digest`) or lacks
        nothing stays as it is, so the same call may come twice. How many were given something."""
        ...

    def tidy(self) -> None:
        """Bring the search structures up to date with what was written, and give back space. Searches are right
        before and after; BM25 counts of removed entries are only forgotten here."""
        ...


class Store(Protocol):
    """Where an index lives."""

    @property
    def url(self) -> str:
        """Its address, without secrets."""
        ...

    @property
    def settings(self) -> Settings:
        """What it was made with."""
        ...

    @property
    def root(self) -> str:
        """The way from its folder to the one that names of documents start from; empty for the folder around it, and
        where a store has no folder."""
        ...

    def reader(self) -> AbstractContextManager[Reader]:
        """The present state, until it is closed."""
        ...

    def writer(self) -> AbstractContextManager[Writer]:
        """The right to write, until it is given back. A StoreError names who has it."""
        ...

    def generation(self) -> str:
        """A mark that is different after every change; results kept under an old mark are stale."""
        ...

    def verify(self) -> Iterator[Problem]:
        """Read everything, and compare it with the checksums it was written with."""
        ...

    def size(self) -> int:
        """Bytes on disk, 0 where nobody can tell."""
        ...

    def forget(self, docs: Sequence[str]) -> list[str]:
        """Erase documents with every version of them; the names of those that were there. A StoreError where a store
        cannot promise that nothing is left."""
        ...

    def vectors(self) -> VectorCache | None:
        """Vectors by text, kept with the index; None where a store keeps none."""
        ...

    def answers(self) -> AnswerCache | None:
        """Answers of language models, kept with the index; None where a store keeps none."""
        ...

    def remarks(self) -> list[Notice]:
        """What happened since the last call that a user should know, such as a repair."""
        ...

    def close(self) -> None: ...


@runtime_checkable
class PinnableStore(Protocol):
    """A store whose states have names that any process can open."""

    def present_state(self) -> str:
        """The name of the present state."""
        ...

    def pin(self, state: str) -> None:
        """Read this state from now on, whatever is written."""
        ...


class StoreBackend(Protocol):
    """Opens and makes the stores of one kind of address."""

    def open(self, url: str) -> Store:
        """The index at an address; an IndexMissing where there is none."""
        ...

    def create(self, url: str, settings: Settings, *, root: str = "") -> Store:
        """Make an index at an address, or open the one that is there, if it was made with the same settings. `root` is
        the way from a new folder to the one that names of documents start from."""
        ...


Fault = Literal["malformed", "schema", "refused", "empty", "truncated", "too-long"]
"""malformed: no JSON. schema: JSON of another shape. refused: the model would not. empty: nothing was said. truncated:
cut off at the most tokens of an answer. too-long: the model reads less than it was given."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What was asked of a model. Usages add up."""

    calls: int = 0
    """Questions that were sent, those after a bad answer included."""
    cached: int = 0
    """Questions whose answer was known."""
    retries: int = 0
    """Requests that were repeated because the service was busy or away."""
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    def money(self, prices: Prices) -> float:
        """What that costs, in the currency of the prices."""
        return (self.prompt_tokens * prices.prompt + self.completion_tokens * prices.completion) / 1_000_000


@dataclass(frozen=True, slots=True)
class Prices:
    """Per million tokens, as the provider's list says."""

    prompt: float
    completion: float

    def __post_init__(self) -> None:
        if not (self.prompt >= 0 and self.completion >= 0):
            raise ConfigError(f"expected prices of 0 or more, got {self.prompt} and {self.completion}", "$.llm")


class ModelReply(NamedTuple):
    """An answer that is JSON of the shape that was asked for."""

    text: str
    parsed: Any
    usage: Usage


class BadAnswer(ProviderError):
    """The service works, but its answer to this one question cannot be used. Others may go well."""

    def __init__(self, message: str, fault: Fault, usage: Usage = Usage()) -> None:  # noqa: B008 - it is frozen
        super().__init__(message)
        self.fault = fault
        self.usage = usage
