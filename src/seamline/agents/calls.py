"""The calls an agent can make: their arguments, as values and as JSON Schema, and what each is for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Any, NamedTuple

from seamline.errors import ConfigError
from seamline.schema.json_schema import arguments_schema
from seamline.schema.plain import from_plain

PASSAGES = 5
"""Passages of a search unless the call says otherwise, as on the command line."""
BUDGET = 4000


@dataclass(frozen=True, slots=True)
class SearchCall:
    """Find the passages that answer a question best, by meaning and by words. Each has its document, lines, headings, a
    key (id@version) to cite it by, and a score: the probability that it answers. Says so where nothing is relevant."""

    query: Annotated[str, 'A question or words; "a phrase" must be there, -word must not.']
    k: Annotated[int, "How many passages, from 1 to 1000."] = PASSAGES
    where: Annotated[str, 'A filter, such as: language = "en" and tokens < 200 and created_at >= 2024-01-01.'] = ""
    min_score: Annotated[float | None, "Leave out passages with a lower score, 0 to 1; 0 shows all."] = None


@dataclass(frozen=True, slots=True)
class ContextCall:
    """Everything of the index that helps to answer a question, as one text of at most `budget` tokens: numbered
    passages in document order with their sources and keys. Better than `search` where several passages are needed."""

    query: Annotated[str, "The question."]
    budget: Annotated[int, "The most tokens of the answer."] = BUDGET


@dataclass(frozen=True, slots=True)
class GetCall:
    """Read a document, some lines or a section of it, or a passage by its key with the chunks around it."""

    doc: Annotated[str, "The name of a document, DOC@VERSION for an earlier version, or the key of a passage."]
    lines: Annotated[str, "Only these lines of a document: 10-40, 10- or -20."] = ""
    section: Annotated[str, 'Only what stands under this heading; "API > Errors" where there are several.'] = ""
    neighbours: Annotated[int, "Of a passage: how many chunks before and after it to show as well."] = 0
    offset: Annotated[int, "Where to go on, as an answer that was cut says."] = 0


@dataclass(frozen=True, slots=True)
class CiteCall:
    """Check citations: what each key said, word for word, and whether that still stands: current, moved, edited (with
    the key of what replaced it), deleted or unknown."""

    keys: Annotated[list[str], "Keys of passages, id@version or id."]


@dataclass(frozen=True, slots=True)
class OutlineCall:
    """The headings of a document with their lines, to choose what to read."""

    doc: Annotated[str, "The name of a document, or DOC@VERSION."]
    offset: Annotated[int, "How many headings to pass over, as an answer that was cut says."] = 0


@dataclass(frozen=True, slots=True)
class ListCall:
    """The documents of the index by name, with version, size and title."""

    prefix: Annotated[str, "Only names that start so, such as docs/api/."] = ""
    offset: Annotated[int, "How many documents to pass over, as an answer that was cut says."] = 0


@dataclass(frozen=True, slots=True)
class StatusCall:
    """What the index holds, how fresh it is, and whether it can be written."""


@dataclass(frozen=True, slots=True)
class AddCall:
    """Put a document into the index, or its new text. Earlier versions stay citable."""

    doc: Annotated[str, "The name of the document, such as notes/retries.md; its ending says the format."]
    text: Annotated[str, "The whole text; Markdown where the name says nothing else."]
    meta: Annotated[dict[str, Any] | None, 'Metadata to filter by, such as {"language": "en"}.'] = None


@dataclass(frozen=True, slots=True)
class RemoveCall:
    """Take a document out of the index. What was cited of it stays known; files are not touched."""

    doc: Annotated[str, "The name of the document."]


Call = SearchCall | ContextCall | GetCall | CiteCall | OutlineCall | ListCall | StatusCall | AddCall | RemoveCall


class AgentTool(NamedTuple):
    """A tool by name."""

    name: str
    title: str
    call: type[Call]
    writes: bool = False
    destroys: bool = False

    @property
    def description(self) -> str:
        return " ".join((self.call.__doc__ or "").split())

    @property
    def schema(self) -> dict[str, Any]:
        """Of its arguments."""
        return arguments_schema(self.call)


TOOLS = (
    AgentTool("search", "Search documents", SearchCall),
    AgentTool("context", "Context for a question", ContextCall),
    AgentTool("get", "Read a document", GetCall),
    AgentTool("cite", "Check citations", CiteCall),
    AgentTool("outline", "Outline of a document", OutlineCall),
    AgentTool("list", "List documents", ListCall),
    AgentTool("status", "Status of the index", StatusCall),
    AgentTool("add", "Add a document", AddCall, writes=True),
    AgentTool("remove", "Remove a document", RemoveCall, writes=True, destroys=True),
)


def read_call(name: str, arguments: Mapping[str, Any], *, write: bool) -> Call:
    """The call that a client made; a ConfigError says what does not fit."""
    tools = {tool.name: tool for tool in TOOLS if write or not tool.writes}
    if name not in tools:
        reads = not write and name in (tool.name for tool in TOOLS)
        why = "this server only reads: start it with --write" if reads else f"there are {', '.join(tools)}"
        raise ConfigError(f"{name}: no such tool; {why}")
    kind = tools[name].call
    known = [field.name for field in fields(kind)]
    if unknown := [key for key in arguments if key not in known]:
        raise ConfigError(f"{unknown[0][:60]}: no such argument of {name}; there are {', '.join(known) or 'none'}")
    if missing := [key for key in arguments_schema(kind)["required"] if key not in arguments]:
        raise ConfigError(f"{missing[0]}: expected by {name}, which was called without it")
    return from_plain(kind, arguments)
