"""What a chunk repeats of the one before it. Every kind is one function from two neighbours to start offsets.

The repeated text always runs up to the body, so it is one exact slice of the document. It never starts inside a
fence, a table or other markup: those are taken whole or not at all.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence

from seamline.cut.atoms import Draft, context_text, render_chunk
from seamline.cut.sections import Section
from seamline.protocols import Tokenizer
from seamline.recipe.recipe import Overlap
from seamline.text.graphemes import boundary_before, is_boundary
from seamline.text.pointing import points_back
from seamline.text.sentences import last_sentence, sentence_starts
from seamline.types import Block, Context, Document, Span

DEFAULT_TOKENS: Mapping[str, int] = {
    "none": 0,
    "blocks": 48,
    "boundary": 50,
    "sentences": 64,
    "tokens": 0,  # 15% of the target
    "context": 100,
    "shadows": 60,
    "auto": 64,
}
_FRAME_ROLES = frozenset(("fence", "header", "key", "comment", "math", "directive", "marker"))
_PROSE = frozenset(("paragraph", "list", "quote"))
_SENTENCES = 2
"""At most so many does `auto` repeat."""
_PREFERRED = frozenset(("paragraph", "figure", "quote", "list"))  # before code and tables, where there is a choice


def overlap_tokens(overlap: Overlap, target: int) -> int:
    """The budget of an overlap, the kind's own default where none is given."""
    if overlap.tokens:
        return overlap.tokens
    return target * 15 // 100 if overlap.kind == "tokens" else DEFAULT_TOKENS[overlap.kind]


