"""The imports a chunk uses, put before it where they fit: a function stays whole rather than get its imports."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from seamline.cut.draft import Draft, rendered
from seamline.source.imports import Import, Imports
from seamline.types import Context, Document

_SHARE = 8
"""An eighth of the limit is kept free for imports."""


def import_reserve(document: Document, limit: int) -> int:
    """Tokens to keep free while packing."""
    return limit // _SHARE if any((block.attrs or {}).get("imports") for block in document.blocks) else 0


class Borrower:
    """Adds imports to the drafts of one document."""

    def __init__(self, document: Document, imports: Imports, count: Callable[[str], int], limit: int) -> None:
        self._text = document.text
        self._imports = imports
        self._count = count
        self._limit = limit
        self._indents = document.front_matter.get("programming_language") == "python"
        self._tokens: dict[Import, int] = {}

    def add(self, drafts: Sequence[Draft]) -> list[Draft]:
        return [self._added(draft) for draft in drafts]

    def _added(self, draft: Draft) -> Draft:
        used = self._imports.used(draft.start, draft.end)
        if not used or (self._indents and self._is_indented(draft)):
            return draft
        room = self._limit - draft.tokens
        while used:
            while used and sum(map(self._cost, used)) > room:
                used.remove(max(used, key=self._cost))  # many short lines rather than a long one
            context = (*self._contexts(used), *draft.context)
            tokens = self._count(rendered(self._text, draft.start, draft.end, context, draft.closing))
            if tokens <= self._limit:
                return draft._replace(context=context, tokens=tokens)
            room -= tokens - self._limit
        return draft

    def _is_indented(self, draft: Draft) -> bool:
        """Whether its text starts further right than an import may stand."""
        first = draft.context[0].start if draft.context else draft.start
        return self._text[first] in " \t"

    def _cost(self, one: Import) -> int:
        if one not in self._tokens:
            self._tokens[one] = self._count(self._text[one.start : one.end]) + 1
        return self._tokens[one]

    def _contexts(self, used: Sequence[Import]) -> list[Context]:
        """Import lines in order, those of a group between its brackets."""
        out: list[Context] = []
        group = None
        for one in used:
            if one.group != group:
                out += self._closed(group)
                group = one.group
                if group:
                    out.append(Context("import", group[0], group[1], "\n"))
            out.append(Context("import", one.start, one.end, "\n"))
        return out + self._closed(group)

    def _closed(self, group: tuple[int, int, int] | None) -> list[Context]:
        return [Context("import", group[2], group[2] + 1, "\n")] if group else []
