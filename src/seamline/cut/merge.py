"""Small chunks: below the floor a chunk merges with the next, else with the one before, else stays."""

from __future__ import annotations

from collections.abc import Callable

from seamline.cut.draft import Draft, rendered
from seamline.protocols import Tokenizer

MayJoin = Callable[[Draft, Draft], bool]


def merge_small(
    text: str, drafts: list[Draft], floor: int, limit: int, tokenizer: Tokenizer, may_join: MayJoin
) -> list[Draft]:
    """Drafts of which none is below `floor` where a neighbour it may join has room."""
    out: list[Draft] = []
    waiting = drafts[:1]
    for draft in drafts[1:]:
        current = waiting[0]
        if current.tokens < floor and (both := _joined(text, current, draft, limit, tokenizer, may_join)):
            waiting = [both]
            continue
        _settle(text, out, current, floor, limit, tokenizer, may_join)
        waiting = [draft]
    if waiting:
        _settle(text, out, waiting[0], floor, limit, tokenizer, may_join)
    return out


def _settle(
    text: str, out: list[Draft], draft: Draft, floor: int, limit: int, tokenizer: Tokenizer, may_join: MayJoin
) -> None:
    """Append, or merge backward where the draft is still small."""
    if draft.tokens < floor and out and (both := _joined(text, out[-1], draft, limit, tokenizer, may_join)):
        out[-1] = both
    else:
        out.append(draft)


def _joined(text: str, left: Draft, right: Draft, limit: int, tokenizer: Tokenizer, may_join: MayJoin) -> Draft | None:
    """Both as one chunk, where they may be and fit."""
    if left.alone or right.alone or not may_join(left, right):
        return None
    if left.end - left.start + right.end - right.start > 16 * limit:
        return None
    tokens = tokenizer.count(rendered(text, left.start, right.end, left.context, right.closing))
    if tokens > limit:
        return None
    return left._replace(end=right.end, tokens=tokens, closing=right.closing)
