"""The imports a chunk uses, put before it where they fit: a function stays whole rather than get its imports."""

from __future__ import annotations

from collections.abc import Sequence

from seamline.cut.draft import Draft, rendered
from seamline.protocols import Tokenizer
from seamline.source.imports import Import, Imports
from seamline.types import Context, Document

_SHARE = 8
"""An eighth of the limit is kept free for imports."""


def import_reserve(document: Document, limit: int) -> int:
    """Tokens to keep free while packing."""
    return limit // _SHARE if any((block.attrs or {}).get("imports") for block in document.blocks) else 0


class Borrower:
    """Adds imports to the drafts of one document."""

    def __init__(self, document: Document, imports: Imports, tokenizer: Tokenizer, limit: int) -> None:
        self._text = document.text
        self._imports = imports
        self._count = tokenizer.count
        self._limit = limit
        self._indents = document.front_matter.get("programming_language") == "python"
        self._tokens: dict[Import, int] = {}
        self._additive = tokenizer.additive
        self._lines: dict[tuple[int, int], int] = {}

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
            borrowed = self._contexts(used)
            context = (*borrowed, *draft.context)
            if self._adds_up(draft):
                tokens = draft.tokens + sum(map(self._exact, borrowed))
            else:
                tokens = self._count(rendered(self._text, draft.start, draft.end, context, draft.closing))
            if tokens <= self._limit:
                return draft._replace(context=context, tokens=tokens)
            room -= tokens - self._limit
        return draft

    def _adds_up(self, draft: Draft) -> bool:
        """Whether counts before and after the start of a draft add up exactly: imports end their lines."""
        first = draft.context[0] if draft.context else None
        start = first.start if first else draft.start
        if first and first.start == first.end:
            return False
        return self._additive and self._text[start] not in "/\r\n"

    def _exact(self, context: Context) -> int:
        key = (context.start, context.end)
        if key not in self._lines:
            self._lines[key] = self._count(self._text[context.start : context.end] + context.added)
        return self._lines[key]

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
