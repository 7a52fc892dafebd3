"""What the tools answer: calls in, texts for an agent out. All of it is asked of the API."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from seamline.agents.calls import (
    AddCall,
    Call,
    CiteCall,
    ContextCall,
    GetCall,
    ListCall,
    OutlineCall,
    RemoveCall,
    SearchCall,
    StatusCall,
)
from seamline.agents.replies import FencedPassage, TokenCap, fence, paragraphs
from seamline.api.passages import (
    chunks_within,
    find_version,
    line_range,
    line_starts,
    lines_of_span,
    outline,
    span_of_lines,
    span_of_section,
    span_with_neighbours,
)
from seamline.api.search import Citation, Hit, Resolved, SearchOptions, label, plain_label
from seamline.api.serving import check_name
from seamline.errors import ConfigError, SeamlineError, StoreError, rename

if TYPE_CHECKING:
    from seamline.api.index import Head, Index, Version
    from seamline.types import Notice

_KEY = re.compile(r"[0-9a-f]{24}(?:@[0-9]{1,9})?")
_NAMES = {f"$.{name}": name for name in ("query", "k", "where", "min_score", "budget", "doc", "lines", "section")} | {
    **{f"$.{name}": name for name in ("neighbours", "offset", "keys", "prefix", "text", "meta")},
    "$.search.k": "k",
    "$.search.min_score": "min_score",
    "$.context.budget": "budget",
}
"""Where an error points, as the tools call it."""
_NAMED = 8
"""Passages without room whose keys are named."""
_MOST_NEIGHBOURS = 50
_MOST_KEYS = 200
_LONGEST_QUERY = 10_000


def reword(error: SeamlineError) -> str:
    """The text of an error, as the command line words it, with the names of arguments."""
    return str(rename(error, _NAMES, "where") if isinstance(error, ConfigError) else error)


class AgentTools:
    """The tools over one index. Any number of threads may call at a time."""

    def __init__(self, index: Index, cap: TokenCap, *, write: bool = False) -> None:
        self._index = index
        self._cap = cap
        self._write = write

    def answer(self, call: Call) -> str:
        """The text of an answer; a SeamlineError where the call cannot be done."""
        match call:
            case SearchCall():
                return self._search(call)
            case ContextCall():
                return self._context(call)
            case GetCall():
                return self._get(call)
            case CiteCall():
                return self._cite(call)
            case OutlineCall():
                return self._outline(call)
            case ListCall():
                return self._list(call)
            case StatusCall():
                return self._status()
            case AddCall():
                return self._add(call)
            case RemoveCall():
                return self._remove(call)

    def read(self, name: str) -> str:
        """A document as a resource: from its start, under the cap."""
        return self._get(GetCall(name))

    def documents(self) -> list[Head]:
        """All documents by name."""
        return self._index.documents()

    def _search(self, call: SearchCall) -> str:
        _check_query(call.query)
        options = SearchOptions(min_score=call.min_score)
        results = self._index.search(call.query, k=call.k, where=call.where, options=options)
        said = _notices(results.notices) or ("" if results.hits else "nothing found: the index has no such passage")

        def compose(room: int) -> str:
            taken = self._take([_hit_passage(hit) for hit in results.hits], room)
            left = results.hits[len(taken) :]
            return paragraphs([fence(taken), _no_room([hit.citation for hit in left]), said])

        return self._cap.fit(compose)

    def _take(self, passages: Sequence[FencedPassage], room: int) -> list[FencedPassage]:
        """The first of the passages that have room; where the first alone is too long, its beginning."""
        taken: list[FencedPassage] = []
        for passage in passages:
            room -= self._cap.count(f"[1 {'; '.join(passage.facts)}]\n{passage.text}\n[/1]\n\n")
            if room < 0:
                break
            taken.append(passage)
        if taken or not passages:
            return taken
        first = passages[0]
        end = self._cap.cut(first.text, max(0, room + self._cap.count(first.text)))
        return [FencedPassage(first.text[:end], (*first.facts, "its beginning"))] if end else []

    def _context(self, call: ContextCall) -> str:
        _check_query(call.query)
        most = min(call.budget, self._cap.most)

        def compose(room: int) -> str:
            found = self._index.context(call.query, budget=room if call.budget > 0 else call.budget)
            keys = "\n".join(f"[{p.number}] {', '.join(one.key for one in p.citations)}" for p in found.passages)
            nothing = "" if found.passages or found.notices else "nothing found that has room in this budget"
            parts = [found.text.strip(), f"Keys:\n{keys}" if keys else nothing]
            return paragraphs([*parts, _no_room(found.left_out), _notices(found.notices)])

        return self._cap.fit(compose, most)

    def _get(self, call: GetCall) -> str:
        _check_numbers(call)
        version, start, end = self._find(call)
        start = min(start + call.offset, end)
        starts = line_starts(version.text)
        return self._cap.fit(lambda room: self._part(call, version, starts, start, end, room))

    def _find(self, call: GetCall) -> tuple[Version, int, int]:
        """The version that a call means, and the span of it."""
        if call.lines and call.section:
            raise ConfigError("lines and section: choose one")
        if _KEY.fullmatch(call.doc) and (cited := self._index.cite(call.doc).cited):
            if call.lines or call.section:
                raise ConfigError("lines and section are of a document: leave them out where doc is a key")
            version = find_version(self._index, f"{cited.doc}@{cited.version}")
            return version, *span_with_neighbours(version, cited.start, cited.end, call.neighbours)
        if call.neighbours:
            raise ConfigError("neighbours: expected the key of a passage as doc, such as a search gives")
        version = find_version(self._index, call.doc)
        if call.lines:
            return version, *span_of_lines(version, *line_range(call.lines))
        if call.section:
            return version, *span_of_section(version, call.section)
        return version, 0, len(version.text)

    def _part(self, call: GetCall, version: Version, starts: list[int], start: int, end: int, room: int) -> str:
        """A span of a version from its start, as far as there is room, with the keys of its chunks."""
        stop = start + self._cap.cut(version.text[start:end], room)
        first, last = lines_of_span(starts, start, stop)
        facts = [f"{version.uri}:{first}-{last}", f"version {version.number}", version.title]
        passage = FencedPassage(version.text[start:stop].strip("\r\n"), [fact for fact in facts if fact])
        keys = [
            "{}-{} {}@{}".format(*lines_of_span(starts, one.start, one.end), one.id, version.number)
            for one in chunks_within(version, start, stop)
        ]
        parts = [fence([passage]), "Keys by lines:\n" + "\n".join(keys) if keys else ""]
        if stop < end:
            begun = call.offset + stop - start
            parts.append(
                f"This is a part: {stop - start:,} of {end - start:,} characters were shown. Go on with the same"
                f" arguments and offset={begun}, or choose lines or a section (`outline` lists them)."
            )
        return paragraphs(parts)

    def _cite(self, call: CiteCall) -> str:
        if not 0 < len(call.keys) <= _MOST_KEYS:
            raise ConfigError(f"keys: expected 1 to {_MOST_KEYS} keys, got {len(call.keys)}")
        found = [self._resolve(key) for key in call.keys]
        known = [one for one in found if one.cited]

        def compose(room: int) -> str:
            taken = self._take([_cited_passage(one) for one in known], room)
            left = [one.cited for one in known[len(taken) :] if one.cited]
            return paragraphs([fence(taken), "\n".join(map(_verdict, found)), _no_room(left)])

        return self._cap.fit(compose)

    def _resolve(self, key: str) -> Resolved:
        try:
            return self._index.cite(key)
        except ConfigError as error:  # one that is no key does not spoil the others
            return Resolved("unknown", None, explanation=str(error), key=key)

    def _outline(self, call: OutlineCall) -> str:
        _check_numbers(call)
        version = find_version(self._index, call.doc)
        starts = line_starts(version.text)
        rows = [
            "{}{}  {}-{}".format("  " * (len(row.path) - 1), plain_label(row.path[-1]), *lines)
            for row in outline(version)
            if (lines := lines_of_span(starts, row.start, row.end))
        ]
        title = f"{version.uri}@{version.number}, {len(starts):,} lines"
        return self._rows(rows, call.offset, [title, "headings with their lines"], "no headings")

    def _list(self, call: ListCall) -> str:
        _check_numbers(call)
        heads = self._index.documents(prefix=call.prefix)
        if not heads and call.prefix:
            raise StoreError(f"no document of the index has a name that starts with {call.prefix!r}")
        rows = [f"{_name(head.doc)}@{head.version}  {_sizes(head)}" for head in heads]
        return self._rows(rows, call.offset, [f"{len(heads):,} documents", "NAME@VERSION, size, title"], "no documents")

    def _rows(self, rows: Sequence[str], offset: int, facts: Sequence[str], nothing: str) -> str:
        """A list as one passage, as far as there is room."""
        text = "\n".join(rows[offset:])

        def compose(room: int) -> str:
            shown = text[: self._cap.cut(text, room)].strip("\n")
            count = len(shown.split("\n")) if shown else 0
            left = len(rows) - offset - count
            more = f"{left:,} more: go on with the same arguments and offset={offset + count}." if left > 0 else ""
            return paragraphs([fence([FencedPassage(shown, facts)]) if shown else nothing, more])

        return self._cap.fit(compose)

    def _status(self) -> str:
        heads = self._index.documents()
        last = max((head.indexed_at for head in heads), default=None)
        rows = {
            "documents": f"{len(heads):,}",
            "chunks": f"{sum(head.chunks for head in heads):,}",
            "tokens": f"{sum(head.tokens for head in heads):,}",
            "chunks without vectors yet": f"{self._index.missing_vectors():,}",
            "last indexed": last.isoformat(timespec="seconds") if last else "never",
            "embedder": self._index.settings.embedder,
            "this server": "reads and writes" if self._write else "only reads",
            "most tokens of an answer": f"{self._cap.most:,}",
        }
        return "\n".join(f"{name}: {plain_label(value)}" for name, value in rows.items())

    def _add(self, call: AddCall) -> str:
        if not call.doc.strip():
            raise ConfigError("doc: expected the name of a document, got nothing")
        check_name(call.doc)
        report = self._index.add(call.doc, call.text, meta=call.meta)
        version = self._index.version(call.doc)
        done = f"{_name(call.doc)}@{version.number if version else 0} is in the index"
        return paragraphs([done, "\n".join(f"notice: {plain_label(one)}" for one in report.notices)])

    def _remove(self, call: RemoveCall) -> str:
        find_version(self._index, call.doc)
        self._index.remove(call.doc)
        return f"{_name(call.doc)} was removed; what was cited of it stays known"


def _check_query(query: str) -> None:
    if len(query) > _LONGEST_QUERY:
        raise ConfigError(f"query: expected at most {_LONGEST_QUERY:,} characters, got {len(query):,}")


def _check_numbers(call: GetCall | OutlineCall | ListCall) -> None:
    if call.offset < 0:
        raise ConfigError(f"offset: expected 0 or more, got {call.offset}")
    if isinstance(call, GetCall) and not 0 <= call.neighbours <= _MOST_NEIGHBOURS:
        raise ConfigError(f"neighbours: expected a whole number from 0 to {_MOST_NEIGHBOURS}, got {call.neighbours}")


def _hit_passage(hit: Hit) -> FencedPassage:
    made = (f"derived {hit.derived}",) if hit.derived else ()
    return FencedPassage(hit.text, (hit.label(), *made, f"key {hit.citation.key}", f"score {hit.score:.2f}"))


def _cited_passage(resolved: Resolved) -> FencedPassage:
    cited = resolved.cited
    where = label(cited.uri, cited.anchor, cited.path) if cited else ""
    return FencedPassage(resolved.text, (where, f"key {resolved.key}", resolved.status))


def _verdict(resolved: Resolved) -> str:
    """What became of a citation, on one line, with the keys of what is there now."""
    now = [one.key for one in resolved.now] if resolved.status in ("moved", "edited") else []
    keys = f"; now {', '.join(now)}" if now else ""
    return f"{plain_label(resolved.key)}: {resolved.status}: {plain_label(resolved.explanation)}{keys}"


def _no_room(left: Sequence[Citation]) -> str:
    """What was found and is not shown, and how to read it."""
    if not left:
        return ""
    keys = ", ".join(one.key for one in left[:_NAMED])
    return f"{len(left):,} more had no room; read them with get: {keys}{' and others' if len(left) > _NAMED else ''}"


def _notices(notices: Iterable[Notice]) -> str:
    return "\n".join(f"notice: {plain_label(notice.message)}" for notice in notices)


def _name(doc: str) -> str:
    """The name of a document as `get` takes it, on one line: as JSON where a plain label would be another name."""
    return doc if plain_label(doc) == doc else json.dumps(doc)


def _sizes(head: Head) -> str:
    title = f"  {plain_label(head.title)}" if head.title else ""
    return f"{head.chunks:,} chunks, {head.tokens:,} tokens{title}"
