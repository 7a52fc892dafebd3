"""Document -> drafts: atoms, scored gaps, a packer, and proof that every chunk keeps the limit.

Ranges between forced cuts (sections, under the default policy) are handled one by one. A range within the target
is one chunk whatever the packer: splitting it would add a cut and move every piece further from the target.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate, pairwise

from seamline.cut.atoms import Atom, closing, closing_tokens, opening, opening_tokens
from seamline.cut.draft import Draft, rendered
from seamline.cut.ladder import Piece, coalesce
from seamline.cut.lines import trimmed
from seamline.cut.oversize import Splitter, Task
from seamline.cut.pack import Goal, Load, Pack, packer
from seamline.cut.scores import seam_before
from seamline.cut.sections import find_sections
from seamline.errors import BudgetError
from seamline.protocols import Tokenizer
from seamline.recipe import Recipe
from seamline.types import Context, Document

_CROWD = 5000  # atoms in one range above which tiny paragraphs are joined before packing
_ATTEMPTS = 8

Lead = tuple[tuple[Context, ...], str, int]
"""Headings a chunk borrows: as spans, as text, and how many tokens they have."""
_NO_LEAD: Lead = ((), "", 0)


class Engine:
    """Cuts one document."""

    def __init__(self, document: Document, recipe: Recipe, tokenizer: Tokenizer, reserve: int) -> None:
        self.document = document
        self.text = document.text
        self.blocks = document.blocks
        self.recipe = recipe
        self.budget = recipe.budget
        self.count = tokenizer.count
        self.additive = tokenizer.additive
        self.reserve = min(reserve, recipe.budget.limit // 3)
        self.tops = [i for i, b in enumerate(self.blocks) if b.parent < 0]
        self.starts = [self.blocks[i].start for i in self.tops]
        self.sections = find_sections(self.blocks, self.tops, recipe.breadcrumb_depth)
        self.unclosed = {b.end: str(b.attrs["unclosed"]) for b in self.blocks if b.attrs and "unclosed" in b.attrs}
        self._bare: set[int] = set()  # starts of chunks that have no room for borrowed headings
        self._leads: dict[tuple[int, ...], Lead] = {}
        self._section_firsts = [section.first for section in self.sections]

    @cached_property
    def splitter(self) -> Splitter:
        cluster = self.budget.limit * 3 // 4
        return Splitter(self.text, self.blocks, self.count, self.recipe.whole, self.recipe.split, cluster)

    @cached_property
    def pack(self) -> Pack:
        recipe = self.recipe
        return packer(recipe.packer, window=recipe.window, decay=recipe.decay, balance=recipe.balance)

    @cached_property
    def scores(self) -> dict[str, float]:
        return {name: value / 100 for name, value in self.recipe.scores.items()}

    def drafts(self) -> list[Draft]:
        """All chunks of the document, in order."""
        out: list[Draft] = []
        for first, last in self._ranges():
            out.extend(self._range(first, last))
        return out

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
        _, lead, _ = self._lead(first, start)
        return self.count(lead + self.text[start:end]) <= self.budget.limit

    def _extent(self, first: int, last: int) -> tuple[int, int]:
        """Start and end of the sections [first, last)."""
        sections = self.sections
        return self.starts[sections[first].first], self.blocks[self.tops[sections[last - 1].last - 1]].end

    def _range(self, first: int, last: int) -> list[Draft]:
        start, end = self._extent(first, last)
        target = self.budget.limit if self.recipe.depth else self.budget.target
        if end - start <= 5 * target:  # above this it will hardly fit, and is counted block by block below
            context, lead, _ = self._lead(first, start)
            close = self._left_open(end)
            tokens = self.count(lead + self.text[start:end] + close)
            if tokens <= target:
                return [Draft(start, end, tokens, context, close, first, self._seam(first))]
        return self._packed(first, last, start, end)

    def _seam(self, section: int) -> str:
        level = self.sections[section].level
        return "start" if section == 0 else f"h{level}" if level else "paragraph"

    def _left_open(self, end: int) -> str:
        """The close of a fence that the document itself leaves open at `end`."""
        fence = self.unclosed.get(end)
        return f"\n{fence}" if fence else ""

    # --- headings a chunk borrows ----------------------------------------------------------------------------

    def _lead(self, section: int, start: int) -> Lead:
        """The headings above `start` that the chunk's body does not hold itself."""
        if not self.recipe.breadcrumb or start in self._bare:
            return _NO_LEAD
        _, _, _, path, above = self.sections[section]
        if not path:
            return _NO_LEAD
        if above == len(path) or self.blocks[path[-1]].start < start:
            headings = path
        elif start <= self.blocks[path[above]].start:
            headings = path[:above]
        else:
            headings = tuple([index for index in path if self.blocks[index].start < start])
        lead = self._leads.get(headings)
        if lead is None:
            lead = self._leads[headings] = self._headings(headings)
        return lead

    def _headings(self, above: tuple[int, ...]) -> Lead:
        """Headings as context; the outermost go first when they would take more than a quarter of the limit."""
        blocks = self.blocks
        context = tuple([Context("heading", blocks[i].start, blocks[i].end, "\n\n") for i in above])
        lead = rendered(self.text, 0, 0, context, "")
        most = self.budget.limit // 4
        tokens = self.count(lead)
        while context and tokens > most:
            context = context[1:]
            lead = rendered(self.text, 0, 0, context, "")
            tokens = self.count(lead)
        return context, lead, tokens

    # --- ranges above the target -----------------------------------------------------------------------------

    def _packed(self, first: int, last: int, start: int, end: int) -> list[Draft]:
        """Several chunks; tightened until the real count of each is within the limit."""
        slack = 0
        for _ in range(_ATTEMPTS):
            drafts = self._attempt(first, last, start, end, slack)
            over = max(draft.tokens for draft in drafts) - self.budget.limit
            if over <= 0:
                return drafts
            if slack > self.budget.limit // 2:
                self.splitter.cluster = 0  # one cluster and its frame exceed the limit: the limit wins
            slack = min(max(2 * slack + 1, slack + over), self.budget.limit * 3 // 4)
        raise BudgetError(
            f"the tokenizer's counts do not add up: a chunk of {self.document.id} stays {over} tokens over the "
            f"limit of {self.budget.limit}; raise the limit or use another tokenizer"
        )

    def _attempt(self, first: int, last: int, start: int, end: int, slack: int) -> list[Draft]:
        limit = self.budget.limit - slack
        goal = Goal(min(self.budget.target, limit), limit)
        atoms = self._atoms(first, last, end, limit)
        drafts: list[Draft] = []
        for low, high in _segments(atoms):
            cuts = self._cuts(atoms, low, high, goal, first, last)
            bounds = [low, *cuts, high]
            for i, j in pairwise(bounds):
                if draft := self._draft(atoms, i, j, end, first, last):
                    drafts.append(draft)
        return drafts

    def _cuts(self, atoms: Sequence[Atom], low: int, high: int, goal: Goal, first: int, last: int) -> list[int]:
        """Where the packer cuts the atoms [low, high)."""
        part = atoms[low:high]
        sums = list(accumulate([atom.tokens for atom in part], initial=0))
        if last - first == 1 and not any(a.frame for a in part):  # the common case, at a third of the cost
            tail = [0] * len(sums)
            inside = self._lead(first, part[-1].start)[2]
            lead = [inside] * len(part)
            lead[0] = self._lead(first, part[0].start)[2]
        else:
            tail = [0, *[closing_tokens(a.frame, a.end) for a in part]]
            lead = [
                opening_tokens(a.frame, self.text, a.start)
                + self._lead(self._section_at(a.start, first, last), a.start)[2]
                for a in part
            ]
        score = [self.scores[a.seam] for a in part]
        forbidden = {i for i, a in enumerate(part) if a.glued}
        load = Load(sums, lead, tail, score, forbidden)
        if self.reserve:
            goal = self._reserved(goal, part, lead)
        if load.size(0, len(part)) <= goal.target:
            return []
        return [low + cut for cut in self.pack(load, goal)]

    def _reserved(self, goal: Goal, part: Sequence[Atom], lead: Sequence[int]) -> Goal:
        """Sizes that leave room for overlap, unless something that may not be cut needs that room itself."""
        less = goal.limit - self.reserve
        largest = chain = 0
        for atom, extra in zip(part, lead, strict=True):
            chain = atom.tokens + (chain if atom.glued else extra)
            largest = max(largest, chain)
        return Goal(min(goal.target, less), less if largest <= less else goal.limit)

    def _section_at(self, offset: int, first: int, last: int) -> int:
        """The section that holds `offset`."""
        if last - first == 1:
            return first
        position = bisect_right(self.starts, offset) - 1
        return bisect_right(self._section_firsts, position) - 1

    def _draft(self, atoms: Sequence[Atom], i: int, j: int, end: int, first: int, last: int) -> Draft | None:
        """The chunk of the atoms [i, j), counted as it will be delivered."""
        text, head, foot = self.text, atoms[i], atoms[j - 1]
        start = head.start
        stop = trimmed(text, start, min(foot.end, end))
        if head.seam == "word":
            while start < stop and text[start].isspace():
                start += 1
        if start >= stop:
            return None
        section = self._section_at(start, first, last)
        headings, _, heading_tokens = self._lead(section, start)
        frame = opening(head.frame, text, start) if head.frame else ()
        close = self._left_open(stop) + closing(foot.frame, foot.end)
        context = (*headings, *frame)
        if (
            self.additive
            and not frame
            and start == head.start
            and stop > foot.start
            and all(self._adds_up(atom.start) for atom in atoms[i:j])
        ):
            tokens = heading_tokens + self.count(text[foot.start : stop] + close)
            tokens += sum([atom.tokens for atom in atoms[i : j - 1]])
        else:
            tokens = self.count(rendered(text, start, stop, context, close))
        seam = self._seam(section) if start == self.starts[self.sections[section].first] else head.seam
        return Draft(start, stop, tokens, context, close, section, seam, head.alone or foot.alone)

    def _adds_up(self, start: int) -> bool:
        """Whether counts on both sides of `start` add up exactly: it starts a line, and not with a slash."""
        return not start or (self.text[start - 1] == "\n" and self.text[start] not in "/\r\n")

    # --- atoms -----------------------------------------------------------------------------------------------

    def _atoms(self, first: int, last: int, end: int, limit: int) -> list[Atom]:
        """The blocks of a range as atoms, those that are too large in parts, headings glued to what follows."""
        atoms: list[Atom] = []
        tops, blocks, starts = self.tops, self.blocks, self.starts
        text, count, whole = self.text, self.count, self.recipe.whole
        begin, stop = self.sections[first].first, self.sections[last - 1].last
        one = last - first == 1
        inside = self._lead(first, end)[2]  # headings that a chunk borrows which starts after its own section's
        glued = 0  # tokens of the headings directly before
        hanging = 0  # and of the headings those borrow
        top = 0  # where the first of them starts
        chain = 0  # tokens of what is glued together so far
        for position in range(begin, stop):
            kind, start, block_end, _, _, _ = blocks[tops[position]]
            until = starts[position + 1] if position + 1 < stop else end
            if not one:
                inside = self._lead(self._section_at(start, first, last), block_end)[2]
            room = max(limit - max(hanging + glued, inside), limit // 8)
            tokens = count(text[start:until]) if until - start <= 64 * room else limit + 1
            seam = seam_before(text, blocks, tops, position)
            if kind != "heading":
                if tokens <= room and (not whole or tokens <= whole.get(kind, tokens)):
                    introduced = seam == "lead-in" and chain + tokens <= limit // 2
                    chain = tokens + (chain if introduced else glued)
                    atoms.append(Atom(start, until, tokens, seam, None, glued > 0 or introduced))
                else:
                    chain = limit
                    atoms.extend(self.splitter.split(Task(start, until, tops[position], seam, None, glued > 0), room))
                glued = hanging = 0
                continue
            lead = self._lead(self._section_at(start, first, last), start)[2]
            room = max(limit - max(hanging + glued, lead), limit // 8)
            deeper = glued > 0 and self._is_deeper(position)
            if tokens > room:
                atoms.extend(self.splitter.split(Task(start, until, tops[position], seam, None, deeper), room))
                glued = hanging = 0
                continue
            atoms.append(Atom(start, until, tokens, seam, None, deeper))
            if not deeper:
                glued, hanging, top = 0, lead, start
            glued += tokens
            if hanging and hanging + glued > limit - limit // 4:
                self._bare.add(top)  # rather no borrowed heading than one cut from what is under it
                hanging = 0
            if glued > limit - limit // 8:
                glued = hanging = 0
        return _thinned(atoms, limit) if len(atoms) > _CROWD else atoms

    def _is_deeper(self, position: int) -> bool:
        blocks, tops = self.blocks, self.tops
        return position > 0 and blocks[tops[position - 1]].level < blocks[tops[position]].level


def _segments(atoms: Sequence[Atom]) -> Iterator[tuple[int, int]]:
    """Index ranges between the cuts that atoms standing alone force; a heading above such an atom stays with it."""
    low = 0
    for index, atom in enumerate(atoms):
        if atom.alone:
            top = index
            while atoms[top].glued and top > low:
                top -= 1
            if top > low:
                yield low, top
            yield top, index + 1
            low = index + 1
    if low < len(atoms):
        yield low, len(atoms)


def _thinned(atoms: list[Atom], limit: int) -> list[Atom]:
    """Tiny neighbours joined, so that the search stays linear on half a million one-word paragraphs."""
    if any(a.frame or a.glued or a.alone for a in atoms):
        return atoms
    pieces = coalesce([Piece(*a[:4]) for a in atoms], limit // 48, limit // 2)
    return [Atom(*piece) for piece in pieces]