class Overlapper:
    """Adds overlap to the drafts of one document."""

    def __init__(
        self,
        document: Document,
        tops: Sequence[int],
        sections: Sequence[Section],
        tokenizer: Tokenizer,
        limit: int,
    ) -> None:
        self.text = document.text
        self.blocks = document.blocks
        self.tops = tops
        self.sections = sections
        self.starts = [document.blocks[i].start for i in tops]
        self.count = tokenizer.count
        self.limit = limit
        self._firsts = [section.first for section in sections]

    def add(self, drafts: list[Draft], kind: str, most: int, crosses: bool) -> list[Draft]:
        """Drafts with what each repeats; `crosses` lets it reach over section bounds."""
        out = drafts[:1]
        for index in range(1, len(drafts)):
            before, draft = drafts[index - 1], drafts[index]
            if before.section != draft.section and (not crosses or kind == "auto"):
                out.append(draft)
            elif kind == "context":
                out.append(self._summarised(drafts, index, most))
            else:
                out.append(self._overlapped(before, draft, kind, most))
        return out

    def _overlapped(self, before: Draft, draft: Draft, kind: str, most: int) -> Draft:
        heading = self._last_heading(before, draft) if kind == "boundary" else ()
        if any(c.role in _FRAME_ROLES for c in draft.context) or before.closing:
            candidates: list[int] = []  # inside a split block: its reopened frame is the overlap
        else:
            candidates = _KINDS[kind](self, before, draft, min(most, self.limit - draft.tokens))
        for start in candidates:
            tail = (*heading, Context("overlap", start, draft.start))
            if self.count(context_text(self.text, tail)) <= most and (new := self._with(draft, tail)):
                return new
        return (self._with(draft, heading) if heading else None) or draft

    def _with(self, draft: Draft, more: tuple[Context, ...]) -> Draft | None:
        """The draft with more context before its body, where that keeps the limit."""
        # Headings come first; what reopens a fence or table has to stand right before the body.
        known, new = ([c for c in part if c.role != "heading"] for part in (draft.context, more))
        context = (*[c for c in (*draft.context, *more) if c.role == "heading"], *new, *known)
        tokens = self.count(render_chunk(self.text, draft.start, draft.end, context, draft.closing))
        return draft._replace(context=context, tokens=tokens) if tokens <= self.limit else None

    def _last_heading(self, before: Draft, draft: Draft) -> tuple[Context, ...]:
        """The heading in force where the chunk before ends, unless the chunk has it already."""
        path = self.sections[bisect_right(self._firsts, self._last_top(before)) - 1].path
        if not path:
            return ()
        heading = self.blocks[path[-1]]
        if any(c.role == "heading" and c.start == heading.start for c in draft.context):
            return ()
        return (Context("heading", heading.start, heading.end, "\n\n"),)

    # --- where an overlap may start, best first --------------------------------------------------------------

    def _tail_blocks(self, before: Draft) -> list[Block]:
        """The top-level blocks that lie wholly in a draft's body, first to last."""
        low = bisect_left(self.starts, before.start)
        high = bisect_right(self.starts, before.end - 1)
        return [self.blocks[i] for i in self.tops[low:high]]

    def _prose_start(self, before: Draft) -> int:
        """The start of the last paragraph of a draft, or its end where it does not close with one."""
        block = self.blocks[self.tops[self._last_top(before)]]
        return max(before.start, block.start) if block.kind == "paragraph" else before.end

    def by_blocks(self, before: Draft, draft: Draft, most: int) -> list[int]:
        """Starts of suffixes of whole blocks, largest first; never a heading alone, never front matter."""
        blocks = self._tail_blocks(before)
        if not blocks or blocks[-1].kind in ("heading", "front_matter") or draft.start < blocks[-1].end:
            return []
        fitting: list[Block] = []
        for block in reversed(blocks):
            if block.kind == "front_matter" or draft.start - block.start > 16 * most:
                break
            fitting.append(block)
        fitting.reverse()
        fitting = [b for b in fitting if self.count(self.text[b.start : draft.start]) <= most]
        preferred = [b for b in fitting if b.kind in _PREFERRED]
        return [b.start for b in (preferred or fitting)]

    def by_sentences(self, before: Draft, draft: Draft, most: int) -> list[int]:
        start = self._prose_start(before)
        if start >= before.end:
            return []
        reach = max(start, before.end - 16 * most)
        starts = sentence_starts(self.text, reach, before.end)
        return starts if reach == start else starts[1:]

    def by_loss(self, before: Draft, draft: Draft, most: int) -> list[int]:
        """What the cut loses: the start of a sentence that was cut, or the sentence that a pronoun or a connective
        points back at, and the one before where that points back too. Nothing where the chunk can be read alone."""
        block = self.blocks[self.tops[max(0, bisect_right(self.starts, draft.start) - 1)]]
        start = self._prose_start(before)
        if block.kind not in _PROSE or start >= before.end:
            return []
        inside = draft.seam == "word"
        if not inside and not points_back(self.text[draft.start : draft.end]):
            return []
        reach = max(start, before.end - 16 * most)
        starts = sentence_starts(self.text, reach, before.end)
        starts = starts if reach == start else starts[1:]
        at = len(starts) - 1
        while (
            at > 0 and not inside and len(starts) - at < _SENTENCES and points_back(self.text[starts[at] : draft.start])
        ):
            at -= 1
        return starts[max(at, 0) :]

    def by_boundary(self, before: Draft, draft: Draft, most: int) -> list[int]:
        start = self._prose_start(before)
        return [last_sentence(self.text, start, before.end)] if start < before.end else []

    def by_tokens(self, before: Draft, draft: Draft, most: int) -> list[int]:
        """The earliest start that keeps the budget: whole blocks, and the last words of the paragraph before them."""
        start = draft.start
        for block in reversed(self._tail_blocks(before) or [self.blocks[self.tops[self._last_top(before)]]]):
            begin = max(block.start, before.start)
            fits = draft.start - begin <= 16 * most and self.count(self.text[begin : draft.start]) <= most
            if fits and block.kind != "front_matter" and block.start >= before.start:
                start = begin
                continue
            if block.kind == "paragraph":
                start = min(start, self._word_start(begin, draft.start, most))
            elif block.kind == "list":
                items = [at for at in self._item_starts(block, before) if at < start]
                fitting = [at for at in items if self.count(self.text[at : draft.start]) <= most]
                start = min([start, *fitting])
            break
        return [start] if start < draft.start else []

    def _item_starts(self, block: Block, before: Draft) -> list[int]:
        """Where the items of a list start that lie in a draft's body, the last ones of many."""
        index = self.tops[bisect_left(self.starts, block.start)]
        low = bisect_left(self.blocks, before.start, index, key=lambda b: b.start)
        high = bisect_left(self.blocks, before.end, low, key=lambda b: b.start)
        return [b.start for b in self.blocks[max(low, high - 200) : high] if b.parent == index]

    def _last_top(self, draft: Draft) -> int:
        return bisect_right(self.starts, draft.end - 1) - 1

    def _word_start(self, floor: int, end: int, most: int) -> int:
        """By bisection, the earliest word start in [floor, end) whose text up to `end` has at most `most` tokens."""
        low, high = max(floor, end - 16 * most), end
        while low < high:
            middle = (low + high) // 2
            if self.count(self.text[middle:end]) <= most:
                high = middle
            else:
                low = middle + 1
        word = low
        # A word's first token may be another than the middle of it had: the count is taken at the word.
        while word < end and not (self._starts_word(word, floor) and self.count(self.text[word:end]) <= most):
            word += 1
        if word >= end:  # a script without spaces: between two characters will do
            word = low
            while word < end and not is_boundary(self.text, word):
                word += 1
        return word

    def _starts_word(self, at: int, floor: int) -> bool:
        if at == floor:
            return True
        return self.text[at - 1].isspace() and not self.text[at].isspace() and is_boundary(self.text, at)

    # --- a summary of what came before -----------------------------------------------------------------------

    def _summarised(self, drafts: list[Draft], index: int, most: int) -> Draft:
        """The first sentence of each chunk before, in its section, as many of the nearest as fit."""
        draft = drafts[index]
        chosen: list[Context] = []
        left = most
        for before in reversed(drafts[max(0, index - 8) : index]):
            if before.section != draft.section:
                break
            sentence = self._first_sentence(before)
            if sentence is None:
                continue
            cost = self.count(self.text[sentence.start : sentence.end]) + 1
            if cost > left:
                break
            left -= cost
            chosen.insert(0, Context("summary", sentence.start, sentence.end, " "))
        if not chosen:
            return draft
        chosen[-1] = chosen[-1]._replace(added="\n\n")
        return self._with(draft, tuple(chosen)) or draft

    def _first_sentence(self, draft: Draft) -> Span | None:
        for block in self._tail_blocks(draft):
            if block.kind == "paragraph":
                end = min(block.end, block.start + 2000, draft.end)
                starts = sentence_starts(self.text, block.start, end)
                stop = starts[1] if len(starts) > 1 else end
                return Span(block.start, block.start + len(self.text[block.start : stop].rstrip()))
        return None

    # --- shadows: kept beside a chunk, never in its text -----------------------------------------------------

    def shadows(self, drafts: Sequence[Draft], index: int, most: int) -> tuple[Span | None, Span | None]:
        """The last tokens of the sibling before and the first of the sibling after."""
        draft = drafts[index]
        left = right = None
        if index and drafts[index - 1].section == draft.section:
            before = drafts[index - 1]
            left = Span(self._word_start(before.start, before.end, most), before.end)
        if index + 1 < len(drafts) and drafts[index + 1].section == draft.section:
            after = drafts[index + 1]
            right = Span(after.start, self._word_end(after.start, after.end, most))
        return left, right

    def _word_end(self, start: int, ceiling: int, most: int) -> int:
        low, high = start, min(ceiling, start + 16 * most)
        while low < high:
            middle = (low + high + 1) // 2
            if self.count(self.text[start:middle]) <= most:
                low = middle
            else:
                high = middle - 1
        word = low
        while start < word < ceiling and not self.text[word].isspace():
            word -= 1
        return word if word > start else boundary_before(self.text, low, start)


_KINDS: Mapping[str, Callable[[Overlapper, Draft, Draft, int], list[int]]] = {
    "auto": Overlapper.by_loss,
    "blocks": Overlapper.by_blocks,
    "boundary": Overlapper.by_boundary,
    "sentences": Overlapper.by_sentences,
    "tokens": Overlapper.by_tokens,
}
