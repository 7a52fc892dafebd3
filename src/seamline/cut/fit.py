"""Document -> drafts: atoms, scored gaps, a packer, and proof that every chunk keeps the limit.

Ranges between forced cuts (sections, under the default policy) are handled one by one. A range within the target
is one chunk whatever the packer: splitting it would add a cut and move every piece further from the target.

Small chunks: below the floor a chunk merges with the next, else with the one before, else stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, pairwise

from seamline.cut.atomize import Atomizer
from seamline.cut.atoms import (
    Atom,
    Draft,
    Gap,
    closing_text,
    closing_tokens,
    context_text,
    opening_context,
    opening_tokens,
    part_of,
    render_chunk,
)
from seamline.cut.context import HeadingContexts, root_title
from seamline.cut.measure import Measure
from seamline.cut.pack import Goal, Load, Pack, packer
from seamline.cut.scores import NO_SIGNAL, Scorer, Signal
from seamline.cut.sections import find_sections
from seamline.cut.split.blocks import Splitter
from seamline.cut.split.ladder import bears_marks
from seamline.errors import BudgetError
from seamline.protocols import Tokenizer
from seamline.recipe.recipe import Recipe
from seamline.text.lines import counts_apart, trimmed
from seamline.types import Document

_ATTEMPTS = 8


class Cutter:
    """Cuts one document."""

    def __init__(
        self, document: Document, recipe: Recipe, tokenizer: Tokenizer, reserve: int, signal: Signal = NO_SIGNAL
    ) -> None:
        self.document = document
        self.text = document.text
        self.blocks = document.blocks
        self.recipe = recipe
        self.budget = recipe.budget
        self.count = tokenizer.count
        self.measure = Measure(document.text, tokenizer)
        self.reserve = min(reserve, recipe.budget.limit // 3)
        self.tops = document.tops
        self.starts = [self.blocks[i].start for i in self.tops]
        self.sections = find_sections(self.blocks, self.tops, recipe.breadcrumb_depth)
        open_ends = {b.end: detail.unclosed for b in self.blocks if (detail := b[5]) is not None and detail.unclosed}
        self.unclosed = {end: close for end, close in open_ends.items() if self._is_affordable(close)}
        self.scorer = Scorer(recipe.scores, signal)
        self._is_silent = self.scorer.is_silent
        self._most_whole = recipe.budget.limit if recipe.depth else recipe.budget.target
        self._outline = signal.outline
        self.title = root_title(document) if recipe.breadcrumb_title and recipe.breadcrumb_depth else ""
        self.leads = HeadingContexts(
            document, self.starts, self.sections, self.count, heading_tokens(recipe), self.title
        )

    @cached_property
    def splitter(self) -> Splitter:
        recipe = self.recipe
        splitter = Splitter(self.measure, self.blocks, recipe.whole, recipe.split, self.scorer)
        if self._outline is not None:
            splitter.open_code(self._outline, docstring=recipe.code.docstring)
        return splitter

    @cached_property
    def atomizer(self) -> Atomizer:
        return Atomizer(
            self.document,
            self.tops,
            self.starts,
            self.sections,
            self.leads,
            self.splitter,
            self.scorer,
            self.measure,
            self.recipe.whole,
        )

    @cached_property
    def pack(self) -> Pack:
        recipe = self.recipe
        return packer(recipe.packer, window=recipe.window, decay=recipe.decay, balance=recipe.balance)

    def drafts(self) -> list[Draft]:
        """All chunks of the document, in order."""
        out: list[Draft] = []
        for first, last in self._ranges():
            out.extend(self._range(first, last))
        return out

    def gaps(self) -> Iterator[Gap]:
        """All gaps before atoms, in order; those of ranges that are one chunk included."""
        for first, last in self._ranges():
            atoms = self.atomizer.atoms(first, last, self._extent(first, last)[1], self.budget.limit)
            starts = {low for low, _ in self._segments(atoms)}
            for index, (atom, score) in enumerate(zip(atoms, self.scorer.scores(atoms), strict=True)):
                yield Gap(atom.start, atom.seam, score, index in starts, atom.forbidden, atom.tokens)

    # --- ranges ----------------------------------------------------------------------------------------------

    def _ranges(self) -> Iterator[tuple[int, int]]:
        """Forced cuts: ranges of sections that no chunk crosses."""
        sections = self.sections
        if not sections:
            return
        if self.recipe.sections == "paragraph":
            yield 0, len(sections)
        elif self.recipe.depth == 0:
            for index in range(len(sections)):
                yield index, index + 1
        else:
            yield from self._at_depth(0, len(sections), self.recipe.depth)

    def _at_depth(self, first: int, last: int, depth: int) -> Iterator[tuple[int, int]]:
        """Sections down to heading level `depth` with all that is under them; finer where one is too large."""
        begin = first
        for index in range(first + 1, last + 1):
            if index < last and self.sections[index].level > depth:
                continue
            if index - begin > 1 and depth < 6 and not self._fits(begin, index):
                yield from self._at_depth(begin, index, depth + 1)
            else:
                yield begin, index
            begin = index

    def _fits(self, first: int, last: int) -> bool:
        start, end = self._extent(first, last)
        if end - start > 16 * self.budget.limit:
            return False
        lead = self.leads.at(first, start)
        return self.count(lead.text + self.text[start:end]) <= self.budget.limit

    def _extent(self, first: int, last: int) -> tuple[int, int]:
        """Start and end of the sections [first, last)."""
        sections = self.sections
        return self.starts[sections[first].first], self.blocks[self.tops[sections[last - 1].last - 1]].end

    def _range(self, first: int, last: int) -> list[Draft]:
        start, end = self._extent(first, last)
        target = self._most_whole
        # A longer range hardly fits; it is counted block by block below.
        if end - start <= 5 * target and (self._is_silent or not self.scorer.forces(start, end)):
            context, above, tokens = self.leads.at(first, start)
            close = self._left_open(end) if self.unclosed else ""
            if self.measure.adds_up(start):
                tokens += self.count(self.text[start:end] + close)
            else:
                tokens = self.count(above + self.text[start:end] + close)
            if tokens <= target:
                return [Draft(start, end, tokens, context, close, first, self._seam(first))]
        return self._packed(first, last, end)

    def _seam(self, section: int) -> str:
        level = self.sections[section].level
        return "start" if section == 0 else f"h{level}" if level else "paragraph"

    def _is_affordable(self, close: str) -> bool:
        """Whether the close of a fence leaves room: under hundreds of quote marks it is larger than a chunk."""
        return self.count(close) <= self.budget.limit // 4

    def _left_open(self, end: int) -> str:
        """The close of a fence that the document itself leaves open at `end`."""
        fence = self.unclosed.get(end)
        return f"\n{fence}" if fence else ""

    # --- ranges above the target -----------------------------------------------------------------------------

    def _packed(self, first: int, last: int, end: int) -> list[Draft]:
        """Several chunks; tightened until the real count of each is within the limit."""
        slack = 0
        for _ in range(_ATTEMPTS):
            drafts = self._attempt(first, last, end, slack)
            over = max(draft.tokens for draft in drafts) - self.budget.limit
            if over <= 0:
                return drafts
            slack = min(max(2 * slack + 1, slack + over), self.budget.limit * 3 // 4)
        raise unfitting_error(self.document, over, self.budget.limit)

    def _attempt(self, first: int, last: int, end: int, slack: int) -> list[Draft]:
        limit = self.budget.limit - slack
        goal = Goal(min(self.budget.target, limit), limit)
        # A cluster that fits stays whole however much the rest is tightened, unless that does not help: the limit wins.
        whole = slack <= self.budget.limit // 2
        self.splitter.slack, self.splitter.cluster = (slack, self.budget.limit * 3 // 4) if whole else (0, 0)
        atoms = self.atomizer.atoms(first, last, end, limit)
        drafts: list[Draft] = []
        for low, high in self._segments(atoms):
            cuts = self._cuts(atoms, low, high, goal, first, last)
            bounds = [low, *cuts, high]
            for i, j in pairwise(bounds):
                if draft := self._draft(atoms, i, j, end, first, last):
                    drafts.append(draft)
        return drafts

    def _segments(self, atoms: Sequence[Atom]) -> Iterator[tuple[int, int]]:
        """Index ranges between forced cuts: those of the signal, around atoms standing alone, and between parts of
        code. A heading above an atom standing alone stays with it."""
        low = 0
        if self._is_silent and not any(atom.frame or atom.alone for atom in atoms):
            yield 0, len(atoms)
            return
        for index, atom in enumerate(atoms):
            if atom.alone:
                top = index
                while atoms[top].forbidden and top > low:
                    top -= 1
                if top > low:
                    yield low, top
                yield top, index + 1
                low = index + 1
            elif index > low and not atom.forbidden and self._is_forced(atoms[index - 1], atom):
                yield low, index
                low = index
        if low < len(atoms):
            yield low, len(atoms)

    def _is_forced(self, before: Atom, atom: Atom) -> bool:
        if before.frame is not atom.frame and part_of(before.frame) != part_of(atom.frame):
            return True
        return self.scorer.is_forced(atom.start)

    def _cuts(self, atoms: Sequence[Atom], low: int, high: int, goal: Goal, first: int, last: int) -> list[int]:
        """Where the packer cuts the atoms [low, high)."""
        if high - low == 1:
            return []
        part = atoms[low:high]
        sums = list(accumulate([atom.tokens for atom in part], initial=0))
        lead = self._common_leads(part, first) if last - first == 1 else []
        if lead and not any(a.frame for a in part) and _largest(part, lead) <= goal.limit:
            tail = [0] * len(sums)  # the common case, at a third of the cost
        else:
            tail = [0, *[closing_tokens(a.frame, a.end) if a.frame else 0 for a in part]]
            lead = self.leads.tokens_at([atom.start for atom in part], first, last)
            lead = [
                tokens + opening_tokens(atom.frame, self.text, atom.start) if atom.frame else tokens
                for tokens, atom in zip(lead, part, strict=True)
            ]
        score = self.scorer.scores(part)
        forbidden = {i for i, a in enumerate(part) if a.forbidden}
        load = Load(sums, lead, tail, score, forbidden)
        if self.reserve:
            goal = self._reserved(goal, part, lead)
        if load.size(0, len(part)) <= goal.target:
            return []
        return [low + cut for cut in self.pack(load, goal)]

    def _common_leads(self, part: Sequence[Atom], section: int) -> list[int]:
        """Tokens of the headings above each atom of a section, as if all but the first stood below its last heading:
        too many for a heading among several."""
        lead = [self.leads.at(section, part[-1].start).tokens] * len(part)
        lead[0] = self.leads.at(section, part[0].start).tokens
        return lead

    def _reserved(self, goal: Goal, part: Sequence[Atom], lead: Sequence[int]) -> Goal:
        """Sizes that leave room for overlap, unless something that may not be cut needs that room itself."""
        less = goal.limit - self.reserve
        return Goal(min(goal.target, less), less if _largest(part, lead) <= less else goal.limit)

    def _draft(self, atoms: Sequence[Atom], i: int, j: int, end: int, first: int, last: int) -> Draft | None:
        """The chunk of the atoms [i, j), counted as it will be delivered."""
        text, head, foot = self.text, atoms[i], atoms[j - 1]
        start = head.start
        stop = trimmed(text, start, min(foot.end, end))
        if head.seam == "word":
            while start < stop and text[start].isspace() and not bears_marks(text, start):
                start += 1
        if start >= stop:
            return None
        section = self.leads.section_at(start, first, last)
        headings, _, heading_tokens = self.leads.at(section, start)
        frame = opening_context(head.frame, text, start) if head.frame else ()
        close = self._left_open(stop) + closing_text(foot.frame, foot.end)
        context = (*headings, *frame)
        opening = context_text(text, frame) if frame else ""
        if start == head.start and stop > foot.start and self._adds_up(opening, atoms, i, j):
            tokens = heading_tokens + self.measure.ending(foot.start, stop, foot.end, foot.tokens, close)
            tokens += sum([atom.tokens for atom in atoms[i : j - 1]])
            tokens += self.count(opening) if opening else 0
        else:
            tokens = self.count(render_chunk(text, start, stop, context, close))
        alone = head.alone or foot.alone or part_of(head.frame) is not None
        seam = self._seam(section) if start == self.starts[self.sections[section].first] else head.seam
        return Draft(start, stop, tokens, context, close, section, seam, alone)

    def _adds_up(self, opening: str, atoms: Sequence[Atom], i: int, j: int) -> bool:
        """Whether a chunk has as many tokens as the headings above it, what it opens and its atoms have together."""
        if opening and not (opening[-1] == "\n" and counts_apart(opening, 0)):
            return False
        return all(atom.exact and self.measure.adds_up(atom.start) for atom in atoms[i:j])


def _largest(part: Sequence[Atom], lead: Sequence[int]) -> int:
    """Tokens of the largest chunk that may not be cut: one atom, or several that are forbidden."""
    largest = chain = 0
    for atom, extra in zip(part, lead, strict=True):
        chain = atom.tokens + (chain if atom.forbidden else extra)
        largest = max(largest, chain)
    return largest


def heading_tokens(recipe: Recipe) -> int:
    """How many tokens borrowed headings may take."""
    return recipe.budget.limit // 4 if recipe.breadcrumb else 0


def unfitting_error(document: Document, over: int, limit: int) -> BudgetError:
    """What to say when tightening does not end."""
    return BudgetError(
        f"the tokenizer's counts do not add up: a chunk of {document.id} stays {over} tokens over the "
        f"limit of {limit}; raise the limit or use another tokenizer"
    )


MayJoin = Callable[[Draft, Draft], bool]


def merge_small(
    text: str, drafts: list[Draft], floor: int, limit: int, tokenizer: Tokenizer, may_join: MayJoin
) -> list[Draft]:
    """Drafts of which none is below `floor` where a neighbour it may join has room."""
    out: list[Draft] = []
    waiting = drafts[:1]
    for draft in drafts[1:]:
        current = waiting[0]
        if current.tokens < floor and (both := _join(text, current, draft, limit, tokenizer, may_join)):
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
    if draft.tokens < floor and out and (both := _join(text, out[-1], draft, limit, tokenizer, may_join)):
        out[-1] = both
    else:
        out.append(draft)


def _join(text: str, left: Draft, right: Draft, limit: int, tokenizer: Tokenizer, may_join: MayJoin) -> Draft | None:
    """Both as one chunk, where they may be and fit."""
    if left.alone or right.alone or not may_join(left, right):
        return None
    if left.end - left.start + right.end - right.start > 16 * limit:
        return None
    tokens = tokenizer.count(render_chunk(text, left.start, right.end, left.context, right.closing))
    if tokens > limit:
        return None
    return left._replace(end=right.end, tokens=tokens, closing=right.closing)
