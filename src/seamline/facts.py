"""What is known of chunks beyond their text: typed facts, each there only where it was asked for, and derived texts
about them (summaries, propositions, questions, rows as sentences), which cite the places they were made from."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from seamline.types import Chunk, Document, Span

if TYPE_CHECKING:
    from seamline.schema.records import DerivedRecord, FactsRecord


class Entity(NamedTuple):
    """Something with a name that a text speaks of."""

    text: str
    type: str
    """PERSON, ORG, PLACE, DATE, MONEY, ... ; CODE for an identifier."""
    start: int = -1
    """Where it is first named, in code points of the document; -1 where no single place says it."""
    end: int = -1


class Link(NamedTuple):
    """From words of a chunk to another one: a figure, a table, a place in the document."""

    kind: str
    """figure, table, listing, algorithm, equation, section, page (both stand on one page), discusses."""
    text: str
    """The words that point there, such as `Figure 3`."""
    start: int
    """Where they stand in the document."""
    end: int
    target: str
    """Id of the chunk that is meant."""


class ImageFact(NamedTuple):
    """A picture that a chunk shows."""

    uri: str
    """Address, path, part of the file, or the file and the page it is on."""
    alt: str = ""
    caption: str = ""
    width: float = 0.0
    """In pixels or points, as the source says; 0 where it does not."""
    height: float = 0.0
    start: int = -1
    """Where it stands in the document."""
    end: int = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeFacts:
    """What a chunk of source code defines and needs."""

    name: str = ""
    """Qualified name of the scope it holds or is part of, such as `Store.open`; empty at the top of a file."""
    enclosing: str = ""
    """Qualified name of the scope around that one."""
    type: str = ""
    """function, method, class, module, ..."""
    symbols: tuple[str, ...] = ()
    """Names it defines."""
    uses: tuple[str, ...] = ()
    """Names it uses that it does not define."""
    imports: tuple[str, ...] = ()
    """Names it uses that the file imports."""
    complexity: int = 1
    """Cyclomatic: one more than the places where its control flow branches."""
    signature: str = ""
    """Of the scope it holds or is part of, on one line."""
    docstring: str = ""
    """The first paragraph of that scope's docstring or of the comment above it, on one line."""
    calls: tuple[str, ...] = ()
    """Names of the functions and classes that it calls, without what they are called on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What enrichment found. A field that was not asked for is None and cost nothing; so is one that nobody knows."""

    entities: tuple[Entity, ...] | None = None
    summary: str | None = None
    """One or two of its own sentences, at most 50 tokens."""
    language: str | None = None
    """ISO 639-1 code of prose, name of the programming language for code; empty where it cannot be told."""
    coherence: float | None = None
    """0-1, how much its sentences belong together."""
    distinct: float | None = None
    """0-1, how different it is from its neighbours."""
    self_contained: float | None = None
    """0-1, how well it can be read without what stands before it."""
    density: float | None = None
    """0-1, how much it says for its length."""
    boundary: float | None = None
    """0-1, how good the cuts at both its ends are."""
    freshness: float | None = None
    """0-1, exp(-rate * age in days); None where the document has no date."""
    authority: float | None = None
    """0-1, how much its source is trusted."""
    modality: str | None = None
    """text, code, table, image, speech, mixed."""
    links: tuple[Link, ...] | None = None
    images: tuple[ImageFact, ...] | None = None
    """The pictures it shows."""
    code: CodeFacts | None = None
    relative: float | None = None
    """0-1, where it stands among the chunks of its level."""
    strategy: str | None = None
    """How it was cut, such as `hierarchical over semantic`."""
    recipe: str | None = None
    """Fingerprint of all settings it was cut with."""

    def to_dict(self) -> FactsRecord:
        """The fields that are there, as plain JSON values."""
        found = {f.name: getattr(self, f.name) for f in fields(self)}
        return cast("FactsRecord", {name: _plain(value) for name, value in found.items() if value is not None})

    @staticmethod
    def from_dict(record: Mapping[str, Any]) -> Facts:
        """The facts that `to_dict` made this of; other keys, as those of a chunk, are left alone."""
        from seamline.schema.plain import from_plain

        return from_plain(Facts, record)


def _plain(value: Any) -> Any:
    if isinstance(value, CodeFacts):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Entity | Link | ImageFact):
        found: Mapping[str, Any] = value._asdict()
        return {name: part for name, part in found.items() if part != -1}
    return [_plain(part) for part in value] if isinstance(value, tuple) else value


@dataclass(frozen=True, slots=True)
class Derived:
    """One text that says in other words what spans of a document say. A search shows it, or the chunks it is about."""

    document: Document = field(repr=False)
    kind: str
    """One of `seamline.recipe.recipe.DERIVED`."""
    text: str
    spans: tuple[Span, ...]
    """The places of the document that it is from, in order; never empty."""
    of: tuple[str, ...]
    """Ids of the chunks that hold those places, in order; never empty."""
    model: str = ""
    """What wrote it; empty where rules did."""
    tokens: int = 0
    """Of `text`, by the recipe's tokenizer."""
    confidence: float = 1.0
    """0-1, how well its places support it."""
    entities: tuple[Entity, ...] = ()
    topic: int = -1
    """Which group of propositions it belongs to; -1 for none."""

    @property
    def id(self) -> str:
        """Derives from the document, the kind, the text and the chunks it is about."""
        plain = "\0".join((self.document.id, self.kind, self.text, *self.of))
        return sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()[:24]

    def to_dict(self) -> DerivedRecord:
        """All fields as plain JSON values; the line format of `seamline chunk --json`."""
        out: dict[str, Any] = {
            "derived": self.kind,
            "id": self.id,
            "doc": self.document.id,
            "text": self.text,
            "tokens": self.tokens,
            "of": list(self.of),
            "spans": [list(span) for span in self.spans],
            "places": [self.document.place_of(span) for span in self.spans],
            "model": self.model,
            "confidence": self.confidence,
        }
        if self.entities:
            out["entities"] = [_plain(entity) for entity in self.entities]
        if self.topic >= 0:
            out["topic"] = self.topic
        return cast("DerivedRecord", out)

    @staticmethod
    def from_dict(record: Mapping[str, Any], document: Document) -> Derived:
        """The text about a document that `to_dict` made this of; a ConfigError where it is of another one."""
        from seamline.schema.documents import read_derived

        return read_derived(record, document)


class Holders:
    """Which chunks of one level hold a place, for many places. Chunks are in order."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._chunks = chunks
        self._starts = [chunk.start for chunk in chunks]
        self._ends = [chunk.end for chunk in chunks]

    def of(self, spans: Sequence[Span]) -> tuple[str, ...]:
        """Ids of the chunks whose bodies hold any part of `spans`, in order."""
        found: set[int] = set()
        for start, end in spans:
            found.update(range(bisect_right(self._ends, start), bisect_left(self._starts, end)))
        return tuple(self._chunks[index].id for index in sorted(found))


def holders(chunks: Sequence[Chunk], spans: Sequence[Span]) -> tuple[str, ...]:
    """Ids of the chunks of one level whose bodies hold any part of `spans`, in order. `chunks` are in order."""
    return Holders(chunks).of(spans)
